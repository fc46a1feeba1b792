"""Interval methods against scipy, a published example, and theory."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from resampling_examples import kappa_statistic, two_raters, variance_statistic
from scipy import stats

from benchbook.errors import ParameterError
from benchbook.resampling import (
    Distribution,
    SumsStatistic,
    bootstrap,
    mean_statistic,
    ratio_statistic,
    resample,
)
from benchbook.resampling.intervals import acceleration, bias_correction, quantile_error

METHODS = ["percentile", "basic", "bca"]
SCIPY_NAME = {"percentile": "percentile", "basic": "basic", "bca": "BCa"}
# Two independent runs differ by about sqrt(2) Monte-Carlo errors; five of those are exceeded by
# chance about once in two million bounds. BCa adds the error of the bias correction.
MONTE_CARLO_ERRORS = 5 * math.sqrt(2)

# Efron and Tibshirani (1993), An Introduction to the Bootstrap, Table 14.1: spatial test data,
# test A of 26 children. Their example is the variance, with a 90 % interval.
SPATIAL_A = [48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6,
             0, 33, 28, 34, 4, 32, 24, 47, 41, 24, 26, 30, 41]  # fmt: skip


def skewed(n=60, seed=31):
    return np.random.default_rng(seed).exponential(size=n)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_same_replicates_give_scipy_interval(method, level):
    """scipy takes a ready distribution, so the formulas can be compared without noise."""
    values = skewed()
    distribution = resample(variance_statistic(values), n_resamples=999, seed=5)
    ours = distribution.interval(method, level)
    ready = SimpleNamespace(bootstrap_distribution=distribution.replicates)
    theirs = stats.bootstrap(
        (values,), np.var, n_resamples=0, bootstrap_result=ready, confidence_level=level,
        method=SCIPY_NAME[method],
    )  # fmt: skip
    assert ours.low == pytest.approx(theirs.confidence_interval.low, rel=1e-9)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, rel=1e-9)
    assert ours.standard_error == pytest.approx(theirs.standard_error, rel=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_interval_of_the_mean_agrees_with_scipy(method):
    values = skewed()
    ours = bootstrap(mean_statistic(values), n_resamples=9999, method=method, seed=6)
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=9999, method=SCIPY_NAME[method], rng=7
    ).confidence_interval
    extra = 2.0 if method == "bca" else 1.0
    for bound, other, error in zip(
        (ours.low, ours.high), theirs, ours.monte_carlo_error, strict=True
    ):
        assert bound == pytest.approx(other, abs=extra * MONTE_CARLO_ERRORS * error)


def test_published_example_of_bca():
    statistic = variance_statistic(SPATIAL_A)
    distribution = resample(statistic, n_resamples=20000, seed=8)
    assert distribution.point == pytest.approx(171.5, abs=0.05)
    assert acceleration(distribution.jackknife) == pytest.approx(0.061, abs=0.0005)
    # The book's z0 of 0.146 comes from 2,000 resamples: one error is about 0.028.
    assert bias_correction(distribution.replicates, distribution.point) == pytest.approx(
        0.146, abs=4 * 0.028
    )
    bca = distribution.interval("bca", 0.90)
    percentile = distribution.interval("percentile", 0.90)
    # Bounds of the book carry the error of 2,000 resamples, sqrt(10) times ours.
    for estimate, bounds in ((bca, (115.8, 259.6)), (percentile, (100.8, 233.9))):
        found = (estimate.low, estimate.high)
        for bound, published, error in zip(found, bounds, estimate.monte_carlo_error, strict=True):
            assert bound == pytest.approx(published, abs=4 * math.sqrt(11) * error)


def test_basic_is_the_mirror_of_percentile():
    distribution = resample(variance_statistic(skewed()), seed=9)
    percentile, basic = distribution.interval("percentile"), distribution.interval("basic")
    assert basic.low == pytest.approx(2 * basic.value - percentile.high, rel=1e-12)
    assert basic.high == pytest.approx(2 * basic.value - percentile.low, rel=1e-12)
    assert basic.monte_carlo_error == percentile.monte_carlo_error[::-1]


def test_basic_is_clipped_to_the_range_and_says_so():
    first, second = two_raters(25, 2, 0.9, seed=1)
    distribution = resample(kappa_statistic(first, second, 2), seed=10)
    basic = distribution.interval("basic")
    raw = 2 * basic.value - np.nanquantile(distribution.replicates, 0.025)
    assert raw > 1.0
    assert basic.high == 1.0
    assert any("clipped" in warning for warning in basic.warnings)
    assert not any("clipped" in w for w in distribution.interval("percentile").warnings)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
def test_level_matters_and_is_kept(level):
    estimate = bootstrap(mean_statistic(skewed()), level=level)
    replicates = resample(mean_statistic(skewed())).replicates
    tail = (1 - level) / 2
    assert estimate.level == level
    assert (estimate.low, estimate.high) == pytest.approx(np.quantile(replicates, [tail, 1 - tail]))


def test_ties_count_one_half_in_the_bias_correction():
    assert bias_correction(np.array([0.0, 1.0, 1.0, 2.0]), 1.0) == 0.0
    share = stats.norm.ppf((1 + 2 / 2) / 5)
    assert bias_correction(np.array([0.0, 1.0, 1.0, 2.0, 2.0]), 1.0) == pytest.approx(share)


def test_replicates_that_differ_by_rounding_alone_are_ties():
    large = 1e8 + np.array([-1e-3, 0.0, 1e-3])
    assert bias_correction(np.append(large, np.nextafter(1e8, 0)), 1e8) == 0.0
    # A point of zero has no last place; there the range of the replicates is the measure.
    assert bias_correction(np.array([-1.0, -3e-17, 0.0, 1.0]), 0.0) == 0.0
    assert bias_correction(np.array([-1.0, -3e-5, 0.0, 1.0]), 0.0) > 0.0


def test_acceleration_of_the_mean_has_a_closed_form():
    """For the mean it is the skewness of the data over 6 sqrt(n)."""
    values = skewed()
    jackknife = resample(mean_statistic(values), n_resamples=2).jackknife
    expected = stats.skew(values) / (6 * math.sqrt(len(values)))
    assert acceleration(jackknife) == pytest.approx(expected, rel=1e-9)


def test_monte_carlo_error_is_the_spread_over_seeds():
    statistic = mean_statistic(skewed(30))
    runs = [bootstrap(statistic, n_resamples=500, seed=seed) for seed in range(400)]
    for position, bound in enumerate(("low", "high")):
        spread = np.std([getattr(run, bound) for run in runs], ddof=1)
        claimed = np.mean([run.monte_carlo_error[position] for run in runs])
        # Standard deviation from 400 runs: 3.5 % error; the estimate itself is smoothed.
        assert claimed == pytest.approx(spread, rel=0.2)


def test_monte_carlo_error_agrees_with_scipy():
    ordered = np.sort(np.random.default_rng(32).normal(size=2000))
    for probability in (0.025, 0.5, 0.9):
        theirs = stats.mstats.mjci(ordered, prob=[probability])[0]
        # scipy's ranks are whole and one lower: a relative difference of order 1/(n p).
        assert quantile_error(ordered, probability) == pytest.approx(
            theirs, rel=5 / (2000 * min(probability, 1 - probability))
        )


def test_monte_carlo_error_of_uniform_replicates_is_known():
    """The quantile of a uniform sample is a beta variate."""
    ordered = (np.arange(5000) + 0.5) / 5000
    rank = 4999 * 0.1 + 1
    expected = stats.beta(rank, 5000 - rank + 1).std()
    assert quantile_error(ordered, 0.1) == pytest.approx(expected, rel=1e-3)


def test_standard_error_of_the_mean_by_items_and_by_clusters():
    """The bootstrap standard error of a mean is known: s / sqrt(n), and that of cluster means."""
    generator = np.random.default_rng(33)
    n_clusters, size, share = 200, 8, 0.5  # intracluster correlation one half
    between = generator.normal(size=(n_clusters, 1)) * math.sqrt(share)
    values = between + generator.normal(size=(n_clusters, size)) * math.sqrt(1 - share)
    cluster = np.arange(n_clusters).repeat(size)
    statistic = mean_statistic(values.ravel())
    by_item = bootstrap(statistic, seed=1)
    by_cluster = bootstrap(statistic, cluster=cluster, unit="patient", seed=1)
    monte_carlo = 4 / math.sqrt(2 * 2000)
    assert by_item.standard_error == pytest.approx(
        values.std() / math.sqrt(values.size), rel=monte_carlo
    )
    assert by_cluster.standard_error == pytest.approx(
        values.mean(axis=1).std() / math.sqrt(n_clusters), rel=monte_carlo
    )
    # Design effect 1 + (m - 1) rho = 4.5: twice the width, within the error of rho itself.
    ratio = (by_cluster.high - by_cluster.low) / (by_item.high - by_item.low)
    assert ratio == pytest.approx(math.sqrt(1 + (size - 1) * share), rel=0.12)
    assert (by_cluster.n_items, by_cluster.n_clusters) == (1600, 200)
    assert (by_cluster.unit, by_item.unit) == ("patient", "item")


def test_copies_of_items_widen_nothing_when_clustered():
    """Every item five times over: by item the interval shrinks by sqrt 5, by cluster not at all."""
    values = skewed(50)
    alone = bootstrap(mean_statistic(values), seed=2)
    copies = mean_statistic(np.repeat(values, 5))
    clustered = bootstrap(copies, cluster=np.arange(50).repeat(5), seed=2)
    naive = bootstrap(copies, seed=2)
    assert (clustered.low, clustered.high) == pytest.approx((alone.low, alone.high), rel=1e-12)
    assert naive.standard_error == pytest.approx(
        alone.standard_error / math.sqrt(5), rel=6 / math.sqrt(2 * 2000)
    )


def test_coverage_of_the_percentile_interval_is_what_theory_says():
    """Normal data: the percentile interval of a mean is nearly mean -+ z s sqrt((n-1)/n)/sqrt(n).

    Its coverage is that of a t variate inside the bound, below 95 % by design; with 299
    resamples the linear quantile cuts 2.8 % from each tail and not 2.5 %.
    """
    n, n_resamples, runs = 30, 299, 1000
    generator = np.random.default_rng(34)
    covered = 0
    for run in range(runs):
        estimate = bootstrap(
            mean_statistic(generator.normal(size=n)), n_resamples=n_resamples, seed=run
        )
        covered += estimate.low <= 0.0 <= estimate.high
    tail = ((n_resamples - 1) * 0.025 + 1) / (n_resamples + 1)
    bound = stats.norm.ppf(1 - tail) * math.sqrt((n - 1) / n)
    expected = 1 - 2 * stats.t.sf(bound, n - 1)
    assert 0.91 < expected < 0.94
    tolerance = 4 * math.sqrt(expected * (1 - expected) / runs)
    assert covered / runs == pytest.approx(expected, abs=tolerance)


def distribution_of(replicates, point=0.5, jackknife=(0.4, 0.5, 0.6)):
    return Distribution(
        point=point, replicates=np.asarray(replicates, dtype=float), n_items=3, n_clusters=3,
        seed=0, unit="item", name="x", reason=None, bounds=(-math.inf, math.inf),
        leave_one_out=lambda: np.asarray(jackknife, dtype=float),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("distribution", "words"),
    [
        (distribution_of([0.5] * 100), "every resample gave the same value"),
        (distribution_of(np.linspace(1, 2, 100)), "above the point estimate"),
        (distribution_of(np.linspace(0, 0.4, 100)), "below the point estimate"),
        (distribution_of(np.linspace(0, 1, 100), jackknife=[0.5] * 3), "gives the same value"),
        (distribution_of(np.linspace(0, 1, 100), jackknife=[0.5, math.nan, 0.4]), "1 of the 3"),
    ],
)
def test_bca_says_why_it_has_no_interval(distribution, words):
    estimate = distribution.interval("bca")
    assert estimate.value == 0.5
    assert math.isnan(estimate.low)
    assert math.isnan(estimate.high)
    assert words in estimate.reason
    assert distribution.interval("percentile").has_interval


def test_bca_breaks_down_at_an_extreme_level():
    """The acceleration is at most 1/6 in size, so it takes a far quantile to reach its pole."""
    distribution = distribution_of(np.linspace(0, 0.501, 1000), jackknife=[0.0] + [1.0] * 99)
    assert 0.15 < acceleration(distribution.jackknife) <= 1 / 6
    estimate = distribution.interval("bca", 0.9999999)
    assert not estimate.has_interval
    assert "breaks down" in estimate.reason


def test_constant_distribution_keeps_its_percentile_interval_with_a_warning():
    estimate = bootstrap(mean_statistic([0.1] * 12))
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx((0.1, 0.1, 0.1))
    assert any("no width" in warning for warning in estimate.warnings)
    assert estimate.monte_carlo_error == pytest.approx((0.0, 0.0), abs=1e-15)
    assert not bootstrap(mean_statistic([0.1] * 12), method="bca").has_interval


def test_too_few_resamples_for_the_level_are_said():
    few = bootstrap(mean_statistic(skewed()), n_resamples=20)
    assert any("too few" in warning for warning in few.warnings)
    assert bootstrap(mean_statistic(skewed()), n_resamples=2000).warnings == ()


def test_undefined_resamples_are_counted_and_left_out():
    """Two events in n items: a ratio over them has no value on (1 - 2/n)^n of resamples."""
    n, n_resamples = 40, 4000
    events = np.zeros(n)
    events[:2] = 1
    caught = np.zeros(n)
    caught[0] = 1
    estimate = bootstrap(ratio_statistic(caught, events), n_resamples=n_resamples)
    lost = (1 - 2 / n) ** n
    error = math.sqrt(lost * (1 - lost) * n_resamples)
    assert estimate.n_undefined == pytest.approx(lost * n_resamples, abs=4 * error)
    assert any(str(estimate.n_undefined) in warning for warning in estimate.warnings)
    assert (estimate.value, estimate.low, estimate.high) == (0.5, 0.0, 1.0)


def test_few_undefined_resamples_give_no_warning():
    events = np.zeros(40)
    events[:6] = 1
    estimate = bootstrap(ratio_statistic(events, events))
    assert 0 < estimate.n_undefined < 0.05 * 2000
    assert not any("no value" in warning for warning in estimate.warnings)


def test_all_resamples_undefined_leave_the_value_without_an_interval():
    """Defined when every item is there once, and nearly never otherwise."""
    features = np.eye(30)

    def evaluate(sums):
        return np.where((sums == 1).all(axis=1), 1.0, np.nan)

    estimate = bootstrap(SumsStatistic("all once", features, evaluate, "not all once"))
    assert estimate.value == 1.0
    assert not estimate.has_interval
    assert estimate.n_undefined == estimate.n_resamples == 2000
    assert "0 of 2000" in estimate.reason


@pytest.mark.parametrize("method", ["bcaa", "percentil", "t", 3])
def test_unknown_method_names_the_nearest(method):
    with pytest.raises(ParameterError, match="method is"):
        bootstrap(mean_statistic([1.0, 2.0]), method=method)


def test_method_hint_and_case():
    with pytest.raises(ParameterError, match="did you mean 'percentile'"):
        bootstrap(mean_statistic([1.0, 2.0]), method="percentiles")
    assert bootstrap(mean_statistic(skewed()), method="BCa").method == "BCa bootstrap"
