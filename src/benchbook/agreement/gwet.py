"""Gwet's AC1 and AC2, and Brennan and Prediger's coefficient."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..ratings import Ratings, as_ratings
from ..resampling.checks import checked_level
from .intervals import without_interval
from .items import AgreementResult, ItemTable, Variance, about_items
from .two_raters import check_categorical
from .weights import Weights, WeightsLike, resolve_weights

UNKNOWN_SCALE = (
    "only one category was seen and none declared: chance agreement depends on how many there are"
)

# (item table, weights) -> chance disagreement, and the items' centred influence on it
Chance = Callable[[ItemTable, Weights], tuple[float, "np.ndarray | float"]]


def gwet_ac(
    first: Any,
    second: Any = None,
    *,
    kind: str = "nominal",
    categories: Sequence[Any] | None = None,
    weights: WeightsLike = None,
    level: float = 0.95,
    variance: Variance = "gwet",
) -> AgreementResult:
    """Return Gwet's AC1, or AC2 when weights are given.

    Chance agreement Pe = T / (q (q - 1)) sum p_k (1 - p_k), with T the sum of the q x q weights
    and p_k the mean over items of the share of ratings in category k. Unlike kappa it does not
    collapse when nearly all ratings fall in one category. Unused declared categories count.

    Parameters
    ----------
    first, second, kind, categories, weights, level, variance
        As in `fleiss_kappa`.

    Returns
    -------
    AgreementResult
        Interval by item-wise linearisation, conditional on the raters at hand, with the t
        quantile and n_items - 1 degrees of freedom; says how many categories were used and
        whether they were declared.

    References
    ----------
    Gwet KL. Computing inter-rater reliability and its variance in the presence of high
    agreement. Br J Math Stat Psychol 2008;61:29-48.
    """
    ratings = as_ratings(first, second, kind=kind, categories=categories)
    chosen = resolve_weights(weights, ratings)
    name = "Gwet AC1" if chosen.unweighted else f"Gwet AC2 ({chosen.name})"
    return _coefficient(name, ratings, chosen, _gwet_chance, level, variance)


def brennan_prediger(
    first: Any,
    second: Any = None,
    *,
    kind: str = "nominal",
    categories: Sequence[Any] | None = None,
    weights: WeightsLike = None,
    level: float = 0.95,
    variance: Variance = "gwet",
) -> AgreementResult:
    """Return Brennan and Prediger's coefficient: chance agreement from equally likely categories.

    Pe is the mean of the q x q weights, 1 / q without weights. For many raters it is Randolph's
    free-marginal kappa; for two raters and two categories, PABAK. Parameters as in `gwet_ac`.

    References
    ----------
    Brennan RL, Prediger DJ. Coefficient kappa: some uses, misuses, and alternatives. Educ
    Psychol Meas 1981;41:687-699.
    """
    ratings = as_ratings(first, second, kind=kind, categories=categories)
    chosen = resolve_weights(weights, ratings)
    name = "Brennan-Prediger"
    if not chosen.unweighted:
        name += f" ({chosen.name})"
    return _coefficient(name, ratings, chosen, _uniform_chance, level, variance)


def _coefficient(
    name: str,
    ratings: Ratings,
    weights: Weights,
    chance: Chance,
    level: float,
    variance: Variance,
) -> AgreementResult:
    check_categorical(ratings, name)
    table = ItemTable.of(ratings, weights)
    about = about_items(name, ratings, table, checked_level(level))
    if ratings.n_categories < 2:
        expected = math.nan
        estimate = without_interval(about, math.nan, UNKNOWN_SCALE)
    else:
        expected, influence = chance(table, weights)
        # Both reach this where every pair of ratings is the worst one; with weights below -1.
        worst = 1.0 - 1.0 / float(weights.disagreement.mean())
        estimate = table.estimate(
            about, expected, influence, variance, lower_limit=min(-1.0, worst)
        )
    return AgreementResult(
        estimate=estimate,
        observed=1.0 - table.observed,
        expected=1.0 - expected,
        weights=weights,
        n_categories=ratings.n_categories,
        categories_declared=ratings.declared,
        n_single=table.n_single,
    )


def gwet_scale(weights: Weights) -> float:
    """Return T / (q (q - 1)), the factor of sum p_k (1 - p_k) in Gwet's chance agreement."""
    q = len(weights.agreement)
    return float(weights.agreement.sum() / (q * (q - 1)))


def _gwet_chance(table: ItemTable, weights: Weights) -> tuple[float, np.ndarray]:
    margin = table.shares.mean(axis=0)
    scale = gwet_scale(weights)
    concentration = float(margin @ margin)
    influence = 2.0 * scale * (table.shares @ margin - concentration)
    return 1.0 - scale * (1.0 - concentration), influence


def _uniform_chance(table: ItemTable, weights: Weights) -> tuple[float, float]:
    return float(weights.disagreement.mean()), 0.0
