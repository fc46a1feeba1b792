"""Rows sorted once, so that a resample only has to change how often each of them counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .ranking import RankingStatistic

# Equal rows are joined when that leaves at most this share of them: counting a joined row costs
# a multiplication.
_WORTH_JOINING = 0.8
_LARGEST_STEP = 2**31
_LARGEST_COUNT = 2**53  # whole numbers up to here are exact as float64


@dataclass(frozen=True, eq=False)
class SortedRows:
    """The rows of one ranking, first to alarm first; of tied rows, negatives first.

    Attributes
    ----------
    order : ndarray of int, shape (n_rows,)
        Item of each row; items of weight 0 are left out.
    step : ndarray of int32 or int64, shape (n_rows,)
        How many scores with a positive come before the row's score.
    kind : ndarray of int8, shape (n_rows,)
        0 for a negative above the step's score, 1 for one tied with it, 2 for a positive.
    threshold : ndarray of float64, shape (n_steps,)
        Score of each step.
    weight : ndarray of float64, shape (n_rows,), or None
    """

    order: np.ndarray
    step: np.ndarray
    kind: np.ndarray
    threshold: np.ndarray
    weight: np.ndarray | None


def sort_rows(statistic: RankingStatistic) -> tuple[SortedRows, np.ndarray]:
    """Sort the items of a statistic by score.

    Hundreds of millions of rows must fit, so arrays are as narrow as they can be.

    Returns
    -------
    rows : SortedRows
    content : ndarray of uint64, shape (n_rows,)
        A random-looking number that is the same for rows of the same rank, label and weight.
    """
    key = -statistic.scores if statistic.higher_is_positive else statistic.scores
    weights = statistic.weights
    if weights is None:
        order = np.argsort(key)
    else:
        kept = np.flatnonzero(weights > 0)
        order = kept[np.argsort(key[kept])]
    del key
    score, positive = statistic.scores[order], statistic.positive[order]
    first = np.ones(order.size, dtype=bool)
    first[1:] = score[1:] != score[:-1]
    tie = np.cumsum(first) - 1
    has_positive = np.bincount(tie[positive], minlength=int(first.sum())) > 0
    narrow = np.int32 if has_positive.size < _LARGEST_STEP else np.int64
    step: np.ndarray = (np.cumsum(has_positive) - has_positive).astype(narrow)[tie]
    kind = np.where(positive, np.int8(2), has_positive[tie].astype(np.int8))
    # Zero and minus zero tie; which of them comes first would depend on the order of the rows.
    threshold = score[first][has_positive] + 0.0
    weight = None if weights is None else weights[order]
    content = mixed(2 * tie.astype(np.uint64) + positive)
    if weight is not None:
        content = mixed(content ^ weight.view(np.uint64))
    return SortedRows(order, step, kind, threshold, weight), content


def mixed(numbers: np.ndarray) -> np.ndarray:
    """Return 64-bit numbers that look random, the same for the same input.

    The finaliser of SplitMix64 (Steele GL, Lea D, Flood CH 2014, OOPSLA 453-472).
    """
    bits = numbers.astype(np.uint64)
    bits += np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        bits ^= bits >> np.uint64(shift)
        bits *= np.uint64(factor)
    bits ^= bits >> np.uint64(31)
    return bits


@dataclass(frozen=True, eq=False)
class RankedRows:
    """The rows of one ranking as the kernel reads them.

    Attributes
    ----------
    clusters : ndarray of uint32, shape (n_rows,)
        Cluster of each row. Rows of one run and one cluster are joined where many are.
    times : ndarray of int64 or float64, shape (n_rows,) or (0,)
        How often a row counts; empty when each counts once.
    bounds : ndarray of int64, shape (3 * n_steps + 2,)
        First row of each run: per step the negatives above its score, the negatives tied with
        it, the positives; last, the negatives below every positive.
    threshold : ndarray of float64, shape (n_steps,)
        Score of each step.
    positives, negatives : ndarray of int64 or float64, shape (n_clusters,)
        Rows of each class, or their weight, by cluster.
    """

    clusters: np.ndarray
    times: np.ndarray
    bounds: np.ndarray
    threshold: np.ndarray
    positives: np.ndarray
    negatives: np.ndarray

    @property
    def counted(self) -> bool:
        """Whether rows count in whole numbers, exactly."""
        return self.positives.dtype == np.int64

    @classmethod
    def of(cls, rows: SortedRows, codes: np.ndarray, n_clusters: int) -> RankedRows:
        """Join sorted rows with the cluster of each item."""
        times = _whole(rows.weight)
        key = rows.step.astype(np.int64)
        key *= 3
        key += rows.kind
        key *= n_clusters
        key += codes[rows.order]
        # Adding up fractions depends on their order; rows of one key and weight are alike.
        if times is None:
            key.sort()
        else:
            by_key = np.lexsort((times, key))
            key, times = key[by_key], times[by_key]
        n_runs = 3 * rows.threshold.size + 1
        first = np.ones(key.size, dtype=bool)
        first[1:] = key[1:] != key[:-1]
        if times is not None or np.count_nonzero(first) <= _WORTH_JOINING * key.size:
            starts = np.flatnonzero(first)
            key = key[starts]
            times = (
                np.diff(starts, append=first.size)
                if times is None
                else np.add.reduceat(times, starts)
                if starts.size
                else times
            )
        clusters = (key % n_clusters).astype(np.uint32)
        key //= n_clusters
        run = key
        bounds = np.concatenate([[0], np.cumsum(np.bincount(run, minlength=n_runs))])
        positive = run % 3 == 2
        by_class = [
            _sum_by(clusters[chosen], None if times is None else times[chosen], n_clusters)
            for chosen in (positive, ~positive)
        ]
        if times is None:
            times = np.empty(0, dtype=np.int64)
        return cls(clusters, times, bounds.astype(np.int64), rows.threshold, *by_class)


def _whole(weights: np.ndarray | None) -> np.ndarray | None:
    """Return whole-number weights as integers, others as they are."""
    if weights is None:
        return None
    whole = bool((weights == np.rint(weights)).all()) and float(weights.sum()) <= _LARGEST_COUNT
    return weights.astype(np.int64) if whole else weights


def _sum_by(clusters: np.ndarray, amounts: np.ndarray | None, n_clusters: int) -> np.ndarray:
    """Return the amounts of each cluster added up; without amounts, how often it occurs."""
    if amounts is None:
        return np.bincount(clusters, minlength=n_clusters)
    sums = np.zeros(n_clusters, dtype=amounts.dtype)
    np.add.at(sums, clusters, amounts)
    return sums
