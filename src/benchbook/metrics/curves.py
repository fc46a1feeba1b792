"""Ranking metrics: the ROC and precision-recall curves and the areas under them.

Everything here is read from one table: for each distinct score, how many positives and how many
negatives would raise an alarm if the threshold were that score.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..estimate import Estimate, undefined
from ..resampling import divide
from .inputs import NO_ITEMS, NO_NEGATIVES, NO_POSITIVES, Scored, direction, scored
from .intervals import about


@dataclass(frozen=True, eq=False)
class RankedCounts:
    """Alarms at every distinct score, none left out and no sentinel added.

    An alarm is a score at least as high as the threshold (at most, when low scores speak for the
    condition).

    Attributes
    ----------
    threshold : ndarray of shape (n_thresholds,)
        The distinct scores, from the one with the fewest alarms to the one that alarms on all.
    true_positive, false_positive : ndarray of shape (n_thresholds,)
        Positives and negatives with an alarm: counts, or sums of weights.
    n_positive, n_negative : int or float
        All positives and negatives: counts, or sums of weights.
    n_items : int
        Items of positive weight.
    higher_is_positive : bool
        The direction of the score.
    weighted : bool
        Whether the counts are sums of weights.
    """

    threshold: np.ndarray
    true_positive: np.ndarray
    false_positive: np.ndarray
    n_positive: float
    n_negative: float
    n_items: int
    higher_is_positive: bool
    weighted: bool

    @property
    def sensitivity(self) -> np.ndarray:
        """Share of the positives with an alarm; NaN without positives."""
        return divide(self.true_positive, np.asarray(self.n_positive))

    @property
    def false_positive_rate(self) -> np.ndarray:
        """Share of the negatives with an alarm; NaN without negatives."""
        return divide(self.false_positive, np.asarray(self.n_negative))

    @property
    def specificity(self) -> np.ndarray:
        """Share of the negatives without an alarm; NaN without negatives."""
        return divide(self.n_negative - self.false_positive, np.asarray(self.n_negative))

    @property
    def precision(self) -> np.ndarray:
        """Share of the alarms that are true (positive predictive value)."""
        return divide(self.true_positive, self.true_positive + self.false_positive)

    def roc_path(self) -> tuple[np.ndarray, np.ndarray]:
        """Return false positive rate and sensitivity from (0, 0), where nothing alarms, to (1, 1).

        The corner (0, 0) belongs to no score; both arrays are one longer than ``threshold``.
        """
        start = np.zeros(1)
        return (
            np.concatenate([start, self.false_positive_rate]),
            np.concatenate([start, self.sensitivity]),
        )

    def one_class(self) -> str | None:
        """Return the reason when there are no items or they are all of one class."""
        if self.n_items == 0:
            return NO_ITEMS
        if self.n_positive == 0:
            return NO_POSITIVES
        return NO_NEGATIVES if self.n_negative == 0 else None

    def counts_at(self, thresholds: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Return true and false positives at any thresholds, two arrays of their shape."""
        sign = direction(self.higher_is_positive)
        wanted = np.asarray(thresholds, dtype=np.float64)
        # Thresholds come in falling order of alarm; how many of them alarm at the wanted one?
        place = np.searchsorted(-sign * self.threshold, -sign * wanted, side="right")
        padded = (np.concatenate([[0], each]) for each in (self.true_positive, self.false_positive))
        true, false = (each[place] for each in padded)
        return true, false


def ranked_counts(
    positive: ArrayLike,
    score: ArrayLike,
    weight: ArrayLike | None = None,
    *,
    higher_is_positive: bool,
) -> RankedCounts:
    """Count the alarms at every distinct score: the points of the ROC and precision-recall curves.

    Parameters
    ----------
    positive : array_like of bool or 0/1, shape (n_items,)
        True where the item has the condition.
    score : array_like of shape (n_items,)
        Higher or lower for the condition, as said by ``higher_is_positive``; may be infinite.
    weight : array_like of shape (n_items,), optional
        Weights of at least 0; whole numbers count exactly.
    higher_is_positive : bool
        Whether high scores speak for the condition. Never inferred from the data.

    Returns
    -------
    RankedCounts

    Raises
    ------
    DataError
        A missing label or score, a weight below 0, or vectors of different lengths.
    ParameterError
        ``higher_is_positive`` is not True or False.
    """
    sign = direction(higher_is_positive)
    data = scored(positive, score, weight)
    order = _ranking(data, sign)
    ranked, label = data.score[order], data.positive[order]
    last = np.append(np.flatnonzero(ranked[1:] != ranked[:-1]), [data.n_items - 1])
    last = last[last >= 0]
    if data.weight is None:
        true = np.cumsum(label, dtype=np.int64)[last]
        false = last + 1 - true
    else:
        weights = data.weight[order]
        true = np.cumsum(np.where(label, weights, 0.0))[last]
        false = np.cumsum(np.where(label, 0.0, weights))[last]
    return RankedCounts(
        threshold=ranked[last],
        true_positive=true,
        false_positive=false,
        n_positive=true[-1].item() if last.size else 0,
        n_negative=false[-1].item() if last.size else 0,
        n_items=data.n_items,
        higher_is_positive=sign > 0,
        weighted=data.weight is not None,
    )


def _ranking(data: Scored, sign: float) -> np.ndarray:
    """Return the order of the items from the first to alarm to the last."""
    key = -sign * data.score
    if data.weight is None or np.array_equal(data.weight, np.rint(data.weight)):
        return np.argsort(key)
    # Sums of fractions depend on their order; this one does not depend on the order of the rows.
    return np.lexsort((data.weight, data.positive, key))


def auroc(
    positive: ArrayLike,
    score: ArrayLike,
    weight: ArrayLike | None = None,
    *,
    higher_is_positive: bool,
) -> Estimate:
    """Return the area under the ROC curve, without an interval.

    The probability that a random positive scores above a random negative, ties counted one half;
    in [0, 1], 0.5 for a score that tells nothing, below 0.5 for one that points the wrong way.

    Parameters
    ----------
    positive, score, weight, higher_is_positive
        See `ranked_counts`.

    Returns
    -------
    Estimate
        Undefined, with the reason, when all items are of one class.

    See Also
    --------
    benchbook.metrics.delong_interval : the same value with an analytic interval.

    References
    ----------
    Hanley JA, McNeil BJ (1982). The meaning and use of the area under a receiver operating
    characteristic (ROC) curve. Radiology 143:29-36.
    """
    counts = ranked_counts(positive, score, weight, higher_is_positive=higher_is_positive)
    facts = about("AUROC", counts.n_items)
    reason = counts.one_class()
    if reason:
        return undefined(reason, **facts)
    gained = np.diff(counts.true_positive, prepend=0)
    beaten = 2 * counts.n_negative - counts.false_positive - _before(counts.false_positive)
    pairs = 2 * counts.n_positive * counts.n_negative
    return Estimate((gained @ beaten).item() / pairs, **facts)


def average_precision(
    positive: ArrayLike,
    score: ArrayLike,
    weight: ArrayLike | None = None,
    *,
    higher_is_positive: bool,
) -> Estimate:
    """Return the average precision: precision weighted by the gain in sensitivity.

    AP = sum_k (R_k - R_{k-1}) P_k over the distinct scores, tied items entering together, without
    interpolation. A score that tells nothing has about the share of positives.

    Parameters
    ----------
    positive, score, weight, higher_is_positive
        See `ranked_counts`.

    Returns
    -------
    Estimate
        Undefined, with the reason, without positives; 1 without negatives.

    References
    ----------
    Davis J, Goadrich M (2006). The relationship between precision-recall and ROC curves. ICML
    233-240, on why not to interpolate.
    """
    counts = ranked_counts(positive, score, weight, higher_is_positive=higher_is_positive)
    facts = about("average precision", counts.n_items)
    if counts.n_positive == 0:
        return undefined(NO_POSITIVES if counts.n_items else NO_ITEMS, **facts)
    gained = np.diff(counts.true_positive, prepend=0)
    # Items before the first positive add nothing, and where they alarm precision is 0, not 0/0.
    return Estimate(float(gained @ counts.precision) / counts.n_positive, **facts)


def _before(cumulated: np.ndarray) -> np.ndarray:
    """Return the running sums as they were one step earlier."""
    return np.concatenate([np.zeros(1, dtype=cumulated.dtype), cumulated[:-1]])
