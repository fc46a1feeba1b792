"""Krippendorff's alpha: published numbers, R, the krippendorff package, definitions."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace

import krippendorff
import numpy as np
import pytest
from agreement_by_definition import alpha, item_derivatives
from agreement_reference import chosen, label, load, number
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from test_many_raters import as_table, same, tables, varied

from benchbook.agreement import coincidence_table, fleiss_kappa, krippendorff_alpha
from benchbook.agreement.krippendorff import METRICS
from benchbook.errors import DataError, ParameterError
from benchbook.ratings import Ratings

EXACT = 1e-11  # sums of squared ranks, in another order
FROM_R = 1e-9  # R wrote 15 digits
NUMERIC = 1e-6  # derivatives by central differences


def pairable(rows):
    return [row for row in rows if sum(v is not None for v in row) >= 2]


# ---- published numbers -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metric", "expected"),
    [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)],
)
def test_krippendorff_2011(metric, expected):
    """4 coders, 12 units, as Krippendorff prints them."""
    result = krippendorff_alpha(load("krippendorff_2011"), metric=metric)
    assert round(result.estimate.value, 3) == expected
    assert result.n_values == 40
    assert result.n_single == 1
    assert result.estimate.n_items == 11


def test_coincidences_of_the_same_data():
    table = coincidence_table(load("krippendorff_2011"))
    expected = [
        [7, 4 / 3, 1 / 3, 1 / 3, 0],
        [4 / 3, 10, 4 / 3, 1 / 3, 0],
        [1 / 3, 4 / 3, 8, 1 / 3, 0],
        [1 / 3, 1 / 3, 1 / 3, 4, 0],
        [0, 0, 0, 0, 3],
    ]
    assert table.to_numpy() == pytest.approx(np.array(expected), abs=EXACT)
    assert table.to_numpy().sum(axis=1) == pytest.approx([9, 13, 10, 5, 3], abs=EXACT)


def test_fleiss_1971():
    assert round(krippendorff_alpha(load("fleiss_1971")).estimate.value, 3) == 0.433


def test_results_that_surprise():
    """One disagreement and nothing else is 0; two raters who swap two labels get -0.5."""
    assert krippendorff_alpha([[0, 1]]).estimate.value == pytest.approx(0, abs=EXACT)
    swapped = krippendorff_alpha([[0, 1], [1, 0]])
    assert swapped.estimate.value == pytest.approx(-0.5, abs=EXACT)


# ---- R -----------------------------------------------------------------------------------


def of_record(record, metric):
    ratings = load(record["table"])
    columns = record["options"].get("columns")
    if columns:
        ratings = ratings.select(columns)
    if ratings.kind == "nominal" and metric != "nominal":
        ratings = load(record["table"], "ordinal")
    return ratings


def alpha_records(package):
    made = chosen("r_alpha.json", package, statistic="Krippendorff alpha")
    return [record for record in made if "value" in record]


# irr and DescTools, on data without missing cells, divide by the number of pairs where the
# definition has the number of values: 1 - (1 - alpha) (1 - 1 / pairs) / (1 - 1 / values).
def as_irr(value, ratings):
    n, m = ratings.n_items, ratings.n_raters
    return 1 - (1 - value) * (1 - 1 / (n * m * (m - 1))) / (1 - 1 / (n * m))


@pytest.mark.parametrize("record", [*alpha_records("irr"), *alpha_records("DescTools")], ids=label)
def test_irr(record):
    metric = record["options"]["level"]
    ratings = of_record(record, metric)
    estimate = krippendorff_alpha(ratings, metric=metric).estimate
    if not estimate.defined:
        assert number(record, "value") == 1  # irr's answer to a single value
        return
    value = estimate.value
    if ratings.complete:
        value = as_irr(value, ratings)
    assert value == pytest.approx(number(record, "value"), abs=FROM_R)


@pytest.mark.parametrize("record", alpha_records("krippendorffsalpha"), ids=label)
def test_krippendorffsalpha(record):
    metric = record["options"]["level"]
    ratings = of_record(record, metric)
    if metric == "ordinal":
        # Its "ordinal" is the interval metric on the codes; the definition says ranks.
        metric = "interval"
        if ratings.categories is not None:
            codes = tuple(range(1, ratings.n_categories + 1))
            if record["table"] == "gwet_five_observers":
                codes = tuple(range(ratings.n_categories))
            ratings = replace(ratings, categories=codes)
            if record["table"] == "made_ten_levels" or "nominal" in ratings.kind:
                ratings = replace(ratings, kind="ordinal")
    estimate = krippendorff_alpha(ratings, metric=metric).estimate
    assert same(estimate.value, number(record, "value"), FROM_R)


@pytest.mark.parametrize("record", alpha_records("irrCAC"), ids=label)
def test_irrcac(record):
    metric = record["options"]["level"]
    estimate = krippendorff_alpha(of_record(record, metric), metric=metric).estimate
    theirs = number(record, "value")
    scheme = record["options"]["weights"]
    if scheme == "ordinal":
        return  # fixed ordinal weights: another coefficient, only equal by chance
    if scheme == "ratio" and math.isnan(theirs) and record["table"] != "made_one_category_wide":
        assert estimate.defined  # two ratings of 0 agree; irrCAC divides 0 by 0
        return
    assert same(estimate.value, theirs, FROM_R)


@pytest.mark.parametrize("record", alpha_records("base"), ids=label)
def test_r_arithmetic(record):
    metric = record["options"]["level"]
    ratings = of_record(record, metric)
    result = krippendorff_alpha(ratings, metric=metric)
    assert same(result.estimate.value, number(record, "value"), FROM_R)
    if ratings.complete and metric != "ordinal" and "se" in record:
        # R's arithmetic is Gwet's: without alpha's factor (n - 1) / n for n values. For the
        # ordinal metric it holds the ranks fixed, which the derivative of alpha does not.
        error = number(record, "se") * (1 - 1 / result.n_values)
        assert same(result.estimate.standard_error, error, FROM_R)


# ---- the krippendorff package ------------------------------------------------------------


@given(tables().filter(lambda drawn: varied(pairable(drawn[1]))), st.sampled_from(METRICS))
def test_krippendorff_package(drawn, metric):
    q, rows = drawn
    data = np.array([[np.nan if v is None else v for v in row] for row in rows]).T
    theirs = krippendorff.alpha(
        reliability_data=data, level_of_measurement=metric, value_domain=list(range(q))
    )
    ours = krippendorff_alpha(as_table(rows, q), metric=metric).estimate.value
    assert ours == pytest.approx(theirs, abs=1e-10)


def test_krippendorff_package_raises_on_one_value():
    with pytest.raises(ValueError, match="more than one value"):
        krippendorff.alpha(reliability_data=[[1, 1], [1, 1]], level_of_measurement="nominal")
    result = krippendorff_alpha([[1, 1], [1, 1]])
    assert math.isnan(result.estimate.value)
    assert result.estimate.reason.startswith("every rating that can be paired is the same")


# ---- definitions -------------------------------------------------------------------------


@given(tables(), st.sampled_from(METRICS))
def test_definition(drawn, metric):
    q, rows = drawn
    result = krippendorff_alpha(as_table(rows, q), metric=metric)
    expected = alpha(rows, metric)
    assert same(result.estimate.value, expected, EXACT)
    if result.estimate.defined:
        ratio = result.observed_disagreement / result.expected_disagreement
        assert same(1 - ratio, result.estimate.value, EXACT)


@st.composite
def scores(draw):
    number_ = st.one_of(st.none(), st.floats(0, 100).map(lambda x: round(x, 2)))
    rows = draw(st.lists(st.lists(number_, min_size=3, max_size=3), min_size=2, max_size=7))
    rows = [row for row in rows if any(v is not None for v in row)]
    rows.append(draw(st.lists(st.floats(1, 9).map(lambda x: round(x, 1)), min_size=3, max_size=3)))
    return rows


@given(scores(), st.sampled_from(["interval", "ratio", "ordinal"]))
def test_definition_on_scores(rows, metric):
    frame = np.array([[np.nan if v is None else v for v in row] for row in rows])
    result = krippendorff_alpha(Ratings.from_table(frame, "continuous"), metric=metric)
    expected = alpha(rows, metric)
    assert same(result.estimate.value, expected, 1e-9)


@settings(max_examples=40)
@given(tables().filter(lambda drawn: varied(pairable(drawn[1]))), st.sampled_from(METRICS))
def test_error_is_the_delta_method(drawn, metric):
    """The derivative of alpha by the weight of every item, ranks moving along."""
    q, rows = drawn
    units = pairable(rows)
    assume(len(units) >= 2)
    slopes = item_derivatives(lambda w: alpha(units, metric, w), len(units))
    slopes -= slopes.mean()
    error = math.sqrt((slopes**2).sum() * len(units) / (len(units) - 1))
    made = krippendorff_alpha(as_table(rows, q), metric=metric).estimate
    assert made.standard_error == pytest.approx(error, abs=NUMERIC, rel=1e-5)


@pytest.mark.parametrize("metric", METRICS)
def test_error_beside_the_jackknife(metric):
    """A second way to the same: close on thirty patients, not equal."""
    ratings = load("fleiss_1971", "ordinal")
    keep = ~np.eye(ratings.n_items, dtype=bool)
    without = [krippendorff_alpha(ratings.rows(row), metric=metric).estimate.value for row in keep]
    n = ratings.n_items
    jackknife = math.sqrt((n - 1) / n * ((without - np.mean(without)) ** 2).sum())
    error = krippendorff_alpha(ratings, metric=metric).estimate.standard_error
    assert jackknife == pytest.approx(error, rel=0.10)
    assert jackknife > error  # it is known to err on the large side


# ---- properties --------------------------------------------------------------------------


@given(tables(), st.sampled_from(METRICS))
def test_an_unused_level_changes_nothing(drawn, metric):
    q, rows = drawn
    one, two = (krippendorff_alpha(as_table(rows, k), metric=metric).estimate for k in (q, q + 3))
    assert same(one.value, two.value, EXACT)
    assert same(one.standard_error, two.standard_error, 1e-9)


@given(tables(), st.sampled_from(METRICS), st.randoms(use_true_random=False))
def test_order_of_raters_and_items_changes_nothing(drawn, metric, random):
    q, rows = drawn
    other = [list(reversed(row)) for row in rows]
    random.shuffle(other)
    one, two = (krippendorff_alpha(as_table(r, q), metric=metric).estimate for r in (rows, other))
    assert same(one.value, two.value, EXACT)


@given(tables())
def test_nominal_names_and_ordinal_direction_change_nothing(drawn):
    q, rows = drawn
    turned = [[None if v is None else q - 1 - v for v in row] for row in rows]
    for metric in ("nominal", "ordinal", "interval"):
        one, two = (
            krippendorff_alpha(as_table(r, q), metric=metric).estimate for r in (rows, turned)
        )
        assert same(one.value, two.value, EXACT)


@given(tables(missing=False).filter(lambda drawn: varied(drawn[1])))
def test_complete_nominal_data_against_fleiss(drawn):
    """1 - alpha = (1 - Fleiss kappa) (1 - 1 / n) for n values: the only difference."""
    q, rows = drawn
    fleiss = fleiss_kappa(as_table(rows, q)).estimate.value
    result = krippendorff_alpha(as_table(rows, q), metric="nominal")
    n = result.n_values
    assert result.estimate.value == pytest.approx(1 - (1 - fleiss) * (1 - 1 / n), abs=EXACT)


@given(tables().filter(lambda drawn: varied(pairable(drawn[1]))), st.sampled_from(METRICS))
def test_duplicating_the_items_takes_off_the_correction(drawn, metric):
    """1 - alpha is multiplied by (2n - 1) / (2n - 2)."""
    q, rows = drawn
    one, two = (krippendorff_alpha(as_table(r, q), metric=metric) for r in (rows, rows + rows))
    n = one.n_values
    expected = 1 - (1 - one.estimate.value) * (2 * n - 1) / (2 * n - 2)
    assert two.estimate.value == pytest.approx(expected, abs=EXACT)


@given(scores(), st.floats(-1e6, 1e6), st.floats(0.01, 100))
def test_interval_alpha_ignores_zero_and_unit(rows, shift, unit):
    frame = np.array([[np.nan if v is None else v for v in row] for row in rows])
    one = krippendorff_alpha(Ratings.from_table(frame, "continuous")).estimate
    two = krippendorff_alpha(Ratings.from_table(shift + unit * frame, "continuous")).estimate
    if np.unique(frame[~np.isnan(frame)]).size > 1 and np.nanstd(frame) > 0.1:
        assert same(one.value, two.value, 1e-5)


def test_a_large_offset_costs_nothing():
    scores_ = np.array([[1.0, 2, 3], [4, 5, 5], [2, 2, 1], [6, 6, 7]])
    one = krippendorff_alpha(Ratings.from_table(scores_, "continuous"))
    two = krippendorff_alpha(Ratings.from_table(scores_ + 1e9, "continuous"))
    assert one.estimate.value == pytest.approx(two.estimate.value, abs=1e-12)
    assert one.observed_disagreement == pytest.approx(two.observed_disagreement, rel=1e-12)


@given(tables(), st.sampled_from(METRICS))
def test_bounds(drawn, metric):
    q, rows = drawn
    estimate = krippendorff_alpha(as_table(rows, q), metric=metric).estimate
    if estimate.defined:
        assert -1 - EXACT <= estimate.value <= 1
    if estimate.has_interval:
        assert -1 - EXACT <= estimate.low <= estimate.value <= estimate.high <= 1


@given(tables())
def test_coincidences_sum_to_the_pairable_values(drawn):
    q, rows = drawn
    table = coincidence_table(as_table(rows, q)).to_numpy()
    values = [v for row in pairable(rows) for v in row if v is not None]
    assert table == pytest.approx(table.T, abs=EXACT)
    assert table.sum(axis=0) == pytest.approx(np.bincount(values, minlength=q), abs=EXACT)


# ---- awkward data ------------------------------------------------------------------------


def test_a_rater_without_overlap_is_named():
    ratings = Ratings.from_table(
        {"ann": [0, 1, 0, None], "bob": [0, 1, 1, None], "cat": [None, None, None, 1]},
        "nominal",
        categories=[0, 1],
    )
    result = krippendorff_alpha(ratings)
    assert result.n_single == 1
    assert any("cat" in note for note in result.estimate.warnings)
    without = krippendorff_alpha(ratings.drop("cat"))
    assert result.estimate.value == without.estimate.value


def test_no_overlap_at_all():
    ratings = Ratings.from_table(
        [[0, 0, None], [1, 1, None], [None, None, 1]], "nominal", categories=[0, 1]
    ).select(["1", "2"])
    result = krippendorff_alpha(ratings)
    assert result.estimate.reason == "no item was rated by two raters"
    assert math.isnan(result.observed_disagreement)


def test_default_metric_follows_the_kind():
    assert krippendorff_alpha([[0, 1], [1, 1]]).metric == "nominal"
    ordinal = krippendorff_alpha([[0, 1], [1, 1]], kind="ordinal", categories=[0, 1])
    assert ordinal.metric == "ordinal"
    assert krippendorff_alpha([[0.5, 1], [1, 1]], kind="continuous").metric == "interval"


def test_metrics_that_do_not_fit_are_refused():
    with pytest.raises(ParameterError, match="declare the categories in order"):
        krippendorff_alpha([["a", "b"], ["b", "b"]], metric="ordinal")
    with pytest.raises(ParameterError, match="hardly ever coincide"):
        krippendorff_alpha([[0.5, 1], [1, 1]], kind="continuous", metric="nominal")
    with pytest.raises(ParameterError, match="no numeric values"):
        krippendorff_alpha(
            [["a", "b"], ["b", "b"]], kind="ordinal", categories=["a", "b"], metric="interval"
        )
    with pytest.raises(ParameterError, match="did you mean 'ratio'"):
        krippendorff_alpha([[0, 1], [1, 1]], metric="ratios")
    with pytest.raises(DataError, match="negative"):
        krippendorff_alpha([[-1.0, 1], [1, 2]], kind="continuous", metric="ratio")
    with pytest.raises(ParameterError, match="needs categories"):
        coincidence_table([[0.5, 1], [1, 1]], kind="continuous")


def test_two_zeros_on_a_ratio_scale_agree():
    result = krippendorff_alpha([[0.0, 0.0], [1.0, 2.0]], kind="continuous", metric="ratio")
    assert result.estimate.value == pytest.approx(alpha([[0, 0], [1, 2]], "ratio"), abs=EXACT)


def test_many_distinct_scores():
    generator = np.random.default_rng(3)
    truth = generator.normal(50, 10, size=(400, 1))
    frame = np.abs(truth + generator.normal(0, 5, size=(400, 3)))
    ratings = Ratings.from_table(frame, "continuous")
    interval = krippendorff_alpha(ratings)
    # In large samples interval alpha is the one-way intraclass correlation, here 100 / 125.
    assert interval.estimate.value == pytest.approx(0.8, abs=0.03)
    rows = frame[:40].tolist()
    for metric in ("interval", "ratio", "ordinal"):
        some = krippendorff_alpha(Ratings.from_table(frame[:40], "continuous"), metric=metric)
        assert some.estimate.value == pytest.approx(alpha(rows, metric), abs=1e-9)


@settings(max_examples=60)
@given(tables(), st.sampled_from(METRICS))
def test_no_numpy_warning(drawn, metric):
    q, rows = drawn
    with np.errstate(all="raise"), warnings.catch_warnings():
        warnings.simplefilter("error")
        krippendorff_alpha(as_table(rows, q), metric=metric)
