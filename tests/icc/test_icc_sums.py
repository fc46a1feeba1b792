"""The statistics as functions of sums: equal to the direct ones, on any resample."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from icc_examples import FORMS, SHROUT_FLEISS, simulated, table

from benchbook.errors import ParameterError
from benchbook.icc import (
    bland_altman,
    bland_altman_statistic,
    ccc_statistic,
    concordance,
    icc,
    icc_statistic,
    measurement_error,
    sem_statistic,
    slope_statistic,
)
from benchbook.ratings import Ratings
from benchbook.resampling import bootstrap, paired_difference

PARTS = ("bias", "sd", "lower", "upper")


def of_counts(statistic, counts):
    """The statistic when item i is drawn counts[i] times."""
    return float(
        statistic.evaluate(np.asarray(counts, float)[None, :] @ statistic.contributions)[0]
    )


def drawn(data, counts):
    return np.repeat(np.asarray(data, float), counts, axis=0)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("offset", [0.0, 1e6, -1e8])
def test_full_data_give_the_coefficient(form, offset):
    x = simulated(1, 25, 4) + offset
    whole = of_counts(icc_statistic(x, form), np.ones(25))
    # The offset itself costs eight digits of the scores.
    assert whole == pytest.approx(icc(x, form).estimate.value, rel=1e-12 + 1e-15 * abs(offset))


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 1000), st.sampled_from(FORMS), st.data())
def test_any_resample_gives_the_coefficient_of_the_drawn_items(seed, form, data):
    n = data.draw(st.integers(4, 12))
    x = np.round(simulated(seed, n, data.draw(st.integers(2, 5))), 1)
    counts = data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    found = of_counts(icc_statistic(x, form), counts)
    if sum(counts) < 2:
        assert np.isnan(found)
        return
    expected = icc(drawn(x, counts), form).estimate.value
    if np.isnan(expected) or expected > 1 + 1e-9:
        assert np.isnan(found)
    else:
        assert found == pytest.approx(expected, rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("form", ["ICC(2,1)", "ICC(3,1)"])
def test_hardly_any_error_keeps_its_digits(form):
    """1 - ICC of a millionth: a formula with raw squares has lost it."""
    x = simulated(7, 30, 4, items=100.0, raters=1e-4, error=1e-4)
    counts = np.random.default_rng(1).multinomial(30, np.full(30, 1 / 30))
    found = of_counts(icc_statistic(x, form), counts)
    expected = icc(drawn(x, counts), form).estimate.value
    assert 1 - found == pytest.approx(1 - expected, rel=1e-6)


def test_incomplete_items_keep_their_row_and_add_nothing():
    x = SHROUT_FLEISS.copy()
    x[2, 1] = np.nan
    statistic = icc_statistic(x, "ICC(2,1)")
    assert statistic.contributions.shape == (6, 8)
    assert not statistic.contributions[2].any()
    assert of_counts(statistic, np.ones(6)) == pytest.approx(icc(x, "ICC(2,1)").estimate.value)


@pytest.mark.parametrize("form", FORMS)
def test_no_variance_is_undefined_and_says_why(form):
    statistic = icc_statistic(np.full((6, 3), 0.1), form)
    assert np.isnan(of_counts(statistic, np.ones(6)))
    estimate = bootstrap(statistic, n_resamples=50)
    assert not estimate.defined
    assert "do not vary" in estimate.reason


def test_bootstrap_over_items():
    x = simulated(2, 60, 3)
    estimate = bootstrap(icc_statistic(x, "ICC(2,1)"), n_resamples=500, seed=3)
    assert estimate.value == pytest.approx(icc(x, "ICC(2,1)").estimate.value)
    again = [
        icc(drawn(x, row), "ICC(2,1)").estimate.value
        for row in np.random.default_rng(5).multinomial(60, np.full(60, 1 / 60), size=500)
    ]
    # Two independent sets of 500 resamples: quantiles agree to a few Monte-Carlo errors.
    assert estimate.low == pytest.approx(np.quantile(again, 0.025), abs=0.05)
    assert estimate.high == pytest.approx(np.quantile(again, 0.975), abs=0.05)
    assert estimate.name == "ICC(2,1)"


def test_clusters_travel_together():
    """Each item four times under one cluster: the interval is that of the items, not narrower."""
    x = simulated(3, 30, 3)
    once = bootstrap(icc_statistic(x, "ICC(1,1)"), n_resamples=800)
    four = np.repeat(x, 4, axis=0)
    clusters = np.repeat(np.arange(30), 4)
    together = bootstrap(
        icc_statistic(four, "ICC(1,1)"), cluster=clusters, unit="patient", n_resamples=800
    )
    apart = bootstrap(icc_statistic(four, "ICC(1,1)"), n_resamples=800)
    width = together.high - together.low
    assert width == pytest.approx(once.high - once.low, rel=0.15)
    assert apart.high - apart.low < 0.65 * width


def test_paired_difference_of_two_agreements():
    """Model with reader 1 against reader 2 with reader 1, on the same items."""
    x = simulated(4, 50, 3)
    first, second = icc_statistic(x[:, :2], "ICC(2,1)"), icc_statistic(x[:, 1:], "ICC(2,1)")
    found = paired_difference(first, second, n_resamples=300)
    expected = icc(x[:, :2], "ICC(2,1)").estimate.value - icc(x[:, 1:], "ICC(2,1)").estimate.value
    assert found.value == pytest.approx(expected)


def test_slots_have_one_way_forms_only():
    counts = Ratings.from_counts([[2, 1, 0], [0, 1, 2], [3, 0, 0]], "ordinal", categories=[1, 2, 3])
    assert icc_statistic(counts, "ICC(1,1)").name == "ICC(1,1)"
    with pytest.raises(ParameterError, match="identified"):
        icc_statistic(counts, "ICC(2,1)")


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 1000), st.sampled_from([0, 1]), st.data())
def test_ccc_of_any_resample(seed, ddof, data):
    n = data.draw(st.integers(4, 15))
    x = np.round(simulated(seed, n, 2), 1)
    counts = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    found = of_counts(ccc_statistic(x[:, 0], x[:, 1], ddof=ddof), counts)
    if sum(counts) < 2:
        assert np.isnan(found)
        return
    y = drawn(x, counts)
    expected = concordance(y[:, 0], y[:, 1], ddof=ddof).ccc.value
    assert found == pytest.approx(expected, rel=1e-8, abs=1e-8, nan_ok=True)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 1000), st.data())
def test_limits_of_any_resample(seed, data):
    n = data.draw(st.integers(4, 15))
    x = np.round(simulated(seed, n, 2), 1) + 1e5
    counts = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    if sum(counts) < 3:
        return
    y = drawn(x, counts)
    expected = bland_altman(y[:, 0], y[:, 1])
    for part in PARTS:
        statistic = bland_altman_statistic(x[:, 0], x[:, 1], part=part)
        value = getattr(expected, part).value
        assert of_counts(statistic, counts) == pytest.approx(value, rel=1e-7, abs=1e-7)


def test_limits_with_another_multiplier():
    pefr = table("bland_altman_1986_pefr")
    statistic = bland_altman_statistic(pefr.large_1, pefr.mini_1, part="upper", multiplier=2.0)
    assert of_counts(statistic, np.ones(17)) == pytest.approx(75.4, abs=0.05)
    with pytest.raises(ParameterError, match="unknown part"):
        bland_altman_statistic(pefr.large_1, pefr.mini_1, part="middle")
    with pytest.raises(ParameterError, match="ddof"):
        ccc_statistic(pefr.large_1, pefr.mini_1, ddof=2)


# ---- measurement error and slope ------------------------------------------------------------


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 1000), st.sampled_from(["agreement", "consistency"]), st.data())
def test_any_resample_gives_the_error_of_the_drawn_items(seed, definition, data):
    n = data.draw(st.integers(4, 12))
    x = np.round(simulated(seed, n, data.draw(st.integers(2, 5))), 1)
    counts = data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    found = of_counts(sem_statistic(x, definition), counts)
    if sum(counts) < 2:
        assert np.isnan(found)
        return
    expected = getattr(measurement_error(drawn(x, counts)), f"sem_{definition}").value
    # A square root makes eight digits of a variance that is zero but for rounding.
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-7)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 1000), st.data())
def test_any_resample_gives_the_slope_of_the_drawn_pairs(seed, data):
    n = data.draw(st.integers(4, 12))
    x = np.round(simulated(seed, n, 2), 1)
    counts = data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    found = of_counts(slope_statistic(x[:, 0], x[:, 1]), counts)
    some = drawn(x, counts)
    means = some.mean(axis=1)
    if len(set(np.round(means, 9))) < 2:
        assert np.isnan(found)
        return
    slope = np.polynomial.Polynomial.fit(means, some[:, 0] - some[:, 1], 1).convert().coef[1]
    assert found == pytest.approx(slope, rel=1e-7, abs=1e-7)


def test_full_data_give_error_and_slope():
    x = simulated(3, 30, 2)
    made = measurement_error(x)
    for definition in ("agreement", "consistency"):
        whole = of_counts(sem_statistic(x, definition), np.ones(30))
        assert whole == pytest.approx(getattr(made, f"sem_{definition}").value, rel=1e-12)
    slope = of_counts(slope_statistic(x[:, 0], x[:, 1]), np.ones(30))
    assert slope == pytest.approx(bland_altman(x[:, 0], x[:, 1]).slope.value, rel=1e-10)


def test_error_and_slope_that_cannot_be():
    with pytest.raises(ParameterError, match="expected 'agreement' or 'consistency'"):
        sem_statistic(simulated(1, 5, 2), "absolute")
    counts = Ratings.from_counts(np.array([[2, 0], [1, 1]]))
    with pytest.raises(ParameterError):
        sem_statistic(counts, "consistency")
    same = slope_statistic([1.0, 2.0], [2.0, 1.0])
    assert math.isnan(of_counts(same, [1, 1]))
