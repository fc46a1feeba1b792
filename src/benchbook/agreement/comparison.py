"""Comparing agreements: a model among people, and the influence of each rater."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from ..errors import ParameterError, nearest
from ..estimate import Estimate
from ..ratings import Ratings
from ..resampling import resample_many
from ..resampling.checks import checked_level, checked_method
from ..resampling.distribution import difference
from .gwet import brennan_prediger, gwet_ac
from .krippendorff import krippendorff_alpha
from .many_raters import (
    check_identified,
    conger_kappa,
    fleiss_kappa,
    mean_pairwise_kappa,
    percent_agreement,
)
from .sums import PairCoefficient, mean_pairwise_statistic
from .weights import WeightsLike


@dataclass(frozen=True)
class AgreementDifference:
    """How a model agrees with people, beside how people agree with each other.

    Attributes
    ----------
    model_human : Estimate
        Mean over the people of the model's agreement with each.
    human_human : Estimate
        Mean over pairs of people of their agreement.
    difference : Estimate
        model_human - human_human, interval from the same resamples. Above 0 the model agrees
        with people better than they agree with each other.
    model : str
        The model's column.
    humans : tuple of str
        The people's columns.
    """

    model_human: Estimate
    human_human: Estimate
    difference: Estimate
    model: str
    humans: tuple[str, ...]


def agreement_difference(
    ratings: Ratings,
    model: str,
    humans: Sequence[str] | None = None,
    *,
    coefficient: PairCoefficient = "kappa",
    weights: WeightsLike = None,
    cluster: Any = None,
    unit: str = "item",
    n_resamples: int = 2000,
    level: float = 0.95,
    method: str = "percentile",
    seed: int | None = 0,
    n_jobs: int | None = None,
) -> AgreementDifference:
    """Compare a model's agreement with people and their agreement with each other.

    Both are means of a two-rater coefficient over pairs, on the same items and the same
    resamples, so the interval of the difference knows that they vary together.

    Parameters
    ----------
    ratings : Ratings
        Identified raters; the model is one of them.
    model : str
        The model's column.
    humans : sequence of str, optional
        The people, two or more; every other rater by default.
    coefficient, weights
        See `mean_pairwise_statistic`.
    cluster : sequence of hashable, optional
        Cluster of each item; that of the ratings, when they have one, by default.
    unit, n_resamples, level, method, seed, n_jobs
        See `benchbook.resampling.bootstrap`.

    Returns
    -------
    AgreementDifference

    Raises
    ------
    ParameterError
        Unknown rater, the model among the people, or fewer than two people.
    """
    check_identified(ratings, "comparing a model with people")
    people = _people(ratings, model, humans)
    pairs = ([(model, person) for person in people], list(combinations(people, 2)))
    statistics = [
        mean_pairwise_statistic(ratings, some, coefficient=coefficient, weights=weights)
        for some in pairs
    ]
    method, level = checked_method(method), checked_level(level)
    with_model, among_people = resample_many(
        statistics,
        cluster=ratings.clusters if cluster is None else cluster,
        unit=unit,
        n_resamples=n_resamples,
        seed=seed,
        n_jobs=n_jobs,
    )
    return AgreementDifference(
        model_human=with_model.interval(method, level),
        human_human=among_people.interval(method, level),
        difference=difference(with_model, among_people).interval(method, level),
        model=model,
        humans=tuple(people),
    )


def _people(ratings: Ratings, model: str, humans: Sequence[str] | None) -> list[str]:
    people = [rater for rater in ratings.raters if rater != model] if humans is None else humans
    for rater in (model, *people):
        if rater not in ratings.raters:
            raise ParameterError(f"unknown rater '{rater}'; {nearest(rater, ratings.raters)}")
    if model in people:
        raise ParameterError(f"'{model}' is the model and is among the people, too.")
    if len(set(people)) != len(people):
        raise ParameterError("a person is named twice among the people.")
    if len(people) < 2:
        raise ParameterError(
            f"people's agreement with each other needs two of them; found {len(people)}."
        )
    return list(people)


LEAVE_ONE_OUT: dict[str, Callable[..., Estimate]] = {
    "fleiss": lambda ratings, weights: fleiss_kappa(ratings, weights=weights).estimate,
    "conger": lambda ratings, weights: conger_kappa(ratings, weights=weights).estimate,
    "ac": lambda ratings, weights: gwet_ac(ratings, weights=weights).estimate,
    "brennan_prediger": lambda ratings, weights: (
        brennan_prediger(ratings, weights=weights).estimate
    ),
    "mean_pairwise": lambda ratings, weights: mean_pairwise_kappa(ratings, weights=weights),
    "percent_agreement": lambda ratings, weights: percent_agreement(ratings, weights=weights),
    "alpha": lambda ratings, weights: krippendorff_alpha(ratings).estimate,
}


def leave_one_rater_out(
    ratings: Ratings,
    statistic: str | Callable[[Ratings], Any] = "fleiss",
    *,
    weights: WeightsLike = None,
) -> pd.DataFrame:
    """Return the agreement without each rater in turn.

    Parameters
    ----------
    ratings : Ratings
        Three identified raters or more.
    statistic : str or callable
        A name in ``LEAVE_ONE_OUT``, or a function of ratings that returns a number or an
        Estimate.
    weights : None, str, array-like or Weights
        See `resolve_weights`; alpha has its metric instead.

    Returns
    -------
    DataFrame
        One row per rater: ``rater``, ``without`` (the coefficient of the others), ``influence``
        (all raters minus without: below 0 the rater lowers agreement), ``n_items``, ``reason``.
    """
    check_identified(ratings, "leaving out a rater")
    if ratings.n_raters < 3:
        raise ParameterError(f"leaving one rater out needs three raters; found {ratings.n_raters}.")
    compute = _computing(statistic, weights)
    everyone = compute(ratings)
    rows = []
    for rater in ratings.raters:
        rest = ratings.drop(rater)
        made = compute(rest)
        rows.append(
            {
                "rater": rater,
                "without": made.value,
                "influence": everyone.value - made.value,
                "n_items": made.n_items or rest.n_items,
                "reason": made.reason if math.isnan(made.value) else everyone.reason,
            }
        )
    return pd.DataFrame(rows)


def _computing(
    statistic: str | Callable[[Ratings], Any], weights: WeightsLike
) -> Callable[[Ratings], Estimate]:
    if isinstance(statistic, str):
        if statistic not in LEAVE_ONE_OUT:
            hint = nearest(statistic, LEAVE_ONE_OUT)
            raise ParameterError(f"unknown statistic '{statistic}'; {hint}")
        if statistic == "alpha" and weights is not None:
            raise ParameterError("Krippendorff alpha has a metric, no weights.")
        named = LEAVE_ONE_OUT[statistic]
        return lambda some: named(some, weights)
    return lambda some: _as_estimate(statistic(some))


def _as_estimate(result: Any) -> Estimate:
    if isinstance(result, Estimate):
        return result
    value = float(result)
    return Estimate(
        value=value, reason="the function returned no number" if np.isnan(value) else None
    )
