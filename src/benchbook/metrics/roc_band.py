"""Confidence bands of the ROC curve from distribution theory, for independent items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import ParameterError, nearest
from ..resampling.checks import checked_level
from .curves import RankedCounts

SIMULTANEOUS = "simultaneous (two Kolmogorov-Smirnov bands)"
POINTWISE = "pointwise (Clopper-Pearson at each threshold)"
KINDS = {"simultaneous": SIMULTANEOUS, "pointwise": POINTWISE}


@dataclass(frozen=True, eq=False)
class RocBand:
    """A band around the ROC curve, on a grid of false positive rates.

    Attributes
    ----------
    false_positive_rate : ndarray of shape (n_points,)
        Rising from 0 to 1.
    low, high : ndarray of shape (n_points,)
        Bounds of the sensitivity at each rate, in [0, 1]; NaN when undefined.
    level : float
        Confidence level.
    method : str
        How the band was made, and whether it holds for the whole curve or point by point.
    reason : str or None
        Why there is no band.
    """

    false_positive_rate: np.ndarray
    low: np.ndarray
    high: np.ndarray
    level: float
    method: str
    reason: str | None = None


def roc_band(counts: RankedCounts, *, kind: str, level: float = 0.95) -> RocBand:
    """Return a confidence band of the ROC curve that needs no resampling.

    Both kinds take the items as independent: for clusters, resample them instead.

    Parameters
    ----------
    counts : RankedCounts
        From `ranked_counts`, without weights.
    kind : {"simultaneous", "pointwise"}
        ``"simultaneous"`` holds the whole true curve with at least the stated probability: the
        distribution functions of positives and of negatives each get an exact
        Kolmogorov-Smirnov band at level sqrt(level), and the curve can move inside the rectangles
        they allow. It is wide, exact for continuous scores and conservative for tied ones.
        ``"pointwise"`` joins, threshold by threshold, the rectangle of two Clopper-Pearson
        intervals at level sqrt(level) each: it covers the two rates of one threshold chosen
        beforehand, not the curve.
    level : float
        Confidence level, in (0, 1).

    Returns
    -------
    RocBand
        Without bounds, and with the reason, when all items are of one class.

    Raises
    ------
    ParameterError
        An unknown kind, or weighted counts.

    References
    ----------
    Campbell G (1994). Advances in statistical methodology for the evaluation of diagnostic and
    laboratory tests. Statistics in Medicine 13:499-508.
    """
    level = checked_level(level)
    if kind not in KINDS:
        raise ParameterError(f"kind is {kind!r}; {nearest(str(kind), KINDS)}")
    if counts.weighted:
        raise ParameterError("A band from distribution theory needs counts; found weights.")
    grid = np.unique(np.concatenate([counts.roc_path()[0], np.linspace(0, 1, 101)]))
    reason = counts.one_class()
    if reason:
        grid = np.linspace(0, 1, 101)
        nothing = np.full(grid.size, np.nan)
        return RocBand(grid, nothing, nothing, level, KINDS[kind], reason)
    corners = _moved(counts, level) if kind == "simultaneous" else _rectangles(counts, level)
    low = _step_up(corners.right, corners.bottom, grid)
    high = _step_down(corners.left, corners.top, grid)
    return RocBand(grid, low, high, level, KINDS[kind])


@dataclass(frozen=True)
class _Corners:
    """Edges of the rectangle around each point of the curve, rising along it."""

    left: np.ndarray
    right: np.ndarray
    bottom: np.ndarray
    top: np.ndarray


def _moved(counts: RankedCounts, level: float) -> _Corners:
    """Return rectangles of one size, from the exact Kolmogorov-Smirnov quantiles."""
    from scipy.stats import kstwo

    rate, sensitivity = counts.roc_path()
    across, up = (
        float(kstwo.ppf(np.sqrt(level), n)) for n in (counts.n_negative, counts.n_positive)
    )
    return _Corners(
        left=np.maximum(rate - across, 0),
        right=np.minimum(rate + across, 1),
        bottom=np.maximum(sensitivity - up, 0),
        top=np.minimum(sensitivity + up, 1),
    )


def _rectangles(counts: RankedCounts, level: float) -> _Corners:
    """Return the rectangle of two Clopper-Pearson intervals at each threshold."""
    from .proportions import clopper_pearson_bounds

    each = float(np.sqrt(level))
    alarms = (np.append(0, part) for part in (counts.false_positive, counts.true_positive))
    false, true = alarms
    left, right = clopper_pearson_bounds(false, int(counts.n_negative), each)
    bottom, top = clopper_pearson_bounds(true, int(counts.n_positive), each)
    return _Corners(left, right, bottom, top)


def _step_up(x: np.ndarray, y: np.ndarray, grid: np.ndarray) -> np.ndarray:
    """Return the largest y of the corners at or left of each grid point, 0 before the first."""
    place = np.searchsorted(x, grid, side="right")
    return np.concatenate([[0.0], np.maximum.accumulate(y)])[place]


def _step_down(x: np.ndarray, y: np.ndarray, grid: np.ndarray) -> np.ndarray:
    """Return the smallest y of the corners right of each grid point, 1 after the last.

    A corner straight above does not count: a curve that rises there may rise past it.
    """
    place = np.searchsorted(x, grid, side="right")
    return np.concatenate([np.minimum.accumulate(y[::-1])[::-1], [1.0]])[place]
