"""AUROC, average precision, the curves and partial areas."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from metric_examples import (
    AWKWARD,
    FROZEN,
    ROUNDING,
    auroc_by_pairs,
    average_precision_by_thresholds,
    both_classes,
    proc,
    simulated,
    table_of,
)
from sklearn.metrics import (
    average_precision_score,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
)

from benchbook.errors import ParameterError
from benchbook.metrics import auroc, average_precision, partial_auroc, ranked_counts

SINGLE = proc()["single"]


def weights(n, seed=1):
    return np.random.default_rng(seed).uniform(0.1, 3, n)


@pytest.mark.parametrize("name", AWKWARD)
def test_auroc_and_average_precision_follow_their_definitions_on_awkward_data(name):
    positive, score = AWKWARD[name]
    made = auroc(positive, score, higher_is_positive=True)
    assert made.value == pytest.approx(auroc_by_pairs(positive, score), abs=ROUNDING)
    made = average_precision(positive, score, higher_is_positive=True)
    expected = average_precision_by_thresholds(positive, score)
    assert made.value == pytest.approx(expected, abs=ROUNDING)


@pytest.mark.parametrize("decimals", [None, 1, 0])
@pytest.mark.parametrize("weighted", [False, True])
def test_areas_agree_with_scikit_learn(decimals, weighted):
    positive, score = simulated(500, decimals=decimals)
    weight = weights(500) if weighted else None
    own = auroc(positive, score, weight, higher_is_positive=True)
    peer = roc_auc_score(positive, score, sample_weight=weight)
    assert own.value == pytest.approx(peer, abs=ROUNDING)
    own = average_precision(positive, score, weight, higher_is_positive=True)
    peer = average_precision_score(positive, score, sample_weight=weight)
    assert own.value == pytest.approx(peer, abs=ROUNDING)


@pytest.mark.parametrize("rate", [0.05, 0.2, 0.73, 1.0])
@pytest.mark.parametrize("decimals", [None, 0])
def test_standardised_partial_area_agrees_with_scikit_learn(rate, decimals):
    positive, score = simulated(300, decimals=decimals)
    own = partial_auroc(
        positive,
        score,
        higher_is_positive=True,
        axis="specificity",
        between=(1 - rate, 1.0),
        standardised=True,
    )
    peer = roc_auc_score(positive, score, max_fpr=rate)
    assert own.value == pytest.approx(peer, abs=ROUNDING)


@pytest.mark.parametrize("record", SINGLE, ids=lambda r: f"{r['table']}-{r['score']}")
def test_areas_agree_with_proc(record):
    table, upwards = table_of(record), record["higher_is_positive"]
    positive, score = table["poor"], table[record["score"]]
    own = auroc(positive, score, higher_is_positive=upwards)
    assert own.value == pytest.approx(record["auroc"], abs=FROZEN)
    for part in record["partial"]:
        asked = {"axis": part["axis"], "between": (part["low"], part["high"])}
        for form in ("raw", "standardised"):
            own = partial_auroc(
                positive,
                score,
                higher_is_positive=upwards,
                standardised=form == "standardised",
                **asked,
            )
            if part[form] == "NA":  # pROC does not rescale areas below the diagonal
                assert own.value < 0.5
            else:
                assert own.value == pytest.approx(part[form], abs=FROZEN)


def test_published_areas_of_the_asah_scores():
    # Robin et al. 2011 and Turck et al. 2010 print them with two to four digits.
    table = table_of({"table": "asah"})
    for score, area in (("s100b", 0.7314), ("wfns", 0.8237), ("ndka", 0.6120)):
        made = auroc(table["poor"], table[score], higher_is_positive=True)
        assert made.value == pytest.approx(area, abs=5e-5)


@pytest.mark.parametrize("record", SINGLE, ids=lambda r: f"{r['table']}-{r['score']}")
def test_points_between_scores_agree_with_proc(record):
    # pROC puts thresholds halfway between scores; alarms there are those of the next score.
    table, upwards = table_of(record), record["higher_is_positive"]
    counts = ranked_counts(table["poor"], table[record["score"]], higher_is_positive=upwards)
    points = record["points"]
    true, false = counts.counts_at(points["threshold"])
    np.testing.assert_allclose(true / counts.n_positive, points["sensitivity"], atol=FROZEN)
    specificity = 1 - false / counts.n_negative
    np.testing.assert_allclose(specificity, points["specificity"], atol=FROZEN)


@pytest.mark.parametrize("decimals", [None, 1])
def test_curve_points_are_scikit_learns_without_thinning_and_without_a_sentinel(decimals):
    positive, score = simulated(200, decimals=decimals)
    counts = ranked_counts(positive, score, higher_is_positive=True)
    rate, sensitivity, threshold = roc_curve(positive, score, drop_intermediate=False)
    np.testing.assert_array_equal(counts.threshold, threshold[1:])
    own_rate, own_sensitivity = counts.roc_path()
    np.testing.assert_allclose(own_rate, rate, atol=ROUNDING)
    np.testing.assert_allclose(own_sensitivity, sensitivity, atol=ROUNDING)
    precision, recall, threshold = precision_recall_curve(positive, score)
    np.testing.assert_array_equal(counts.threshold, threshold[::-1])
    np.testing.assert_allclose(counts.precision, precision[:-1][::-1], atol=ROUNDING)
    np.testing.assert_allclose(counts.sensitivity, recall[:-1][::-1], atol=ROUNDING)


def test_every_threshold_is_an_observed_score_and_finite():
    positive, score = simulated(50)
    counts = ranked_counts(positive, score, higher_is_positive=True)
    assert set(counts.threshold) == set(score)
    assert (np.diff(counts.threshold) < 0).all()


@given(both_classes())
def test_turning_the_score_or_the_direction_gives_the_complement(data):
    positive, score = data
    area = auroc(positive, score, higher_is_positive=True).value
    turned = auroc(positive, -score, higher_is_positive=True).value
    assert turned == pytest.approx(1 - area, abs=ROUNDING)
    assert auroc(positive, score, higher_is_positive=False).value == turned


@given(both_classes())
def test_swapping_the_classes_gives_the_complement(data):
    positive, score = data
    area = auroc(positive, score, higher_is_positive=True).value
    swapped = auroc(~positive, score, higher_is_positive=True).value
    assert swapped == pytest.approx(1 - area, abs=ROUNDING)


@given(both_classes(), st.randoms())
def test_only_the_ranks_matter_and_no_order_of_rows(data, random):
    positive, score = data
    order = list(range(score.size))
    random.shuffle(order)
    moved = np.exp(score)[order] / 7 + 3
    for metric in (auroc, average_precision):
        plain = metric(positive, score, higher_is_positive=True).value
        assert metric(positive[order], moved, higher_is_positive=True).value == plain


@given(both_classes(), st.integers(2, 4))
def test_a_whole_weight_is_a_number_of_copies(data, copies):
    positive, score = data
    weight = np.where(np.arange(score.size) % 2 == 0, copies, 1)
    again = np.repeat(np.arange(score.size), weight)
    for metric in (auroc, average_precision):
        weighted = metric(positive, score, weight, higher_is_positive=True).value
        copied = metric(positive[again], score[again], higher_is_positive=True).value
        assert weighted == copied


@given(both_classes())
def test_areas_follow_their_definitions(data):
    positive, score = data
    made = auroc(positive, score, higher_is_positive=True)
    assert made.value == pytest.approx(auroc_by_pairs(positive, score), abs=ROUNDING)
    made = average_precision(positive, score, higher_is_positive=True)
    expected = average_precision_by_thresholds(positive, score)
    assert made.value == pytest.approx(expected, abs=ROUNDING)


@given(both_classes(), st.floats(0.05, 0.95))
def test_parts_of_the_area_add_up_and_the_whole_is_the_auroc(data, cut):
    positive, score = data

    def part(axis, low, high):
        return partial_auroc(
            positive,
            score,
            higher_is_positive=True,
            axis=axis,
            between=(low, high),
            standardised=False,
        ).value

    area = auroc(positive, score, higher_is_positive=True).value
    for axis in ("specificity", "sensitivity"):
        assert part(axis, 0, cut) + part(axis, cut, 1) == pytest.approx(area, abs=ROUNDING)
        assert part(axis, 0, 1) == pytest.approx(area, abs=ROUNDING)


def test_weights_of_zero_take_items_out():
    positive, score = simulated(60)
    kept = np.arange(60) % 3 != 0
    whole = ranked_counts(positive, score, kept.astype(float), higher_is_positive=True)
    part = ranked_counts(positive[kept], score[kept], higher_is_positive=True)
    np.testing.assert_array_equal(whole.threshold, part.threshold)
    np.testing.assert_array_equal(whole.true_positive, part.true_positive)
    assert whole.n_items == part.n_items == kept.sum()


def test_fractions_as_weights_add_up_the_same_in_any_order_of_rows():
    positive, score = simulated(300, decimals=0)
    weight = weights(300)
    order = np.random.default_rng(5).permutation(300)
    first = auroc(positive, score, weight, higher_is_positive=True).value
    second = auroc(positive[order], score[order], weight[order], higher_is_positive=True).value
    assert first == second


@pytest.mark.parametrize(
    ("positive", "reason"),
    [([], "no items"), ([1, 1], "no negatives"), ([0, 0], "no positives")],
)
def test_one_class_is_undefined_with_the_reason(positive, reason):
    score = [0.5, 0.2][: len(positive)]
    part = {"axis": "sensitivity", "between": (0.5, 1.0), "standardised": False}
    for made in (
        auroc(positive, score, higher_is_positive=True),
        partial_auroc(positive, score, higher_is_positive=True, **part),
    ):
        assert not made.defined
        assert reason in made.reason


def test_average_precision_without_positives_is_undefined_and_without_negatives_one():
    assert "no positives" in average_precision([0, 0], [1, 2], higher_is_positive=True).reason
    assert average_precision([1, 1], [1, 2], higher_is_positive=True).value == 1.0


def test_zero_weights_that_leave_one_class_are_told_as_one_class():
    made = auroc([1, 0], [1.0, 2.0], [1, 0], higher_is_positive=True)
    assert made.reason == "there are no negatives"


@pytest.mark.parametrize("between", [(0.9, 0.5), (0.5,), "01", (-0.1, 1), (0.2, 90)])
def test_a_partial_area_needs_a_range(between):
    with pytest.raises(ParameterError, match="between"):
        partial_auroc(
            [1, 0],
            [1, 0],
            higher_is_positive=True,
            axis="specificity",
            between=between,
            standardised=True,
        )


def test_counts_do_not_overflow():
    # 200,000 rows: the products of counts exceed 32 bits many times over.
    positive = np.repeat([True, False], 100_000)
    score = np.concatenate([np.arange(100_000) + 0.5, np.arange(100_000)])
    # Positive i beats i + 1 negatives: the sum of 1 to n over n^2 is (n + 1) / 2 n.
    made = auroc(positive, score, higher_is_positive=True)
    assert made.value == pytest.approx(100_001 / 200_000, abs=ROUNDING)
