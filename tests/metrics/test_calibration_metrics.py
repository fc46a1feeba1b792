"""Brier score and its parts, calibration error, reliability curve, slope and intercept."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from metric_examples import ROUNDING, both_classes
from scipy.special import expit, logit
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss

from benchbook.errors import DataError, ParameterError
from benchbook.metrics import (
    brier_decomposition,
    brier_score,
    expected_calibration_error,
    probability_bins,
    recalibration,
    reliability_curve,
)

UNIFORM = {"n_bins": 10, "strategy": "uniform"}


def forecasts(n=400, seed=0, shift=0.0, slope=1.0):
    """Outcomes with logit P = shift + slope x logit(forecast)."""
    generator = np.random.default_rng(seed)
    chance = expit(generator.normal(-0.5, 1.2, n))
    return generator.random(n) < expit(shift + slope * logit(chance)), chance


def weights(n):
    return np.random.default_rng(9).uniform(0.2, 2, n)


@pytest.mark.parametrize("weighted", [False, True])
def test_brier_score_agrees_with_scikit_learn(weighted):
    positive, chance = forecasts()
    weight = weights(400) if weighted else None
    made = brier_score(positive, chance, weight)
    assert made.value == pytest.approx(
        brier_score_loss(positive, chance, sample_weight=weight), abs=ROUNDING
    )


@given(both_classes(), st.booleans(), st.booleans())
def test_the_parts_of_the_brier_score_add_up(data, binned, weighted):
    positive, score = data
    chance = (score + 6) / 12
    weight = 1.0 + np.arange(score.size) % 3 if weighted else None
    bins = probability_bins(4, "uniform") if binned else None
    parts = brier_decomposition(positive, chance, weight, bins=bins)
    total = parts.reliability - parts.resolution + parts.uncertainty + parts.within_bins
    assert parts.score == pytest.approx(total, abs=ROUNDING)
    assert parts.score == brier_score(positive, chance, weight).value
    if not binned:
        assert parts.within_bins == 0
        assert parts.n_bins == np.unique(chance).size


def test_the_parts_by_hand():
    # Two forecasts, 0.2 (1 of 4 positive) and 0.6 (3 of 4): prevalence one half.
    positive, chance = [1, 0, 0, 0, 1, 1, 1, 0], [0.2] * 4 + [0.6] * 4
    parts = brier_decomposition(positive, chance)
    assert parts.reliability == pytest.approx((0.05**2 + 0.15**2) / 2, abs=ROUNDING)
    assert parts.resolution == pytest.approx(0.25**2, abs=ROUNDING)
    assert parts.uncertainty == pytest.approx(0.25, abs=ROUNDING)
    assert parts.skill == pytest.approx(1 - parts.score / 0.25, abs=ROUNDING)
    # Within-bin terms (Stephenson et al. 2008): variance less twice the covariance, in one bin.
    one = brier_decomposition(positive, chance, bins=probability_bins(1, "uniform"))
    x, y = np.array(chance), np.array(positive)
    expected = x.var() - 2 * ((x - x.mean()) * (y - y.mean())).mean()
    assert one.within_bins == pytest.approx(expected, abs=ROUNDING)


def test_skill_is_undefined_with_one_class():
    parts = brier_decomposition([1, 1], [0.5, 0.9])
    assert math.isnan(parts.skill)
    assert parts.uncertainty == 0
    assert brier_decomposition([], []).reason == "there are no items"
    assert brier_score([], []).reason == "there are no items"


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_reliability_curve_agrees_with_scikit_learn(strategy):
    positive, chance = forecasts()
    curve = reliability_curve(positive, chance, n_bins=8, strategy=strategy)
    share, mean = calibration_curve(positive, chance, n_bins=8, strategy=strategy)
    np.testing.assert_allclose(curve.share, share, atol=ROUNDING)
    np.testing.assert_allclose(curve.mean_probability, mean, atol=ROUNDING)
    assert curve.weight.sum() == 400
    assert (curve.left <= curve.mean_probability).all()
    assert (curve.mean_probability <= curve.right).all()
    assert (curve.low <= curve.share).all()
    assert (curve.share <= curve.high).all()
    assert curve.binning == f"8 {strategy} bins"


def test_edges_belong_to_the_bin_on_their_left_however_they_are_written():
    bins = probability_bins(10, "uniform")
    written = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]
    assert bins.of(np.array(written)).tolist() == [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]


def test_tied_probabilities_share_a_quantile_bin():
    chance = np.array([0.1] * 6 + [0.5, 0.6, 0.7, 0.8])
    curve = reliability_curve(chance > 0.55, chance, n_bins=4, strategy="quantile")
    assert curve.weight.sum() == 10
    assert curve.weight[0] == 6
    assert curve.mean_probability[0] == pytest.approx(0.1, abs=ROUNDING)


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
@pytest.mark.parametrize("weighted", [False, True])
def test_calibration_error_is_that_of_the_bins(strategy, weighted):
    positive, chance = forecasts()
    weight = weights(400) if weighted else np.ones(400)
    place = probability_bins(7, strategy, chance).of(chance)
    gaps, sizes = [], []
    for one in range(7):
        inside = place == one
        sizes.append(weight[inside].sum())
        gap = np.average((chance - positive)[inside], weights=weight[inside]) if sizes[-1] else 0
        gaps.append(abs(gap))
    gaps, shares = np.array(gaps), np.array(sizes) / weight.sum()
    expected = {"l1": shares @ gaps, "l2": np.sqrt(shares @ gaps**2), "max": gaps.max()}
    for norm, value in expected.items():
        made = expected_calibration_error(
            positive,
            chance,
            weight if weighted else None,
            n_bins=7,
            strategy=strategy,
            norm=norm,
        )
        assert made.value == pytest.approx(value, abs=ROUNDING)
        assert f"7 {strategy} bins" in made.name


def test_calibration_error_at_its_ends():
    assert expected_calibration_error([1, 0], [1.0, 0.0], **UNIFORM).value == 0
    assert expected_calibration_error([1, 0], [0.0, 1.0], **UNIFORM).value == 1
    assert expected_calibration_error([], [], **UNIFORM).reason == "there are no items"


@pytest.mark.parametrize("weighted", [False, True])
def test_slope_and_intercepts_agree_with_statsmodels(weighted):
    import statsmodels.api as sm

    positive, chance = forecasts(shift=0.4, slope=0.7)
    weight = np.random.default_rng(4).integers(0, 4, 400) if weighted else None
    made = recalibration(positive, chance, weight)
    x, y = logit(chance), positive.astype(float)
    family = sm.families.Binomial()

    def peer(design, **more):
        model = sm.GLM(y, design, family=family, freq_weights=weight, **more)
        # Reweighted least squares, its default, leaves standard errors one step behind.
        # Its standard errors are those of the step before the last: start it where it ended.
        return model.fit(start_params=model.fit(tol=1e-14).params, tol=1e-14)

    both = peer(sm.add_constant(x))
    large = peer(np.ones((400, 1)), offset=x)
    for own, fit, place in (
        (made.intercept, both, 0),
        (made.slope, both, 1),
        (made.in_the_large, large, 0),
    ):
        assert own.value == pytest.approx(fit.params[place], abs=ROUNDING)
        assert own.standard_error == pytest.approx(fit.bse[place], abs=ROUNDING)
        low, high = fit.conf_int()[place]
        assert (own.low, own.high) == pytest.approx((low, high), abs=10 * ROUNDING)


@given(st.integers(0, 10_000), st.floats(0.3, 3), st.floats(-2, 2))
def test_recalibration_undoes_a_linear_change_of_the_logit(seed, slope, shift):
    positive, chance = forecasts(150, seed=seed)
    if positive.all() or not positive.any():
        return
    plain = recalibration(positive, chance)
    moved = recalibration(positive, expit((logit(chance) - shift) / slope))
    # expit and logit lose some digits where probabilities are close to 1.
    assert moved.slope.value == pytest.approx(slope * plain.slope.value, rel=1e-8)
    expected = plain.intercept.value + plain.slope.value * shift
    assert moved.intercept.value == pytest.approx(expected, abs=1e-8)


def test_far_away_forecasts_still_converge():
    positive, chance = forecasts(300, seed=2)
    far = expit(20 * logit(chance) + 5)
    clip = 1e-15
    made = recalibration(positive, far, clip=clip)
    x = logit(np.clip(far, clip, 1 - clip))
    # At the maximum the score equations hold.
    left = positive - expit(made.intercept.value + made.slope.value * x)
    assert left.sum() == pytest.approx(0, abs=1e-9)
    assert left @ x == pytest.approx(0, abs=1e-7)
    assert made.n_clipped == ((far < clip) | (far > 1 - clip)).sum()
    left = positive - expit(made.in_the_large.value + x)
    assert left.sum() == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("tiny", [1e-300, 1e-30, 1e-5])
def test_certainties_that_were_wrong_move_the_intercept_all_the_way(tiny):
    positive, chance = [1, 0, 0, 1, 0], [tiny, tiny / 2, 0.5, 0.3, 0.2]
    made = recalibration(positive, chance)
    for a, b in (
        (made.in_the_large.value, 1.0),
        (made.intercept.value, made.slope.value),
    ):
        left = np.array(positive) - expit(a + b * logit(np.array(chance)))
        assert left.sum() == pytest.approx(0, abs=1e-9)
    assert made.in_the_large.has_interval
    assert made.slope.has_interval


@pytest.mark.parametrize(
    ("positive", "chance", "slope", "large"),
    [
        ([], [], "no items", "no items"),
        ([1, 1], [0.5, 0.6], "no negatives", "no negatives"),
        ([0, 0], [0.5, 0.6], "no positives", "no positives"),
        ([0, 1, 0], [0.3, 0.3, 0.3], "do not vary", None),
        ([0, 0, 1, 1], [0.1, 0.2, 0.7, 0.8], "separates", None),
        ([1, 1, 0, 0], [0.1, 0.2, 0.7, 0.8], "separates", None),
        ([0, 0, 1, 1], [0.1, 0.5, 0.5, 0.8], "separates", None),
        ([0, 1, 0, 1], [0.0, 0.5, 0.6, 1.0], "2 of 4", "2 of 4"),
    ],
)
def test_what_has_no_slope_says_why(positive, chance, slope, large):
    made = recalibration(positive, chance)
    assert slope in made.slope.reason
    assert made.slope.reason == made.intercept.reason
    if large is None:
        assert made.in_the_large.has_interval
    else:
        assert large in made.in_the_large.reason


def test_clipping_is_asked_for_and_counted():
    made = recalibration([0, 1, 0, 1, 1], [0.0, 0.5, 0.6, 1.0, 0.3], clip=1e-3)
    assert made.n_clipped == 2
    assert made.slope.defined
    with pytest.raises(ParameterError, match="clip is"):
        recalibration([0, 1], [0.2, 0.3], clip=0.5)


def test_probabilities_lie_between_zero_and_one():
    for metric in (brier_score, brier_decomposition, recalibration):
        with pytest.raises(DataError, match="row 2, column probability"):
            metric([0, 1], [0.2, 1.2])
    with pytest.raises(ParameterError, match="strategy"):
        expected_calibration_error([0, 1], [0.2, 0.3], n_bins=5, strategy="equal")
    with pytest.raises(ParameterError, match="n_bins"):
        expected_calibration_error([0, 1], [0.2, 0.3], n_bins=0, strategy="uniform")
    with pytest.raises(ParameterError, match="norm"):
        expected_calibration_error([0, 1], [0.2, 0.3], norm="L3", **UNIFORM)
    with pytest.raises(ParameterError, match="quantiles of"):
        probability_bins(5, "quantile")
