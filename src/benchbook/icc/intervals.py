"""Analytic intervals of the intraclass correlations."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from .anova import TwoWayAnova
from .quantiles import f_quantile


@dataclass(frozen=True)
class Bounds:
    """An interval: bounds, method, why there is none, and what to know beside it."""

    low: float
    high: float
    method: str
    reason: str | None = None
    warnings: tuple[str, ...] = ()


NO_WIDTH = "the interval has no width: a variance it needs is exactly zero in these data"
UNBOUNDED = "the lower bound is below any number: for a mean of raters the ICC has no minimum"


def f_bounds(
    between: float,
    noise: float,
    df_between: float,
    df_noise: float,
    size: float,
    level: float,
    *,
    average: bool = False,
    method: str = "F",
) -> Bounds:
    """Return the interval of the forms whose mean squares have one F ratio.

    Parameters
    ----------
    between, noise : float
        Mean squares between items, and within items or residual.
    df_between, df_noise : float
        Their degrees of freedom.
    size : float
        Scores per item.
    level : float
        Confidence level.
    average : bool
        Whether the mean of ``size`` scores is meant.

    References
    ----------
    Shrout PE, Fleiss JL (1979). Psychological Bulletin 86:420-428, p. 424.
    """
    tail = (1 - level) / 2
    low_f = between / f_quantile(1 - tail, df_between, df_noise)
    high_f = between * f_quantile(1 - tail, df_noise, df_between)

    def at(scaled: float) -> float:
        # In terms of mean squares and not of F, so that noise = 0 gives the limit 1.
        below = scaled if average else scaled + (size - 1) * noise
        return (scaled - noise) / below if below > 0 else -math.inf

    low, high = at(low_f), at(high_f)
    return Bounds(low, high, method, warnings=_remarks(low, high))


def agreement_df(anova: TwoWayAnova, value: float) -> float:
    """Return the Satterthwaite degrees of freedom of ICC(2,1) at an ICC of ``value``.

    Shrout and Fleiss's v, multiplied out so that neither MSE = 0 nor ICC = 1 divides by zero.
    """
    n, k = anova.n_items, anova.n_raters
    raters = k * value * anova.ms_raters
    error = (n * (1 + (k - 1) * value) - k * value) * anova.ms_error
    spread = raters**2 / anova.df_raters + error**2 / anova.df_error
    return (raters + error) ** 2 / spread if spread > 0 else math.nan


def agreement_bounds(anova: TwoWayAnova, value: float, level: float, *, average: bool) -> Bounds:
    """Return the interval of ICC(2,1), or irr's interval of ICC(2,k).

    Parameters
    ----------
    value : float
        The estimate: the degrees of freedom depend on it.

    Notes
    -----
    McGraw and Wong's bounds for a mean of k raters are the Spearman-Brown step of those for a
    single one: algebra turns one into the other, as long as the degrees of freedom are the same.
    Programs that put the average coefficient where the single one stands in the degrees of
    freedom get a different interval; this is the one of ``average`` here.

    References
    ----------
    Shrout PE, Fleiss JL (1979). Psychological Bulletin 86:420-428, p. 424.
    McGraw KO, Wong SP (1996). Psychological Methods 1:30-46, table 7.
    """
    n, k = anova.n_items, anova.n_raters
    items, raters, error = anova.ms_items, anova.ms_raters, anova.ms_error
    method = "F with Satterthwaite df" + (" (as in irr)" if average else "")
    df = agreement_df(anova, value)
    tail = (1 - level) / 2
    if not df >= 1:
        # A sum of positive parts has at least k - 1; less comes from a negative part, and F
        # then has no distribution to speak of.
        reason = "the Satterthwaite degrees of freedom are below 1"
        return Bounds(math.nan, math.nan, method, reason)
    low_f = f_quantile(1 - tail, anova.df_items, df)
    high_f = f_quantile(1 - tail, df, anova.df_items)
    rest = raters - error if average else k * raters + (k * n - k - n) * error
    low = _over(n * (items - low_f * error), low_f * rest + n * items)
    high = _over(n * (high_f * items - error), rest + n * high_f * items)
    return Bounds(low, high, method, warnings=_remarks(low, high))


def _over(numerator: float, denominator: float) -> float:
    """Return a quotient, with the limit -inf where the denominator has passed zero."""
    return numerator / denominator if denominator > 0 else -math.inf


def _remarks(low: float, high: float) -> tuple[str, ...]:
    if low == high:
        return (NO_WIDTH,)
    return (UNBOUNDED,) if math.isinf(low) else ()


def step_up(bounds: Bounds, k: float) -> Bounds:
    """Return the bounds for a mean of k raters, from those for a single one (Spearman-Brown)."""
    method = f"Spearman-Brown step of the single-rater bounds ({bounds.method})"
    if bounds.reason is not None:
        return replace(bounds, method=method)
    low, high = spearman_brown(bounds.low, k), spearman_brown(bounds.high, k)
    return Bounds(low, high, method, warnings=_remarks(low, high))


def spearman_brown(value: float, k: float) -> float:
    """Return the reliability of the mean of k raters from that of one.

    Below -1/(k - 1) the step has passed its pole, and the limit -inf is returned.

    References
    ----------
    Spearman C (1910), Brown W (1910). British Journal of Psychology 3:271-295 and 3:296-322.
    """
    below = 1 + (k - 1) * value
    return k * value / below if not below <= 0 else -math.inf
