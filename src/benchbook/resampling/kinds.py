"""The kinds of statistic the bootstrap knows, behind one small protocol."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from typing import Any, Protocol

import numpy as np

from .generic import CallableSampler
from .statistic import SumsStatistic
from .sums import SumsSampler


class Sampler(Protocol):
    """One or more statistics of a kind, over the same items, ready to be resampled together.

    A new kind of statistic brings a class with these members and registers it with
    :func:`sampler_of`; nothing else needs to know.
    """

    @property
    def n_items(self) -> int:
        """Number of items."""
        ...

    @property
    def n_clusters(self) -> int:
        """Number of clusters drawn in each resample."""
        ...

    @property
    def names(self) -> tuple[str, ...]:
        """Name of each statistic."""
        ...

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why each statistic has no value, when it has none."""
        ...

    @property
    def bounds(self) -> tuple[tuple[float, float], ...]:
        """Smallest and largest possible value of each statistic."""
        ...

    @property
    def prefer(self) -> str:
        """Kind of worker that suits it: ``"threads"`` or ``"processes"``."""
        ...

    @property
    def block_size(self) -> int:
        """Resamples per block; depends on the data alone, never on the number of workers."""
        ...

    def point(self) -> np.ndarray:
        """Return the statistics on the full data, shape (n_statistics,); NaN where undefined."""
        ...

    def replicates(self, generator: np.random.Generator, keep: int) -> np.ndarray:
        """Draw one block and return its first ``keep`` resamples, (keep, n_statistics)."""
        ...

    def jackknife(self, n_jobs: int | None = None) -> np.ndarray:
        """Return the statistics without each cluster in turn, (n_clusters, n_statistics)."""
        ...


@singledispatch
def sampler_of(first: Any, statistics: Sequence[Any], data: Any, cluster: Any) -> Sampler:
    """Return the sampler for ``statistics``, chosen by the type of the first."""
    return CallableSampler.prepare(statistics, data, cluster)


@sampler_of.register
def _(
    first: SumsStatistic, statistics: Sequence[SumsStatistic], data: Any, cluster: Any
) -> Sampler:
    return SumsSampler.prepare(statistics, data, cluster)
