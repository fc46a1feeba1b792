"""The coefficients as functions of sums: equal to the direct ones on any resample."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
from agreement_reference import load
from hypothesis import given, settings
from hypothesis import strategies as st
from test_many_raters import SCHEMES, as_table, same, tables

from benchbook.agreement import (
    ac_statistic,
    alpha_statistic,
    brennan_prediger,
    brennan_prediger_statistic,
    cohen_kappa,
    conger_kappa,
    conger_statistic,
    fleiss_kappa,
    fleiss_statistic,
    gwet_ac,
    kappa_statistic,
    krippendorff_alpha,
    mean_pairwise_kappa,
    mean_pairwise_kappa_statistic,
    mean_pairwise_statistic,
    percent_agreement,
    percent_agreement_statistic,
)
from benchbook.errors import ParameterError
from benchbook.ratings import Ratings
from benchbook.resampling import bootstrap, paired_difference, resample

CLOSE = 1e-9  # sums in another order; chance disagreement can be small on tiny tables


def two_columns(ratings):
    return replace(
        ratings,
        values=np.take(ratings.values, [0, 1], axis=1),
        raters=ratings.raters[:2],
    )


# name -> (sums form, direct form), both taking ratings and weights
FORMS = {
    "kappa": (
        lambda r, w: kappa_statistic(two_columns(r), w),
        lambda r, w: cohen_kappa(two_columns(r), weights=w).estimate,
    ),
    "mean pairwise": (
        lambda r, w: mean_pairwise_kappa_statistic(r, weights=w),
        lambda r, w: mean_pairwise_kappa(r, weights=w),
    ),
    "percent agreement": (
        lambda r, w: percent_agreement_statistic(r, w),
        lambda r, w: percent_agreement(r, weights=w),
    ),
    "Fleiss": (
        lambda r, w: fleiss_statistic(r, w),
        lambda r, w: fleiss_kappa(r, weights=w).estimate,
    ),
    "Fleiss, pooled": (
        lambda r, w: fleiss_statistic(r, w, convention="pooled"),
        lambda r, w: fleiss_kappa(r, weights=w, convention="pooled").estimate,
    ),
    "AC": (lambda r, w: ac_statistic(r, w), lambda r, w: gwet_ac(r, weights=w).estimate),
    "Brennan-Prediger": (
        lambda r, w: brennan_prediger_statistic(r, w),
        lambda r, w: brennan_prediger(r, weights=w).estimate,
    ),
    "Conger": (
        lambda r, w: conger_statistic(r, w),
        lambda r, w: conger_kappa(r, weights=w).estimate,
    ),
}
METRICS = ("nominal", "ordinal", "interval", "ratio")


@st.composite
def resampled_tables(draw):
    """A table, and how often each of its items is in a resample (some not at all)."""
    q, rows = draw(tables())
    times = draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    return q, rows, times


def values_of(statistic, times):
    return float(statistic.evaluate(np.array([times], float) @ statistic.contributions)[0])


@given(resampled_tables(), st.sampled_from(SCHEMES), st.sampled_from(sorted(FORMS)))
def test_a_resample_gives_what_the_repeated_table_gives(drawn, scheme, name):
    q, rows, times = drawn
    sums_form, direct = FORMS[name]
    statistic = sums_form(as_table(rows, q), scheme)
    repeated = [row for row, number in zip(rows, times, strict=True) for _ in range(number)]
    got = values_of(statistic, times)
    if not any(sum(v is not None for v in row) >= 2 for row in repeated):
        assert math.isnan(got)
        return
    # A rater left without ratings cannot be a column of a table of its own.
    if any(all(row[g] is None for row in repeated) for g in range(len(rows[0]))):
        return
    expected = direct(as_table(repeated, q), scheme)
    assert same(got, expected.value, CLOSE)


@given(resampled_tables(), st.sampled_from(METRICS))
def test_alpha_of_a_resample(drawn, metric):
    q, rows, times = drawn
    got = values_of(alpha_statistic(as_table(rows, q), metric), times)
    repeated = [row for row, number in zip(rows, times, strict=True) for _ in range(number)]
    if not any(sum(v is not None for v in row) >= 2 for row in repeated):
        assert math.isnan(got)
        return
    if any(all(row[g] is None for row in repeated) for g in range(len(rows[0]))):
        return
    expected = krippendorff_alpha(as_table(repeated, q), metric=metric).estimate
    assert same(got, expected.value, CLOSE)


@pytest.mark.parametrize("name", sorted(FORMS))
@pytest.mark.parametrize("scheme", SCHEMES)
def test_bootstrap_point_is_the_direct_value(name, scheme):
    ratings = load("krippendorff_2011")
    sums_form, direct = FORMS[name]
    estimate = bootstrap(sums_form(ratings, scheme), n_resamples=50)
    assert same(estimate.value, direct(ratings, scheme).value, CLOSE)
    assert estimate.n_items == ratings.n_items


@pytest.mark.parametrize(
    "name", ["percent agreement", "Fleiss", "Fleiss, pooled", "AC", "Conger", "mean pairwise"]
)
def test_linearised_error_beside_the_bootstrap(name):
    """Thirty patients: the two agree to within the bootstrap's error and a small-sample term.

    A standard deviation from 4,000 resamples has a relative error of 1.1 %, and the bootstrap
    divides by n where the linearisation divides by n - 1 (1.7 % on thirty).
    """
    ratings = load("fleiss_1971")
    sums_form, direct = FORMS[name]
    spread = resample(sums_form(ratings, None), n_resamples=4000).replicates.std()
    assert direct(ratings, None).standard_error == pytest.approx(spread, rel=0.07)


@pytest.mark.parametrize("metric", METRICS)
def test_alpha_error_beside_the_bootstrap(metric):
    ratings = load("fleiss_1971", "ordinal")
    spread = resample(alpha_statistic(ratings, metric), n_resamples=4000).replicates.std()
    error = krippendorff_alpha(ratings, metric=metric).estimate.standard_error
    assert error == pytest.approx(spread, rel=0.10)


def test_kappa_error_beside_the_bootstrap():
    ratings = load("siskel_ebert")
    spread = resample(kappa_statistic(ratings, "linear"), n_resamples=4000).replicates.std()
    result = cohen_kappa(ratings, weights="linear")
    assert result.standard_error == pytest.approx(spread, rel=0.05)
    assert abs(result.standard_error_null / spread - 1) > 0.05


def test_clusters_travel_together():
    """Every item twice in its cluster: the interval is that of the single items."""
    ratings = load("siskel_ebert")
    values = np.vstack([ratings.values, ratings.values])
    items = tuple(str(number) for number in range(len(values)))
    twice = replace(ratings, values=values, items=items)
    patients = np.tile(np.arange(ratings.n_items), 2)
    once = bootstrap(kappa_statistic(ratings), seed=4)
    clustered = bootstrap(kappa_statistic(twice), cluster=patients, seed=4)
    naive = bootstrap(kappa_statistic(twice), seed=4)
    assert clustered.value == pytest.approx(once.value, abs=CLOSE)
    assert (clustered.low, clustered.high) == pytest.approx((once.low, once.high), abs=CLOSE)
    assert clustered.n_clusters == ratings.n_items
    assert naive.high - naive.low < 0.8 * (clustered.high - clustered.low)


def test_undefined_resamples_are_counted():
    ratings = Ratings.from_contingency([[1, 0], [0, 5]])
    estimate = bootstrap(kappa_statistic(ratings), n_resamples=2000)
    # All six draws from the five: (5/6)^6 = 0.335 of the resamples have a single category.
    assert estimate.n_undefined == pytest.approx(2000 * (5 / 6) ** 6, abs=4 * 21)
    assert estimate.value == 1.0


def test_undefined_on_the_full_data():
    one = Ratings.from_table([[0, 0, 0]] * 4, "nominal", categories=[0, 1])
    undefined = {
        "chance agreement is 1": [
            kappa_statistic(two_columns(one)),
            fleiss_statistic(one),
            conger_statistic(one),
        ],
        "no pair of raters": [mean_pairwise_kappa_statistic(one)],
        "no disagreement can be expected": [alpha_statistic(one)],
        "none declared": [
            ac_statistic(Ratings.from_table([["a", "a"]] * 3, "nominal")),
            brennan_prediger_statistic(Ratings.from_table([["a", "a"]] * 3, "nominal")),
        ],
    }
    for words, statistics in undefined.items():
        for statistic in statistics:
            estimate = bootstrap(statistic, n_resamples=20)
            assert math.isnan(estimate.value)
            assert words in estimate.reason
    for statistic in (ac_statistic(one), brennan_prediger_statistic(one)):
        assert bootstrap(statistic, n_resamples=20).value == 1.0


@pytest.mark.parametrize(
    "coefficient", ["kappa", "scott", "ac", "brennan_prediger", "percent_agreement"]
)
def test_mean_over_pairs_of_every_coefficient(coefficient):
    direct = {
        "kappa": lambda r: cohen_kappa(r, weights="linear").estimate,
        "scott": lambda r: fleiss_kappa(r, weights="linear").estimate,
        "ac": lambda r: gwet_ac(r, weights="linear").estimate,
        "brennan_prediger": lambda r: brennan_prediger(r, weights="linear").estimate,
        "percent_agreement": lambda r: percent_agreement(r, weights="linear"),
    }[coefficient]
    ratings = load("gwet_five_observers")
    pairs = [("Observer1", "Observer2"), ("Observer1", "Observer3")]
    pairs = [
        (one, other)
        for place, one in enumerate(ratings.raters[:3])
        for other in ratings.raters[place + 1 : 3]
    ]
    expected = np.mean([direct(ratings.pair(*pair)).value for pair in pairs])
    statistic = mean_pairwise_statistic(ratings, pairs, coefficient=coefficient, weights="linear")
    assert bootstrap(statistic, n_resamples=20).value == pytest.approx(expected, abs=CLOSE)


def test_statistics_of_the_same_ratings_share_their_items():
    ratings = load("krippendorff_2011")
    estimate = paired_difference(
        alpha_statistic(ratings, "nominal"), fleiss_statistic(ratings), n_resamples=200
    )
    expected = (
        krippendorff_alpha(ratings, metric="nominal").estimate.value
        - fleiss_kappa(ratings).estimate.value
    )
    assert estimate.value == pytest.approx(expected, abs=CLOSE)


def test_interval_alpha_with_an_outlier():
    """A resample without a mistyped value a billion times too large is still exact."""
    scores = np.array([[1.0, 2], [3, 3], [5, 4], [2, 2], [1e9, 3]])
    statistic = alpha_statistic(Ratings.from_table(scores, "continuous"))
    got = values_of(statistic, [1, 2, 1, 1, 0])
    rest = np.repeat(scores[:4], [1, 2, 1, 1], axis=0)
    expected = krippendorff_alpha(Ratings.from_table(rest, "continuous")).estimate.value
    assert got == pytest.approx(expected, abs=CLOSE)


def test_interval_alpha_is_undefined_where_all_values_are_one():
    """The value is away from the centre of the data, so that rounding leaves a trace of spread."""
    scores = np.array([[0.3, 0.3, 0.3], [0.7, 1.3, 1.1], [2.9, 7.7, 3.3]])
    statistic = alpha_statistic(Ratings.from_table(scores, "continuous"))
    for times in range(1, 60):
        assert math.isnan(values_of(statistic, [times, 0, 0]))
    assert not math.isnan(values_of(statistic, [1, 1, 1]))


def test_too_many_values_for_sums():
    generator = np.random.default_rng(0)
    ratings = Ratings.from_table(generator.random((400, 3)), "continuous")
    for metric, most in (("ordinal", 100), ("ratio", 1000)):
        with pytest.raises(ParameterError, match=f"at most {most} distinct"):
            alpha_statistic(ratings, metric)
    estimate = bootstrap(alpha_statistic(ratings), n_resamples=50)
    assert abs(estimate.value) < 0.1


def test_unknown_words_are_told():
    ratings = load("fleiss_1971")
    with pytest.raises(ParameterError, match="did you mean 'pooled'"):
        fleiss_statistic(ratings, convention="pool")
    with pytest.raises(ParameterError, match="did you mean 'scott'"):
        mean_pairwise_statistic(ratings, coefficient="scot")
    with pytest.raises(ParameterError, match=r"ICC\(2,1\)"):
        fleiss_statistic(Ratings.from_table([[1.0, 2.5], [2, 3]], "continuous"))
    with pytest.raises(ParameterError, match="counts per category"):
        conger_statistic(Ratings.from_counts([[2, 1], [0, 3]]))


@settings(max_examples=60)
@given(resampled_tables())
def test_no_numpy_warning(drawn):
    q, rows, times = drawn
    ratings = as_table(rows, q)
    with np.errstate(all="raise"), warnings.catch_warnings():
        warnings.simplefilter("error")
        for sums_form, _ in FORMS.values():
            values_of(sums_form(ratings, "linear"), times)
        for metric in METRICS:
            values_of(alpha_statistic(ratings, metric), times)
