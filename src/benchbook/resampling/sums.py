"""Resampling statistics that are functions of sums: every block of resamples is one product."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..errors import DataError, ParameterError
from .clusters import cluster_codes, stratum_of_each
from .exact_sums import ExactSums
from .indices import indices
from .statistic import SumsStatistic
from .studentised import Contrast, gradient, spread

# One block of resamples holds at most four arrays of this many eight-byte cells: 32 MB, about
# the size at which the processor's cache still helps.
_MAX_CELLS = 2**20
_ODD = np.uint64(0x9E3779B97F4A7C15)  # 2**64 over the golden ratio: its multiples are spread evenly
_CACHED_DRAWS = 2**15  # draws worked on at a time: of eight bytes, a quarter of a megabyte
# Sizes that divide the usual numbers of resamples, so that no draw is thrown away.
_BLOCK_SIZES = (250, 200, 125, 100, 50, 40, 25, 20, 10, 8, 5, 4, 2, 1)
# A multinomial cell costs about as much as drawing, mapping and counting twelve indices.
_MULTINOMIAL_COST = 12


@dataclass(frozen=True, eq=False)
class SumsSampler:
    """Cluster sums of one or more statistics, ready to be resampled together.

    Clusters with identical sums are interchangeable, so they are kept once with their number:
    n clusters drawn with replacement are a multinomial draw over the distinct rows. The rows
    are sorted, so neither the order of the items nor that of the clusters changes a result.

    Parameters
    ----------
    rows : ndarray of shape (n_distinct, n_features)
        Distinct cluster sums, stratum by stratum, in lexicographic order.
    counts : ndarray of int, shape (n_distinct,)
        How many clusters have each row.
    statistics : tuple of SumsStatistic
        What is evaluated.
    columns : tuple of slice
        Features of each statistic.
    exact : ExactSums
        ``rows`` prepared for summation.
    n_items, n_clusters : int
        Items that contribute, and clusters they form.
    strata : tuple of slice
        Rows of each stratum.
    """

    rows: np.ndarray
    counts: np.ndarray
    statistics: tuple[SumsStatistic, ...]
    columns: tuple[slice, ...]
    exact: ExactSums
    n_items: int
    n_clusters: int
    strata: tuple[slice, ...]

    # Drawing and multiplying happen in compiled code that lets other threads run.
    prefer: ClassVar[str] = "threads"

    @classmethod
    def prepare(cls, statistics: Sequence[SumsStatistic], data: Any, cluster: Any) -> SumsSampler:
        """Check that the statistics belong together and sum their clusters."""
        _check_together(statistics, data)
        features, columns = side_by_side(statistics)
        n_items = features.shape[0]
        codes, n_clusters = cluster_codes(cluster, n_items)
        sums = features if cluster is None else cluster_sums(features, codes, n_clusters)
        rows, counts, strata = _by_stratum(sums, stratum_of_each(cluster, codes, n_clusters))
        exact = ExactSums.of(rows, n_clusters)
        return cls(rows, counts, tuple(statistics), columns, exact, n_items, n_clusters, strata)

    @property
    def names(self) -> tuple[str, ...]:
        """Name of each statistic."""
        return tuple(statistic.name for statistic in self.statistics)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why each statistic has no value, when it has none."""
        return tuple(statistic.reason for statistic in self.statistics)

    @property
    def bounds(self) -> tuple[tuple[float, float], ...]:
        """Smallest and largest possible value of each statistic."""
        return tuple(statistic.bounds for statistic in self.statistics)

    @property
    def block_size(self) -> int:
        """Resamples per block; depends on the data alone, never on the number of workers."""
        most = _MAX_CELLS // max(self.rows.shape[0], self.exact.parts.shape[1])
        return next((size for size in _BLOCK_SIZES if size <= most), 1)

    def point(self) -> np.ndarray:
        """Return the statistics on the full data, shape (n_statistics,)."""
        return self.values(self._total())[0]

    def replicates(self, generator: np.random.Generator, keep: int) -> np.ndarray:
        """Draw one block and return its first ``keep`` rows, shape (keep, n_statistics).

        A whole block is drawn every time: shorter runs are the beginning of longer ones, and
        every product has one shape.
        """
        weights = self.weights(generator, self.block_size)
        return self.values(self.exact(weights))[:keep]

    def weights(self, generator: np.random.Generator, size: int) -> np.ndarray:
        """Draw how often each distinct row enters each resample, shape (size, n_distinct)."""
        drawn = [_drawn(generator, self.counts[rows], size) for rows in self.strata]
        return drawn[0] if len(drawn) == 1 else np.hstack(drawn)

    @property
    def jackknife_refusals(self) -> tuple[str | None, ...]:
        """No jackknife takes too long."""
        return (None,) * len(self.names)

    @property
    def jackknife_strata(self) -> np.ndarray:
        """Stratum of each cluster, in the order of the jackknife."""
        sizes = [int(self.counts[rows].sum()) for rows in self.strata]
        return np.repeat(np.arange(len(sizes)), sizes)

    def jackknife(self, n_jobs: int | None = None) -> np.ndarray:
        """Return the statistics without each cluster in turn, shape (n_clusters, n_statistics)."""
        total = self._total()
        step = max(_MAX_CELLS // self.rows.shape[1], 1)
        values = [
            self.values(total - self.rows[start : start + step])
            for start in range(0, self.rows.shape[0], step)
        ]
        return np.repeat(np.concatenate(values), self.counts, axis=0)

    def standard_errors(
        self, contrast: Contrast, generator: np.random.Generator | None, keep: int
    ) -> np.ndarray:
        """Return the standard errors of a contrast on a block's first ``keep`` resamples.

        Without a generator, on the data: shape (1,).
        """
        if generator is None:
            weights = self.counts[np.newaxis].astype(np.float64)
        else:
            weights = self.weights(generator, self.block_size)[:keep]
        sums = self.exact(weights)
        influences = np.zeros(weights.shape)
        for place, factor in contrast:
            influences += factor * self.influences(place, sums)
        return spread(weights, influences, self.strata)

    def influences(self, place: int, sums: np.ndarray) -> np.ndarray:
        """Return how one more cluster of each row moves a statistic, shape (m, n_distinct)."""
        columns = self.columns[place]
        scale = self.counts @ np.abs(self.rows[:, columns])
        own = np.ascontiguousarray(sums[:, columns])
        return gradient(self.statistics[place].evaluate, own, scale) @ self.rows[:, columns].T

    def values(self, sums: np.ndarray) -> np.ndarray:
        """Evaluate every statistic on sums of shape (m, n_features); NaN where undefined."""
        values = np.empty((sums.shape[0], len(self.statistics)))
        for position, (statistic, columns) in enumerate(
            zip(self.statistics, self.columns, strict=True)
        ):
            result = np.asarray(statistic.evaluate(np.ascontiguousarray(sums[:, columns])))
            if result.shape != sums.shape[:1]:
                raise ParameterError(
                    f"The evaluate function of {statistic.name} returned an array of shape "
                    f"{result.shape} for {sums.shape[0]} rows of sums; expected one value per row."
                )
            values[:, position] = result
        values[~np.isfinite(values)] = np.nan
        return values

    def _total(self) -> np.ndarray:
        return self.exact(self.counts[np.newaxis].astype(np.float64))


def _check_together(statistics: Sequence[SumsStatistic], data: Any) -> None:
    for statistic in statistics:
        if not isinstance(statistic, SumsStatistic):
            raise ParameterError(
                "Statistics that share their resamples must be of one kind; found "
                f"{statistics[0].name} (a SumsStatistic) beside a {type(statistic).__name__}."
            )
    if data is not None:
        raise ParameterError(
            f"{statistics[0].name} is a SumsStatistic and carries its own data; "
            "leave the data argument out."
        )
    sizes = [statistic.n_items for statistic in statistics]
    if len(set(sizes)) > 1:
        raise DataError(
            "statistics that share their resamples must be over the same items",
            found=", ".join(f"{s.name} with {s.n_items} items" for s in statistics),
            expected="one number of items",
        )


def side_by_side(statistics: Sequence[SumsStatistic]) -> tuple[np.ndarray, tuple[slice, ...]]:
    """Join the features; statistics over the very same array share its columns."""
    blocks: list[np.ndarray] = []
    places: dict[int, slice] = {}
    width = 0
    for statistic in statistics:
        block = statistic.contributions
        if id(block) not in places:
            places[id(block)] = slice(width, width + block.shape[1])
            width += block.shape[1]
            blocks.append(block)
    features = blocks[0] if len(blocks) == 1 else np.hstack(blocks)
    return features, tuple(places[id(statistic.contributions)] for statistic in statistics)


def cluster_sums(features: np.ndarray, codes: np.ndarray, n_clusters: int) -> np.ndarray:
    """Add up the items of each cluster, exactly; shape (n_clusters, n_features)."""
    from scipy.sparse import csr_array

    n_items = features.shape[0]
    membership = csr_array(
        (np.ones(n_items), (codes, np.arange(n_items))), shape=(n_clusters, n_items)
    )
    largest = int(np.bincount(codes, minlength=1).max())
    return ExactSums.of(features, largest)(membership)


def _by_stratum(
    sums: np.ndarray, stratum: np.ndarray
) -> tuple[np.ndarray, np.ndarray, tuple[slice, ...]]:
    """Collapse the cluster sums of each stratum; return rows, counts, and the rows of each."""
    n_strata = int(stratum.max(initial=0)) + 1
    if n_strata == 1:
        rows, counts = collapse(sums)
        return rows, counts, (slice(0, counts.size),)
    parts = [collapse(sums[stratum == number]) for number in range(n_strata)]
    # Neither names nor order of the strata may matter, so their content orders them.
    parts.sort(key=lambda part: (part[1].sum(), part[0].tobytes(), part[1].tobytes()))
    ends = np.cumsum([counts.size for _, counts in parts]).tolist()
    slices = tuple(slice(start, end) for start, end in zip([0, *ends], ends, strict=False))
    rows, counts = (np.concatenate(each) for each in zip(*parts, strict=True))
    return rows, counts, slices


def collapse(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct rows in lexicographic order, and how often each occurs."""
    rows = rows + 0.0  # minus zero becomes zero: the two are equal but not bit by bit
    _, first, inverse, counts = np.unique(
        _hashes(rows), return_index=True, return_inverse=True, return_counts=True
    )
    distinct = rows[first]
    # Sorting hashes is many times faster than sorting rows, but two rows may share one.
    if not np.array_equal(distinct[inverse], rows):
        distinct, counts = np.unique(rows, axis=0, return_counts=True)
    order = np.lexsort(distinct.T[::-1])
    return np.ascontiguousarray(distinct[order]), counts[order]


def _hashes(rows: np.ndarray) -> np.ndarray:
    """Return one 64-bit number per row, equal for equal rows, in a third of the time of a key.

    The cells are weighted by powers of an odd number and added up.
    """
    bits = np.ascontiguousarray(rows).view(np.uint64)
    # Small whole numbers differ in their upper bits only, which a product would push out.
    mixed = bits >> np.uint64(32)
    mixed ^= bits
    mixed ^= bits >> np.uint64(52)
    return mixed @ np.cumprod(np.full(rows.shape[1], _ODD))


def row_keys(rows: np.ndarray) -> np.ndarray:
    """Return one 64-bit key per row: equal for equal rows, almost surely different otherwise.

    The order of the keys looks random: clusters are numbered by it.
    """
    keys = np.zeros(rows.shape[0], dtype=np.uint64)
    for bits in np.ascontiguousarray(rows).view(np.uint64).T:
        keys ^= bits
        keys ^= keys >> np.uint64(32)  # small whole numbers differ in their upper bits only
        keys *= _ODD
        keys ^= keys >> np.uint64(29)
    return keys


def _drawn(generator: np.random.Generator, counts: np.ndarray, size: int) -> np.ndarray:
    """Draw as many clusters as there are, ``size`` times, and count each distinct row."""
    n_clusters = int(counts.sum())
    if _MULTINOMIAL_COST * counts.size <= n_clusters:
        shares = counts / n_clusters
        return generator.multinomial(n_clusters, shares, size=size).astype(np.float64)
    return counted_indices(generator, counts, size)


def counted_indices(generator: np.random.Generator, counts: np.ndarray, size: int) -> np.ndarray:
    """Draw ``size`` resamples of ``counts.sum()`` clusters and count the distinct rows drawn.

    Quicker than a multinomial draw when most clusters differ. The indices are drawn in strips,
    so that memory stays bounded for any number of clusters.
    """
    n_clusters, n_distinct = int(counts.sum()), counts.size
    row_of = None  # every cluster is a row of its own
    if n_distinct < n_clusters:
        row_of = np.repeat(np.arange(n_distinct, dtype=np.int32), counts)
    weights = np.zeros((size, n_distinct))
    strip = max(_MAX_CELLS // size, 1)
    for start in range(0, n_clusters, strip):
        width = min(strip, n_clusters - start)
        slab = min(max(_CACHED_DRAWS // width, 1), size)
        counter = _Counter.of(slab, width, n_distinct)
        for first in range(0, size, slab):
            into = weights[first : first + slab]
            drawn = indices(generator, n_clusters, len(into) * width)
            into += counter(drawn.astype(np.int32) if row_of is None else row_of[drawn])
    return weights


@dataclass(frozen=True, eq=False)
class _Counter:
    """Counts how often each row was drawn.

    The draws are the column indices of a sparse matrix of ones, and entries of the same place
    add up when it is written out: the fastest counter that needs no compiler of its own.
    """

    ones: np.ndarray
    ends: np.ndarray
    width: int
    n_distinct: int

    @classmethod
    def of(cls, slab: int, width: int, n_distinct: int) -> _Counter:
        """Prepare for at most ``slab`` resamples of ``width`` draws."""
        ends = np.arange(0, slab * width + 1, width, dtype=np.int32)
        return cls(np.ones(slab * width), ends, width, n_distinct)

    def __call__(self, drawn: np.ndarray) -> np.ndarray:
        """Return the counts of one resample after the other, shape (m, n_distinct)."""
        from scipy.sparse import csr_array

        size = drawn.size // self.width
        parts = self.ones[: drawn.size], drawn, self.ends[: size + 1]
        return np.asarray(csr_array(parts, shape=(size, self.n_distinct)).toarray())
