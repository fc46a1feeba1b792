"""Placements: where each item stands among those of the other class.

For a positive the share of negatives it beats, for a negative the share of positives that beat it,
ties one half. The AUROC is their mean, and its variance follows from how they spread.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Placements:
    """Placements of the items of each class, and the clusters they belong to.

    Attributes
    ----------
    of_positives : ndarray of shape (n_positive, n_models)
        Share of the negatives that each positive beats, ties one half.
    of_negatives : ndarray of shape (n_negative, n_models)
        Share of the positives that beat each negative.
    clusters : tuple of ndarray, or None
        Cluster numbers of the positives and of the negatives.
    n_clusters : int
        Number of clusters.
    """

    of_positives: np.ndarray
    of_negatives: np.ndarray
    clusters: tuple[np.ndarray, np.ndarray] | None
    n_clusters: int

    def covariance(self, contrasts: np.ndarray | None = None) -> np.ndarray:
        """Return the covariance of the AUROCs, or of linear combinations of them.

        Contrasts, of shape (n_combinations, n_models), are applied to the placements before
        anything is squared, so that models that rank alike differ with variance exactly 0.
        """
        parts = [self.of_positives, self.of_negatives]
        if contrasts is not None:
            parts = [part @ contrasts.T for part in parts]
        centred = [part - part.mean(axis=0) for part in parts]
        sizes = [len(part) for part in parts]
        if self.clusters is None:
            own = [part.T @ part / (n * (n - 1)) for part, n in zip(centred, sizes, strict=True)]
            return own[0] + own[1]
        sums = [
            _cluster_sums(part, codes, self.n_clusters)
            for part, codes in zip(centred, self.clusters, strict=True)
        ]
        held = [np.unique(codes).size for codes in self.clusters]
        own = [
            part.T @ part * (k / (k - 1)) / n**2
            for part, k, n in zip(sums, held, sizes, strict=True)
        ]
        shared = sums[0].T @ sums[1] * (self.n_clusters / (self.n_clusters - 1))
        return own[0] + own[1] + (shared + shared.T) / (sizes[0] * sizes[1])


def placed(
    columns: Mapping[str, np.ndarray],
    labels: np.ndarray,
    sign: float,
    codes: np.ndarray | None,
    n_clusters: int,
) -> tuple[np.ndarray, Placements]:
    """Return the AUROC and the placements of every model."""
    at, elsewhere = np.flatnonzero(labels), np.flatnonzero(~labels)
    of_positives = np.empty((at.size, len(columns)))
    of_negatives = np.empty((elsewhere.size, len(columns)))
    auroc = np.empty(len(columns))
    for place, values in enumerate(columns.values()):
        wins = twice_wins(sign * values, labels)
        won = wins[at]
        # Whole numbers, and Python's own for the product: no size overflows.
        auroc[place] = int(won.sum()) / (2 * at.size * elsewhere.size)
        np.divide(won, 2 * elsewhere.size, out=of_positives[:, place])
        np.divide(wins[elsewhere], 2 * at.size, out=of_negatives[:, place])
    split = None if codes is None else (codes[labels], codes[~labels])
    return auroc, Placements(of_positives, of_negatives, split, n_clusters)


def twice_wins(score: np.ndarray, positive: np.ndarray) -> np.ndarray:
    """Return twice the number of items of the other class on the right side of each item.

    For a positive: negatives below it; for a negative: positives above it; a tie adds one instead
    of two. One sort, then running counts over the groups of tied scores.

    Parameters
    ----------
    score : ndarray of float64, shape (n_items,)
        Higher for the condition.
    positive : ndarray of bool, shape (n_items,)

    Returns
    -------
    ndarray of int64, shape (n_items,)
    """
    order = np.argsort(score)
    ranked, label = score[order], positive[order]
    running = np.zeros(score.size + 1, dtype=np.int64)
    np.cumsum(label, out=running[1:])
    step = ranked[1:] != ranked[:-1]
    if step.all():
        places, around = np.arange(1, 2 * score.size, 2), running[:-1] + running[1:]
    else:
        start = np.concatenate([[0], np.flatnonzero(step) + 1])
        end = np.append(start[1:], score.size)
        size = end - start
        # Before the group and with it: a mid-rank, doubled.
        places = np.repeat(start + end, size)
        around = np.repeat(running[start] + running[end], size)
    wins = np.empty(score.size, dtype=np.int64)
    wins[order] = np.where(label, places, 2 * running[-1]) - around
    return wins


def _cluster_sums(values: np.ndarray, codes: np.ndarray, n_clusters: int) -> np.ndarray:
    columns = [np.bincount(codes, weights=column, minlength=n_clusters) for column in values.T]
    return np.column_stack(columns)
