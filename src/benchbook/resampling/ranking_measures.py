"""From the counts of one pass to the measures."""

from __future__ import annotations

import numpy as np

from .ranking_kernel import RankedBlock
from .statistic import divide


def measured(block: RankedBlock, threshold: np.ndarray, measure: str, point: int) -> np.ndarray:
    """Return a measure for each resample, NaN where undefined.

    Parameters
    ----------
    block : RankedBlock
    threshold : ndarray of shape (n_steps,)
        Score of each step.
    measure : str
        A key of ``ranking.MEASURES``.
    point : int
        Place of the operating point in the block; of no meaning for the areas.
    """
    if measure == "auroc":
        return auroc(block)
    if measure == "average_precision":
        return np.minimum(divide(block.precision, block.positives), 1.0)
    values = _at_point(block, threshold, measure, point)
    return np.where(block.positives > 0, values, np.nan)


def auroc(block: RankedBlock) -> np.ndarray:
    """Return the area under the ROC curve, NaN with one class only."""
    kind = block.area.dtype
    pairs = 2 * block.positives.astype(kind) * block.negatives.astype(kind)
    return np.clip(divide(pairs - block.area, pairs), 0.0, 1.0)


def _at_point(block: RankedBlock, threshold: np.ndarray, measure: str, point: int) -> np.ndarray:
    true, false = block.true[point].astype(np.float64), block.false[point].astype(np.float64)
    match measure.removesuffix("_at_sensitivity"):
        case "threshold":
            if threshold.size == 0:
                return np.full(true.shape, np.nan)
            return threshold[block.step[point]]
        case "sensitivity":
            return divide(true, block.positives)
        case "specificity":
            return divide(block.negatives - false, block.negatives)
        case "positive_predictive_value":
            return divide(true, true + false)
        case "alarms":
            return true + false
        case "alarm_rate":
            return divide(true + false, block.positives + block.negatives)
    raise AssertionError(measure)  # RankingStatistic accepts no other
