"""Every ranking measure on every resample against scikit-learn and explicit rows."""

import math

import numpy as np
import pytest
from ranking_examples import KINDS, by_hand, example, statistics, with_counts

from benchbook.metrics.curves import auroc, average_precision
from benchbook.metrics.operating import at_sensitivity
from benchbook.resampling import (
    RankingStatistic,
    bootstrap,
    ranking_kernel,
    ranking_numpy,
    resample_many,
)
from benchbook.resampling.ranking import MEASURES

# Counts are exact; what is left is the rounding of one quotient, or of a sum of quotients.
EXACT = 1e-12
N_RESAMPLES = 40


@pytest.fixture(params=["compiled", "numpy"])
def kernel(request, monkeypatch):
    if request.param == "compiled":
        pytest.importorskip("numba")
    else:
        monkeypatch.setattr(ranking_kernel, "backend", lambda: ranking_numpy)
    return request.param


@pytest.mark.parametrize("kind", KINDS)
def test_every_resample_matches_explicit_rows(kind, kernel):
    scores, positive, cluster, weights = example(kind)
    found, counts = with_counts(
        statistics(scores, positive, weights), cluster, n_resamples=N_RESAMPLES, seed=3
    )
    for number in range(N_RESAMPLES):
        rows = np.repeat(np.arange(len(scores)), counts[number])
        expected = by_hand(scores[rows], positive[rows], None if weights is None else weights[rows])
        for one in found:
            assert one.replicates[number] == pytest.approx(
                expected[one.name], rel=EXACT, abs=EXACT, nan_ok=True
            ), (one.name, number)


@pytest.mark.parametrize("kind", KINDS)
def test_data_and_every_left_out_cluster_match_explicit_rows(kind, kernel):
    scores, positive, cluster, weights = example(kind)
    found = resample_many(
        statistics(scores, positive, weights), cluster=cluster, n_resamples=2, seed=3
    )
    whole = by_hand(scores, positive, weights)
    left_out = []
    for one in np.unique(cluster):
        kept = cluster != one
        part = None if weights is None else weights[kept]
        left_out.append(by_hand(scores[kept], positive[kept], part))
    for one in found:
        assert one.point == pytest.approx(whole[one.name], rel=EXACT, abs=EXACT, nan_ok=True)
        expected = np.sort([values[one.name] for values in left_out])
        assert np.sort(one.jackknife) == pytest.approx(
            expected, rel=EXACT, abs=EXACT, nan_ok=True
        ), one.name


@pytest.mark.parametrize("kind", KINDS)
def test_kernels_give_the_same_bits(kind, monkeypatch):
    pytest.importorskip("numba")
    scores, positive, cluster, weights = example(kind, n_items=300)
    these = statistics(scores, positive, weights)

    def everything():
        found = resample_many(these, cluster=cluster, n_resamples=130, seed=5)
        return [
            (repr(one.point), one.replicates.tobytes(), one.jackknife.tobytes()) for one in found
        ]

    compiled = everything()
    monkeypatch.setattr(ranking_kernel, "backend", lambda: ranking_numpy)
    assert everything() == compiled


@pytest.mark.parametrize("bounds", [(0, 2**32), (0, 0)])
@pytest.mark.parametrize("kind", ["ties", "plain", "whole weights"])
def test_wider_sums_give_the_same_values(kind, bounds, monkeypatch, kernel):
    """Counts of many rows are kept in int64, and those of very many in float64."""
    scores, positive, cluster, weights = example(kind)
    these = statistics(scores, positive, weights)
    narrow = resample_many(these, cluster=cluster, n_resamples=100)
    monkeypatch.setattr(ranking_kernel, "_SMALL", bounds[0])
    monkeypatch.setattr(ranking_kernel, "_LARGE", bounds[1])
    wide = resample_many(these, cluster=cluster, n_resamples=100)
    for one, other in zip(narrow, wide, strict=True):
        assert np.array_equal(one.replicates, other.replicates, equal_nan=True)
        assert np.array_equal(one.jackknife, other.jackknife, equal_nan=True)


def test_counts_beyond_four_thousand_million_do_not_overflow(kernel):
    """Weights stand in for rows: twice the product of the classes exceeds 2**63."""
    weights = np.array([3e9, 4e9, 5e9, 6e9])
    statistic = RankingStatistic(
        "a", [4.0, 3.0, 2.0, 1.0], [1, 0, 1, 0], higher_is_positive=True, weights=weights
    )
    expected = (3e9 * 10e9 + 5e9 * 6e9) / (8e9 * 10e9)
    assert bootstrap(statistic, n_resamples=70).value == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("sensitivity", [0.05, 0.5, 0.85, 1.0])
def test_points_on_the_data_are_those_of_the_metrics(sensitivity):
    scores, positive, cluster, _ = example("ties", n_items=200)
    found = resample_many(
        statistics(scores, positive, sensitivity=sensitivity), cluster=cluster, n_resamples=2
    )
    values = {one.name: one.point for one in found}
    point = at_sensitivity(positive, scores, sensitivity, higher_is_positive=True)
    assert values["auroc"] == auroc(positive, scores, higher_is_positive=True).value
    precision = average_precision(positive, scores, higher_is_positive=True).value
    assert values["average_precision"] == pytest.approx(precision, rel=EXACT)
    assert values["threshold_at_sensitivity"] == point.threshold
    assert values["sensitivity_at_sensitivity"] == point.sensitivity
    assert values["specificity_at_sensitivity"] == point.specificity
    assert values["alarms_at_sensitivity"] == point.alarms
    ppv = point.positive_predictive_value
    assert values["positive_predictive_value_at_sensitivity"] == ppv


@pytest.mark.parametrize("n_positive", range(1, 41))
def test_wanted_sensitivity_is_compared_as_a_quotient(n_positive):
    """17 of 20 is 0.85, 3 of 4 is 0.75: no rounding moves the threshold by one positive."""
    scores = np.arange(n_positive + 1.0)[::-1]
    positive = scores > 0
    for count in range(1, n_positive + 1):
        wanted = count / n_positive
        these = statistics(scores, positive, sensitivity=wanted)
        weighted = statistics(scores, positive, np.full(scores.size, 0.1), sensitivity=wanted)
        at = list(MEASURES).index("threshold_at_sensitivity")
        both = resample_many([these[at], weighted[at]], n_resamples=2)
        assert both[0].point == scores[count - 1]
        total = np.cumsum(np.full(n_positive, 0.1))
        first = int(np.argmax(total / total[-1] >= wanted))
        assert both[1].point == scores[first]


def test_low_scores_for_the_condition_mirror_high_ones():
    scores, positive, cluster, _ = example("ties")
    high = resample_many(statistics(scores, positive), cluster=cluster, n_resamples=100)
    low = resample_many(
        statistics(-scores, positive, higher=False), cluster=cluster, n_resamples=100
    )
    for one, other in zip(high, low, strict=True):
        sign = -1.0 if one.name == "threshold_at_sensitivity" else 1.0
        assert np.array_equal(one.replicates, sign * other.replicates, equal_nan=True)


def test_areas_of_textbook_rankings():
    """Nothing to compute: a perfect, an inverted and an uninformative ranking."""
    labels = [True, True, False, False]
    for scores, area in (([4, 3, 2, 1], 1.0), ([1, 2, 3, 4], 0.0), ([1, 1, 1, 1], 0.5)):
        statistic = RankingStatistic("a", scores, labels, higher_is_positive=True)
        assert bootstrap(statistic, n_resamples=10).value == area
    assert math.isnan(
        bootstrap(RankingStatistic("a", [1, 2], [1, 1], higher_is_positive=True)).value
    )
