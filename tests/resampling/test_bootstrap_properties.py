"""What must hold for any data."""

import math
import tracemalloc

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from resampling_examples import kappa_statistic, variance_statistic

from benchbook.resampling import bootstrap, mean_statistic, paired_difference, ratio_statistic

METHODS = st.sampled_from(["percentile", "basic", "bca"])
numbers = st.floats(-100, 100).map(lambda x: round(x, 3))
samples = st.lists(numbers, min_size=2, max_size=25)
codes = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=40)
slow = settings(deadline=None, max_examples=40)


def same(first, second):
    """Tell whether two estimates agree bit by bit, undefined bounds included."""
    numbers = ("value", "low", "high", "standard_error")
    return first.reason == second.reason and all(
        np.array_equal(getattr(first, name), getattr(second, name), equal_nan=True)
        for name in numbers
    )


@slow
@given(values=samples, method=METHODS, data=st.data())
def test_order_of_items_changes_nothing(values, method, data):
    order = data.draw(st.permutations(range(len(values))))
    straight = bootstrap(variance_statistic(values), method=method, n_resamples=150)
    shuffled = bootstrap(
        variance_statistic(np.array(values)[list(order)]), method=method, n_resamples=150
    )
    assert same(straight, shuffled)


@slow
@given(
    values=arrays(np.float64, 24, elements=numbers),
    cluster=arrays(np.int64, 24, elements=st.integers(0, 5)),
    data=st.data(),
)
def test_order_and_names_of_clusters_change_nothing(values, cluster, data):
    assume(len(np.unique(cluster)) > 1)
    order = np.array(data.draw(st.permutations(range(24))))
    names = np.array(data.draw(st.permutations(list("uvwxyz"))))
    straight = bootstrap(mean_statistic(values), cluster=cluster, n_resamples=150)
    shuffled = bootstrap(
        mean_statistic(values[order]), cluster=names[cluster[order]], n_resamples=150
    )
    assert same(straight, shuffled)
    assert straight.n_clusters == len(np.unique(cluster))


@slow
@given(pairs=codes, copies=st.integers(2, 4))
def test_copies_within_a_cluster_change_nothing(pairs, copies):
    first, second = np.array(pairs).T
    alone = bootstrap(kappa_statistic(first, second, 3), n_resamples=150)
    together = bootstrap(
        kappa_statistic(first.repeat(copies), second.repeat(copies), 3),
        cluster=np.arange(len(pairs)).repeat(copies),
        n_resamples=150,
    )
    # Shares are the same, sums are not: equal up to rounding.
    for name in ("value", "low", "high"):
        one, other = getattr(alone, name), getattr(together, name)
        assert math.isclose(one, other, abs_tol=1e-12) or (math.isnan(one) and math.isnan(other))
    assert alone.n_undefined == together.n_undefined


@slow
@given(values=samples, method=METHODS, exponent=st.integers(-20, 20))
def test_units_of_measurement_scale_the_interval(values, method, exponent):
    assume(np.ptp(values) > 0)
    scale = 2.0**exponent  # a power of two, so that scaling itself rounds nothing
    plain = bootstrap(mean_statistic(values), method=method, n_resamples=150)
    scaled = bootstrap(mean_statistic(np.array(values) * scale), method=method, n_resamples=150)
    assert np.array_equal(
        [plain.value * scale, plain.low * scale, plain.high * scale],
        [scaled.value, scaled.low, scaled.high],
        equal_nan=True,
    )


@slow
@given(values=samples, method=st.sampled_from(["percentile", "bca"]))
def test_bounds_lie_within_the_data_and_in_order(values, method):
    estimate = bootstrap(mean_statistic(values), method=method, n_resamples=150)
    if estimate.has_interval:
        tolerance = 1e-12 * max(np.abs(values).max(), 1.0)
        assert min(values) - tolerance <= estimate.low <= estimate.high + tolerance
        assert estimate.high <= max(values) + tolerance
    else:
        assert method == "bca"
        assert estimate.reason


@slow
@given(pairs=codes, method=METHODS)
def test_every_result_is_a_number_or_has_a_reason(pairs, method):
    first, second = np.array(pairs).T
    estimate = bootstrap(kappa_statistic(first, second, 3), method=method, n_resamples=150)
    assert estimate.has_interval or estimate.reason
    assert not (estimate.has_interval and estimate.reason)
    if estimate.has_interval:
        assert -1.0 <= estimate.low <= estimate.high <= 1.0
        assert all(error >= 0.0 for error in estimate.monte_carlo_error)


@slow
@given(
    table=arrays(np.float64, (15, 2), elements=st.integers(0, 9).map(float)),
    shift=st.integers(-5, 5),
)
def test_constant_shift_between_pairs_has_no_width(table, shift):
    first = mean_statistic(table[:, 0] + shift)
    estimate = paired_difference(first, mean_statistic(table[:, 0]), n_resamples=100)
    assert math.isclose(estimate.low, shift, abs_tol=1e-12)
    assert math.isclose(estimate.high, shift, abs_tol=1e-12)


def test_memory_stays_within_what_the_documentation_says():
    """Forty megabytes above the prepared data for a block, whatever the number of clusters."""
    values = np.random.default_rng(51).normal(size=150_000)
    statistic = ratio_statistic(values, np.ones(150_000))
    tracemalloc.start()
    try:
        bootstrap(statistic, n_resamples=12)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # Two features: seven times their 2.4 MB at most, and one block.
    assert peak < 7 * 2 * 8 * 150_000 + 40e6
