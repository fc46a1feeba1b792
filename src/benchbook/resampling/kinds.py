"""The kinds of statistic the bootstrap knows, behind one small protocol."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from typing import Any, Protocol

import numpy as np

from .generic import CallableSampler
from .ranking import RankingStatistic
from .ranking_sampler import RankingSampler
from .statistic import SumsStatistic
from .studentised import Contrast
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

    @property
    def jackknife_strata(self) -> np.ndarray:
        """Stratum of each cluster, in the order of the jackknife, shape (n_clusters,)."""
        ...

    @property
    def jackknife_refusals(self) -> tuple[str | None, ...]:
        """Why the jackknife of a statistic would take too long, None where it would not."""
        ...

    def standard_errors(
        self, contrast: Contrast, generator: np.random.Generator | None, keep: int
    ) -> np.ndarray:
        """Return the standard errors of a contrast on a block's first ``keep`` resamples.

        Without a generator, on the data: shape (1,). Raises ``NoInterval`` when one of the
        statistics has no formula.
        """
        ...


@singledispatch
def sampler_of(first: Any, statistics: Sequence[Any], data: Any, cluster: Any) -> Sampler:
    """Return the sampler for ``statistics``, chosen by the type of the first."""
    return CallableSampler.prepare(statistics, data, cluster)


@sampler_of.register
def _(
    first: SumsStatistic, statistics: Sequence[SumsStatistic], data: Any, cluster: Any
) -> Sampler:
    if any(isinstance(one, RankingStatistic) for one in statistics):
        return RankingSampler.prepare(statistics, data, cluster)
    return SumsSampler.prepare(statistics, data, cluster)


@sampler_of.register
def _(first: RankingStatistic, statistics: Sequence[Any], data: Any, cluster: Any) -> Sampler:
    return RankingSampler.prepare(statistics, data, cluster)
