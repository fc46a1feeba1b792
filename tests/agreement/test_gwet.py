"""Gwet's AC1 and AC2, Brennan-Prediger: R, definitions, awkward data."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from agreement_by_definition import brennan, distance_matrix, gwet, item_derivatives
from agreement_reference import chosen, label, load, number
from hypothesis import given, settings
from hypothesis import strategies as st
from test_many_raters import SCHEMES, as_table, no_singles, same, tables

from benchbook.agreement import (
    brennan_prediger,
    cohen_kappa,
    custom_weights,
    fleiss_kappa,
    gwet_ac,
    percent_agreement,
)
from benchbook.errors import ParameterError
from benchbook.ratings import Ratings

EXACT = 1e-12  # the same arithmetic in another order, on numbers of size 1
FROM_R = 1e-9  # R wrote 15 digits
FROM_R_ERROR = 1e-8  # irrCAC's errors were recovered from a rounded, inflated variance
NUMERIC = 1e-6  # derivatives by central differences

FUNCTIONS = {
    "Gwet AC": lambda ratings, **o: gwet_ac(ratings, **o).estimate,
    "Brennan-Prediger": lambda ratings, **o: brennan_prediger(ratings, **o).estimate,
    "percent agreement": percent_agreement,
    "Scott pi": lambda ratings, **o: fleiss_kappa(ratings, **o).estimate,
}


# ---- published numbers -------------------------------------------------------------------


def test_fleiss_1971_ac1():
    result = gwet_ac(load("fleiss_1971"))
    assert round(result.estimate.value, 3) == 0.448
    assert (result.n_categories, result.categories_declared) == (5, True)
    assert "t with 29 degrees of freedom" in result.estimate.method
    assert result.estimate.name == "Gwet AC1"


# irrCAC's published vignette, its data "raw4raters": value, standard error, lower bound.
VIGNETTE = {
    "Gwet AC": (0.77544, 0.14295, 0.461),
    "Brennan-Prediger": (0.77273, 0.14472, 0.454),
    "percent agreement": (0.8181818, 0.12561, 0.542),
}


@pytest.mark.parametrize("statistic", VIGNETTE)
def test_published_vignette(statistic):
    value, error, low = VIGNETTE[statistic]
    estimate = FUNCTIONS[statistic](load("krippendorff_2011"))
    assert estimate.value == pytest.approx(value, abs=5e-6)
    assert estimate.standard_error == pytest.approx(error, abs=5e-6)
    assert (round(estimate.low, 3), estimate.high) == (low, 1.0)


def test_kappa_paradox():
    """99 % agreement: kappa near 0, AC1 near 1, PABAK in between."""
    ratings = Ratings.from_contingency([[990, 5], [5, 0]])
    assert percent_agreement(ratings).value == pytest.approx(0.99, abs=EXACT)
    assert abs(cohen_kappa(ratings).estimate.value) < 0.01
    assert gwet_ac(ratings).estimate.value > 0.98
    assert brennan_prediger(ratings).estimate.value == pytest.approx(0.98, abs=EXACT)


# ---- R -----------------------------------------------------------------------------------


def raw_records():
    made = [
        record
        for function in ("gwet.ac1.raw", "bp.coeff.raw", "pa.coeff.raw")
        for record in chosen("r_gwet.json", "irrCAC", function)
    ]
    return [record for record in made if record["options"]["weights"] in SCHEMES]


@pytest.mark.parametrize("record", raw_records(), ids=label)
def test_irrcac_raw(record):
    """With the categories declared; irrCAC's own choice of categories is another test."""
    options = record["options"]
    ratings = load(record["table"], "ordinal")
    if "categories" not in options:
        assert record["n_categories"] <= ratings.n_categories
        return
    assert [str(label) for label in ratings.categories] == options["categories"]
    estimate = FUNCTIONS[record["statistic"]](ratings, weights=options["weights"])
    assert same(estimate.value, number(record, "value"), FROM_R)
    if estimate.method == "Wilson score interval":
        return  # two raters without weights: a proportion, where irrCAC uses t
    assert same(estimate.standard_error, number(record, "se"), FROM_R_ERROR)
    assert same(estimate.low, max(number(record, "lower"), -1), 3 * FROM_R_ERROR)
    assert same(estimate.high, number(record, "upper"), 3 * FROM_R_ERROR)


def test_undeclared_categories_are_those_observed():
    """irrCAC finds four of six levels; so do we when none are declared, and both say so."""
    records = [
        record
        for record in raw_records()
        if record["table"] == "made_unused_levels_wide"
        and record["options"]["weights"] == "unweighted"
        and "categories" not in record["options"]
    ]
    declared = load("made_unused_levels_wide")
    undeclared = Ratings.from_table(declared.frame(), "nominal")
    assert len(records) == 3
    for record in records:
        estimate = FUNCTIONS[record["statistic"]](undeclared)
        assert same(estimate.value, number(record, "value"), FROM_R)
    result = gwet_ac(undeclared)
    assert (result.n_categories, result.categories_declared) == (4, False)
    assert gwet_ac(declared).estimate.value != result.estimate.value


def table_records():
    made = [
        record
        for function in ("gwet.ac1.table", "bp2.table", "scott2.table", "pa2.table")
        for record in chosen("r_gwet.json", "irrCAC", function)
    ]
    return [record for record in made if record["options"]["weights"] in SCHEMES]


@pytest.mark.parametrize("record", table_records(), ids=label)
def test_irrcac_contingency(record):
    """irrCAC divides by n on contingency tables and by n - 1 on raw data; ours by n - 1."""
    ratings = load(record["table"], "ordinal")
    weights = record["options"]["weights"]
    estimate = FUNCTIONS[record["statistic"]](ratings, weights=weights)
    assert same(estimate.value, number(record, "value"), FROM_R)
    if estimate.has_interval:
        n = estimate.n_items
        by_n = math.sqrt((n - 1) / n)
        if estimate.method == "Wilson score interval":
            by_n = 1.0
        assert same(estimate.standard_error * by_n, number(record, "se"), FROM_R)


@pytest.mark.parametrize(
    "record",
    [
        record
        for function in ("gwet.ac1.dist", "bp.coeff.dist", "pa.coeff.dist")
        for record in chosen("r_fleiss.json", "irrCAC", function)
        if record["options"]["weights"] in SCHEMES
    ],
    ids=label,
)
def test_irrcac_counts(record):
    ratings = load(record["table"], "ordinal")
    estimate = FUNCTIONS[record["statistic"]](ratings, weights=record["options"]["weights"])
    assert same(estimate.value, number(record, "value"), FROM_R)
    assert same(estimate.standard_error, number(record, "se"), FROM_R_ERROR)


def ordinal_weights(q):
    """irrCAC's own ordinal weights: pairs of levels between two, of all pairs."""
    apart = np.abs(np.subtract.outer(np.arange(q), np.arange(q)))
    return 1 - (apart + 1) * apart / (q * (q - 1))


@pytest.mark.parametrize(
    "record",
    [
        record
        for function in ("gwet.ac1.raw", "bp.coeff.raw", "pa.coeff.raw")
        for record in chosen("r_gwet.json", "irrCAC", function, weights="ordinal")
        if "categories" in record["options"]
    ],
    ids=label,
)
def test_caller_weights(record):
    ratings = load(record["table"], "ordinal")
    estimate = FUNCTIONS[record["statistic"]](
        ratings, weights=ordinal_weights(ratings.n_categories)
    )
    assert same(estimate.value, number(record, "value"), FROM_R)
    assert same(estimate.standard_error, number(record, "se"), FROM_R_ERROR)


@pytest.mark.parametrize(
    "record",
    [
        record
        for statistic in ("Gwet AC", "Brennan-Prediger", "percent agreement")
        for record in chosen("r_fleiss.json", "base", "arithmetic", statistic)
        if record["options"]["weights"] in SCHEMES
    ],
    ids=label,
)
def test_ratio_variance(record):
    ratings = load(record["table"], "ordinal")
    weights = record["options"]["weights"]
    estimate = FUNCTIONS[record["statistic"]](ratings, weights=weights, variance="ratio")
    assert same(estimate.value, number(record, "value"), FROM_R)
    if estimate.method != "Wilson score interval":
        assert same(estimate.standard_error, number(record, "se"), FROM_R)


# ---- definitions -------------------------------------------------------------------------

BY_DEFINITION = {"Gwet AC": gwet, "Brennan-Prediger": brennan}


@given(tables(), st.sampled_from(SCHEMES), st.sampled_from(sorted(BY_DEFINITION)))
def test_definition(drawn, scheme, statistic):
    q, rows = drawn
    expected = BY_DEFINITION[statistic](rows, distance_matrix(q, scheme))
    assert same(FUNCTIONS[statistic](as_table(rows, q), weights=scheme).value, expected)


@settings(max_examples=30)
@given(tables(), st.sampled_from(SCHEMES), st.sampled_from(sorted(BY_DEFINITION)))
def test_error_is_the_delta_method(drawn, scheme, statistic):
    q, rows = drawn
    d = distance_matrix(q, scheme)
    n = len(rows)
    if n < 2:
        return
    slopes = item_derivatives(lambda w: BY_DEFINITION[statistic](rows, d, w), n)
    error = math.sqrt((slopes**2).sum() * n / (n - 1))
    ratings = as_table(rows, q)
    made = FUNCTIONS[statistic](ratings, weights=scheme, variance="ratio")
    assert made.standard_error == pytest.approx(error, abs=NUMERIC)
    if no_singles(rows):
        made = FUNCTIONS[statistic](ratings, weights=scheme)
        assert made.standard_error == pytest.approx(error, abs=NUMERIC)


@given(tables(missing=False))
def test_ac1_on_complete_data_in_one_line(drawn):
    """(Pa - Pe) / (1 - Pe), Pe = sum p (1 - p) / (q - 1)."""
    q, rows = drawn
    p = np.bincount(np.array(rows).ravel(), minlength=q) / np.array(rows).size
    chance = (p * (1 - p)).sum() / (q - 1)
    result = gwet_ac(as_table(rows, q))
    assert result.expected == pytest.approx(chance, abs=EXACT)
    assert same(result.estimate.value, (result.observed - chance) / (1 - chance))


# ---- properties --------------------------------------------------------------------------


@given(tables(), st.sampled_from(sorted(BY_DEFINITION)), st.randoms(use_true_random=False))
def test_order_and_names_change_nothing(drawn, statistic, random):
    q, rows = drawn
    new = list(range(q))
    random.shuffle(new)
    other = [[None if v is None else new[v] for v in reversed(row)] for row in rows]
    one = FUNCTIONS[statistic](as_table(rows, q, "nominal"))
    two = FUNCTIONS[statistic](as_table(other, q, "nominal"))
    assert same(one.value, two.value)
    assert same(one.standard_error, two.standard_error, 1e-9)


@given(tables(), st.sampled_from(sorted(BY_DEFINITION)))
def test_duplicating_the_items_leaves_the_point(drawn, statistic):
    q, rows = drawn
    one, two = (FUNCTIONS[statistic](as_table(some, q)) for some in (rows, rows + rows))
    assert same(one.value, two.value)


@given(tables(), st.sampled_from(SCHEMES), st.sampled_from(sorted(BY_DEFINITION)))
def test_bounds(drawn, scheme, statistic):
    q, rows = drawn
    estimate = FUNCTIONS[statistic](as_table(rows, q), weights=scheme)
    # The worst case: every pair of ratings at opposite ends, where chance does better.
    worst = 1 - 1 / np.mean(distance_matrix(q, scheme))
    assert worst - EXACT <= estimate.value <= 1
    if estimate.has_interval:
        assert min(-1, worst) - EXACT <= estimate.low <= estimate.value <= estimate.high <= 1


def test_with_weights_the_scale_goes_below_minus_one():
    """Two raters at opposite ends of four levels: 1 - 1 / mean weight = -1.4."""
    ratings = as_table([[0, 3], [3, 0], [0, 3]], 4)
    result = brennan_prediger(ratings, weights="linear")
    assert result.estimate.value == pytest.approx(-1.4, abs=EXACT)
    assert not any("below -1" in note for note in result.estimate.warnings)
    assert gwet_ac(ratings).estimate.low >= -1


@given(tables())
def test_an_unused_level_counts(drawn):
    q, rows = drawn
    one, two = (brennan_prediger(as_table(rows, k)) for k in (q, q + 1))
    assert two.expected == pytest.approx(1 / (q + 1), abs=EXACT)
    assert one.estimate.value <= two.estimate.value + EXACT


@given(tables(missing=False))
def test_brennan_prediger_of_two_raters_stands_beside_kappa(drawn):
    q, rows = drawn
    rows = [row[:2] for row in rows]
    assert same(
        brennan_prediger(as_table(rows, q)).estimate.value, cohen_kappa(as_table(rows, q)).pabak
    )


# ---- awkward data ------------------------------------------------------------------------


def test_one_declared_scale_and_one_used_category():
    """AC1 and Brennan-Prediger have a value where kappa has none: perfect agreement."""
    ratings = Ratings.from_table([[0, 0, 0]] * 5, "nominal", categories=[0, 1])
    for result in (gwet_ac(ratings), brennan_prediger(ratings)):
        assert result.estimate.value == 1.0
        assert any("standard error is 0" in note for note in result.estimate.warnings)


def test_one_category_and_no_declared_scale():
    ratings = Ratings.from_table([[0, 0, 0]] * 5, "nominal")
    for result in (gwet_ac(ratings), brennan_prediger(ratings)):
        assert math.isnan(result.estimate.value)
        assert "none declared" in result.estimate.reason
        assert not result.categories_declared
        assert result.observed == 1.0


def test_disagreement_weights_of_any_scale():
    ratings = load("krippendorff_2011")
    apart = np.abs(np.subtract.outer(np.arange(5), np.arange(5)))
    custom = custom_weights(10 * apart, given="disagreement")
    one, two = gwet_ac(ratings, weights=custom), gwet_ac(ratings, weights="linear")
    assert same(one.estimate.value, two.estimate.value)
    assert one.estimate.name == "Gwet AC2 (custom)"


def test_continuous_scores_are_refused():
    scores = Ratings.from_table([[1.5, 2.0], [2.5, 2.7]], "continuous")
    for function in (gwet_ac, brennan_prediger):
        with pytest.raises(ParameterError, match=r"ICC\(2,1\)"):
            function(scores)


@settings(max_examples=60)
@given(tables())
def test_no_numpy_warning(drawn):
    q, rows = drawn
    with np.errstate(all="raise"), warnings.catch_warnings():
        warnings.simplefilter("error")
        gwet_ac(as_table(rows, q), weights="quadratic")
        brennan_prediger(as_table(rows, q))
