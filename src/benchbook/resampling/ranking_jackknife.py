"""The area under the ROC curve without each cluster in turn, in one pass."""

from __future__ import annotations

import numpy as np

from .ranking_kernel import LANES, placements, rank
from .ranking_rows import RankedRows
from .statistic import divide


def auroc_without_each(rows: RankedRows) -> np.ndarray:
    """Return the area under the ROC curve without each cluster, shape (n_clusters,).

    Leaving out a cluster takes away the pairs of its positives and those of its negatives, and
    gives back the pairs within it, which were taken twice. Counts are exact.
    """
    once = np.ones(rows.positives.size * LANES, dtype=np.uint8)
    block = rank(rows, once)
    placed = placements(rows, once)[0][:, 0]
    kind = placed.dtype
    own_positives, own_negatives = rows.positives.astype(kind), rows.negatives.astype(kind)
    positives, negatives = (each[0].astype(kind) for each in (block.positives, block.negatives))
    # Pairs in the right order: twice, once when tied.
    right = 2 * positives * negatives - block.area[0]
    of_cluster = 2 * negatives * own_positives + placed
    within = 2 * own_positives * own_negatives - _wrong_within(rows).astype(kind)
    left_positives, left_negatives = positives - own_positives, negatives - own_negatives
    values = divide(right - of_cluster + within, 2 * left_positives * left_negatives)
    # Without its only cluster the weight of a class may be rounding and not quite zero.
    empty = [(each > 0).sum() - (each > 0) == 0 for each in (rows.positives, rows.negatives)]
    return np.where(empty[0] | empty[1], np.nan, np.clip(values, 0.0, 1.0))


def _wrong_within(rows: RankedRows) -> np.ndarray:
    """Return, by cluster, the pairs of its own rows in the wrong order (twice, once when tied)."""
    times = rows.times if rows.times.size else np.ones(rows.clusters.size, dtype=np.int64)
    wrong = np.zeros(rows.positives.size, dtype=times.dtype)
    if times.size == 0:
        return wrong
    n_runs = rows.bounds.size - 1
    run = np.repeat(np.arange(n_runs), np.diff(rows.bounds))
    place = rows.clusters.astype(np.int64) * n_runs + run
    order = np.argsort(place, kind="stable")
    place, times, run = place[order], times[order], run[order]
    positive = run % 3 == 2
    negative = np.where(positive, 0, times)
    before = np.cumsum(negative) - negative
    above = before - before[np.searchsorted(place, place - run)]
    # Tied negatives are the run right before the positives'.
    tied = before - before[np.searchsorted(place, place - 1)]
    doubled = np.where(positive, times * (2 * above - tied), 0)
    np.add.at(wrong, place // n_runs, doubled)
    return wrong
