"""The linearised interval, against Student's t and statsmodels' cluster-robust regression."""

from __future__ import annotations

import math

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from benchbook.resampling import (
    RankingStatistic,
    Stratified,
    bootstrap,
    compare,
    comparison,
    mean_statistic,
    paired_difference,
    ratio_statistic,
    resample,
)

LEVEL = 0.95
SLOPES = 1e-7  # the influences are central differences
SHARE = (0.0, 1.0)
VALUES = np.array([2.0, 3.5, 3.0, 7.0, 4.5, 1.0, 2.5, 9.0])
FLAGS = np.array([0.0, 1, 1, 1, 0, 1, 1, 1])


def linearised(statistic, **how):
    return bootstrap(statistic, method="linearised", **how)


def test_mean_is_students_interval_and_test():
    found = linearised(mean_statistic(VALUES))
    expected = stats.ttest_1samp(VALUES, 2.0)
    interval = expected.confidence_interval(LEVEL)
    assert found.value == VALUES.mean()
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), rel=SLOPES)
    assert found.standard_error == pytest.approx(stats.sem(VALUES), rel=SLOPES)
    made = comparison(resample(mean_statistic(VALUES)), method="linearised", null=2.0)
    assert made.p_value == pytest.approx(expected.pvalue, rel=1e-6)


def test_paired_difference_is_the_paired_t_test():
    other = VALUES[::-1] * 0.7
    first, second = mean_statistic(VALUES), mean_statistic(other)
    expected = stats.ttest_rel(VALUES, other)
    interval = expected.confidence_interval(LEVEL)
    found = paired_difference(first, second, method="linearised")
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), rel=1e-6)
    made = compare(first, second, method="linearised", n_resamples=10)
    assert made.p_value == pytest.approx(expected.pvalue, rel=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_clustered_mean_is_that_of_statsmodels(seed):
    generator = np.random.default_rng(seed)
    cluster = generator.integers(0, 9, 60)
    values = generator.normal(size=60) + generator.normal(size=9)[cluster]
    model = sm.OLS(values, np.ones(60)).fit(
        cov_type="cluster", cov_kwds={"groups": cluster}, use_t=True
    )
    found = linearised(mean_statistic(values), cluster=cluster)
    assert found.standard_error == pytest.approx(model.bse[0], rel=SLOPES)
    assert (found.low, found.high) == pytest.approx(tuple(model.conf_int()[0]), rel=1e-6)


def test_share_is_students_interval_on_the_logit_scale():
    found = linearised(mean_statistic(FLAGS, bounds=SHARE))
    mean, error = FLAGS.mean(), FLAGS.std(ddof=1) / math.sqrt(8)
    half = 2.364624251592785 * error / (mean * (1 - mean))  # t with 7 degrees of freedom
    odds = math.log(mean / (1 - mean))
    assert found.low == pytest.approx(1 / (1 + math.exp(half - odds)), rel=1e-6)
    assert found.high == pytest.approx(1 / (1 + math.exp(-half - odds)), rel=1e-6)


def test_strata_take_a_degree_of_freedom_each():
    """A stratified mean: variances of the strata add up, each with its own divisor."""
    strata = np.array([0, 0, 0, 1, 1, 1, 1, 1])
    found = linearised(mean_statistic(VALUES), cluster=Stratified(strata))
    parts = [VALUES[strata == one] for one in (0, 1)]
    variance = sum(part.size * part.var(ddof=1) for part in parts) / 8**2
    assert found.standard_error == pytest.approx(math.sqrt(variance), rel=SLOPES)
    reach = 2.4469118511449692 * math.sqrt(variance)  # t with 8 - 2 degrees of freedom
    assert found.high - found.value == pytest.approx(reach, rel=1e-6)


def test_area_under_the_curve_takes_the_error_of_the_studentised_interval():
    generator = np.random.default_rng(4)
    positive = generator.random(80) < 0.4
    statistic = RankingStatistic(
        "AUROC", generator.normal(size=80) + positive, positive, higher_is_positive=True
    )
    cluster = generator.integers(0, 12, 80)
    found = linearised(statistic, cluster=cluster)
    beside = bootstrap(statistic, cluster=cluster, method="studentised", n_resamples=50)
    assert found.standard_error == beside.standard_error
    assert found.low < found.value < found.high < 1.0


@pytest.mark.parametrize(("statistic", "null"), [
    (mean_statistic(VALUES), 5.0), (mean_statistic(FLAGS, bounds=SHARE), 0.9),
    (ratio_statistic(FLAGS, VALUES, bounds=(0.0, math.inf)), 0.1),
])  # fmt: skip
def test_p_value_is_where_the_interval_meets_the_null(statistic, null):
    distribution = resample(statistic, n_resamples=10)
    p_value = comparison(distribution, method="linearised", null=null).p_value
    bounds = distribution.linearised.interval(1 - p_value)
    assert min(abs(bound - null) for bound in bounds) < 1e-9


def test_seed_and_resamples_do_not_matter():
    statistic = mean_statistic(VALUES)
    first = linearised(statistic, seed=1, n_resamples=10)
    second = resample(statistic, seed=2, n_resamples=300).interval("linearised")
    assert (first.low, first.high) == (second.low, second.high)
    assert first.seed is None
    assert first.n_resamples == 0
    assert first.method == "linearised, t"


def test_a_bound_beyond_the_possible_is_clipped_and_says_so():
    found = linearised(mean_statistic([0.0, 0.1, 0.0, 9.0], bounds=(0.0, math.inf)))
    assert found.low == 0.0
    assert "clipped to the possible range 0 to inf" in found.warnings[0]


ITEMS = [0.9, 0.2, 0.4, 0.7]
AVERAGE_PRECISION = RankingStatistic(
    "AP", ITEMS, [1, 0, 1, 0], "average_precision", higher_is_positive=True
)


@pytest.mark.parametrize(("statistic", "reason"), [
    (mean_statistic(np.full(8, 5.0)), "zero"),
    (mean_statistic(np.zeros(8)), "zero"),
    (mean_statistic(np.ones(8), bounds=SHARE), "zero"),
    (mean_statistic([4.0]), "single item"),
    (mean_statistic([]), "no items"),
    (AVERAGE_PRECISION, "no formula"),
])  # fmt: skip
def test_no_interval_with_a_reason(statistic, reason):
    found = linearised(statistic)
    assert not found.has_interval
    assert reason in found.reason


def test_a_callable_has_no_formula():
    found = linearised(np.mean, data=VALUES)
    assert not found.has_interval
    assert found.value == VALUES.mean()


def test_a_share_at_its_limit_with_an_error_has_no_logit():
    """Sums 3 and 3: the share is 1, but another draw of clusters would give another."""
    one = ratio_statistic([2.0, 0.0, 1.0], [1.0, 1.0, 1.0], bounds=SHARE)
    found = linearised(one)
    assert found.value == 1.0
    assert "logit of 1 is infinite" in found.reason


def test_a_share_tested_against_its_limit_has_no_p_value():
    made = comparison(resample(mean_statistic(FLAGS, bounds=SHARE)), method="linearised", null=1.0)
    assert math.isnan(made.p_value)
    assert "tested value 1" in made.reason


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 9), min_size=2, max_size=30), st.floats(0.5, 0.99))
def test_order_does_not_matter_and_a_higher_level_is_wider(values, level):
    statistic = mean_statistic(np.array(values, dtype=float))
    found = linearised(statistic, level=level)
    turned = linearised(mean_statistic(np.array(values[::-1], dtype=float)), level=level)
    if not found.has_interval:
        assert len(set(values)) == 1
        assert not turned.has_interval
        return
    assert (turned.low, turned.high) == (found.low, found.high)
    wider = linearised(statistic, level=0.995)
    assert wider.low < found.low < found.value < found.high < wider.high
