"""Analytic intervals: from a standard error to bounds inside the range of a coefficient."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri, stdtrit

from ..estimate import Estimate

CLUSTER_WARNING = (
    "the standard error treats the items of one cluster as independent; resample clusters for an "
    "interval that does not"
)


# A standard error below this is the rounding of one that is 0.
ROUNDING = 1e-12


@dataclass(frozen=True)
class About:
    """What every estimate says of itself beside the numbers.

    Attributes
    ----------
    name : str
        What is estimated.
    n_items : int
        Items that entered.
    level : float
        Confidence level, in (0, 1).
    clustered : bool
        True when items belong to clusters, which an item-wise standard error ignores.
    warnings : tuple of str
        What is known before the interval is made.
    """

    name: str
    n_items: int
    level: float
    clustered: bool = False
    warnings: tuple[str, ...] = ()


def symmetric_interval(
    about: About,
    value: float,
    standard_error: float,
    *,
    method: str,
    degrees_of_freedom: float = math.inf,
    lower_limit: float = -1.0,
) -> Estimate:
    """Return value +- quantile x standard error, bounds kept in [lower_limit, 1].

    Parameters
    ----------
    about : About
        Name, items and level.
    value, standard_error : float
        Both defined.
    method : str
        How the standard error was made, and the quantile.
    degrees_of_freedom : float
        Of the t quantile; infinite for the normal one.
    lower_limit : float
        Usual smallest value of the coefficient. A value below it is kept, and so is its bound.
    """
    quantile = two_sided_quantile(about.level, degrees_of_freedom)
    standard_error = 0.0 if standard_error < ROUNDING else standard_error
    low, high = value - quantile * standard_error, value + quantile * standard_error
    notes = list(about.warnings)
    if low < lower_limit <= value:
        notes.append(f"lower bound clipped from {low:.3f} to {lower_limit:g}")
        low = lower_limit
    if high > 1.0:
        notes.append(f"upper bound clipped from {high:.3f} to 1")
        high = 1.0
    if standard_error == 0:
        notes.append("all items tell the same, so the standard error is 0; that is not certainty")
    if value < lower_limit:
        notes.append(f"the value lies below {lower_limit:g}, the usual end of the scale")
    if about.clustered:
        notes.append(CLUSTER_WARNING)
    return Estimate(
        value=value,
        low=low,
        high=high,
        level=about.level,
        method=method,
        n_items=about.n_items,
        n_clusters=about.n_items,
        name=about.name,
        standard_error=standard_error,
        warnings=tuple(notes),
    )


def without_interval(about: About, value: float, reason: str) -> Estimate:
    """Return an estimate without bounds (or, for NaN, without any value) and the reason."""
    return Estimate(
        value=value,
        level=about.level,
        n_items=about.n_items,
        n_clusters=about.n_items,
        name=about.name,
        reason=reason,
        warnings=about.warnings,
    )


def two_sided_quantile(level: float, degrees_of_freedom: float = math.inf) -> float:
    """Return the t quantile (normal for infinite degrees of freedom) of a two-sided interval."""
    upper = (1 + level) / 2
    if math.isinf(degrees_of_freedom):
        return float(ndtri(upper))
    return float(stdtrit(degrees_of_freedom, upper))


def wilson_interval(successes: float, n: int, level: float) -> tuple[float, float]:
    """Return the score interval of a proportion.

    References
    ----------
    Wilson EB. Probable inference, the law of succession, and statistical inference. J Am Stat
    Assoc 1927;22:209-212.
    """
    z = two_sided_quantile(level)
    share = successes / n
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * math.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    low = 0.0 if successes == 0 else max(centre - half, 0.0)
    high = 1.0 if successes == n else min(centre + half, 1.0)
    return low, high


def mean_square_error(influence: np.ndarray) -> float:
    """Return the standard error of a mean-like statistic from its item-wise influence.

    Parameters
    ----------
    influence : ndarray, shape (n_items,)
        Centred influence of each item: sqrt(sum(influence^2) / (n (n - 1))).
    """
    n = len(influence)
    return float(math.sqrt(float(influence @ influence) / (n * (n - 1))))


def two_sided_p(z: float) -> float:
    """Return the two-sided normal p-value, NaN for an undefined z."""
    return math.nan if math.isnan(z) else float(2 * ndtr(-abs(z)))
