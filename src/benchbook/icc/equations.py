"""Henderson's mixed-model equations of two crossed factors, one of them eliminated."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Reduced:
    """The equations after the long factor and the mean are eliminated.

    Attributes
    ----------
    block : ndarray of float, shape (n_short, n_short)
        Coefficients of the short factor.
    right : ndarray of float, shape (n_short,)
        Their right-hand side.
    link : ndarray of float, shape (n_short,)
        What the mean takes from each level of the short factor.
    mean_block, mean_right : float
        Coefficient and right-hand side of the mean.
    spread : ndarray of float, shape (n_short, n_short)
        Minus the derivative of ``block`` by the long ratio.
    log_det, trace : float
        Log-determinant of what was eliminated, and its derivative by the long ratio.
    """

    block: np.ndarray
    right: np.ndarray
    link: np.ndarray
    mean_block: float
    mean_right: float
    spread: np.ndarray
    log_det: float
    trace: float


class CountGroups:
    """Levels of the long factor, gathered by how many scores they have.

    A level enters the equations with a weight that depends on its count alone, so each group
    needs its cross-products only once, however often the criterion is evaluated.
    """

    def __init__(self, incidence: np.ndarray, counts: np.ndarray, sums: np.ndarray) -> None:
        self.counts, group = np.unique(counts, return_inverse=True)
        parts = [np.flatnonzero(group == index) for index in range(len(self.counts))]
        self.sizes = np.array([len(rows) for rows in parts], dtype=float)
        self.totals = np.array([sums[rows].sum() for rows in parts])
        self.levels = np.array([incidence[rows].sum(axis=0) for rows in parts])
        self.rights = np.array([sums[rows] @ incidence[rows] for rows in parts])
        self.products = np.array([incidence[rows].T @ incidence[rows] for rows in parts])

    def eliminate(self, ratio: float, short_counts: np.ndarray, short_sums: np.ndarray) -> Reduced:
        """Return the equations of the short factor at a ratio of the long one."""
        counts = self.counts
        scale = 1.0 + ratio * counts
        weights, shrunk = ratio / scale, 1.0 / scale**2
        mean_block = float(np.sum(self.sizes * counts / scale))
        mean_right = float(np.sum(self.totals / scale))
        link = (1.0 / scale) @ self.levels / mean_block
        block = np.diag(short_counts) - np.tensordot(weights, self.products, axes=1)
        cross = np.outer((counts * shrunk) @ self.levels, link)
        squared = float(np.sum(self.sizes * counts**2 * shrunk))
        spread = np.tensordot(shrunk, self.products, axes=1) - cross - cross.T
        return Reduced(
            block=block - mean_block * np.outer(link, link),
            right=short_sums - weights @ self.rights - link * mean_right,
            link=link,
            mean_block=mean_block,
            mean_right=mean_right,
            spread=spread + squared * np.outer(link, link),
            log_det=float(np.sum(self.sizes * np.log(scale))) + math.log(mean_block),
            trace=float(np.sum(self.sizes * counts / scale)) - squared / mean_block,
        )
