"""Limits of agreement between two methods of measurement."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ..errors import DataError, ParameterError, nearest
from ..estimate import Estimate, undefined
from ..resampling.checks import checked_level
from .limits import (
    LIMIT_INTERVALS,
    METHODS,
    MIN_PAIRS,
    LimitInterval,
    checked_coverage,
    checked_multiplier,
    limit_intervals,
)
from .proportional import proportional_bias
from .quantiles import chi2_quantile, normal_content, t_quantile
from .scores import Pairs, as_pairs, rounding_floor, settled

Scale = Literal["difference", "ratio"]
# Shapiro and Wilk's p is not computed for larger samples, where any real data fail it anyway.
SHAPIRO_MAX = 5000


@dataclass(frozen=True, eq=False)
class BlandAltman:
    """Limits of agreement between two methods, first minus second (or first over second).

    Attributes
    ----------
    bias : Estimate
        Mean difference (or geometric mean ratio) with its t interval.
    sd : Estimate
        Standard deviation of the differences (of the log ratios), chi-squared interval.
    lower, upper : Estimate
        Limits of agreement, each with its interval.
    slope : Estimate
        Proportional bias: slope of the difference on the mean of the two, t interval. Two
        methods of unequal precision have a slope too, without any proportional bias.
    slope_p : float
        p of a slope of zero (the same test as Pitman and Morgan's of equal variances).
    shapiro_w, shapiro_p : float
        Shapiro-Wilk test of the differences, for information: the limits and their exact
        intervals assume normal differences.
    coverage, multiplier : float
        Share of differences the limits are meant to hold, and standard deviations to a limit.
    scale : {"difference", "ratio"}
        What is compared.
    means, differences : ndarray of float, shape (n,)
        Points of the plot: means and differences, or geometric means and ratios.
    items, names : tuple of str
        Names of the items and of the two methods.
    n_dropped : int
        Items left out because one of the two scores is missing.
    """

    bias: Estimate
    sd: Estimate
    lower: Estimate
    upper: Estimate
    slope: Estimate
    slope_p: float
    shapiro_w: float
    shapiro_p: float
    coverage: float
    multiplier: float
    scale: Scale
    means: np.ndarray
    differences: np.ndarray
    items: tuple[str, ...]
    names: tuple[str, str]
    n_dropped: int

    @property
    def n(self) -> int:
        """Number of pairs."""
        return len(self.items)

    @property
    def outside(self) -> int:
        """Number of differences outside the limits; about 5 % of n under normality."""
        beyond = (self.differences < self.lower.value) | (self.differences > self.upper.value)
        return int(beyond.sum())


def bland_altman(
    first: Any,
    second: Any = None,
    *,
    level: float = 0.95,
    coverage: float = 0.95,
    multiplier: float | None = None,
    interval: LimitInterval = "exact",
    scale: Scale = "difference",
) -> BlandAltman:
    """Return the limits of agreement of two methods, one measurement each per item.

    Parameters
    ----------
    first, second : array-like of shape (n,)
        Measurements of the same items by the two methods; or ``first`` alone, ratings or a table
        of two columns. Pairs with a missing value are left out and counted.
    level : float
        Confidence level of all intervals, in (0, 1).
    coverage : float
        Share of differences between the limits, in (0, 1); 0.95 puts them 1.96 standard
        deviations from the bias.
    multiplier : float, optional
        Standard deviations from the bias to a limit, in place of the one ``coverage`` gives
        (Bland and Altman 1986 took 2).
    interval : {"exact", "exact-pair", "bland-altman-1999", "bland-altman-1986"}
        Intervals of the limits. Exact: each limit as a normal percentile, from the noncentral t
        distribution. Exact-pair: both limits together, from two-sided tolerance factors. The
        others are the approximations of 1999, sqrt(1/n + m^2 / 2(n - 1)) s, and 1986,
        sqrt(3/n) s, with t; both are symmetric, and too narrow outward in small samples.
    scale : {"difference", "ratio"}
        Differences, or ratios (through logarithms, for positive values whose differences grow
        with size).

    Returns
    -------
    BlandAltman
        Undefined, with the reason, with fewer than three pairs.

    Raises
    ------
    DataError
        Not two methods; a value of zero or less on the ratio scale.
    ParameterError
        An option out of range.

    Examples
    --------
    >>> found = bland_altman([10.2, 11.0, 9.1, 12.4, 8.8], [10.0, 11.4, 9.0, 12.0, 9.3])
    >>> print(f"{found.lower:.2f}")
    -0.81 (-2.38 to -0.40)
    >>> print(f"{found.upper:.2f}")
    0.73 (0.32–2.30)

    References
    ----------
    Bland JM, Altman DG (1986). Statistical methods for assessing agreement between two methods
    of clinical measurement. Lancet 327:307-310.
    Bland JM, Altman DG (1999). Measuring agreement in method comparison studies. Statistical
    Methods in Medical Research 8:135-160.
    Carkeet A (2015). Exact parametric confidence intervals for Bland-Altman limits of agreement.
    Optometry and Vision Science 92:e71-e80.
    """
    pairs = as_pairs(first, second)
    level, coverage = checked_level(level), checked_coverage(coverage)
    m = checked_multiplier(multiplier, coverage)
    if interval not in LIMIT_INTERVALS:
        raise ParameterError(
            f"unknown interval '{interval}'; {nearest(str(interval), LIMIT_INTERVALS)}"
        )
    if scale not in ("difference", "ratio"):
        raise ParameterError(f"unknown scale '{scale}'; expected 'difference' or 'ratio'.")
    shown: Callable[[Any], Any] = np.exp if scale == "ratio" else _same
    used = _logarithms(pairs) if scale == "ratio" else pairs
    differences, means = used.first - used.second, (used.first + used.second) / 2
    bias, sd, lower, upper = _limits(used, differences, level, m, interval)
    slope, slope_p = proportional_bias(means, differences, level)
    w, p = _shapiro(differences, sd.value)
    return BlandAltman(
        bias=_on_scale(bias, shown),
        sd=sd,
        lower=_on_scale(lower, shown),
        upper=_on_scale(upper, shown),
        slope=slope,
        slope_p=slope_p,
        shapiro_w=w,
        shapiro_p=p,
        coverage=coverage if multiplier is None else normal_content(m),
        multiplier=m,
        scale=scale,
        means=shown(means),
        differences=shown(differences),
        items=pairs.items,
        names=pairs.names,
        n_dropped=pairs.n_dropped,
    )


def _same(value: Any) -> Any:
    return value


def _logarithms(pairs: Pairs) -> Pairs:
    for name, values in zip(pairs.names, (pairs.first, pairs.second), strict=True):
        low = np.flatnonzero(values <= 0)
        if low.size:
            raise DataError(
                "a ratio needs positive values",
                row=pairs.items[int(low[0])],
                column=name,
                found=f"{values[low[0]]:g}",
                expected="a number above 0, or scale='difference'",
            )
    return replace(pairs, first=np.log(pairs.first), second=np.log(pairs.second))


def _limits(
    pairs: Pairs, differences: np.ndarray, level: float, m: float, interval: LimitInterval
) -> tuple[Estimate, Estimate, Estimate, Estimate]:
    n = pairs.n
    names = ("mean difference", "SD of differences", "lower limit", "upper limit")
    if n < MIN_PAIRS:
        reason = f"{n} pairs; limits of agreement need at least {MIN_PAIRS}"
        none = [undefined(reason, name=name, level=level, n_items=n) for name in names]
        return none[0], none[1], none[2], none[3]
    bias = float(differences.mean())
    floor = rounding_floor(np.concatenate([pairs.first, pairs.second]), n)
    sd = math.sqrt(settled(float(np.sum((differences - bias) ** 2)), floor) / (n - 1))
    half = t_quantile((1 + level) / 2, n - 1) * sd / math.sqrt(n)
    spread = [
        sd * math.sqrt((n - 1) / chi2_quantile(share, n - 1))
        for share in ((1 + level) / 2, (1 - level) / 2)
    ]
    low_limit, high_limit = limit_intervals(bias, sd, n, m, level, interval)
    flat = ("the differences do not vary: intervals have no width",) if sd == 0 else ()
    shared: dict[str, Any] = {"level": level, "n_items": n, "n_clusters": n, "warnings": flat}
    error = sd / math.sqrt(n)
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
        Estimate(sd, spread[0], spread[1], method="chi-squared", name=names[1], **shared),
        Estimate(bias - m * sd, *low_limit, method=METHODS[interval], name=names[2], **shared),
        Estimate(bias + m * sd, *high_limit, method=METHODS[interval], name=names[3], **shared),
    )


def _on_scale(estimate: Estimate, shown: Callable[[Any], Any]) -> Estimate:
    if shown is _same:
        return estimate
    return replace(
        estimate,
        value=float(shown(estimate.value)),
        low=float(shown(estimate.low)),
        high=float(shown(estimate.high)),
        name=estimate.name.replace("mean difference", "geometric mean ratio"),
        standard_error=math.nan,
    )


def _shapiro(differences: np.ndarray, sd: float) -> tuple[float, float]:
    if not sd > 0 or len(differences) > SHAPIRO_MAX:
        return math.nan, math.nan
    from scipy import stats  # half a second, for this one function

    found = stats.shapiro(differences)
    return float(found.statistic), float(found.pvalue)
