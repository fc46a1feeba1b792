"""Statistics of a ranking: the area under the ROC curve, average precision, operating points."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass

import numpy as np

from ..errors import ParameterError, nearest

AT_SENSITIVITY = "_at_sensitivity"
_RATE = (0.0, 1.0)
# Smallest and largest possible value of each measure.
MEASURES = {
    "auroc": _RATE,
    "average_precision": _RATE,
    "threshold_at_sensitivity": (-math.inf, math.inf),
    "sensitivity_at_sensitivity": _RATE,
    "specificity_at_sensitivity": _RATE,
    "positive_predictive_value_at_sensitivity": _RATE,
    "alarms_at_sensitivity": (0.0, math.inf),
    "alarm_rate_at_sensitivity": _RATE,
}
# These say something about the negatives, and have no value without any.
NEEDS_NEGATIVES = ("auroc", "specificity_at_sensitivity")


@dataclass(frozen=True, eq=False)
class RankingStatistic:
    """A statistic that depends on the data through the order of the scores.

    A resample changes only how often each item counts, so all resamples share one sorting. The
    measures ``..._at_sensitivity`` are read at the highest threshold whose sensitivity is at
    least ``sensitivity`` (the lowest, when low scores speak for the condition); an alarm is a
    score at least as high (low) as the threshold, and each resample finds its own.

    Parameters
    ----------
    name : str
        What is estimated, for instance ``"AUROC, model A"``.
    scores : array_like of shape (n_items,)
        Not missing; may be infinite.
    positive : array_like of bool or 0/1, shape (n_items,)
        True where the item has the condition.
    measure : str
        ``"auroc"``: probability that a random positive ranks above a random negative, ties one
        half. ``"average_precision"``: sum of precision times gain in sensitivity over the
        distinct scores, no interpolation. At the operating point: ``"threshold"``,
        ``"sensitivity"``, ``"specificity"``, ``"positive_predictive_value"``, ``"alarms"``
        (items with an alarm, or their weight) or ``"alarm_rate"`` (their share), each followed
        by ``"_at_sensitivity"``.
    higher_is_positive : bool
        Whether high scores speak for the condition. Never inferred from the data.
    sensitivity : float, default 0.85
        Wanted sensitivity, in (0, 1]; compared as a quotient of counts, so 17 of 20 is 0.85.
    weights : array_like of shape (n_items,), optional
        Weights of at least 0. Whole numbers count exactly; an item of weight 0 counts for
        nothing, but stays part of its cluster.
    reason : str, optional
        Why the statistic is undefined, when it is; found from the data by default.

    Raises
    ------
    DataError
        A label that is not true/false, a missing score, a weight below 0, or vectors of
        different lengths.
    ParameterError
        An unknown measure, no direction, or a sensitivity out of range.

    Examples
    --------
    >>> from benchbook.resampling import RankingStatistic, bootstrap
    >>> statistic = RankingStatistic(
    ...     "AUROC", [0.9, 0.8, 0.3, 0.1], [1, 0, 1, 0], higher_is_positive=True
    ... )
    >>> bootstrap(statistic, n_resamples=100).value
    0.75
    """

    name: str
    scores: np.ndarray
    positive: np.ndarray
    measure: str = "auroc"
    _: KW_ONLY
    higher_is_positive: bool
    sensitivity: float = 0.85
    weights: np.ndarray | None = None
    reason: str | None = None

    def __post_init__(self) -> None:
        # The metrics are built on this package, so their checks are imported when needed.
        from ..metrics.inputs import (
            binary_labels,
            check_length,
            direction,
            numbers_of,
            share_between,
            weights_of,
        )

        if self.measure not in MEASURES:
            raise ParameterError(f"measure is {self.measure!r}; {nearest(self.measure, MEASURES)}")
        direction(self.higher_is_positive)
        labels, scores = binary_labels(self.positive), numbers_of(self.scores, "score")
        check_length("score", scores, labels.size)
        self._set("positive", labels)
        self._set("scores", scores)
        self._set("sensitivity", share_between("sensitivity", self.sensitivity))
        if self.weights is not None:
            self._set("weights", weights_of(self.weights, labels.size))
        if self.reason is None:
            self._set("reason", self._why_undefined())

    @property
    def n_items(self) -> int:
        """Number of items."""
        return int(self.positive.size)

    @property
    def bounds(self) -> tuple[float, float]:
        """Smallest and largest possible value."""
        return MEASURES[self.measure]

    def same_ranking(self, other: RankingStatistic) -> bool:
        """Tell whether both rank the same items in the same way, and can share a pass."""
        return (
            self.higher_is_positive == other.higher_is_positive
            and _equal(self.scores, other.scores)
            and _equal(self.positive, other.positive)
            and _equal(self.weights, other.weights)
        )

    def _why_undefined(self) -> str:
        counted = self.positive if self.weights is None else self.positive[self.weights > 0]
        if counted.size == 0:
            return "there are no items" if self.n_items == 0 else "every item has weight 0"
        if not counted.any():
            return "there are no positives"
        if counted.all() and self.measure in NEEDS_NEGATIVES:
            return "there are no negatives"
        return "the threshold is infinite"

    def _set(self, field: str, value: object) -> None:
        object.__setattr__(self, field, value)


def _equal(first: np.ndarray | None, second: np.ndarray | None) -> bool:
    if first is None or second is None:
        return first is second
    return first is second or np.array_equal(first, second)
