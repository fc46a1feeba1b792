"""The scores an intraclass correlation or a method comparison is computed from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import DataError, ParameterError
from ..ratings import Ratings

# Rounding leaves this many units in the last place of the largest score in a mean or a
# difference; whatever varies less than that does not vary.
ROUNDING_UNITS = 8.0


def as_scores(first: Any, second: Any = None) -> Ratings:
    """Return scores of items by raters.

    Parameters
    ----------
    first : Ratings or array-like of shape (n_items, n_raters) or (n_items,)
        Ratings or a table; with ``second``, the scores of one rater.
    second : array-like of shape (n_items,), optional
        Scores of the other rater on the same items.

    Returns
    -------
    Ratings
        Of kind ``"continuous"``. Ordinal ratings are taken by the value of their labels.

    Raises
    ------
    ParameterError
        Nominal ratings, or ordinal ones whose labels are not numbers.
    DataError
        A table that cannot be used (see :meth:`benchbook.ratings.Ratings.from_table`).
    """
    if second is not None:
        return Ratings.from_pair(first, second, "continuous")
    if not isinstance(first, Ratings):
        return Ratings.from_table(first, "continuous")
    if first.kind == "continuous":
        return first
    if first.kind == "nominal":
        raise ParameterError(
            "an intraclass correlation needs scores, and these ratings are nominal categories; "
            "use a kappa coefficient."
        )
    labels = np.append(first.category_values, np.nan)
    codes = np.where(np.isnan(first.values), len(labels) - 1, first.values).astype(int)
    return replace(first, values=labels[codes], kind="continuous", categories=None)


def complete_items(scores: Ratings) -> tuple[Ratings, tuple[str, ...]]:
    """Return the items every rater scored, and the names of those left out."""
    whole = ~np.isnan(scores.values).any(axis=1)
    left_out = tuple(name for name, kept in zip(scores.items, whole, strict=True) if not kept)
    return scores.rows(whole), left_out


def rounding_floor(values: np.ndarray, count: int | None = None) -> float:
    """Return the sum of squares that rounding alone can leave among ``count`` deviations.

    The scores themselves carry a relative error of about one unit in the last place, so a sum of
    squared deviations below this is zero: without the floor, three raters who all say 0.1 would
    vary, by about 1e-34.
    """
    largest = float(np.max(np.abs(values), initial=0.0, where=~np.isnan(values)))
    number = values.size if count is None else count
    return number * (ROUNDING_UNITS * np.finfo(float).eps * largest) ** 2


def settled(sum_of_squares: float, floor: float) -> float:
    """Return a sum of squares, zero when it is no more than rounding."""
    return 0.0 if sum_of_squares <= floor else float(sum_of_squares)


@dataclass(frozen=True, eq=False)
class Pairs:
    """Two methods or raters on the items both of them scored.

    Attributes
    ----------
    first, second : ndarray of float, shape (n,)
        Scores.
    items : tuple of str
        Names of the items.
    names : tuple of str
        Names of the two.
    n_dropped : int
        Items that only one of the two scored.
    clusters : ndarray or None, shape (n,)
        Cluster of each item.
    """

    first: np.ndarray
    second: np.ndarray
    items: tuple[str, ...]
    names: tuple[str, str]
    n_dropped: int
    clusters: np.ndarray | None = None

    @property
    def n(self) -> int:
        """Number of pairs."""
        return len(self.items)


def as_pairs(first: Any, second: Any = None) -> Pairs:
    """Return the pairs of two raters; ``first`` alone must be a table or ratings of two raters."""
    scores = as_scores(first, second)
    if scores.n_raters != 2 or not scores.identified:
        raise DataError(
            "a method comparison needs two methods",
            file=scores.source or None,
            found=f"{scores.n_raters} columns ({', '.join(scores.raters[:5])})",
            expected="two, for instance ratings.pair('rater 1', 'rater 2')",
        )
    both, left_out = complete_items(scores)
    return Pairs(
        first=both.values[:, 0],
        second=both.values[:, 1],
        items=both.items,
        names=(both.raters[0], both.raters[1]),
        n_dropped=len(left_out),
        clusters=both.clusters,
    )
