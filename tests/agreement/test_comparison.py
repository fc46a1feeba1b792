"""A model among people, and the influence of each rater."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from agreement_reference import load

from benchbook.agreement import (
    agreement_difference,
    cohen_kappa,
    conger_kappa,
    fleiss_kappa,
    gwet_ac,
    krippendorff_alpha,
    leave_one_rater_out,
    mean_pairwise_kappa,
    percent_agreement,
)
from benchbook.errors import ParameterError
from benchbook.ratings import Ratings

EXACT = 1e-12


def readers(n=200, right=(0.9, 0.85, 0.8, 0.95), seed=8, **options):
    """Readers who are right with their own probability, else answer at random."""
    generator = np.random.default_rng(seed)
    truth = generator.integers(0, 3, size=n)
    columns = {}
    for name, share in zip(["ann", "bob", "cat", "model"], right, strict=True):
        guess = generator.integers(0, 3, size=n)
        columns[name] = np.where(generator.random(n) < share, truth, guess)
    return Ratings.from_table(pd.DataFrame(columns), "ordinal", categories=[0, 1, 2], **options)


def test_difference_is_the_difference_of_the_two_means():
    ratings = readers()
    made = agreement_difference(ratings, "model", n_resamples=400)
    kappa = {
        pair: cohen_kappa(ratings.pair(*pair)).estimate.value
        for pair in itertools.combinations(ratings.raters, 2)
    }
    with_model = np.mean([kappa[(human, "model")] for human in ("ann", "bob", "cat")])
    among = np.mean([kappa[pair] for pair in (("ann", "bob"), ("ann", "cat"), ("bob", "cat"))])
    assert made.model_human.value == pytest.approx(with_model, abs=EXACT)
    assert made.human_human.value == pytest.approx(among, abs=EXACT)
    assert made.difference.value == pytest.approx(with_model - among, abs=EXACT)
    assert made.humans == ("ann", "bob", "cat")
    assert made.difference.low < made.difference.value < made.difference.high


def test_a_better_model_is_above_people_and_a_worse_one_below():
    better = agreement_difference(readers(right=(0.8, 0.8, 0.8, 1.0)), "model", n_resamples=400)
    worse = agreement_difference(readers(right=(0.8, 0.8, 0.8, 0.3)), "model", n_resamples=400)
    assert better.difference.low > 0
    assert worse.difference.high < 0


def test_shared_resamples_make_the_difference_narrower():
    made = agreement_difference(readers(), "model", n_resamples=1000)
    apart = math.hypot(made.model_human.standard_error, made.human_human.standard_error)
    assert made.difference.standard_error < 0.9 * apart


def test_humans_can_be_chosen_and_the_rest_ignored():
    ratings = readers()
    made = agreement_difference(ratings, "model", ["ann", "bob"], n_resamples=50)
    expected = cohen_kappa(ratings.pair("ann", "bob")).estimate.value
    assert made.human_human.value == pytest.approx(expected, abs=EXACT)


def test_coefficient_and_weights_matter():
    ratings = readers()
    values = {
        (coefficient, weights): agreement_difference(
            ratings, "model", coefficient=coefficient, weights=weights, n_resamples=20
        ).model_human.value
        for coefficient in ("kappa", "ac", "percent_agreement")
        for weights in (None, "quadratic")
    }
    assert len(set(values.values())) == 6
    agreement = np.mean(
        [percent_agreement(ratings.pair(h, "model")).value for h in ("ann", "bob", "cat")]
    )
    assert values[("percent_agreement", None)] == pytest.approx(agreement, abs=EXACT)


def test_clusters_of_the_ratings_are_used():
    patients = np.repeat(np.arange(50), 4)
    own = agreement_difference(readers(clusters=patients), "model", n_resamples=200)
    given = agreement_difference(readers(), "model", cluster=patients, n_resamples=200)
    items = agreement_difference(readers(), "model", n_resamples=200)
    assert own.difference == given.difference
    assert own.difference.n_clusters == 50
    assert own.difference.unit == "cluster"
    assert items.difference.n_clusters == 200


def test_arguments_reach_the_bootstrap():
    ratings = readers()
    one = agreement_difference(ratings, "model", n_resamples=100, seed=1, level=0.8, method="basic")
    two = agreement_difference(ratings, "model", n_resamples=100, seed=2, level=0.8, method="basic")
    assert (one.difference.n_resamples, one.difference.level, one.difference.seed) == (100, 0.8, 1)
    assert one.difference.low != two.difference.low
    assert "basic" in one.difference.method


def test_wrong_raters_are_refused():
    ratings = readers()
    with pytest.raises(ParameterError, match="did you mean 'model'"):
        agreement_difference(ratings, "modell")
    with pytest.raises(ParameterError, match="is the model and is among"):
        agreement_difference(ratings, "model", ["ann", "model"])
    with pytest.raises(ParameterError, match="needs two of them"):
        agreement_difference(ratings, "model", ["ann"])
    with pytest.raises(ParameterError, match="twice"):
        agreement_difference(ratings, "model", ["ann", "ann"])
    with pytest.raises(ParameterError, match="counts per category"):
        agreement_difference(Ratings.from_counts([[2, 1], [0, 3]]), "slot 1")


# ---- leaving one rater out ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("fleiss", lambda r: fleiss_kappa(r).estimate),
        ("conger", lambda r: conger_kappa(r).estimate),
        ("ac", lambda r: gwet_ac(r).estimate),
        ("alpha", lambda r: krippendorff_alpha(r).estimate),
        ("mean_pairwise", mean_pairwise_kappa),
        ("percent_agreement", percent_agreement),
    ],
)
def test_leaving_out_is_dropping_the_column(name, function):
    ratings = load("krippendorff_2011")
    table = leave_one_rater_out(ratings, name)
    assert table["rater"].tolist() == list(ratings.raters)
    for _, row in table.iterrows():
        without = function(ratings.drop(row["rater"])).value
        assert row["without"] == pytest.approx(without, abs=EXACT)
        assert row["influence"] == pytest.approx(function(ratings).value - without, abs=EXACT)
    called = leave_one_rater_out(ratings, lambda r: function(r).value)
    assert called["without"].tolist() == table["without"].tolist()


def test_the_careless_rater_has_the_lowest_influence():
    table = leave_one_rater_out(readers(right=(0.95, 0.95, 0.3, 0.95)))
    assert table.loc[table["influence"].idxmin(), "rater"] == "cat"
    assert (table["influence"] < 0).sum() == 1


def test_weights_reach_the_coefficient():
    plain, weighted = (
        leave_one_rater_out(readers(), "fleiss", weights=w) for w in (None, "linear")
    )
    assert (plain["without"] != weighted["without"]).all()


def test_undefined_without_a_rater():
    ratings = Ratings.from_table(
        {"ann": [0, 0, 0], "bob": [0, 0, 0], "cat": [0, 1, 0]}, "nominal", categories=[0, 1]
    )
    table = leave_one_rater_out(ratings).set_index("rater")
    assert math.isnan(table.loc["cat", "without"])
    assert "chance agreement is 1" in table.loc["cat", "reason"]
    assert pd.isna(table.loc["ann", "reason"])


def test_leaving_out_is_refused():
    with pytest.raises(ParameterError, match="three raters"):
        leave_one_rater_out(readers().select(["ann", "bob"]))
    with pytest.raises(ParameterError, match="did you mean 'fleiss'"):
        leave_one_rater_out(readers(), "fleis")
    with pytest.raises(ParameterError, match="has a metric"):
        leave_one_rater_out(readers(), "alpha", weights="linear")
    with pytest.raises(ParameterError, match="counts per category"):
        leave_one_rater_out(Ratings.from_counts([[2, 1], [0, 3]]))
