"""What Benchbook says where a record of another program says something: the kappas and AC.

Each function answers one record: our number by the record's fields, and beside it what the same
data give under a convention, or a mistake, of that program. A number that differs from ours is
understood when one of these gives it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchbook.agreement import (
    brennan_prediger,
    cohen_kappa,
    conger_kappa,
    fleiss_kappa,
    gwet_ac,
    mean_pairwise_kappa,
    pairwise_kappa,
    percent_agreement,
)
from benchbook.estimate import Estimate
from benchbook.ratings import Ratings

from .answer import Answer, estimate_numbers, normal_interval, t_interval
from .reference import Record, Tables

NULL_ERROR = "standard error under κ = 0 used for the interval"
BY_N = "variance divided by n, not n − 1"
UNDECLARED = "only the categories that occur, not the declared scale"
ALPHABET = "labels in alphabetical order"


def agreement_weights(record: Record, q: int) -> Any:
    """Return the weights of a record as Benchbook takes them."""
    return ordinal_weights(q) if record.weights == "ordinal" else record.weights


def ordinal_weights(q: int) -> np.ndarray:
    """Return irrCAC's ordinal weights: one less the share of pairs of levels in between."""
    apart = np.abs(np.subtract.outer(np.arange(q), np.arange(q)))
    return 1 - (apart + 1) * apart / (q * (q - 1))


def ratings_of(record: Record, tables: Tables) -> Ratings:
    """Return the ratings that a record was made from, as an ordered scale.

    A contingency table of two raters holds the pairs that are complete.
    """
    ratings = tables.ratings(record.table, "ordinal")
    pairs = record.function.endswith((".table", "Kappa")) and ratings.n_raters == 2
    if pairs or record.options.get("missing") == "listwise":
        ratings = ratings.rows(~np.isnan(ratings.values).any(axis=1))
    return ratings


def relabelled(ratings: Ratings, order: Callable[[Sequence[Any]], Sequence[Any]]) -> Ratings | None:
    """Return the ratings on the levels in use only, in an order; None when one is in use."""
    frame = ratings.frame()
    used = [label for label in ratings.categories or () if frame.isin([label]).any(axis=None)]
    if len(used) < 2:
        return None
    return Ratings.from_table(frame, "ordinal", categories=list(order(used)))


def by_text(labels: Sequence[Any]) -> Sequence[Any]:
    """Return labels in alphabetical order."""
    return sorted(labels, key=str)


# ---- two raters --------------------------------------------------------------------------


def cohen(record: Record, tables: Tables) -> Answer:
    """Answer a record of Cohen's kappa."""
    ratings = ratings_of(record, tables)
    weights = agreement_weights(record, ratings.n_categories)
    key = (record.table, str(weights), record.level, ratings.n_items)
    numbers = tables.once(key, lambda: kappa_numbers(ratings, weights, record.level))
    answer = Answer("cohen_kappa", numbers)
    value, level = numbers["value"], record.level
    if math.isnan(numbers["se"]) and not math.isnan(value):
        flat = {"se": 0.0, "lower": value, "upper": value}
        answer.add("a variance of 0 where one rater never varies", lambda: flat, convention=True)
    answer.add(
        "bounds not cut at the end of the scale",
        lambda: normal_interval(value, numbers["se"], level),
        convention=True,
    )
    answer.add(NULL_ERROR, lambda: normal_interval(value, numbers["se_h0"], level))
    if record.weights in ("linear", "quadratic"):
        answer.add(UNDECLARED, lambda: _relabelled_kappa(ratings, list, weights, level))
        answer.add(ALPHABET, lambda: _relabelled_kappa(ratings, by_text, weights, level))
    return answer


def _relabelled_kappa(
    ratings: Ratings, order: Callable[..., Any], weights: Any, level: float
) -> dict[str, float]:
    again = relabelled(ratings, order)
    return {} if again is None else kappa_numbers(again, weights, level)


def kappa_numbers(ratings: Ratings, weights: Any, level: float) -> dict[str, float]:
    """Return Cohen's kappa with what stands beside it, by the fields of a record."""
    made = cohen_kappa(ratings, weights=weights, level=level)
    return {
        **estimate_numbers(made.estimate),
        "se": made.standard_error,
        "se_h0": made.standard_error_null,
        "z_h0": made.z,
        "p_h0": made.p_value,
        "observed": made.observed,
        "expected": made.expected,
    }


def index_of_two(record: Record, tables: Tables) -> Answer:
    """Answer a record of an index that stands beside Cohen's kappa."""
    made = cohen_kappa(ratings_of(record, tables), level=record.level)
    numbers = {
        "PABAK": made.pabak,
        "prevalence index": made.prevalence_index,
        "bias index": made.bias_index,
        "maximum kappa": made.maximum,
    }
    value = numbers[record.statistic]
    answer = Answer("cohen_kappa", {"value": math.nan if value is None else value})
    answer.add("2 Pₒ − 1 for any number of categories", lambda: {"value": 2 * made.observed - 1})
    if record.statistic.endswith("index"):
        signed = {"value": -answer.numbers["value"]}
        answer.add("an index with a sign", lambda: signed, convention=True)
    return answer


# ---- many raters -------------------------------------------------------------------------


def observed_share(record: Record, tables: Tables) -> Answer:
    """Answer a record of percent agreement."""
    ratings = ratings_of(record, tables)
    answer = _observed(record, ratings)
    _add_undeclared(answer, record, ratings, _observed)
    return answer


def _observed(record: Record, ratings: Ratings, weights: Any = None) -> Answer:
    if weights is None:
        weights = agreement_weights(record, ratings.n_categories)
    options = {"level": record.level, **_variance(record)}
    made = percent_agreement(ratings, weights=weights, **options)
    answer = Answer("percent_agreement", estimate_numbers(made) | {"observed": made.value})
    itemwise = made
    if made.method.startswith("Wilson"):
        # A weight matrix that says the same is taken for weighted ratings, which have a t interval.
        itemwise = percent_agreement(ratings, weights=np.eye(ratings.n_categories), **options)
        answer.add(
            "t interval of a proportion, not Wilson's",
            lambda: t_interval(made.value, itemwise.standard_error, itemwise.n_items, record.level),
            convention=True,
        )
    _add_by_n(answer, itemwise, record)
    return answer


def _variance(record: Record) -> dict[str, Any]:
    """Return the option that asks for observed agreement as a ratio in the variance."""
    return {"variance": "ratio"} if "variance" in record.options else {}


def _add_by_n(answer: Answer, made: Estimate, record: Record) -> None:
    n = made.n_items
    if record.function.endswith(".table") and n > 1:
        error = made.standard_error * math.sqrt((n - 1) / n)
        answer.add(BY_N, lambda: t_interval(made.value, error, n, record.level), convention=True)


FUNCTIONS: dict[str, Any] = {
    "Gwet AC": gwet_ac,
    "Brennan-Prediger": brennan_prediger,
    "Fleiss kappa": fleiss_kappa,
    "Scott pi": fleiss_kappa,
    "Conger kappa": conger_kappa,
}


def chance_corrected(record: Record, tables: Tables) -> Answer:
    """Answer a record of a chance-corrected coefficient for two raters or more."""
    ratings = ratings_of(record, tables)
    answer = _corrected(record, ratings)
    _add_undeclared(answer, record, ratings, _corrected)
    return answer


def _corrected(record: Record, ratings: Ratings, weights: Any = None) -> Answer:
    if weights is None:
        weights = agreement_weights(record, ratings.n_categories)
    function = FUNCTIONS[record.statistic]
    made = function(ratings, weights=weights, level=record.level, **_variance(record))
    answer = Answer(function.__name__, estimate_numbers(made.estimate))
    answer.numbers |= {"observed": made.observed, "expected": made.expected}
    if function is fleiss_kappa:
        null = made.standard_error_null
        answer.numbers |= {"se_h0": null, "z_h0": made.z, "p_h0": made.p_value}
        answer.add(NULL_ERROR, lambda: normal_interval(made.estimate.value, null, record.level))
    _add_by_n(answer, made.estimate, record)
    return answer


def _add_undeclared(
    answer: Answer, record: Record, ratings: Ratings, answered: Callable[..., Answer]
) -> None:
    """Add what a program finds that is not told the scale."""
    if not record.function.endswith(".raw") or "categories" in record.options:
        return
    answer.add(UNDECLARED, lambda: _on_labels(record, ratings, list, answered))
    answer.add(ALPHABET, lambda: _on_labels(record, ratings, by_text, answered))
    if record.weights in ("linear", "quadratic"):
        by_value = f"{record.weights}-by-value"
        answer.add(UNDECLARED, lambda: _on_labels(record, ratings, list, answered, by_value))


def _on_labels(
    record: Record,
    ratings: Ratings,
    order: Callable[..., Any],
    answered: Callable[..., Answer],
    weights: str | None = None,
) -> dict[str, float]:
    """Return what is found on the labels in use; with one label, agreement is all there is."""
    found = relabelled(ratings, order)
    if found is None:
        nothing = dict.fromkeys(("se", "lower", "upper"), math.nan)
        return {"value": 1.0, "observed": 1.0, "expected": 1.0, **nothing}
    if weights and not _all_numbers(found):
        return {}
    return answered(record, found, weights).numbers


def _all_numbers(ratings: Ratings) -> bool:
    try:
        return bool([*map(float, ratings.categories or ())])
    except ValueError:
        return False


def one_category(record: Record, tables: Tables) -> Answer:
    """Answer a record of Fleiss' kappa of one category against the rest."""
    found = fleiss_kappa(ratings_of(record, tables), level=record.level).by_category
    row = found[found["category"].astype(str) == record.options["category"]].iloc[0]
    numbers = {
        "value": float(row["value"]),
        "se_h0": float(row["standard_error_null"]),
        "z_h0": float(row["z"]),
        "p_h0": float(row["p_value"]),
    }
    return Answer("fleiss_kappa", numbers)


def light(record: Record, tables: Tables) -> Answer:
    """Answer a record of the mean of the kappas of all pairs."""
    ratings = ratings_of(record, tables)
    answer = Answer(
        "mean_pairwise_kappa", {"value": mean_pairwise_kappa(ratings, level=record.level).value}
    )
    answer.add(
        "one pair without a κ leaves the mean without a value",
        lambda: {"value": pairwise_kappa(ratings)["kappa"].sum(skipna=False)},
        convention=True,
    )
    return answer


ANSWERS: dict[str, Callable[[Record, Tables], Answer]] = {
    "Cohen kappa": cohen,
    "PABAK": index_of_two,
    "prevalence index": index_of_two,
    "bias index": index_of_two,
    "maximum kappa": index_of_two,
    "percent agreement": observed_share,
    "Gwet AC": chance_corrected,
    "Brennan-Prediger": chance_corrected,
    "Fleiss kappa": chance_corrected,
    "Scott pi": chance_corrected,
    "Conger kappa": chance_corrected,
    "Fleiss kappa, one category": one_category,
    "Light kappa": light,
}
