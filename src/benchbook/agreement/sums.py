"""The coefficients as functions of sums over items, for the bootstrap.

Each function returns a `SumsStatistic`: what an item adds to the sums, and the coefficient of the
sums. Items are in the order of the ratings and none is left out, so that statistics made from the
same ratings share their resamples; an item that a statistic cannot use adds zeros.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from ..errors import ParameterError, nearest
from ..ratings import Ratings
from ..resampling import SumsStatistic, divide
from .gwet import UNKNOWN_SCALE, gwet_scale
from .items import ItemTable
from .krippendorff import (
    NO_VARIATION,
    NOTHING_PAIRABLE,
    Metric,
    Values,
    check_metric,
    distance,
    within_items,
)
from .many_raters import (
    CONVENTIONS,
    Convention,
    check_identified,
    chosen_pairs,
)
from .two_raters import check_categorical, check_two, contingency, kappa_name, undefined_reason
from .weights import Weights, WeightsLike, resolve_weights

PairCoefficient = Literal["kappa", "scott", "ac", "brennan_prediger", "percent_agreement"]
PAIR_COEFFICIENTS: dict[str, str] = {
    "kappa": "Cohen kappa",
    "scott": "Scott pi",
    "ac": "Gwet AC",
    "brennan_prediger": "Brennan-Prediger",
    "percent_agreement": "percent agreement",
}

# Every distinct value is a column of the sums: beyond this the table of all pairs of values no
# longer fits beside a block of resamples.
MOST_VALUES = {"nominal": 1000, "ratio": 1000, "ordinal": 100}

Evaluate = Callable[[np.ndarray], np.ndarray]


def kappa_statistic(ratings: Ratings, weights: WeightsLike = None) -> SumsStatistic:
    """Return Cohen's kappa of two raters as a function of sums.

    Sums: disagreement of the pair, and one indicator per category and rater (2 q + 1 columns).
    kappa = 1 - n sum(d) / sum_ij d_ij n_i. n_.j (Cohen 1968).
    """
    check_two(ratings)
    chosen = resolve_weights(weights, ratings)
    pair = _PairSums(chosen, "kappa")
    return SumsStatistic(
        name=kappa_name(chosen),
        contributions=pair.contributions(ratings, (0, 1)),
        evaluate=pair.evaluate,
        reason=undefined_reason(contingency(ratings)),
        bounds=_bounds(chosen),
    )


def mean_pairwise_kappa_statistic(
    ratings: Ratings,
    pairs: Sequence[tuple[str, str]] | None = None,
    weights: WeightsLike = None,
) -> SumsStatistic:
    """Return the mean of Cohen's kappa over pairs of raters (Light 1971) as a function of sums.

    See `mean_pairwise_statistic`.
    """
    return mean_pairwise_statistic(ratings, pairs, coefficient="kappa", weights=weights)


def mean_pairwise_statistic(
    ratings: Ratings,
    pairs: Sequence[tuple[str, str]] | None = None,
    *,
    coefficient: PairCoefficient = "kappa",
    weights: WeightsLike = None,
) -> SumsStatistic:
    """Return the mean of a two-rater coefficient over pairs of raters as a function of sums.

    Sums: those of `kappa_statistic` for every pair (2 q + 1 columns each), on the items both
    rated. A pair without a value (in a resample, too) is left out of the mean.

    Parameters
    ----------
    ratings : Ratings
        Identified raters.
    pairs : sequence of (str, str), optional
        The pairs that enter; all of them by default.
    coefficient : {"kappa", "scott", "ac", "brennan_prediger", "percent_agreement"}
        What is computed for each pair.
    weights : None, str, array-like or Weights
        See `resolve_weights`.
    """
    if coefficient not in PAIR_COEFFICIENTS:
        hint = nearest(coefficient, PAIR_COEFFICIENTS)
        raise ParameterError(f"unknown coefficient '{coefficient}'; {hint}")
    name = f"mean pairwise {PAIR_COEFFICIENTS[coefficient]}"
    check_categorical(ratings, name)
    check_identified(ratings, name)
    chosen = resolve_weights(weights, ratings)
    pair = _PairSums(chosen, coefficient)
    places = [tuple(map(ratings.raters.index, two)) for two in chosen_pairs(ratings, pairs)]

    def evaluate(sums: np.ndarray) -> np.ndarray:
        each = pair.evaluate(sums.reshape(len(sums) * len(places), -1))
        return _mean_of_defined(each.reshape(len(sums), len(places)))

    return SumsStatistic(
        name=name if chosen.unweighted else f"{name} ({chosen.name})",
        contributions=np.hstack([pair.contributions(ratings, two) for two in places]),
        evaluate=evaluate,
        reason="no pair of raters has a value",
        bounds=_bounds(chosen),
    )


class _PairSums:
    """Sums of one pair of raters and the coefficients that are functions of them.

    Columns: disagreement, then the first rater's categories, then the second's.
    """

    def __init__(self, weights: Weights, coefficient: PairCoefficient) -> None:
        self.weights, self.coefficient = weights, coefficient

    def contributions(self, ratings: Ratings, places: tuple[int, ...]) -> np.ndarray:
        """Return what each item adds, shape (n_items, 2 q + 1); zeros unless both rated it."""
        values = np.take(ratings.values, places, axis=1)
        both = ~np.isnan(values).any(axis=1)
        codes = np.where(both[:, None], values, 0).astype(int)
        one_hot = np.eye(len(self.weights.agreement))
        between = self.weights.disagreement[codes[:, 0], codes[:, 1]]
        columns = np.column_stack([between, one_hot[codes[:, 0]], one_hot[codes[:, 1]]])
        return np.where(both[:, None], columns, 0.0)

    def evaluate(self, sums: np.ndarray) -> np.ndarray:
        """Return the coefficient of each row of sums, NaN where undefined."""
        q = len(self.weights.agreement)
        rows, columns = sums[:, 1 : q + 1], sums[:, q + 1 :]
        n = rows.sum(axis=1)
        return 1.0 - divide(divide(sums[:, 0], n), self._chance(rows, columns, n))

    def _chance(self, rows: np.ndarray, columns: np.ndarray, n: np.ndarray) -> np.ndarray:
        apart = self.weights.disagreement
        if self.coefficient == "percent_agreement":
            return np.ones(len(n))
        if self.coefficient == "brennan_prediger":
            return np.full(len(n), apart.mean())
        if self.coefficient == "kappa":
            return divide(((rows @ apart) * columns).sum(axis=1), n**2)
        both = rows + columns
        if self.coefficient == "scott":
            return divide(((both @ apart) * both).sum(axis=1), 4 * n**2)
        if apart.shape[0] < 2:
            return np.full(len(n), np.nan)
        concentration = divide((both**2).sum(axis=1), 4 * n**2)
        return 1.0 - gwet_scale(self.weights) * (1.0 - concentration)


def percent_agreement_statistic(ratings: Ratings, weights: WeightsLike = None) -> SumsStatistic:
    """Return percent agreement as a function of sums.

    Sums: mean disagreement among an item's pairs of ratings, and 1 for items rated twice or
    more. Agreement = 1 - sum(d) / n.
    """
    return _item_statistic(ratings, weights, "percent agreement", lambda *_: 1.0)


def brennan_prediger_statistic(ratings: Ratings, weights: WeightsLike = None) -> SumsStatistic:
    """Return Brennan and Prediger's coefficient as a function of sums.

    Sums as in `percent_agreement_statistic`; chance disagreement is the mean of the q x q
    weights of disagreement, whatever the sums (Brennan & Prediger 1981).
    """

    def chance(margins: np.ndarray, n: np.ndarray, weights: Weights) -> float:
        return float(weights.disagreement.mean())

    return _item_statistic(ratings, weights, "Brennan-Prediger", chance, needs_scale=True)


def ac_statistic(ratings: Ratings, weights: WeightsLike = None) -> SumsStatistic:
    """Return Gwet's AC1 (AC2 with weights) as a function of sums.

    Sums as in `percent_agreement_statistic`, 1 for every item, and each item's shares of the
    categories (q + 3 columns); equation in `gwet_ac`.
    """

    def chance(margins: np.ndarray, n: np.ndarray, weights: Weights) -> np.ndarray:
        concentration = divide((margins**2).sum(axis=1), n**2)
        return 1.0 - gwet_scale(weights) * (1.0 - concentration)

    chosen = resolve_weights(weights, ratings)
    name = "Gwet AC1" if chosen.unweighted else "Gwet AC2"
    return _item_statistic(ratings, chosen, name, chance, needs_scale=True)


def fleiss_statistic(
    ratings: Ratings, weights: WeightsLike = None, *, convention: Convention = "gwet"
) -> SumsStatistic:
    """Return Fleiss' kappa as a function of sums.

    Sums as in `ac_statistic`; with ``convention="pooled"`` an item adds its counts in place of
    its shares. Chance disagreement = sum_jk d_jk s_j s_k / (sum s)^2 (Fleiss 1971).
    """
    if convention not in CONVENTIONS:
        hint = nearest(convention, CONVENTIONS)
        raise ParameterError(f"unknown convention '{convention}'; {hint}")

    def chance(margins: np.ndarray, n: np.ndarray, weights: Weights) -> np.ndarray:
        return divide(((margins @ weights.disagreement) * margins).sum(axis=1), n**2)

    return _item_statistic(ratings, weights, "Fleiss kappa", chance, convention)


def _item_statistic(
    ratings: Ratings,
    weights: WeightsLike,
    name: str,
    chance: Callable[[np.ndarray, np.ndarray, Weights], np.ndarray | float],
    convention: Convention = "gwet",
    *,
    needs_scale: bool = False,
) -> SumsStatistic:
    """Return 1 - mean(d) / chance; columns: d, comparable, weight in the margins, shares."""
    check_categorical(ratings, name)
    chosen = resolve_weights(weights, ratings)
    table = ItemTable.of(ratings, chosen)
    margins = table.shares if convention == "gwet" else table.counts
    weight = np.ones(table.n_items) if convention == "gwet" else table.n_ratings
    known = not needs_scale or ratings.n_categories >= 2

    def evaluate(sums: np.ndarray) -> np.ndarray:
        if not known:
            return np.full(len(sums), np.nan)
        observed = divide(sums[:, 0], sums[:, 1])
        return 1.0 - divide(observed, np.asarray(chance(sums[:, 3:], sums[:, 2], chosen)))

    return SumsStatistic(
        name=name if chosen.unweighted else f"{name} ({chosen.name})",
        contributions=np.column_stack([table.disagreement, table.comparable, weight, margins]),
        evaluate=evaluate,
        reason=table.undefined_reason() if known else UNKNOWN_SCALE,
        bounds=(0.0, 1.0) if name == "percent agreement" else (-np.inf, 1.0),
    )


def conger_statistic(ratings: Ratings, weights: WeightsLike = None) -> SumsStatistic:
    """Return Conger's kappa as a function of sums.

    Sums: disagreement and comparability of the item, and one indicator per rater and category
    (r q + 2 columns); equation in `conger_kappa`. Undefined where a rater has no rating.
    """
    check_categorical(ratings, "Conger kappa")
    check_identified(ratings, "Conger kappa")
    chosen = resolve_weights(weights, ratings)
    table = ItemTable.of(ratings, chosen)
    r, q = ratings.n_raters, ratings.n_categories
    given = (ratings.values[:, :, None] == np.arange(q)).reshape(ratings.n_items, r * q)

    def evaluate(sums: np.ndarray) -> np.ndarray:
        counts = sums[:, 2:].reshape(len(sums), r, q)
        margins = divide(counts, counts.sum(axis=2, keepdims=True))
        others = margins.sum(axis=1, keepdims=True) - margins
        chance = ((others @ chosen.disagreement) * margins).sum(axis=(1, 2)) / (r * (r - 1))
        return 1.0 - divide(divide(sums[:, 0], sums[:, 1]), chance)

    return SumsStatistic(
        name="Conger kappa" if chosen.unweighted else f"Conger kappa ({chosen.name})",
        contributions=np.column_stack([table.disagreement, table.comparable, given]),
        evaluate=evaluate,
        reason=table.undefined_reason(),
        bounds=(-np.inf, 1.0),
    )


def alpha_statistic(ratings: Ratings, metric: Metric | None = None) -> SumsStatistic:
    """Return Krippendorff's alpha as a function of sums.

    alpha = 1 - (n - 1) A / B (Krippendorff 2011). Nominal and ratio: an item adds its part of A
    and its counts of the v distinct values (v + 1 columns). Interval: its part of A, its number
    of values, their sum and their sum of squares (4 columns). Ordinal: its coincidences and its
    counts (v (v + 1) / 2 columns), because the distances between ranks move with the counts.

    Raises
    ------
    ParameterError
        More distinct values than sums can carry (``MOST_VALUES``).
    """
    chosen = check_metric(metric, ratings)
    values = Values.of(ratings, chosen)
    most = MOST_VALUES.get(chosen)
    if most is not None and values.distinct.size > most:
        raise ParameterError(
            f"alpha with the {chosen} metric is a function of sums for at most {most} distinct "
            f"values; found {values.distinct.size}. Resample krippendorff_alpha as a callable, "
            "or use the interval metric."
        )
    make = {"interval": _interval_sums, "ordinal": _ordinal_sums}.get(chosen, _fixed_sums)
    contributions, evaluate = make(values)
    return SumsStatistic(
        name=f"Krippendorff alpha ({chosen})",
        contributions=contributions,
        evaluate=evaluate,
        reason=NO_VARIATION if values.pairable.any() else NOTHING_PAIRABLE,
        bounds=(-np.inf, 1.0),
    )


def _value_counts(values: Values) -> np.ndarray:
    """Return how often each item has each distinct value, shape (n_items, v)."""
    v = max(values.distinct.size, 1)
    counts = np.zeros((len(values.codes), v + 1))
    rows = np.repeat(np.arange(len(values.codes)), values.codes.shape[1])
    np.add.at(counts, (rows, values.codes.ravel()), 1.0)
    return counts[:, :v]


def _alpha(within: np.ndarray, n: np.ndarray, expected: np.ndarray) -> np.ndarray:
    return 1.0 - divide((n - 1) * within, expected)


def _fixed_sums(values: Values) -> tuple[np.ndarray, Evaluate]:
    """Nominal and ratio: distances between values do not depend on the sums."""
    counts = _value_counts(values)
    place = values.distinct if values.distinct.size else np.zeros(1)
    apart = distance(values.metric, place[:, None], place[None, :])

    def evaluate(sums: np.ndarray) -> np.ndarray:
        frequencies = sums[:, 1:]
        expected = ((frequencies @ apart) * frequencies).sum(axis=1)
        return _alpha(sums[:, 0], frequencies.sum(axis=1), expected)

    return np.column_stack([within_items(values), counts]), evaluate


def _interval_sums(values: Values) -> tuple[np.ndarray, Evaluate]:
    """Interval: the differences of all pairs follow from the first two moments."""
    grid = np.where(np.isnan(values.grid), 0.0, values.grid)

    def evaluate(sums: np.ndarray) -> np.ndarray:
        within, n, first, second = sums.T
        spread = n * second - first**2
        # Rounding leaves a trace of spread where all values are one and the same.
        spread = np.where(spread <= SAME_VALUE * n * second, 0.0, spread)
        return _alpha(within, n, 2.0 * spread)

    moments = [values.n_ratings, grid.sum(axis=1), (grid**2).sum(axis=1)]
    return np.column_stack([within_items(values), *moments]), evaluate


# Largest share of the sum of squares that rounding can leave when all values are equal.
SAME_VALUE = 1e-13


def _ordinal_sums(values: Values) -> tuple[np.ndarray, Evaluate]:
    """Ordinal: mid-ranks follow from the counts, so distances are made anew from the sums."""
    counts = _value_counts(values)
    above, below = np.triu_indices(counts.shape[1], k=1)
    pairs = counts[:, above] * counts[:, below] / np.maximum(values.n_ratings - 1, 1)[:, None]

    def evaluate(sums: np.ndarray) -> np.ndarray:
        coincident, frequencies = sums[:, : above.size], sums[:, above.size :]
        middle = np.cumsum(frequencies, axis=1) - frequencies / 2
        apart = (middle[:, above] - middle[:, below]) ** 2
        within = 2.0 * (coincident * apart).sum(axis=1)
        expected = 2.0 * (frequencies[:, above] * frequencies[:, below] * apart).sum(axis=1)
        return _alpha(within, frequencies.sum(axis=1), expected)

    return np.column_stack([pairs, counts]), evaluate


def _mean_of_defined(each: np.ndarray) -> np.ndarray:
    """Return the mean over columns of the values that are defined, NaN where none is."""
    defined = ~np.isnan(each)
    return divide(np.where(defined, each, 0.0).sum(axis=1), defined.sum(axis=1))


def _bounds(weights: Weights) -> tuple[float, float]:
    return (-np.inf if weights.name == "custom" else -1.0, 1.0)
