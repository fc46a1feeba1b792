"""Percent agreement, Fleiss, Conger, Light: published numbers, R, definitions, awkward data."""

from __future__ import annotations

import itertools
import math
import warnings

import numpy as np
import pandas as pd
import pytest
from agreement_by_definition import (
    conger,
    distance_matrix,
    fleiss,
    item_derivatives,
    light,
)
from agreement_by_definition import (
    percent_agreement as percent_by_definition,
)
from agreement_reference import chosen, label, load, number
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import aggregate_raters
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss
from statsmodels.stats.proportion import proportion_confint

from benchbook.agreement import (
    cohen_kappa,
    conger_kappa,
    fleiss_kappa,
    mean_pairwise_kappa,
    pairwise_kappa,
    percent_agreement,
)
from benchbook.agreement.many_raters import complete_items
from benchbook.errors import ParameterError
from benchbook.ratings import Ratings

EXACT = 1e-12  # the same arithmetic in another order, on numbers of size 1
FROM_R = 1e-9  # R wrote 15 digits
FROM_R_ERROR = 1e-8  # irrCAC's errors were recovered from a rounded, inflated variance
NUMERIC = 1e-6  # derivatives by central differences

SCHEMES = ("unweighted", "linear", "quadratic")


def as_table(rows, q, kind="ordinal", **options):
    frame = pd.DataFrame([[np.nan if v is None else v for v in row] for row in rows])
    return Ratings.from_table(frame, kind, categories=list(range(q)), **options)


@st.composite
def tables(draw, missing=True, most=8, fewest_raters=2):
    """A scale and rows of ratings; one row at least can be compared, every rater rated."""
    q, r = draw(st.integers(2, 4)), draw(st.integers(fewest_raters, 4))
    code = st.integers(0, q - 1)
    cell = st.one_of(st.none(), code, code) if missing else code
    rows = draw(st.lists(st.lists(cell, min_size=r, max_size=r), min_size=2, max_size=most))
    rows = [row for row in rows if any(v is not None for v in row)]
    rows.append(draw(st.lists(code, min_size=r, max_size=r)))
    return q, rows


def varied(rows):
    return len({v for row in rows for v in row if v is not None}) > 1


def no_singles(rows):
    return all(sum(v is not None for v in row) >= 2 for row in rows)


def same(one, other, tolerance=EXACT):
    return one == pytest.approx(other, abs=tolerance, rel=tolerance, nan_ok=True)


# ---- published numbers -------------------------------------------------------------------


@pytest.fixture(scope="module")
def psychiatrists():
    return fleiss_kappa(load("fleiss_1971"))


def test_fleiss_1971(psychiatrists):
    assert round(psychiatrists.estimate.value, 3) == 0.430
    assert psychiatrists.observed == pytest.approx(0.5556, abs=5e-5)


def test_fleiss_1971_categories(psychiatrists):
    """The paper's own table of kappas for the five diagnoses."""
    values = psychiatrists.by_category["value"].round(3).tolist()
    assert values == [0.245, 0.245, 0.520, 0.471, 0.566]
    assert psychiatrists.by_category["n_ratings"].tolist() == [26, 26, 30, 55, 43]


def test_fleiss_interval_is_general_and_twice_the_null_one(psychiatrists):
    estimate = psychiatrists.estimate
    assert (round(estimate.low, 2), round(estimate.high, 2)) == (0.32, 0.54)
    assert "29 degrees of freedom" in estimate.method
    assert estimate.standard_error > 2 * psychiatrists.standard_error_null
    assert psychiatrists.standard_error_null == pytest.approx(0.02437, abs=5e-6)
    assert psychiatrists.convention == "gwet"


def test_unequal_counts_and_their_two_conventions():
    """The example of a long-standing question about unequal numbers of ratings."""
    ratings = Ratings.from_counts([[1, 1], [1, 2]])
    assert fleiss_kappa(ratings).estimate.value == pytest.approx(-0.7143, abs=5e-5)
    pooled = fleiss_kappa(ratings, convention="pooled")
    assert pooled.estimate.value == pytest.approx(-0.7361, abs=5e-5)
    assert pooled.convention == "pooled"
    assert any("2 to 3 ratings" in note for note in pooled.estimate.warnings)


def test_total_disagreement_is_not_a_bug():
    """Counts [[1,1,1],[1,1,1]] mean that three raters never agreed: -0.5."""
    assert fleiss_kappa(Ratings.from_counts([[1, 1, 1], [1, 1, 1]])).estimate.value == -0.5


# irrCAC's published vignette, its data "raw4raters": value, standard error, interval.
VIGNETTE = {
    fleiss_kappa: (0.76117, 0.15302, 0.424),
    conger_kappa: (0.76282, 0.14917, 0.435),
}


@pytest.mark.parametrize("function", VIGNETTE)
def test_published_vignette(function):
    value, error, low = VIGNETTE[function]
    estimate = function(load("krippendorff_2011")).estimate
    assert estimate.value == pytest.approx(value, abs=5e-6)
    assert estimate.standard_error == pytest.approx(error, abs=5e-6)
    assert (round(estimate.low, 3), estimate.high) == (low, 1.0)


# ---- R -----------------------------------------------------------------------------------


def of_record(record):
    options = record.get("options") or {}
    ratings = load(record["table"], "ordinal")
    return complete_items(ratings) if options.get("missing") == "listwise" else ratings


def scheme_of(record):
    return (record.get("options") or {}).get("weights", "unweighted")


@pytest.mark.parametrize(
    "record", chosen("r_fleiss.json", "irr", "kappam.fleiss", "Fleiss kappa"), ids=label
)
def test_irr_fleiss(record):
    result = fleiss_kappa(of_record(record))
    assert same(result.estimate.value, number(record, "value"), FROM_R)
    assert same(result.standard_error_null, number(record, "se_h0"), FROM_R)
    assert same(result.z, number(record, "z_h0"), FROM_R)
    assert same(result.p_value, number(record, "p_h0"), FROM_R)


@pytest.mark.parametrize(
    "record",
    chosen("r_fleiss.json", "irr", "kappam.fleiss", "Fleiss kappa, one category"),
    ids=label,
)
def test_irr_fleiss_by_category(record):
    result = fleiss_kappa(of_record(record)).by_category
    row = result[result["category"].astype(str) == record["options"]["category"]].iloc[0]
    assert same(row["value"], number(record, "value"), FROM_R)
    if math.isnan(row["value"]):
        assert row["reason"]
        return
    assert same(row["standard_error_null"], number(record, "se_h0"), FROM_R)
    assert same(row["z"], number(record, "z_h0"), FROM_R)


FUNCTIONS = {
    "Fleiss kappa": fleiss_kappa,
    "Conger kappa": conger_kappa,
    "Scott pi": fleiss_kappa,
}


@pytest.mark.parametrize(
    "record",
    [
        record
        for record in [
            *chosen("r_fleiss.json", "irrCAC", statistic="Fleiss kappa"),
            *chosen("r_fleiss.json", "irrCAC", statistic="Conger kappa"),
        ]
        if scheme_of(record) in SCHEMES
        # An item nobody rated makes irrCAC give NaN; ours is dropped and counted.
        and "unrated_items" not in record.get("options", {})
    ],
    ids=label,
)
def test_irrcac(record):
    function = FUNCTIONS[record["statistic"]]
    estimate = function(of_record(record), weights=scheme_of(record)).estimate
    assert same(estimate.value, number(record, "value"), FROM_R)
    assert same(estimate.standard_error, number(record, "se"), FROM_R_ERROR)
    assert same(estimate.low, max(number(record, "lower"), -1), 3 * FROM_R_ERROR)
    assert same(estimate.high, number(record, "upper"), 3 * FROM_R_ERROR)


@pytest.mark.parametrize(
    "record",
    [
        record
        for record in chosen("r_fleiss.json", "base", "arithmetic", "Fleiss kappa")
        if scheme_of(record) in SCHEMES
    ],
    ids=label,
)
def test_ratio_variance(record):
    """R arithmetic with observed agreement as a ratio of two means over items."""
    estimate = fleiss_kappa(of_record(record), weights=scheme_of(record), variance="ratio").estimate
    assert same(estimate.value, number(record, "value"), FROM_R)
    assert same(estimate.standard_error, number(record, "se"), FROM_R)
    assert "ratio" in estimate.method


@pytest.mark.parametrize(
    "record",
    [
        *chosen("r_fleiss.json", "irr", "kappam.light"),
        *chosen("r_fleiss.json", "irr", "kappam.fleiss", "Conger kappa"),
        *chosen("r_fleiss.json", "DescTools", "KappaM"),
    ],
    ids=label,
)
def test_other_multi_rater_kappas(record):
    ratings = of_record(record)
    functions = {
        "Light kappa": mean_pairwise_kappa,
        "Conger kappa": lambda r: conger_kappa(r).estimate,
        "Fleiss kappa": lambda r: fleiss_kappa(r).estimate,
    }
    estimate = functions[record["statistic"]](ratings)
    if record["table"] == "gwet_five_observers" and record["statistic"] == "Light kappa":
        # One item is left; a pair agreeing on it has no kappa, a pair disagreeing has 0.
        assert estimate.warnings
        return
    assert same(estimate.value, number(record, "value"), FROM_R)
    if "lower" in record and ratings.n_items > 2 and estimate.defined:
        # DescTools builds the interval from the error under kappa = 0.
        null = fleiss_kappa(ratings).standard_error_null
        half = 1.959963984540054 * null
        assert number(record, "upper") == pytest.approx(estimate.value + half, abs=FROM_R)


# ---- other Python packages ---------------------------------------------------------------


@given(tables(missing=False))
def test_statsmodels(drawn):
    q, rows = drawn
    counts, _ = aggregate_raters(np.array(rows), n_cat=q)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = statsmodels_fleiss(counts)
        uniform = statsmodels_fleiss(counts, method="randolph")
    result = fleiss_kappa(as_table(rows, q))
    # statsmodels divides by 1 - Pe, which rounding leaves near 0 for a single category.
    if varied(rows):
        assert result.estimate.value == pytest.approx(theirs, abs=1e-11)
    else:
        assert math.isnan(result.estimate.value)
    assert uniform == pytest.approx((q * result.observed - 1) / (q - 1), abs=EXACT)


def test_statsmodels_refuses_unequal_counts():
    with pytest.raises(AssertionError):
        statsmodels_fleiss(np.array([[1, 1], [1, 2]]))


@given(st.integers(1, 60), st.integers(0, 60))
def test_two_raters_percent_agreement_is_wilson(n, agreeing):
    agreeing = min(agreeing, n)
    ratings = Ratings.from_pair([0] * n, [0] * agreeing + [1] * (n - agreeing), "nominal")
    estimate = percent_agreement(ratings)
    low, high = proportion_confint(agreeing, n, method="wilson")
    assert estimate.value == agreeing / n
    assert estimate.low == pytest.approx(low, abs=EXACT)
    assert estimate.high == pytest.approx(high, abs=EXACT)
    assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
    assert estimate.method == "Wilson score interval"


# ---- definitions -------------------------------------------------------------------------


@given(tables(), st.sampled_from(SCHEMES), st.booleans())
def test_definition(drawn, scheme, pooled):
    q, rows = drawn
    d = distance_matrix(q, scheme)
    ratings = as_table(rows, q)
    assert same(percent_agreement(ratings, weights=scheme).value, percent_by_definition(rows, d))
    if not varied(rows):
        assert math.isnan(fleiss_kappa(ratings).estimate.value)
        return
    convention = "pooled" if pooled else "gwet"
    value = fleiss_kappa(ratings, weights=scheme, convention=convention).estimate.value
    assert value == pytest.approx(fleiss(rows, d, pooled=pooled), rel=1e-11, abs=EXACT)


@given(tables().filter(lambda drawn: varied(drawn[1])), st.sampled_from(SCHEMES))
def test_definition_of_conger_and_light(drawn, scheme):
    q, rows = drawn
    d = distance_matrix(q, scheme)
    ratings = as_table(rows, q)
    try:
        expected = conger(rows, d)
    except ZeroDivisionError:
        expected = math.nan
    assert same(conger_kappa(ratings, weights=scheme).estimate.value, expected, 1e-11)
    assert same(mean_pairwise_kappa(ratings, weights=scheme).value, light(rows, d))


def error_by_derivatives(statistic, rows, correction=True):
    n = len(rows)
    slopes = item_derivatives(statistic, n)
    return math.sqrt((slopes**2).sum() * (n / (n - 1) if correction else 1))


@settings(max_examples=30)
@given(
    tables().filter(lambda drawn: varied(drawn[1]) and len(drawn[1]) > 1),
    st.sampled_from(SCHEMES),
    st.booleans(),
)
def test_fleiss_error_is_the_delta_method(drawn, scheme, pooled):
    q, rows = drawn
    d = distance_matrix(q, scheme)
    error = error_by_derivatives(lambda w: fleiss(rows, d, w, pooled), rows)
    convention = "pooled" if pooled else "gwet"
    made = fleiss_kappa(as_table(rows, q), weights=scheme, convention=convention, variance="ratio")
    assert made.estimate.standard_error == pytest.approx(error, abs=NUMERIC, rel=1e-5)
    if no_singles(rows):
        # Gwet's linearisation is the same wherever every item can be compared.
        gwet = fleiss_kappa(as_table(rows, q), weights=scheme, convention=convention)
        assert gwet.estimate.standard_error == pytest.approx(error, abs=NUMERIC, rel=1e-5)


@settings(max_examples=30)
@given(tables().filter(lambda drawn: varied(drawn[1])), st.sampled_from(SCHEMES))
def test_conger_error_is_the_delta_method(drawn, scheme):
    q, rows = drawn
    d = distance_matrix(q, scheme)
    made = conger_kappa(as_table(rows, q), weights=scheme, variance="ratio").estimate
    if made.defined and made.has_interval:
        error = error_by_derivatives(lambda w: conger(rows, d, w), rows)
        assert made.standard_error == pytest.approx(error, abs=NUMERIC, rel=1e-5)


@settings(max_examples=30)
@given(tables(fewest_raters=3), st.sampled_from(SCHEMES))
def test_light_error_is_the_delta_method(drawn, scheme):
    q, rows = drawn
    d = distance_matrix(q, scheme)
    made = mean_pairwise_kappa(as_table(rows, q), weights=scheme)
    if made.has_interval:
        error = error_by_derivatives(lambda w: light(rows, d, w), rows, correction=False)
        assert made.standard_error == pytest.approx(error, abs=NUMERIC)


@given(tables())
def test_category_kappas_are_those_of_a_category_against_the_rest(drawn):
    q, rows = drawn
    table = fleiss_kappa(as_table(rows, q)).by_category
    assert table["category"].tolist() == list(range(q))
    for place, row in table.iterrows():
        two = [[None if v is None else int(v != place) for v in line] for line in rows]
        if varied(two):
            expected = fleiss_kappa(as_table(two, 2, "nominal"))
            assert same(row["value"], expected.estimate.value)
            assert same(row["standard_error"], expected.estimate.standard_error)
            assert same(row["standard_error_null"], expected.standard_error_null)
        else:
            assert row["reason"] in ("nobody used this category", "every rating is this category")


@pytest.mark.parametrize("convention", ["gwet", "pooled"])
@pytest.mark.parametrize("scheme", ["unweighted", "quadratic"])
def test_null_error_by_simulation_with_unequal_counts(convention, scheme):
    """Raters who draw from the margins: the spread of kappa is the null error."""
    generator = np.random.default_rng(5)
    sizes = np.repeat([1, 2, 3, 6], [60, 80, 60, 40])
    p = np.array([0.6, 0.3, 0.1])
    d = np.array(distance_matrix(3, scheme))
    counts = np.stack([generator.multinomial(m, p, size=3000) for m in sizes], axis=1).astype(float)
    within = ((counts @ d) * counts).sum(axis=2) / np.maximum(sizes * (sizes - 1), 1)
    observed = within.sum(axis=1) / (sizes > 1).sum()
    shares = (counts / sizes[:, None]).mean(axis=1)
    if convention == "pooled":
        shares = counts.sum(axis=1) / sizes.sum()
    kappas = 1 - observed / ((shares @ d) * shares).sum(axis=1)
    errors = [
        fleiss_kappa(
            Ratings.from_counts(table.astype(int), "ordinal"),
            weights=scheme,
            convention=convention,
        ).standard_error_null
        for table in counts[:100]
    ]
    # The standard deviation of 3,000 values has a relative error of 1.3 %: four of them.
    assert np.mean(errors) == pytest.approx(kappas.std(), rel=0.052)


def test_ratio_variance_is_the_right_one_when_many_items_have_one_rating():
    """Bootstrap over items: Gwet's variance is half as large again, the ratio one is right."""
    generator = np.random.default_rng(1)
    sizes = generator.choice([1, 2, 3], size=400, p=[0.5, 0.3, 0.2])
    truth = generator.integers(0, 3, size=400)
    counts = np.zeros((400, 3), dtype=int)
    for item, size in enumerate(sizes):
        for _ in range(size):
            right = generator.random() < 0.85
            counts[item, truth[item] if right else generator.integers(3)] += 1
    ratings = Ratings.from_counts(counts)
    gwet = fleiss_kappa(ratings).estimate
    ratio = fleiss_kappa(ratings, variance="ratio").estimate
    d = np.array(distance_matrix(3, "unweighted"))
    within = ((counts @ d) * counts).sum(axis=1) / np.maximum(sizes * (sizes - 1), 1)
    draws = generator.integers(0, 400, size=(2000, 400))
    shares = (counts / sizes[:, None])[draws].mean(axis=1)
    observed = within[draws].sum(axis=1) / (sizes > 1)[draws].sum(axis=1)
    spread = (1 - observed / ((shares @ d) * shares).sum(axis=1)).std()
    # Relative error of a standard deviation from 2,000 resamples: 1.6 %; linearisation adds some.
    assert ratio.standard_error == pytest.approx(spread, rel=0.06)
    assert gwet.standard_error > 1.3 * spread
    assert any("one rating" in note for note in gwet.warnings)
    assert not any("one rating" in note for note in ratio.warnings)


# ---- properties --------------------------------------------------------------------------


@given(tables(), st.randoms(use_true_random=False))
def test_order_and_names_change_nothing(drawn, random):
    q, rows = drawn
    new, order = list(range(q)), list(range(len(rows[0])))
    random.shuffle(new)
    random.shuffle(order)
    other = [[None if row[g] is None else new[row[g]] for g in order] for row in rows]
    random.shuffle(other)
    for function in (fleiss_kappa, conger_kappa):
        one = function(as_table(rows, q, "nominal")).estimate
        two = function(as_table(other, q, "nominal")).estimate
        assert same(one.value, two.value, 1e-11)
        assert same(one.standard_error, two.standard_error, 1e-9)


@given(tables())
def test_duplicating_the_items_leaves_the_point(drawn):
    q, rows = drawn
    for function in (fleiss_kappa, conger_kappa):
        one = function(as_table(rows, q)).estimate
        two = function(as_table(rows + rows, q)).estimate
        assert same(one.value, two.value, 1e-11)
    one, two = (percent_agreement(as_table(some, q)) for some in (rows, rows + rows))
    assert same(one.value, two.value)
    if one.has_interval:
        assert two.high - two.low <= one.high - one.low + EXACT


@given(tables(missing=False))
def test_two_raters_conger_is_cohen_and_fleiss_is_scott(drawn):
    q, rows = drawn
    rows = [row[:2] for row in rows]
    ratings = as_table(rows, q)
    cohen = cohen_kappa(ratings)
    assert same(conger_kappa(ratings).estimate.value, cohen.estimate.value, 1e-11)
    light_kappa = mean_pairwise_kappa(ratings)
    assert same(light_kappa.value, cohen.estimate.value)
    assert same(light_kappa.standard_error, cohen.standard_error)
    assert same(light_kappa.low, cohen.estimate.low)


@given(tables())
def test_bounds(drawn):
    q, rows = drawn
    for result in (fleiss_kappa(as_table(rows, q)), conger_kappa(as_table(rows, q))):
        estimate = result.estimate
        if estimate.defined:
            assert estimate.value <= 1
            assert 0 <= result.observed <= 1
        if estimate.has_interval:
            assert estimate.low <= estimate.value <= estimate.high <= 1
            assert estimate.low >= -1 or estimate.value < -1


@given(tables())
def test_an_unused_level_changes_nothing_without_weights(drawn):
    q, rows = drawn
    one, two = fleiss_kappa(as_table(rows, q)), fleiss_kappa(as_table(rows, q + 2))
    assert same(one.estimate.value, two.estimate.value)
    assert same(one.estimate.standard_error, two.estimate.standard_error)
    assert two.by_category["reason"].tolist()[-2:] == ["nobody used this category"] * 2
    assert two.n_categories == q + 2


# ---- pairs -------------------------------------------------------------------------------


def test_pairwise_kappa_is_tidy():
    ratings = Ratings.from_table(
        pd.DataFrame(
            {
                "ann": ["a", "b", "a", "b", None],
                "bob": ["a", "b", "b", "b", "a"],
                "cat": ["a", None, None, None, "a"],
                "dan": [None, "b", "a", "a", None],
            }
        ),
        "nominal",
    )
    table = pairwise_kappa(ratings)
    assert list(zip(table["rater_a"], table["rater_b"], strict=True)) == list(
        itertools.combinations(["ann", "bob", "cat", "dan"], 2)
    )
    row = table.set_index(["rater_a", "rater_b"]).loc[("ann", "bob")]
    expected = cohen_kappa(["a", "b", "a", "b"], ["a", "b", "b", "b"])
    assert row["kappa"] == expected.estimate.value
    assert row["n"] == 4
    apart = table.set_index(["rater_a", "rater_b"]).loc[("cat", "dan")]
    assert apart["n"] == 0
    assert math.isnan(apart["kappa"])
    assert apart["reason"] == "no item was rated by both raters"


def test_mean_pairwise_names_the_pairs_left_out():
    ratings = Ratings.from_table(
        pd.DataFrame({"ann": [0, 0, 0, 0], "bob": [0, 0, 0, 0], "cat": [0, 1, 1, 0]}),
        "nominal",
        categories=[0, 1],
    )
    estimate = mean_pairwise_kappa(ratings)
    assert estimate.value == 0.0
    assert not estimate.has_interval
    assert estimate.warnings == ("no kappa for ann and bob; left out of the mean",)


def test_mean_pairwise_without_any_pair():
    ratings = Ratings.from_table([[0, 0, 0], [0, 0, 0]], "nominal", categories=[0, 1])
    estimate = mean_pairwise_kappa(ratings)
    assert estimate.reason == "no pair of raters has a kappa"


def test_mean_over_chosen_pairs():
    ratings = load("fleiss_1971")
    first = ratings.raters[0]
    pairs = [(first, other) for other in ratings.raters[1:]]
    table = pairwise_kappa(ratings)
    expected = table[table["rater_a"] == first]["kappa"].mean()
    assert mean_pairwise_kappa(ratings, pairs=pairs).value == pytest.approx(expected, abs=EXACT)
    with pytest.raises(ParameterError, match="unknown rater"):
        mean_pairwise_kappa(ratings, pairs=[(first, "nobody")])
    with pytest.raises(ParameterError, match="himself"):
        mean_pairwise_kappa(ratings, pairs=[(first, first)])
    with pytest.raises(ParameterError, match="no pair"):
        mean_pairwise_kappa(ratings, pairs=[])


# ---- awkward data ------------------------------------------------------------------------


def test_one_category_is_undefined():
    ratings = Ratings.from_table([[0, 0, 0]] * 5, "nominal", categories=[0, 1])
    for function in (fleiss_kappa, conger_kappa):
        result = function(ratings)
        assert math.isnan(result.estimate.value)
        assert result.estimate.reason == "every rating is the same category: chance agreement is 1"
        assert result.observed == 1.0
    assert percent_agreement(ratings).value == 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert math.isnan(statsmodels_fleiss(np.array([[3, 0]] * 5)))


def test_items_with_one_rating_add_to_the_margins_only():
    rows = [[0, 0, 1], [1, 1, 0], [2, 2, 2], [0, 1, 2]]
    extra = [*rows, [0, None, None], [0, None, None]]
    one, two = fleiss_kappa(as_table(rows, 3)), fleiss_kappa(as_table(extra, 3))
    assert two.n_single == 2
    assert two.observed == pytest.approx(one.observed, abs=EXACT)
    assert two.expected > one.expected
    assert percent_agreement(as_table(extra, 3)).value == pytest.approx(one.observed, abs=EXACT)


def test_single_ratings_can_push_fleiss_kappa_below_minus_one():
    rows = [[0, 1, None], *[[0, None, None]] * 20, [None, 1, 0]]
    estimate = fleiss_kappa(as_table(rows, 2)).estimate
    assert estimate.value < -1
    assert estimate.low < estimate.value
    assert any("below -1" in note for note in estimate.warnings)


def test_listwise_only_on_request():
    ratings = load("krippendorff_2011")
    used, complete = fleiss_kappa(ratings), fleiss_kappa(ratings, listwise=True)
    assert used.n_excluded == 0
    assert complete.n_excluded == 4
    assert complete.estimate.n_items == ratings.n_items - 4
    assert complete.estimate.value != used.estimate.value
    with pytest.raises(ParameterError, match="leaves no item"):
        fleiss_kappa([[1, 1, None], [None, 2, 2]], listwise=True)


def test_one_item():
    result = fleiss_kappa(Ratings.from_counts([[2, 1]]))
    assert result.estimate.value == pytest.approx(-0.5, abs=EXACT)
    assert result.estimate.reason == "one item has no variance"


def test_rater_left_without_any_partner():
    ratings = Ratings.from_table(
        [["a", "b", None], ["b", "b", None], ["a", "a", None], [None, None, "a"]], "nominal"
    ).select(["1", "2"])
    result = fleiss_kappa(ratings)
    assert result.estimate.reason == "no item was rated by two raters"
    assert math.isnan(percent_agreement(ratings).value)


def test_clusters_bring_a_warning():
    ratings = as_table([[0, 0], [1, 1], [0, 1], [1, 1]], 2, clusters=["p", "p", "q", "q"])
    for estimate in (fleiss_kappa(ratings).estimate, cohen_kappa(ratings).estimate):
        assert any("resample clusters" in note for note in estimate.warnings)


def test_unknown_words_are_told():
    ratings = load("fleiss_1971")
    with pytest.raises(ParameterError, match="did you mean 'pooled'"):
        fleiss_kappa(ratings, convention="poold")
    with pytest.raises(ParameterError, match="did you mean 'ratio'"):
        fleiss_kappa(ratings, variance="ratios")


def test_counts_have_no_raters_to_compare():
    counts = Ratings.from_counts([[2, 1], [0, 3]])
    for function in (conger_kappa, mean_pairwise_kappa, pairwise_kappa):
        with pytest.raises(ParameterError, match="counts per category"):
            function(counts)


def test_continuous_scores_are_refused():
    scores = Ratings.from_table([[1.5, 2.0], [2.5, 2.7]], "continuous")
    for function in (fleiss_kappa, conger_kappa, percent_agreement, pairwise_kappa):
        with pytest.raises(ParameterError, match=r"ICC\(2,1\)"):
            function(scores)


def test_counts_and_raters_give_the_same():
    ratings = load("fleiss_1971")
    counts = Ratings.from_counts(ratings.counts().astype(int))
    one, two = fleiss_kappa(ratings), fleiss_kappa(counts)
    assert one.estimate.value == two.estimate.value
    assert one.estimate.standard_error == two.estimate.standard_error
    assert percent_agreement(ratings).value == percent_agreement(counts).value


@settings(max_examples=60)
@given(tables())
def test_no_numpy_warning(drawn):
    q, rows = drawn
    with np.errstate(all="raise"), warnings.catch_warnings():
        warnings.simplefilter("error")
        ratings = as_table(rows, q)
        fleiss_kappa(ratings, weights="linear")
        conger_kappa(ratings)
        mean_pairwise_kappa(ratings)
        pairwise_kappa(ratings)
        percent_agreement(ratings)
