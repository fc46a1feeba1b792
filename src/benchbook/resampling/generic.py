"""Resampling any Python callable: slower, for statistics that are no function of sums."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from ..errors import DataError, ParameterError
from .clusters import cluster_codes, stratum_of_each
from .intervals import NoInterval
from .studentised import Contrast


@dataclass(frozen=True, eq=False)
class CallableSampler:
    """Data and callables, ready to be resampled together.

    Parameters
    ----------
    functions : tuple of callable
        Each maps resampled data to one number; NaN where undefined.
    data : array, DataFrame, Series, or tuple of these
        Items along the first axis.
    items : ndarray of int, shape (n_items,)
        Items ordered by cluster.
    starts, sizes : ndarray of int, shape (n_clusters,)
        Where each cluster begins in ``items``, and how many items it has.
    members : tuple of ndarray
        Clusters of each stratum.
    """

    functions: tuple[Callable[[Any], float], ...]
    data: Any
    items: np.ndarray
    starts: np.ndarray
    sizes: np.ndarray
    members: tuple[np.ndarray, ...]

    # The time is spent in Python, where threads would wait for each other.
    prefer: ClassVar[str] = "processes"
    # Small, so that a few hundred resamples of a slow callable still fill the workers.
    block_size: ClassVar[int] = 25

    @classmethod
    def prepare(
        cls, statistics: Sequence[Callable[[Any], float]], data: Any, cluster: Any
    ) -> CallableSampler:
        """Check the callables and the data, and order the items by cluster."""
        _check_callable(statistics)
        if data is None:
            raise ParameterError("A callable statistic needs the data argument; found none.")
        n_items = count_items(data)
        codes, n_clusters = cluster_codes(cluster, n_items)
        sizes = np.bincount(codes, minlength=n_clusters)
        starts = np.cumsum(sizes) - sizes
        stratum = stratum_of_each(cluster, codes, n_clusters)
        members = tuple(np.flatnonzero(stratum == one) for one in range(stratum.max(initial=0) + 1))
        items = np.argsort(codes, kind="stable")
        return cls(tuple(statistics), data, items, starts, sizes, members)

    @property
    def n_items(self) -> int:
        """Number of items."""
        return self.items.size

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return self.sizes.size

    @property
    def names(self) -> tuple[str, ...]:
        """Name of each callable, or ``"statistic"`` where it has none."""
        names = (getattr(function, "__name__", "statistic") for function in self.functions)
        return tuple("statistic" if name == "<lambda>" else name for name in names)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why a statistic has no value: its callable said so."""
        return tuple(f"{name} has no value on these data" for name in self.names)

    @property
    def bounds(self) -> tuple[tuple[float, float], ...]:
        """Nothing is known about the range of a callable."""
        return ((-math.inf, math.inf),) * len(self.functions)

    def point(self) -> np.ndarray:
        """Return the statistics on the full data, shape (n_statistics,)."""
        return self._evaluate(self.data)

    def replicates(self, generator: np.random.Generator, keep: int) -> np.ndarray:
        """Draw ``keep`` resamples and evaluate them, shape (keep, n_statistics)."""
        return np.stack([self._evaluate(self._take(self._drawn(generator))) for _ in range(keep)])

    def _drawn(self, generator: np.random.Generator) -> np.ndarray:
        """Draw as many clusters as there are, within each stratum."""
        drawn = [one[generator.integers(0, one.size, size=one.size)] for one in self.members]
        return np.concatenate(drawn)

    def jackknife(self, n_jobs: int | None = None) -> np.ndarray:
        """Return the statistics without each cluster in turn, shape (n_clusters, n_statistics).

        Every callable runs once per cluster.
        """
        from joblib import Parallel, delayed

        blocks = [
            range(start, min(start + self.block_size, self.n_clusters))
            for start in range(0, self.n_clusters, self.block_size)
        ]
        run = Parallel(n_jobs=n_jobs, prefer=self.prefer)
        return np.concatenate(run(delayed(self.without)(block) for block in blocks))

    @property
    def jackknife_refusals(self) -> tuple[str | None, ...]:
        """No jackknife takes too long."""
        return (None,) * len(self.names)

    @property
    def jackknife_strata(self) -> np.ndarray:
        """Stratum of each cluster, in the order of the jackknife."""
        stratum = np.empty(self.n_clusters, dtype=np.int64)
        for number, members in enumerate(self.members):
            stratum[members] = number
        return stratum

    def standard_errors(
        self, contrast: Contrast, generator: np.random.Generator | None, keep: int
    ) -> np.ndarray:
        """Raise ``NoInterval``: nothing is known about how a callable moves."""
        raise NoInterval(f"{self.names[contrast[0][0]]} has no formula for its standard error")

    def without(self, clusters: Sequence[int]) -> np.ndarray:
        """Evaluate without each of ``clusters`` in turn, shape (len(clusters), n_statistics)."""
        everyone = np.arange(self.n_clusters)
        return np.stack([self._evaluate(self._take(np.delete(everyone, c))) for c in clusters])

    def _take(self, clusters: np.ndarray) -> Any:
        """Return the data of the drawn clusters, the items of each side by side."""
        sizes = self.sizes[clusters]
        ends = np.cumsum(sizes)
        shift = np.repeat(self.starts[clusters] - (ends - sizes), sizes)
        return take_items(self.data, self.items[shift + np.arange(shift.size)])

    def _evaluate(self, data: Any) -> np.ndarray:
        values = np.array([_one_number(function, data) for function in self.functions])
        values[~np.isfinite(values)] = np.nan
        return values


def _check_callable(statistics: Sequence[Any]) -> None:
    if not callable(statistics[0]):
        raise ParameterError(
            "A statistic is a SumsStatistic, or a callable that takes the resampled data; "
            f"found {statistics[0]!r}."
        )
    for statistic in statistics[1:]:
        if not callable(statistic):
            raise ParameterError(
                "Statistics that share their resamples must be of one kind; found a "
                f"{type(statistic).__name__} beside a callable."
            )


def count_items(data: Any) -> int:
    """Return the number of items along the first axis of the data."""
    if isinstance(data, tuple) and data:
        sizes = [count_items(part) for part in data]
        if len(set(sizes)) > 1:
            raise DataError(
                "the arrays to be resampled together differ in length",
                found=", ".join(str(size) for size in sizes),
                expected="one number of items",
            )
        return sizes[0]
    if not (isinstance(data, np.ndarray) or hasattr(data, "iloc")) or data.ndim == 0:
        raise DataError(
            "the data cannot be resampled",
            found=f"a {type(data).__name__}",
            expected="an array, a DataFrame, a Series, or a tuple of these, items first",
        )
    return len(data)


def take_items(data: Any, items: np.ndarray) -> Any:
    """Return the rows ``items`` of the data; a DataFrame gets a fresh index."""
    if isinstance(data, tuple):
        return tuple(take_items(part, items) for part in data)
    if hasattr(data, "iloc"):
        return data.iloc[items].reset_index(drop=True)
    return data[items]


def _one_number(function: Callable[[Any], float], data: Any) -> float:
    value = function(data)
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if not isinstance(value, Real):
        raise ParameterError(
            f"The statistic must return one number, NaN where it is undefined; found {value!r}."
        )
    return float(value)
