"""What Benchbook says where a record says something of Krippendorff's alpha."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from benchbook.agreement import krippendorff_alpha
from benchbook.ratings import Ratings

from .answer import Answer, estimate_numbers, t_interval
from .answers_agreement import BY_N, ordinal_weights
from .reference import Record, Tables

METRIC_OF_WEIGHTS = {"unweighted": "nominal", "quadratic": "interval"}
UNCORRECTED = "variance of the ratio without its small-sample factor, ranks held fixed"
MIXED = "variance with the agreement after the small-sample step in one place"


def alpha(record: Record, tables: Tables) -> Answer:
    """Answer a record of Krippendorff's alpha."""
    metric: Any = record.options.get("level") or METRIC_OF_WEIGHTS.get(record.weights)
    if metric is None:
        why_not = f"{record.weights} weights are none of Krippendorff's metrics"
        return Answer("krippendorff_alpha", {}, why_not=why_not)
    ratings = _ratings(record, tables, metric)
    made = krippendorff_alpha(ratings, metric=metric, level=record.level)
    answer = Answer("krippendorff_alpha", estimate_numbers(made.estimate))
    if ratings.categories is not None:
        _add_other_variances(answer, record, ratings, metric)
    value = made.estimate.value
    if math.isnan(value):
        answer.add("perfect agreement where nothing varies", lambda: {"value": 1.0})
    elif ratings.complete:
        answer.add(
            "pairs not divided by the number of raters less one",
            lambda: {"value": _undivided_pairs(value, ratings)},
        )
    if metric == "ordinal":
        answer.add("ordinal computed as interval", lambda: _as_interval(ratings))
    return answer


def _as_interval(ratings: Ratings) -> dict[str, float]:
    made = krippendorff_alpha(_numbered(ratings), metric="interval")
    return {"value": made.estimate.value}


def _ratings(record: Record, tables: Tables, metric: str) -> Ratings:
    ratings = tables.ratings(record.table)
    if ratings.kind == "nominal" and metric != "nominal":
        ratings = tables.ratings(record.table, "ordinal")
    if "columns" in record.options:
        ratings = ratings.select(record.options["columns"])
    elif record.function.endswith(".table"):
        ratings = ratings.rows(~np.isnan(ratings.values).any(axis=1))
    return _numbered(ratings) if metric == "interval" else ratings


def _numbered(ratings: Ratings) -> Ratings:
    """Return the ratings with ranks for labels where labels are no numbers."""
    try:
        [*map(float, ratings.categories or ())]
    except ValueError:
        ranks = list(range(ratings.n_categories))
        codes = pd.DataFrame(ratings.values, columns=list(ratings.raters)).astype("Int64")
        return Ratings.from_table(codes, "ordinal", categories=ranks)
    return ratings


def _undivided_pairs(value: float, ratings: Ratings) -> float:
    n, m = ratings.n_items, ratings.n_raters
    if m < 2:
        return math.nan
    return 1 - (1 - value) * (1 - 1 / (n * m * (m - 1))) / (1 - 1 / (n * m))


def _add_other_variances(answer: Answer, record: Record, ratings: Ratings, metric: str) -> None:
    counts = ratings.counts()
    counts = counts[counts.sum(axis=1) >= 2]
    n = len(counts)
    if n < 2 or (counts.sum(axis=0) > 0).sum() < 2:
        return
    squared = squared_differences(counts, ratings, metric)
    value, level = answer.numbers["value"], record.level

    def spread(share: float = 1.0, *, mixed: bool = False) -> dict[str, float]:
        error = ratio_error(counts, squared, mixed=mixed) * math.sqrt(share)
        return t_interval(value, error, n, level)

    answer.add(UNCORRECTED, spread, convention=True)
    answer.add(MIXED, lambda: spread(mixed=True), convention=True)
    if record.function.endswith(".table"):
        answer.add(BY_N, lambda: spread((n - 1) / n), convention=True)
    if record.weights == "ordinal" and metric == "ordinal":
        answer.add("weights fixed in advance", lambda: _fixed(counts, level))


def squared_differences(counts: np.ndarray, ratings: Ratings, metric: str) -> np.ndarray:
    """Return Krippendorff's squared differences between categories, shape (q, q)."""
    used = counts.sum(axis=0)
    if metric == "nominal":
        return 1 - np.eye(len(used))
    if metric == "ordinal":
        middle = np.cumsum(used) - used / 2
        return np.subtract.outer(middle, middle) ** 2
    values = np.array([*map(float, ratings.categories or ())])
    squared = np.subtract.outer(values, values) ** 2
    if metric == "interval":
        return squared
    sums = np.add.outer(values, values) ** 2
    return np.divide(squared, sums, out=np.zeros_like(squared), where=sums > 0)


def ratio_error(counts: np.ndarray, squared: np.ndarray, *, mixed: bool = False) -> float:
    """Return the standard error of observed over expected disagreement, linearised over items.

    Parameters
    ----------
    counts : ndarray, shape (n_items, q)
        Ratings of each item in each category; two or more an item.
    squared : ndarray, shape (q, q)
        Squared differences, held fixed.
    mixed : bool
        Adjust for unequal numbers of ratings with the disagreement after the small-sample step,
        as irrCAC does.

    Notes
    -----
    The same as a variance of alpha when its factor (n - 1) / n, for n ratings, is left out.
    """
    n, each, total = len(counts), counts.sum(axis=1), counts.sum()
    size, margin = total / n, counts.sum(axis=0) / total
    within = (counts * (counts @ squared)).sum(axis=1) / (each - 1)
    observed, expected = within.sum() / total, margin @ squared @ margin
    kept = observed * (1 - 1 / total) if mixed else observed
    of_observed = within / size - observed - kept * (each - size) / size
    of_expected = 2 * (counts - np.outer(each, margin)) @ squared @ margin / size
    influence = of_observed / expected - observed * of_expected / expected**2
    return math.sqrt((influence**2).sum() / (n * (n - 1)))


def _fixed(counts: np.ndarray, level: float) -> dict[str, Any]:
    """Return alpha, error and bounds with ordinal weights fixed in advance."""
    counts = counts[:, counts.sum(axis=0) > 0]
    squared = 1 - ordinal_weights(counts.shape[1])
    each, total = counts.sum(axis=1), counts.sum()
    margin = counts.sum(axis=0) / total
    observed = ((counts * (counts @ squared)).sum(axis=1) / (each - 1)).sum() / total
    value = 1 - (1 - 1 / total) * observed / (margin @ squared @ margin)
    error = ratio_error(counts, squared, mixed=True)
    return {"value": value, **t_interval(value, error, len(counts), level)}
