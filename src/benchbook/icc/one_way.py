"""The one-way intraclass correlation of items with unequal numbers of scores."""

from __future__ import annotations

import math
from typing import Any, Literal

from ..errors import ParameterError, nearest
from ..estimate import Estimate, undefined
from ..resampling.checks import checked_level
from .anova import OneWayAnova, one_way_anova
from .coefficients import ICCResult
from .forms import FORMS
from .intervals import Bounds, f_bounds

OneWayInterval = Literal["thomas-hultquist", "n0"]
ONE_WAY_INTERVALS: tuple[OneWayInterval, ...] = ("thomas-hultquist", "n0")


def one_way_icc(
    data: Any, *, level: float = 0.95, interval: OneWayInterval = "thomas-hultquist"
) -> ICCResult:
    """Return ICC(1,1) from all scores, however many each item has.

    Parameters
    ----------
    data : Ratings or array-like of shape (n_items, n_raters)
        Scores, missing cells NaN. Who gave a score is not used.
    level : float
        Confidence level, in (0, 1).
    interval : {"thomas-hultquist", "n0"}
        F interval around the unweighted item means with the harmonic mean of the numbers of
        scores (the default, the more accurate when these differ much), or the balanced formula
        with n0 in place of k. With equal numbers both are the exact interval of ICC(1,1).

    Returns
    -------
    ICCResult
        Value by ANOVA, (MSB - MSW) / (MSB + (n0 - 1) MSW), and the F test of no item
        differences, which is exact for unequal numbers too.

    References
    ----------
    Donner A (1986). A review of inference procedures for the intraclass correlation coefficient
    in the one-way random effects model. International Statistical Review 54:67-82.
    Thomas JD, Hultquist RA (1978). Interval estimation for the unbalanced case of the one-way
    random effects model. Annals of Statistics 6:582-587.
    """
    if interval not in ONE_WAY_INTERVALS:
        raise ParameterError(
            f"unknown interval '{interval}'; {nearest(str(interval), ONE_WAY_INTERVALS)}"
        )
    anova = one_way_anova(data)
    estimate = _estimate(anova, checked_level(level), interval)
    known = estimate.defined
    form = FORMS["ICC(1,1)"]
    return ICCResult(
        form=form.name,
        mcgraw_wong=form.mcgraw_wong,
        full_name=form.full_name,
        estimate=estimate,
        f=anova.f if known else math.nan,
        df1=anova.df_between,
        df2=anova.df_within,
        p=anova.p if known else math.nan,
    )


def _estimate(anova: OneWayAnova, level: float, interval: OneWayInterval) -> Estimate:
    described: dict[str, Any] = {
        "level": level,
        "n_items": anova.n_items,
        "n_clusters": anova.n_items,
        "name": "ICC(1,1)",
    }
    reason = _why_undefined(anova)
    if reason is not None:
        return undefined(reason, **described)
    value = anova.components.icc("ICC(1,1)")
    bounds = _bounds(anova, level, interval)
    return Estimate(
        value=value,
        low=bounds.low,
        high=bounds.high,
        method=bounds.method,
        warnings=bounds.warnings,
        **described,
    )


def _why_undefined(anova: OneWayAnova) -> str | None:
    if anova.n_items < 2:
        return "there is only one item"
    if anova.df_within < 1:
        return "no item has two scores"
    if anova.ss_between == anova.ss_within == 0:
        return "all scores are equal, so there is no variance to share out"
    return None


def _bounds(anova: OneWayAnova, level: float, interval: OneWayInterval) -> Bounds:
    between, size, method = anova.ms_between, anova.size, "F with n0 scores per item"
    if interval == "thomas-hultquist":
        size = anova.harmonic_size
        between, method = size * anova.ms_unweighted, "F of Thomas and Hultquist"
    if anova.balanced:
        method = "F"
    return f_bounds(
        between, anova.ms_within, anova.df_between, anova.df_within, size, level, method=method
    )
