"""Bootstrap intervals from replicates: which quantiles to take, and how sure they are."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import betainc, ndtr, ndtri

_EPSILON = float(np.finfo(np.float64).eps)
# Rounding in an evaluation moves a value by a few units in its last place.
_ROUNDING = 16 * _EPSILON
# Replicates this close, as a share of their range, differ by rounding and not by resampling.
_TIE = 1e-10

METHODS = {
    "percentile": "percentile bootstrap",
    "basic": "basic bootstrap",
    "bca": "BCa bootstrap",
    "studentised": "studentised bootstrap",
    "linearised": "linearised, t",
}


class NoInterval(Exception):
    """The method has no interval for these replicates; the message is the reason."""


def is_constant(values: np.ndarray) -> bool:
    """Tell whether values differ by no more than rounding."""
    return bool(np.ptp(values) <= _ROUNDING * np.abs(values).max())


def tie_tolerance(replicates: np.ndarray, value: float) -> float:
    """Return how close to ``value`` a replicate counts as equal to it."""
    return max(_TIE * float(np.ptp(replicates)), _ROUNDING * abs(value))


def central_probabilities(level: float) -> tuple[float, float]:
    """Return the two tail probabilities of a central interval, alpha/2 and 1 - alpha/2."""
    tail = (1.0 - level) / 2.0
    return tail, 1.0 - tail


def bias_correction(replicates: np.ndarray, point: float) -> float:
    """Return z0, the normal quantile of the share of replicates below the point estimate.

    Replicates equal to the point estimate count one half.

    Raises
    ------
    NoInterval
        When all replicates lie on one side of the point estimate.
    """
    tolerance = tie_tolerance(replicates, point)
    below = np.count_nonzero(replicates < point - tolerance)
    tied = np.count_nonzero(np.abs(replicates - point) <= tolerance)
    share = (below + tied / 2.0) / replicates.size
    if share in (0.0, 1.0):
        raise NoInterval(
            "the bias correction of BCa is infinite: every resample lies "
            f"{'above' if share == 0.0 else 'below'} the point estimate"
        )
    return float(ndtri(share))


def acceleration(jackknife: np.ndarray, strata: np.ndarray | None = None) -> float:
    """Return the acceleration, from leave-one-cluster-out values.

    Parameters
    ----------
    jackknife : ndarray of shape (n_clusters,)
        The statistic without each cluster.
    strata : ndarray of int, shape (n_clusters,), optional
        Stratum of each cluster. The influences are then centred within strata: what differs
        between strata does not vary from resample to resample (Davison and Hinkley 1997,
        chapter 5).

    Raises
    ------
    NoInterval
        When a value is undefined, or all are equal.
    """
    lost = int(np.count_nonzero(np.isnan(jackknife)))
    if lost:
        raise NoInterval(
            "the acceleration of BCa is undefined: the statistic has no value without one unit, "
            f"for {lost} of the {jackknife.size} units"
        )
    if is_constant(jackknife):
        raise NoInterval(
            "the acceleration of BCa is undefined: leaving out any one unit gives the same value"
        )
    influence = jackknife.mean() - jackknife if strata is None else _within(jackknife, strata)
    largest = np.abs(influence).max()
    if largest == 0.0:
        raise NoInterval(
            "the acceleration of BCa is undefined: leaving out any one unit of a stratum gives "
            "the same value"
        )
    influence /= largest  # the ratio has no scale; its powers could underflow
    return float(np.sum(influence**3) / (6.0 * np.sum(influence**2) ** 1.5))


def _within(jackknife: np.ndarray, strata: np.ndarray) -> np.ndarray:
    """Return the influences of the units, centred within their stratum."""
    sizes = np.maximum(np.bincount(strata), 1)
    means = np.bincount(strata, weights=jackknife) / sizes
    return means[strata] - jackknife


def bca_probabilities(
    replicates: np.ndarray,
    point: float,
    jackknife: np.ndarray,
    level: float,
    strata: np.ndarray | None = None,
) -> tuple[float, float]:
    """Return the adjusted probabilities of the bias-corrected and accelerated interval.

    Raises
    ------
    NoInterval
        When the bias correction, the acceleration or the adjustment has no value.

    References
    ----------
    Efron B (1987). Better bootstrap confidence intervals. Journal of the American Statistical
    Association 82:171-185, equation 2.3; acceleration by equation 14.15 of Efron B, Tibshirani
    RJ (1993), An Introduction to the Bootstrap, Chapman and Hall.
    """
    if is_constant(replicates):
        raise NoInterval("every resample gave the same value, and BCa is undefined then")
    shift = bias_correction(replicates, point)
    skew = acceleration(jackknife, strata)
    adjusted = []
    for probability in central_probabilities(level):
        quantile = shift + float(ndtri(probability))
        stretch = 1.0 - skew * quantile
        if stretch <= 0.0:
            raise NoInterval(
                f"the adjustment of BCa breaks down (bias correction {shift:.3f}, "
                f"acceleration {skew:.3f})"
            )
        adjusted.append(float(ndtr(shift + quantile / stretch)))
    return adjusted[0], adjusted[1]


def quantile_error(ordered: np.ndarray, probability: float) -> float:
    """Return the Monte-Carlo standard error of a quantile of the replicates.

    The quantile is an order statistic (interpolated) whose rank is a beta variate; its variance
    over repeated runs is taken with the replicates in place of their distribution.

    Parameters
    ----------
    ordered : ndarray of shape (n_replicates,)
        Replicates in ascending order.
    probability : float
        Which quantile, in [0, 1].

    References
    ----------
    Maritz JS, Jarrett RG (1978). A note on estimating the variance of the sample median.
    Journal of the American Statistical Association 73:194-196.
    """
    weights = _rank_weights(ordered.size, probability)
    mean = float(weights @ ordered)
    return math.sqrt(float(weights @ (ordered - mean) ** 2))


@lru_cache(maxsize=8)
def _rank_weights(size: int, probability: float) -> np.ndarray:
    """Return how likely each order statistic is to be the quantile, shape (size,).

    Kept, because the intervals of one study mostly share both arguments.
    """
    rank = (size - 1) * probability + 1.0
    weights = np.diff(betainc(rank, size - rank + 1.0, np.arange(size + 1) / size))
    weights.setflags(write=False)
    return weights


@dataclass(frozen=True)
class Bounds:
    """An interval before it is clipped to what is possible.

    Attributes
    ----------
    low, high : float
    errors : tuple of float
        Monte-Carlo standard error of each.
    probabilities : tuple of float
        At which the quantiles were taken, lower first.
    """

    low: float
    high: float
    errors: tuple[float, float]
    probabilities: tuple[float, float]


def quantiles(replicates: np.ndarray, probabilities: tuple[float, float]) -> Bounds:
    """Return two quantiles of the replicates with their Monte-Carlo errors.

    Quantiles interpolate linearly between order statistics (numpy's default, type 7 of
    Hyndman and Fan 1996, The American Statistician 50:361-365).
    """
    ordered = np.sort(replicates)
    low, high = (float(bound) for bound in np.quantile(ordered, probabilities))
    errors = (
        quantile_error(ordered, probabilities[0]),
        quantile_error(ordered, probabilities[1]),
    )
    return Bounds(low, high, errors, probabilities)


def reflected(inner: Bounds, point: float, scale: float = 1.0) -> Bounds:
    """Return ``point - scale * quantile`` of each: the upper quantile gives the lower bound."""
    errors = (scale * inner.errors[1], scale * inner.errors[0])
    low, high = point - scale * inner.high, point - scale * inner.low
    return Bounds(low, high, errors, inner.probabilities)
