"""Variance components by REML: against lme4, the dense likelihood, and on the boundary."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from icc_examples import (
    SHROUT_FLEISS,
    chosen,
    close,
    label,
    ragged,
    restricted_deviance,
    simulated,
    table,
)
from scipy import stats

from benchbook.errors import ParameterError
from benchbook.icc import icc, mixed_model, one_way_anova, one_way_icc, two_way_anova
from benchbook.icc.reml import CrossedDesign, best_fit
from benchbook.ratings import Ratings

# lme4's numbers are written to six significant digits.
SIX_DIGITS = 5e-6
MODELS = {"crossed items and raters": "two-way", "one-way": "one-way"}


def lme4():
    return [
        record
        for record in chosen("r_mixed_icc.json", package="lme4", method="REML")
        if record["options"]["model"] in MODELS and record["table"] != "irr_anxiety"
    ]


@pytest.mark.parametrize("record", lme4(), ids=label)
def test_lme4(record):
    name = record["table"]
    data = ragged(name) if name == "made_oneway_unbalanced" else table(name)
    found = mixed_model(data, model=MODELS[record["options"]["model"]])
    components = found.components
    scale = components.total
    assert close(components.items, record["item"], SIX_DIGITS, SIX_DIGITS * scale)
    assert close(components.error, record["residual"], SIX_DIGITS, SIX_DIGITS * scale)
    if "rater" in record:
        assert close(components.raters, record["rater"], SIX_DIGITS, SIX_DIGITS * scale)
        assert close(components.icc("ICC(2,1)"), record["icc_2_1"], SIX_DIGITS, SIX_DIGITS)
        assert close(components.icc("ICC(3,1)"), record["icc_3_1"], SIX_DIGITS, SIX_DIGITS)
    if "icc_1_1" in record:
        assert close(components.icc("ICC(1,1)"), record["icc_1_1"], SIX_DIGITS, SIX_DIGITS)
    assert close(found.mean, record["mean"], SIX_DIGITS)
    if "mean_se" in record:
        assert close(found.mean_standard_error, record["mean_se"], SIX_DIGITS)
    assert close(found.deviance, record["minus_two_log_likelihood"], SIX_DIGITS)
    assert found.n_scores == record["n_ratings"]


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("shape", [(12, 4), (4, 12)], ids=["tall", "wide"])
def test_deviance_of_the_dense_covariance(shape, missing):
    """The elimination of one factor against the likelihood by its definition."""
    x = simulated(3, *shape, missing=missing)
    design = CrossedDesign(x, two_way=True)
    for items, raters in ((1.3, 0.4), (0.0, 0.7), (2.0, 0.0), (0.0, 0.0), (300.0, 20.0)):
        at = design.evaluate(items, raters)
        dense = restricted_deviance(x, items * at.error, raters * at.error, at.error)
        assert at.deviance == pytest.approx(dense, rel=1e-9)


@pytest.mark.parametrize("shape", [(12, 4), (4, 12)], ids=["tall", "wide"])
def test_gradient_of_the_criterion(shape):
    design = CrossedDesign(simulated(5, *shape, missing=0.2), two_way=True)
    for ratios in ((1.3, 0.4), (0.02, 5.0), (40.0, 3.0)):
        gradient = design.evaluate(*ratios).gradient
        for index in (0, 1):
            step = np.zeros(2)
            step[index] = 1e-5 * ratios[index]
            ahead, behind = (design.evaluate(*(ratios + sign * step)) for sign in (1, -1))
            slope = (ahead.deviance - behind.deviance) / (2 * step[index])
            assert gradient[index] == pytest.approx(slope, rel=1e-4, abs=1e-4)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10_000), st.integers(4, 12), st.integers(2, 6), st.floats(0, 0.5))
def test_no_neighbour_is_better(seed, n, k, missing):
    x = simulated(seed, n, k, items=2.0, raters=0.5, missing=missing)
    assume(not np.isnan(x).all(axis=0).any())  # a rater without a score is refused
    found = mixed_model(x)
    if found.reason is not None:
        return
    best = found.components
    at_best = restricted_deviance(x, best.items, best.raters, best.error)
    assert found.deviance == pytest.approx(at_best, abs=1e-6)
    scale = best.total
    for items in (0, 0.02, -0.02):
        for raters in (0, 0.02, -0.02):
            for error in (0, 0.02, -0.02):
                beside = restricted_deviance(
                    x,
                    max(best.items + items * scale, 0.0),
                    max(best.raters + raters * scale, 0.0),
                    max(best.error + error * scale, best.error / 2),
                )
                assert beside >= at_best - 1e-7


@pytest.mark.parametrize("seed", range(6))
def test_complete_tables_give_the_analysis_of_variance(seed):
    """The closed form against the search it replaces."""
    x = simulated(seed, 15, 5)
    anova = two_way_anova(x).components
    found = mixed_model(x).components
    for part, value in anova.parts.items():
        assert found.parts[part] == pytest.approx(value, rel=1e-12)
    searched = best_fit(CrossedDesign(x, two_way=True)).components
    for part, value in found.parts.items():
        assert searched.parts[part] == pytest.approx(value, rel=1e-7)


def test_negative_anova_component_becomes_zero_and_is_named():
    x = table("made_negative_icc").to_numpy(float)
    found = mixed_model(x)
    assert found.boundary == ("items", "raters")
    # Without random effects REML is the variance of the scores.
    assert found.components.error == pytest.approx(x.var(ddof=1))
    estimate = found.icc("ICC(2,1)")
    assert estimate.value == 0
    assert estimate.low == 0 < estimate.high
    assert "item variance is estimated as zero" in estimate.warnings[0]


def test_common_offset_loses_nothing():
    x = simulated(1, 20, 4, missing=0.2)
    plain, moved = mixed_model(x), mixed_model(x + 1e6)
    assert moved.mean == pytest.approx(plain.mean + 1e6, rel=1e-12)
    for part, value in plain.components.parts.items():
        assert moved.components.parts[part] == pytest.approx(value, rel=1e-6)


def test_change_of_unit():
    x = simulated(2, 20, 4, missing=0.2)
    plain, scaled = mixed_model(x), mixed_model(1000 * x)
    for part, value in plain.components.parts.items():
        assert scaled.components.parts[part] == pytest.approx(1e6 * value, rel=1e-6)
    one, two = plain.icc("ICC(2,1)"), scaled.icc("ICC(2,1)")
    assert (two.low, two.high) == pytest.approx((one.low, one.high), abs=1e-6)


@pytest.mark.parametrize("error", [1e-4, 1e-8, 1e-10])
def test_hardly_any_error(error):
    x = simulated(6, 15, 4, error=error, missing=0.2)
    found = mixed_model(x)
    assert found.components.error == pytest.approx(error, rel=0.6)
    assert found.components.icc("ICC(3,1)") == pytest.approx(1, abs=10 * error)


# ---- intervals -----------------------------------------------------------------------------


def profile_by_definition(x, value, form):
    """Dense restricted deviance at an ICC, minimised on a grid that closes in."""
    best = math.inf
    centre, width = 0.0, 8.0
    for _ in range(12):
        for log_ratio in np.linspace(centre - width, centre + width, 17):
            raters = math.exp(log_ratio)
            items = value / (1 - value) * (1 + (raters if form == "ICC(2,1)" else 0))
            error = CrossedDesign(x, two_way=True).evaluate(items, raters).error
            found = restricted_deviance(x, items * error, raters * error, error)
            if found < best:
                best, nearest = found, log_ratio
        centre, width = nearest, width / 4
    return best


@pytest.mark.parametrize("form", ["ICC(2,1)", "ICC(3,1)"])
def test_bounds_lie_one_chi_squared_quantile_above_the_minimum(form):
    x = simulated(8, 10, 4, missing=0.2)
    found = mixed_model(x)
    estimate = found.icc(form, level=0.9)
    rise = stats.chi2.ppf(0.9, 1)
    for bound in (estimate.low, estimate.high):
        deviance = profile_by_definition(x, bound, form)
        assert deviance - found.deviance == pytest.approx(rise, abs=1e-4)
    assert estimate.low < estimate.value < estimate.high
    assert estimate.method == "REML, profile likelihood"


def test_one_way_bounds():
    x = simulated(8, 10, 4, missing=0.2)
    found = mixed_model(x, model="one-way")
    estimate = found.icc("ICC(1,1)")
    design = CrossedDesign(x, two_way=False)
    for bound in (estimate.low, estimate.high):
        rise = design.evaluate(bound / (1 - bound), 0.0).deviance - found.deviance
        assert rise == pytest.approx(stats.chi2.ppf(0.95, 1), abs=1e-5)


def test_profile_interval_is_near_the_exact_one_where_there_is_one():
    """One-way, complete, 200 items: likelihood and F agree to a few thousandths."""
    x = simulated(10, 200, 3, raters=0.0)
    exact = icc(x, "ICC(1,1)").estimate
    profile = mixed_model(x, model="one-way").icc("ICC(1,1)")
    assert profile.value == pytest.approx(exact.value)
    assert (profile.low, profile.high) == pytest.approx((exact.low, exact.high), abs=0.004)


def test_levels_are_nested():
    found = mixed_model(simulated(8, 10, 4, missing=0.2))
    at = [found.icc("ICC(2,1)", level=level) for level in (0.8, 0.95, 0.99)]
    assert at[2].low < at[1].low < at[0].low
    assert at[0].high < at[1].high < at[2].high


def test_averages_are_spearman_brown_steps():
    found = mixed_model(simulated(8, 10, 4, missing=0.2))
    single, average = found.icc("ICC(2,1)"), found.icc("ICC(2,k)", k=3)
    for part in ("value", "low", "high"):
        one = getattr(single, part)
        assert getattr(average, part) == pytest.approx(3 * one / (1 + 2 * one))
    assert found.icc("ICC(2,k)").value == found.icc("ICC(2,k)", k=4).value
    with pytest.raises(ParameterError, match="k is 0"):
        found.icc("ICC(2,k)", k=0)


def test_interval_can_be_left_out():
    estimate = mixed_model(simulated(8, 10, 4, missing=0.2)).icc("ICC(2,1)", interval=False)
    assert estimate.defined
    assert not estimate.has_interval


# ---- what cannot be fitted -----------------------------------------------------------------


def test_nothing_varies():
    found = mixed_model([[1.0, 1.0], [1.0, 1.0], [1.0, np.nan]])
    assert "no variance" in found.reason
    assert "no variance" in found.icc("ICC(2,1)").reason
    assert math.isnan(found.components.items)


def test_additive_scores_with_a_gap_have_no_maximum():
    x = np.add.outer(np.array([1.0, 2.0, 4.0, 8.0]), np.array([0.0, 5.0, 7.0]))
    x[0, 1] = np.nan
    found = mixed_model(x)
    assert "no maximum" in found.reason
    assert math.isnan(found.icc("ICC(3,1)").value)


def test_additive_scores_without_a_gap_have_components_and_no_interval():
    found = mixed_model(table("made_always_5_higher"))
    assert found.components.error == 0
    assert found.boundary == ("error",)
    estimate = found.icc("ICC(3,1)")
    assert estimate.value == 1
    assert "no maximum" in estimate.reason


def test_too_few_scores():
    found = mixed_model([[1.0, 2.0], [2.0, np.nan]])
    assert "too few" in found.reason


def test_one_item():
    assert "one item" in mixed_model([[1.0, 2.0, 3.0]]).reason


def test_one_way_forms_need_a_one_way_model():
    with pytest.raises(ParameterError, match=r"ICC\(1,1\).*with a rater effect"):
        mixed_model(SHROUT_FLEISS).icc("ICC(1,1)")
    with pytest.raises(ParameterError, match=r"ICC\(2,1\).*without a rater effect"):
        mixed_model(SHROUT_FLEISS, model="one-way").icc("ICC(2,1)")
    with pytest.raises(ParameterError, match="unknown model"):
        mixed_model(SHROUT_FLEISS, model="three-way")


def test_columns_that_are_no_raters_have_no_rater_effect():
    counts = Ratings.from_counts(
        [[2, 1, 0], [0, 1, 2], [3, 0, 0], [0, 0, 2]], "ordinal", categories=[1, 2, 3]
    )
    with pytest.raises(ParameterError, match="identified raters"):
        mixed_model(counts)
    assert mixed_model(counts, model="one-way").components.raters is None


# ---- one way, unequal numbers ----------------------------------------------------------------


def test_unbalanced_one_way_value_and_test():
    record = chosen("r_mixed_icc.json", package="stats")[0]
    found = one_way_icc(ragged("made_oneway_unbalanced"))
    assert close(found.estimate.value, record["icc_1_1"], 1e-9)
    assert close(found.f, record["f"], 1e-9)
    assert (found.df1, found.df2) == (record["df1"], record["df2"])
    assert found.estimate.low < found.estimate.value < found.estimate.high


def test_unbalanced_one_way_intervals_by_their_formulas():
    data = ragged("made_oneway_unbalanced")
    anova = one_way_anova(data)
    n, rest = anova.n_items, anova.df_within
    means = np.array([np.nanmean(row) for row in data.to_numpy(float)])
    harmonic = n / np.sum(1 / anova.sizes)
    between = {
        "n0": (anova.ms_between, anova.size),
        "thomas-hultquist": (harmonic * means.var(ddof=1), harmonic),
    }
    for interval, (square, size) in between.items():
        f = square / anova.ms_within
        low = f / stats.f.ppf(0.975, n - 1, rest)
        high = f * stats.f.ppf(0.975, rest, n - 1)
        estimate = one_way_icc(data, interval=interval).estimate
        assert estimate.low == pytest.approx((low - 1) / (low + size - 1))
        assert estimate.high == pytest.approx((high - 1) / (high + size - 1))
    with pytest.raises(ParameterError, match="unknown interval"):
        one_way_icc(data, interval="smith")


def test_an_estimate_outside_its_interval_says_why():
    """Two items scored a hundred times and far apart carry the estimate, not the interval."""
    rng = np.random.default_rng(5)
    x = np.full((62, 100), np.nan)
    x[:60, :2] = rng.normal(0, 1, (60, 2))
    x[60], x[61] = rng.normal(-6, 1, 100), rng.normal(6, 1, 100)
    estimate = one_way_icc(x).estimate
    assert estimate.value > estimate.high
    assert "outside its interval" in estimate.warnings[0]
    assert not one_way_icc(x, interval="n0").estimate.warnings
