"""Lin's concordance correlation, and the correlations that are not agreement."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..errors import ParameterError
from ..estimate import Estimate, undefined
from ..resampling.checks import checked_level
from .quantiles import z_quantile
from .scores import Pairs, as_pairs, rounding_floor, settled

Correlation = Literal["pearson", "spearman"]
# Beyond this the correlation of two lines of points is 1 up to rounding.
PERFECT = 1 - 1e-14


@dataclass(frozen=True, eq=False)
class Concordance:
    """Lin's concordance correlation coefficient and what it is made of.

    Attributes
    ----------
    ccc : Estimate
        2 s_xy / (s_x^2 + s_y^2 + (mean x - mean y)^2), with Fisher-z interval.
    pearson : Estimate
        Precision: how close the points are to *a* line.
    bias_correction : float
        Accuracy C_b = ccc / r: how close that line is to the line of identity.
    location_shift : float
        (mean x - mean y) / sqrt(s_x s_y).
    scale_shift : float
        s_x / s_y.
    ddof : int
        Variances were divided by n - ddof.
    names : tuple of str
        The two methods.
    n_dropped : int
        Items left out because one of the two scores is missing.
    """

    ccc: Estimate
    pearson: Estimate
    bias_correction: float
    location_shift: float
    scale_shift: float
    ddof: int
    names: tuple[str, str]
    n_dropped: int


@dataclass(frozen=True)
class _Moments:
    """Second moments of pairs, divided by n - ddof; zero when no more than rounding."""

    n: int
    variance_first: float
    variance_second: float
    covariance: float
    gap: float


def concordance(
    first: Any, second: Any = None, *, level: float = 0.95, ddof: int = 0
) -> Concordance:
    """Return Lin's concordance correlation coefficient of two methods.

    Parameters
    ----------
    first, second : array-like of shape (n,)
        Scores of the same items; or ``first`` alone, ratings or a table of two columns. Pairs
        with a missing score are left out and counted.
    level : float
        Confidence level, in (0, 1).
    ddof : {0, 1}
        Divisor n - ddof in variances and covariance: 0 as in Lin (1989), 1 as an option.

    Returns
    -------
    Concordance
        In [-1, 1]; 1 only on the line of identity. Undefined when neither method's scores vary.

    Notes
    -----
    The interval is that of Fisher's z with the variance of Lin's correction of 2000. Written
    with C_b in place of ccc / r it holds for r = 0 too.

    References
    ----------
    Lin LI (1989). A concordance correlation coefficient to evaluate reproducibility. Biometrics
    45:255-268. Lin LI (2000). A note on the concordance correlation coefficient. Biometrics
    56:324-325.
    """
    if ddof not in (0, 1):
        raise ParameterError(f"ddof is {ddof!r}; expected 0 (Lin 1989) or 1.")
    level = checked_level(level)
    pairs = as_pairs(first, second)
    moments = _moments(pairs, ddof)
    product = math.sqrt(moments.variance_first * moments.variance_second)
    known = product > 0
    shift = moments.gap / math.sqrt(product) if known else math.nan
    ratio = math.sqrt(moments.variance_first / moments.variance_second) if known else math.nan
    accuracy = 2 / (ratio + 1 / ratio + shift**2) if known else math.nan
    r = pearson(pairs.first, pairs.second, level=level) if pairs.n else None
    if r is None:
        r = undefined("no pair", name="Pearson correlation", level=level)
    return Concordance(
        ccc=_ccc(moments, r.value, accuracy, shift, level),
        pearson=r,
        bias_correction=accuracy,
        location_shift=shift,
        scale_shift=ratio,
        ddof=ddof,
        names=pairs.names,
        n_dropped=pairs.n_dropped,
    )


def _moments(pairs: Pairs, ddof: int) -> _Moments:
    n = pairs.n
    if n < 2:
        return _Moments(n, 0.0, 0.0, 0.0, 0.0)
    gap = float((pairs.first - pairs.second).mean())
    x, y = pairs.first - pairs.first.mean(), pairs.second - pairs.second.mean()
    one = settled(float(x @ x), rounding_floor(pairs.first)) / (n - ddof)
    two = settled(float(y @ y), rounding_floor(pairs.second)) / (n - ddof)
    covariance = float(x @ y) / (n - ddof) if one > 0 and two > 0 else 0.0
    floor = rounding_floor(np.concatenate([pairs.first, pairs.second]), 1)
    return _Moments(n, one, two, covariance, 0.0 if gap**2 <= floor else gap)


def _ccc(moments: _Moments, r: float, accuracy: float, shift: float, level: float) -> Estimate:
    n = moments.n
    described: dict[str, Any] = {
        "name": "Lin CCC",
        "level": level,
        "n_items": n,
        "n_clusters": n,
        "method": "Fisher z (Lin)",
    }
    spread = moments.variance_first + moments.variance_second
    if n < 2 or spread == 0:
        reason = "neither method's scores vary" if n >= 2 else "fewer than two pairs"
        return undefined(reason, **described)
    value = 2 * moments.covariance / (spread + moments.gap**2)
    if math.isnan(accuracy):
        return Estimate(value, reason="one method's scores do not vary", **described)
    if n < 4:
        return Estimate(value, reason="an interval needs at least four pairs", **described)
    if abs(value) > PERFECT:
        flat = ("all points lie on the line of identity: the interval has no width",)
        return Estimate(value, value, value, warnings=flat, **described)
    variance = (
        (1 - r**2) * accuracy**2 * (1 - value**2)
        + 2 * value**2 * accuracy * (1 - value) * shift**2
        - value**2 * accuracy**2 * shift**4 / 2
    ) / (n - 2)
    error = math.sqrt(max(variance, 0.0)) / (1 - value**2)
    half = z_quantile((1 + level) / 2) * error
    z = math.atanh(value)
    return Estimate(
        value,
        math.tanh(z - half),
        math.tanh(z + half),
        standard_error=error * (1 - value**2),
        **described,
    )


def pearson(first: Any, second: Any = None, *, level: float = 0.95) -> Estimate:
    """Return Pearson's r with Fisher-z interval; no measure of agreement.

    Two methods that differ by any linear transformation have r = 1.
    """
    return _correlation(as_pairs(first, second), "pearson", checked_level(level))


def spearman(first: Any, second: Any = None, *, level: float = 0.95) -> Estimate:
    """Return Spearman's rho (mid-ranks for ties) with Fisher-z interval; no measure of agreement.

    Two methods that put the items in one order have rho = 1, however far apart they are.

    References
    ----------
    Bonett DG, Wright TA (2000). Sample size requirements for estimating Pearson, Kendall and
    Spearman correlations. Psychometrika 65:23-28 (the variance (1 + rho^2 / 2) / (n - 3)).
    """
    return _correlation(as_pairs(first, second), "spearman", checked_level(level))


def _correlation(pairs: Pairs, kind: Correlation, level: float) -> Estimate:
    x, y = pairs.first, pairs.second
    if kind == "spearman":
        from scipy.stats import rankdata  # half a second, for this one function

        x, y = rankdata(x), rankdata(y)
    n = pairs.n
    described: dict[str, Any] = {
        "name": "Pearson correlation" if kind == "pearson" else "Spearman correlation",
        "level": level,
        "n_items": n,
        "n_clusters": n,
    }
    if n < 2:
        return undefined("fewer than two pairs", **described)
    u, v = x - x.mean(), y - y.mean()
    su, sv = settled(float(u @ u), rounding_floor(x)), settled(float(v @ v), rounding_floor(y))
    if su == 0 or sv == 0:
        flat = pairs.names[0] if su == 0 else pairs.names[1]
        return undefined(f"the scores of {flat} do not vary", **described)
    r = max(-1.0, min(1.0, float(u @ v) / math.sqrt(su) / math.sqrt(sv)))
    if n < 4:
        return Estimate(r, reason="an interval needs at least four pairs", **described)
    if abs(r) > PERFECT:
        r = math.copysign(1.0, r)
        exact = ("a perfect correlation: the interval has no width",)
        return Estimate(r, r, r, method="Fisher z", warnings=exact, **described)
    inflation = 1.0 if kind == "pearson" else 1 + r**2 / 2
    half = z_quantile((1 + level) / 2) * math.sqrt(inflation / (n - 3))
    z = math.atanh(r)
    method = "Fisher z" if kind == "pearson" else "Fisher z (Bonett-Wright)"
    return Estimate(r, math.tanh(z - half), math.tanh(z + half), method=method, **described)
