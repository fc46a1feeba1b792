"""Weighted sums that come out the same whatever the order of addition.

A bootstrap resample is a weighted sum of the rows of a matrix. Floating-point addition depends
on its order, and the order depends on the number of threads, the shape of the block and the
processor. Each column is therefore split into parts on a grid so coarse that every product and
every partial sum is exact; the parts are summed apart and joined at the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

_MANTISSA_BITS = 53  # of a float64: integers up to 2**53 add up without rounding
_ONE_THREAD = 2**18  # multiplications up to which OpenBLAS, numpy's usual library, takes one thread
_SMALLEST_STRIP = 8  # rows; with fewer a product is no longer quick
_MAX_PARTS = 3  # beyond three parts the rest is under 2**-75 of a column's largest entry


@dataclass(frozen=True, eq=False)
class ExactSums:
    """Rows prepared for weighted sums that do not depend on the order of addition.

    Parameters
    ----------
    parts : ndarray of shape (n_rows, n_parts)
        Parts of the columns side by side, leading parts first.
    owners : tuple of ndarray
        For each group of parts, the columns they belong to.

    References
    ----------
    Ozaki K, Ogita T, Oishi S, Rump SM (2012). Error-free transformations of matrix
    multiplication by using fast routines of matrix multiplication and its applications.
    Numerical Algorithms 59:95-118.
    """

    parts: np.ndarray
    owners: tuple[np.ndarray, ...]

    @classmethod
    def of(cls, rows: np.ndarray, heaviest: int) -> ExactSums:
        """Split ``rows``, finite and of shape (n_rows, n_features).

        ``heaviest`` is the largest total that one row of weights can have. The weights are
        whole numbers, so a column of moderate whole numbers needs a single part.
        """
        bits = _MANTISSA_BITS - int(heaviest).bit_length()
        parts: list[np.ndarray] = []
        owners: list[np.ndarray] = []
        rest, owner = rows, np.arange(rows.shape[1])
        while owner.size and len(parts) < _MAX_PARTS:
            parts.append(_leading_part(rest, bits))
            owners.append(owner)
            rest = rest - parts[-1]
            left = rest.any(axis=0)
            rest, owner = rest[:, left], owner[left]
        return cls(np.hstack(parts), tuple(owners))

    def __call__(self, weights: Any) -> np.ndarray:
        """Return ``weights @ rows`` for whole-number weights of shape (m, n_rows).

        A scipy.sparse matrix of weights is accepted. Returns an array of shape (m, n_features).
        """
        products = _product(weights, self.parts)
        if len(self.owners) == 1:
            return products + 0.0  # minus zero becomes zero, as it does below
        sums = np.zeros((products.shape[0], self.owners[0].size))
        stop = products.shape[1]
        for owner in reversed(self.owners):  # the small parts first
            sums[:, owner] += products[:, stop - owner.size : stop]
            stop -= owner.size
        return sums


def _product(weights: Any, parts: np.ndarray) -> np.ndarray:
    """Return ``weights @ parts``, a moderate product in strips that one thread works on.

    A small product is over before a second thread has begun; where other work or other workers
    keep the cores busy, waiting for it costs a hundred times the product. The sums are exact, so
    strips change nothing else.
    """
    n_rows, n_parts = parts.shape
    strip = _ONE_THREAD // max(n_rows * n_parts, 1)
    if not isinstance(weights, np.ndarray) or strip < _SMALLEST_STRIP:
        return np.asarray(weights @ parts)
    products = np.empty((weights.shape[0], n_parts))
    for start in range(0, weights.shape[0], strip):
        np.matmul(weights[start : start + strip], parts, out=products[start : start + strip])
    return products


def _leading_part(rows: np.ndarray, bits: int) -> np.ndarray:
    """Round each column to a grid of ``2**bits`` steps up to its largest magnitude."""
    largest = np.abs(rows).max(axis=0, initial=0.0)
    shift = bits - np.frexp(largest)[1]
    return np.ldexp(np.rint(np.ldexp(rows, shift)), -shift)
