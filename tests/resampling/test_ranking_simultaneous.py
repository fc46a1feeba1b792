"""Max-t intervals and p values for many models, and their ranks."""

import math

import numpy as np
import pytest

from benchbook.errors import ParameterError
from benchbook.resampling import (
    Distribution,
    RankingStatistic,
    mean_statistic,
    pairwise_differences,
    ranks,
    resample_many,
    simultaneous_intervals,
    simultaneous_p_values,
)


def made_up(points, replicates, bounds=(-math.inf, math.inf)):
    replicates = np.asarray(replicates, dtype=float)
    return [
        Distribution(
            point=point,
            replicates=replicates[:, at],
            n_items=9,
            n_clusters=9,
            seed=0,
            unit="item",
            name=f"model {at}",
            reason="why not" if math.isnan(point) else None,
            bounds=bounds,
            leave_one_out=lambda: np.empty(0),
        )
        for at, point in enumerate(points)
    ]


def models(n_models=4, n_items=120, n_resamples=800):
    generator = np.random.default_rng(2)
    positive = np.arange(n_items) % 2 == 0
    return resample_many(
        [
            RankingStatistic(
                f"model {at}",
                generator.normal(size=n_items) + 0.4 * at * positive,
                positive,
                higher_is_positive=True,
            )
            for at in range(n_models)
        ],
        n_resamples=n_resamples,
    )


def test_intervals_are_those_of_the_largest_deviation():
    distributions = models()
    points = np.array([one.point for one in distributions])
    table = np.column_stack([one.replicates for one in distributions])
    scale = table.std(axis=0, ddof=1)
    factor = np.quantile((np.abs(table - points) / scale).max(axis=1), 0.95)
    for at, estimate in enumerate(simultaneous_intervals(distributions)):
        assert estimate.value == points[at]
        assert (estimate.low, estimate.high) == pytest.approx(
            (points[at] - factor * scale[at], min(points[at] + factor * scale[at], 1.0))
        )
        assert estimate.standard_error == pytest.approx(scale[at])
        assert estimate.monte_carlo_error[0] == estimate.monte_carlo_error[1] > 0


def test_more_models_need_wider_intervals_and_copies_none():
    distributions = models(5)
    widths = [
        (lambda one: one.high - one.low)(simultaneous_intervals(distributions[:n])[0])
        for n in (1, 3, 5)
    ]
    assert widths[0] < widths[1] < widths[2]
    alone = simultaneous_intervals(distributions[:1])[0]
    copied = simultaneous_intervals([distributions[0]] * 7)[3]
    assert (alone.low, alone.high) == pytest.approx((copied.low, copied.high))


def test_p_values_agree_with_the_intervals():
    differences = list(pairwise_differences(models()).values())
    p = simultaneous_p_values(differences)
    assert len(differences) == 6
    assert p.min() < 0.05 < p.max()
    for level in (0.9, 0.95, 0.99):
        for estimate, value in zip(
            simultaneous_intervals(differences, level=level), p, strict=True
        ):
            if abs(value - (1 - level)) > 2 / 800:
                assert (value < 1 - level) == (estimate.low > 0 or estimate.high < 0)


def test_p_values_count_by_hand():
    deviations = np.array([[0.0, 1.0], [1.0, -1.0], [-1.0, 0.0], [0.0, 0.0], [2.0, 3.0]])
    points = np.array([1.5, 4.0])
    distributions = made_up(points, points + deviations)
    scale = deviations.std(axis=0, ddof=1)
    largest = (np.abs(deviations) / scale).max(axis=1)
    expected = [((largest >= abs(points[at]) / scale[at]).sum() + 1) / 6 for at in (0, 1)]
    assert simultaneous_p_values(distributions) == pytest.approx(expected)


def test_models_without_a_value_or_without_movement():
    generator = np.random.default_rng(1)
    replicates = generator.normal(size=(300, 3))
    replicates[:, 1], replicates[:, 2] = 0.25, np.nan
    distributions = made_up([0.1, 0.25, math.nan], replicates)
    moving, still, nothing = simultaneous_intervals(distributions)
    assert moving.n_undefined == 0
    assert (still.low, still.high) == (0.25, 0.25)
    assert "no width" in still.warnings[0]
    assert nothing.reason == "why not"
    p = simultaneous_p_values(distributions)
    assert p[1] == pytest.approx(1 / 301)
    assert math.isnan(p[2])
    assert simultaneous_p_values(distributions, null=0.25)[1] == 1.0


def test_lost_resamples_are_counted_and_told():
    replicates = np.random.default_rng(1).normal(size=(200, 2))
    replicates[:30, 1] = np.nan
    for estimate in simultaneous_intervals(made_up([0.0, 0.0], replicates)):
        assert estimate.n_undefined == 30
        assert "no value on 30 of 200" in estimate.warnings[0]


def test_nothing_to_resample_leaves_no_interval():
    distributions = resample_many([mean_statistic([1.0]), mean_statistic([2.0])])
    for estimate in simultaneous_intervals(distributions):
        assert not estimate.has_interval
        assert estimate.reason == "a single item cannot be resampled"
    assert np.isnan(simultaneous_p_values(distributions)).all()
    for one in ranks(distributions, higher_is_better=True):
        assert math.isnan(one.low)
        assert one.reason


def test_distributions_of_different_calls_are_refused():
    one, other = models(1)[0], models(1, n_resamples=700)[0]
    with pytest.raises(ParameterError, match="do not share"):
        simultaneous_intervals([one, other])
    with pytest.raises(ParameterError, match="at least one"):
        simultaneous_intervals([])


def test_simultaneous_intervals_cover_all_means_together():
    """500 data sets of six independent means: within four standard errors of 0.9."""
    generator = np.random.default_rng(0)
    covered = 0
    for seed in range(500):
        table = generator.normal(size=(60, 6))
        distributions = resample_many(
            [mean_statistic(column) for column in table.T], n_resamples=199, seed=seed
        )
        covered += all(
            one.low <= 0 <= one.high for one in simultaneous_intervals(distributions, level=0.9)
        )
    # The normal approximation of 60 values and 199 resamples costs about two points.
    assert covered / 500 == pytest.approx(0.885, abs=4 * math.sqrt(0.1 * 0.9 / 500))


# Ranks


def test_ranks_by_hand_with_ties():
    replicates = [[3, 2, 1], [2, 3, 1], [2, 2, 1], [1, 1, 1]]
    best, second, last = ranks(
        made_up([3.0, 2.0, 1.0], replicates), higher_is_better=True, method="percentile"
    )
    third = 1 / 3
    assert best.probabilities == pytest.approx(
        np.array([1 + 0 + 0.5 + third, 0 + 1 + 0.5 + third, third]) / 4
    )
    assert last.probabilities == pytest.approx(np.array([third, third, 3 + third]) / 4)
    assert [one.rank for one in (best, second, last)] == [1, 2, 3]
    assert (best.low, best.high) == (1, 3)
    turned = ranks(made_up([3.0, 2.0, 1.0], replicates), higher_is_better=False)
    assert [one.rank for one in turned] == [3, 2, 1]


@pytest.mark.parametrize("method", ["simultaneous", "percentile"])
def test_clear_order_has_clear_ranks(method):
    noise = np.random.default_rng(3).normal(scale=0.01, size=(400, 4))
    points = np.array([0.7, 0.9, 0.6, 0.8])
    found = ranks(made_up(points, points + noise), higher_is_better=True, method=method)
    assert [one.rank for one in found] == [3, 1, 4, 2]
    for one in found:
        assert one.low == one.rank == one.high
        assert one.probabilities[int(one.rank) - 1] == 1.0


def test_equal_models_may_have_any_rank():
    found = ranks(models(1) * 3, higher_is_better=True)
    for one in found:
        assert (one.rank, one.low, one.high) == (2.0, 1, 3)
        assert one.probabilities == pytest.approx([1 / 3] * 3)


def test_shares_are_a_double_stochastic_table():
    table = np.array([one.probabilities for one in ranks(models(), higher_is_better=True)])
    assert table.sum(axis=0) == pytest.approx(np.ones(4))
    assert table.sum(axis=1) == pytest.approx(np.ones(4))


def test_simultaneous_ranks_come_from_pairwise_intervals():
    distributions = models()
    differences = pairwise_differences(distributions)
    intervals = dict(
        zip(differences, simultaneous_intervals(list(differences.values())), strict=True)
    )
    found = ranks(distributions, higher_is_better=True)
    for at, one in enumerate(found):
        better = sum(intervals[a, b].high < 0 for a, b in intervals if a == at)
        better += sum(intervals[a, b].low > 0 for a, b in intervals if b == at)
        worse = sum(intervals[a, b].low > 0 for a, b in intervals if a == at)
        worse += sum(intervals[a, b].high < 0 for a, b in intervals if b == at)
        assert (one.low, one.high) == (1 + better, 4 - worse)


def test_model_without_a_value_has_no_rank():
    replicates = np.column_stack([np.random.default_rng(0).normal(size=(50, 2)), [np.nan] * 50])
    *_, lost = ranks(made_up([1.0, 2.0, math.nan], replicates), higher_is_better=True)
    assert math.isnan(lost.rank)
    assert lost.reason == "why not"


@pytest.mark.parametrize("wrong", [{"method": "bca"}, {"higher_is_better": None}, {"level": 95}])
def test_bad_argument_is_named(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        ranks(models(2), **({"higher_is_better": True} | wrong))
