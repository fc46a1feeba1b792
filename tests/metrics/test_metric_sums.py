"""The metrics as functions of sums: equal to themselves, and to explicit resampling."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from metric_examples import ROUNDING, both_classes, simulated
from scipy.special import expit

from benchbook.errors import ParameterError
from benchbook.metrics import (
    accuracy,
    accuracy_statistic,
    at_threshold,
    brier_score,
    brier_statistic,
    calibration_error_statistic,
    class_counts,
    expected_calibration_error,
    f_per_class,
    f_statistics,
    macro_f,
    memberships,
    micro_f,
    multilabel_memberships,
    net_benefit,
    net_benefit_statistic,
    probability_bins,
    threshold_statistics,
)
from benchbook.resampling import bootstrap, bootstrap_many

HIGH = {"higher_is_positive": True}
BINS = probability_bins(5, "uniform")


def sums_of(statistic, counts):
    """Evaluate on explicit numbers of copies of the items, shape (m, n_items)."""
    return statistic.evaluate(np.atleast_2d(counts) @ statistic.contributions)


def labelled(n=120, seed=0, weighted=False):
    generator = np.random.default_rng(seed)
    reference = generator.choice(list("abcd"), n, p=[0.6, 0.3, 0.09, 0.01])
    predicted = np.where(generator.random(n) < 0.6, reference, generator.choice(list("abce"), n))
    weight = generator.integers(0, 3, n) if weighted else np.ones(n, int)
    return reference, predicted, weight


@pytest.mark.parametrize("beta", [1.0, 2.0])
def test_f_statistics_are_the_measures_of_the_resampled_items(beta):
    reference, predicted, _ = labelled()
    items = memberships(reference, predicted)
    made = f_statistics(items, beta=beta)
    assert set(made) == {"macro", "micro", *(("class", label) for label in "abcde")}
    generator = np.random.default_rng(3)
    left_out = 0
    for _ in range(200):
        drawn = generator.integers(0, 120, 120)
        counts = np.bincount(drawn, minlength=120)
        again = class_counts(memberships(reference[drawn], predicted[drawn], classes="abcde"))
        each = {label: one.value for label, one in f_per_class(again, beta=beta).items()}
        for label in "abcde":
            value = sums_of(made["class", label], counts)[0]
            assert value == pytest.approx(each[label], abs=ROUNDING, nan_ok=True)
        # Classes of the full reference, less those that are 0/0 here.
        defined = [each[label] for label in "abcd" if not np.isnan(each[label])]
        left_out += len(defined) < 4
        assert sums_of(made["macro"], counts)[0] == pytest.approx(np.mean(defined), abs=ROUNDING)
        expected = micro_f(again, beta=beta).value
        assert sums_of(made["micro"], counts)[0] == pytest.approx(expected, abs=ROUNDING)
    assert left_out > 5  # the rare class is lost now and then, so the rule was tried


def test_a_class_that_a_resample_has_lost_but_predicts_counts_as_zero():
    items = memberships(["a", "a", "b"], ["a", "b", "b"])
    statistic = f_statistics(items)["macro"]
    # The third item lost: b is predicted once and never right, so its F is 0, not left out.
    assert sums_of(statistic, [1, 1, 0])[0] == pytest.approx((2 / 3 + 0) / 2, abs=ROUNDING)
    # The second lost, too: b is 0/0 and left out.
    assert sums_of(statistic, [1, 0, 0])[0] == 1
    assert np.isnan(sums_of(statistic, [0, 0, 0])[0])


@pytest.mark.parametrize("weighted", [False, True])
def test_values_on_the_full_data_are_the_point_values(weighted):
    reference, predicted, weight = labelled(weighted=weighted)
    items = memberships(reference, predicted, weight=weight if weighted else None)
    counts = class_counts(items)
    made = f_statistics(items)
    one = np.ones(120)
    assert sums_of(made["macro"], one)[0] == pytest.approx(macro_f(counts).value, abs=ROUNDING)
    assert sums_of(made["micro"], one)[0] == pytest.approx(micro_f(counts).value, abs=ROUNDING)
    value = sums_of(accuracy_statistic(items), one)[0]
    assert value == pytest.approx(accuracy(items).value, abs=ROUNDING)
    positive, score = simulated(120)
    chance = expit(score)
    w = weight if weighted else None
    for statistic, own in (
        (brier_statistic(positive, chance, w), brier_score(positive, chance, w)),
        (net_benefit_statistic(positive, chance, 0.3, w), net_benefit(positive, chance, 0.3, w)),
        (
            calibration_error_statistic(positive, chance, BINS, w),
            expected_calibration_error(positive, chance, w, n_bins=5, strategy="uniform"),
        ),
    ):
        assert sums_of(statistic, one)[0] == pytest.approx(own.value, abs=ROUNDING)
        assert statistic.name == own.name
    rates = at_threshold(positive, score, 0.3, w, **HIGH).rates()
    for name, statistic in threshold_statistics(positive, score, 0.3, w, **HIGH).items():
        assert sums_of(statistic, one)[0] == pytest.approx(rates[name].value, abs=ROUNDING)


@given(both_classes(), st.integers(0, 2**32 - 1))
def test_resampled_metrics_are_those_of_the_resampled_items(data, seed):
    positive, score = data
    chance = expit(score / 2)
    drawn = np.random.default_rng(seed).integers(0, score.size, score.size)
    counts = np.bincount(drawn, minlength=score.size)
    again, moved, likely = positive[drawn], score[drawn], chance[drawn]
    point = at_threshold(again, moved, 0, **HIGH)
    expected = {name: one.value for name, one in point.rates().items()}
    for name, statistic in threshold_statistics(positive, score, 0, **HIGH).items():
        value = sums_of(statistic, counts)[0]
        assert value == pytest.approx(expected[name], abs=ROUNDING, nan_ok=True)
    for statistic, value in (
        (brier_statistic(positive, chance), brier_score(again, likely).value),
        (net_benefit_statistic(positive, chance, 0.4), net_benefit(again, likely, 0.4).value),
        (
            calibration_error_statistic(positive, chance, BINS),
            expected_calibration_error(again, likely, n_bins=5, strategy="uniform").value,
        ),
    ):
        assert sums_of(statistic, counts)[0] == pytest.approx(value, abs=ROUNDING)


def test_low_scores_alarm_at_or_below_the_threshold():
    positive, score = simulated(50, decimals=0)
    high = threshold_statistics(positive, score, 1, **HIGH)
    low = threshold_statistics(positive, -score, -1, higher_is_positive=False)
    for name in high:
        np.testing.assert_array_equal(high[name].contributions, low[name].contributions)


def test_items_of_weight_zero_keep_their_place_beside_the_clusters():
    positive, score = simulated(40)
    weight = np.arange(40) % 2
    cluster = np.repeat(np.arange(10), 4)
    statistics = threshold_statistics(positive, score, 0.5, weight, **HIGH)
    made = bootstrap(statistics["accuracy"], cluster=cluster, n_resamples=50)
    kept = at_threshold(positive, score, 0.5, weight, **HIGH)
    assert made.value == pytest.approx(kept.rates()["accuracy"].value, abs=ROUNDING)
    assert made.n_clusters == 10


def test_statistics_of_one_maker_share_their_columns_and_resamples():
    reference, predicted, _ = labelled()
    made = f_statistics(memberships(reference, predicted))
    assert len({id(one.contributions) for one in made.values()}) == 1
    first = bootstrap_many([made["macro"], made["micro"]], n_resamples=60, seed=4)
    second = bootstrap_many([made["micro"], made["macro"]], n_resamples=60, seed=4)
    assert first == second[::-1]


def test_macro_f_intervals_are_those_of_a_loop_with_the_same_rule():
    reference, predicted, _ = labelled(300)
    made = bootstrap(f_statistics(memberships(reference, predicted))["macro"], n_resamples=2000)
    generator = np.random.default_rng(8)
    values = []
    for _ in range(1000):
        drawn = generator.integers(0, 300, 300)
        counts = class_counts(memberships(reference[drawn], predicted[drawn], classes="abcde"))
        values.append(np.nanmean(counts.f_values()[:4]))
    low, high = np.quantile(values, [0.025, 0.975])
    # Bounds of 1,000 resamples are known to about a twelfth of the standard deviation.
    assert made.low == pytest.approx(low, abs=0.3 * np.std(values))
    assert made.high == pytest.approx(high, abs=0.3 * np.std(values))


def test_undefined_on_the_full_data_carries_the_reason():
    nothing = multilabel_memberships([set(), set()], [set(), {"a"}], classes="ab")
    made = f_statistics(nothing)
    assert "no class occurs" in bootstrap(made["macro"], n_resamples=20).reason
    assert "neither occurs" in bootstrap(made["class", "b"], n_resamples=20).reason
    rates = threshold_statistics([1, 1], [1, 2], 1.5, **HIGH)
    assert "no negatives" in bootstrap(rates["specificity"], n_resamples=20).reason
    with pytest.raises(ParameterError, match="at least one class"):
        f_statistics(multilabel_memberships([set()], [set()], classes=[]))
