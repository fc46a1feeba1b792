"""Intervals of limits of agreement, mean minus and plus m standard deviations."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from scipy import optimize, special

from ..errors import ParameterError
from .quantiles import nct_quantile, normal_content, t_quantile, z_quantile

LimitInterval = Literal["exact", "exact-pair", "bland-altman-1999", "bland-altman-1986"]
LIMIT_INTERVALS: tuple[LimitInterval, ...] = (
    "exact",
    "exact-pair",
    "bland-altman-1999",
    "bland-altman-1986",
)
METHODS: dict[LimitInterval, str] = {
    "exact": "exact, each limit (noncentral t)",
    "exact-pair": "exact, both limits (two-sided tolerance factors)",
    "bland-altman-1999": "t with the variance of Bland and Altman 1999",
    "bland-altman-1986": "t with the variance of Bland and Altman 1986",
}
# Nodes of the quadrature over the sample mean; 100 give the tolerance factors to ten digits.
NODES = 100
MIN_PAIRS = 3
Interval = tuple[float, float]


def checked_coverage(coverage: float) -> float:
    """Return the share of differences the limits are to hold, between 0 and 1."""
    if isinstance(coverage, bool) or not 0 < coverage < 1:
        raise ParameterError(f"coverage is {coverage!r}; expected a share between 0 and 1.")
    return float(coverage)


def checked_multiplier(multiplier: float | None, coverage: float) -> float:
    """Return the standard deviations from the bias to a limit."""
    if multiplier is None:
        return z_quantile((1 + coverage) / 2)
    if not multiplier > 0 or not math.isfinite(multiplier):
        raise ParameterError(f"multiplier is {multiplier!r}; expected a positive number.")
    return float(multiplier)


def limit_intervals(
    mean: float, sd: float, n: int, m: float, level: float, interval: LimitInterval
) -> tuple[Interval, Interval]:
    """Return the intervals of the lower and of the upper limit.

    Parameters
    ----------
    mean, sd : float
        Mean and standard deviation (n - 1) of the differences.
    n : int
        Number of differences, at least 2.
    m : float
        Standard deviations from the mean to a limit.
    level : float
        Confidence level.
    interval : str
        One of ``LIMIT_INTERVALS``.
    """
    if interval == "exact":
        inner, outer = percentile_factors(n, m, level)
    elif interval == "exact-pair":
        content = normal_content(m)
        tail = (1 - level) / 2
        inner, outer = (tolerance_factor(n, content, share) for share in (tail, 1 - tail))
    else:
        variance = 3 / n if interval == "bland-altman-1986" else 1 / n + m**2 / (2 * (n - 1))
        half = t_quantile((1 + level) / 2, n - 1) * math.sqrt(variance)
        inner, outer = m - half, m + half
    return (mean - outer * sd, mean - inner * sd), (mean + inner * sd, mean + outer * sd)


def percentile_factors(n: int, m: float, level: float) -> Interval:
    """Return the factors of the exact interval of one limit taken by itself.

    The upper limit mean + m sd estimates the percentile mu + m sigma, and
    sqrt(n) (mu + m sigma - mean) / sd is noncentral t with n - 1 df and noncentrality m sqrt(n).

    References
    ----------
    Carkeet A (2015). Optometry and Vision Science 92:e71-e80 (one-sided tolerance factors).
    """
    tail = (1 - level) / 2
    root = math.sqrt(n)
    inner, outer = (nct_quantile(share, n - 1, m * root) / root for share in (tail, 1 - tail))
    return inner, outer


def tolerance_factor(n: int, content: float, confidence: float) -> float:
    """Return k such that mean -+ k sd holds ``content`` of a normal with given confidence.

    Given the sample mean, the content depends on the sample variance alone; its chi-squared
    probability is averaged over the mean by Gauss-Hermite quadrature.

    References
    ----------
    Carkeet A (2015). Optometry and Vision Science 92:e71-e80 (two-sided tolerance factors).
    Krishnamoorthy K, Mathew T (2009). Statistical Tolerance Regions. Wiley, equation 1.2.4.
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    weights = weights / weights.sum()
    # Half-width in sigmas that holds the content when the mean is off by that many sigmas.
    reach = np.sqrt(special.chndtrix(content, 1, nodes**2 / n))

    def short(factor: float) -> float:
        met = special.chdtrc(n - 1, (n - 1) * (reach / factor) ** 2)
        return float(weights @ met) - confidence

    start = z_quantile((1 + content) / 2)
    low, high = start, start
    while short(low) > 0:
        low /= 2
    while short(high) < 0:
        high *= 2
    return float(optimize.brentq(short, low, high, xtol=1e-12)) if low < high else low
