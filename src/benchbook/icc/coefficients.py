"""The six intraclass correlations with their F tests and intervals."""

from __future__ import annotations

import math
from typing import Any, Literal

from ..errors import ParameterError, nearest
from ..estimate import Estimate, undefined
from ..resampling.checks import checked_level
from .anova import TwoWayAnova, f_ratio, two_way_anova
from .forms import FORMS, Form, from_mean_squares, icc_form
from .intervals import Bounds, agreement_bounds, f_bounds, step_up
from .quantiles import f_tail
from .results import ICCResult, IntraclassCorrelations

AverageInterval = Literal["spearman-brown", "irr"]
AVERAGE_INTERVALS: tuple[AverageInterval, ...] = ("spearman-brown", "irr")

# Rounding puts a coefficient of exactly -1/(k - 1), or of 1, a few ulps outside.
RANGE_SLACK = 1e-9


def intraclass_correlations(
    data: Any,
    *,
    level: float = 0.95,
    null: float = 0.0,
    average_interval: AverageInterval = "spearman-brown",
) -> IntraclassCorrelations:
    """Return the six intraclass correlations of Shrout and Fleiss.

    Parameters
    ----------
    data : Ratings or array-like of shape (n_items, n_raters)
        Scores, or ordinal ratings with numeric labels. Only items every rater scored are used;
        the others are named in ``dropped``, counted in the estimates' warnings, and used by
        :func:`benchbook.icc.mixed_model`.
    level : float, default 0.95
        Confidence level, in (0, 1).
    null : float, default 0
        ICC under the null hypothesis of the F tests, in [0, 1).
    average_interval : {"spearman-brown", "irr"}
        Interval of ICC(2,k): the Spearman-Brown step of the bounds of ICC(2,1) (Shrout and
        Fleiss), or the interval of R's irr, which puts the average coefficient where the single
        one stands in the degrees of freedom; kept to reproduce numbers from such programs.
        McGraw and Wong's own bounds are the Spearman-Brown step.

    Returns
    -------
    IntraclassCorrelations
        Values are undefined, with the reason, where nothing varies or fewer than two items are
        complete. A negative value is shown as it is. One that the coefficient cannot have
        (above 1, or for a single rater below -1/(k - 1)) is shown with a warning.

    Raises
    ------
    ParameterError
        Nominal ratings; a level, null or interval out of range.

    Notes
    -----
    Tests against 0 have n - 1 and (n - 1)(k - 1) df (one-way: n(k - 1)). Against another value
    the agreement forms have Satterthwaite df, at the null value. The intervals of ICC(2,1) and
    ICC(2,k) have Satterthwaite df at the estimate.

    Examples
    --------
    >>> judges = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9],
    ...           [6, 2, 4, 7]]
    >>> found = intraclass_correlations(judges)
    >>> print(found["ICC(2,1)"])
    ICC(2,1) 0.290 (0.019–0.761) [two-way random effects, single rater, absolute agreement]
    >>> print(f"F of the raters {found.anova.f_raters:.2f}, of the items {found.anova.f_items:.2f}")
    F of the raters 31.87, of the items 11.03

    References
    ----------
    Shrout PE, Fleiss JL (1979). Intraclass correlations: uses in assessing rater reliability.
    Psychological Bulletin 86:420-428.
    McGraw KO, Wong SP (1996). Forming inferences about some intraclass correlation coefficients.
    Psychological Methods 1:30-46 (correction 1:390), tables 4, 7 and 8.
    """
    anova = two_way_anova(data)
    options = _checked(level, null, average_interval)
    return IntraclassCorrelations(
        results=tuple(_result(form, anova, *options) for form in FORMS.values()), anova=anova
    )


def icc(
    data: Any,
    form: str,
    *,
    level: float = 0.95,
    null: float = 0.0,
    average_interval: AverageInterval = "spearman-brown",
) -> ICCResult:
    """Return one intraclass correlation; the form has no default, because none is safe.

    Parameters
    ----------
    form : str
        ``"ICC(1,1)"``, ``"ICC(2,1)"``, ``"ICC(3,1)"``, ``"ICC(1,k)"``, ``"ICC(2,k)"`` or
        ``"ICC(3,k)"``; the names of McGraw and Wong are understood.
    data, level, null, average_interval
        As in :func:`intraclass_correlations`.
    """
    chosen = icc_form(form)
    return _result(chosen, two_way_anova(data), *_checked(level, null, average_interval))


def _checked(
    level: float, null: float, average_interval: str
) -> tuple[float, float, AverageInterval]:
    if isinstance(null, bool) or not 0.0 <= null < 1.0:
        raise ParameterError(f"null is {null!r}; expected an ICC of at least 0 and below 1.")
    for known in AVERAGE_INTERVALS:
        if known == average_interval:
            return checked_level(level), float(null), known
    raise ParameterError(
        f"unknown interval '{average_interval}' of ICC(2,k); "
        f"{nearest(str(average_interval), AVERAGE_INTERVALS)}"
    )


def _result(
    form: Form, anova: TwoWayAnova, level: float, null: float, average_interval: AverageInterval
) -> ICCResult:
    estimate = _estimate(form, anova, level, average_interval)
    f, df1, df2 = f_test(form, anova, null)
    p = f_tail(f, df1, df2) if estimate.defined else math.nan
    return ICCResult(
        form=form.name,
        mcgraw_wong=form.mcgraw_wong,
        full_name=form.full_name,
        estimate=estimate,
        f=f if estimate.defined else math.nan,
        df1=df1,
        df2=df2,
        p=p,
        null=null,
    )


def _estimate(
    form: Form, anova: TwoWayAnova, level: float, average_interval: AverageInterval
) -> Estimate:
    k = anova.n_raters
    described: dict[str, Any] = {
        "level": level,
        "n_items": anova.n_items,
        "n_clusters": anova.n_items,
        "name": form.name,
    }
    reason = why_undefined(form, anova)
    if reason is not None:
        return undefined(reason, **described)
    value = icc_value(form, anova)
    if math.isnan(value):
        return undefined(_no_denominator(form), **described)
    bounds = _bounds(form, anova, value, level, average_interval)
    remarks = (*_dropped(anova), *_range(form, value, k), *_degenerate(form, anova))
    return Estimate(
        value=value,
        low=bounds.low,
        high=bounds.high,
        method=bounds.method,
        reason=bounds.reason,
        warnings=remarks + bounds.warnings,
        **described,
    )


def icc_value(form: Form, anova: TwoWayAnova) -> float:
    """Return the coefficient of a form, NaN when it has none."""
    value = from_mean_squares(
        form,
        items=anova.ms_items,
        raters=anova.ms_raters,
        error=anova.ms_error,
        within=anova.ms_within,
        n=anova.n_items,
        k=anova.n_raters,
    )
    return float(value)


def why_undefined(form: Form, anova: TwoWayAnova) -> str | None:
    """Return why the form has no value on this analysis, None when it has one."""
    if anova.reason is not None:
        return anova.reason
    if not anova.identified and form.model != "one-way":
        return "columns are not raters, so raters cannot be told apart; only ICC(1,1) and ICC(1,k)"
    if anova.ss_items == anova.ss_within == 0:
        return "all scores are equal, so there is no variance to share out"
    return None


def _no_denominator(form: Form) -> str:
    if form.average:
        return "the item means do not differ, so a mean of raters has no variance to be reliable"
    return "neither the items nor the error vary, so the coefficient is zero over zero"


def _bounds(
    form: Form, anova: TwoWayAnova, value: float, level: float, average_interval: AverageInterval
) -> Bounds:
    k = anova.n_raters
    if value > 1 + RANGE_SLACK:
        return Bounds(math.nan, math.nan, "", "the estimate is outside its possible range")
    if form.model == "two-way random":
        if form.average and average_interval == "spearman-brown":
            single = icc_value(FORMS["ICC(2,1)"], anova)
            return step_up(agreement_bounds(anova, single, level, average=False), k)
        return agreement_bounds(anova, value, level, average=form.average)
    noise, df = (
        (anova.ms_within, anova.df_within)
        if form.model == "one-way"
        else (anova.ms_error, anova.df_error)
    )
    return f_bounds(anova.ms_items, noise, anova.df_items, df, k, level, average=form.average)


def f_test(form: Form, anova: TwoWayAnova, null: float) -> tuple[float, float, float]:
    """Return F and its degrees of freedom for the null hypothesis ICC = ``null``.

    References
    ----------
    McGraw KO, Wong SP (1996). Psychological Methods 1:30-46, table 8.
    """
    n, k = anova.n_items, anova.n_raters
    between = anova.ms_items
    if form.model == "two-way random" and null > 0 and n > 0:
        weight = (k if not form.average else 1) * null / (n * (1 - null))
        parts = (weight * anova.ms_raters, (1 + weight * (n - 1)) * anova.ms_error)
        df2 = satterthwaite(parts, (anova.df_raters, anova.df_error))
        return f_ratio(between, sum(parts)), anova.df_items, df2
    shrink = (1 - null) / (1 if form.average else 1 + (k - 1) * null)
    one_way = form.model == "one-way"
    noise = anova.ms_within if one_way else anova.ms_error
    df2 = anova.df_within if one_way else anova.df_error
    return shrink * f_ratio(between, noise), anova.df_items, df2


def satterthwaite(parts: tuple[float, float], df: tuple[float, float]) -> float:
    """Return the degrees of freedom of a sum of two mean squares (Satterthwaite 1946)."""
    first, second = parts
    spread = first**2 / df[0] + second**2 / df[1]
    return (first + second) ** 2 / spread if spread > 0 else math.nan


def _dropped(anova: TwoWayAnova) -> tuple[str, ...]:
    if not anova.dropped:
        return ()
    total = anova.n_items + len(anova.dropped)
    return (f"{len(anova.dropped)} of {total} items left out: not scored by every rater",)


def _range(form: Form, value: float, k: int) -> tuple[str, ...]:
    if value > 1 + RANGE_SLACK:
        return (f"{form.name} above 1, which it cannot be: the data do not fit the model",)
    if not form.average and value < -1 / (k - 1) - RANGE_SLACK:
        return (
            f"{form.name} below -1/(k - 1) = {-1 / (k - 1):.3f}, which it cannot be: "
            "the data do not fit the model",
        )
    return ()


def _degenerate(form: Form, anova: TwoWayAnova) -> tuple[str, ...]:
    if form.model == "one-way":
        return ("no variance within items: F is infinite",) if anova.ms_within == 0 else ()
    if anova.ms_error == 0 == anova.ms_items:
        return ("neither the items nor the error vary: F is zero over zero",)
    if anova.ms_error == 0:
        return ("no error variance: scores are exactly item plus rater, and F is infinite",)
    return ()
