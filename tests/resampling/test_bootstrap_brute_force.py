"""The engine against explicit resampling, item by item, with the same counts."""

import numpy as np
import pytest
from resampling_examples import icc_statistic, kappa_statistic, two_raters, variance_statistic
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from benchbook.resampling import (
    bootstrap,
    mean_statistic,
    paired_difference,
    ratio_statistic,
    resample,
    resample_difference,
    resample_many,
)
from benchbook.resampling import sums as sums_module
from benchbook.resampling.sums import SumsSampler, collapse, counted_indices

# The same arithmetic in another order: a few roundings of numbers near one.
ROUNDING = 1e-12


def explicit_resamples(sampler, statistic, cluster, size=20, seed=5):
    """Return, for each resample, the item indices that give the sampler's own counts."""
    generator = np.random.default_rng(seed)
    weights = sampler.weights(np.random.default_rng(seed), size).astype(int)
    ids = np.unique(cluster)
    totals = np.array([statistic.contributions[cluster == one].sum(axis=0) for one in ids])
    members = [np.flatnonzero((np.abs(totals - row) < 1e-9).all(axis=1)) for row in sampler.rows]
    assert [len(one) for one in members] == sampler.counts.tolist()
    resamples = []
    for row in weights:
        # Any of the clusters with equal sums will do: that is what collapsing claims.
        drawn = [generator.choice(m, size=w) for m, w in zip(members, row, strict=True)]
        clusters = ids[np.concatenate(drawn)]
        resamples.append(np.concatenate([np.flatnonzero(cluster == one) for one in clusters]))
    return np.random.default_rng(seed), resamples


@pytest.mark.parametrize("n_clusters", [None, 12])
def test_kappa_replicates_equal_scikit_learn_on_the_resampled_ratings(n_clusters):
    first, second = two_raters(600, 3, 0.5, seed=11)
    cluster = np.arange(600) if n_clusters is None else np.arange(600) * n_clusters // 600
    statistic = kappa_statistic(first, second, 3)
    sampler = SumsSampler.prepare([statistic], None, None if n_clusters is None else cluster)
    generator, resamples = explicit_resamples(sampler, statistic, cluster)
    replicates = sampler.replicates(generator, sampler.block_size)[:, 0]
    generator, _ = explicit_resamples(sampler, statistic, cluster)
    weights = sampler.weights(generator, 20)
    values = sampler.values(sampler.exact(weights))[:, 0]
    expected = [cohen_kappa_score(first[i], second[i]) for i in resamples]
    assert values == pytest.approx(expected, rel=0, abs=ROUNDING)
    assert replicates.size == sampler.block_size


def test_icc_replicates_equal_an_anova_on_the_resampled_scores():
    generator = np.random.default_rng(12)
    scores = generator.normal(size=(40, 1)) + generator.normal(size=(40, 3)) + [0.0, 0.5, 1.0]
    statistic = icc_statistic(scores)
    sampler = SumsSampler.prepare([statistic], None, None)
    assert len(sampler.counts) == 40  # all rows differ: indices are drawn
    start, resamples = explicit_resamples(sampler, statistic, np.arange(40))
    values = sampler.values(sampler.exact(sampler.weights(start, 20)))[:, 0]
    for value, items in zip(values, resamples, strict=True):
        table = scores[items]
        grand, rows, columns = table.mean(), table.mean(axis=1), table.mean(axis=0)
        rest = table - rows[:, None] - columns + grand
        ms_rows = 3 * np.sum((rows - grand) ** 2) / 39
        ms_columns = 40 * np.sum((columns - grand) ** 2) / 2
        ms_rest = np.sum(rest**2) / 78
        expected = (ms_rows - ms_rest) / (ms_rows + 2 * ms_rest + 3 * (ms_columns - ms_rest) / 40)
        assert value == pytest.approx(expected, rel=0, abs=ROUNDING)


def test_callable_receives_whole_clusters_and_gives_the_same_replicates():
    generator = np.random.default_rng(13)
    x = generator.normal(size=30)
    cluster = np.array(list("abcdefghij")).repeat(3)
    generator.shuffle(cluster)
    seen = []

    def mean_of(data):
        seen.append(data)
        return float(data[0].mean())

    distribution = resample(mean_of, (x, cluster), cluster=cluster, n_resamples=60, seed=4)
    assert distribution.point == float(x.mean())
    for value, (values, ids) in zip(distribution.replicates, seen[1:], strict=True):
        assert len(ids) == 30  # equal clusters: ten drawn, three items each
        for one in np.unique(ids):
            times, left = divmod(np.count_nonzero(ids == one), 3)
            assert left == 0
            assert sorted(values[ids == one]) == sorted(np.tile(x[cluster == one], times))
        assert value == values.mean()


def test_jackknife_leaves_out_one_cluster_at_a_time():
    first, second = two_raters(60, 3, 0.6, seed=14)
    cluster = np.arange(60) // 5
    statistic = kappa_statistic(first, second, 3)
    expected = [
        cohen_kappa_score(first[cluster != one], second[cluster != one]) for one in range(12)
    ]
    by_sums = resample(statistic, cluster=cluster, n_resamples=2).jackknife
    by_callable = resample(
        lambda data: cohen_kappa_score(*data), (first, second), cluster=cluster, n_resamples=2
    ).jackknife
    assert sorted(by_sums) == pytest.approx(sorted(expected), rel=0, abs=ROUNDING)
    assert by_callable == pytest.approx(expected, rel=0, abs=ROUNDING)


def test_each_statistic_and_each_difference_has_its_own_jackknife():
    generator = np.random.default_rng(16)
    x, y = generator.normal(size=(2, 25))
    one, other = resample_many([mean_statistic(x), mean_statistic(y)], n_resamples=2)
    both = resample_difference(mean_statistic(x), mean_statistic(y), n_resamples=2)
    left_x, left_y = ((v.sum() - v) / 24 for v in (x, y))
    assert sorted(one.jackknife) == pytest.approx(sorted(left_x), abs=ROUNDING)
    assert sorted(other.jackknife) == pytest.approx(sorted(left_y), abs=ROUNDING)
    assert sorted(both.jackknife) == pytest.approx(sorted(left_x - left_y), abs=ROUNDING)


def test_paired_difference_is_the_difference_of_shared_resamples():
    generator = np.random.default_rng(15)
    x = generator.normal(size=80)
    y = x + 0.1 * generator.normal(size=80)
    first, second = mean_statistic(x, name="x"), mean_statistic(y, name="y")
    one, other = resample_many([first, second], seed=3)
    estimate = paired_difference(first, second, seed=3)
    values = one.replicates - other.replicates
    assert estimate.value == one.point - other.point
    assert (estimate.low, estimate.high) == pytest.approx(np.quantile(values, [0.025, 0.975]))
    # The items are shared, so the spread is that of x - y, not that of x and y apart.
    exact = np.std(x - y) / np.sqrt(80)
    assert estimate.standard_error == pytest.approx(exact, rel=4 / np.sqrt(2 * 2000))
    mirrored = paired_difference(second, first, seed=3)
    assert mirrored.value == -estimate.value
    # Sharing columns in another order draws other resamples: equal within Monte-Carlo error.
    tolerance = 4 * np.hypot(estimate.monte_carlo_error[0], mirrored.monte_carlo_error[1])
    assert -mirrored.high == pytest.approx(estimate.low, abs=tolerance)
    both = paired_difference(lambda d: d[:, 0].mean(), lambda d: d[:, 1].mean(), np.c_[x, y])
    assert both.value == pytest.approx(estimate.value, abs=ROUNDING)
    tolerance = 4 * np.hypot(estimate.monte_carlo_error[0], both.monte_carlo_error[0])
    assert both.low == pytest.approx(estimate.low, abs=tolerance)


@pytest.mark.parametrize("way", ["multinomial", "indices", "strips"])
def test_draws_have_the_moments_of_sampling_with_replacement(way, monkeypatch):
    """Counts of a row that stands for m of n: mean m, variance m (1 - m/n)."""
    counts = np.array([1, 4, 15, 100])
    n, size = 120, 6000
    if way == "strips":
        monkeypatch.setattr(sums_module, "_MAX_CELLS", size * 7)
    generator = np.random.default_rng(21)
    if way == "multinomial":
        sampler = SumsSampler.prepare(
            [mean_statistic(np.repeat([1.0, 2.0, 3.0, 4.0], counts))], None, None
        )
        assert sampler.counts.tolist() == counts.tolist()
        weights = sampler.weights(generator, size)
    else:
        weights = counted_indices(generator, counts, size)
    assert np.array_equal(weights.sum(axis=1), np.full(size, n))
    variance = counts * (1 - counts / n)
    four_errors = 4 * np.sqrt(variance / size)
    assert (np.abs(weights.mean(axis=0) - counts) < four_errors).all()
    # A binomial's fourth moment bounds the error of its variance; 4 errors again.
    kurtosis = 3 + (1 - 6 * (counts / n) * (1 - counts / n)) / variance
    four_errors = 4 * variance * np.sqrt((kurtosis - 1) / size)
    assert (np.abs(weights.var(axis=0) - variance) < four_errors).all()
    covariance = np.cov(weights[:, 2], weights[:, 3])[0, 1]
    assert covariance == pytest.approx(-15 * 100 / n, abs=4 * np.sqrt(2 * 12.5**2 / size))


@pytest.mark.parametrize("counts", [np.ones(50, dtype=int), np.array([1, 4, 15, 30])])
@pytest.mark.parametrize("draws_at_a_time", [1, 170, 2**15])
def test_counts_are_of_the_indices_drawn_however_many_at_a_time(
    counts, draws_at_a_time, monkeypatch
):
    monkeypatch.setattr(sums_module, "_CACHED_DRAWS", draws_at_a_time)
    found = counted_indices(np.random.default_rng(8), counts, 20)
    drawn = np.random.default_rng(8).integers(0, 50, size=(20, 50))
    row_of = np.repeat(np.arange(counts.size), counts)
    expected = [np.bincount(row_of[one], minlength=counts.size) for one in drawn]
    assert np.array_equal(found, expected)


def test_both_ways_of_drawing_give_one_distribution():
    values = np.repeat(np.arange(10.0), 30)
    sampler = SumsSampler.prepare([variance_statistic(values)], None, None)
    by_rows = sampler.values(sampler.exact(sampler.weights(np.random.default_rng(1), 3000)))[:, 0]
    drawn = counted_indices(np.random.default_rng(2), sampler.counts, 3000)
    by_index = sampler.values(sampler.exact(drawn))[:, 0]
    assert stats.ks_2samp(by_rows, by_index).pvalue > 0.001


def test_collapse_keeps_each_row_and_its_number():
    generator = np.random.default_rng(22)
    rows = generator.integers(-2, 3, size=(500, 3)) * 0.1
    distinct, counts = collapse(rows)
    expected, expected_counts = np.unique(rows + 0.0, axis=0, return_counts=True)
    assert np.array_equal(distinct, expected)
    assert np.array_equal(counts, expected_counts)


def test_collapse_survives_rows_that_share_a_hash(monkeypatch):
    monkeypatch.setattr(sums_module, "_hashes", lambda rows: (rows[:, 0] > 1).astype(np.uint64))
    rows = np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0], [0.0, 1.0]])
    distinct, counts = collapse(rows)
    assert distinct.tolist() == [[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]]
    assert counts.tolist() == [2, 1, 1]


def test_minus_zero_is_zero():
    distinct, counts = collapse(np.array([[0.0], [-0.0]]))
    assert distinct.tolist() == [[0.0]]
    assert counts.tolist() == [2]


def test_ratio_is_the_ratio_of_sums():
    estimate = bootstrap(ratio_statistic([1.0, 0.0, 5.0], [10.0, 2.0, 8.0]))
    assert estimate.value == 6.0 / 20.0
