"""The bootstrap functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from ..errors import ParameterError
from ..estimate import Estimate
from .checks import checked_jobs, checked_level, checked_method, checked_seed, whole_number
from .clusters import Stratified
from .distribution import Distribution, difference
from .draws import draw, draw_errors
from .intervals import NoInterval
from .kinds import Sampler, sampler_of
from .ranking import RankingStatistic
from .statistic import SumsStatistic
from .studentised import Contrast, StandardErrors

FEWEST = 2  # resamples
Statistic = SumsStatistic | RankingStatistic | Callable[[Any], float]


def bootstrap(
    statistic: Statistic,
    data: Any = None,
    *,
    cluster: Any = None,
    unit: str = "item",
    n_resamples: int = 2000,
    level: float = 0.95,
    method: str = "percentile",
    seed: int | None = 0,
    n_jobs: int | None = None,
) -> Estimate:
    """Estimate a statistic with a bootstrap interval.

    Clusters are drawn with replacement, as many as there are, and the items of a drawn cluster
    enter together, as often as it was drawn. Without ``cluster`` every item is its own cluster.

    Parameters
    ----------
    statistic : SumsStatistic, RankingStatistic or callable
        A :class:`SumsStatistic` is resampled without a loop: a block of resamples is one
        matrix product. So is a :class:`RankingStatistic`: a block is one pass over the sorted
        rows. A callable takes the resampled data, in the form of ``data``, and returns one
        number, NaN where it is undefined; it runs once per resample, and once per cluster for
        BCa. Its exceptions are passed on.
    data : array, DataFrame, Series, or tuple of these, optional
        For a callable: items along the first axis. A tuple is resampled as one table. A
        resampled DataFrame has a fresh index; a cluster drawn twice is in it twice under the
        same id. The other kinds carry their own data.
    cluster : sequence of hashable, or Stratified, optional
        Cluster id of each item, such as the patient. A missing id is an error.
        :class:`Stratified` draws the clusters within strata.
    unit : str, default "item"
        Word for what is resampled, kept in the result; ``"cluster"`` when clusters are given
        without a word.
    n_resamples : int, default 2000
        Number of resamples, at least 2.
    level : float, default 0.95
        Confidence level, in (0, 1).
    method : {"percentile", "basic", "bca", "studentised", "linearised"}
        How the interval is made; see :meth:`Distribution.interval`, which also names the
        definition of the quantiles. The linearised interval needs no resamples, and hardly
        any are drawn for it.
    seed : int or None, default 0
        Seed of the resamples; None takes a fresh one, recorded in the result.
    n_jobs : int or None, default None
        Number of joblib workers; -1 for all cores. None means one, unless the call is inside
        ``joblib.parallel_config``, whose backend is used in any case.

    Returns
    -------
    Estimate
        The value on the full data with its interval. Undefined, with the reason, when there
        are no items or the statistic has no value on them; without an interval, with the
        reason, when there is one item only or the method has none.

    Raises
    ------
    DataError
        When cluster ids are missing or do not match the items, or the data have no items axis.
    ParameterError
        When an argument is out of range, or all items are in one cluster.

    Notes
    -----
    The same seed gives the same interval, bit by bit, for any number of workers: resamples are
    drawn in blocks whose size depends on the data alone, each block from its own child of the
    seed, and sums are exact whatever the order of addition. Fewer resamples are the beginning
    of more. But for a callable, the order of items and clusters does not matter either. Random
    numbers may change between releases of numpy.

    Memory for a SumsStatistic: each worker holds one block, at most 40 MB, or three numbers
    per cluster where a single resample is larger than that; what ``evaluate`` needs comes on
    top. Preparing the cluster sums takes seven times their size for a moment. For a
    RankingStatistic each worker holds 64 bytes per cluster and 4 MB (about 3,000 bytes per cluster
    for the studentised interval), once for all statistics; sorting takes about a hundred bytes per
    row for a moment, of which four to twelve stay for each distinct ranking. A callable is given
    one resample at a time.

    References
    ----------
    Davison AC, Hinkley DV (1997). Bootstrap Methods and their Application. Cambridge
    University Press. Field CA, Welsh AH (2007). Bootstrapping clustered data. Journal of the
    Royal Statistical Society B 69:369-390.

    Examples
    --------
    >>> from benchbook.resampling import bootstrap, mean_statistic
    >>> estimate = bootstrap(mean_statistic([1.0, 2.0, 4.0, 5.0]), seed=1)
    >>> estimate.value
    3.0
    """
    method, level = checked_method(method), checked_level(level)
    distribution = resample(
        statistic, data, cluster=cluster, unit=unit, n_resamples=_needed(method, n_resamples),
        seed=seed, n_jobs=n_jobs,
    )  # fmt: skip
    return distribution.interval(method, level)


def bootstrap_many(
    statistics: Sequence[Statistic],
    data: Any = None,
    *,
    cluster: Any = None,
    unit: str = "item",
    n_resamples: int = 2000,
    level: float = 0.95,
    method: str = "percentile",
    seed: int | None = 0,
    n_jobs: int | None = None,
) -> list[Estimate]:
    """Estimate several statistics over the same items on the same resamples.

    Parameters
    ----------
    statistics : sequence of SumsStatistic and RankingStatistic, or of callables
        All over the same items. Ranking statistics of the same scores and labels share one
        pass.
    data, cluster, unit, n_resamples, level, method, seed, n_jobs
        As in :func:`bootstrap`.

    Returns
    -------
    list of Estimate
        One per statistic, in the order given. The resamples are shared by the statistics of
        one call; a call with other statistics may draw others from the same seed.
    """
    method, level = checked_method(method), checked_level(level)
    distributions = resample_many(
        statistics, data, cluster=cluster, unit=unit, n_resamples=_needed(method, n_resamples),
        seed=seed, n_jobs=n_jobs,
    )  # fmt: skip
    return [distribution.interval(method, level) for distribution in distributions]


def paired_difference(
    first: Statistic,
    second: Statistic,
    data: Any = None,
    *,
    cluster: Any = None,
    unit: str = "item",
    n_resamples: int = 2000,
    level: float = 0.95,
    method: str = "percentile",
    seed: int | None = 0,
    n_jobs: int | None = None,
) -> Estimate:
    """Estimate ``first - second`` over the same items on shared resamples.

    Parameters
    ----------
    first, second : SumsStatistic or RankingStatistic, or callables
        Both over the same items, in the same order.
    data, cluster, unit, n_resamples, level, method, seed, n_jobs
        As in :func:`bootstrap`.

    Returns
    -------
    Estimate
        The difference with its interval. A resample on which either has no value has no
        difference. Exchanging the two changes the sign, and exchanges the bounds.
    """
    method, level = checked_method(method), checked_level(level)
    distribution = resample_difference(
        first, second, data, cluster=cluster, unit=unit, n_resamples=_needed(method, n_resamples),
        seed=seed, n_jobs=n_jobs,
    )  # fmt: skip
    return distribution.interval(method, level)


def resample(
    statistic: Statistic,
    data: Any = None,
    *,
    cluster: Any = None,
    unit: str = "item",
    n_resamples: int = 2000,
    seed: int | None = 0,
    n_jobs: int | None = None,
) -> Distribution:
    """Return the bootstrap distribution of a statistic, for figures and several intervals.

    Parameters are those of :func:`bootstrap`.
    """
    return resample_many(
        [statistic], data, cluster=cluster, unit=unit, n_resamples=n_resamples, seed=seed,
        n_jobs=n_jobs,
    )[0]  # fmt: skip


def resample_difference(
    first: Statistic,
    second: Statistic,
    data: Any = None,
    *,
    cluster: Any = None,
    unit: str = "item",
    n_resamples: int = 2000,
    seed: int | None = 0,
    n_jobs: int | None = None,
) -> Distribution:
    """Return the bootstrap distribution of ``first - second`` on shared resamples.

    Parameters are those of :func:`paired_difference`.
    """
    one, other = resample_many(
        [first, second], data, cluster=cluster, unit=unit, n_resamples=n_resamples, seed=seed,
        n_jobs=n_jobs,
    )  # fmt: skip
    return difference(one, other)


def resample_many(
    statistics: Sequence[Statistic],
    data: Any = None,
    *,
    cluster: Any = None,
    unit: str = "item",
    n_resamples: int = 2000,
    seed: int | None = 0,
    n_jobs: int | None = None,
) -> list[Distribution]:
    """Return the bootstrap distributions of several statistics on the same resamples.

    Parameters are those of :func:`bootstrap_many`; one distribution per statistic.
    """
    statistics = list(statistics)
    if not statistics:
        raise ParameterError("There is no statistic to resample; expected at least one.")
    n_resamples = whole_number("n_resamples", n_resamples, FEWEST)
    seed, n_jobs = checked_seed(seed), checked_jobs(n_jobs)
    ids = cluster.cluster if isinstance(cluster, Stratified) else cluster
    if ids is not None and unit == "item":
        unit = "cluster"
    sampler = sampler_of(statistics[0], statistics, data, cluster)
    n_statistics = len(statistics)
    points = sampler.point() if sampler.n_items else np.full(n_statistics, np.nan)
    if sampler.n_clusters < 2:
        replicates = np.empty((0, n_statistics))
    else:
        replicates = draw(sampler, n_resamples, seed, n_jobs)
    leave_one_out = cache(lambda: sampler.jackknife(n_jobs))
    errors = _standard_errors(sampler, n_resamples, seed, n_jobs)
    return [
        _distribution(sampler, place, points, replicates, leave_one_out, errors(place), unit, seed)
        for place in range(n_statistics)
    ]


def _needed(method: str, n_resamples: int) -> int:
    """Return how many resamples to draw: as few as possible where the interval uses none."""
    n_resamples = whole_number("n_resamples", n_resamples, FEWEST)
    return FEWEST if method == "linearised" else n_resamples


def _standard_errors(
    sampler: Sampler, n_resamples: int, seed: int, n_jobs: int | None
) -> Callable[[int], StandardErrors]:
    """Return what computes the standard errors of a statistic on the very same resamples."""

    def of_data(contrast: Contrast) -> float:
        return float(sampler.standard_errors(contrast, None, 1)[0])

    def of_resamples(contrast: Contrast) -> np.ndarray:
        return draw_errors(sampler, contrast, n_resamples, seed, n_jobs)

    return lambda place: StandardErrors(of_data, of_resamples, ((place, 1.0),))


def _without_each(
    sampler: Sampler, leave_one_out: Callable[[], np.ndarray], place: int
) -> np.ndarray:
    refusal = sampler.jackknife_refusals[place]
    if refusal is not None:
        raise NoInterval(refusal)
    return leave_one_out()[:, place]


def _distribution(
    sampler: Sampler,
    place: int,
    points: np.ndarray,
    replicates: np.ndarray,
    leave_one_out: Callable[[], np.ndarray],
    errors: StandardErrors,
    unit: str,
    seed: int,
) -> Distribution:
    point, reason = float(points[place]), None
    strata = sampler.jackknife_strata
    if sampler.n_items == 0:
        reason = "there are no items"
    elif math.isnan(point):
        reason = sampler.reasons[place]
    elif sampler.n_clusters < 2:
        reason = "a single item cannot be resampled"
    return Distribution(
        point=point,
        replicates=replicates[:, place].copy(),
        n_items=sampler.n_items,
        n_clusters=sampler.n_clusters,
        seed=seed,
        unit=unit,
        name=sampler.names[place],
        reason=reason,
        bounds=sampler.bounds[place],
        leave_one_out=lambda: _without_each(sampler, leave_one_out, place),
        errors=errors,
        strata=strata if strata.any() else None,
    )
