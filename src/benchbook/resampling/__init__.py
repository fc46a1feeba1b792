"""The bootstrap: intervals for functions of sums, for rankings, and for any callable.

The functions return :class:`~benchbook.estimate.Estimate`, or a :class:`Distribution` where the
replicates themselves are wanted.
"""

from .api import (
    Statistic,
    bootstrap,
    bootstrap_many,
    paired_difference,
    resample,
    resample_difference,
    resample_many,
)
from .clusters import Stratified
from .distribution import Distribution
from .paired import Comparison, compare, comparison
from .ranking import RankingStatistic
from .simultaneous import (
    Rank,
    pairwise_differences,
    ranks,
    simultaneous_intervals,
    simultaneous_p_values,
)
from .statistic import SumsStatistic, divide, mean_statistic, ratio_statistic

__all__ = [
    "Comparison",
    "Distribution",
    "Rank",
    "RankingStatistic",
    "Statistic",
    "Stratified",
    "SumsStatistic",
    "bootstrap",
    "bootstrap_many",
    "compare",
    "comparison",
    "divide",
    "mean_statistic",
    "paired_difference",
    "pairwise_differences",
    "ranks",
    "ratio_statistic",
    "resample",
    "resample_difference",
    "resample_many",
    "simultaneous_intervals",
    "simultaneous_p_values",
]
