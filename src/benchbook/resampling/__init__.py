"""The bootstrap: intervals for anything that is a function of sums, and for any callable.

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
from .distribution import Distribution
from .statistic import SumsStatistic, divide, mean_statistic, ratio_statistic

__all__ = [
    "Distribution",
    "Statistic",
    "SumsStatistic",
    "bootstrap",
    "bootstrap_many",
    "divide",
    "mean_statistic",
    "paired_difference",
    "ratio_statistic",
    "resample",
    "resample_difference",
    "resample_many",
]
