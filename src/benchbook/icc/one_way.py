"""One-way analysis: scores within items, as many as an item has, and their ICC."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..errors import ParameterError, nearest
from ..estimate import Estimate, undefined
from ..resampling.checks import checked_level
from .anova import centre, f_ratio, mean_square
from .components import VarianceComponents
from .forms import FORMS
from .intervals import Bounds, f_bounds
from .quantiles import f_tail
from .results import ICCResult
from .scores import as_scores, rounding_floor, settled

OneWayInterval = Literal["thomas-hultquist", "n0"]
ONE_WAY_INTERVALS: tuple[OneWayInterval, ...] = ("thomas-hultquist", "n0")


@dataclass(frozen=True, eq=False)
class OneWayAnova:
    """One-way analysis of variance: scores within items, any number per item.

    Attributes
    ----------
    n_items, n_scores : int
        Items with at least one score, and scores in all.
    sizes : ndarray of int, shape (n_items,)
        Scores per item.
    ss_between, ss_within : float
        Sums of squares between and within items.
    ms_unweighted : float
        Variance of the item means, every item counting once.
    """

    n_items: int
    n_scores: int
    sizes: np.ndarray
    ss_between: float
    ss_within: float
    ms_unweighted: float

    @property
    def df_between(self) -> int:
        """Degrees of freedom between items, n - 1."""
        return self.n_items - 1

    @property
    def df_within(self) -> int:
        """Degrees of freedom within items, scores minus items."""
        return self.n_scores - self.n_items

    @property
    def ms_between(self) -> float:
        """Mean square between items."""
        return mean_square(self.ss_between, self.df_between)

    @property
    def ms_within(self) -> float:
        """Mean square within items."""
        return mean_square(self.ss_within, self.df_within)

    @property
    def size(self) -> float:
        """The n0 of the expected mean squares: (N - sum of squared sizes / N) / (n - 1)."""
        total = self.n_scores
        return mean_square(total - float(np.sum(self.sizes**2)) / total, self.df_between)

    @property
    def harmonic_size(self) -> float:
        """Harmonic mean of the scores per item."""
        return self.n_items / float(np.sum(1.0 / self.sizes))

    @property
    def balanced(self) -> bool:
        """True when every item has as many scores."""
        return bool(np.all(self.sizes == self.sizes[0]))

    @property
    def f(self) -> float:
        """F for the items; infinite without variance within items."""
        return f_ratio(self.ms_between, self.ms_within)

    @property
    def p(self) -> float:
        """The p value of ``f``."""
        return f_tail(self.f, self.df_between, self.df_within)

    @property
    def components(self) -> VarianceComponents:
        """Variance components between and within items (negative ones as they come)."""
        between = (self.ms_between - self.ms_within) / self.size
        return VarianceComponents(between, None, self.ms_within, "one-way ANOVA")


def one_way_anova(data: Any) -> OneWayAnova:
    """Return the one-way analysis of variance of scores within items; items may differ in number.

    Parameters
    ----------
    data : Ratings or array-like of shape (n_items, n_raters)
        Scores; missing cells are left out, and no item is dropped. Who gave a score is not used.

    References
    ----------
    Searle SR (1971). Linear Models. Wiley, section 11.1 (n0 of unequal groups).
    """
    scores = as_scores(data)
    table = scores.values
    present = ~np.isnan(table)
    sizes = present.sum(axis=1)
    floor = rounding_floor(table, int(sizes.sum()))
    grand = centre(table[present])
    deviations = np.where(present, table - grand, 0.0)
    means = deviations.sum(axis=1) / sizes
    within = np.where(present, deviations - means[:, None], 0.0)
    n = scores.n_items
    plain = settled(float(np.sum((means - means.mean()) ** 2)), floor)
    return OneWayAnova(
        n_items=n,
        n_scores=int(sizes.sum()),
        sizes=sizes,
        ss_between=settled(float(sizes @ means**2), floor),
        ss_within=settled(float(np.sum(within**2)), floor),
        ms_unweighted=mean_square(plain, n - 1),
    )


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
        warnings=bounds.warnings + _apart(value, bounds),
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


def _apart(value: float, bounds: Bounds) -> tuple[str, ...]:
    if bounds.low <= value <= bounds.high:
        return ()
    return (
        "the estimate lies outside its interval: it weighs items by their numbers of scores, "
        "the interval counts each item once",
    )


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
