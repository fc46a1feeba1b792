"""Weights, words, the verdict, and the guide."""

from __future__ import annotations

import math

import numpy as np
import pytest
from agreement_reference import load
from hypothesis import given
from hypothesis import strategies as st

from benchbook.agreement import (
    NAMED_WEIGHTS,
    Description,
    cohen_kappa,
    custom_weights,
    guide,
    landis_koch,
    resolve_weights,
    verdict,
)
from benchbook.errors import ParameterError
from benchbook.estimate import Estimate, undefined
from benchbook.ratings import Ratings

EXACT = 1e-15


def ordinal(categories, rows=((0, 1), (1, 1))):
    table = [[categories[a], categories[b]] for a, b in rows]
    return Ratings.from_table(table, "ordinal", categories=categories)


# ---- weights -----------------------------------------------------------------------------


def test_linear_and_quadratic_on_ranks():
    ratings = ordinal(["none", "some", "much", "all"])
    linear = resolve_weights("linear", ratings).agreement
    quadratic = resolve_weights("quadratic", ratings).agreement
    assert linear[0].tolist() == pytest.approx([1, 2 / 3, 1 / 3, 0], abs=EXACT)
    assert quadratic[0].tolist() == pytest.approx([1, 8 / 9, 5 / 9, 0], abs=EXACT)
    assert resolve_weights(None, ratings).agreement.tolist() == np.eye(4).tolist()


def test_weights_by_value():
    ratings = ordinal([0, 1, 10])
    linear = resolve_weights("linear-by-value", ratings).agreement
    quadratic = resolve_weights("quadratic-by-value", ratings).agreement
    assert linear[0].tolist() == pytest.approx([1, 0.9, 0], abs=EXACT)
    assert quadratic[0].tolist() == pytest.approx([1, 0.99, 0], abs=EXACT)
    by_rank = cohen_kappa(ordinal([0, 1, 10], [(0, 1), (2, 2), (1, 2)]), weights="linear")
    by_value = cohen_kappa(ordinal([0, 1, 10], [(0, 1), (2, 2), (1, 2)]), weights="linear-by-value")
    assert by_rank.estimate.value != by_value.estimate.value


def test_a_falling_scale_is_a_scale():
    rising, falling = ordinal([1, 2, 4]), ordinal([4, 2, 1])
    one = resolve_weights("linear-by-value", rising).agreement
    two = resolve_weights("linear-by-value", falling).agreement
    assert one == pytest.approx(two[::-1, ::-1], abs=EXACT)


def test_weights_by_value_need_values_along_the_scale():
    with pytest.raises(ParameterError, match="no numeric values"):
        resolve_weights("linear-by-value", ordinal(["low", "high"]))
    with pytest.raises(ParameterError, match="rise"):
        resolve_weights("linear-by-value", ordinal([1, 3, 2]))


@given(st.integers(2, 8), st.sampled_from(NAMED_WEIGHTS))
def test_named_weights_are_valid_agreement_weights(q, name):
    ratings = ordinal(list(range(q)))
    weights = resolve_weights(name, ratings)
    assert (np.diag(weights.agreement) == 1).all()
    assert (weights.agreement == weights.agreement.T).all()
    assert weights.agreement.min() == 0
    assert weights.agreement.max() == 1
    assert (np.diag(weights.disagreement) == 0).all()
    same = custom_weights(weights.agreement)
    assert (same.agreement == weights.agreement).all()


def test_order_is_never_guessed():
    nominal = Ratings.from_table([["low", "high"], ["low", "low"]], "nominal")
    with pytest.raises(ParameterError, match="ordinal ratings with declared categories"):
        resolve_weights("linear", nominal)
    with pytest.raises(ParameterError, match="declared categories"):
        resolve_weights([[1, 0.5], [0.5, 1]], nominal)
    declared = Ratings.from_table(
        [["low", "high"], ["low", "low"]], "nominal", categories=["low", "high"]
    )
    assert resolve_weights([[1, 0.5], [0.5, 1]], declared).name == "custom"


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        ([[1, 0], [0, 1], [0, 0]], "square"),
        ([1, 0], "square"),
        (1.0, "square"),
        ([[1.0]], "square"),
        ([["a", "b"], ["b", "a"]], "numbers"),
        ([[1, math.nan], [math.nan, 1]], "finite"),
        ([[1, 0.2], [0.3, 1]], "symmetric"),
        ([[0.9, 0.2], [0.2, 1]], "diagonal"),
        ([[0, 1], [1, 0]], "given='disagreement'"),
        ([[1, 1.5], [1.5, 1]], "found 1.5"),
        ([[1, -0.5], [-0.5, 1]], "found -0.5"),
        ([[1, 1], [1, 1]], "could ever disagree"),
    ],
)
def test_wrong_matrices(matrix, words):
    with pytest.raises(ParameterError, match=words):
        custom_weights(matrix)


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        ([[1, 0], [0, 1]], "diagonal"),
        ([[0, -1], [-1, 0]], "not negative"),
        ([[0, 0], [0, 0]], "could disagree"),
    ],
)
def test_wrong_disagreement_matrices(matrix, words):
    with pytest.raises(ParameterError, match=words):
        custom_weights(matrix, given="disagreement")


def test_other_mistakes_with_weights():
    ratings = ordinal(["low", "mid", "high"])
    with pytest.raises(ParameterError, match="did you mean 'quadratic'"):
        resolve_weights("quadratik", ratings)
    with pytest.raises(ParameterError, match="2 x 2 and the scale has 3 categories"):
        resolve_weights([[1, 0], [0, 1]], ratings)
    with pytest.raises(ParameterError, match="agreement or disagreement"):
        custom_weights([[1, 0], [0, 1]], given="cost")


def test_the_callers_matrix_is_not_changed():
    matrix = np.array([[0.0, 2.0], [2.0, 0.0]])
    custom_weights(matrix, given="disagreement")
    assert matrix.tolist() == [[0.0, 2.0], [2.0, 0.0]]


# ---- words -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (-1, "poor"),
        (-0.0001, "poor"),
        (0, "slight"),
        (0.20, "slight"),
        (0.205, "fair"),
        (0.21, "fair"),
        (0.40, "fair"),
        (0.405, "moderate"),
        (0.60, "moderate"),
        (0.6000000000000001, "moderate"),
        (0.605, "substantial"),
        (0.80, "substantial"),
        (0.81, "almost perfect"),
        (1, "almost perfect"),
        (1.0000000000000002, "almost perfect"),
        (math.nan, "undefined"),
        (-1.4, "poor"),
    ],
)
def test_landis_koch(value, word):
    assert landis_koch(value) == word


def test_landis_koch_above_one():
    with pytest.raises(ParameterError, match="at most 1"):
        landis_koch(1.1)


@pytest.mark.parametrize(
    ("value", "decision"),
    [
        (0.70, "accepted"),
        (0.6999999999999999, "accepted"),
        (0.6999, "conditional"),
        (0.61, "conditional"),
        (0.6099, "redesign"),
        (-0.2, "redesign"),
    ],
)
def test_verdict_on_the_value(value, decision):
    made = verdict(value)
    assert made.on_value == decision
    assert made.on_lower_bound == "undefined"
    assert "no interval" in made.text


def test_verdict_of_the_worked_example():
    """Kappa 0.70 is accepted; its lower bound 0.561 is not."""
    made = verdict(cohen_kappa(Ratings.from_contingency([[40, 10], [5, 45]])).estimate)
    assert (made.on_value, made.on_lower_bound) == ("accepted", "redesign")
    assert made.text == (
        "Cohen kappa 0.700: accepted as a gold standard (accepted from 0.7, conditional from "
        "0.61). On the lower bound 0.561 of the 95 % interval: not accepted: the gold standard "
        "should be redesigned."
    )


def test_verdict_when_both_agree():
    made = verdict(Estimate(0.9, 0.8, 0.95, name="Fleiss kappa"))
    assert (made.on_value, made.on_lower_bound) == ("accepted", "accepted")
    assert made.text.endswith("is the same.")


def test_verdict_on_an_undefined_value():
    made = verdict(undefined("both raters used a single category", name="Cohen kappa"))
    assert (made.on_value, made.on_lower_bound) == ("undefined", "undefined")
    assert made.text == (
        "No verdict: Cohen kappa is undefined (both raters used a single category)."
    )
    assert verdict(math.nan).on_value == "undefined"


def test_thresholds_are_parameters():
    assert verdict(0.65, accept=0.6, conditional=0.5).on_value == "accepted"
    assert verdict(0.75, accept=0.8, conditional=0.8).on_value == "redesign"
    with pytest.raises(ParameterError, match="must not exceed"):
        verdict(0.7, accept=0.6, conditional=0.61)
    with pytest.raises(ParameterError, match="between -1 and 1"):
        verdict(0.7, accept=70)
    with pytest.raises(ParameterError, match="between -1 and 1"):
        verdict(0.7, conditional=math.nan)


# ---- guide -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("description", "need", "key"),
    [
        (Description("nominal", 2), "absolute", "cohen_kappa"),
        (Description("nominal", 2, missing=True, equal_counts=False), "absolute", "cohen_kappa"),
        (Description("nominal", 2, identified=False), "absolute", "fleiss_kappa"),
        (Description("nominal", 5), "absolute", "fleiss_kappa"),
        (
            Description("nominal", 5, missing=True, equal_counts=False),
            "absolute",
            "krippendorff_alpha",
        ),
        (Description("nominal", 5, missing=True, equal_counts=True), "absolute", "fleiss_kappa"),
        (Description("nominal", 3), "relative", "fleiss_kappa"),
        (Description("ordinal", 2), "absolute", "weighted_kappa"),
        (Description("ordinal", 4), "absolute", "krippendorff_alpha"),
        (Description("ordinal", 4), "relative", "icc_3_1"),
        (Description("continuous", 2), "absolute", "icc_2_1"),
        (Description("continuous", 4), "absolute", "icc_2_1"),
        (Description("continuous", 4), "relative", "icc_3_1"),
        (Description("continuous", 4, missing=True), "absolute", "icc_mixed"),
    ],
)
def test_guide(description, need, key):
    made = guide(description, need)
    assert made.key == key
    assert made.why
    assert made.refusals


def test_guide_refuses_kappa_on_scores_and_points_to_the_icc():
    made = guide(load("shrout_fleiss_1979"))
    assert made.key == "icc_2_1"
    assert made.statistic == "ICC(2,1): two-way random, single rater, absolute agreement"
    assert any("kappa" in text and "ICC(2,1)" in text for text in made.refusals)
    assert any("always 5 points higher" in text for text in made.refusals)
    assert any("without its form" in text for text in made.refusals)


def test_guide_reads_the_ratings():
    assert guide(load("pathology_2x2")).key == "cohen_kappa"
    assert guide(load("fleiss_1971")).key == "fleiss_kappa"
    assert guide(load("gwet_four_raters")).key == "krippendorff_alpha"
    assert guide(load("krippendorff_2011")).statistic == "Krippendorff alpha (ordinal)"
    assert guide(load("shrout_fleiss_three_missing")).key == "icc_mixed"
    counts = guide(Ratings.from_counts([[2, 1], [0, 3]]))
    assert counts.key == "fleiss_kappa"
    assert "not known" in counts.why
    assert not any("Conger" in text for text in counts.alternatives)


def test_guide_tells_of_missing_ratings_and_unequal_counts():
    assert "left out and counted" in guide(load("gwet_ben_gerry")).why
    made = guide(load("gwet_four_raters"))
    assert any("unequal numbers" in text for text in made.refusals)


def test_guide_warns_of_a_dominant_category():
    made = guide(Ratings.from_contingency([[98, 1], [1, 0]]))
    assert any("99 % of all ratings are one category" in text for text in made.alternatives)
    assert not any("of all ratings" in text for text in guide(load("pathology_2x2")).alternatives)
    one = guide(Ratings.from_table([[0, 0]] * 4, "nominal", categories=[0, 1]))
    assert any("every rating is the same category" in text for text in one.refusals)


def test_guide_says_that_nominal_categories_have_no_ranking():
    assert any(
        "without an order" in text for text in guide(Description("nominal", 2), "relative").refusals
    )


def test_guide_refuses():
    with pytest.raises(ParameterError, match="did you mean 'absolute'"):
        guide(Description("nominal", 2), "absolut")
    with pytest.raises(ParameterError, match="did you mean 'nominal'"):
        guide(Description("nominel", 2))
    with pytest.raises(ParameterError, match="at least two raters"):
        guide(Description("nominal", 1))
