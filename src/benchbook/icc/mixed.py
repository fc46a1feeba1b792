"""Variance components by restricted maximum likelihood, for tables with missing cells."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from ..errors import ParameterError
from ..estimate import Estimate, undefined
from ..ratings import Ratings
from ..resampling.checks import checked_level
from .anova import two_way_anova
from .components import VarianceComponents
from .forms import icc_form
from .intervals import spearman_brown
from .one_way import one_way_anova
from .profile import profile_bounds
from .reml import CrossedDesign, Fit, best_fit, fit_at
from .scores import as_scores, rounding_floor

MixedModelKind = Literal["two-way", "one-way"]


@dataclass(frozen=True, eq=False)
class MixedModel:
    """Scores as a mean, a random item, a random rater and an error, fitted by REML.

    Attributes
    ----------
    components : VarianceComponents
        Never negative; NaN when there is a ``reason``.
    mean, mean_standard_error : float
        The general mean and its standard error (generalised least squares).
    deviance : float
        Minus twice the restricted log-likelihood at the optimum; NaN when it has no maximum.
    n_items, n_raters, n_scores : int
        What the model was fitted to. Every score counts, complete item or not.
    boundary : tuple of str
        Components whose estimate is exactly zero.
    model : {"two-way", "one-way"}
        With or without a rater effect.
    reason : str or None
        Why there are no components.
    """

    components: VarianceComponents
    mean: float
    mean_standard_error: float
    deviance: float
    n_items: int
    n_raters: int
    n_scores: int
    boundary: tuple[str, ...]
    model: MixedModelKind
    reason: str | None = None
    _fit: Fit | None = field(default=None, repr=False)

    def icc(
        self, form: str, *, k: float | None = None, level: float = 0.95, interval: bool = True
    ) -> Estimate:
        """Return an intraclass correlation of the fitted components.

        Parameters
        ----------
        form : str
            ``"ICC(2,1)"``, ``"ICC(3,1)"`` or their averages from a two-way model, ``"ICC(1,1)"``
            or ``"ICC(1,k)"`` from a one-way model.
        k : float, optional
            Raters averaged in the forms for a mean; the number of raters by default.
        level : float
            Confidence level, in (0, 1).
        interval : bool
            Whether to make the interval, which takes longer than the fit.

        Returns
        -------
        Estimate
            With the interval of the profile of the restricted likelihood: the values whose
            profile deviance is within chi-squared (1 df) of the minimum.

        Notes
        -----
        The chi-squared calibration is asymptotic in items and in raters. In simulated tables of
        2 to 20 raters and 10 to 100 items, up to 30 % of the cells missing, 95 % intervals held
        the true ICC in 93 to 97 % of 600 tables each, and in 98 % where the ICC was near zero.
        """
        return _mixed_icc(self, form, k, checked_level(level), interval)


def mixed_model(data: Any, *, model: MixedModelKind = "two-way") -> MixedModel:
    """Fit crossed random effects of items and raters by REML; missing cells are no obstacle.

    Parameters
    ----------
    data : Ratings or array-like of shape (n_items, n_raters)
        Scores, missing cells NaN. Scores are taken as missing at random: which raters scored an
        item may depend on scores that are there, not on those that are not.
    model : {"two-way", "one-way"}
        With a rater effect, or without one, when columns are not raters or each item has raters
        of its own.

    Returns
    -------
    MixedModel
        On a complete table whose ANOVA components are not negative, REML gives those components
        exactly, and they are taken from there.

    Raises
    ------
    ParameterError
        Nominal ratings, an unknown model, a two-way model when columns are not raters.

    References
    ----------
    Patterson HD, Thompson R (1971). Recovery of inter-block information when block sizes are
    unequal. Biometrika 58:545-554.
    Henderson CR (1975). Best linear unbiased estimation and prediction under a selection model.
    Biometrics 31:423-447 (the mixed-model equations).
    Bates D, Maechler M, Bolker B, Walker S (2015). Fitting linear mixed-effects models using
    lme4. Journal of Statistical Software 67(1), equations 34-41 (the profiled criterion).
    """
    if model not in ("two-way", "one-way"):
        raise ParameterError(f"unknown model '{model}'; expected 'two-way' or 'one-way'.")
    scores = as_scores(data)
    if model == "two-way" and not scores.identified:
        raise ParameterError("a rater effect needs identified raters; use model='one-way'.")
    design = CrossedDesign(scores.values, two_way=model == "two-way")
    reason = _why_not(scores, design)
    if reason is not None:
        raters = math.nan if design.two_way else None
        nothing = VarianceComponents(math.nan, raters, math.nan, "REML")
        return _unfitted(scores, model, nothing, reason)
    exact = _closed_form(scores, model)
    if exact is not None and exact.error == 0:
        return _unfitted(scores, model, exact, None)
    if exact is None:
        return _fitted(scores, model, best_fit(design))
    raters = 0.0 if exact.raters is None else exact.raters
    ratios = np.array([exact.items, raters]) / exact.error
    return _fitted(scores, model, fit_at(design, ratios))


def _why_not(scores: Ratings, design: CrossedDesign) -> str | None:
    """Return why the model cannot be fitted, None when it can."""
    if scores.n_items < 2:
        return "there is only one item"
    if scores.n_raters < 2:
        return "there is only one rater, and agreement needs two"
    floor = rounding_floor(scores.values, design.n_scores)
    if design.total_sum_of_squares() <= floor:
        return "all scores are equal, so there is no variance to share out"
    effects = "items, raters and error" if design.two_way else "items and error"
    if design.residual_df() <= 0:
        return f"{design.n_scores} scores are too few to tell {effects} apart"
    if not scores.complete and design.residual_sum_of_squares() <= floor:
        what = "item plus rater" if design.two_way else "the item's value"
        return f"the scores are exactly {what}: without error the likelihood has no maximum"
    return None


def _closed_form(scores: Ratings, model: MixedModelKind) -> VarianceComponents | None:
    """Return the ANOVA components where they are the REML ones, None elsewhere."""
    if not scores.complete:
        return None
    source = two_way_anova(scores) if model == "two-way" else one_way_anova(scores)
    components = source.components
    return None if components.negative else replace(components, method="REML")


def _unfitted(
    scores: Ratings, model: MixedModelKind, components: VarianceComponents, reason: str | None
) -> MixedModel:
    return MixedModel(
        components=components,
        mean=float(np.nanmean(scores.values)),
        mean_standard_error=math.nan,
        deviance=math.nan,
        n_items=scores.n_items,
        n_raters=scores.n_raters,
        n_scores=int((~np.isnan(scores.values)).sum()),
        boundary=components.zero,
        model=model,
        reason=reason,
    )


def _fitted(scores: Ratings, model: MixedModelKind, fit: Fit) -> MixedModel:
    return MixedModel(
        components=fit.components,
        mean=fit.mean,
        mean_standard_error=fit.mean_standard_error,
        deviance=fit.deviance,
        n_items=scores.n_items,
        n_raters=scores.n_raters,
        n_scores=fit.design.n_scores,
        boundary=fit.components.zero,
        model=model,
        _fit=fit,
    )


def _mixed_icc(
    model: MixedModel, form: str, k: float | None, level: float, interval: bool
) -> Estimate:
    chosen = icc_form(form)
    averaged = float(model.n_raters if k is None else k)
    if not averaged >= 1:
        raise ParameterError(f"k is {k!r}; expected a number of raters of at least 1.")
    described: dict[str, Any] = {
        "name": chosen.name,
        "level": level,
        "n_items": model.n_items,
        "n_clusters": model.n_items,
    }
    value = model.components.icc(chosen.name, averaged)
    if math.isnan(value):
        reason = model.reason or "items, raters and error that count here have no variance"
        return undefined(reason, **described)
    if model._fit is None:
        reason = "no error variance: the likelihood has no maximum"
        return Estimate(value=value, method="REML", reason=reason, **described)
    if not interval:
        return Estimate(value=value, method="REML", reason="not asked for", **described)
    low, high = profile_bounds(model._fit, chosen, level)
    if chosen.average:
        low, high = spearman_brown(low, averaged), spearman_brown(high, averaged)
    at_zero = ("the item variance is estimated as zero",) if value == 0 else ()
    method = "REML, profile likelihood"
    return Estimate(value=value, low=low, high=high, method=method, warnings=at_zero, **described)
