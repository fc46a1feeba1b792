"""Limits of agreement from replicates."""

import math

import numpy as np
import pandas as pd
import pytest
from icc_examples import chosen, close, table

from benchbook.errors import DataError, ParameterError
from benchbook.icc import bland_altman, bland_altman_replicates, replicates_from_long

J, R, S = (["j_1", "j_2", "j_3"], ["r_1", "r_2", "r_3"], ["s_1", "s_2", "s_3"])

# Zou (2013), table 1: four subjects with unequal numbers of readings by two methods.
ZOU_X = [
    [7.83, 7.42, 7.89, 7.12, 7.88, None],
    [6.16, 7.26, 6.71, 6.54, None, None],
    [4.75, 5.24, 4.86, 4.78, 6.05, 5.42],
    [4.21, 3.61, 3.72, 3.87, 3.92, None],
]
ZOU_Y = [
    [6.57, 5.62, 6.90, 6.57, None, None],
    [4.06, 4.29, 4.26, None, None, None],
    [4.71, 5.50, 5.08, 5.02, 6.01, 5.67],
    [4.14, 4.20, 4.61, 4.68, 5.04, None],
]


def pressure(names):
    return table("bland_altman_1999_pressure")[names]


def test_bland_altman_1999_constant_value():
    """Three readings each by observer J and machine S: limits -56.68 and 25.44 mmHg."""
    found = bland_altman_replicates(pressure(J), pressure(S), true_value="constant")
    assert found.variances["between"] == pytest.approx(358.493, abs=6e-4)
    assert found.variances["within_first"] == pytest.approx(37.408, abs=5e-4)
    assert found.variances["within_second"] == pytest.approx(83.141, abs=5e-4)
    assert found.bias.value == pytest.approx(-15.62, abs=0.005)
    assert found.sd.value == pytest.approx(20.95, abs=0.005)
    assert found.lower.value == pytest.approx(-56.68, abs=0.005)
    assert found.upper.value == pytest.approx(25.44, abs=0.005)


def test_zou_2013_constant_value():
    """Bias 0.71, limits -2.23 (-9.76 to -0.48) and 3.66 (1.91 to 11.20)."""
    found = bland_altman_replicates(ZOU_X, ZOU_Y, true_value="constant")
    assert found.bias.value == pytest.approx(0.715, abs=0.003)
    for estimate, value, low, high in (
        (found.lower, -2.23, -9.76, -0.48),
        (found.upper, 3.66, 1.91, 11.20),
    ):
        assert estimate.value == pytest.approx(value, abs=0.006)
        assert (estimate.low, estimate.high) == pytest.approx((low, high), abs=0.011)
    assert (found.n_first, found.n_second) == (20, 18)


def test_zou_2013_varying_value():
    """The same in pairs, two readings filled in, item means counting once each."""
    y = [list(row) for row in ZOU_Y]
    y[0][4], y[1][3] = 6.35, 4.09
    found = bland_altman_replicates(ZOU_X, y, true_value="varying", between="unweighted")
    assert found.bias.value == pytest.approx(0.7255, abs=0.001)
    for estimate, value, low, high in (
        (found.lower, -2.14, -9.83, -0.33),
        (found.upper, 3.59, 1.77, 11.27),
    ):
        assert estimate.value == pytest.approx(value, abs=0.006)
        assert (estimate.low, estimate.high) == pytest.approx((low, high), abs=0.011)


@pytest.mark.parametrize(
    "record", chosen("r_method_comparison.json", "limits of agreement, replicates", "stats")
)
def test_r_by_the_formula(record):
    data, options = table(record["table"]), record["options"]
    found = bland_altman_replicates(
        data[options["first"]],
        data[options["second"]],
        true_value="constant",
        multiplier=options["multiplier"],
    )
    assert close(found.bias.value, record["mean_difference"], 1e-9)
    assert close(found.variances["between"], record["variance_of_mean_differences"], 1e-9)
    assert close(found.variances["within_first"], record["within_first"], 1e-9)
    assert close(found.variances["within_second"], record["within_second"], 1e-9)
    assert close(found.sd.value, record["sd"], 1e-9)
    assert close(found.lower.value, record["lower_limit"], 1e-9)
    assert close(found.upper.value, record["upper_limit"], 1e-9)


@pytest.mark.parametrize(
    "record", chosen("r_method_comparison.json", "limits of agreement, replicates", "SimplyAgree")
)
def test_r_mover_intervals(record):
    """SimplyAgree's limits are at its default of 90 % (two one-sided tests)."""
    data, options = table(record["table"]), record["options"]
    found = bland_altman_replicates(
        data[options["first"]],
        data[options["second"]],
        true_value="constant",
        level=record["level"],
    )
    for side in ("lower", "upper"):
        estimate = getattr(found, side)
        assert close(estimate.value, record[f"{side}_limit"], 1e-9)
        assert close(estimate.low, record[f"{side}_limit_lower"], 1e-9)
        assert close(estimate.high, record[f"{side}_limit_upper"], 1e-9)


@pytest.mark.parametrize(
    "record", chosen("r_method_comparison.json", "within-item standard deviation")
)
def test_repeatability_of_r(record):
    data = table(record["table"])[record["options"]["columns"]]
    found = bland_altman_replicates(data, data, true_value="constant", multiplier=1.96)
    assert close(math.sqrt(found.variances["within_first"]), record["value"], 1e-9)
    assert close(found.repeatability["second"], record["repeatability_coefficient"], 1e-4)


def test_replicates_are_not_items():
    """Readings of one subject taken for subjects make the bias look better known than it is."""
    joint = bland_altman_replicates(pressure(J), pressure(S), true_value="constant")
    naive = bland_altman(pressure(J).to_numpy(float).ravel(), pressure(S).to_numpy(float).ravel())
    assert naive.bias.high - naive.bias.low < 0.7 * (joint.bias.high - joint.bias.low)


def test_one_replicate_each_is_the_plain_analysis():
    one, other = pressure(["j_1"]), pressure(["s_1"])
    plain = bland_altman(one.j_1, other.s_1)
    for true_value in ("constant", "varying"):
        found = bland_altman_replicates(one, other, true_value=true_value)
        assert found.sd.value == pytest.approx(plain.sd.value)
        assert found.bias.low == pytest.approx(plain.bias.low)
        assert found.lower.value == pytest.approx(plain.lower.value)
        assert found.upper.value == pytest.approx(plain.upper.value)


def test_varying_value_with_equal_numbers_is_the_one_way_analysis():
    """Between and within from an ANOVA of the differences, and their sum."""
    d = pressure(J).to_numpy(float) - pressure(S).to_numpy(float)
    within = d.var(axis=1, ddof=1).mean()
    between = d.mean(axis=1).var(ddof=1) - within / 3
    for weights in ("anova", "unweighted"):
        found = bland_altman_replicates(
            pressure(J), pressure(S), true_value="varying", between=weights
        )
        assert found.variances["within"] == pytest.approx(within)
        assert found.variances["between"] == pytest.approx(between)
        assert found.sd.value == pytest.approx(math.sqrt(between + within))
        assert found.bias.value == pytest.approx(d.mean())
        error = math.sqrt(d.mean(axis=1).var(ddof=1) / 85)
        assert found.bias.standard_error == pytest.approx(error)
        assert len(found.differences) == 255


def test_varying_value_with_unequal_numbers_by_the_formula():
    """Bland and Altman: (MSB - MSW) / m0, m0 = (N^2 - sum m^2) / ((n - 1) N)."""
    rng = np.random.default_rng(4)
    sizes = [1, 2, 3, 5, 4]
    x, y = np.full((5, 5), np.nan), np.full((5, 5), np.nan)
    for row, m in enumerate(sizes):
        x[row, :m] = rng.normal(10 + row, 1, m)
        y[row, :m] = rng.normal(10 + 1.3 * row, 1, m)
    d = x - y
    rows = [line[~np.isnan(line)] for line in d]
    total = np.concatenate(rows)
    within = sum(np.sum((line - line.mean()) ** 2) for line in rows) / (15 - 5)
    between = sum(len(line) * (line.mean() - total.mean()) ** 2 for line in rows) / 4
    m0 = (15**2 - sum(m * m for m in sizes)) / (4 * 15)
    found = bland_altman_replicates(x, y, true_value="varying")
    assert found.bias.value == pytest.approx(total.mean())
    assert found.variances["between"] == pytest.approx((between - within) / m0)
    assert found.variances["within"] == pytest.approx(within)
    assert found.sd.value == pytest.approx(math.sqrt((between - within) / m0 + within))


def test_a_drifting_item_needs_pairs():
    """Both methods follow a value that drifts: it is no error of either."""
    drift = np.linspace(0, 30, 6)
    rng = np.random.default_rng(2)
    true = rng.normal(100, 10, (20, 1)) + drift
    x, y = true + rng.normal(0, 1, (20, 6)), true + rng.normal(0, 1, (20, 6))
    paired = bland_altman_replicates(x, y, true_value="varying")
    exchanged = bland_altman_replicates(x, y, true_value="constant")
    assert paired.sd.value == pytest.approx(math.sqrt(2), rel=0.2)
    assert exchanged.sd.value > 8


def test_rows_and_columns_without_a_pair_are_left_out():
    x = [[1.0, 2.0], [3.0, None], [None, None], [5.0, 6.0], [4.0, 4.5]]
    y = [[1.5, 2.0], [3.5, 9.0], [7.0, 7.0], [None, 6.5], [4.5, 4.0]]
    varying = bland_altman_replicates(x, y, true_value="varying")
    assert (varying.n_items, varying.n_first) == (4, 6)
    constant = bland_altman_replicates(x, y, true_value="constant")
    assert (constant.n_items, constant.n_first, constant.n_second) == (4, 7, 7)


@pytest.mark.parametrize("true_value", ["constant", "varying"])
def test_two_items_are_too_few(true_value):
    found = bland_altman_replicates(
        [[1.0, 2.0], [3.0, 4.0]], [[1, 2], [3, 3]], true_value=true_value
    )
    assert "2 items" in found.lower.reason


@pytest.mark.parametrize("true_value", ["constant", "varying"])
def test_no_common_item(true_value):
    found = bland_altman_replicates([[1.0], [None]], [[None], [2.0]], true_value=true_value)
    assert "0 items" in found.bias.reason


def test_methods_in_perfect_agreement():
    x = [[1.0, 1.0], [2.0, 2.0], [4.0, 4.0]]
    found = bland_altman_replicates(x, x, true_value="constant")
    assert found.sd.value == 0
    assert (found.lower.low, found.upper.high) == (0, 0)


def test_the_assumption_must_be_named():
    with pytest.raises(TypeError):
        bland_altman_replicates(pressure(J), pressure(S))
    with pytest.raises(ParameterError, match="constant"):
        bland_altman_replicates(pressure(J), pressure(S), true_value="linked")
    with pytest.raises(ParameterError, match="anova"):
        bland_altman_replicates(pressure(J), pressure(S), true_value="varying", between="reml")


def test_tables_that_do_not_match():
    with pytest.raises(DataError, match="same items"):
        bland_altman_replicates([[1.0], [2.0]], [[1.0]], true_value="constant")
    with pytest.raises(DataError, match="pairs"):
        bland_altman_replicates([[1.0, 2.0]], [[1.0]], true_value="varying")
    with pytest.raises(DataError, match="not numbers"):
        bland_altman_replicates([["a"]], [[1.0]], true_value="varying")
    with pytest.raises(DataError, match="infinite"):
        bland_altman_replicates([[math.inf]], [[1.0]], true_value="varying")


def long_pressure():
    wide = table("bland_altman_1999_pressure").reset_index()
    long = wide.melt("item", var_name="cell", value_name="y")
    long[["method", "replicate"]] = long["cell"].str.split("_", expand=True)
    return long


def test_long_table():
    names = {"item": "item", "method": "method", "replicate": "replicate", "value": "y"}
    first, second = replicates_from_long(long_pressure(), **names, methods=("j", "s"))
    assert first.shape == second.shape == (85, 3)
    assert first.to_numpy() == pytest.approx(pressure(J).to_numpy())
    assert second.to_numpy() == pytest.approx(pressure(S).to_numpy())


def test_long_table_with_gaps_stays_aligned():
    long = long_pressure()
    gone = (long.item == 2) & (long.method == "s")
    gone |= (long.item == 5) & (long.method == "j") & (long.replicate == "3")
    names = {"item": "item", "method": "method", "replicate": "replicate", "value": "y"}
    first, second = replicates_from_long(long[~gone], **names, methods=("j", "s"))
    assert list(first.index) == list(second.index)
    assert second.loc[2].isna().all()
    assert math.isnan(first.loc[5, "3"])


def test_long_table_refusals():
    long = long_pressure()
    names = {"item": "item", "method": "method", "replicate": "replicate", "value": "y"}
    with pytest.raises(DataError, match=r"no method 'x'.*found j, r, s"):
        replicates_from_long(long, **names, methods=("j", "x"))
    with pytest.raises(DataError, match="no column 'subject'"):
        replicates_from_long(long, **{**names, "item": "subject"}, methods=("j", "s"))
    with pytest.raises(DataError, match="replicate 1 of item 1 by j is there twice"):
        replicates_from_long(pd.concat([long, long.iloc[:1]]), **names, methods=("j", "s"))
