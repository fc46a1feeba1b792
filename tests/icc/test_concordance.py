"""Lin's coefficient, and the correlations that are not agreement."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from icc_examples import chosen, close, label, simulated, table
from scipy import stats

from benchbook.errors import ParameterError
from benchbook.icc import concordance, icc, pearson, spearman


def columns(record):
    data = table(record["table"])
    return (data[name] for name in record["options"].get("columns", data.columns))


@pytest.mark.parametrize(
    "record",
    chosen("r_method_comparison.json", "Lin CCC", interval="z-transform"),
    ids=label,
)
def test_r(record):
    found = concordance(*columns(record), level=record["level"])
    assert close(found.ccc.value, record["value"], 1e-9)
    assert close(found.ccc.low, record["lower"], 1e-9)
    assert close(found.ccc.high, record["upper"], 1e-9)
    if "accuracy" not in record:
        return
    assert close(found.bias_correction, record["accuracy"], 1e-9)
    # DescTools and epiR give the size of the shift, and the second method's scale over the first.
    assert close(abs(found.location_shift), abs(record["location_shift"]), 1e-9)
    assert close(found.scale_shift, record["scale_shift"], 1e-9) or close(
        1 / found.scale_shift, record["scale_shift"], 1e-9
    )


@pytest.mark.parametrize(
    "record", chosen("r_method_comparison.json", "Lin CCC", divisor="n - 1"), ids=label
)
def test_divisor_n_minus_1(record):
    first, second = columns(record)
    assert close(concordance(first, second, ddof=1).ccc.value, record["value"], 1e-9)
    assert concordance(first, second).ccc.value != concordance(first, second, ddof=1).ccc.value


@pytest.mark.parametrize(
    "record", chosen("r_method_comparison.json", "Pearson correlation"), ids=label
)
def test_pearson_of_r(record):
    found = pearson(*columns(record), level=record["level"])
    assert close(found.value, record["value"], 1e-9)
    assert close(found.low, record["lower"], 1e-9)
    assert close(found.high, record["upper"], 1e-9)


@pytest.mark.parametrize(
    "record",
    [
        r
        for r in chosen("r_method_comparison.json", "Spearman correlation")
        if "columns" in r.get("options", {})
    ],
    ids=label,
)
def test_spearman_of_r(record):
    assert close(spearman(*columns(record)).value, record["value"], 1e-9)


@settings(deadline=None, max_examples=80)
@given(st.integers(0, 10_000), st.integers(3, 30))
def test_by_definition(seed, n):
    x, y = np.round(simulated(seed, n, 2), 1).T
    found = concordance(x, y)
    covariance = np.mean((x - x.mean()) * (y - y.mean()))
    expected = 2 * covariance / (x.var() + y.var() + (x.mean() - y.mean()) ** 2)
    assert found.ccc.value == pytest.approx(expected, abs=1e-10)
    assert found.pearson.value == pytest.approx(np.corrcoef(x, y)[0, 1], abs=1e-10)
    assert found.ccc.value == pytest.approx(found.pearson.value * found.bias_correction, abs=1e-10)
    assert abs(found.ccc.value) <= abs(found.pearson.value) + 1e-12
    assert spearman(x, y).value == pytest.approx(stats.spearmanr(x, y)[0], abs=1e-10)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10_000), st.floats(0.1, 10), st.floats(-100, 100))
def test_invariances(seed, factor, shift):
    x, y = simulated(seed, 12, 2).T
    plain, moved = concordance(x, y), concordance(factor * x + shift, factor * y + shift)
    assert moved.ccc.value == pytest.approx(plain.ccc.value, abs=1e-8)
    assert (moved.ccc.low, moved.ccc.high) == pytest.approx(
        (plain.ccc.low, plain.ccc.high), abs=1e-7
    )
    turned = concordance(y, x)
    assert turned.ccc.value == pytest.approx(plain.ccc.value)
    assert turned.scale_shift == pytest.approx(1 / plain.scale_shift)
    assert turned.location_shift == pytest.approx(-plain.location_shift)
    # Correlations know nothing of either method's own unit.
    assert pearson(factor * x + shift, y).value == pytest.approx(pearson(x, y).value, abs=1e-9)
    assert spearman(np.exp(x / 10), y).value == pytest.approx(spearman(x, y).value)


def test_always_five_higher():
    """rho = 1, r = 1, ICC(3,1) = 1; agreement is far from it."""
    scores = table("made_always_5_higher").to_numpy(float)
    x, y = scores.T
    assert spearman(x, y).value == 1
    assert pearson(x, y).value == 1
    assert icc(scores, "ICC(3,1)").estimate.value == 1
    found = concordance(x, y)
    assert found.ccc.value == pytest.approx(2 * x.var() / (2 * x.var() + 25))
    assert found.ccc.value < 0.6
    assert icc(scores, "ICC(2,1)").estimate.value < 0.62
    assert found.location_shift == pytest.approx(-5 / x.std())
    assert found.scale_shift == pytest.approx(1)


def test_perfect_agreement():
    found = concordance([0.1, 0.4, 0.7, 1.3, 2.2], [0.1, 0.4, 0.7, 1.3, 2.2])
    assert found.ccc.value == pytest.approx(1, abs=1e-15)
    assert found.ccc.low == found.ccc.high == found.ccc.value
    assert "line of identity" in found.ccc.warnings[0]
    assert found.bias_correction == pytest.approx(1)


def test_opposite_methods():
    found = concordance([1, 2, 3, 4, 5], [5, 4, 3, 2, 1])
    assert found.ccc.value == pytest.approx(-1)
    assert spearman([1, 2, 3, 4, 5], [5, 4, 3, 2, 1]).value == -1


def test_uncorrelated_methods_have_an_interval():
    """ccc / r is 0 / 0; its limit C_b is not."""
    found = concordance([1, 2, 1, 2, 1, 2, 1, 2], [1, 1, 2, 2, 1, 1, 2, 2])
    assert found.ccc.value == 0
    assert found.pearson.value == 0
    half = stats.norm.ppf(0.975) / math.sqrt(6)
    assert found.ccc.high == pytest.approx(math.tanh(half))
    assert found.ccc.low == pytest.approx(-found.ccc.high)


def test_one_constant_method():
    found = concordance([0.1, 0.1, 0.1, 0.1, 0.1], [1, 2, 3, 4, 5])
    assert found.ccc.value == 0
    assert "do not vary" in found.ccc.reason
    assert not found.ccc.has_interval
    assert math.isnan(found.pearson.value)
    assert "rater 1" in found.pearson.reason
    assert math.isnan(found.bias_correction)


def test_two_constant_methods_are_undefined():
    found = concordance([0.1, 0.1, 0.1, 0.1], [0.3, 0.3, 0.3, 0.3])
    assert "neither" in found.ccc.reason
    assert math.isnan(found.ccc.value)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_pairs(n):
    x, y = [1.0, 2.0, 4.0][:n], [1.0, 3.0, 2.0][:n]
    found = concordance(x, y)
    assert found.ccc.defined == (n >= 2)
    assert not found.ccc.has_interval
    assert found.ccc.reason
    for estimate in (pearson(x, y), spearman(x, y)):
        assert estimate.reason


def test_missing_values_are_counted():
    found = concordance([1, 2, None, 4, 5], [1, 3, 3, None, 5])
    assert found.n_dropped == 2
    assert found.ccc.n_items == 3


def test_spearman_interval_of_bonett_and_wright():
    x, y = simulated(5, 40, 2).T
    found = spearman(x, y, level=0.9)
    half = stats.norm.ppf(0.95) * math.sqrt((1 + found.value**2 / 2) / 37)
    assert found.low == pytest.approx(math.tanh(math.atanh(found.value) - half))
    assert found.high == pytest.approx(math.tanh(math.atanh(found.value) + half))


def test_interval_covers_as_often_as_it_says():
    """400 samples of 40 pairs; Lin's z interval is asymptotic, so within four standard errors."""
    rng = np.random.default_rng(8)
    truth = 2 * 4 / (6 + 7 + 0.5**2)
    held = 0
    for _ in range(400):
        common = rng.normal(0, 2, 40)
        x = common + rng.normal(0, math.sqrt(2), 40)
        y = common + rng.normal(0.5, math.sqrt(3), 40)
        estimate = concordance(x, y).ccc
        held += estimate.low <= truth <= estimate.high
    assert held / 400 == pytest.approx(0.95, abs=4 * math.sqrt(0.95 * 0.05 / 400))


def test_options_out_of_range():
    with pytest.raises(ParameterError, match="ddof"):
        concordance([1, 2, 3], [1, 2, 3], ddof=2)
    with pytest.raises(ParameterError, match="level"):
        spearman([1, 2, 3], [1, 2, 3], level=0)
