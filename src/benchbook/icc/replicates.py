"""Limits of agreement with several measurements per item and method."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..errors import DataError, ParameterError
from ..estimate import Estimate, undefined
from ..resampling.checks import checked_level
from .limits import MIN_PAIRS, checked_coverage, checked_multiplier
from .quantiles import chi2_quantile, t_quantile, z_quantile
from .replicate_tables import checked_tables
from .scores import rounding_floor, settled

TrueValue = Literal["constant", "varying"]
Between = Literal["anova", "unweighted"]


@dataclass(frozen=True, eq=False)
class ReplicatedBlandAltman:
    """Limits of agreement for single measurements, estimated from replicates.

    Attributes
    ----------
    bias, sd, lower, upper : Estimate
        Mean difference (first minus second), standard deviation of the difference of two single
        measurements, and the limits of agreement, with their intervals.
    variances : dict of str to float
        What the variance of a difference is made of (squared units): with a constant true value
        ``between`` (of the item-mean differences), ``within_first`` and ``within_second``; with
        a varying one ``between`` and ``within`` items.
    repeatability : dict of str to float
        For a constant true value, by method: the difference of two measurements of one item
        that is exceeded once in twenty (m sqrt(2) times the within-item SD).
    true_value : {"constant", "varying"}
        What was assumed of an item during its replicates.
    coverage, multiplier : float
        As in :class:`BlandAltman`.
    means, differences : ndarray of float, shape (n_points,)
        Points of the plot: item means for a constant value, single pairs for a varying one.
    n_items, n_first, n_second : int
        Items, and measurements by each method.
    """

    bias: Estimate
    sd: Estimate
    lower: Estimate
    upper: Estimate
    variances: dict[str, float]
    repeatability: dict[str, float]
    true_value: TrueValue
    coverage: float
    multiplier: float
    means: np.ndarray
    differences: np.ndarray
    n_items: int
    n_first: int
    n_second: int


@dataclass(frozen=True)
class _Part:
    """One independent mean square in the variance of a difference: weight, value, df."""

    weight: float
    value: float
    df: float


def bland_altman_replicates(
    first: Any,
    second: Any,
    *,
    true_value: TrueValue,
    level: float = 0.95,
    coverage: float = 0.95,
    multiplier: float | None = None,
    between: Between = "anova",
) -> ReplicatedBlandAltman:
    """Return limits of agreement from replicates, which must not be taken for items.

    Parameters
    ----------
    first, second : array-like of shape (n_items, n_replicates)
        Measurements of the same items, in the same order, by the two methods; NaN where there is
        none. The numbers of columns may differ when the true value is constant.
    true_value : {"constant", "varying"}
        Constant: replicates of an item measure one value and are exchangeable. Varying: the
        value changes between replicates, and column j of ``first`` belongs to column j of
        ``second``; pairs with a missing half are left out. There is no default.
    level : float
        Confidence level of the intervals, in (0, 1).
    coverage, multiplier
        As in :func:`bland_altman`.
    between : {"anova", "unweighted"}
        Varying value with unequal numbers of pairs: the ANOVA estimates of Bland and Altman
        (every pair counts once), or item means counting once each (Zou). The same when numbers
        are equal.

    Returns
    -------
    ReplicatedBlandAltman
        The bias has a t interval on n_items - 1 df, the limits have Zou's MOVER intervals.

    Raises
    ------
    DataError
        The two tables do not match, or are not tables of numbers.
    ParameterError
        An option out of range.

    References
    ----------
    Bland JM, Altman DG (1999). Measuring agreement in method comparison studies. Statistical
    Methods in Medical Research 8:135-160, section 5.
    Bland JM, Altman DG (2007). Agreement between methods of measurement with multiple
    observations per individual. Journal of Biopharmaceutical Statistics 17:571-582.
    Zou GY (2013). Confidence interval estimation for the Bland-Altman limits of agreement with
    multiple observations per individual. Statistical Methods in Medical Research 22:630-642.
    """
    if true_value not in ("constant", "varying"):
        raise ParameterError(
            f"true_value is {true_value!r}; expected 'constant' or 'varying': whether an item's "
            "value changes between its replicates."
        )
    if between not in ("anova", "unweighted"):
        raise ParameterError(f"between is {between!r}; expected 'anova' or 'unweighted'.")
    x, y = checked_tables(first, second)
    level, coverage = checked_level(level), checked_coverage(coverage)
    m = checked_multiplier(multiplier, coverage)
    if true_value == "constant":
        return _constant(x, y, level, coverage, m)
    return _varying(x, y, level, coverage, m, between)


def _constant(
    x: np.ndarray, y: np.ndarray, level: float, coverage: float, m: float
) -> ReplicatedBlandAltman:
    """Return the limits when replicates of an item are exchangeable (1999, sections 5.1-5.2)."""
    both = ~np.isnan(x).all(axis=1) & ~np.isnan(y).all(axis=1)
    x, y = x[both], y[both]
    n = len(x)
    floor = _floor(x, y)
    mean_x, within_x, df_x, rest_x = _within(x, floor)
    mean_y, within_y, df_y, rest_y = _within(y, floor)
    differences = mean_x - mean_y
    spread = _variance(differences, floor)
    parts = [
        _Part(1.0, spread, n - 1),
        _Part(rest_x, within_x, df_x),
        _Part(rest_y, within_y, df_y),
    ]
    bias = float(differences.mean()) if n else math.nan
    estimates = _estimates(bias, spread / n if n else math.nan, parts, n, level, m)
    root = m * math.sqrt(2)
    return ReplicatedBlandAltman(
        *estimates,
        variances={"between": spread, "within_first": within_x, "within_second": within_y},
        repeatability={"first": root * math.sqrt(within_x), "second": root * math.sqrt(within_y)},
        true_value="constant",
        coverage=coverage,
        multiplier=m,
        means=(mean_x + mean_y) / 2,
        differences=differences,
        n_items=n,
        n_first=int((~np.isnan(x)).sum()),
        n_second=int((~np.isnan(y)).sum()),
    )


def _varying(
    x: np.ndarray, y: np.ndarray, level: float, coverage: float, m: float, between: Between
) -> ReplicatedBlandAltman:
    """Return the limits when replicates come in pairs (1999, section 5.3; 2007)."""
    if x.shape[1] != y.shape[1]:
        raise DataError(
            "with a varying true value the replicates must come in pairs",
            found=f"{x.shape[1]} and {y.shape[1]} columns",
            expected="as many replicates of either method, in the same order",
        )
    pairs = x - y
    paired = ~np.isnan(pairs).all(axis=1)
    x, y, pairs = x[paired], y[paired], pairs[paired]
    sizes = (~np.isnan(pairs)).sum(axis=1)
    n, total = len(pairs), int(sizes.sum())
    floor = _floor(x, y)
    means, within, df, unweighted_rest = _within(pairs, floor)
    if between == "unweighted" or n < 2:
        bias = float(means.mean()) if n else math.nan
        spread, rest = _variance(means, floor), unweighted_rest
        bias_variance = spread / n if n else math.nan
    else:
        bias = float(sizes @ means) / total
        size = (total - float(np.sum(sizes**2)) / total) / (n - 1)
        spread = settled(float(sizes @ (means - bias) ** 2), floor) / (n - 1) / size
        rest = 1 - 1 / size
        component = max(spread - within / size, 0.0)
        bias_variance = component * float(np.sum(sizes**2)) / total**2 + within / total
    parts = [_Part(1.0, spread, n - 1), _Part(rest, within, df)]
    estimates = _estimates(bias, bias_variance, parts, n, level, m)
    shown = ~np.isnan(pairs)
    return ReplicatedBlandAltman(
        *estimates,
        variances={"between": spread - (1 - rest) * within, "within": within},
        repeatability={},
        true_value="varying",
        coverage=coverage,
        multiplier=m,
        means=((x + y) / 2)[shown],
        differences=pairs[shown],
        n_items=n,
        n_first=total,
        n_second=total,
    )


def _floor(x: np.ndarray, y: np.ndarray) -> float:
    both = np.concatenate([x.ravel(), y.ravel()])
    return rounding_floor(both, max(both.size, 1))


def _variance(values: np.ndarray, floor: float) -> float:
    if len(values) < 2:
        return math.nan
    return settled(float(np.sum((values - values.mean()) ** 2)), floor) / (len(values) - 1)


def _within(table: np.ndarray, floor: float) -> tuple[np.ndarray, float, int, float]:
    """Return row means, pooled variance within rows, its df, and 1 - mean of 1/row size.

    The last is the share of the within-row variance that averaging took out of the row means.
    Without a second measurement anywhere it is 0, and so is the variance, which nobody can know
    and nothing needs.
    """
    present = ~np.isnan(table)
    sizes = present.sum(axis=1)
    if not len(table):
        return np.zeros(0), 0.0, 0, 0.0
    means = np.where(present, table, 0.0).sum(axis=1) / sizes
    inner = np.where(present, table - means[:, None], 0.0)
    df = int(sizes.sum()) - len(table)
    variance = settled(float(np.sum(inner**2)), floor) / df if df > 0 else 0.0
    return means, variance, df, 1.0 - float(np.mean(1.0 / sizes))


def _estimates(
    bias: float, bias_variance: float, parts: list[_Part], n: int, level: float, m: float
) -> tuple[Estimate, Estimate, Estimate, Estimate]:
    names = ("mean difference", "SD of differences", "lower limit", "upper limit")
    shared: dict[str, Any] = {"level": level, "n_items": n, "n_clusters": n}
    if n < MIN_PAIRS:
        reason = f"{n} items; limits of agreement need at least {MIN_PAIRS}"
        none = [undefined(reason, name=name, **shared) for name in names]
        return none[0], none[1], none[2], none[3]
    variance = sum(part.weight * part.value for part in parts)
    low, high = mover(parts, level)
    sd, sd_low, sd_high = math.sqrt(variance), math.sqrt(low), math.sqrt(high)
    error = math.sqrt(bias_variance)
    half = t_quantile((1 + level) / 2, n - 1) * error
    # Zou's intervals take the normal quantile for the bias.
    z = z_quantile((1 + level) / 2) * error
    outward = math.hypot(z, m * (sd_high - sd))
    inward = math.hypot(z, m * (sd - sd_low))
    lower, upper = bias - m * sd, bias + m * sd
    return (
        Estimate(
            bias,
            bias - half,
            bias + half,
            method="t",
            name=names[0],
            standard_error=error,
            **shared,
        ),
        Estimate(sd, sd_low, sd_high, method="MOVER", name=names[1], **shared),
        Estimate(lower, lower - outward, lower + inward, method="MOVER", name=names[2], **shared),
        Estimate(upper, upper - inward, upper + outward, method="MOVER", name=names[3], **shared),
    )


def mover(parts: list[_Part], level: float) -> tuple[float, float]:
    """Return the interval of a weighted sum of independent mean squares.

    References
    ----------
    Zou GY (2013). Statistical Methods in Medical Research 22:630-642, equation 6.
    """
    tail = (1 - level) / 2
    total = below = above = 0.0
    for part in parts:
        share = part.weight * part.value
        if share == 0:
            continue
        total += share
        below += (share * (1 - part.df / chi2_quantile(1 - tail, part.df))) ** 2
        above += (share * (part.df / chi2_quantile(tail, part.df) - 1)) ** 2
    return max(total - math.sqrt(below), 0.0), total + math.sqrt(above)
