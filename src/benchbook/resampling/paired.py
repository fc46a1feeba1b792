"""Paired comparisons: the difference with its interval, and the p value the interval implies."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from ..estimate import Estimate
from .api import Statistic, resample_difference
from .checks import checked_method, finite_number
from .distribution import Distribution
from .intervals import NoInterval, acceleration, bias_correction, tie_tolerance


@dataclass(frozen=True)
class Comparison:
    """A difference, and how far the data speak against its being ``null``.

    Attributes
    ----------
    difference : Estimate
        First minus second, with its interval.
    p_value : float
        Two-sided, in (0, 1]; NaN when there is none.
    null : float
        Value of the difference that is tested.
    reason : str or None
        Why there is no p value.
    """

    difference: Estimate
    p_value: float
    null: float = 0.0
    reason: str | None = None


def compare(
    first: Statistic,
    second: Statistic,
    data: Any = None,
    *,
    cluster: Any = None,
    unit: str = "item",
    n_resamples: int = 2000,
    level: float = 0.95,
    method: str = "percentile",
    null: float = 0.0,
    seed: int | None = 0,
    n_jobs: int | None = None,
) -> Comparison:
    """Compare two statistics over the same items on shared resamples.

    Parameters
    ----------
    first, second, data, cluster, unit, n_resamples, level, method, seed, n_jobs
        As in :func:`~benchbook.resampling.paired_difference`.
    null : float, default 0
        Value of the difference that is tested.

    Returns
    -------
    Comparison
        See :func:`comparison` for the p value.
    """
    null, method = finite_number("null", null), checked_method(method)
    distribution = resample_difference(
        first, second, data, cluster=cluster, unit=unit, n_resamples=n_resamples, seed=seed,
        n_jobs=n_jobs,
    )  # fmt: skip
    return comparison(distribution, method=method, level=level, null=null)


def comparison(
    distribution: Distribution,
    *,
    method: str = "percentile",
    level: float = 0.95,
    null: float = 0.0,
) -> Comparison:
    """Return the interval of a difference and the p value that goes with it.

    The p value is found by inversion: one minus the largest level at which the interval still
    excludes ``null``. It counts the replicates on either side of ``null`` (for the basic and
    studentised methods on the other side of the point estimate, for BCa at adjusted
    probabilities), takes the smaller share twice, and adds one to count and number: an observed
    difference is as good as one more resample, so p is at least 2 / (B + 1) and never 0.
    Replicates equal to ``null`` count on both sides. For the linearised method it is that of
    Student's t, and no replicate counts.

    Parameters
    ----------
    distribution : Distribution
        Such as :func:`~benchbook.resampling.resample_difference` returns.
    method : {"percentile", "basic", "bca", "studentised", "linearised"}
    level : float
    null : float

    Notes
    -----
    The interval interpolates between replicates and the p value counts them, so for a level
    close to 1 - p the two may part by one replicate.

    References
    ----------
    Davison AC, Hinkley DV (1997). Bootstrap Methods and their Application, sections 4.2 and 5.5.
    Cambridge University Press. Phipson B, Smyth GK (2010). Permutation P-values should never be
    zero. Statistical Applications in Genetics and Molecular Biology 9:39.
    """
    null, method = finite_number("null", null), checked_method(method)
    estimate = distribution.interval(method, level)
    if not estimate.has_interval:
        return Comparison(estimate, math.nan, null, estimate.reason)
    try:
        return Comparison(estimate, _p_value(distribution, method, null), null)
    except NoInterval as error:
        return Comparison(estimate, math.nan, null, str(error))


def _p_value(distribution: Distribution, method: str, null: float) -> float:
    if method == "linearised":
        return distribution.linearised.p_value(null)
    defined = distribution.replicates[~np.isnan(distribution.replicates)]
    point = distribution.point
    if method == "studentised":
        pivots = distribution.pivots[~np.isnan(distribution.pivots)]
        below, above = _tails(pivots, (point - null) / distribution.standard_errors[0])
    elif method == "basic":
        below, above = _tails(defined, 2.0 * point - null)
    else:
        below, above = _tails(defined, null)
    if method == "bca":
        skew = acceleration(distribution.jackknife, distribution.strata)
        shift = bias_correction(defined, point)
        below = _unadjusted(below, shift, skew)
        above = 1.0 - _unadjusted(1.0 - above, shift, skew)
    return min(1.0, 2.0 * min(below, above))


def _tails(values: np.ndarray, null: float) -> tuple[float, float]:
    """Return the shares of values up to ``null`` and from it on, one added to each count."""
    tolerance = tie_tolerance(values, null)
    below = np.count_nonzero(values <= null + tolerance)
    above = np.count_nonzero(values >= null - tolerance)
    return (below + 1) / (values.size + 1), (above + 1) / (values.size + 1)


def _unadjusted(share: float, shift: float, skew: float) -> float:
    """Return the nominal probability whose BCa adjustment is ``share``."""
    if share <= 0.0 or share >= 1.0:
        return share
    moved = float(ndtri(share)) - shift
    stretch = 1.0 + skew * moved
    if stretch <= 0.0:
        raise NoInterval("the adjustment of BCa cannot be inverted at the tested value")
    return float(ndtr(moved / stretch - shift))
