"""Limits of agreement that change with the size of the measurement."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import DataError
from ..estimate import Estimate, undefined
from .limits import MIN_PAIRS, checked_coverage
from .quantiles import t_quantile, t_two_tails, z_quantile
from .scores import as_pairs, rounding_floor, settled


@dataclass(frozen=True)
class RegressionLimits:
    """Bias and limits of agreement as functions of the mean of the two methods.

    Attributes
    ----------
    intercept, slope : float
        Bias at mean A is intercept + slope A.
    spread_intercept, spread_slope : float
        Mean absolute residual at A; times sqrt(pi / 2) it is the standard deviation there.
    slope_p, spread_slope_p : float
        p of slopes of zero.
    multiplier : float
        Standard deviations from the bias to a limit.
    n : int
        Number of pairs.
    """

    intercept: float
    slope: float
    spread_intercept: float
    spread_slope: float
    slope_p: float
    spread_slope_p: float
    multiplier: float
    n: int

    def at(self, means: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return bias, lower and upper limit at given means; NaN where the SD would be negative."""
        where = np.asarray(means, dtype=float)
        bias = self.intercept + self.slope * where
        sd = math.sqrt(math.pi / 2) * (self.spread_intercept + self.spread_slope * where)
        half = self.multiplier * np.where(sd >= 0, sd, math.nan)
        return bias, bias - half, bias + half


def regression_limits(
    first: Any, second: Any = None, *, coverage: float = 0.95, constant_sd: bool = False
) -> RegressionLimits:
    """Return limits of agreement by regression on the mean of the two methods.

    Parameters
    ----------
    first, second
        As in :func:`bland_altman`.
    coverage : float
        Share of differences the limits are to hold, in (0, 1).
    constant_sd : bool
        Take the residual standard deviation at every size; for a bias that grows and a spread
        that does not.

    Raises
    ------
    DataError
        Fewer than three pairs, or pairs whose means do not vary.

    References
    ----------
    Bland JM, Altman DG (1999). Statistical Methods in Medical Research 8:135-160, section 3.2.
    """
    pairs = as_pairs(first, second)
    differences, means = pairs.first - pairs.second, (pairs.first + pairs.second) / 2
    centred = means - means.mean() if pairs.n else means
    if pairs.n < MIN_PAIRS or settled(float(centred @ centred), rounding_floor(means)) == 0:
        raise DataError(
            "a regression on the mean of two methods is not possible",
            found=f"{pairs.n} pairs" if pairs.n < MIN_PAIRS else "means that do not vary",
            expected=f"at least {MIN_PAIRS} pairs of different size",
        )
    intercept, slope, p = _line(means, differences)
    residuals = differences - intercept - slope * means
    spread_intercept, spread_slope, spread_p = _line(means, np.abs(residuals))
    if constant_sd:
        sd = math.sqrt(float(residuals @ residuals) / (pairs.n - 2))
        spread_intercept, spread_slope = sd / math.sqrt(math.pi / 2), 0.0
    return RegressionLimits(
        intercept=intercept,
        slope=slope,
        spread_intercept=spread_intercept,
        spread_slope=spread_slope,
        slope_p=p,
        spread_slope_p=spread_p,
        multiplier=z_quantile((1 + checked_coverage(coverage)) / 2),
        n=pairs.n,
    )


def _line(means: np.ndarray, values: np.ndarray) -> tuple[float, float, float]:
    """Return intercept, slope and the p of a slope of zero."""
    slope, p = proportional_bias(means, values, 0.95)
    return float(values.mean()) - slope.value * float(means.mean()), slope.value, p


def proportional_bias(
    means: np.ndarray, differences: np.ndarray, level: float
) -> tuple[Estimate, float]:
    """Return the slope of differences on means with its t interval, and its p."""
    n = len(means)
    described: dict[str, Any] = {"name": "slope", "level": level, "n_items": n, "n_clusters": n}
    centred = means - means.mean() if n else means
    spread = settled(float(centred @ centred), rounding_floor(means))
    if n < MIN_PAIRS or spread == 0:
        why = "the means of the two methods do not vary" if n >= MIN_PAIRS else "too few pairs"
        return undefined(why, **described), math.nan
    slope = float(centred @ differences) / spread
    residuals = differences - differences.mean() - slope * centred
    floor = rounding_floor(np.concatenate([means, differences]), n)
    error = math.sqrt(settled(float(residuals @ residuals), floor) / (n - 2) / spread)
    half = t_quantile((1 + level) / 2, n - 2) * error
    t = abs(slope) / error if error > 0 else (math.inf if slope != 0 else math.nan)
    estimate = Estimate(
        slope, slope - half, slope + half, method="t", standard_error=error, **described
    )
    return estimate, t_two_tails(t, n - 2)
