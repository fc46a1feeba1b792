"""Proportions: intervals, two groups, pairs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from metric_examples import ROUNDING
from scipy.stats import binomtest, chi2_contingency

from benchbook.errors import DataError, ParameterError
from benchbook.metrics import mcnemar, mcnemar_counts, proportion, two_proportion_z
from benchbook.metrics.proportions import clopper_pearson_bounds

METHODS = {"wilson": "wilson", "clopper-pearson": "exact"}  # ours, scipy's


@given(st.integers(1, 500), st.data(), st.sampled_from(sorted(METHODS)))
def test_bounds_are_scipys_and_inside_the_range(n, data, method):
    x = data.draw(st.integers(0, n))
    made = proportion(x, n, method=method, level=0.9)
    peer = binomtest(x, n).proportion_ci(0.9, method=METHODS[method])
    assert made.value == x / n
    assert (made.low, made.high) == pytest.approx((peer.low, peer.high), abs=1e-10)
    assert 0 <= made.low <= made.value <= made.high <= 1


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [1, 3, 1000])
def test_zero_counts_end_at_the_end(method, n):
    none, all_of_them = proportion(0, n, method=method), proportion(n, n, method=method)
    assert none.low == 0.0
    assert 0 < none.high < 1
    assert all_of_them.high == 1.0
    assert all_of_them.low == pytest.approx(1 - none.high, abs=ROUNDING)


def test_published_intervals():
    # Newcombe 1998 (Statistics in Medicine 17:857-872), table I, 81 of 263 and 0 of 20.
    made = proportion(81, 263)
    assert (round(made.low, 4), round(made.high, 4)) == (0.2553, 0.3662)
    made = proportion(81, 263, method="clopper-pearson")
    assert (round(made.low, 4), round(made.high, 4)) == (0.2527, 0.3676)
    assert round(proportion(0, 20).high, 4) == 0.1611
    assert round(proportion(0, 20, method="clopper-pearson").high, 4) == 0.1684


def test_no_trials_and_impossible_counts():
    assert proportion(0, 0).reason == "there are no items"
    with pytest.raises(DataError, match="more successes"):
        proportion(3, 2)
    for bad in (1.5, -1, "1", True, math.nan):
        with pytest.raises(ParameterError, match="successes is"):
            proportion(bad, 10)
    with pytest.raises(ParameterError, match="wilson"):
        proportion(1, 2, method="wilsn")
    assert proportion(np.float64(3), np.int64(10)) == proportion(3, 10)


def test_many_exact_bounds_at_once_are_the_single_ones():
    low, high = clopper_pearson_bounds(np.arange(13), 12, 0.95)
    for x in range(13):
        one = proportion(x, 12, method="clopper-pearson")
        assert (low[x], high[x]) == pytest.approx((one.low, one.high), abs=ROUNDING)


@given(st.integers(1, 60), st.integers(1, 60), st.data())
def test_z_squared_is_pearsons_chi_squared(n1, n2, data):
    x1, x2 = data.draw(st.integers(0, n1)), data.draw(st.integers(0, n2))
    made = two_proportion_z(x1, n1, x2, n2)
    assert made.difference.value == pytest.approx(x1 / n1 - x2 / n2, abs=ROUNDING)
    assert made.difference.has_interval
    if x1 + x2 in (0, n1 + n2):
        assert math.isnan(made.z)
        assert "same outcome" in made.reason
        return
    peer = chi2_contingency([[x1, n1 - x1], [x2, n2 - x2]], correction=False)
    assert made.z**2 == pytest.approx(peer.statistic, abs=1e-9)
    assert made.p_value == pytest.approx(peer.pvalue, abs=1e-9)
    mirror = two_proportion_z(x2, n2, x1, n1)
    assert mirror.z == pytest.approx(-made.z, abs=ROUNDING)
    assert mirror.difference.low == pytest.approx(-made.difference.high, abs=ROUNDING)


def test_newcombes_published_difference():
    # Newcombe 1998, method 10: 56/70 - 48/80 is 0.2, 0.0524 to 0.3339; 10/10 - 0/20 is 1.
    made = two_proportion_z(56, 70, 48, 80).difference
    assert (round(made.low, 4), round(made.high, 4)) == (0.0524, 0.3339)
    made = two_proportion_z(10, 10, 0, 20).difference
    assert made.value == made.high == 1
    assert round(made.low, 4) == 0.6791


def test_an_empty_group_has_no_comparison():
    made = two_proportion_z(0, 0, 1, 5)
    assert not made.difference.defined
    assert "one of the groups" in made.reason


@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_exact_is_the_binomial_test(b, c):
    made = mcnemar_counts(b, c)
    expected = binomtest(b, b + c).pvalue if b + c else 1.0
    assert made.p_value == pytest.approx(expected, abs=1e-10)
    assert mcnemar_counts(c, b).p_value == made.p_value


def test_mcnemar_without_discordant_items():
    assert mcnemar_counts(0, 0).p_value == 1.0
    for correction in (True, False):
        made = mcnemar_counts(0, 0, exact=False, correction=correction)
        assert math.isnan(made.p_value)
        assert "never differ" in made.reason


def test_mcnemar_chi_squared_by_hand():
    assert mcnemar_counts(10, 4, exact=False, correction=False).statistic == 36 / 14
    assert mcnemar_counts(10, 4, exact=False).statistic == 25 / 14
    equal = mcnemar_counts(3, 3, exact=False)
    assert (equal.statistic, equal.p_value) == (0, 1)


def test_mcnemar_counts_the_items():
    first = [1, 1, 1, 0, 0, 1]
    second = [1, 0, 0, 1, 0, 1]
    made = mcnemar(first, second)
    assert (made.both, made.first_only, made.second_only, made.neither) == (2, 2, 1, 1)
    assert made.p_value == 1.0
    with pytest.raises(DataError, match="column second"):
        mcnemar([1, 0], [1])
    with pytest.raises(DataError, match="row 2, column first"):
        mcnemar([1, None], [1, 0])
    with pytest.raises(ParameterError, match="second_only"):
        mcnemar_counts(1, -1)
