"""Tables on which an intraclass correlation is undefined, extreme, or refused."""

import math

import numpy as np
import pandas as pd
import pytest
from icc_examples import FORMS, SHROUT_FLEISS, coefficients, simulated

from benchbook.errors import DataError, ParameterError
from benchbook.icc import (
    FORMS as KNOWN,
)
from benchbook.icc import (
    icc,
    icc_form,
    intraclass_correlations,
    measurement_error,
    one_way_icc,
    two_way_anova,
)
from benchbook.ratings import Ratings


def values(data):
    return {result.form: result.estimate.value for result in intraclass_correlations(data)}


@pytest.mark.parametrize("constant", [0.0, 0.1, 1 / 3, 1e8 + 0.1, -1e-300])
def test_no_variance_is_undefined_with_a_reason(constant):
    for result in intraclass_correlations(np.full((5, 3), constant)):
        assert math.isnan(result.estimate.value)
        assert "no variance" in result.estimate.reason
        assert math.isnan(result.p)


def test_raters_of_one_mind_agree_perfectly():
    found = intraclass_correlations(np.repeat([[0.1], [0.2], [0.7]], 3, axis=1))
    for result in found:
        assert result.estimate.value == 1
        assert result.f == math.inf
        assert result.p == 0
    assert found.anova.ss_raters == 0
    assert math.isnan(found.anova.f_raters)


def test_items_alike_and_raters_apart():
    """No variance between items nor in the error: consistency is 0/0, agreement is 0."""
    found = intraclass_correlations([[0.1, 0.2], [0.1, 0.2], [0.1, 0.2]])
    assert math.isnan(found["ICC(3,1)"].estimate.value)
    assert "zero over zero" in found["ICC(3,1)"].estimate.reason
    assert found["ICC(2,1)"].estimate.value == 0
    assert not found["ICC(2,1)"].estimate.has_interval
    assert found["ICC(2,1)"].estimate.reason
    assert found["ICC(1,1)"].estimate.value == -1
    assert math.isnan(found["ICC(1,k)"].estimate.value)


def test_equal_item_means_give_the_smallest_single_coefficient():
    found = intraclass_correlations([[1.0, 2.0, 3.0], [2.0, 3.0, 1.0], [3.0, 1.0, 2.0]])
    assert found["ICC(1,1)"].estimate.value == pytest.approx(-1 / 2)
    assert found["ICC(3,1)"].estimate.value == pytest.approx(-1 / 2)
    for form in ("ICC(1,k)", "ICC(3,k)"):
        assert math.isnan(found[form].estimate.value)
        assert "item means do not differ" in found[form].estimate.reason


def test_negative_values_are_shown_as_they_are():
    noise = simulated(4, 8, 3, items=0.0, raters=0.0)
    expected = coefficients(noise)
    assert expected["ICC(1,1)"] < 0
    for form, value in values(noise).items():
        assert value == pytest.approx(expected[form])


def test_value_below_its_range_is_flagged():
    """Opposite raters without a rater effect: ICC(2,1) is -3, below -1/(k - 1)."""
    estimate = icc([[1, 2], [2, 1], [1.5, 1.5]], "ICC(2,1)").estimate
    assert estimate.value == pytest.approx(-3)
    assert any("below -1/(k - 1)" in text for text in estimate.warnings)


def test_average_bound_past_the_pole_is_minus_infinity():
    noise = simulated(4, 4, 3, items=0.0, raters=0.0, error=1.0)
    single, average = icc(noise, "ICC(2,1)").estimate, icc(noise, "ICC(2,k)").estimate
    assert single.low < -1 / 2 < single.value < 0
    assert average.low == -math.inf
    assert average.low < average.value < average.high
    assert any("no minimum" in text for text in average.warnings)


@pytest.mark.parametrize("offset", [1e6, -1e6, 1e9])
def test_a_large_common_offset_loses_nothing(offset):
    """A textbook formula with raw squares keeps no digit at 1e9; deviations keep seven."""
    plain, moved = values(SHROUT_FLEISS), values(SHROUT_FLEISS + offset)
    for form in FORMS:
        assert moved[form] == pytest.approx(plain[form], rel=1e-10)


def test_small_differences_on_a_large_offset():
    x = simulated(2, 12, 4, items=1.0, raters=0.2, error=0.5)
    for form in FORMS:
        assert values(1e6 + x)[form] == pytest.approx(values(x)[form], rel=1e-8)


def test_items_a_rater_left_out_are_named_and_counted():
    table = pd.DataFrame(SHROUT_FLEISS, index=list("abcdef"))
    table.loc["b", 2] = np.nan
    table.loc["e", 0] = np.nan
    found = intraclass_correlations(table)
    assert found.dropped == ("b", "e")
    assert "2 of 6 items left out" in found["ICC(2,1)"].estimate.warnings[0]
    complete = intraclass_correlations(np.delete(SHROUT_FLEISS, [1, 4], axis=0))
    for form in FORMS:
        assert found[form].estimate.value == complete[form].estimate.value
    assert found["ICC(2,1)"].estimate.n_items == 4


@pytest.mark.parametrize("kept", [0, 1])
def test_fewer_than_two_complete_items_is_undefined(kept):
    table = SHROUT_FLEISS.copy()
    table[kept:, 0] = np.nan
    table[:kept, 0] = 1.0
    if kept == 0:
        table[:3, 0], table[:3, 1] = 1.0, np.nan
    for result in intraclass_correlations(table):
        assert math.isnan(result.estimate.value)
        assert "mixed model" in result.estimate.reason
    error = measurement_error(table)
    assert math.isnan(error.sem_agreement.value)
    assert math.isnan(error.mdc_consistency.value)


def test_one_item_is_undefined():
    for result in intraclass_correlations([[1.0, 2.0]]):
        assert "only one item" in result.estimate.reason
    assert "only one item" in one_way_icc([[1.0, 2.0]]).estimate.reason


def test_one_rater_is_refused():
    with pytest.raises(DataError, match="two raters"):
        intraclass_correlations(SHROUT_FLEISS[:, :1])


def test_a_score_that_is_no_number_is_refused_by_name():
    table = pd.DataFrame(SHROUT_FLEISS.astype(object), columns=list("ABCD"))
    table.loc[3, "C"] = "high"
    with pytest.raises(DataError, match=r"row 3, column C.*'high'"):
        intraclass_correlations(table)


def test_nominal_ratings_are_refused():
    ratings = Ratings.from_table([["a", "b"], ["b", "b"]], "nominal")
    with pytest.raises(ParameterError, match="nominal"):
        icc(ratings, "ICC(2,1)")


def test_ordinal_ratings_are_taken_by_value_and_not_by_rank():
    scores = np.array([[1, 2], [2, 2], [10, 2], [1, 1], [10, 10]])
    ratings = Ratings.from_table(scores, "ordinal", categories=[1, 2, 10])
    for form in FORMS:
        expected = icc(scores, form).estimate.value
        assert icc(ratings, form).estimate.value == pytest.approx(expected)
    ranks = np.searchsorted([1, 2, 10], scores)
    assert icc(ratings, "ICC(2,1)").estimate.value != pytest.approx(
        icc(ranks, "ICC(2,1)").estimate.value, abs=0.01
    )


def test_ordinal_words_have_no_value():
    ratings = Ratings.from_table(
        [["low", "high"], ["high", "high"]], "ordinal", categories=["low", "high"]
    )
    with pytest.raises(ParameterError, match="no numeric values"):
        icc(ratings, "ICC(2,1)")


def test_ordinal_ratings_with_a_missing_cell():
    table = pd.DataFrame([[1, 2], [2, None], [3, 3], [2, 1]], index=list("pqrs"))
    ratings = Ratings.from_table(table, "ordinal", categories=[1, 2, 3])
    assert two_way_anova(ratings).dropped == ("q",)


def test_counts_have_no_raters():
    counts = Ratings.from_counts([[2, 1, 0], [0, 1, 2], [3, 0, 0]], "ordinal", categories=[1, 2, 3])
    found = intraclass_correlations(counts)
    assert found["ICC(1,1)"].estimate.defined
    for form in ("ICC(2,1)", "ICC(3,1)", "ICC(2,k)", "ICC(3,k)"):
        assert "columns are not raters" in found[form].estimate.reason
    error = measurement_error(counts)
    assert error.sem_agreement.value == pytest.approx(np.sqrt(found.anova.ms_within))
    assert "not raters" in error.sem_consistency.reason


@pytest.mark.parametrize(
    ("option", "value"),
    [("level", 95), ("level", 0.0), ("level", True), ("null", 1.0), ("null", -0.1)],
)
def test_options_out_of_range(option, value):
    with pytest.raises(ParameterError, match=option):
        icc(SHROUT_FLEISS, "ICC(2,1)", **{option: value})


def test_unknown_interval_names_the_nearest():
    with pytest.raises(ParameterError, match="irr"):
        icc(SHROUT_FLEISS, "ICC(2,k)", average_interval="ir")


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("ICC(2,1)", "ICC(2,1)"),
        ("icc(a,1)", "ICC(2,1)"),
        ("2,1", "ICC(2,1)"),
        ("ICC2", "ICC(2,1)"),
        ("ICC2k", "ICC(2,k)"),
        ("A,k", "ICC(2,k)"),
        ("ICC(C,1)", "ICC(3,1)"),
        ("ICC(1)", "ICC(1,1)"),
        ("ICC(k)", "ICC(1,k)"),
        ("ICC(3, k)", "ICC(3,k)"),
    ],
)
def test_names_of_a_form(name, form):
    assert icc_form(name).name == form


@pytest.mark.parametrize("name", ["ICC", "", "ICC(4,1)", "ICC(2,2)", "kappa", "ICC(A)k1"])
def test_unknown_form(name):
    with pytest.raises(ParameterError, match="unknown ICC form"):
        icc(SHROUT_FLEISS, name)


def test_every_form_is_named_in_full():
    """COMPLAINTS 13: no ICC without its form, in words and in both naming systems."""
    names = {form.name: (form.mcgraw_wong, form.full_name) for form in KNOWN.values()}
    assert tuple(names) == FORMS
    assert names["ICC(2,1)"] == (
        "ICC(A,1)",
        "two-way random effects, single rater, absolute agreement",
    )
    assert names["ICC(3,k)"] == ("ICC(C,k)", "two-way mixed effects, mean of k raters, consistency")
    assert names["ICC(1,1)"] == (
        "ICC(1)",
        "one-way random effects, single rater, absolute agreement",
    )
    assert len({full for _, full in names.values()}) == 6
    shown = str(icc(SHROUT_FLEISS, "ICC(2,1)"))
    assert (
        shown
        == "ICC(2,1) 0.290 (0.019–0.761) [two-way random effects, single rater, absolute agreement]"
    )


def test_table_has_full_precision():
    """COMPLAINTS 16: rounding belongs to display."""
    frame = intraclass_correlations(SHROUT_FLEISS).table().set_index("form")
    assert frame.loc["ICC(2,1)", "low"] == icc(SHROUT_FLEISS, "ICC(2,1)").estimate.low
    assert frame.loc["ICC(2,1)", "low"] != round(frame.loc["ICC(2,1)", "low"], 6)
    anova = two_way_anova(SHROUT_FLEISS).table()
    assert anova.loc["within items", "sum_of_squares"] == pytest.approx(112.75)
    assert anova.loc["items", "df"] == 5


@pytest.mark.parametrize("form", FORMS)
def test_level_matters_and_higher_levels_are_wider(form):
    """COMPLAINTS 17: every argument has a test that it matters."""
    at = {level: icc(SHROUT_FLEISS, form, level=level).estimate for level in (0.8, 0.9, 0.99)}
    assert at[0.99].low < at[0.9].low < at[0.8].low < at[0.8].value
    assert at[0.99].high > at[0.9].high > at[0.8].high > at[0.8].value
    assert at[0.9].level == 0.9


@pytest.mark.parametrize("form", ["ICC(1,1)", "ICC(3,1)", "ICC(1,k)", "ICC(3,k)"])
def test_null_at_a_bound_is_on_the_edge_of_rejection(form):
    """The F test and the interval are two views of one pivot, where that pivot is exact."""
    upper = icc(SHROUT_FLEISS, form, level=0.90).estimate.high
    assert icc(SHROUT_FLEISS, form, null=upper).p == pytest.approx(0.95, rel=1e-9)


def test_agreement_test_at_the_estimate_has_f_of_one():
    """At the estimate a MSC + b MSE equals MSR, by the definition of ICC(2,1)."""
    for form in ("ICC(2,1)", "ICC(2,k)"):
        value = icc(SHROUT_FLEISS, form).estimate.value
        assert icc(SHROUT_FLEISS, form, null=value).f == pytest.approx(1.0)


def test_a_negative_agreement_may_leave_no_degrees_of_freedom():
    """a MSC + b MSE cancels: F with less than 1 df has bounds that mean nothing."""
    table = np.array([[0, 8.3, 0.2, -11.5, 14], [0.3, 0, 7.3, 2.6, 1.4], [-0.2, 0.1, 0.2, 0, 12]])
    estimate = icc(table, "ICC(2,1)").estimate
    assert estimate.value == pytest.approx(coefficients(table)["ICC(2,1)"])
    assert "below 1" in estimate.reason
    assert not estimate.has_interval
