"""Percent agreement, Fleiss', Conger's and Light's kappa: two raters or more."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal

import numpy as np
import pandas as pd

from ..errors import ParameterError, nearest
from ..estimate import Estimate
from ..ratings import Ratings, as_ratings
from ..resampling.checks import checked_level
from .intervals import About, symmetric_interval, two_sided_p, wilson_interval, without_interval
from .items import (
    NO_PAIRS,
    AgreementResult,
    ItemTable,
    Variance,
    about_items,
    check_variance,
)
from .two_raters import (
    GENERAL_VARIANCE,
    cell_influence,
    check_categorical,
    cohen_kappa,
    contingency,
    kappa_name,
    kappa_with_error,
)
from .weights import WeightsLike, resolve_weights

Convention = Literal["gwet", "pooled"]
CONVENTIONS: dict[str, str] = {
    "gwet": "every item has the same weight in the margins; an item with one rating adds to the "
    "margins, not to the observed agreement (Gwet)",
    "pooled": "every rating has the same weight in the margins",
}


@dataclass(frozen=True, eq=False)
class FleissResult(AgreementResult):
    """Fleiss' kappa, overall and per category.

    Attributes
    ----------
    standard_error_null : float
        Standard error when the raters choose at random from the margins; for the test only.
    z, p_value : float
        Test of kappa = 0, two-sided.
    by_category : DataFrame
        One row per category: each against all others. ``category``, ``value``, ``low``,
        ``high``, ``standard_error``, ``standard_error_null``, ``z``, ``p_value``, ``n_ratings``,
        ``reason``.
    convention : {"gwet", "pooled"}
        How items with different numbers of ratings enter the margins; see ``CONVENTIONS``.
    n_excluded : int
        Items left out because ``listwise`` was asked for.
    """

    standard_error_null: float
    z: float
    p_value: float
    by_category: pd.DataFrame
    convention: Convention
    n_excluded: int


def percent_agreement(
    first: Any,
    second: Any = None,
    *,
    kind: str = "nominal",
    categories: Sequence[Any] | None = None,
    weights: WeightsLike = None,
    level: float = 0.95,
    variance: Variance = "gwet",
) -> Estimate:
    """Return the share of agreeing pairs of ratings, averaged over items.

    Not corrected for chance: report it beside kappa, never in its place. Items with one rating
    do not enter.

    Parameters
    ----------
    first, second, kind, categories, weights, level
        As in `cohen_kappa`, for any number of raters.
    variance : {"gwet", "ratio"}
        See `fleiss_kappa`.

    Returns
    -------
    Estimate
        In [0, 1]. With at most two ratings per item and no weights the items are a sample of
        yes and no, and the interval is Wilson's; otherwise it comes from the variance between
        items, with the t quantile.
    """
    ratings = as_ratings(first, second, kind=kind, categories=categories)
    check_categorical(ratings, "percent agreement")
    check_variance(variance)
    chosen = resolve_weights(weights, ratings)
    table = ItemTable.of(ratings, chosen)
    name = "percent agreement" if chosen.unweighted else f"percent agreement ({chosen.name})"
    if table.n_ratings.max() <= 2 and chosen.unweighted:
        return _proportion(table, About(name, int(table.comparable.sum()), checked_level(level)))
    about = about_items(name, ratings, table, checked_level(level))
    return table.estimate(about, 1.0, 0.0, variance, lower_limit=0.0)


def _proportion(table: ItemTable, about: About) -> Estimate:
    n = about.n_items
    if n == 0:
        return without_interval(about, math.nan, NO_PAIRS)
    agreeing = float(n - table.disagreement.sum())
    low, high = wilson_interval(agreeing, n, about.level)
    share = agreeing / n
    return Estimate(
        value=share,
        low=low,
        high=high,
        level=about.level,
        method="Wilson score interval",
        n_items=n,
        n_clusters=n,
        name=about.name,
        standard_error=math.sqrt(share * (1 - share) / n),
    )


def fleiss_kappa(
    first: Any,
    second: Any = None,
    *,
    kind: str = "nominal",
    categories: Sequence[Any] | None = None,
    weights: WeightsLike = None,
    convention: Convention = "gwet",
    listwise: bool = False,
    level: float = 0.95,
    variance: Variance = "gwet",
) -> FleissResult:
    """Return Fleiss' kappa: any raters, each item rated by some of them.

    kappa = (Po - Pe) / (1 - Pe): Po is the mean over items of the share of agreeing pairs of
    ratings, Pe = sum w_jk p_j p_k from the margins of all raters together. With two raters it is
    Scott's pi.

    Parameters
    ----------
    first : Ratings or array-like
        Ratings, a table of items x raters, or the first rater's ratings.
    second, kind, categories, weights
        As in `cohen_kappa`.
    convention : {"gwet", "pooled"}
        Margins where items have different numbers of ratings; see ``CONVENTIONS``.
    listwise : bool
        Use only the items that every rater rated.
    level : float
        Confidence level, in (0, 1).
    variance : {"gwet", "ratio"}
        Item-wise linearisation as published by Gwet, or with the number of comparable items
        counted as random. They differ only when items have a single rating, where the first is
        too wide.

    Returns
    -------
    FleissResult
        The interval is from the general variance and the t quantile with n_items - 1 degrees of
        freedom; the null standard error serves z and p only.

    References
    ----------
    Fleiss JL. Measuring nominal scale agreement among many raters. Psychol Bull
    1971;76:378-382. Fleiss JL, Nee JCM, Landis JR. Large sample variance of kappa in the case
    of different sets of raters. Psychol Bull 1979;86:974-977. Gwet KL. Computing inter-rater
    reliability and its variance in the presence of high agreement. Br J Math Stat Psychol
    2008;61:29-48.
    """
    ratings = as_ratings(first, second, kind=kind, categories=categories)
    check_categorical(ratings, "Fleiss kappa")
    if convention not in CONVENTIONS:
        raise ParameterError(
            f"unknown convention '{convention}'; {nearest(convention, CONVENTIONS)}"
        )
    used = complete_items(ratings) if listwise else ratings
    chosen = resolve_weights(weights, ratings)
    table = ItemTable.of(used, chosen)
    name = "Fleiss kappa" if chosen.unweighted else f"Fleiss kappa ({chosen.name})"
    about = about_items(name, ratings, table, checked_level(level))
    estimate, expected, error, z = _fleiss(table, about, convention, variance)
    return FleissResult(
        estimate=estimate,
        observed=1.0 - table.observed,
        expected=1.0 - expected,
        weights=chosen,
        n_categories=ratings.n_categories,
        categories_declared=ratings.declared,
        n_single=table.n_single,
        standard_error_null=error,
        z=z,
        p_value=two_sided_p(z),
        by_category=_by_category(used, table, about, convention, variance),
        convention=convention,
        n_excluded=ratings.n_items - used.n_items,
    )


def complete_items(ratings: Ratings) -> Ratings:
    """Return the items that every rater rated (listwise deletion).

    Raises
    ------
    ParameterError
        When no item is left.
    """
    kept = ratings.rows(~np.isnan(ratings.values).any(axis=1))
    if kept.n_items == 0:
        raise ParameterError(
            f"listwise deletion leaves no item: none of {ratings.n_items} was rated by all "
            f"{ratings.n_raters} raters."
        )
    return kept


def margin_weights(table: ItemTable, convention: Convention) -> np.ndarray:
    """Return the weight of each item in the margins, shape (n_items,), sum 1."""
    if convention == "gwet":
        return np.full(table.n_items, 1.0 / table.n_items)
    return table.n_ratings / table.n_ratings.sum()


def _fleiss(
    table: ItemTable, about: About, convention: Convention, variance: Variance
) -> tuple[Estimate, float, float, float]:
    """Return the estimate, chance disagreement, null standard error and z."""
    weight = margin_weights(table, convention)
    margin = weight @ table.shares
    chance = table.distance @ margin
    expected = float(margin @ chance)
    influence = 2.0 * table.n_items * weight * (table.shares @ chance - expected)
    estimate = table.estimate(about, expected, influence, variance)
    if not estimate.defined:
        return estimate, expected, math.nan, math.nan
    error = _null_error(table, weight, margin, expected)
    return estimate, expected, error, estimate.value / error if error > 0 else math.nan


def _null_error(table: ItemTable, weight: np.ndarray, margin: np.ndarray, expected: float) -> float:
    """Return the standard error when all ratings are drawn independently from the margins.

    The pair disagreement d(x, y) splits into its mean, two effects of single ratings and a
    remainder. Chance disagreement cancels the effects of single ratings where an item weighs as
    much in Po as in the margins, so with equal numbers of ratings only the remainder is left:
    Fleiss, Nee & Landis (1979). With unequal numbers the rest of the effects is added.
    """
    chance = table.distance @ margin
    remainder = table.distance - chance[:, None] - chance[None, :] + expected
    of_pairs = float(margin @ remainder**2 @ margin)
    of_ratings = float(margin @ (chance - expected) ** 2)
    number, m = table.comparable.sum(), table.n_ratings
    pairs = np.maximum(m * (m - 1.0), 1.0)
    left = table.comparable / number - weight
    variance = of_pairs * float(
        (2.0 * table.comparable / pairs).sum()
    ) / number**2 + of_ratings * float((4.0 * left**2 / m).sum())
    return math.sqrt(variance) / expected


def _by_category(
    ratings: Ratings, table: ItemTable, about: About, convention: Convention, variance: Variance
) -> pd.DataFrame:
    rows = []
    for place, label in enumerate(ratings.categories or ()):
        own = table.counts[:, place]
        against = np.column_stack([own, table.n_ratings - own])
        two = ItemTable(against, 1.0 - np.eye(2))
        estimate, _, error, z = _fleiss(two, about, convention, variance)
        reason = estimate.reason
        if not estimate.defined:
            reason = _one_sided_reason(two)
        rows.append(
            {
                "category": label,
                "value": estimate.value,
                "low": estimate.low,
                "high": estimate.high,
                "standard_error": estimate.standard_error,
                "standard_error_null": error,
                "z": z,
                "p_value": two_sided_p(z),
                "n_ratings": int(own.sum()),
                "reason": reason,
            }
        )
    return pd.DataFrame(rows)


def _one_sided_reason(table: ItemTable) -> str:
    if not table.comparable.any():
        return NO_PAIRS
    nobody = table.counts[:, 0].sum() == 0
    return "nobody used this category" if nobody else "every rating is this category"


def conger_kappa(
    first: Any,
    second: Any = None,
    *,
    kind: str = "nominal",
    categories: Sequence[Any] | None = None,
    weights: WeightsLike = None,
    level: float = 0.95,
    variance: Variance = "gwet",
) -> AgreementResult:
    """Return Conger's kappa: many raters, each with margins of their own.

    Chance agreement is the mean over pairs of raters of sum w_jk p_gj p_hk. With two raters it
    is Cohen's kappa. Parameters as in `fleiss_kappa`; raters must be identified.

    References
    ----------
    Conger AJ. Integration and generalization of kappas for multiple raters. Psychol Bull
    1980;88:322-328.
    """
    ratings = as_ratings(first, second, kind=kind, categories=categories)
    check_categorical(ratings, "Conger kappa")
    check_identified(ratings, "Conger kappa")
    chosen = resolve_weights(weights, ratings)
    table = ItemTable.of(ratings, chosen)
    name = "Conger kappa" if chosen.unweighted else f"Conger kappa ({chosen.name})"
    about = about_items(name, ratings, table, checked_level(level))
    expected, influence = _conger_chance(ratings, chosen.disagreement)
    return AgreementResult(
        estimate=table.estimate(about, expected, influence, variance),
        observed=1.0 - table.observed,
        expected=1.0 - expected,
        weights=chosen,
        n_categories=ratings.n_categories,
        categories_declared=ratings.declared,
        n_single=table.n_single,
    )


def _conger_chance(ratings: Ratings, distance: np.ndarray) -> tuple[float, np.ndarray]:
    """Return chance disagreement over pairs of raters, and the items' influence on it."""
    r, q, n = ratings.n_raters, ratings.n_categories, ratings.n_items
    rated = ~np.isnan(ratings.values)
    codes = np.where(rated, ratings.values, 0).astype(int)
    margins = np.stack([np.bincount(codes[rated[:, g], g], minlength=q) for g in range(r)])
    margins = margins / rated.sum(axis=0)[:, None]
    # What the other raters' margins make of each category of rater g, shape (r, q).
    chance = (margins.sum(axis=0)[None, :] - margins) @ distance
    own = (margins * chance).sum(axis=1)
    per_rating = np.where(rated, chance[np.arange(r)[None, :], codes] - own[None, :], 0.0)
    influence = 2.0 * (per_rating * (n / rated.sum(axis=0))[None, :]).sum(axis=1)
    return float(own.sum() / (r * (r - 1))), influence / (r * (r - 1))


def check_identified(ratings: Ratings, name: str) -> None:
    """Refuse counts, where it is not known who gave which rating."""
    if not ratings.identified:
        raise ParameterError(
            f"{name} needs to know which rater gave which rating, and these ratings came as "
            "counts per category; use Fleiss kappa."
        )


def pairwise_kappa(
    first: Any,
    *,
    kind: str = "nominal",
    categories: Sequence[Any] | None = None,
    weights: WeightsLike = None,
    level: float = 0.95,
) -> pd.DataFrame:
    """Return Cohen's kappa for every pair of raters, on the items both rated.

    Returns
    -------
    DataFrame
        Tidy, one row per pair: ``rater_a``, ``rater_b``, ``kappa``, ``standard_error``, ``low``,
        ``high``, ``n`` (items both rated), ``observed`` (percent agreement), ``reason``.
    """
    ratings = as_ratings(first, kind=kind, categories=categories)
    check_categorical(ratings, "pairwise kappa")
    check_identified(ratings, "pairwise kappa")
    chosen = resolve_weights(weights, ratings)
    rows = []
    for one, other in combinations(ratings.raters, 2):
        result = cohen_kappa(ratings.pair(one, other), weights=chosen, level=level)
        estimate = result.estimate
        rows.append(
            {
                "rater_a": one,
                "rater_b": other,
                "kappa": estimate.value,
                "standard_error": estimate.standard_error,
                "low": estimate.low,
                "high": estimate.high,
                "n": estimate.n_items,
                "observed": result.observed,
                "reason": estimate.reason,
            }
        )
    return pd.DataFrame(rows)


def mean_pairwise_kappa(
    first: Any,
    *,
    kind: str = "nominal",
    categories: Sequence[Any] | None = None,
    weights: WeightsLike = None,
    pairs: Sequence[tuple[str, str]] | None = None,
    level: float = 0.95,
) -> Estimate:
    """Return the mean of Cohen's kappa over pairs of raters (Light's kappa).

    Parameters
    ----------
    first, kind, categories, weights, level
        As in `fleiss_kappa`; raters must be identified.
    pairs : sequence of (str, str), optional
        The pairs that enter; all of them by default.

    Returns
    -------
    Estimate
        Mean over the pairs that have a kappa; the others are named in ``warnings``. The
        standard error adds, item by item, what the item does to every pair's kappa
        (Fleiss-Cohen-Everitt for one pair), so it knows that the pairs share items.

    References
    ----------
    Light RJ. Measures of response agreement for qualitative data: some generalizations and
    alternatives. Psychol Bull 1971;76:365-377.
    """
    ratings = as_ratings(first, kind=kind, categories=categories)
    check_categorical(ratings, "mean pairwise kappa")
    check_identified(ratings, "mean pairwise kappa")
    chosen = resolve_weights(weights, ratings)
    made = [
        (pair, *_pair_influence(ratings, pair, chosen.disagreement))
        for pair in chosen_pairs(ratings, pairs)
    ]
    lost = [pair for pair, value, _ in made if math.isnan(value)]
    about = About(
        f"mean pairwise {kappa_name(chosen)}",
        ratings.n_items,
        checked_level(level),
        ratings.clusters is not None,
        (f"no kappa for {_listed(lost)}; left out of the mean",) if lost else (),
    )
    values = [value for _, value, _ in made if not math.isnan(value)]
    if not values:
        return without_interval(about, math.nan, "no pair of raters has a kappa")
    mean = float(np.mean(values))
    influences = [influence for _, _, influence in made if influence is not None]
    if not influences:
        return without_interval(about, mean, "in every pair a rater used only one category")
    total = np.sum(influences, axis=0) / len(values)
    method = f"item-wise sum over pairs, {GENERAL_VARIANCE}"
    return symmetric_interval(about, mean, math.sqrt(float(total @ total)), method=method)


def chosen_pairs(
    ratings: Ratings, pairs: Sequence[tuple[str, str]] | None
) -> list[tuple[str, str]]:
    """Return pairs of raters, checked; all of them for None."""
    if pairs is None:
        return list(combinations(ratings.raters, 2))
    for one, other in pairs:
        for rater in (one, other):
            if rater not in ratings.raters:
                raise ParameterError(f"unknown rater '{rater}'; {nearest(rater, ratings.raters)}")
        if one == other:
            raise ParameterError(f"rater '{one}' cannot be paired with himself or herself.")
    if not pairs:
        raise ParameterError("there is no pair of raters.")
    return list(pairs)


def _listed(pairs: Sequence[tuple[str, str]]) -> str:
    shown = ", ".join(f"{one} and {other}" for one, other in pairs[:5])
    return shown + (f" and {len(pairs) - 5} more" if len(pairs) > 5 else "")


def _pair_influence(
    ratings: Ratings, pair: tuple[str, str], distance: np.ndarray
) -> tuple[float, np.ndarray | None]:
    """Return a pair's kappa, and the influence of the items on it divided by the pair's items.

    No influence when kappa is undefined or a rater never varies.
    """
    columns = [ratings.raters.index(rater) for rater in pair]
    values = np.take(ratings.values, columns, axis=1)
    both = ~np.isnan(values).any(axis=1)
    counts = contingency(replace(ratings, values=values, raters=pair))
    value, error = kappa_with_error(counts, distance)
    if math.isnan(error):
        return value, None
    influence = np.zeros(ratings.n_items)
    cells = values[both].astype(int)
    influence[both] = cell_influence(counts, distance)[cells[:, 0], cells[:, 1]] / both.sum()
    return value, influence
