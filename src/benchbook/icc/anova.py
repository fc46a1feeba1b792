"""The analysis of variance behind the intraclass correlations."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .components import VarianceComponents
from .quantiles import f_tail
from .scores import as_scores, complete_items, rounding_floor, settled

if TYPE_CHECKING:
    from pandas import DataFrame


def mean_square(sum_of_squares: float, df: float) -> float:
    """Return a mean square, NaN without degrees of freedom."""
    return sum_of_squares / df if df > 0 else math.nan


def f_ratio(numerator: float, denominator: float) -> float:
    """Return a ratio of mean squares: infinite over zero, NaN for zero over zero."""
    if denominator > 0:
        return numerator / denominator
    return math.inf if denominator == 0 and numerator > 0 else math.nan


@dataclass(frozen=True, eq=False)
class TwoWayAnova:
    """Two-way analysis of variance of n items by k raters, one score per cell.

    Attributes
    ----------
    n_items, n_raters : int
        n items that every rater scored, and k raters.
    ss_items, ss_raters, ss_error : float
        Sums of squares, computed from deviations and not from raw squares.
    grand_mean : float
        Mean of all scores.
    rater_means : ndarray of float, shape (k,)
        Mean score of each rater.
    raters, dropped : tuple of str
        Names of the raters, and of the items left out because a rater did not score them.
    identified : bool
        False when columns are only slots, so that nothing can be said about raters.

    Notes
    -----
    ``f_items`` tests that the *items* do not differ; it is no test of the raters. Whether one
    rater scores higher than another is what ``f_raters`` tests.
    """

    n_items: int
    n_raters: int
    ss_items: float
    ss_raters: float
    ss_error: float
    grand_mean: float
    rater_means: np.ndarray
    raters: tuple[str, ...]
    dropped: tuple[str, ...] = ()
    identified: bool = True

    @property
    def df_items(self) -> int:
        """Degrees of freedom between items, n - 1."""
        return self.n_items - 1

    @property
    def df_raters(self) -> int:
        """Degrees of freedom between raters, k - 1."""
        return self.n_raters - 1

    @property
    def df_error(self) -> int:
        """Residual degrees of freedom, (n - 1)(k - 1)."""
        return self.df_items * self.df_raters

    @property
    def df_within(self) -> int:
        """Degrees of freedom within items, n(k - 1)."""
        return self.n_items * self.df_raters

    @property
    def ss_within(self) -> float:
        """Sum of squares within items: that of the raters and that of the error."""
        return self.ss_raters + self.ss_error

    @property
    def ms_items(self) -> float:
        """Mean square between items (BMS in Shrout and Fleiss, MSR in McGraw and Wong)."""
        return mean_square(self.ss_items, self.df_items)

    @property
    def ms_raters(self) -> float:
        """Mean square between raters (JMS in Shrout and Fleiss, MSC in McGraw and Wong)."""
        return mean_square(self.ss_raters, self.df_raters)

    @property
    def ms_error(self) -> float:
        """Residual mean square (EMS in Shrout and Fleiss, MSE in McGraw and Wong)."""
        return mean_square(self.ss_error, self.df_error)

    @property
    def ms_within(self) -> float:
        """Mean square within items (WMS in Shrout and Fleiss, MSW in McGraw and Wong)."""
        return mean_square(self.ss_within, self.df_within)

    @property
    def f_items(self) -> float:
        """F for the items, on n - 1 and (n - 1)(k - 1) df; infinite without error variance."""
        return f_ratio(self.ms_items, self.ms_error)

    @property
    def p_items(self) -> float:
        """The p value of ``f_items``."""
        return f_tail(self.f_items, self.df_items, self.df_error)

    @property
    def f_raters(self) -> float:
        """F for the raters, on k - 1 and (n - 1)(k - 1) df; infinite without error variance."""
        return f_ratio(self.ms_raters, self.ms_error)

    @property
    def p_raters(self) -> float:
        """The p value of ``f_raters``."""
        return f_tail(self.f_raters, self.df_raters, self.df_error)

    @property
    def reason(self) -> str | None:
        """Why there is no analysis, None when there is one."""
        if self.n_raters < 2:
            return "there is only one rater, and agreement needs two"
        if self.n_items >= 2:
            return None
        counted = "no item was" if self.n_items == 0 else "only one item was"
        return (
            f"{counted} scored by all {self.n_raters} raters, and at least two are needed; "
            "the mixed model uses incomplete items too"
        )

    @property
    def components(self) -> VarianceComponents:
        """Variance components from the expected mean squares (negative ones as they come)."""
        error = self.ms_error
        return VarianceComponents(
            items=(self.ms_items - error) / self.n_raters,
            raters=(self.ms_raters - error) / max(self.n_items, 1),
            error=error,
            method="two-way ANOVA",
        )

    def table(self) -> DataFrame:
        """Return the ANOVA table: df, sum of squares, mean square, F and p per source."""
        from pandas import DataFrame

        rows = {
            "items": (self.df_items, self.ss_items, self.ms_items, self.f_items, self.p_items),
            "raters": (
                self.df_raters,
                self.ss_raters,
                self.ms_raters,
                self.f_raters,
                self.p_raters,
            ),
            "error": (self.df_error, self.ss_error, self.ms_error, math.nan, math.nan),
            "within items": (self.df_within, self.ss_within, self.ms_within, math.nan, math.nan),
        }
        columns = ["df", "sum_of_squares", "mean_square", "f", "p"]
        return DataFrame.from_dict(rows, orient="index", columns=columns)


def two_way_anova(data: Any) -> TwoWayAnova:
    """Return the two-way analysis of variance of the items every rater scored.

    Parameters
    ----------
    data : Ratings or array-like of shape (n_items, n_raters)
        Scores, or ordinal ratings with numeric labels. Items with a missing score are left out
        and named in ``dropped``.

    Returns
    -------
    TwoWayAnova
        With NaN mean squares and a ``reason`` when fewer than two items are complete.

    References
    ----------
    Shrout PE, Fleiss JL (1979). Intraclass correlations: uses in assessing rater reliability.
    Psychological Bulletin 86:420-428, table 2.
    """
    scores = as_scores(data)
    kept, dropped = complete_items(scores)
    table = kept.values  # noqa: PD011 - of Ratings, not of pandas
    n, k = table.shape
    floor = rounding_floor(table)
    grand = centre(table)
    deviations = table - grand
    items = deviations.mean(axis=1) if n else np.zeros(0)
    raters = deviations.mean(axis=0) if n else np.full(k, math.nan)
    residuals = deviations - items[:, None] - raters
    return TwoWayAnova(
        n_items=n,
        n_raters=k,
        ss_items=settled(k * float(items @ items), floor),
        ss_raters=settled(n * float(raters @ raters), floor) if n else math.nan,
        ss_error=settled(float(np.sum(residuals**2)), floor),
        grand_mean=grand,
        rater_means=raters + grand,
        raters=scores.raters,
        dropped=dropped,
        identified=scores.identified,
    )


def centre(values: np.ndarray) -> float:
    """Return the grand mean, corrected once for the rounding of the first pass."""
    if values.size == 0:
        return math.nan
    first = float(values.mean())
    return first + float((values - first).mean())
