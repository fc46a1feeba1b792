"""Resampling rankings, and functions of sums beside them: every block of resamples is one pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..errors import DataError, ParameterError
from .clusters import cluster_codes, stratum_of_each
from .exact_sums import ExactSums
from .intervals import NoInterval
from .ranking import AT_SENSITIVITY, RankingStatistic
from .ranking_jackknife import auroc_without_each
from .ranking_kernel import LANES, count_draws, placements, rank
from .ranking_measures import auroc, measured
from .ranking_rows import RankedRows, SortedRows, mixed, sort_rows
from .statistic import SumsStatistic, divide
from .studentised import Contrast, spread
from .sums import SumsSampler, cluster_sums, row_keys, side_by_side

_MAX_CELLS = 2**20  # cells of one array worked on at a time
# Leaving out each cluster in turn passes over all rows once per cluster: no more than this many
# rows in all, about a minute on one core.
_MAX_JACKKNIFE_ROWS = 2 * 10**11


@dataclass(frozen=True)
class Reading:
    """Where the value of a statistic is found.

    Parameters
    ----------
    source : int
        Place of its ranking, or of the statistic among those of sums.
    measure : str or None
        What is read from the ranking; None for a statistic of sums.
    sensitivity : float
        Operating point; of no meaning for the areas.
    """

    source: int
    measure: str | None
    sensitivity: float = 0.0

    @property
    def at_point(self) -> bool:
        """Whether it is read at an operating point."""
        return self.measure is not None and self.measure.endswith(AT_SENSITIVITY)


@dataclass(frozen=True, eq=False)
class RankingSampler:
    """Rankings of the same items, ready to be resampled together.

    The clusters are numbered by what is in them, so neither the order of the items nor the names
    or the order of the clusters changes a result; two clusters with the same content are
    interchangeable.

    Parameters
    ----------
    rankings : tuple of RankedRows
        Distinct rankings: statistics of the same scores and labels share one.
    sums : SumsSampler or None
        Statistics of sums over the same items, their clusters numbered alike.
    readings : tuple of Reading
        One per statistic.
    names, reasons, bounds : tuple
        Of each statistic.
    strata : tuple of slice
        Clusters of each stratum.
    n_items, n_clusters : int
        Items, and clusters drawn in each resample.
    """

    rankings: tuple[RankedRows, ...]
    sums: SumsSampler | None
    readings: tuple[Reading, ...]
    names: tuple[str, ...]
    reasons: tuple[str, ...]
    bounds: tuple[tuple[float, float], ...]
    strata: tuple[slice, ...]
    n_items: int
    n_clusters: int

    # The kernel lets other threads run.
    prefer: ClassVar[str] = "threads"
    block_size: ClassVar[int] = LANES

    @classmethod
    def prepare(
        cls, statistics: Sequence[RankingStatistic | SumsStatistic], data: Any, cluster: Any
    ) -> RankingSampler:
        """Check that the statistics belong together, sort their rows and number the clusters."""
        _check_together(statistics, data)
        n_items = statistics[0].n_items
        codes, n_clusters = cluster_codes(cluster, n_items)
        stratum = stratum_of_each(cluster, codes, n_clusters)
        distinct, readings = _sources(statistics)
        of_sums = [one for one in statistics if isinstance(one, SumsStatistic)]
        sorted_rows: list[SortedRows] = []
        contents: list[np.ndarray] = []
        for one in distinct:
            rows, content = sort_rows(one)
            sorted_rows.append(rows)
            contents.append(_sum_of_each(content, codes[rows.order], n_clusters))
        contents += [
            row_keys(cluster_sums(table, codes, n_clusters) + 0.0)
            for table in {id(one.contributions): one.contributions for one in of_sums}.values()
        ]
        number, strata = _numbering(contents, stratum)
        codes = number[codes]
        return cls(
            # Taken off the list one by one, so that no ranking is held twice.
            rankings=tuple(
                RankedRows.of(sorted_rows.pop(0), codes, n_clusters) for _ in list(sorted_rows)
            ),
            sums=_sums_sampler(of_sums, codes, n_clusters, strata) if of_sums else None,
            readings=readings,
            names=tuple(one.name for one in statistics),
            reasons=tuple(str(one.reason) for one in statistics),
            bounds=tuple(one.bounds for one in statistics),
            strata=strata,
            n_items=n_items,
            n_clusters=n_clusters,
        )

    def point(self) -> np.ndarray:
        """Return the statistics on the full data, shape (n_statistics,)."""
        return self.values(self._once())[0]

    def replicates(self, generator: np.random.Generator, keep: int) -> np.ndarray:
        """Draw one block and return its first ``keep`` resamples, (keep, n_statistics)."""
        return self.values(self.weights(generator))[:keep]

    def weights(self, generator: np.random.Generator) -> np.ndarray:
        """Draw how often each cluster enters each resample of a block.

        Returns
        -------
        ndarray of uint8, shape (n_clusters * LANES,)
            The resamples of a cluster side by side. To exceed 255, one cluster would have to be
            drawn 256 times, which has a probability of about 1e-507 (one over 256 factorial).
        """
        weights = np.zeros(self.n_clusters * LANES, dtype=np.uint8)
        for clusters in self.strata:
            size = clusters.stop - clusters.start
            part = weights[clusters.start * LANES : clusters.stop * LANES]
            strip = max(_MAX_CELLS // size, 1)
            for lane in range(0, LANES, strip):
                shape = (min(strip, LANES - lane), size)
                draws = generator.integers(0, size, size=shape, dtype=np.uint32)
                count_draws(draws, lane, part)
        return weights

    def values(self, weights: np.ndarray) -> np.ndarray:
        """Evaluate every statistic on a block of resamples, (LANES, n_statistics)."""
        values = np.empty((LANES, len(self.readings)))
        for place in range(len(self.rankings)):
            self._read(place, weights, values)
        of_sums = [at for at, reading in enumerate(self.readings) if reading.measure is None]
        if self.sums is not None:
            table = weights.reshape(-1, LANES)
            step = max(_MAX_CELLS // max(self.n_clusters, 1), 1)
            for lane in range(0, LANES, step):
                part = slice(lane, lane + step)
                counts = np.ascontiguousarray(table[:, part].T, dtype=np.float64)
                values[part, of_sums] = self.sums.values(self.sums.exact(counts))
        values[~np.isfinite(values)] = np.nan
        return values

    def _read(self, place: int, weights: np.ndarray, values: np.ndarray) -> None:
        """Pass over one ranking, and write the values of the statistics read from it."""
        mine = {
            at: reading
            for at, reading in enumerate(self.readings)
            if reading.measure is not None and reading.source == place
        }
        measures = {reading.measure for reading in mine.values()}
        points = sorted({reading.sensitivity for reading in mine.values() if reading.at_point})
        rows = self.rankings[place]
        block = rank(
            rows,
            weights,
            area="auroc" in measures,
            precision="average_precision" in measures,
            sensitivities=tuple(points),
        )
        for at, reading in mine.items():
            point = points.index(reading.sensitivity) if reading.at_point else 0
            values[:, at] = measured(block, rows.threshold, str(reading.measure), point)

    def jackknife(self, n_jobs: int | None = None) -> np.ndarray:
        """Return the statistics without each cluster in turn, (n_clusters, n_statistics).

        The area under the ROC curve takes one pass; a measure that takes one pass per cluster is
        NaN where ``jackknife_refusals`` says so.
        """
        values = np.full((self.n_clusters, len(self.readings)), np.nan)
        for at, reading in enumerate(self.readings):
            if reading.measure == "auroc":
                values[:, at] = auroc_without_each(self.rankings[reading.source])
        of_sums = [at for at, reading in enumerate(self.readings) if reading.measure is None]
        if self.sums is not None:
            values[:, of_sums] = self.sums.jackknife()
        slow = [
            at
            for at, reading in enumerate(self.readings)
            if reading.measure not in (None, "auroc") and self.jackknife_refusals[at] is None
        ]
        if slow:
            values[:, slow] = self._without_each(n_jobs)[:, slow]
        return values

    @property
    def jackknife_refusals(self) -> tuple[str | None, ...]:
        """Why the jackknife of a statistic is not computed, None where it is."""
        return tuple(self._refusal(reading) for reading in self.readings)

    def _refusal(self, reading: Reading) -> str | None:
        if reading.measure in (None, "auroc"):
            return None
        n_rows = self.rankings[reading.source].clusters.size * self.n_clusters
        if n_rows <= _MAX_JACKKNIFE_ROWS:
            return None
        return (
            f"leaving out each of {self.n_clusters} units in turn, which BCa needs, would pass "
            f"over {n_rows:.2g} rows (at most {_MAX_JACKKNIFE_ROWS:.0e}); take the percentile "
            "interval, or larger clusters"
        )

    def _without_each(self, n_jobs: int | None) -> np.ndarray:
        from joblib import Parallel, delayed

        starts = range(0, self.n_clusters, LANES)
        run = Parallel(n_jobs=n_jobs, prefer=self.prefer)
        return np.concatenate(run(delayed(self._without)(start) for start in starts))

    def _without(self, first: int) -> np.ndarray:
        """Evaluate without clusters ``first``, ``first`` + 1 and so on, one per resample."""
        weights = self._once()
        left_out = np.arange(first, min(first + LANES, self.n_clusters))
        weights[left_out * LANES + np.arange(left_out.size)] = 0
        return self.values(weights)[: left_out.size]

    @property
    def jackknife_strata(self) -> np.ndarray:
        """Stratum of each cluster, in the order of the jackknife."""
        sizes = [clusters.stop - clusters.start for clusters in self.strata]
        return np.repeat(np.arange(len(sizes)), sizes)

    def standard_errors(
        self, contrast: Contrast, generator: np.random.Generator | None, keep: int
    ) -> np.ndarray:
        """Return the standard errors of a contrast on a block's first ``keep`` resamples.

        Without a generator, on the data: shape (1,). Of the rankings, only the area under the
        ROC curve has them.
        """
        for place, _ in contrast:
            if self.readings[place].measure not in (None, "auroc"):
                raise NoInterval(f"{self.names[place]} has no formula for its standard error")
        weights = self._once() if generator is None else self.weights(generator)
        keep = 1 if generator is None else keep
        table = weights.reshape(-1, LANES).T[:keep]
        influences = np.zeros((self.n_clusters, keep)).T
        for place, factor in contrast:
            influences += factor * self._influences(place, weights)[:keep]
        return spread(table, influences, self.strata)

    def _influences(self, place: int, weights: np.ndarray) -> np.ndarray:
        """Return how one more of each cluster moves a statistic, shape (LANES, n_clusters)."""
        reading = self.readings[place]
        if reading.measure is not None:
            return _auroc_influences(self.rankings[reading.source], weights)
        assert self.sums is not None
        counts = np.ascontiguousarray(weights.reshape(-1, LANES).T, dtype=np.float64)
        return self.sums.influences(reading.source, self.sums.exact(counts))

    def _once(self) -> np.ndarray:
        """Return the weights of the data themselves, in every lane."""
        return np.ones(self.n_clusters * LANES, dtype=np.uint8)


def _auroc_influences(rows: RankedRows, weights: np.ndarray) -> np.ndarray:
    """Return how one more of each cluster moves the area, shape (LANES, n_clusters).

    The positives of a cluster bring their placements, the share of negatives below each, and so
    do its negatives; what is above or below their mean moves the area. For clusters of one item
    the variance is DeLong's but for its divisors.

    References
    ----------
    DeLong ER, DeLong DM, Clarke-Pearson DL (1988). Biometrics 44:837-845. Obuchowski NA (1997).
    Nonparametric analysis of clustered ROC curve data. Biometrics 53:567-578.
    """
    placed, positives, negatives = placements(rows, weights)
    area = auroc(rank(rows, weights))
    positives, negatives = positives.astype(np.float64), negatives.astype(np.float64)
    own = rows.positives.astype(np.float64)[:, np.newaxis]
    others = rows.negatives.astype(np.float64)[:, np.newaxis]
    pairs = 2.0 * positives * negatives
    # A positive's negatives below it are all negatives but those above it.
    beaten = divide(placed + 2.0 * negatives * own, pairs)
    expected = area * (divide(own, positives) + divide(others, negatives))
    return (beaten - expected).T


def _check_together(statistics: Sequence[Any], data: Any) -> None:
    first = statistics[0]
    for one in statistics:
        if not isinstance(one, RankingStatistic | SumsStatistic):
            raise ParameterError(
                "Statistics that share their resamples must be of one kind; found "
                f"{first.name} (a {type(first).__name__}) beside a {type(one).__name__}."
            )
    if data is not None:
        raise ParameterError(
            f"{first.name} is a {type(first).__name__} and carries its own data; "
            "leave the data argument out."
        )
    if len({one.n_items for one in statistics}) > 1:
        raise DataError(
            "statistics that share their resamples must be over the same items",
            found=", ".join(f"{one.name} with {one.n_items} items" for one in statistics),
            expected="one number of items",
        )


def _sources(
    statistics: Sequence[RankingStatistic | SumsStatistic],
) -> tuple[list[RankingStatistic], tuple[Reading, ...]]:
    """Return one statistic of each distinct ranking, and where each statistic is read."""
    distinct: list[RankingStatistic] = []
    readings, n_sums = [], 0
    for one in statistics:
        if isinstance(one, SumsStatistic):
            readings.append(Reading(n_sums, None))
            n_sums += 1
            continue
        same = (at for at, other in enumerate(distinct) if one.same_ranking(other))
        source = next(same, len(distinct))
        if source == len(distinct):
            distinct.append(one)
        readings.append(Reading(source, one.measure, one.sensitivity))
    return distinct, tuple(readings)


def _sum_of_each(content: np.ndarray, cluster: np.ndarray, n_clusters: int) -> np.ndarray:
    """Return a number for each cluster that depends on its rows alone, not on their order."""
    total = np.zeros(n_clusters, dtype=np.uint64)
    np.add.at(total, cluster, content)
    return total


def _numbering(
    contents: Sequence[np.ndarray], stratum: np.ndarray
) -> tuple[np.ndarray, tuple[slice, ...]]:
    """Give clusters numbers by their content, stratum by stratum; return the clusters of each.

    Sums make it indifferent in which order the statistics are given, so that ``first - second``
    and ``second - first`` see the same resamples.
    """
    content = np.zeros(stratum.size, dtype=np.uint64)
    for one in contents:
        content += mixed(one)
    n_strata = int(stratum.max(initial=0)) + 1
    of_stratum = np.zeros(n_strata, dtype=np.uint64)
    np.add.at(of_stratum, stratum, mixed(content))
    sizes = np.bincount(stratum, minlength=n_strata)
    by_content = np.lexsort((of_stratum, sizes))
    place = np.empty(n_strata, dtype=np.int64)
    place[by_content] = np.arange(n_strata)
    number = np.empty(stratum.size, dtype=np.int64)
    number[np.lexsort((content, place[stratum]))] = np.arange(stratum.size)
    ends = np.cumsum(sizes[by_content]).tolist()
    return number, tuple(slice(a, b) for a, b in zip([0, *ends], ends, strict=False) if b > a)


def _sums_sampler(
    statistics: Sequence[SumsStatistic],
    codes: np.ndarray,
    n_clusters: int,
    strata: tuple[slice, ...],
) -> SumsSampler:
    """Return the statistics of sums over clusters that are numbered already."""
    features, columns = side_by_side(statistics)
    rows = cluster_sums(features, codes, n_clusters)
    return SumsSampler(
        rows=rows,
        counts=np.ones(n_clusters, dtype=np.int64),
        statistics=tuple(statistics),
        columns=columns,
        exact=ExactSums.of(rows, n_clusters),
        n_items=features.shape[0],
        n_clusters=n_clusters,
        strata=strata,
    )
