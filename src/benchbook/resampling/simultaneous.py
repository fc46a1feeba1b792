"""Many models at once: intervals that all hold together, and the rank of each model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from ..errors import ParameterError, nearest
from ..estimate import Estimate, undefined
from .checks import checked_level, finite_number
from .distribution import MAX_SHARE_UNDEFINED, Distribution, difference
from .intervals import is_constant, quantile_error, tie_tolerance

METHOD = "simultaneous bootstrap (max-t)"
RANK_METHODS = ("simultaneous", "percentile")


def simultaneous_intervals(
    distributions: Sequence[Distribution], *, level: float = 0.95
) -> list[Estimate]:
    """Return intervals that hold all at once with the given confidence.

    Each is the point estimate plus and minus c standard errors. c is the ``level`` quantile of
    the largest deviation, over the statistics, of a replicate from its point estimate in
    standard errors (max-t): correlated statistics need less than Bonferroni's correction.

    Parameters
    ----------
    distributions : sequence of Distribution
        From one call of :func:`~benchbook.resampling.resample_many`, or differences of these.
    level : float
        Confidence that all intervals hold, in (0, 1).

    Returns
    -------
    list of Estimate
        In the order given. ``standard_error`` is the standard deviation of the replicates. A
        resample on which one statistic has no value counts for none. A statistic without a value
        is left out of the others' correction.

    Raises
    ------
    ParameterError
        When the distributions do not share their resamples.

    References
    ----------
    Westfall PH, Young SS (1993). Resampling-Based Multiple Testing. Wiley. Davison AC, Hinkley
    DV (1997), section 4.2.4.
    """
    level = checked_level(level)
    family = _Family.of(distributions)
    if family.largest.size < 2:
        return [family.without_interval(one, level) for one in distributions]
    ordered = np.sort(family.largest)
    factor, error = float(np.quantile(ordered, level)), quantile_error(ordered, level)
    return [family.estimate(place, factor, error, level) for place in range(len(distributions))]


def simultaneous_p_values(
    distributions: Sequence[Distribution], *, null: float = 0.0
) -> np.ndarray:
    """Return two-sided p values adjusted for the number of statistics.

    The share of resamples whose largest deviation (see :func:`simultaneous_intervals`) is at
    least that of the point estimate from ``null``, one added to count and number. Below 1 -
    ``level`` when the simultaneous interval excludes ``null``.

    Parameters
    ----------
    distributions : sequence of Distribution
        Sharing their resamples; usually differences.
    null : float
        Value that is tested.

    Returns
    -------
    ndarray of shape (n_statistics,)
        NaN where the statistic has no value.
    """
    null = finite_number("null", null)
    family = _Family.of(distributions)
    values = np.full(len(distributions), np.nan)
    if family.largest.size < 2:
        return values
    for place, one in enumerate(distributions):
        if math.isnan(one.point):
            continue
        distance, scale = abs(one.point - null), family.scales[place]
        far = distance / scale if scale > 0 else (math.inf if distance > 0 else 0.0)
        far -= tie_tolerance(family.largest, far) if math.isfinite(far) else 0.0
        beyond = np.count_nonzero(family.largest >= far)
        values[place] = (beyond + 1) / (family.largest.size + 1)
    return values


def pairwise_differences(
    distributions: Sequence[Distribution],
) -> dict[tuple[int, int], Distribution]:
    """Return the difference of every pair, first minus second, keyed by their places."""
    _check_shared(distributions)
    pairs = combinations(range(len(distributions)), 2)
    return {(a, b): difference(distributions[a], distributions[b]) for a, b in pairs}


@dataclass(frozen=True, eq=False)
class Rank:
    """The rank of a model among several; rank 1 is the best.

    Attributes
    ----------
    name : str
    rank : float
        On the data; models that tie share the mean of their ranks. NaN when undefined.
    low, high : float
        Best and worst rank in the interval.
    probabilities : ndarray of shape (n_models,)
        Share of resamples on which the model has rank 1, 2 and so on; models that tie share
        their ranks equally. It is no posterior probability of being the best.
    level : float
    method : str
    n_resamples, n_undefined : int
        Resamples drawn, and how many of them left out because a model had no value.
    reason : str or None
        Why there is no rank.
    """

    name: str
    rank: float
    low: float
    high: float
    probabilities: np.ndarray
    level: float
    method: str
    n_resamples: int
    n_undefined: int
    reason: str | None = None


def ranks(
    distributions: Sequence[Distribution],
    *,
    higher_is_better: bool,
    level: float = 0.95,
    method: str = "simultaneous",
) -> list[Rank]:
    """Rank models, with an interval for each rank.

    Parameters
    ----------
    distributions : sequence of Distribution
        One per model, from one call of :func:`~benchbook.resampling.resample_many`.
    higher_is_better : bool
        Whether the model with the largest value is the best.
    level : float
        Confidence level, in (0, 1).
    method : {"simultaneous", "percentile"}
        Simultaneous: a model's best rank is one more than the number of models better than it
        by all pairwise differences at once (max-t); with confidence ``level`` the intervals of
        all models hold the true ranks together, ties included. Percentile: the central
        quantiles of the model's rank over the resamples; narrower, and too narrow where models
        are close to each other.

    Returns
    -------
    list of Rank
        In the order given. A model without a value has no rank and is left out of the others'.

    References
    ----------
    Mogstad M, Romano JP, Shaikh AM, Wilhelm D (2024). Inference for ranks with applications to
    mobility across neighbourhoods and academic achievement across countries. Review of Economic
    Studies 91:476-518. Hall P, Miller H (2009). Using the bootstrap to quantify the authority of
    an empirical ranking. Annals of Statistics 37:3929-3959.
    """
    level = checked_level(level)
    if method not in RANK_METHODS:
        raise ParameterError(f"method is {method!r}; {nearest(str(method), RANK_METHODS)}")
    if not isinstance(higher_is_better, bool | np.bool_):
        raise ParameterError(f"higher_is_better is {higher_is_better!r}; expected True or False.")
    family = _Family.of(distributions)
    sign = 1.0 if higher_is_better else -1.0
    points, values = sign * family.points[family.defined], sign * family.complete
    table = _rank_probabilities(values)
    if values.shape[0] < 2:
        bounds = np.full((points.size, 2), np.nan)
    elif method == "simultaneous":
        bounds = _separated(points, values, level)
    else:
        bounds = _central_ranks(table, level)
    places = iter(range(points.size))
    result = []
    for one in distributions:
        common: dict[str, Any] = {
            "name": one.name,
            "level": level,
            "method": method,
            "n_resamples": one.n_resamples,
            "n_undefined": family.n_lost,
        }
        if math.isnan(one.point):
            nothing = np.full(points.size, np.nan)
            result.append(
                Rank(
                    rank=math.nan,
                    low=math.nan,
                    high=math.nan,
                    probabilities=nothing,
                    reason=one.reason,
                    **common,
                )
            )
            continue
        place = next(places)
        better = np.count_nonzero(points > points[place])
        tied = np.count_nonzero(points == points[place])
        low, high = (float(bound) for bound in bounds[place])
        reason = "nothing could be resampled" if math.isnan(low) else None
        rank = better + (tied + 1) / 2
        result.append(
            Rank(
                rank=rank,
                low=low,
                high=high,
                probabilities=table[place],
                reason=reason,
                **common,
            )
        )
    return result


def _rank_probabilities(values: np.ndarray) -> np.ndarray:
    """Return how often each model (row) has each rank (column); the largest value is rank 1."""
    n_resamples, n_models = values.shape
    table = np.full((n_models, n_models), np.nan)
    if n_resamples == 0:
        return table
    for model in range(n_models):
        own = values[:, [model]]
        better = (values > own).sum(axis=1)
        tied = (values == own).sum(axis=1)
        share = np.zeros(n_models + 1)
        np.add.at(share, better, 1.0 / tied)
        np.add.at(share, better + tied, -1.0 / tied)
        table[model] = np.cumsum(share)[:-1] / n_resamples
    return np.clip(table, 0.0, 1.0)


def _central_ranks(table: np.ndarray, level: float) -> np.ndarray:
    """Return the smallest ranks whose cumulated shares reach the tail probabilities."""
    tail = (1.0 - level) / 2.0
    reached = np.cumsum(table, axis=1) + 1e-12  # the shares are rounded sums
    low = (reached >= tail).argmax(axis=1) + 1
    high = (reached >= 1.0 - tail).argmax(axis=1) + 1
    return np.column_stack([low, high]).astype(np.float64)


def _separated(points: np.ndarray, values: np.ndarray, level: float) -> np.ndarray:
    """Return best and worst rank from all pairwise differences at once."""
    n_models = points.size
    largest = np.zeros(values.shape[0])
    scales = np.zeros((n_models, n_models))
    for model in range(n_models):
        apart = values - values[:, [model]]
        scale = apart.std(axis=0, ddof=1)
        scale[[is_constant(column) for column in apart.T]] = 0.0
        moved = scale > 0
        scales[model] = scale
        if moved.any():
            deviation = np.abs(apart[:, moved] - (points[moved] - points[model])) / scale[moved]
            largest = np.maximum(largest, deviation.max(axis=1))
    factor = np.quantile(largest, level)
    better = points[np.newaxis, :] - points[:, np.newaxis] > factor * scales
    return np.column_stack([1.0 + better.sum(axis=1), n_models - better.sum(axis=0)]).astype(
        np.float64
    )


@dataclass(frozen=True, eq=False)
class _Family:
    """Statistics that share their resamples.

    Attributes
    ----------
    distributions : tuple of Distribution
    points : ndarray of shape (n_statistics,)
    defined : ndarray of bool, shape (n_statistics,)
        Which statistics have a value.
    complete : ndarray of shape (n_complete, n_defined)
        Replicates on which all of these have a value.
    scales : ndarray of shape (n_statistics,)
        Standard deviation of the complete replicates; 0 when they are all alike.
    largest : ndarray of shape (n_complete,)
        Largest deviation of each resample in standard errors.
    n_lost : int
        Resamples that are not complete.
    """

    distributions: tuple[Distribution, ...]
    points: np.ndarray
    defined: np.ndarray
    complete: np.ndarray
    scales: np.ndarray
    largest: np.ndarray
    n_lost: int

    @classmethod
    def of(cls, distributions: Sequence[Distribution]) -> _Family:
        _check_shared(distributions)
        points = np.array([one.point for one in distributions])
        defined = ~np.isnan(points)
        kept = [one.replicates for one in distributions if not math.isnan(one.point)]
        table = np.column_stack(kept) if kept else np.empty((0, 0))
        complete = table[~np.isnan(table).any(axis=1)]
        scales = np.zeros(points.size)
        if complete.shape[0] >= 2:
            moved = [not is_constant(column) for column in complete.T]
            scales[defined] = np.where(moved, complete.std(axis=0, ddof=1), 0.0)
        moves = scales[defined] > 0
        deviations = np.abs(complete - points[defined])[:, moves] / scales[defined][moves]
        largest = deviations.max(axis=1, initial=0.0)
        n_lost = distributions[0].n_resamples - complete.shape[0] if kept else 0
        return cls(tuple(distributions), points, defined, complete, scales, largest, n_lost)

    def estimate(self, place: int, factor: float, error: float, level: float) -> Estimate:
        """Return the simultaneous interval of one statistic."""
        one, scale = self.distributions[place], float(self.scales[place])
        if math.isnan(one.point):
            return self.without_interval(one, level)
        raw = one.point - factor * scale, one.point + factor * scale
        low, high = (min(max(bound, one.bounds[0]), one.bounds[1]) for bound in raw)
        warnings: tuple[str, ...] = ()
        if self.n_lost > MAX_SHARE_UNDEFINED * one.n_resamples:
            warnings += (
                f"a statistic has no value on {self.n_lost} of {one.n_resamples} resamples, which "
                "are left out",
            )
        if scale == 0.0:
            warnings += ("every resample gave the same value, so the interval has no width",)
        if (low, high) != raw:
            warnings += (
                f"clipped to the possible range {one.bounds[0]:g} to {one.bounds[1]:g}; the "
                f"{METHOD} gave {raw[0]:.4g} to {raw[1]:.4g}",
            )
        return Estimate(
            one.point,
            low,
            high,
            standard_error=scale,
            monte_carlo_error=(scale * error,) * 2,
            warnings=warnings,
            **self._common(one, level),
        )

    def without_interval(self, one: Distribution, level: float) -> Estimate:
        """Return a statistic that has no value, or none but on the data."""
        common = self._common(one, level)
        if math.isnan(one.point):
            return undefined(one.reason or f"{one.name} is undefined", **common)
        reason = one.reason or (
            f"all statistics have a value on {self.complete.shape[0]} of {one.n_resamples} "
            "resamples"
        )
        return Estimate(one.point, reason=reason, **common)

    def _common(self, one: Distribution, level: float) -> dict[str, Any]:
        return {
            "level": level,
            "method": METHOD,
            "n_items": one.n_items,
            "n_clusters": one.n_clusters,
            "n_resamples": one.n_resamples,
            "n_undefined": self.n_lost,
            "seed": one.seed,
            "name": one.name,
            "unit": one.unit,
        }


def _check_shared(distributions: Sequence[Distribution]) -> None:
    if not distributions:
        raise ParameterError("There is no distribution; expected at least one.")
    first = distributions[0]
    for one in distributions:
        if (one.seed, one.n_resamples, one.n_clusters, one.n_items) != (
            first.seed, first.n_resamples, first.n_clusters, first.n_items,
        ):  # fmt: skip
            raise ParameterError(
                f"{first.name} and {one.name} do not share their resamples; expected "
                "distributions from one call of resample_many."
            )
