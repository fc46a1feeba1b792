"""Limits of agreement that change with the size of the measurement."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from ..errors import DataError
from .bland_altman import MIN_PAIRS, checked_coverage
from .quantiles import z_quantile
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
    bias = stats.linregress(means, differences)
    residuals = differences - bias.intercept - bias.slope * means
    spread_intercept, spread_slope, spread_p = _spread(means, residuals, constant_sd)
    return RegressionLimits(
        intercept=float(bias.intercept),
        slope=float(bias.slope),
        spread_intercept=spread_intercept,
        spread_slope=spread_slope,
        slope_p=float(bias.pvalue),
        spread_slope_p=spread_p,
        multiplier=z_quantile((1 + checked_coverage(coverage)) / 2),
        n=pairs.n,
    )


def _spread(means: np.ndarray, residuals: np.ndarray, constant: bool) -> tuple[float, float, float]:
    found = stats.linregress(means, np.abs(residuals))
    if not constant:
        return float(found.intercept), float(found.slope), float(found.pvalue)
    sd = math.sqrt(float(residuals @ residuals) / (len(means) - 2))
    return sd / math.sqrt(math.pi / 2), 0.0, float(found.pvalue)
