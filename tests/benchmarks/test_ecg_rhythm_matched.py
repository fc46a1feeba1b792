"""A model beside people: sums over patients against explicit resampling with the same counts."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from benchbook.benchmarks.ecg_rhythm.matched import (
    MATCHES,
    MEASURES,
    Comparison,
    MatchedSampler,
    MatchedStatistic,
    PatientSums,
)
from benchbook.errors import DataError, ParameterError
from benchbook.resampling import mean_statistic, resample_many

# Both compute quotients of the same whole numbers.
SAME = 1e-12


def exact_rate(hits: int, total: int) -> Fraction | None:
    return Fraction(hits, total) if total else None


def exact_mean(values: list[Fraction | None]) -> Fraction | None:
    known = [value for value in values if value is not None]
    return sum(known, Fraction(0)) / len(known) if known else None


def by_hand(truth, reads, scores, match) -> dict[str, float]:
    """Every measure from the rows themselves, in exact fractions, threshold by threshold."""
    sensitivity, specificity, f1 = [], [], []
    for said in reads.T:
        read = ~np.isnan(said)
        tp = int((read & truth & (said == 1)).sum())
        fn = int((read & truth & (said == 0)).sum())
        tn = int((read & ~truth & (said == 0)).sum())
        fp = int((read & ~truth & (said == 1)).sum())
        sensitivity.append(exact_rate(tp, tp + fn))
        specificity.append(exact_rate(tn, tn + fp))
        f1.append(exact_rate(2 * tp, 2 * tp + fp + fn))
    people = [exact_mean(each) for each in (sensitivity, specificity, f1)]
    target = people[0]
    model: list = [None, None, None]
    n_positive, n_negative = int(truth.sum()), int((~truth).sum())
    if target is not None and n_positive:
        model = by_hand_model(truth, scores, target, match)
    difference = None
    if model[1] is not None and people[1] is not None:
        difference = model[1] - people[1]
    found = [*people, *model, difference]
    names = [
        "readers_sensitivity", "readers_specificity", "readers_f1", "model_sensitivity",
        "model_specificity", "threshold", "difference",
    ]  # fmt: skip
    assert set(names) == set(MEASURES)
    if n_negative == 0:
        found[4] = found[6] = None
    return {
        name: math.nan if value is None else float(value)
        for name, value in zip(names, found, strict=True)
    }


def by_hand_model(truth, scores, target: Fraction, match) -> list:
    positive, negative = scores[truth], scores[~truth]

    def point(threshold: float) -> tuple[Fraction, Fraction]:
        sensitivity = Fraction(int((positive >= threshold).sum()), positive.size)
        alarms = int((negative >= threshold).sum())
        return sensitivity, Fraction(alarms, negative.size) if negative.size else Fraction(0)

    if target == 0:
        return [Fraction(0), Fraction(1), None]
    before = (Fraction(0), Fraction(0))
    for threshold in sorted(set(scores), reverse=True):
        here = point(threshold)
        if here[0] >= target:
            if match == "at_least":
                return [here[0], 1 - here[1], threshold]
            share = (target - before[0]) / (here[0] - before[0])
            return [target, 1 - before[1] - share * (here[1] - before[1]), None]
        before = here
    raise AssertionError("the lowest threshold alarms on everything")


def example(seed: int, n: int = 60, n_patients: int = 20, n_readers: int = 3, levels: int = 8):
    """Rows with ties, patients of several sizes, readers who skip, one who reads a third."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.3
    scores = np.round((rng.normal(size=n) + truth) * levels / 4) / levels
    wrong = rng.random((n, n_readers)) < 0.2
    reads = np.where(wrong, ~truth[:, None], truth[:, None]).astype(float)
    reads[rng.random((n, n_readers)) < 0.1] = np.nan
    reads[rng.random(n) < 0.67, -1] = np.nan
    return truth, reads, scores, rng.integers(0, n_patients, n)


def one_positive(seed: int):
    truth, reads, scores, patient = example(seed)
    truth = np.zeros_like(truth)
    truth[seed % truth.size] = True
    return truth, reads, scores, patient


def all_tied(seed: int):
    truth, reads, scores, patient = example(seed)
    return truth, reads, np.zeros_like(scores), patient


def separated(seed: int):
    truth, reads, _, patient = example(seed)
    return truth, reads, truth.astype(float), patient


def nobody_finds(seed: int):
    truth, reads, scores, patient = example(seed)
    return truth, np.where(np.isnan(reads), np.nan, 0.0), scores, patient


def only_positives(seed: int):
    truth, reads, scores, patient = example(seed)
    return np.ones_like(truth), reads, scores, patient


def only_negatives(seed: int):
    truth, reads, scores, patient = example(seed)
    return np.zeros_like(truth), reads, scores, patient


def backwards(seed: int):
    truth, reads, scores, patient = example(seed)
    return truth, reads, -scores, patient


SHAPES = [
    example, one_positive, all_tied, separated, nobody_finds, only_positives, only_negatives,
    backwards,
]  # fmt: skip


@pytest.mark.parametrize("match", MATCHES)
@pytest.mark.parametrize("make", SHAPES, ids=lambda make: make.__name__)
def test_every_measure_is_that_of_the_drawn_rows(make, match):
    for seed in range(6):
        truth, reads, scores, patient = make(seed)
        ids, codes = np.unique(patient, return_inverse=True)
        sums = PatientSums.of(
            Comparison(truth, reads, np.ones(truth.size, bool), scores, match), codes, ids.size
        )
        rng = np.random.default_rng(1000 + seed)
        counts = rng.multinomial(ids.size, np.ones(ids.size) / ids.size, size=25).T
        found = sums.measures(counts.astype(float))
        for draw in range(counts.shape[1]):
            rows = np.repeat(np.arange(truth.size), counts[codes, draw])
            expected = by_hand(truth[rows], reads[rows], scores[rows], match)
            got = {name: values[draw] for name, values in found.items()}
            for name in MEASURES:
                assert_allclose(got[name], expected[name], rtol=0, atol=SAME, err_msg=name)


def test_a_mean_that_rounds_up_does_not_ask_for_one_positive_more():
    # 9/10, 7/10 and 8/10 have the mean 8/10, which the mean of the three floats exceeds.
    truth = np.array([True] * 10 + [False] * 4)
    first, second = np.ones(14), np.ones(14)
    first[:1], second[:3] = 0.0, 0.0
    third = np.ones(14)
    third[:2] = 0.0
    reads = np.column_stack([first, second, third])
    scores = np.r_[np.arange(10, 0, -1), [2.5, 1.5, 0.5, 0.5]].astype(float)
    sums = PatientSums.of(Comparison(truth, reads, np.ones(14, bool), scores), np.arange(14), 14)
    found = sums.measures(np.ones((14, 1)))
    assert found["threshold"][0] == 3.0
    assert found["model_specificity"][0] == 1.0


def test_records_not_compared_count_for_nothing():
    truth, reads, scores, patient = example(3)
    used = np.random.default_rng(0).random(truth.size) < 0.6
    ids, codes = np.unique(patient, return_inverse=True)
    ones = np.ones((ids.size, 1))
    spoiled = np.where(used, scores, np.nan)
    found = PatientSums.of(Comparison(truth, reads, used, spoiled), codes, ids.size).measures(ones)
    expected = by_hand(truth[used], reads[used], scores[used], "at_least")
    for name, value in expected.items():
        assert_allclose(found[name][0], value, rtol=0, atol=SAME)


def statistics(match="at_least", seed=1):
    truth, reads, scores, patient = example(seed)
    comparison = Comparison(truth, reads, np.ones(truth.size, bool), scores, match)
    return [MatchedStatistic(name, comparison, name) for name in MEASURES], patient


def test_the_bootstrap_takes_them_and_gives_every_interval():
    made, patient = statistics()
    drawn = resample_many(made, cluster=patient, unit="patient", n_resamples=300, seed=5)
    truth, reads, scores, _ = example(1)
    expected = by_hand(truth, reads, scores, "at_least")
    for one in drawn:
        assert_allclose(one.point, expected[one.name], rtol=0, atol=SAME)
    by_name = {one.name: one for one in drawn}
    assert_allclose(
        by_name["difference"].replicates,
        by_name["model_specificity"].replicates - by_name["readers_specificity"].replicates,
        rtol=0, atol=SAME,
    )  # fmt: skip
    for method in ("percentile", "basic", "bca"):
        interval = by_name["difference"].interval(method)
        assert interval.low <= interval.high
        assert interval.n_clusters == len(set(patient))
    refused = by_name["difference"].interval("studentised")
    assert "no formula" in str(refused.reason)


def test_the_jackknife_leaves_out_one_patient_at_a_time():
    made, patient = statistics()
    truth, reads, scores, _ = example(1)
    found = MatchedSampler.prepare(made, None, patient).jackknife()
    for place, one in enumerate(np.unique(patient)):
        kept = patient != one
        expected = by_hand(truth[kept], reads[kept], scores[kept], "at_least")
        assert_allclose(found[place], [expected[name] for name in MEASURES], rtol=0, atol=SAME)


def test_neither_order_of_records_nor_workers_change_a_resample():
    made, patient = statistics()
    truth, reads, scores, _ = example(1)
    order = np.random.default_rng(2).permutation(truth.size)
    shuffled = Comparison(truth[order], reads[order], np.ones(truth.size, bool), scores[order])
    again = [MatchedStatistic(name, shuffled, name) for name in MEASURES]
    first = resample_many(made, cluster=patient, n_resamples=600, seed=5)
    second = resample_many(again, cluster=patient[order], n_resamples=600, seed=5, n_jobs=2)
    shorter = resample_many(made, cluster=patient, n_resamples=130, seed=5)
    for one, other, part in zip(first, second, shorter, strict=True):
        assert_array_equal(one.replicates, other.replicates)
        assert_array_equal(one.replicates[:130], part.replicates)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 12))
def test_bounds_and_matching_hold_whatever_the_data(seed, n_readers, levels):
    truth, reads, scores, patient = example(seed, n_readers=n_readers, levels=levels)
    ids, codes = np.unique(patient, return_inverse=True)
    counts = np.random.default_rng(seed).poisson(1.0, size=(ids.size, 20)).astype(float)
    for match in MATCHES:
        comparison = Comparison(truth, reads, np.ones(truth.size, bool), scores, match)
        found = PatientSums.of(comparison, codes, ids.size).measures(counts)
        known = ~np.isnan(found["model_sensitivity"])
        gap = found["model_sensitivity"][known] - found["readers_sensitivity"][known]
        assert (gap >= -1e-9).all()
        if match == "interpolated":
            assert np.abs(gap).max(initial=0) < 1e-9
            interpolated = found["model_specificity"]
        else:
            at_least = found["model_specificity"]
        for name, (low, high) in MEASURES.items():
            values = found[name][~np.isnan(found[name])]
            assert ((values >= low - 1e-12) & (values <= high + 1e-12)).all()
    # More sensitivity than asked for costs specificity, never the other way round.
    known = ~np.isnan(at_least)
    assert (interpolated[known] >= at_least[known] - 1e-9).all()


@pytest.mark.parametrize(
    ("make", "measure", "reason"),
    [
        (only_negatives, "difference", "there are no positives"),
        (only_positives, "difference", "there are no negatives"),
        (only_positives, "model_specificity", "there are no negatives"),
        (only_negatives, "readers_sensitivity", "no reader read a positive record"),
        (only_positives, "readers_specificity", "no reader read a negative record"),
        (nobody_finds, "threshold", "the threshold is infinite"),
    ],
)
def test_undefined_says_why(make, measure, reason):
    truth, reads, scores, patient = make(0)
    comparison = Comparison(truth, reads, np.ones(truth.size, bool), scores)
    statistic = MatchedStatistic(measure, comparison, measure)
    made = resample_many([statistic], cluster=patient, n_resamples=20)[0].interval()
    assert not made.defined
    assert made.reason == reason


def test_misuse_is_refused():
    truth, reads, scores, _ = example(0)
    used = np.ones(truth.size, bool)
    with pytest.raises(DataError, match="do not match"):
        Comparison(truth, reads[:-1], used, scores)
    with pytest.raises(DataError, match="no finite score"):
        Comparison(truth, reads, used, np.where(truth, np.nan, scores))
    with pytest.raises(ParameterError, match="did you mean 'at_least'"):
        Comparison(truth, reads, used, scores, "at least")
    alone = Comparison(truth, reads, used)
    with pytest.raises(ParameterError, match="needs the scores of a model"):
        MatchedStatistic("difference", alone, "difference")
    with pytest.raises(ParameterError, match="measure is"):
        MatchedStatistic("x", alone, "specificity")
    people = MatchedStatistic("readers", alone, "readers_f1")
    with pytest.raises(ParameterError, match="must be of one kind"):
        resample_many([people, mean_statistic(np.ones(truth.size))])
    with pytest.raises(ParameterError, match="carries its own data"):
        resample_many([people], np.ones(truth.size))
    fewer = Comparison(truth[:5], reads[:5], used[:5])
    with pytest.raises(DataError, match="over the same items"):
        resample_many([people, MatchedStatistic("fewer", fewer, "readers_f1")])
