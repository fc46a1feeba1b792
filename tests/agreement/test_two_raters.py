"""Cohen's kappa: published numbers, R, other packages, definitions, awkward data."""

from __future__ import annotations

import itertools
import math
import warnings

import numpy as np
import pandas as pd
import pytest
from agreement_by_definition import cohen, distance_matrix, item_derivatives
from agreement_reference import chosen, label, load, number
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa

from benchbook.agreement import (
    cohen_kappa,
    contingency_table,
    custom_weights,
    kappa_statistic,
)
from benchbook.errors import DataError, ParameterError
from benchbook.ratings import Ratings

EXACT = 1e-12  # the same arithmetic in another order, on numbers of size 1
FROM_R = 1e-9  # R wrote 15 digits; its own rounding is a few units of 1e-15
NUMERIC = 1e-6  # derivatives by central differences

PATHOLOGY = [[40, 10], [5, 45]]


def of_table(table, kind="nominal", **options):
    return cohen_kappa(Ratings.from_contingency(table, kind), **options)


def as_ratings_of(pairs, q, kind="ordinal"):
    table = pd.DataFrame(pairs, columns=["first", "second"])
    return Ratings.from_table(table, kind, categories=list(range(q)))


@st.composite
def pairs_of_ratings(draw, most=12):
    """A scale and the pairs of two raters, both with at least two categories in use."""
    q = draw(st.integers(2, 4))
    code = st.integers(0, q - 1)
    pairs = draw(st.lists(st.tuples(code, code), min_size=3, max_size=most))
    return q, pairs


def varied(pairs):
    return all(len(set(column)) > 1 for column in zip(*pairs, strict=True))


SCHEMES = ("unweighted", "linear", "quadratic")


# ---- published numbers -------------------------------------------------------------------


def test_worked_example():
    result = of_table(PATHOLOGY)
    assert result.observed == pytest.approx(0.85, abs=EXACT)
    assert result.expected == pytest.approx(0.50, abs=EXACT)
    assert result.estimate.value == pytest.approx(0.70, abs=EXACT)
    assert result.prevalence_index == pytest.approx(0.05, abs=EXACT)
    assert result.bias_index == pytest.approx(0.05, abs=EXACT)
    assert (result.pabak_name, result.pabak) == ("PABAK", pytest.approx(0.70, abs=EXACT))
    assert result.maximum == pytest.approx(0.90, abs=EXACT)
    assert result.n_excluded == 0
    assert result.table.to_numpy().tolist() == PATHOLOGY
    assert str(result.estimate) == "0.700 (0.561–0.839)"
    assert "Fleiss-Cohen-Everitt" in result.estimate.method
    assert "normal" in result.estimate.method


def test_general_and_null_error_are_not_interchanged():
    result = of_table(PATHOLOGY)
    half = (result.estimate.high - result.estimate.low) / 2
    assert half == pytest.approx(1.959963984540054 * result.standard_error, abs=EXACT)
    assert result.standard_error == pytest.approx(0.0710563156939619, abs=EXACT)
    assert result.standard_error_null == pytest.approx(0.0994987437106620, abs=EXACT)
    assert result.z == pytest.approx(0.7 / 0.0994987437106620, abs=1e-11)


def test_level_changes_the_interval_and_nothing_else():
    narrow, wide = of_table(PATHOLOGY, level=0.5), of_table(PATHOLOGY, level=0.99)
    assert narrow.estimate.value == wide.estimate.value
    assert narrow.p_value == wide.p_value
    assert wide.estimate.low < narrow.estimate.low < narrow.estimate.high < wide.estimate.high
    half = (narrow.estimate.high - narrow.estimate.low) / 2
    assert half == pytest.approx(0.6744897501960817 * narrow.standard_error, abs=EXACT)


def test_feinstein_and_cicchetti_first_paradox():
    """High agreement, low kappa: Feinstein & Cicchetti 1990 print 0.85 with 0.70 and 0.32."""
    balanced, unbalanced = of_table([[40, 9], [6, 45]]), of_table([[80, 10], [5, 5]])
    assert balanced.observed == pytest.approx(unbalanced.observed, abs=EXACT)
    assert round(balanced.estimate.value, 2) == 0.70
    assert round(unbalanced.estimate.value, 2) == 0.32
    assert unbalanced.pabak == pytest.approx(balanced.pabak, abs=EXACT)
    assert unbalanced.prevalence_index == pytest.approx(0.75, abs=EXACT)


def test_ninety_nine_percent_agreement_with_kappa_near_zero():
    result = of_table([[98, 1], [1, 0]])
    assert result.observed == pytest.approx(0.98, abs=EXACT)
    assert -0.02 < result.estimate.value < 0
    nearly = of_table([[990, 5], [5, 0]])
    assert nearly.observed == pytest.approx(0.99, abs=EXACT)
    assert abs(nearly.estimate.value) < 0.01
    assert nearly.pabak == pytest.approx(0.98, abs=EXACT)


# ---- R -----------------------------------------------------------------------------------


def kappa_records(package, function=None):
    made = chosen("r_kappa.json", package, function, "Cohen kappa")
    schemes = [r for r in made if (r.get("options") or {}).get("weights") in SCHEMES]
    # epiR's interval uses the null error: only its point and null error are compared.
    return [r for r in schemes if r["table"] != "made_one_category"]


def ours(record):
    ratings = load(record["table"], "ordinal")
    return cohen_kappa(ratings, weights=record["options"]["weights"])


@pytest.mark.parametrize("record", kappa_records("vcd"), ids=label)
def test_vcd(record):
    result = ours(record)
    assert result.estimate.value == pytest.approx(number(record, "value"), abs=FROM_R)
    if record["table"] == "made_paradox_99":
        # One rater never varies: no information. (psych says 0 +- 0, which would be certainty.)
        assert math.isnan(number(record, "se"))
        assert math.isnan(result.standard_error)
        return
    assert result.standard_error == pytest.approx(number(record, "se"), abs=FROM_R)
    assert result.estimate.low == pytest.approx(max(number(record, "lower"), -1), abs=FROM_R)
    assert result.estimate.high == pytest.approx(min(number(record, "upper"), 1), abs=FROM_R)


@pytest.mark.parametrize("record", kappa_records("DescTools"), ids=label)
def test_desctools(record):
    result = ours(record)
    assert result.estimate.value == pytest.approx(number(record, "value"), abs=FROM_R)
    if record["table"] != "made_paradox_99":
        assert result.estimate.low == pytest.approx(max(number(record, "lower"), -1), abs=FROM_R)
        assert result.estimate.high == pytest.approx(min(number(record, "upper"), 1), abs=FROM_R)


# irr drops unused levels and sorts text by alphabet, so weighted kappa is another number there.
IRR_LOSES_THE_SCALE = {("made_unused_middle", "linear"), ("made_unused_middle", "quadratic")}


@pytest.mark.parametrize("record", kappa_records("irr", "kappa2"), ids=label)
def test_irr(record):
    result = ours(record)
    weights = record["options"]["weights"]
    by_text = record["table"] == "made_ordered_words" and "labels" in record["options"]
    if (record["table"], weights) in IRR_LOSES_THE_SCALE or (by_text and weights != "unweighted"):
        assert abs(result.estimate.value - number(record, "value")) > 0.01
        return
    assert result.estimate.value == pytest.approx(number(record, "value"), abs=FROM_R)
    error = number(record, "se_h0")
    if math.isnan(error):  # 0 / 0 in R, where one rater never varies
        assert result.standard_error_null == 0
        assert math.isnan(result.z)
        assert math.isnan(result.p_value)
        return
    assert result.standard_error_null == pytest.approx(error, abs=FROM_R)
    assert result.z == pytest.approx(number(record, "z_h0"), rel=FROM_R, abs=FROM_R)
    assert result.p_value == pytest.approx(number(record, "p_h0"), abs=FROM_R)


@pytest.mark.parametrize("record", kappa_records("irrCAC"), ids=label)
def test_irrcac(record):
    result = ours(record)
    assert result.estimate.value == pytest.approx(number(record, "value"), abs=FROM_R)
    if record["table"] != "made_paradox_99":
        assert result.standard_error == pytest.approx(number(record, "se"), abs=FROM_R)


@pytest.mark.parametrize("record", kappa_records("epiR"), ids=label)
def test_epir(record):
    result = ours(record)
    assert result.estimate.value == pytest.approx(number(record, "value"), abs=FROM_R)
    assert result.standard_error_null == pytest.approx(number(record, "se_h0"), abs=FROM_R)


INDICES = {
    "percent agreement": "observed",
    "PABAK": "pabak",
    "prevalence index": "prevalence_index",
    "bias index": "bias_index",
    "maximum kappa": "maximum",
}


@pytest.mark.parametrize(
    "record",
    [
        record
        for package in ("epiR", "base")
        for record in chosen("r_kappa.json", package)
        if record["statistic"] in INDICES
    ],
    ids=label,
)
def test_indices(record):
    result = cohen_kappa(load(record["table"]))
    value = getattr(result, INDICES[record["statistic"]])
    expected = number(record, "value")
    if record["statistic"] == "PABAK" and len(result.table) > 2:
        # epiR takes 2 Po - 1 for any number of categories; with q of them it is
        # (q Po - 1) / (q - 1), Brennan and Prediger's coefficient.
        assert result.pabak_name == "Brennan-Prediger"
        q = len(result.table)
        expected = (q * result.observed - 1) / (q - 1)
    if record["statistic"] in ("prevalence index", "bias index"):
        expected = abs(expected)
    assert (math.isnan(value) and math.isnan(expected)) or value == pytest.approx(
        expected, abs=FROM_R
    )


def test_weights_of_the_paper_on_standard_errors():
    """Fleiss, Cohen & Everitt 1969, their own table and weights, as R's packages have it."""
    matrix = [[1, 0, 0.4444], [0, 1, 0.6667], [0.4444, 0.6667, 1]]
    result = cohen_kappa(load("fleiss_cohen_everitt_1969"), weights=matrix)
    records = chosen("r_kappa.json", "vcd", weights="matrix")
    assert len(records) == 1
    assert result.estimate.value == pytest.approx(number(records[0], "value"), abs=FROM_R)
    assert result.standard_error == pytest.approx(number(records[0], "se"), abs=FROM_R)
    assert result.estimate.name == "weighted kappa (custom)"


# ---- other Python packages ---------------------------------------------------------------


@given(pairs_of_ratings(), st.sampled_from(SCHEMES))
def test_scikit_learn(drawn, scheme):
    q, pairs = drawn
    first, second = map(list, zip(*pairs, strict=True))
    weights = None if scheme == "unweighted" else scheme
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = cohen_kappa_score(first, second, labels=list(range(q)), weights=weights)
    result = cohen_kappa(as_ratings_of(pairs, q), weights=scheme)
    if math.isnan(theirs):
        assert result.estimate.reason
    else:
        assert result.estimate.value == pytest.approx(theirs, abs=EXACT)


@given(pairs_of_ratings().filter(lambda drawn: varied(drawn[1])), st.sampled_from(SCHEMES))
def test_statsmodels(drawn, scheme):
    q, pairs = drawn
    result = cohen_kappa(as_ratings_of(pairs, q), weights=scheme)
    wt = None if scheme == "unweighted" else scheme
    theirs = cohens_kappa(result.table.to_numpy(), wt=wt)
    assert result.estimate.value == pytest.approx(theirs.kappa, abs=EXACT)
    # Their variances subtract nearly equal squares; ours cannot come out below 0.
    assert result.standard_error**2 == pytest.approx(theirs.var_kappa, abs=1e-9)
    assert result.standard_error_null**2 == pytest.approx(theirs.var_kappa0, abs=1e-9)


def test_scikit_learn_sorts_text_labels_by_alphabet():
    """Weighted kappa of words: only a declared order gives the right number."""
    first = ["low", "low", "medium", "high", "medium", "high", "low", "high"]
    second = ["low", "medium", "medium", "high", "high", "high", "low", "medium"]
    order = ["low", "medium", "high"]
    right = cohen_kappa_score(first, second, labels=order, weights="quadratic")
    wrong = cohen_kappa_score(first, second, weights="quadratic")
    result = cohen_kappa(first, second, kind="ordinal", categories=order, weights="quadratic")
    assert result.estimate.value == pytest.approx(right, abs=EXACT)
    assert abs(right - wrong) > 0.1
    with pytest.raises(ParameterError, match="declared"):
        cohen_kappa(first, second, kind="ordinal", weights="quadratic")


# ---- definitions -------------------------------------------------------------------------


@given(pairs_of_ratings(), st.sampled_from(SCHEMES))
def test_definition(drawn, scheme):
    q, pairs = drawn
    value = cohen_kappa(as_ratings_of(pairs, q), weights=scheme).estimate.value
    expected = cohen(pairs, distance_matrix(q, scheme))
    assert (math.isnan(value) and math.isnan(expected)) or value == pytest.approx(
        expected, abs=EXACT
    )


@settings(max_examples=40)
@given(pairs_of_ratings().filter(lambda drawn: varied(drawn[1])), st.sampled_from(SCHEMES))
def test_general_error_is_the_delta_method(drawn, scheme):
    """Multinomial delta method: sum over items of the squared derivative by their weight."""
    q, pairs = drawn
    d = distance_matrix(q, scheme)
    slopes = item_derivatives(lambda w: cohen(pairs, d, w), len(pairs))
    result = cohen_kappa(as_ratings_of(pairs, q), weights=scheme)
    assert result.standard_error == pytest.approx(math.sqrt((slopes**2).sum()), abs=NUMERIC)


def test_null_error_by_simulation():
    """Independent raters with the observed margins: the spread of kappa is the null error."""
    generator = np.random.default_rng(20)
    n, q, draws = 400, 3, 4000
    p, r = np.array([0.5, 0.3, 0.2]), np.array([0.4, 0.4, 0.2])
    tables = generator.multinomial(n, np.outer(p, r).ravel(), size=draws).reshape(-1, q, q)
    results = [of_table(table, "ordinal", weights="linear") for table in tables[:200]]
    d = np.array(distance_matrix(q, "linear"))
    shares = tables / n
    expected = np.einsum("mi,ij,mj->m", shares.sum(axis=2), d, shares.sum(axis=1))
    kappas = 1 - (shares * d).sum(axis=(1, 2)) / expected
    mean_error = np.mean([result.standard_error_null for result in results])
    # The standard deviation of 4,000 values has a relative error of 1.1 %: four of them.
    assert mean_error == pytest.approx(kappas.std(), rel=0.045)


@settings(max_examples=40)
@given(
    pairs_of_ratings(most=6),
    st.sampled_from([*SCHEMES, "custom"]),
)
def test_maximum_is_the_best_pairing_of_the_same_ratings(drawn, scheme):
    q, pairs = drawn
    first, second = map(list, zip(*pairs, strict=True))
    d = distance_matrix(q, "unweighted" if scheme == "custom" else scheme)
    weights = scheme
    if scheme == "custom":
        d = [[abs(i - j) ** 0.5 / (q - 1) ** 0.5 for j in range(q)] for i in range(q)]
        weights = custom_weights(d, given="disagreement")
    best = max(
        (
            cohen(list(zip(first, other, strict=True)), d)
            for other in itertools.permutations(second)
        ),
        key=lambda value: -2 if math.isnan(value) else value,
    )
    maximum = cohen_kappa(as_ratings_of(pairs, q), weights=weights).maximum
    # The linear program for custom weights stops at about 1e-9 of the optimum.
    assert (math.isnan(best) and math.isnan(maximum)) or maximum == pytest.approx(best, abs=1e-7)


# ---- properties --------------------------------------------------------------------------


@given(pairs_of_ratings(), st.randoms(use_true_random=False))
def test_renaming_nominal_categories_changes_nothing(drawn, random):
    q, pairs = drawn
    new = list(range(q))
    random.shuffle(new)
    renamed = [(new[a], new[b]) for a, b in pairs]
    one = cohen_kappa(as_ratings_of(pairs, q, "nominal"))
    two = cohen_kappa(as_ratings_of(renamed, q, "nominal"))
    for field in ("standard_error", "standard_error_null", "observed", "pabak", "maximum"):
        assert getattr(one, field) == pytest.approx(getattr(two, field), abs=EXACT, nan_ok=True)
    assert one.estimate.value == pytest.approx(two.estimate.value, abs=EXACT, nan_ok=True)


@given(pairs_of_ratings(), st.sampled_from(SCHEMES))
def test_exchanging_the_raters_changes_nothing(drawn, scheme):
    q, pairs = drawn
    one = cohen_kappa(as_ratings_of(pairs, q), weights=scheme)
    two = cohen_kappa(as_ratings_of([(b, a) for a, b in pairs], q), weights=scheme)
    assert one.estimate.value == pytest.approx(two.estimate.value, abs=EXACT, nan_ok=True)
    assert one.standard_error == pytest.approx(two.standard_error, abs=EXACT, nan_ok=True)
    assert one.bias_index == two.bias_index


@given(pairs_of_ratings(), st.sampled_from(SCHEMES))
def test_duplicating_the_items_halves_the_variance_only(drawn, scheme):
    q, pairs = drawn
    one = cohen_kappa(as_ratings_of(pairs, q), weights=scheme)
    two = cohen_kappa(as_ratings_of(pairs + pairs, q), weights=scheme)
    assert one.estimate.value == pytest.approx(two.estimate.value, abs=EXACT, nan_ok=True)
    assert one.standard_error == pytest.approx(
        two.standard_error * math.sqrt(2), abs=EXACT, nan_ok=True
    )


@given(pairs_of_ratings(), st.sampled_from(SCHEMES))
def test_bounds(drawn, scheme):
    q, pairs = drawn
    result = cohen_kappa(as_ratings_of(pairs, q), weights=scheme)
    estimate = result.estimate
    if not estimate.defined:
        return
    assert -1 - EXACT <= estimate.value <= result.maximum + EXACT <= 1 + 2 * EXACT
    if estimate.has_interval:
        assert -1 <= estimate.low <= estimate.value <= estimate.high <= 1


@given(pairs_of_ratings().filter(lambda drawn: varied(drawn[1])))
def test_an_unused_level_changes_weighted_kappa_only(drawn):
    q, pairs = drawn
    plain = [cohen_kappa(as_ratings_of(pairs, levels)) for levels in (q, q + 1)]
    assert plain[0].estimate.value == pytest.approx(plain[1].estimate.value, abs=EXACT)
    assert plain[0].standard_error == pytest.approx(plain[1].standard_error, abs=EXACT)
    for scheme in ("linear", "quadratic"):
        # An unused level at the end only rescales the ranks; one in the middle moves them.
        ends = [cohen_kappa(as_ratings_of(pairs, k), weights=scheme) for k in (q, q + 1)]
        assert ends[0].estimate.value == pytest.approx(ends[1].estimate.value, abs=EXACT)
        assert ends[0].observed <= ends[1].observed + EXACT


def test_an_unused_level_in_the_middle_changes_weighted_kappa():
    pairs = [(0, 0), (0, 1), (1, 1), (1, 2), (2, 2), (2, 0), (0, 0), (1, 1)]
    moved = [(a + (a > 0), b + (b > 0)) for a, b in pairs]
    one = cohen_kappa(as_ratings_of(pairs, 3), weights="linear")
    two = cohen_kappa(as_ratings_of(moved, 4), weights="linear")
    assert abs(one.estimate.value - two.estimate.value) > 0.01


@given(pairs_of_ratings().filter(lambda drawn: drawn[0] == 2))
def test_kappa_from_pabak_and_the_two_indices(drawn):
    """Byrt, Bishop & Carlin 1993: kappa = (PABAK - PI^2 + BI^2) / (1 - PI^2 + BI^2)."""
    _, pairs = drawn
    result = cohen_kappa(as_ratings_of(pairs, 2))
    below = 1 - result.prevalence_index**2 + result.bias_index**2
    if not result.estimate.defined:
        assert below == pytest.approx(0, abs=EXACT)
        return
    above = result.pabak - result.prevalence_index**2 + result.bias_index**2
    assert result.estimate.value == pytest.approx(above / below, abs=1e-10)


@given(pairs_of_ratings(), st.sampled_from(["linear", "quadratic"]))
def test_two_categories_need_no_weights(drawn, scheme):
    _, pairs = drawn
    pairs = [(a % 2, b % 2) for a, b in pairs]
    one = cohen_kappa(as_ratings_of(pairs, 2))
    two = cohen_kappa(as_ratings_of(pairs, 2), weights=scheme)
    assert one.estimate.value == pytest.approx(two.estimate.value, abs=EXACT, nan_ok=True)


# ---- awkward data ------------------------------------------------------------------------


def test_one_category_is_undefined_and_says_so():
    result = cohen_kappa(["no"] * 20, ["no"] * 20, categories=["no", "yes"])
    assert math.isnan(result.estimate.value)
    assert result.estimate.reason == "both raters used a single category: chance agreement is 1"
    assert not result.estimate.has_interval
    assert result.observed == 1.0
    assert result.expected == 1.0
    assert result.pabak == 1.0
    for field in ("standard_error", "standard_error_null", "z", "p_value", "maximum"):
        assert math.isnan(getattr(result, field))
    # With the category undeclared, even the number of categories is unknown.
    bare = cohen_kappa(["no"] * 20, ["no"] * 20)
    assert math.isnan(bare.estimate.value)
    assert math.isnan(bare.pabak)
    assert bare.prevalence_index is None


def test_scikit_learn_gives_a_bare_nan_on_one_category():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert math.isnan(cohen_kappa_score([0] * 20, [0] * 20))


def test_a_rater_who_never_varies_gives_zero_without_an_interval():
    result = of_table([[99, 1], [0, 0]])
    assert result.estimate.value == 0.0
    assert not result.estimate.has_interval
    assert "rater 1" in result.estimate.reason
    assert "whatever the other rater did" in result.estimate.reason
    assert math.isnan(result.standard_error)
    assert math.isnan(result.p_value)
    assert result.observed == pytest.approx(0.99, abs=EXACT)


def test_perfect_agreement_has_a_zero_error_and_a_warning():
    result = of_table([[10, 0], [0, 10]])
    assert (result.estimate.value, result.estimate.low, result.estimate.high) == (1.0, 1.0, 1.0)
    assert any("standard error is 0" in note for note in result.estimate.warnings)


def test_clipped_bounds_are_flagged():
    result = of_table([[8, 1], [0, 3]])
    assert result.estimate.high == 1.0
    assert any(note.startswith("upper bound clipped from 1.") for note in result.estimate.warnings)
    low = of_table([[0, 4], [5, 1]])
    assert low.estimate.low == -1.0
    assert any(note.startswith("lower bound clipped from -1.") for note in low.estimate.warnings)


def test_complete_disagreement_is_minus_one():
    assert of_table([[0, 5], [5, 0]]).estimate.value == -1.0


def test_missing_ratings_are_left_out_and_counted():
    first = ["a", "b", None, "a", "b", "b", float("nan"), "a"]
    second = ["a", "b", "a", None, "a", "b", None, "a"]
    result = cohen_kappa(first, second)
    complete = cohen_kappa(["a", "b", "b", "b", "a"], ["a", "b", "a", "b", "a"])
    assert result.estimate.value == complete.estimate.value
    assert result.estimate.n_items == 5
    assert result.n_excluded == 2  # the item nobody rated is dropped by the ratings themselves


def test_one_item_has_a_value_and_no_interval():
    result = cohen_kappa(["a"], ["b"])
    assert result.estimate.value == 0.0
    assert not result.estimate.has_interval
    assert result.estimate.reason


def test_nothing_in_common():
    ratings = Ratings.from_table(
        [["a", None, "a"], [None, "b", "b"]], "nominal", categories=["a", "b"]
    )
    result = cohen_kappa(ratings.select(["0", "1"]))
    assert result.estimate.reason == "no item was rated by both raters"
    assert math.isnan(result.observed)
    assert result.n_excluded == 2


def test_custom_weights_can_join_all_used_categories():
    weights = [[1, 1, 0], [1, 1, 0], [0, 0, 1]]
    ratings = as_ratings_of([(0, 1), (1, 0), (1, 1)], 3)
    result = cohen_kappa(ratings, weights=weights)
    assert math.isnan(result.estimate.value)
    assert "full agreement under these weights" in result.estimate.reason


def test_custom_weights_can_go_below_minus_one():
    """Disagreements that almost never happen by chance: no clipping at -1 then."""
    d = np.zeros((6, 6))
    for pair in ((0, 1), (2, 3), (4, 5)):
        d[pair] = d[pair[::-1]] = 1
    pairs = [(0, 1), (1, 0), (2, 3), (3, 2), (4, 5), (5, 4), (0, 0)]
    ratings = as_ratings_of(pairs, 6)
    estimate = cohen_kappa(ratings, weights=custom_weights(d, given="disagreement")).estimate
    assert estimate.value < -3
    assert estimate.low < estimate.value < estimate.high


def test_huge_counts_stay_exact():
    """Beyond 2^31 products of counts (complaint: integer overflow)."""
    table = (np.array(PATHOLOGY) * 2000).tolist()
    result = of_table(table)
    assert result.estimate.value == pytest.approx(0.7, abs=EXACT)
    assert result.standard_error == pytest.approx(0.0710563156939619 / math.sqrt(2000), abs=EXACT)


def test_no_numpy_warning_on_any_small_table():
    with np.errstate(all="raise"), warnings.catch_warnings():
        warnings.simplefilter("error")
        for cells in itertools.product(range(3), repeat=4):
            if sum(cells):
                of_table(np.reshape(cells, (2, 2)))


# ---- wrong input -------------------------------------------------------------------------


def test_continuous_scores_are_refused():
    with pytest.raises(ParameterError, match=r"ICC\(2,1\)"):
        cohen_kappa([1.5, 2.5, 3.0], [1.4, 2.0, 3.5], kind="continuous")


def test_three_raters_are_refused():
    with pytest.raises(ParameterError, match="pairwise_kappa"):
        cohen_kappa([["a", "b", "a"], ["b", "b", "a"]])


def test_counts_are_refused():
    with pytest.raises(ParameterError, match="counts per category"):
        cohen_kappa(Ratings.from_counts([[2, 0], [1, 1]]))


def test_lengths_differ():
    with pytest.raises(DataError, match="equal length"):
        cohen_kappa(["a", "b"], ["a"])


@pytest.mark.parametrize("level", [0, 1, 95, -0.5, "0.95", True, None])
def test_level_is_checked(level):
    with pytest.raises(ParameterError, match="level"):
        of_table(PATHOLOGY, level=level)


def test_labels_of_any_type():
    words = cohen_kappa(["yes", "no", "yes", "no"], ["yes", "no", "no", "no"])
    numbers = cohen_kappa([1, 0, 1, 0], [1, 0, 0, 0])
    truth = cohen_kappa([True, False, True, False], [True, False, False, False])
    categorical = cohen_kappa(
        pd.Series(["yes", "no", "yes", "no"], dtype="category"),
        pd.Series(["yes", "no", "no", "no"], dtype="category"),
    )
    values = {r.estimate.value for r in (words, numbers, truth, categorical)}
    assert values == {0.5}


def test_contingency_table_keeps_unused_levels_and_names():
    first = pd.Series(["a", "b", "b"], name="Kim")
    second = pd.Series(["a", "b", "a"], name="Lee")
    table = contingency_table(first, second, categories=["a", "b", "c"])
    assert table.to_numpy().tolist() == [[1, 0, 0], [1, 1, 0], [0, 0, 0]]
    assert (table.index.name, table.columns.name) == ("Kim", "Lee")


def test_bootstrap_form_has_few_columns():
    ratings = as_ratings_of([(0, 1), (1, 1), (2, 2)], 3)
    assert kappa_statistic(ratings, "linear").contributions.shape == (3, 7)
