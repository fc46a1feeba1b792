"""Nominal and ordinal ratings: every coefficient with its intervals, and what explains it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import pandas as pd

from benchbook.agreement import (
    KappaResult,
    ac_statistic,
    alpha_statistic,
    brennan_prediger,
    brennan_prediger_statistic,
    cohen_kappa,
    fleiss_kappa,
    fleiss_statistic,
    gwet_ac,
    kappa_statistic,
    krippendorff_alpha,
    leave_one_rater_out,
    mean_pairwise_kappa,
    mean_pairwise_kappa_statistic,
    percent_agreement,
    percent_agreement_statistic,
)
from benchbook.estimate import Estimate, estimate_of
from benchbook.ratings import Ratings
from benchbook.resampling import Distribution, SumsStatistic, resample, resample_many

from .parameters import Parameters
from .studies import Study
from .wording import symbol

BOOTSTRAP_METHODS = ("percentile", "basic", "bca")


@dataclass(frozen=True, eq=False)
class Coefficient:
    """One coefficient of one study with all its intervals.

    Attributes
    ----------
    key : str
        Stable name: ``kappa``, ``weighted_kappa``, ``fleiss``, ``alpha``, ``ac``, …
    analytic : Estimate
        With the analytic interval, where there is one.
    distribution : Distribution
        Its bootstrap distribution over items or clusters.
    level : float
        Confidence level.
    clustered : bool
        True when clusters above the item were resampled.
    """

    key: str
    analytic: Estimate
    distribution: Distribution
    level: float
    clustered: bool

    def bootstrap(self, method: str = "percentile") -> Estimate:
        """Return the estimate with a bootstrap interval."""
        return replace(self.distribution.interval(method, self.level), name=self.analytic.name)

    @cached_property
    def reported(self) -> Estimate:
        """The estimate of the page: analytic where it is valid, else bootstrapped.

        An analytic interval takes items for independent; where items are clustered the
        percentile interval over clusters is reported. Where the analytic interval is refused
        (a rater who never varies, a single item), no bootstrap takes its place: it would have
        no width.
        """
        if self.clustered and (self.analytic.has_interval or not self.analytic.defined):
            return self.bootstrap()
        return self.analytic


Maker = tuple[str, Callable[[Ratings], Any], Callable[[Ratings], SumsStatistic]]


def makers(study: Study, parameters: Parameters) -> list[Maker]:
    """Return key, analytic estimate and bootstrap statistic of each coefficient that fits."""
    level = parameters.level
    weights = parameters.weights if study.ordinal else None
    chosen: list[Maker] = [
        ("percent", lambda r: percent_agreement(r, level=level), percent_agreement_statistic)
    ]
    if study.two:
        chosen.append(("kappa", lambda r: cohen_kappa(r, level=level), kappa_statistic))
        if study.ordinal:
            chosen.append(
                (
                    "weighted_kappa",
                    lambda r: cohen_kappa(r, weights=weights, level=level),
                    lambda r: kappa_statistic(r, weights=weights),
                )
            )
    else:
        chosen.append(("fleiss", lambda r: fleiss_kappa(r, level=level), fleiss_statistic))
    if study.paired:
        chosen.append(
            (
                "pairwise",
                lambda r: mean_pairwise_kappa(r, weights=weights, level=level),
                lambda r: mean_pairwise_kappa_statistic(r, weights=weights),
            )
        )
    chosen.append(("alpha", lambda r: krippendorff_alpha(r, level=level), alpha_statistic))
    chosen.append(
        (
            "ac",
            lambda r: gwet_ac(r, weights=weights, level=level),
            lambda r: ac_statistic(r, weights=weights),
        )
    )
    chosen.append(
        (
            "brennan_prediger",
            lambda r: brennan_prediger(r, weights=weights, level=level),
            lambda r: brennan_prediger_statistic(r, weights=weights),
        )
    )
    return chosen


def coefficients(study: Study, parameters: Parameters) -> dict[str, Coefficient]:
    """Return every coefficient of a categorical study, by key, on shared resamples."""
    chosen = makers(study, parameters)
    ratings = study.ratings
    distributions = resample_many(
        [statistic(ratings) for _, _, statistic in chosen],
        cluster=ratings.clusters,
        unit=study.unit,
        n_resamples=parameters.n_resamples,
        seed=parameters.seed,
    )
    return {
        key: Coefficient(
            key,
            estimate_of(analytic(ratings)),
            distribution,
            parameters.level,
            ratings.clusters is not None,
        )
        for (key, analytic, _), distribution in zip(chosen, distributions, strict=True)
    }


HEADLINE = {
    "cohen_kappa": "kappa",
    "weighted_kappa": "weighted_kappa",
    "fleiss_kappa": "fleiss",
    "krippendorff_alpha": "alpha",
}


def headline(study: Study, found: dict[str, Coefficient]) -> Coefficient:
    """Return the coefficient that the guide recommends for the study."""
    key = HEADLINE.get(study.recommendation.key, "alpha")
    return found.get(key) or next(iter(found.values()))


def coefficient_table(study: Study, found: dict[str, Coefficient]) -> pd.DataFrame:
    """Return one row per coefficient: value, reported interval, bootstrap and how it was made."""
    rows = []
    for key, one in found.items():
        reported, drawn = one.reported, one.bootstrap()
        rows.append(
            {
                "data": study.title,
                "coefficient": symbol(reported.name),
                "value": reported.value,
                "low": reported.low,
                "high": reported.high,
                "interval": reported.method,
                "bootstrap low": drawn.low,
                "bootstrap high": drawn.high,
                "Monte-Carlo error low": drawn.monte_carlo_error[0],
                "Monte-Carlo error high": drawn.monte_carlo_error[1],
                "items": reported.n_items,
                "clusters": drawn.n_clusters,
                "unit": study.unit,
                "undefined resamples": drawn.n_undefined,
                "standard error": reported.standard_error,
                "reason": reported.reason or "",
                "key": key,
            }
        )
    return pd.DataFrame(rows)


def kappa_row(study: Study, result: KappaResult, reported: Estimate) -> dict[str, Any]:
    """Return κ of two raters with everything that must stand beside it.

    The standard errors and the test take items for independent, so they are left out where
    clusters are resampled.
    """
    clustered = study.ratings.clusters is not None
    indices = (result.prevalence_index, result.bias_index)
    return {
        "data": study.title,
        "weights": result.weights.name,
        "value": reported.value,
        "low": reported.low,
        "high": reported.high,
        "P_o": result.observed,
        "P_e": result.expected,
        "SE": math.nan if clustered else result.standard_error,
        "SE under κ = 0": math.nan if clustered else result.standard_error_null,
        "z": math.nan if clustered else result.z,
        "p": math.nan if clustered else result.p_value,
        "prevalence index": math.nan if indices[0] is None else indices[0],
        "bias index": math.nan if indices[1] is None else indices[1],
        "PABAK (Brennan–Prediger beyond two categories)": result.pabak,
        "maximum κ": result.maximum,
        "items": reported.n_items,
        "left out": result.n_excluded,
        "reason": reported.reason or "",
    }


def over_clusters(
    study: Study, parameters: Parameters, analytic: Estimate, statistic: SumsStatistic
) -> Estimate:
    """Return an estimate with the interval of the page: resampled where items are clustered."""
    clusters = study.ratings.clusters
    if clusters is None or not analytic.defined:
        return analytic
    drawn = resample(
        statistic,
        cluster=clusters,
        unit=study.unit,
        n_resamples=parameters.n_resamples,
        seed=parameters.seed,
    )
    return replace(drawn.interval("percentile", parameters.level), name=analytic.name)


def category_rows(study: Study, parameters: Parameters) -> pd.DataFrame:
    """Return Fleiss' κ of each category against all others, clusters resampled where given."""
    result = fleiss_kappa(study.ratings, level=parameters.level)
    frame = result.by_category.assign(data=study.title)
    if study.ratings.clusters is None:
        return frame
    counts = study.ratings.counts()
    for place in range(study.ratings.n_categories):
        one = counts[:, place]
        against = Ratings.from_counts(
            pd.DataFrame({"this": one, "others": counts.sum(axis=1) - one}),
            clusters=study.ratings.clusters,
        )
        made = over_clusters(
            replace(study, ratings=against),
            parameters,
            fleiss_kappa(against, level=parameters.level).estimate,
            fleiss_statistic(against),
        )
        frame.loc[place, ["low", "high"]] = [made.low, made.high]
    # The test takes items for independent.
    return frame.assign(standard_error_null=math.nan, z=math.nan, p_value=math.nan)


def influence_of(study: Study, key: str) -> pd.DataFrame:
    """Return the headline coefficient without each rater in turn."""
    statistic = {"fleiss": "fleiss", "alpha": "alpha", "ac": "ac"}.get(key, "alpha")
    return leave_one_rater_out(study.ratings, statistic)
