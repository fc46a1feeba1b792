"""Studentised intervals, p values by inversion, strata in BCa."""

import math

import numpy as np
import pytest
from ranking_examples import example, with_counts

from benchbook.resampling import (
    RankingStatistic,
    Stratified,
    SumsStatistic,
    bootstrap,
    compare,
    comparison,
    divide,
    mean_statistic,
    ratio_statistic,
    resample,
    resample_difference,
    resample_many,
)
from benchbook.resampling.intervals import acceleration
from benchbook.resampling.studentised import gradient

# Central differences of smooth functions: the square of the step plus rounding over the step.
DIFFERENCES = 1e-8


def auroc(scores, positive, **options):
    return RankingStatistic("AUROC", scores, positive, higher_is_positive=True, **options)


def placements(scores, positive, weights):
    """Return each row's share of the other class that it beats, and the area."""
    beaten = (scores[:, None] > scores) + (scores[:, None] == scores) / 2
    total, negatives = weights[positive].sum(), weights[~positive].sum()
    own = beaten[:, ~positive] @ weights[~positive] / negatives
    other = weights[positive] @ beaten[positive] / total
    area = own[positive] @ weights[positive] / total
    return np.where(positive, own, other), area


def error_by_hand(influences, cluster, counts):
    """Return the standard error over clusters, each counting as often as it was drawn."""
    ids, first = np.unique(cluster, return_index=True)
    drawn = counts[first]
    summed = np.array([influences[cluster == one].sum() for one in ids])
    n = drawn.sum()
    mean = drawn @ summed / n
    return math.sqrt(n / (n - 1) * (drawn @ (summed - mean) ** 2))


def influences_by_hand(scores, positive, counts, base):
    weights = counts * base
    placed, area = placements(scores, positive, weights)
    total, negatives = weights[positive].sum(), weights[~positive].sum()
    return base * (placed - area) / np.where(positive, total, negatives)


@pytest.mark.parametrize(
    "kind", ["plain", "ties", "clusters of one", "whole weights", "fractional weights"]
)
def test_standard_error_of_every_resample_of_the_area(kind):
    scores, positive, cluster, weights = example(kind)
    base = np.ones(len(scores)) if weights is None else weights
    noise = np.round(np.random.default_rng(5).normal(size=len(scores)), 1)
    pair = [auroc(scores, positive, weights=weights), auroc(noise, positive, weights=weights)]
    (one, other), counts = with_counts(pair, cluster, n_resamples=70)
    difference = resample_difference(*pair, cluster=cluster, n_resamples=70)
    ones = np.ones(len(scores), dtype=int)
    assert one.standard_errors[0] == pytest.approx(
        error_by_hand(influences_by_hand(scores, positive, ones, base), cluster, ones), rel=1e-12
    )
    assert difference.standard_errors[0] == pytest.approx(
        error_by_hand(
            influences_by_hand(scores, positive, ones, base)
            - influences_by_hand(noise, positive, ones, base),
            cluster,
            ones,
        ),
        rel=1e-12,
    )
    for number in range(70):
        if math.isnan(one.replicates[number]):
            continue
        for found, values in ((one, scores), (other, noise)):
            moved = influences_by_hand(values, positive, counts[number], base)
            assert found.standard_errors[1][number] == pytest.approx(
                error_by_hand(moved, cluster, counts[number]), rel=1e-12, abs=1e-14
            )


def test_standard_error_of_the_area_is_delongs_but_for_the_divisors():
    scores, positive, _, _ = example("ties")
    placed, _ = placements(scores, positive, np.ones(len(scores)))
    n, n_positive = len(scores), positive.sum()
    variance = np.var(placed[positive]) / n_positive + np.var(placed[~positive]) / (n - n_positive)
    found = resample(auroc(scores, positive), n_resamples=2).standard_errors[0]
    assert found == pytest.approx(math.sqrt(n / (n - 1) * variance), rel=1e-12)


def test_studentised_mean_is_the_textbook_bootstrap_t():
    values = np.random.default_rng(6).lognormal(size=30)
    distribution = resample(mean_statistic(values), n_resamples=500, seed=2)
    indicators = [
        SumsStatistic(f"{at}", np.eye(30)[:, [at]], lambda sums: sums[:, 0], "never")
        for at in range(30)
    ]
    together = resample_many([mean_statistic(values), *indicators], n_resamples=500, seed=2)
    counts = np.column_stack([one.replicates for one in together[1:]])
    means = counts @ values / 30
    errors = np.sqrt((counts @ values**2 / 30 - means**2) * 30 / 29) / math.sqrt(30)
    assert together[0].standard_errors[1] == pytest.approx(errors, rel=DIFFERENCES)
    own = values.std(ddof=1) / math.sqrt(30)
    assert distribution.standard_errors[0] == pytest.approx(own, rel=DIFFERENCES)
    low, high = np.quantile((means - values.mean()) / errors, [0.025, 0.975])
    estimate = together[0].interval("studentised")
    assert (estimate.low, estimate.high) == pytest.approx(
        (values.mean() - high * own, values.mean() - low * own), rel=DIFFERENCES
    )
    assert estimate.standard_error == pytest.approx(own, rel=DIFFERENCES)
    assert estimate.method == "studentised bootstrap"


def test_studentised_ratio_by_clusters_is_the_linearised_one():
    generator = np.random.default_rng(7)
    words, cluster = generator.integers(5, 50, 200), np.repeat(np.arange(25), 8)
    errors = generator.binomial(words, 0.2)
    statistic = ratio_statistic(errors, words)
    rate = errors.sum() / words.sum()
    residual = np.bincount(cluster, weights=errors - rate * words) / words.sum()
    expected = math.sqrt(25 / 24 * (residual**2).sum())
    found = resample(statistic, cluster=cluster, n_resamples=2).standard_errors[0]
    assert found == pytest.approx(expected, rel=DIFFERENCES)


def test_gradient_of_a_known_function():
    def evaluate(sums):
        return divide(sums[:, 0] * sums[:, 1], sums[:, 2] ** 2)

    sums = np.array([[3.0, 5.0, 2.0], [10.0, 0.0, 7.0]])
    a, b, c = sums.T
    expected = np.column_stack([b / c**2, a / c**2, -2 * a * b / c**3])
    found = gradient(evaluate, sums, np.array([10.0, 5.0, 7.0]))
    assert found == pytest.approx(expected, rel=1e-8, abs=1e-9)
    assert (gradient(evaluate, sums, np.array([0.0, 5.0, 7.0]))[:, 0] == 0).all()


def test_studentised_difference_of_sums_and_of_mixed_kinds():
    scores, positive, cluster, _ = example("plain")
    same = paired = mean_statistic(scores)
    difference = resample_difference(paired, same, cluster=cluster)
    estimate = difference.interval("studentised")
    assert not estimate.has_interval
    assert "no unit moves the statistic" in estimate.reason
    mixed = resample_difference(auroc(scores, positive), mean_statistic(positive), cluster=cluster)
    assert mixed.interval("studentised").has_interval


def test_studentised_says_when_there_is_no_formula():
    scores, positive, cluster, _ = example("plain")
    precision = RankingStatistic(
        "AP", scores, positive, "average_precision", higher_is_positive=True
    )
    estimate = bootstrap(precision, cluster=cluster, method="studentised")
    assert "AP has no formula for its standard error" in estimate.reason
    estimate = bootstrap(np.mean, scores, n_resamples=20, method="studentised")
    assert "mean has no formula" in estimate.reason
    apart = [resample(auroc(scores, positive), n_resamples=20) for _ in range(2)]
    from benchbook.resampling.distribution import difference

    assert "no formula" in difference(*apart).interval("studentised").reason


def test_resamples_without_a_standard_error_are_told():
    labels = np.arange(8) < 2
    estimate = bootstrap(auroc(np.arange(8.0)[::-1], labels), method="studentised")
    # Perfect separation: no unit moves the area.
    assert "the standard error on the data is zero" in estimate.reason
    scores = np.array([5.0, 3.0, 4.0, 1.0, 1.0, 1.0])
    estimate = bootstrap(auroc(scores, [1, 1, 0, 0, 0, 0]), method="studentised")
    assert any("standard error is zero" in one for one in estimate.warnings)


def test_studentised_bounds_stay_in_range():
    scores, positive, _, _ = example("plain", n_items=25, seed=3)
    estimate = bootstrap(auroc(scores + positive, positive), method="studentised", level=0.99)
    assert 0 <= estimate.low <= estimate.high <= 1
    assert any("clipped" in one for one in estimate.warnings)


def test_studentised_strata_leave_out_what_lies_between_them():
    values = np.array([0.0, 1.0, 2.0, 10.0, 12.0, 14.0, 16.0])
    strata = np.array([0, 0, 0, 1, 1, 1, 1])
    found = resample(
        mean_statistic(values), cluster=Stratified(strata), n_resamples=2
    ).standard_errors[0]
    within = [values[strata == one] for one in (0, 1)]
    variance = sum(part.size * part.var(ddof=1) for part in within) / 49
    assert found == pytest.approx(math.sqrt(variance), rel=DIFFERENCES)


# BCa with strata


def test_acceleration_of_one_stratum_is_the_plain_one():
    jackknife = np.random.default_rng(1).gamma(1.0, size=40)
    together = acceleration(jackknife, np.zeros(40, dtype=int))
    assert together == pytest.approx(acceleration(jackknife), rel=1e-12)


def test_acceleration_of_a_stratified_mean_is_the_skewness_of_its_sum():
    """Of a sum of independent parts third moments and variances add: a = skewness / 6."""
    first, second = np.array([0.0, 1.0, 5.0]), np.array([3.0, 3.5, 4.0, 9.0, 9.5])
    strata = np.repeat([0, 1], [3, 5])
    values = np.concatenate([first, second])
    distribution = resample(mean_statistic(values), cluster=Stratified(strata))
    third = sum(((part - part.mean()) ** 3).sum() for part in (first, second))
    variance = sum(((part - part.mean()) ** 2).sum() for part in (first, second))
    found = acceleration(distribution.jackknife, distribution.strata)
    assert found == pytest.approx(third / variance**1.5 / 6, rel=1e-9)


# p values


METHODS = ["percentile", "basic", "bca", "studentised"]


def two_models(shift=0.6, n_items=150):
    generator = np.random.default_rng(12)
    positive = np.arange(n_items) % 3 == 0
    scores = generator.normal(size=n_items) + positive
    return auroc(scores, positive), auroc(scores + shift * generator.normal(size=n_items), positive)


@pytest.mark.parametrize("method", METHODS)
def test_p_value_is_where_the_interval_meets_the_null(method):
    distribution = resample_difference(*two_models(), n_resamples=1999)
    for null in (-0.02, 0.0, 0.03):
        p = comparison(distribution, method=method, null=null).p_value
        assert 0 < p <= 1
        # One resample more or less on either side, and the one added.
        least = p < 3 / 2000  # every replicate lies on one side: no interval reaches so far
        wide, narrow = (
            distribution.interval(method, min(max(1 - p + step, 1e-4), 0.9999))
            for step in (4 / 1999, -4 / 1999)
        )
        assert wide.low <= null <= wide.high or least
        assert not narrow.low < null < narrow.high or p > 0.99


def test_p_value_counts_the_replicates_and_one_more():
    pair = two_models()
    distribution = resample_difference(*pair, n_resamples=999)
    below = int((distribution.replicates <= 0).sum())
    above = int((distribution.replicates >= 0).sum())
    expected = 2 * (min(below, above) + 1) / 1000
    result = compare(*pair, n_resamples=999)
    assert result.p_value == pytest.approx(expected)
    assert result.difference == distribution.interval()
    assert compare(*pair[::-1], n_resamples=999).p_value == result.p_value
    assert compare(*pair, n_resamples=999, null=-0.9).p_value == 2 / 1000


def test_p_value_of_a_model_against_itself_is_one():
    one, _ = two_models()
    assert compare(one, one).p_value == 1.0


def test_p_value_without_an_interval_has_a_reason():
    one, _ = two_models()
    nothing = auroc(np.arange(150.0), np.zeros(150, dtype=bool))
    result = compare(one, nothing)
    assert math.isnan(result.p_value)
    assert result.reason == "there are no positives"
    for method in ("bca", "studentised"):
        result = compare(one, one, method=method)
        assert math.isnan(result.p_value)
        assert result.reason


@pytest.mark.parametrize("method", METHODS)
def test_p_values_are_about_uniform_when_nothing_differs(method):
    """Two exchangeable models, 200 data sets: the share below 0.1 within four standard errors.

    BCa and percentile intervals are a little too narrow at this size, hence the upper margin.
    """
    generator = np.random.default_rng(3)
    small = 0
    for seed in range(200):
        values = generator.normal(size=(40, 2))
        result = compare(
            mean_statistic(values[:, 0]),
            mean_statistic(values[:, 1]),
            n_resamples=199,
            method=method,
            seed=seed,
        )
        small += result.p_value <= 0.1
    assert 0.02 <= small / 200 <= 0.2
