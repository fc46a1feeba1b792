"""One pass over the sorted rows for a block of resamples.

The pass is compiled by numba where it is installed and works; elsewhere numpy gives the same
numbers, slower.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from .ranking_rows import RankedRows

LANES = 64  # resamples in a block
# Sums are kept in the smallest type that holds them: less to move. Twice the product of two
# counts, whose sum is below the second bound, fits int64; above it, float64 rounds.
_SMALL, _LARGE = 2**31, 2**32
_LAST_PLACES = 4  # a product and a quotient are off by less than this many units of the last


@cache
def backend() -> ModuleType:
    """Return the compiled kernel, or the one in numpy where numba cannot be used."""
    from . import ranking_numpy

    try:
        from numba.core.config import DISABLE_JIT  # type: ignore[attr-defined]

        from . import ranking_compiled
    except ImportError:
        return ranking_numpy
    # Switched off, numba would run the compiled kernel's loops in Python, row by row.
    return ranking_numpy if DISABLE_JIT else ranking_compiled


@dataclass(frozen=True, eq=False)
class RankedBlock:
    """What one pass gives for each of the ``LANES`` resamples.

    Attributes
    ----------
    positives, negatives : ndarray of shape (LANES,)
        How many there are, or their weight.
    area : ndarray of shape (LANES,), or (0,)
        Twice the pairs whose negative ranks above the positive, plus the tied ones.
    precision : ndarray of float64, shape (LANES,), or (0,)
        Sum over the positives of the share of positives among the alarms at their score.
    true, false : ndarray of shape (n_points, LANES)
        Alarms by class at each operating point; 0 without positives.
    step : ndarray of int64, shape (n_points, LANES)
        Step whose score is the threshold.
    """

    positives: np.ndarray
    negatives: np.ndarray
    area: np.ndarray
    precision: np.ndarray
    true: np.ndarray
    false: np.ndarray
    step: np.ndarray


def rank(
    rows: RankedRows,
    weights: np.ndarray,
    *,
    area: bool = True,
    precision: bool = False,
    sensitivities: tuple[float, ...] = (),
) -> RankedBlock:
    """Pass over the rows for a block of resamples.

    Parameters
    ----------
    rows : RankedRows
    weights : ndarray of uint8, shape (n_clusters * LANES,)
        How often each cluster was drawn, the resamples of a cluster side by side.
    area, precision : bool
        Whether these are wanted.
    sensitivities : tuple of float
        Operating points wanted.
    """
    positives, negatives, kind = totals(rows, weights, all_rows=bool(sensitivities))
    sums = np.zeros(2 * LANES, dtype=kind)
    needed = np.stack([_needed(s, positives) for s in sensitivities] or [positives])
    needed = needed[: len(sensitivities)].astype(kind)
    pairs = np.zeros(LANES if area else 0, dtype=_product(kind))
    shares = np.zeros(LANES if precision else 0)
    found = np.zeros((len(sensitivities), 2, LANES), dtype=kind)
    step = np.zeros((len(sensitivities), LANES), dtype=np.int64)
    read = rows.clusters, rows.times, rows.bounds
    backend().rank(weights, *read, sums, needed, pairs, shares, found, step)
    if not rows.counted:
        backend().add_last_run(weights, *read, sums)
        negatives, positives = sums[:LANES], sums[LANES:]
    return RankedBlock(positives, negatives, pairs, shares, found[:, 0], found[:, 1], step)


def count_draws(draws: np.ndarray, first_lane: int, weights: np.ndarray) -> None:
    """Count how often each cluster was drawn; ``draws`` has one row per resample."""
    backend().count_draws(draws, first_lane, weights)


def placements(rows: RankedRows, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return by cluster what lies above its rows, and the positives and negatives in all.

    Returns
    -------
    placed : ndarray of shape (n_clusters, LANES)
        Twice the positives above each negative of the cluster (once when tied), minus the same
        of the negatives above each of its positives; also where the cluster was not drawn.
    positives, negatives : ndarray of shape (LANES,)
    """
    kind = totals(rows, weights, all_rows=False)[2]
    sums = np.zeros(2 * LANES, dtype=kind)
    placed = np.zeros(rows.positives.size * LANES, dtype=_product(kind))
    backend().placements(weights, rows.clusters, rows.times, rows.bounds, sums, placed)
    return placed.reshape(-1, LANES), sums[LANES:], sums[:LANES]


def totals(
    rows: RankedRows, weights: np.ndarray, *, all_rows: bool
) -> tuple[np.ndarray, np.ndarray, Any]:
    """Return positives and negatives in each resample, and the type that holds their sums.

    Fractions add up to the very sum the pass will end with only in the order of the pass, which
    is taken when ``all_rows`` says so.
    """
    if rows.counted:
        positives, negatives = np.zeros((2, LANES), dtype=np.int64)
        backend().add_totals(weights, rows.positives, positives)
        backend().add_totals(weights, rows.negatives, negatives)
        largest = int((positives + negatives).max())
        kind = np.int32 if largest < _SMALL else np.int64 if largest < _LARGE else np.float64
        return positives, negatives, kind
    sums = np.zeros(2 * LANES)
    if all_rows:
        nothing, no_points = np.zeros(0), np.zeros((0, LANES))
        found, step = np.zeros((0, 2, LANES)), np.zeros((0, LANES), dtype=np.int64)
        read = rows.clusters, rows.times, rows.bounds
        backend().rank(weights, *read, sums, no_points, nothing, nothing, found, step)
    return sums[LANES:], sums[:LANES], np.float64


def _product(kind: Any) -> Any:
    return np.float64 if kind is np.float64 else np.int64


def _needed(sensitivity: float, positives: np.ndarray) -> np.ndarray:
    """Return how many positives the quotient with their total needs to reach the sensitivity.

    Of counts the smallest whole number, of weights the smallest float64: starting a little below
    the product, which is rounded, it rises until the quotient is reached. Without positives it
    is out of reach.
    """
    total = np.where(positives > 0, positives, 1).astype(np.float64)
    counted = positives.dtype == np.int64
    wanted = sensitivity * total
    if counted:
        wanted = np.maximum(np.ceil(wanted) - 1.0, 1.0)
    for _ in range(0 if counted else _LAST_PLACES):
        wanted = np.nextafter(wanted, 0.0)
    for _ in range(2 if counted else 2 * _LAST_PLACES):
        higher = wanted + 1.0 if counted else np.nextafter(wanted, np.inf)
        wanted = np.where(wanted / total < sensitivity, higher, wanted)
    return wanted
