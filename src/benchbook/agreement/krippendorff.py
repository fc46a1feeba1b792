"""Krippendorff's alpha: any raters, any missing cells, four levels of measurement."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
import pandas as pd

from ..errors import DataError, ParameterError, nearest
from ..estimate import Estimate
from ..ratings import Ratings, as_ratings
from ..resampling.checks import checked_level
from .intervals import About, symmetric_interval, without_interval

Metric = Literal["nominal", "ordinal", "interval", "ratio"]
METRICS: tuple[Metric, ...] = ("nominal", "ordinal", "interval", "ratio")

# Which metrics mean something on which kind of ratings, the usual one first.
ALLOWED: dict[str, tuple[Metric, ...]] = {
    "nominal": ("nominal",),
    "ordinal": ("ordinal", "nominal", "interval", "ratio"),
    "continuous": ("interval", "ratio", "ordinal"),
}

NOTHING_PAIRABLE = "no item was rated by two raters"
NO_VARIATION = "every rating that can be paired is the same: no disagreement can be expected"
ONE_ITEM = "one item has no variance"

# Rows of the table of distances between distinct values that are held at a time.
BLOCK = 512


@dataclass(frozen=True, eq=False)
class AlphaResult:
    """Krippendorff's alpha and its parts.

    Attributes
    ----------
    estimate : Estimate
        Alpha with an interval by item-wise linearisation (t quantile, n_items - 1 degrees of
        freedom), n_items being the items rated twice or more.
    metric : {"nominal", "ordinal", "interval", "ratio"}
        Difference function used.
    observed_disagreement, expected_disagreement : float
        Do and De in units of the metric; alpha = 1 - Do / De.
    n_values : int
        Pairable values: ratings of items rated twice or more.
    n_single : int
        Items rated once; they do not enter.
    """

    estimate: Estimate
    metric: Metric
    observed_disagreement: float
    expected_disagreement: float
    n_values: int
    n_single: int


def krippendorff_alpha(
    first: Any,
    second: Any = None,
    *,
    kind: str = "nominal",
    categories: Sequence[Any] | None = None,
    metric: Metric | None = None,
    level: float = 0.95,
) -> AlphaResult:
    """Return Krippendorff's alpha.

    alpha = 1 - Do / De over the pairable values: Do is the mean squared difference within items,
    each item weighing by its number of ratings, De the mean over all pairs of values. An item
    rated once does not enter. Unused levels change nothing at any level of measurement.

    Parameters
    ----------
    first, second, kind, categories
        As in `cohen_kappa`; any number of raters, and continuous scores too.
    metric : {"nominal", "ordinal", "interval", "ratio"}, optional
        Difference function; by default the level of measurement of the ratings (``"interval"``
        for continuous scores). Ordinal: the squared cumulative count between two ranks.
        Interval and ratio need numbers as categories; ratio needs them not negative.
    level : float
        Confidence level of the interval, in (0, 1).

    Returns
    -------
    AlphaResult

    Raises
    ------
    ParameterError
        A metric that the ratings do not support.
    DataError
        Negative values on a ratio scale.

    Notes
    -----
    Alpha is not unchanged when all items are duplicated: chance disagreement is computed without
    replacement, with a factor (n - 1) / n for n values.

    References
    ----------
    Krippendorff K. Computing Krippendorff's alpha-reliability. University of Pennsylvania, 2011.
    """
    ratings = as_ratings(first, second, kind=kind, categories=categories)
    chosen = check_metric(metric, ratings)
    values = Values.of(ratings, chosen)
    n_items = int(values.pairable.sum())
    about = About(
        f"Krippendorff alpha ({chosen})",
        n_items,
        checked_level(level),
        ratings.clusters is not None,
        _silent_raters(ratings),
    )
    estimate, observed, expected = _estimate(values, about)
    return AlphaResult(
        estimate=estimate,
        metric=chosen,
        observed_disagreement=observed,
        expected_disagreement=expected,
        n_values=values.n,
        n_single=ratings.n_items - n_items,
    )


def coincidence_table(
    first: Any,
    second: Any = None,
    *,
    kind: str = "nominal",
    categories: Sequence[Any] | None = None,
) -> pd.DataFrame:
    """Return Krippendorff's coincidences of categories, shape (q, q).

    Every ordered pair of ratings of an item adds 1 / (m - 1), m being the item's ratings, so
    rows sum to the number of pairable values of each category. Unused levels stay.
    """
    ratings = as_ratings(first, second, kind=kind, categories=categories)
    if ratings.categories is None:
        raise ParameterError("a coincidence table needs categories, and these are scores.")
    labels = pd.Index(list(ratings.categories))
    return pd.DataFrame(coincidences(ratings.counts()).sum(axis=0), index=labels, columns=labels)


def coincidences(counts: np.ndarray) -> np.ndarray:
    """Return each item's coincidences, shape (n_items, q, q), from counts (n_items, q)."""
    m = counts.sum(axis=1)
    pairs = counts[:, :, None] * counts[:, None, :]
    diagonal = np.arange(counts.shape[1])
    pairs[:, diagonal, diagonal] -= counts
    return pairs / np.maximum(m - 1, 1)[:, None, None]


def check_metric(metric: str | None, ratings: Ratings) -> Metric:
    """Return the metric, checked against the kind of ratings."""
    allowed = ALLOWED[ratings.kind]
    if metric is None:
        return allowed[0]
    if metric not in METRICS:
        raise ParameterError(f"unknown metric '{metric}'; {nearest(metric, METRICS)}")
    if metric not in allowed:
        if ratings.kind == "continuous":
            why = "continuous scores hardly ever coincide"
        else:
            why = "declare the categories in order, with kind='ordinal'"
        raise ParameterError(
            f"the {metric} metric does not fit {ratings.kind} ratings: {why}; expected "
            f"{' or '.join(allowed)}."
        )
    return metric


def _silent_raters(ratings: Ratings) -> tuple[str, ...]:
    """Return a warning that names the raters who share no item with anyone."""
    if not ratings.identified:
        return ()
    rated = ~np.isnan(ratings.values)
    shared = rated & (rated.sum(axis=1) >= 2)[:, None]
    silent = [
        name for name, any_ in zip(ratings.raters, shared.any(axis=0), strict=True) if not any_
    ]
    if not silent:
        return ()
    return (f"no item is shared with {', '.join(silent)}, whose ratings do not enter",)


@dataclass(frozen=True, eq=False)
class Values:
    """The ratings as numbers on the scale of the metric.

    Attributes
    ----------
    grid : ndarray of float, shape (n_items, n_raters)
        Values; NaN where missing, and everywhere in items rated once.
    pairable : ndarray of bool, shape (n_items,)
        Items rated twice or more.
    distinct : ndarray of float, shape (v,)
        Distinct values in ascending order.
    codes : ndarray of int, shape (n_items, n_raters)
        Place of each value among the distinct ones, -1 where missing.
    metric : str
        The difference function.
    """

    grid: np.ndarray
    pairable: np.ndarray
    distinct: np.ndarray
    codes: np.ndarray
    metric: Metric

    @classmethod
    def of(cls, ratings: Ratings, metric: Metric) -> Values:
        """Return the values of the pairable items of ``ratings``."""
        grid = np.asarray(ratings.values)
        if metric in ("interval", "ratio") and ratings.categories is not None:
            labels = np.append(ratings.category_values, np.nan)
            grid = labels[np.where(np.isnan(grid), -1, grid).astype(int)]
        pairable = (~np.isnan(grid)).sum(axis=1) >= 2
        grid = np.where(pairable[:, None], grid, np.nan)
        distinct = np.unique(grid[~np.isnan(grid)])
        if metric == "ratio" and distinct.size and distinct[0] < 0:
            raise DataError(
                "a ratio scale has no negative values",
                found=f"{distinct[0]:g}",
                expected="zero or more; metric='interval' takes any number",
            )
        codes = np.where(np.isnan(grid), -1, np.searchsorted(distinct, grid))
        if metric == "interval" and distinct.size:
            # Only differences matter: near zero a large offset costs no precision, and the median
            # stays near the bulk of the values whatever the outliers.
            centre = np.nanmedian(grid)
            grid, distinct = grid - centre, distinct - centre
        return cls(grid, pairable, distinct, codes, metric)

    @property
    def n(self) -> int:
        """Number of pairable values."""
        return int((self.codes >= 0).sum())

    @property
    def n_ratings(self) -> np.ndarray:
        """Pairable ratings of each item, shape (n_items,)."""
        return (self.codes >= 0).sum(axis=1)

    def frequencies(self) -> np.ndarray:
        """Return how often each distinct value occurs, shape (v,)."""
        return np.bincount(self.codes[self.codes >= 0], minlength=self.distinct.size).astype(float)

    def place(self) -> np.ndarray:
        """Return the distinct values on the metric's own scale, shape (v,).

        The ordinal difference is the squared difference of mid-ranks, so that scale is the
        number of values below plus half the number equal.
        """
        if self.metric != "ordinal":
            return self.distinct
        frequencies = self.frequencies()
        middle = np.cumsum(frequencies) - frequencies / 2
        return middle - middle.mean() if middle.size else middle

    def scaled(self) -> np.ndarray:
        """Return the grid on the metric's own scale, NaN where missing."""
        place = np.append(self.place(), np.nan)
        return place[self.codes]


def distance(metric: Metric, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the squared difference of values on the metric's own scale, NaN where missing."""
    if metric == "nominal":
        missing = np.isnan(one) | np.isnan(other)
        return np.where(missing, np.nan, (one != other).astype(float))
    if metric == "ratio":
        total = one + other
        return ((one - other) / np.where(total == 0, 1.0, total)) ** 2
    return (one - other) ** 2


def within_items(values: Values) -> np.ndarray:
    """Return each item's sum of differences over ordered pairs, divided by its ratings - 1.

    Shape (n_items,); 0 for items that are not pairable.
    """
    scaled, m = values.scaled(), values.n_ratings
    total = np.zeros(len(scaled))
    for one, other in combinations(range(scaled.shape[1]), 2):
        pair = distance(values.metric, scaled[:, one], scaled[:, other])
        total += np.where(np.isnan(pair), 0.0, pair)
    return 2.0 * total / np.maximum(m - 1, 1)


def from_all(values: Values) -> np.ndarray:
    """Return for each distinct value the sum of its differences from all values, shape (v,)."""
    place, frequencies = values.place(), values.frequencies()
    if values.metric in ("interval", "ordinal"):
        n, first, second = frequencies.sum(), frequencies @ place, frequencies @ place**2
        return n * (place - first / n) ** 2 + (second - first**2 / n)
    total = np.empty(place.size)
    for start in range(0, place.size, BLOCK):
        block = place[start : start + BLOCK, None]
        total[start : start + BLOCK] = distance(values.metric, block, place[None, :]) @ frequencies
    return total


def _estimate(values: Values, about: About) -> tuple[Estimate, float, float]:
    """Return the estimate, observed and expected disagreement."""
    n = values.n
    if n == 0:
        return without_interval(about, math.nan, NOTHING_PAIRABLE), math.nan, math.nan
    within, all_values = within_items(values), from_all(values)
    observed = float(within.sum() / n)
    if values.distinct.size == 1:
        return without_interval(about, math.nan, NO_VARIATION), observed, 0.0
    expected = float(values.frequencies() @ all_values / (n * (n - 1)))
    value = 1.0 - observed / expected
    if about.n_items < 2:
        return without_interval(about, value, ONE_ITEM), observed, expected
    influence = _influence(values, within, all_values)[values.pairable]
    deviation = influence - influence.mean()
    k = about.n_items
    error = math.sqrt(float(deviation @ deviation) * k / (k - 1))
    method = f"item-wise linearisation, t with {k - 1} degrees of freedom"
    estimate = symmetric_interval(about, value, error, method=method, degrees_of_freedom=k - 1)
    return estimate, observed, expected


def _influence(values: Values, within: np.ndarray, all_values: np.ndarray) -> np.ndarray:
    """Return the derivative of alpha by the weight of each item, shape (n_items,).

    alpha = 1 - (n - 1) A / B with A the differences within items and B those of all ordered
    pairs of values; for the ordinal metric both also move with the mid-ranks.
    """
    n, a = values.n, float(within.sum())
    b = float(values.frequencies() @ all_values)
    of_a, of_b = within, 2.0 * _per_item(values, all_values)
    if values.metric == "ordinal":
        moved_a, moved_b = _rank_movement(values)
        of_a, of_b = of_a + _per_item(values, moved_a), of_b + _per_item(values, moved_b)
    return -(values.n_ratings * a + (n - 1) * of_a) / b + (n - 1) * a * of_b / b**2


def _per_item(values: Values, of_value: np.ndarray) -> np.ndarray:
    """Return the sum over an item's ratings of a number per distinct value."""
    return np.append(of_value, 0.0)[values.codes].sum(axis=1)


def _rank_movement(values: Values) -> tuple[np.ndarray, np.ndarray]:
    """Return how A and B move with the mid-ranks when a value is added, shape (v,) each.

    A value x raises the mid-rank of every larger value by one and its own by one half.
    """
    place, frequencies = values.place(), values.frequencies()
    scaled, m = values.scaled(), values.n_ratings
    others = np.nansum(scaled, axis=1)[:, None] - scaled
    weighted = others / np.maximum(m - 1, 1)[:, None]
    here = values.codes >= 0
    paired = np.bincount(values.codes[here], weights=weighted[here], minlength=place.size)
    of_a = 4.0 * (frequencies * place - paired)
    of_b = 4.0 * frequencies * (frequencies.sum() * place - frequencies @ place)
    return _above(of_a), _above(of_b)


def _above(of_rank: np.ndarray) -> np.ndarray:
    """Return the sum over larger ranks plus half the own, shape (v,)."""
    return of_rank.sum() - np.cumsum(of_rank) + of_rank / 2
