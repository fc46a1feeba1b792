"""Scores: intraclass correlations, error in the unit of the score, two methods compared."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd

from benchbook.agreement import krippendorff_alpha
from benchbook.estimate import Estimate
from benchbook.icc import (
    BlandAltman,
    IntraclassCorrelations,
    MeasurementError,
    MixedModel,
    bland_altman,
    bland_altman_statistic,
    ccc_statistic,
    concordance,
    icc_statistic,
    intraclass_correlations,
    measurement_error,
    mixed_model,
    sem_statistic,
    slope_statistic,
    spearman,
)
from benchbook.ratings import Ratings
from benchbook.resampling import Distribution, SumsStatistic, resample_many

from .coefficients import Coefficient, over_clusters
from .parameters import Parameters
from .studies import Study, shared_pairs

FORMS = ("ICC(1,1)", "ICC(2,1)", "ICC(3,1)", "ICC(1,k)", "ICC(2,k)", "ICC(3,k)")
MOST_PAIRS = 15


@dataclass(frozen=True, eq=False)
class Scores:
    """What a study of scores gives.

    Attributes
    ----------
    study : Study
        The ratings and where they come from.
    parameters : Parameters
        Level, resamples and seed.
    """

    study: Study
    parameters: Parameters

    @cached_property
    def complete(self) -> int:
        """Number of items that every rater scored."""
        return int((~_any_missing(self.study)).sum())

    @cached_property
    def analysis(self) -> IntraclassCorrelations | None:
        """The six forms on items that every rater scored; None with fewer than two."""
        if self.complete < 2:
            return None
        return intraclass_correlations(self.study.ratings, level=self.parameters.level)

    @cached_property
    def error(self) -> MeasurementError | None:
        """Standard error of measurement and minimal detectable change."""
        if self.analysis is None:
            return None
        found = measurement_error(self.study.ratings, level=self.parameters.level)
        if self.study.ratings.clusters is None:
            return found
        kept = self.study.ratings.rows(~_any_missing(self.study))
        changed: dict[str, Any] = {}
        for definition in DEFINITIONS:
            if definition == "consistency" and not kept.identified:
                continue
            sem = getattr(found, f"sem_{definition}")
            made = self.over_clusters(kept, sem, sem_statistic(kept, definition))
            changed[f"sem_{definition}"] = made
            change = getattr(found, f"mdc_{definition}")
            factor = change.value / sem.value if sem.value > 0 else 0.0
            low, high = factor * made.low, factor * made.high
            # Errors of the bounds are those of the standard error, and are left with it.
            changed[f"mdc_{definition}"] = replace(
                made,
                value=change.value,
                low=low,
                high=high,
                name=change.name,
                standard_error=math.nan,
                monte_carlo_error=(math.nan, math.nan),
            )
        return replace(found, **changed)

    @cached_property
    def mixed(self) -> MixedModel | None:
        """The mixed model on all scores, fitted when cells are missing."""
        if not self.study.ratings.n_missing:
            return None
        return mixed_model(self.study.ratings)

    @cached_property
    def alpha(self) -> Estimate:
        """Krippendorff's α at the interval level, which uses every item scored twice."""
        return krippendorff_alpha(
            self.study.ratings, metric="interval", level=self.parameters.level
        ).estimate

    @cached_property
    def distributions(self) -> dict[str, Distribution]:
        """Bootstrap distributions of the six forms over items or clusters."""
        if self.analysis is None:
            return {}
        # The sums need complete items; the study's clusters are cut to the same items.
        kept = self.study.ratings.rows(~_any_missing(self.study))
        drawn = resample_many(
            [icc_statistic(kept, form) for form in FORMS],
            cluster=kept.clusters,
            unit=self.study.unit,
            n_resamples=self.parameters.n_resamples,
            seed=self.parameters.seed,
        )
        return dict(zip(FORMS, drawn, strict=True))

    @cached_property
    def coefficients(self) -> dict[str, Coefficient]:
        """The six forms with analytic and bootstrap intervals."""
        if self.analysis is None:
            return {}
        clustered = self.study.ratings.clusters is not None
        return {
            form: Coefficient(
                form,
                self.analysis[form].estimate,
                self.distributions[form],
                self.parameters.level,
                clustered,
            )
            for form in FORMS
        }

    @cached_property
    def headline(self) -> Estimate:
        """The form that the guide recommends: from all scores where cells are missing."""
        form = "ICC(3,1)" if self.study.recommendation.key == "icc_3_1" else "ICC(2,1)"
        if self.mixed is not None:
            return self.mixed.icc(form, level=self.parameters.level)
        return self.coefficients[form].reported

    @property
    def form(self) -> str:
        """Name of the recommended form in full."""
        relative = self.study.recommendation.key == "icc_3_1"
        name = (
            "ICC(3,1), two-way mixed, single rater, consistency"
            if relative
            else "ICC(2,1), two-way random, single rater, absolute agreement"
        )
        return f"{name}, mixed model" if self.mixed is not None else name

    def over_clusters(
        self, pair: Ratings, analytic: Estimate, statistic: SumsStatistic
    ) -> Estimate:
        """Return a statistic of two raters with the interval of the page."""
        return over_clusters(
            replace(self.study, ratings=pair), self.parameters, analytic, statistic
        )

    def icc_table(self) -> pd.DataFrame:
        """Return one row per form, the mixed-model estimates below when cells are missing."""
        rows = [] if self.analysis is None else [self._icc_row(form) for form in FORMS]
        if self.mixed is not None:
            rows += [self._mixed_row(form) for form in ("ICC(2,1)", "ICC(3,1)")]
        return pd.DataFrame(rows)

    def _icc_row(self, form: str) -> dict[str, Any]:
        assert self.analysis is not None
        result, drawn = self.analysis[form], self.coefficients[form].bootstrap()
        reported = self.coefficients[form].reported
        return {
            "data": self.study.title,
            "form": form,
            "also": result.mcgraw_wong,
            "in words": result.full_name,
            "value": reported.value,
            "low": reported.low,
            "high": reported.high,
            "bootstrap low": drawn.low,
            "bootstrap high": drawn.high,
            "F": result.f,
            "df1": float(result.df1),
            "df2": float(result.df2),
            "p": result.p,
            "items": reported.n_items,
            "unit": self.study.unit,
            "interval": reported.method,
            "reason": reported.reason or "",
        }

    def _mixed_row(self, form: str) -> dict[str, Any]:
        assert self.mixed is not None
        made = self.mixed.icc(form, level=self.parameters.level)
        return {
            "data": self.study.title,
            "form": f"{form}, REML",
            "also": "mixed model, all scores",
            "in words": made.name,
            "value": made.value,
            "low": made.low,
            "high": made.high,
            "bootstrap low": math.nan,
            "bootstrap high": math.nan,
            "F": math.nan,
            "df1": math.nan,
            "df2": math.nan,
            "p": math.nan,
            "items": made.n_items,
            "unit": "item",
            "interval": made.method,
            "reason": made.reason or "",
        }

    def component_rows(self) -> list[dict[str, Any]]:
        """Return variance components, SEM and minimal detectable change, one row per method."""
        rows = []
        if self.analysis is not None and self.error is not None:
            parts = self.analysis.components
            rows.append(
                {
                    "data": self.study.title,
                    "method": "analysis of variance",
                    "items": parts.items,
                    "raters": parts.raters,
                    "error": parts.error,
                    "SEM, agreement": self.error.sem_agreement.value,
                    "SEM, consistency": self.error.sem_consistency.value,
                    "MDC, agreement": self.error.mdc_agreement.value,
                    "MDC, consistency": self.error.mdc_consistency.value,
                }
            )
        if self.mixed is not None:
            parts = self.mixed.components
            rows.append(
                {
                    "data": self.study.title,
                    "method": "mixed model (REML)",
                    "items": parts.items,
                    "raters": parts.raters,
                    "error": parts.error,
                    "SEM, agreement": math.sqrt(max((parts.raters or 0.0) + parts.error, 0.0)),
                    "SEM, consistency": math.sqrt(max(parts.error, 0.0)),
                }
            )
        return rows

    @cached_property
    def pairs(self) -> list[tuple[str, str]]:
        """Pairs of raters to compare, those that share most items first; at most MOST_PAIRS."""
        return shared_pairs(self.study.ratings)[:MOST_PAIRS]

    @cached_property
    def limits(self) -> BlandAltman:
        """Bland–Altman analysis of the first pair of raters."""
        return self.limits_of(*self.pairs[0])

    def limits_of(self, first: str, second: str) -> BlandAltman:
        """Bland–Altman analysis of a pair: differences are the first minus the second."""
        pair = self.study.ratings.pair(first, second)
        found = bland_altman(pair, level=self.parameters.level)
        if pair.clusters is None:
            return found
        parts: dict[str, Any] = {
            part: self.over_clusters(
                pair, getattr(found, part), bland_altman_statistic(pair, part=part)
            )
            for part in LIMITS
        }
        return replace(found, **parts)

    def comparison_row(self, first: str, second: str) -> dict[str, Any]:
        """Return bias, limits, Lin's coefficient and Spearman's ρ of a pair of raters.

        ρ has no form as a function of sums here, so that where items are clustered it carries no
        interval.
        """
        found = self.limits_of(first, second)
        pair = self.study.ratings.pair(first, second)
        lin = concordance(pair, level=self.parameters.level).ccc
        rho = spearman(pair, level=self.parameters.level)
        if pair.clusters is not None:
            rho = without_interval(rho)
        return {
            "data": self.study.title,
            "first − second": f"{first} − {second}",
            "items": found.n,
            "bias": found.bias,
            "lower limit": found.lower,
            "upper limit": found.upper,
            "slope": self.over_clusters(pair, found.slope, slope_statistic(pair)),
            "CCC": self.over_clusters(pair, lin, ccc_statistic(pair)),
            "Spearman ρ": rho,
        }


DEFINITIONS: tuple[Literal["agreement", "consistency"], ...] = ("agreement", "consistency")
LIMITS: tuple[Literal["bias", "lower", "upper"], ...] = ("bias", "lower", "upper")


def without_interval(estimate: Estimate) -> Estimate:
    """Return the value alone: its interval takes clustered items for independent."""
    return replace(estimate, low=math.nan, high=math.nan)


def _any_missing(study: Study) -> np.ndarray:
    return np.isnan(study.ratings.values).any(axis=1)
