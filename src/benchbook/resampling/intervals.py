"""Bootstrap intervals from replicates: which quantiles to take, and how sure they are."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.special import betainc, ndtr, ndtri

_EPSILON = float(np.finfo(np.float64).eps)
# Rounding in an evaluation moves a value by a few units in its last place.
_ROUNDING = 16 * _EPSILON
# Replicates this close, as a share of their range, differ by rounding and not by resampling.
_TIE = 1e-10

METHODS = {"percentile": "percentile bootstrap", "basic": "basic bootstrap", "bca": "BCa bootstrap"}


class NoInterval(Exception):
    """The method has no interval for these replicates; the message is the reason."""


def is_constant(values: np.ndarray) -> bool:
    """Tell whether values differ by no more than rounding."""
    return bool(np.ptp(values) <= _ROUNDING * np.abs(values).max())


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
    tolerance = max(_TIE * float(np.ptp(replicates)), _ROUNDING * abs(point))
    below = np.count_nonzero(replicates < point - tolerance)
    tied = np.count_nonzero(np.abs(replicates - point) <= tolerance)
    share = (below + tied / 2.0) / replicates.size
    if share in (0.0, 1.0):
        raise NoInterval(
            "the bias correction of BCa is infinite: every resample lies "
            f"{'above' if share == 0.0 else 'below'} the point estimate"
        )
    return float(ndtri(share))


def acceleration(jackknife: np.ndarray) -> float:
    """Return the acceleration, from leave-one-cluster-out values of shape (n_clusters,).

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
    influence = jackknife.mean() - jackknife
    influence /= np.abs(influence).max()  # the ratio has no scale; its powers could underflow
    return float(np.sum(influence**3) / (6.0 * np.sum(influence**2) ** 1.5))


def bca_probabilities(
    replicates: np.ndarray, point: float, jackknife: np.ndarray, level: float
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
    skew = acceleration(jackknife)
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
    size = ordered.size
    rank = (size - 1) * probability + 1.0
    shares = betainc(rank, size - rank + 1.0, np.arange(size + 1) / size)
    weights = np.diff(shares)
    mean = float(weights @ ordered)
    return math.sqrt(float(weights @ (ordered - mean) ** 2))


def interval_bounds(
    replicates: np.ndarray,
    point: float,
    jackknife: Callable[[], np.ndarray],
    method: str,
    level: float,
) -> tuple[tuple[float, float], tuple[float, float], tuple[float, float]]:
    """Return the bounds, their Monte-Carlo errors, and the probabilities they were taken at.

    Quantiles interpolate linearly between order statistics (numpy's default, type 7 of
    Hyndman and Fan 1996, The American Statistician 50:361-365).

    Parameters
    ----------
    replicates : ndarray of shape (n_defined,)
        Replicates with a value.
    point : float
        Statistic on the full data.
    jackknife : callable
        Gives the leave-one-cluster-out values; called for BCa only.
    method : str
        A key of ``METHODS``.
    level : float
        Confidence level in (0, 1).

    Raises
    ------
    NoInterval
        When the method has none, with the reason.
    """
    if method == "bca":
        probabilities = bca_probabilities(replicates, point, jackknife(), level)
    else:
        probabilities = central_probabilities(level)
    ordered = np.sort(replicates)
    low, high = (float(bound) for bound in np.quantile(ordered, probabilities))
    errors = (
        quantile_error(ordered, probabilities[0]),
        quantile_error(ordered, probabilities[1]),
    )
    if method == "basic":
        # 2θ − upper quantile is the lower bound: the pair changes places.
        return (2.0 * point - high, 2.0 * point - low), errors[::-1], probabilities
    return (low, high), errors, probabilities
