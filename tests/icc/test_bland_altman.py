"""Limits of agreement: published values, R's numbers, exactness, awkward pairs."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from icc_examples import chosen, close, label, simulated, table
from scipy import integrate, stats

from benchbook.errors import DataError, ParameterError
from benchbook.icc import bland_altman, regression_limits
from benchbook.icc.limits import LIMIT_INTERVALS, METHODS, percentile_factors, tolerance_factor
from benchbook.ratings import Ratings

# R's noncentral t is good to ten digits; everything else is arithmetic.
NINE_DIGITS = 1e-9
INTERVALS = {
    "exact, noncentral t": "exact",
    "Bland and Altman 1999": "bland-altman-1999",
    "Bland and Altman 1986, sqrt(3 s^2 / n)": "bland-altman-1986",
}


def pefr():
    """Bland and Altman (1986): first readings by the large and the mini meter."""
    readings = table("bland_altman_1986_pefr")
    return readings.large_1, readings.mini_1


def columns(record):
    data = table(record["table"])
    return (data[name] for name in record["options"]["columns"])


# ---- published -----------------------------------------------------------------------------


def test_bland_altman_1986():
    """Mean -2.1, SD 38.8, limits of two standard deviations -79.7 and 75.5 l/min."""
    found = bland_altman(*pefr(), multiplier=2, interval="bland-altman-1986")
    assert found.n == 17
    assert found.bias.value == pytest.approx(-2.1, abs=0.05)
    assert found.sd.value == pytest.approx(38.8, abs=0.05)
    # The paper computed the limits from the rounded mean and SD.
    assert found.lower.value == pytest.approx(-79.7, abs=0.1)
    assert found.upper.value == pytest.approx(75.5, abs=0.1)


def test_bland_altman_1986_intervals():
    """Mean -22.0 to 17.8; lower limit -114.3 to -45.1, upper 40.9 to 110.1 (2.12 x 16.3)."""
    found = bland_altman(*pefr(), multiplier=2, interval="bland-altman-1986")
    for estimate, low, high in (
        (found.bias, -22.0, 17.8),
        (found.lower, -114.3, -45.1),
        (found.upper, 40.9, 110.1),
    ):
        assert estimate.low == pytest.approx(low, abs=0.2)
        assert estimate.high == pytest.approx(high, abs=0.2)


def test_bland_altman_1999_first_readings():
    """Observer J minus machine S: mean -16.29, SD 19.61, limits -54.7 and 22.1 mmHg."""
    pressure = table("bland_altman_1999_pressure")
    found = bland_altman(pressure.j_1, pressure.s_1, interval="bland-altman-1999")
    assert found.bias.value == pytest.approx(-16.29, abs=0.005)
    assert found.sd.value == pytest.approx(19.61, abs=0.005)
    for estimate, value, low, high in (
        (found.lower, -54.7, -61.9, -47.5),
        (found.upper, 22.1, 14.9, 29.3),
    ):
        assert estimate.value == pytest.approx(value, abs=0.05)
        # The paper took 1.71 s / sqrt(n) and rounded it.
        assert (estimate.low, estimate.high) == pytest.approx((low, high), abs=0.15)


def test_bland_altman_1999_ratio():
    """Plasma volume: Nadler exceeds Hurley by 6 % to 15 %."""
    plasma = table("bland_altman_1999_plasma")
    found = bland_altman(plasma.nadler, plasma.hurley, scale="ratio")
    assert found.lower.value == pytest.approx(1.06, abs=0.005)
    assert found.upper.value == pytest.approx(1.15, abs=0.005)
    assert found.bias.value == pytest.approx(stats.gmean(plasma.nadler / plasma.hurley))


# ---- R -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "record",
    [
        r
        for side in ("lower", "upper")
        for r in chosen("r_method_comparison.json", f"{side} limit of agreement")
        if "columns" in r.get("options", {})
    ],
    ids=label,
)
def test_limits_of_r(record):
    options = record["options"]
    found = bland_altman(
        *columns(record),
        level=record["level"],
        multiplier=options["multiplier"],
        interval=INTERVALS[options["interval"]],
    )
    estimate = found.lower if record["statistic"].startswith("lower") else found.upper
    assert close(estimate.value, record["value"], NINE_DIGITS)
    assert close(estimate.low, record["lower"], NINE_DIGITS)
    assert close(estimate.high, record["upper"], NINE_DIGITS)


@pytest.mark.parametrize(
    "record",
    [
        r
        for r in chosen("r_method_comparison.json", "upper limit of agreement")
        if "columns" not in r.get("options", {})
    ],
    ids=label,
)
def test_exact_factors_of_r(record):
    """Mean 0 and SD 1: the bounds are the factors themselves."""
    factors = percentile_factors(record["n_items"], record["value"], record["level"])
    assert close(factors[0], record["lower"], NINE_DIGITS)
    assert close(factors[1], record["upper"], NINE_DIGITS)


@pytest.mark.parametrize("side", ["lower", "upper"])
def test_ratio_limits_of_r(side):
    record = chosen("r_method_comparison.json", f"{side} limit of agreement, ratio")[0]
    estimate = getattr(bland_altman(*columns(record), scale="ratio"), side)
    assert close(estimate.value, record["value"], NINE_DIGITS)
    assert close(estimate.low, record["lower"], NINE_DIGITS)
    assert close(estimate.high, record["upper"], NINE_DIGITS)


@pytest.mark.parametrize("record", chosen("r_method_comparison.json", "mean difference"), ids=label)
def test_bias_of_r(record):
    found = bland_altman(*columns(record), level=record["level"])
    assert close(found.bias.value, record["value"], NINE_DIGITS)
    assert close(found.bias.low, record["lower"], NINE_DIGITS)
    assert close(found.bias.high, record["upper"], NINE_DIGITS)
    assert close(found.sd.value, record["sd"], NINE_DIGITS)


@pytest.mark.parametrize(
    "record", chosen("r_method_comparison.json", "slope of difference on mean"), ids=label
)
def test_proportional_bias_of_r(record):
    found = bland_altman(*columns(record), level=record["level"])
    assert close(found.slope.value, record["value"], 1e-8)
    assert close(found.slope.standard_error, record["se"], 1e-8)
    assert close(found.slope.low, record["lower"], 1e-8)
    assert close(found.slope.high, record["upper"], 1e-8)
    assert close(found.slope_p, record["p"], 1e-8)


@pytest.mark.parametrize(
    "record", chosen("r_method_comparison.json", "slope of absolute residual on mean"), ids=label
)
def test_spread_of_r(record):
    found = regression_limits(*columns(record))
    assert close(found.spread_slope, record["value"], 1e-8)
    assert close(found.spread_slope_p, record["p"], 1e-8)


# ---- intervals -----------------------------------------------------------------------------


@pytest.mark.parametrize("n", [4, 10, 40])
def test_exact_intervals_cover_as_often_as_they_say(n):
    """5,000 samples; 1986's outer bound misses the limit far more often at n = 4."""
    rng = np.random.default_rng(n)
    x = rng.normal(size=(5000, n))
    mean, sd = x.mean(axis=1), x.std(axis=1, ddof=1)
    target = 1.959963984540054
    inner, outer = percentile_factors(n, target, 0.95)
    below, above = mean + inner * sd > target, mean + outer * sd < target
    # Three Monte-Carlo standard errors of 2.5 % in 5,000.
    assert below.mean() == pytest.approx(0.025, abs=0.0067)
    assert above.mean() == pytest.approx(0.025, abs=0.0067)
    half = stats.t.ppf(0.975, n - 1) * math.sqrt(3 / n)
    if n == 4:
        assert (mean + (target + half) * sd < target).mean() > 0.04


def content_probability(n, k, content):
    """P(mean -+ k sd holds the content), by quadrature over the sample mean."""

    def given_mean(u):
        reach = math.sqrt(stats.ncx2.ppf(content, 1, u**2))
        return stats.chi2.sf((n - 1) * (reach / k) ** 2, n - 1) * stats.norm.pdf(
            u, scale=1 / math.sqrt(n)
        )

    return 2 * integrate.quad(given_mean, 0, 8 / math.sqrt(n), epsabs=1e-12)[0]


@pytest.mark.parametrize("n", [3, 12, 80])
@pytest.mark.parametrize("confidence", [0.025, 0.5, 0.975])
def test_two_sided_tolerance_factor(n, confidence):
    k = tolerance_factor(n, 0.95, confidence)
    assert content_probability(n, k, 0.95) == pytest.approx(confidence, abs=1e-8)


@pytest.mark.parametrize(("n", "printed"), [(10, 3.393), (20, 2.760)])
def test_two_sided_tolerance_factor_of_iso_16269_6(n, printed):
    assert tolerance_factor(n, 0.95, 0.95) == pytest.approx(printed, abs=0.001)


@pytest.mark.parametrize("interval", LIMIT_INTERVALS)
def test_intervals_hold_the_limits_and_mirror_each_other(interval):
    first, second = pefr()
    found = bland_altman(first, second, interval=interval)
    turned = bland_altman(second, first, interval=interval)
    for one, other in ((found.lower, turned.upper), (found.upper, turned.lower)):
        assert one.low < one.value < one.high
        assert (one.low, one.value, one.high) == pytest.approx(
            (-other.high, -other.value, -other.low)
        )
    assert found.lower.method == found.upper.method == METHODS[interval]
    assert turned.bias.value == -found.bias.value


def test_exact_intervals_reach_further_out_than_in():
    found = bland_altman(*pefr())
    upper = found.upper
    assert upper.high - upper.value > 1.5 * (upper.value - upper.low)


def test_coverage_and_level_are_two_things():
    found = {c: bland_altman(*pefr(), coverage=c) for c in (0.8, 0.95)}
    assert found[0.8].multiplier == pytest.approx(1.281552, abs=1e-6)
    assert found[0.8].upper.value < found[0.95].upper.value
    assert found[0.8].bias.low == found[0.95].bias.low
    wide = bland_altman(*pefr(), level=0.99)
    assert wide.upper.value == found[0.95].upper.value
    assert wide.upper.high > found[0.95].upper.high
    assert bland_altman(*pefr(), multiplier=2).coverage == pytest.approx(0.9545, abs=5e-5)


# ---- awkward -------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2])
def test_too_few_pairs(n):
    found = bland_altman([1.0, 2.0][:n], [2.0, 4.0][:n])
    for estimate in (found.bias, found.sd, found.lower, found.upper):
        assert f"{n} pairs" in estimate.reason
    assert math.isnan(found.slope.value)
    assert math.isnan(found.shapiro_p)
    ratio = bland_altman([1.0, 2.0][:n], [2.0, 4.0][:n], scale="ratio")
    assert not ratio.lower.defined


def test_missing_values_leave_pairs_out_and_are_counted():
    first, second = pefr()
    gaps = first.astype(float).copy()
    gaps.iloc[[0, 4]] = np.nan
    found = bland_altman(gaps, second)
    assert (found.n, found.n_dropped) == (15, 2)
    kept = np.delete(np.arange(17), [0, 4])
    again = bland_altman(first.iloc[kept], second.iloc[kept])
    assert found.upper.value == again.upper.value
    assert "1" not in found.items


def test_a_constant_difference():
    first = np.array([0.1, 0.4, 0.7, 1.3, 2.2])
    found = bland_altman(first + 0.3, first)
    assert found.sd.value == 0
    for estimate in (found.bias, found.lower, found.upper):
        assert estimate.value == pytest.approx(0.3)
        assert estimate.low == estimate.high == estimate.value
        assert "do not vary" in estimate.warnings[0]
    assert found.slope.value == pytest.approx(0, abs=1e-12)
    assert math.isnan(found.shapiro_w)


def test_means_that_do_not_vary_have_no_slope():
    found = bland_altman([1.0, 2.0, 3.0], [3.0, 2.0, 1.0])
    assert "do not vary" in found.slope.reason
    with pytest.raises(DataError, match="means that do not vary"):
        regression_limits([1.0, 2.0, 3.0], [3.0, 2.0, 1.0])


def test_ratio_of_zero_is_refused_by_name():
    pairs = pd.DataFrame({"lab": [1.0, 0.0, 2.0], "bedside": [1.0, 1.0, 2.0]}, index=list("pqr"))
    with pytest.raises(DataError, match=r"row q, column lab.*found 0"):
        bland_altman(pairs, scale="ratio")


def test_ratio_does_not_depend_on_the_unit_of_either_method():
    plasma = table("bland_altman_1999_plasma")
    plain = bland_altman(plasma.nadler, plasma.hurley, scale="ratio")
    other = bland_altman(1000 * plasma.nadler, plasma.hurley, scale="ratio")
    for part in ("bias", "lower", "upper"):
        one, two = getattr(plain, part), getattr(other, part)
        assert (two.low, two.value, two.high) == pytest.approx(
            (1000 * one.low, 1000 * one.value, 1000 * one.high)
        )
    assert plain.differences == pytest.approx(plasma.nadler / plasma.hurley)


def test_two_methods_are_needed():
    with pytest.raises(DataError, match="two methods"):
        bland_altman(Ratings.from_table(np.eye(4)[:, :3], "continuous"))
    with pytest.raises(DataError, match="equal length"):
        bland_altman([1, 2, 3], [1, 2])


@pytest.mark.parametrize(
    "options",
    [
        {"level": 95},
        {"coverage": 1.0},
        {"multiplier": -2},
        {"multiplier": math.inf},
        {"interval": "exakt"},
        {"scale": "percent"},
    ],
    ids=str,
)
def test_options_out_of_range(options):
    with pytest.raises(ParameterError):
        bland_altman(*pefr(), **options)


def test_large_offset():
    first, second = (np.asarray(part, float) for part in pefr())
    plain, moved = bland_altman(first, second), bland_altman(first + 1e8, second + 1e8)
    for part in ("bias", "sd", "lower", "upper", "slope"):
        assert getattr(moved, part).value == pytest.approx(getattr(plain, part).value, rel=1e-6)


def test_more_pairs_than_shapiro_takes():
    rng = np.random.default_rng(1)
    found = bland_altman(rng.normal(size=6000), rng.normal(size=6000))
    assert math.isnan(found.shapiro_p)
    assert found.outside == pytest.approx(300, abs=60)


def test_normality_is_told():
    rng = np.random.default_rng(3)
    first = rng.normal(size=200)
    skew = bland_altman(first + rng.exponential(size=200) ** 2, first)
    even = bland_altman(first + rng.normal(size=200), first)
    assert skew.shapiro_p < 1e-6 < 0.01 < even.shapiro_p


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10_000), st.integers(3, 30), st.floats(0.01, 100), st.floats(-100, 100))
def test_change_of_unit(seed, n, factor, shift):
    x = simulated(seed, n, 2)
    plain = bland_altman(x[:, 0], x[:, 1])
    moved = bland_altman(factor * x[:, 0] + shift, factor * x[:, 1] + shift)
    for part in ("bias", "sd", "lower", "upper"):
        for field in ("low", "value", "high"):
            one, two = getattr(getattr(plain, part), field), getattr(getattr(moved, part), field)
            assert two == pytest.approx(factor * one, rel=1e-7, abs=1e-7 * factor)
    assert moved.slope_p == pytest.approx(plain.slope_p, abs=1e-6)


# ---- limits by regression ------------------------------------------------------------------


def test_regression_limits_by_definition():
    plasma = table("bland_altman_1999_plasma")
    found = regression_limits(plasma.nadler, plasma.hurley)
    means, differences = (plasma.nadler + plasma.hurley) / 2, plasma.nadler - plasma.hurley
    b1, b0 = np.polyfit(means, differences, 1)
    c1, c0 = np.polyfit(means, np.abs(differences - b0 - b1 * means), 1)
    at = np.array([60.0, 100.0, 140.0])
    bias, lower, upper = found.at(at)
    sd = math.sqrt(math.pi / 2) * (c0 + c1 * at)
    assert bias == pytest.approx(b0 + b1 * at)
    assert lower == pytest.approx(b0 + b1 * at - 1.959964 * sd)
    assert upper == pytest.approx(b0 + b1 * at + 1.959964 * sd)
    assert found.slope == pytest.approx(bland_altman(plasma.nadler, plasma.hurley).slope.value)


def test_regression_limits_of_constant_spread():
    plasma = table("bland_altman_1999_plasma")
    found = regression_limits(plasma.nadler, plasma.hurley, constant_sd=True)
    line = stats.linregress((plasma.nadler + plasma.hurley) / 2, plasma.nadler - plasma.hurley)
    means = np.asarray((plasma.nadler + plasma.hurley) / 2)
    rest = np.asarray(plasma.nadler - plasma.hurley) - line.intercept - line.slope * means
    sd = math.sqrt(np.sum(rest**2) / 97)
    bias, lower, upper = found.at(100.0)
    assert upper - bias == pytest.approx(1.959964 * sd)
    assert bias - lower == pytest.approx(1.959964 * sd)


def test_regression_limits_are_undefined_where_the_spread_would_be_negative():
    size = np.linspace(1, 10, 40)
    wobble = np.where(np.arange(40) % 2, 1, -1) * (size - 0.9)
    found = regression_limits(size + wobble / 2, size - wobble / 2)
    _, lower, upper = found.at([-50.0, 5.0])
    assert np.isnan(lower[0])
    assert np.isnan(upper[0])
    assert lower[1] < upper[1]
