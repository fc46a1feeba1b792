"""Operating points, alarms per hour, net benefit and the ROC band."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from metric_examples import AWKWARD, ROUNDING, both_classes, proc, simulated, table_of

from benchbook.errors import ParameterError
from benchbook.metrics import (
    at_sensitivity,
    at_specificity,
    at_threshold,
    decision_curve,
    net_benefit,
    ranked_counts,
    roc_band,
)

HIGH = {"higher_is_positive": True}


def counts_by_hand(positive, score, threshold, weight=None):
    positive, alarm = np.asarray(positive, bool), np.asarray(score, float) >= threshold
    weight = np.ones(positive.size) if weight is None else np.asarray(weight)
    return tuple(
        weight[mask].sum()
        for mask in (positive & alarm, ~positive & alarm, positive & ~alarm, ~positive & ~alarm)
    )


def counts_of(point):
    return (
        point.true_positive,
        point.false_positive,
        point.false_negative,
        point.true_negative,
    )


def highest_threshold(positive, score, wanted):
    positive, score = np.asarray(positive, bool), np.asarray(score, float)
    reached = [t for t in set(score.tolist()) if (score[positive] >= t).mean() >= wanted]
    return max(reached)


def lowest_threshold(positive, score, wanted):
    positive, score = np.asarray(positive, bool), np.asarray(score, float)
    reached = [t for t in set(score.tolist()) if (score[~positive] < t).mean() >= wanted]
    return min(reached, default=math.inf)


@given(both_classes(), st.integers(1, 20))
def test_thresholds_are_those_found_by_trying_every_score(data, twentieths):
    positive, score = data
    wanted = twentieths / 20
    point = at_sensitivity(positive, score, wanted, **HIGH)
    assert point.threshold == highest_threshold(positive, score, wanted)
    assert point.sensitivity >= wanted
    assert counts_of(point) == counts_by_hand(positive, score, point.threshold)
    point = at_specificity(positive, score, wanted, **HIGH)
    assert point.threshold == lowest_threshold(positive, score, wanted)
    assert point.specificity >= wanted
    assert counts_of(point) == counts_by_hand(positive, score, point.threshold)


def test_a_wanted_share_that_is_a_count_over_a_count_is_met_exactly():
    # 17 of 20 is 0.85, and k of n is the float written k / n for every k and n.
    for n in range(1, 60):
        positive = np.append(np.ones(n, bool), False)
        score = np.append(np.arange(n, 0, -1.0), 0.0)
        for k in range(1, n + 1):
            point = at_sensitivity(positive, score, k / n, **HIGH)
            assert point.true_positive == k


@given(both_classes(), st.integers(-7, 7))
def test_counts_at_a_given_threshold_and_its_mirror(data, threshold):
    positive, score = data
    point = at_threshold(positive, score, threshold, **HIGH)
    assert counts_of(point) == counts_by_hand(positive, score, threshold)
    mirror = at_threshold(positive, -score, -threshold, higher_is_positive=False)
    assert counts_of(mirror) == counts_of(point)
    assert mirror.threshold == -point.threshold


@given(both_classes(), st.floats(0.01, 1))
def test_low_scores_that_speak_for_the_condition_mirror_the_high_ones(data, wanted):
    positive, score = data
    for rule in (at_sensitivity, at_specificity):
        high = rule(positive, score, wanted, **HIGH)
        low = rule(positive, -score, wanted, higher_is_positive=False)
        assert (low.threshold, counts_of(low)) == (-high.threshold, counts_of(high))


def test_weights_move_the_threshold():
    positive, score, weight = [1, 1, 1, 0], [3, 2, 1, 0], [1, 1, 8, 1]
    assert at_sensitivity(positive, score, 0.5, **HIGH).threshold == 2
    point = at_sensitivity(positive, score, 0.5, weight, **HIGH)
    assert point.threshold == 1
    assert counts_of(point) == (10, 0, 0, 1)
    rates = point.rates()
    assert rates["sensitivity"].value == 1
    assert "weighted" in rates["sensitivity"].reason


@given(both_classes())
def test_whole_weights_are_copies(data):
    positive, score = data
    weight = np.arange(score.size) % 3
    again = np.repeat(np.arange(score.size), weight)
    if not positive[again].any() or positive[again].all():
        return
    for rule in (at_sensitivity, at_specificity):
        weighted = rule(positive, score, 0.8, weight, **HIGH)
        copied = rule(positive[again], score[again], 0.8, **HIGH)
        assert counts_of(weighted) == counts_of(copied)
        assert weighted.threshold == copied.threshold


def test_a_specificity_no_score_reaches_means_never_alarming():
    positive, score = [0, 1, 0], [3.0, 2, 1]
    point = at_specificity(positive, score, 1.0, **HIGH)
    assert point.threshold == math.inf
    assert (point.sensitivity, point.specificity, point.alarms) == (0, 1, 0)
    assert math.isnan(point.positive_predictive_value)
    rates = point.rates()
    assert rates["positive predictive value"].reason == "there are no alarms"
    low = at_specificity(positive, [-3.0, -2, -1], 1.0, higher_is_positive=False)
    assert low.threshold == -math.inf


@pytest.mark.parametrize("name", AWKWARD)
def test_awkward_data_have_an_operating_point(name):
    positive, score = AWKWARD[name]
    point = at_sensitivity(positive, score, 0.85, **HIGH)
    assert point.threshold == highest_threshold(positive, score, 0.85)
    assert counts_of(point) == counts_by_hand(positive, score, point.threshold)


def test_what_is_undefined_says_why():
    point = at_sensitivity([0, 0], [1, 2], 0.85, **HIGH)
    assert math.isnan(point.threshold)
    assert point.reason == "there are no positives"
    assert {one.reason for one in point.rates().values()} == {"there are no positives"}
    assert math.isnan(point.alarms_per_hour(items_per_hour=60))
    assert at_specificity([1], [1], 0.9, **HIGH).reason == "there are no negatives"
    assert at_threshold([], [], 0.5, **HIGH).reason == "there are no items"
    alone = at_threshold([1, 1], [1, 2], 2, **HIGH)
    assert (alone.sensitivity, alone.reason) == (0.5, None)
    assert alone.rates()["specificity"].reason == "there are no negatives"


def test_rates_have_wilson_intervals_and_say_where_the_threshold_came_from():
    positive, score = simulated(200)
    found = at_sensitivity(positive, score, 0.85, **HIGH)
    fixed = at_threshold(positive, score, found.threshold, **HIGH)
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(
        fixed.true_positive, fixed.true_positive + fixed.false_negative, method="wilson"
    )
    for point, n_warnings in ((found, 1), (fixed, 0)):
        made = point.rates()["sensitivity"]
        assert (made.low, made.high) == pytest.approx((low, high), abs=ROUNDING)
        assert len(made.warnings) == n_warnings
    assert found.rates(level=0.5)["sensitivity"].low > low


def test_alarms_per_hour():
    positive, score = [1, 0, 0, 0, 1, 0], [9, 8, 1, 1, 1, 1]
    point = at_threshold(positive, score, 8, **HIGH)
    # Two alarms in six items: of one minute, or windows of five.
    assert point.alarms_per_hour(items_per_hour=60) == 20
    assert point.alarms_per_hour(items_per_hour=12) == 4
    with pytest.raises(ParameterError, match="items_per_hour"):
        point.alarms_per_hour(items_per_hour=0)


@pytest.mark.parametrize("wanted", [0, 1.2, 85, "0.85", None, True, math.nan])
def test_a_wanted_rate_is_a_share(wanted):
    with pytest.raises(ParameterError, match="sensitivity is"):
        at_sensitivity([1, 0], [1, 0], wanted, **HIGH)


def test_net_benefit_by_hand_and_its_limits():
    positive = [1, 1, 0, 0, 0, 0, 0, 0, 0, 0]
    chance = [0.9, 0.2, 0.4, 0.3, 0.2, 0.1, 0.1, 0.1, 0.0, 0.0]
    # At 0.2: alarms on 2 positives and 3 negatives.
    assert net_benefit(positive, chance, 0.2).value == pytest.approx(0.2 - 0.3 / 4, abs=ROUNDING)
    curve = decision_curve(positive, chance, [0.05, 0.2, 0.95])
    all_at = [0.2 - 0.8 * t / (1 - t) for t in (0.05, 0.2, 0.95)]
    np.testing.assert_allclose(curve.treat_all, all_at, atol=ROUNDING)
    assert curve.net_benefit[2] == 0  # nobody is treated
    assert curve.prevalence == 0.2
    perfect = net_benefit(positive, np.asarray(positive, float), 0.7)
    assert perfect.value == 0.2
    assert net_benefit([], [], 0.5).reason == "there are no items"
    with pytest.raises(ParameterError, match="thresholds hold"):
        decision_curve(positive, chance, [0.5, 1.0])


@given(both_classes(), st.floats(0.01, 0.99))
def test_net_benefit_is_that_of_the_counts(data, threshold):
    positive, score = data
    chance = (score + 6) / 12
    weight = 1 + np.arange(score.size) % 3
    tp, fp, fn, tn = counts_by_hand(positive, chance, threshold, weight)
    expected = (tp - fp * threshold / (1 - threshold)) / (tp + fp + fn + tn)
    made = net_benefit(positive, chance, threshold, weight)
    assert made.value == pytest.approx(expected, abs=ROUNDING * max(1, abs(expected)))


def true_curve(rate, shift):
    from scipy.special import ndtr, ndtri

    return ndtr(shift + ndtri(rate))


def test_the_simultaneous_band_holds_the_whole_curve_often_enough():
    held = pointwise_held = 0
    for seed in range(200):
        positive, score = simulated(120, share=0.5, seed=seed)
        counts = ranked_counts(positive, score, **HIGH)
        for kind in ("simultaneous", "pointwise"):
            band = roc_band(counts, kind=kind, level=0.8)
            curve = true_curve(band.false_positive_rate, 1.0)
            inside = ((band.low <= curve) & (curve <= band.high)).all()
            held += inside and kind == "simultaneous"
            pointwise_held += inside and kind == "pointwise"
    # At least 160 of 200 expected; 17 fewer is three standard errors.
    assert held >= 143
    assert pointwise_held < held


@pytest.mark.parametrize("kind", ["simultaneous", "pointwise"])
@pytest.mark.parametrize("record", proc()["single"], ids=lambda r: f"{r['table']}-{r['score']}")
def test_a_band_holds_the_empirical_curve_and_rises(record, kind):
    table = table_of(record)
    counts = ranked_counts(
        table["poor"], table[record["score"]], higher_is_positive=record["higher_is_positive"]
    )
    band = roc_band(counts, kind=kind)
    rate, sensitivity = counts.roc_path()
    at = np.searchsorted(band.false_positive_rate, rate)
    assert (band.low[at] <= sensitivity).all()
    assert (sensitivity <= band.high[at]).all()
    for bound in (band.low, band.high):
        assert (np.diff(bound) >= 0).all()
        assert bound.min() >= 0
        assert bound.max() <= 1
    wider = roc_band(counts, kind=kind, level=0.99)
    assert (wider.low <= band.low).all()
    assert (wider.high >= band.high).all()


def test_a_band_is_refused_or_undefined_where_it_has_no_meaning():
    weighted = ranked_counts([1, 0], [1, 0], [1.0, 2.0], **HIGH)
    with pytest.raises(ParameterError, match="weights"):
        roc_band(weighted, kind="pointwise")
    with pytest.raises(ParameterError, match="pointwise"):
        roc_band(ranked_counts([1, 0], [1, 0], **HIGH), kind="point-wise")
    band = roc_band(ranked_counts([1, 1], [1, 0], **HIGH), kind="pointwise")
    assert band.reason == "there are no negatives"
    assert np.isnan(band.low).all()
