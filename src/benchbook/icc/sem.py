"""Standard error of measurement and minimal detectable change."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from ..estimate import Estimate, undefined
from ..resampling.checks import checked_level
from .anova import TwoWayAnova, two_way_anova
from .coefficients import satterthwaite
from .components import VarianceComponents
from .quantiles import chi2_quantile, z_quantile


@dataclass(frozen=True, eq=False)
class MeasurementError:
    """How far a score is from the item's true one, in the units of the score.

    Attributes
    ----------
    sem_agreement : Estimate
        Standard error of measurement with rater differences counted as error:
        sqrt(raters + error), which equals sqrt(MSW).
    sem_consistency : Estimate
        Standard error of measurement without them: sqrt(error) = sqrt(MSE). With few raters who
        differ, it is too small for anybody who takes a score from one of them.
    mdc_agreement, mdc_consistency : Estimate
        Minimal detectable change: the difference of two scores of one item that chance alone
        exceeds with probability 1 - ``mdc_level``.
    mdc_level : float
        Confidence of the minimal detectable change.
    components : VarianceComponents
        Variance components of the two-way analysis.
    """

    sem_agreement: Estimate
    sem_consistency: Estimate
    mdc_agreement: Estimate
    mdc_consistency: Estimate
    mdc_level: float
    components: VarianceComponents


def measurement_error(
    data: Any, *, level: float = 0.95, mdc_level: float = 0.95
) -> MeasurementError:
    """Return the standard error of measurement and the minimal detectable change.

    Parameters
    ----------
    data : Ratings or array-like of shape (n_items, n_raters)
        Scores; only items every rater scored are used.
    level : float
        Confidence level of the intervals, in (0, 1).
    mdc_level : float
        Confidence of the minimal detectable change, in (0, 1): 0.95 gives the factor 1.96.

    Notes
    -----
    MDC = z sqrt(2) SEM. Intervals come from chi-squared, for the agreement version with
    Satterthwaite degrees of freedom, which are few when there are few raters.

    References
    ----------
    Weir JP (2005). Quantifying test-retest reliability using the intraclass correlation
    coefficient and the SEM. Journal of Strength and Conditioning Research 19:231-240.
    de Vet HCW, Terwee CB, Knol DL, Bouter LM (2006). When to use agreement versus reliability
    measures. Journal of Clinical Epidemiology 59:1033-1039.
    """
    anova = two_way_anova(data)
    level, mdc_level = checked_level(level), checked_level(mdc_level)
    agreement, consistency = _agreement(anova, level), _consistency(anova, level)
    factor = math.sqrt(2) * z_quantile((1 + mdc_level) / 2)
    return MeasurementError(
        sem_agreement=agreement,
        sem_consistency=consistency,
        mdc_agreement=_scaled(agreement, factor, "minimal detectable change, agreement"),
        mdc_consistency=_scaled(consistency, factor, "minimal detectable change, consistency"),
        mdc_level=mdc_level,
        components=anova.components,
    )


def _agreement(anova: TwoWayAnova, level: float) -> Estimate:
    name = "standard error of measurement, agreement"
    if anova.reason is not None:
        return _none(anova.reason, name, anova, level)
    if not anova.identified:
        return _root(anova.ms_within, anova.df_within, "chi-squared", name, anova, level)
    n = anova.n_items
    parts = (anova.ms_raters / n, anova.ms_error * (n - 1) / n)
    df = satterthwaite(parts, (anova.df_raters, anova.df_error))
    method = "chi-squared with Satterthwaite df"
    return _root(anova.ms_within, df, method, name, anova, level)


def _consistency(anova: TwoWayAnova, level: float) -> Estimate:
    name = "standard error of measurement, consistency"
    if anova.reason is not None:
        return _none(anova.reason, name, anova, level)
    if not anova.identified:
        reason = "columns are not raters, so rater differences cannot be taken out"
        return _none(reason, name, anova, level)
    return _root(anova.ms_error, anova.df_error, "chi-squared", name, anova, level)


def _none(reason: str, name: str, anova: TwoWayAnova, level: float) -> Estimate:
    return undefined(
        reason, name=name, level=level, n_items=anova.n_items, n_clusters=anova.n_items
    )


def _root(
    variance: float, df: float, method: str, name: str, anova: TwoWayAnova, level: float
) -> Estimate:
    """Return the square root of a variance estimate with its chi-squared interval."""
    tail = (1 - level) / 2
    low = high = 0.0
    warnings: tuple[str, ...] = ("there is no such error in these scores: no interval width",)
    if variance > 0:
        low = math.sqrt(variance * df / chi2_quantile(1 - tail, df))
        high = math.sqrt(variance * df / chi2_quantile(tail, df))
        warnings = ()
    return Estimate(
        value=math.sqrt(variance),
        low=low,
        high=high,
        level=level,
        method=method,
        n_items=anova.n_items,
        n_clusters=anova.n_items,
        name=name,
        warnings=warnings,
    )


def _scaled(estimate: Estimate, factor: float, name: str) -> Estimate:
    return replace(
        estimate,
        value=estimate.value * factor,
        low=estimate.low * factor,
        high=estimate.high * factor,
        name=name,
    )
