"""Standard errors of every resample, from how each cluster moves the statistic.

To first order a statistic moves by the mean of its clusters' influences when the clusters are
drawn anew, so its variance on a resample of n clusters is n / (n - 1) times the sum of their
squared influences, each as often as its cluster was drawn (the infinitesimal jackknife, or delta
method). With strata the influences are centred, and counted, within each.

References
----------
Efron B (1982). The Jackknife, the Bootstrap and Other Resampling Plans, chapter 6. SIAM.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

# Error of a central difference: the step squared, plus rounding over the step.
_STEP = float(np.finfo(np.float64).eps) ** (1 / 3)

Contrast = tuple[tuple[int, float], ...]


def spread(weights: np.ndarray, influences: np.ndarray, strata: tuple[slice, ...]) -> np.ndarray:
    """Return the standard error on each resample.

    Parameters
    ----------
    weights : ndarray of shape (m, n_rows)
        How often each row of clusters was drawn; in each stratum the sum is the same for all m.
    influences : ndarray of shape (m, n_rows)
        First-order influence of one more cluster of the row.
    strata : tuple of slice
        Rows of each stratum.

    Returns
    -------
    ndarray of shape (m,)
        NaN where an influence is; a stratum of one cluster adds nothing.
    """
    variance = np.zeros(weights.shape[0])
    for rows in strata:
        drawn, moved = weights[:, rows].astype(np.float64), influences[:, rows]
        size = drawn[0].sum()
        if size < 2:
            continue
        mean = (drawn * moved).sum(axis=1, keepdims=True) / size
        variance += size / (size - 1.0) * (drawn * (moved - mean) ** 2).sum(axis=1)
    return np.sqrt(variance)


def gradient(
    evaluate: Callable[[np.ndarray], np.ndarray], sums: np.ndarray, scale: np.ndarray
) -> np.ndarray:
    """Return the slopes of a function of sums, by central differences.

    Parameters
    ----------
    evaluate : callable
        Maps sums of shape (m, n_features) to values of shape (m,).
    sums : ndarray of shape (m, n_features)
        Where the slopes are wanted.
    scale : ndarray of shape (n_features,)
        Size of each sum; a feature of size 0 has slope 0.
    """
    slopes = np.zeros(sums.shape)
    for feature in np.flatnonzero(scale > 0):
        step = _STEP * scale[feature]
        above, below = sums.copy(), sums.copy()
        above[:, feature] += step
        below[:, feature] -= step
        width = above[:, feature] - below[:, feature]  # what rounding left of two steps
        slopes[:, feature] = (evaluate(above) - evaluate(below)) / width
    return slopes


@dataclass(frozen=True, eq=False)
class StandardErrors:
    """Standard errors of a statistic, or of a difference, computed when they are asked for.

    Parameters
    ----------
    of_data, of_resamples : callable
        Take a contrast; return the standard error on the data, a float, and on every resample,
        shape (n_resamples,), NaN where there is none. They raise ``NoInterval`` when one of the
        statistics has no such formula.
    contrast : tuple of (int, float)
        Place of each statistic in its call, and its factor.
    """

    of_data: Callable[[Contrast], float]
    of_resamples: Callable[[Contrast], np.ndarray]
    contrast: Contrast

    def minus(self, other: StandardErrors | None) -> StandardErrors | None:
        """Return those of the difference; None unless both come from one call."""
        if other is None or self.of_resamples is not other.of_resamples:
            return None
        taken = tuple((place, -factor) for place, factor in other.contrast)
        return replace(self, contrast=self.contrast + taken)
