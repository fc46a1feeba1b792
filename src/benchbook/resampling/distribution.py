"""The bootstrap distribution of a statistic, and the intervals it gives."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..estimate import Estimate, undefined
from .checks import checked_level, checked_method
from .intervals import (
    METHODS,
    Bounds,
    NoInterval,
    bca_probabilities,
    central_probabilities,
    is_constant,
    quantiles,
    reflected,
)
from .linearised import Linearised
from .studentised import StandardErrors

# Above this share of resamples without a value the interval carries a warning.
MAX_SHARE_UNDEFINED = 0.05
# A resample whose standard error is this small against that of the data has none but rounding.
_SMALLEST_ERROR = 1e-9


@dataclass(frozen=True, eq=False)
class Distribution:
    """Replicates of a statistic over bootstrap resamples.

    Parameters
    ----------
    point : float
        Statistic on the full data, NaN when undefined.
    replicates : ndarray of shape (n_resamples,)
        Statistic on each resample in the order drawn, NaN where undefined. Empty when nothing
        could be resampled.
    n_items, n_clusters : int
        Items in the data, and clusters drawn in each resample.
    seed : int
        Seed that reproduces the replicates.
    unit : str
        What was resampled.
    name : str
        What is estimated.
    reason : str or None
        Why the point estimate is undefined, or why nothing could be resampled.
    bounds : tuple of float
        Smallest and largest possible value.
    leave_one_out : callable
        Computes the values without each cluster in turn; see :attr:`jackknife`.
    errors : StandardErrors or None
        Computes the standard errors for the studentised interval; None when there are none.
    strata : ndarray of int, shape (n_clusters,), or None
        Stratum of each cluster in the order of the jackknife; None without strata.
    """

    point: float
    replicates: np.ndarray
    n_items: int
    n_clusters: int
    seed: int
    unit: str
    name: str
    reason: str | None
    bounds: tuple[float, float]
    leave_one_out: Callable[[], np.ndarray] = field(repr=False)
    errors: StandardErrors | None = field(default=None, repr=False)
    strata: np.ndarray | None = field(default=None, repr=False)

    @property
    def n_resamples(self) -> int:
        """Number of resamples drawn."""
        return self.replicates.size

    @cached_property
    def n_undefined(self) -> int:
        """Number of resamples on which the statistic has no value."""
        return int(np.count_nonzero(np.isnan(self.replicates)))

    @cached_property
    def jackknife(self) -> np.ndarray:
        """Statistic without each cluster in turn, shape (n_clusters,); computed on first use.

        For a :class:`SumsStatistic` the values are in the order of the sorted cluster sums, for a
        :class:`RankingStatistic` in an order that depends on what the clusters hold.
        """
        return self.leave_one_out()

    @cached_property
    def standard_errors(self) -> tuple[float, np.ndarray]:
        """Standard error on the data, and on each resample, (n_resamples,), by formula.

        NaN where undefined; computed on first use.

        Raises
        ------
        NoInterval
            When the statistic has no such formula.
        """
        if self.errors is None:
            raise NoInterval(f"{self.name} has no formula for its standard error")
        contrast = self.errors.contrast
        return self.errors.of_data(contrast), self.errors.of_resamples(contrast)

    @cached_property
    def pivots(self) -> np.ndarray:
        """Deviation of each replicate from the point estimate in its own standard errors.

        NaN where the replicate or its standard error is undefined, or the standard error is 0.
        """
        errors = self.standard_errors[1]
        pivots = np.full(self.replicates.shape, np.nan)
        usable = errors > _SMALLEST_ERROR * self.standard_errors[0]
        return np.divide(self.replicates - self.point, errors, out=pivots, where=usable)

    def interval(self, method: str = "percentile", level: float = 0.95) -> Estimate:
        """Return the estimate with its interval.

        Parameters
        ----------
        method : {"percentile", "basic", "bca", "studentised", "linearised"}
            Percentile: the central quantiles of the replicates. Basic: twice the point
            estimate minus the opposite quantile, clipped to ``bounds``. BCa: quantiles at
            probabilities adjusted for bias (ties counted one half) and for the change of the
            standard error with the value (acceleration, from the jackknife over clusters).
            Studentised: the point estimate minus standard error times quantiles of (replicate -
            point estimate) / standard error of the replicate, clipped to ``bounds``; for sums
            statistics and the area under the ROC curve, and their differences. Linearised: for
            the same statistics, without their resamples: the point estimate and its standard
            error by formula times the quantile of Student's t, with one degree of freedom less
            than there are clusters (in all strata together, one less in each); symmetric on the
            logit scale for a share, else clipped to ``bounds``.
        level : float
            Confidence level, in (0, 1).

        Returns
        -------
        Estimate
            Its ``standard_error`` is the standard deviation of the replicates (for the
            studentised and linearised intervals the one by formula, over clusters), its
            ``monte_carlo_error`` the Maritz-Jarrett standard error of each bound: how far the
            bound would move with another seed. (For BCa it is taken at the adjusted
            probabilities and leaves out that they are estimated too.) Resamples without a
            value are counted and left out. Where there is no interval, ``reason`` says why.

        Notes
        -----
        Quantiles interpolate linearly (numpy's default, type 7 of Hyndman and Fan 1996).

        Raises
        ------
        ParameterError
            When the method is unknown or the level outside (0, 1).

        References
        ----------
        Davison AC, Hinkley DV (1997). Bootstrap Methods and their Application, chapter 5.
        Cambridge University Press. Efron B (1987), Journal of the American Statistical
        Association 82:171-185.
        """
        method, level = checked_method(method), checked_level(level)
        if method == "linearised":
            return self._linearised(level)
        common = self._common(METHODS[method], level)
        if math.isnan(self.point):
            return undefined(self.reason or f"{self.name} is undefined", **common)
        defined = self.replicates[~np.isnan(self.replicates)]
        if defined.size >= 2:
            common["standard_error"] = float(np.std(defined, ddof=1))
        try:
            return self._estimate(defined, method, common)
        except NoInterval as error:
            lost = self._lost_warnings()
            return Estimate(self.point, reason=str(error), warnings=lost, **common)

    @cached_property
    def linearised(self) -> Linearised:
        """The point estimate with its linearised standard error.

        Raises
        ------
        NoInterval
            When there is nothing to vary, the statistic has no formula for its standard error,
            or the interval does not exist.
        """
        if self.n_clusters < 2:
            raise NoInterval(self.reason or "a single item does not vary")
        n_strata = 1 if self.strata is None else np.unique(self.strata).size
        error = self.standard_errors[0]
        return Linearised(self.point, error, self.n_clusters - n_strata, self.bounds)

    def _linearised(self, level: float) -> Estimate:
        """Return the estimate whose interval needs no resamples."""
        common = self._facts(METHODS["linearised"], level)
        if math.isnan(self.point):
            return undefined(self.reason or f"{self.name} is undefined", **common)
        try:
            bounds = self.linearised.interval(level)
        except NoInterval as error:
            return Estimate(self.point, reason=str(error), **common)
        (low, high), warnings = self._clipped(bounds, common["method"])
        common["standard_error"] = self.linearised.error
        return Estimate(self.point, low, high, warnings=warnings, **common)

    def _facts(self, method: str, level: float) -> dict[str, Any]:
        return {
            "level": level,
            "method": method,
            "n_items": self.n_items,
            "n_clusters": self.n_clusters,
            "name": self.name,
            "unit": self.unit,
        }

    def _common(self, method: str, level: float) -> dict[str, Any]:
        return {
            **self._facts(method, level),
            "n_resamples": self.n_resamples,
            "n_undefined": self.n_undefined,
            "seed": self.seed,
        }

    def _clipped(
        self, bounds: tuple[float, float], method: str
    ) -> tuple[tuple[float, float], tuple[str, ...]]:
        """Return bounds that are possible, and a warning where they were not."""
        low, high = (min(max(one, self.bounds[0]), self.bounds[1]) for one in bounds)
        if (low, high) == bounds:
            return bounds, ()
        return (low, high), (
            f"clipped to the possible range {self.bounds[0]:g} to {self.bounds[1]:g}; "
            f"the {method} gave {bounds[0]:.4g} to {bounds[1]:.4g}",
        )

    def _estimate(self, defined: np.ndarray, method: str, common: dict[str, Any]) -> Estimate:
        if not self.n_resamples:
            raise NoInterval(self.reason or "nothing was resampled")
        if defined.size < 2:
            raise NoInterval(
                f"the statistic has a value on {defined.size} of {self.n_resamples} resamples"
            )
        bounds = self._bounds(defined, method, common["level"])
        if method == "studentised":
            common["standard_error"] = self.standard_errors[0]
        (low, high), clipped = self._clipped((bounds.low, bounds.high), common["method"])
        warnings = self._lost_warnings() + self._no_error_warnings(method)
        warnings += _tail_warnings(defined.size, bounds.probabilities)
        if is_constant(defined):
            warnings += ("every resample gave the same value, so the interval has no width",)
        return Estimate(
            self.point,
            low,
            high,
            monte_carlo_error=bounds.errors,
            warnings=warnings + clipped,
            **common,
        )

    def _bounds(self, defined: np.ndarray, method: str, level: float) -> Bounds:
        probabilities = central_probabilities(level)
        if method == "studentised":
            return self._studentised(probabilities)
        if method == "bca":
            probabilities = bca_probabilities(
                defined, self.point, self.jackknife, level, self.strata
            )
        bounds = quantiles(defined, probabilities)
        # 2θ − quantile: the quantiles of the deviations from θ, taken from θ.
        return reflected(bounds, 2.0 * self.point) if method == "basic" else bounds

    def _studentised(self, probabilities: tuple[float, float]) -> Bounds:
        scale = self.standard_errors[0]
        if math.isnan(scale) or scale == 0.0:
            raise NoInterval(
                "the standard error on the data is "
                + ("zero: no unit moves the statistic" if scale == 0.0 else "undefined")
            )
        pivots = self.pivots[~np.isnan(self.pivots)]
        if pivots.size < 2:
            raise NoInterval(
                f"{pivots.size} of {self.n_resamples} resamples have a value and a standard error"
            )
        return reflected(quantiles(pivots, probabilities), self.point, scale)

    def _no_error_warnings(self, method: str) -> tuple[str, ...]:
        """Warn when resamples have a value, but no standard error to divide by."""
        if method != "studentised":
            return ()
        lost = int(np.count_nonzero(np.isnan(self.pivots))) - self.n_undefined
        if lost <= MAX_SHARE_UNDEFINED * self.n_resamples:
            return ()
        return (
            f"the standard error is zero or undefined on {lost} of {self.n_resamples} resamples, "
            "which are left out",
        )

    def _lost_warnings(self) -> tuple[str, ...]:
        if self.n_undefined <= MAX_SHARE_UNDEFINED * self.n_resamples:
            return ()
        return (
            f"the statistic has no value on {self.n_undefined} of {self.n_resamples} resamples, "
            "which are left out",
        )


def _tail_warnings(size: int, probabilities: tuple[float, float]) -> tuple[str, ...]:
    """Warn when a bound lies outside all but the outermost replicate."""
    expected = size * min(*probabilities, 1.0 - probabilities[0], 1.0 - probabilities[1])
    if expected >= 1.0:
        return ()
    return (
        f"{size} resamples are too few: a bound is expected to have {expected:.2g} of them "
        "beyond it",
    )


def difference(first: Distribution, second: Distribution) -> Distribution:
    """Return the distribution of ``first - second``, both drawn on the same resamples.

    A resample undefined in either is undefined in the difference.
    """
    reasons = [one.reason for one in (first, second) if math.isnan(one.point)]
    return Distribution(
        point=first.point - second.point,
        replicates=first.replicates - second.replicates,
        n_items=first.n_items,
        n_clusters=first.n_clusters,
        seed=first.seed,
        unit=first.unit,
        name=f"{first.name} − {second.name}",
        reason=reasons[0] if reasons else first.reason,
        bounds=(first.bounds[0] - second.bounds[1], first.bounds[1] - second.bounds[0]),
        leave_one_out=lambda: first.jackknife - second.jackknife,
        errors=None if first.errors is None else first.errors.minus(second.errors),
        strata=first.strata,
    )
