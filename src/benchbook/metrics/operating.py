"""Operating points: what a threshold does, and the threshold that reaches a wanted rate."""

from __future__ import annotations

import math
from dataclasses import dataclass

from numpy.typing import ArrayLike

from ..errors import ParameterError
from ..estimate import Estimate, undefined
from .curves import RankedCounts, ranked_counts
from .inputs import NO_ITEMS, NO_NEGATIVES, NO_POSITIVES, numbers_of, share_between
from .intervals import about
from .proportions import proportion

CHOSEN_HERE = (
    "the threshold was chosen on these data and the interval takes it as given; resample to let "
    "it move"
)
NO_ALARMS = "there are no alarms"
RATES = {
    "sensitivity": NO_POSITIVES,
    "specificity": NO_NEGATIVES,
    "positive predictive value": NO_ALARMS,
    "negative predictive value": "every item raises an alarm",
    "share of alarms": NO_ITEMS,
    "accuracy": NO_ITEMS,
}


@dataclass(frozen=True)
class OperatingPoint:
    """What happens at one threshold.

    Attributes
    ----------
    threshold : float
        Alarm when the score is at least this (at most this, when low scores speak for the
        condition); infinite when no observed score may raise an alarm, NaN when undefined.
    true_positive, false_positive, false_negative, true_negative : int or float
        Counts, or sums of weights; NaN when there is no threshold.
    n_items : int
        Items of positive weight.
    rule : str
        How the threshold came about, for instance ``"sensitivity at least 0.85"``.
    chosen_here : bool
        Whether the threshold was found on these data.
    weighted : bool
        Whether the counts are sums of weights.
    reason : str or None
        Why there is no threshold.
    """

    threshold: float
    true_positive: float
    false_positive: float
    false_negative: float
    true_negative: float
    n_items: int
    rule: str
    chosen_here: bool
    weighted: bool
    reason: str | None = None

    @property
    def sensitivity(self) -> float:
        """Share of the positives with an alarm; NaN when undefined."""
        return _ratio(*self._counts("sensitivity"))

    @property
    def specificity(self) -> float:
        """Share of the negatives without an alarm; NaN when undefined."""
        return _ratio(*self._counts("specificity"))

    @property
    def positive_predictive_value(self) -> float:
        """Share of the alarms that are true; NaN when undefined."""
        return _ratio(*self._counts("positive predictive value"))

    @property
    def negative_predictive_value(self) -> float:
        """Share of the items without alarm that are negative; NaN when undefined."""
        return _ratio(*self._counts("negative predictive value"))

    @property
    def alarms(self) -> float:
        """Number of alarms, or their weight."""
        return self.true_positive + self.false_positive

    def alarms_per_hour(self, *, items_per_hour: float) -> float:
        """Return ``items_per_hour`` x alarms / items; NaN when undefined.

        Parameters
        ----------
        items_per_hour : float
            How many items an hour of observation has: 60 for minutes, 12 for windows of five.
        """
        if not (isinstance(items_per_hour, int | float) and 0 < items_per_hour < math.inf):
            raise ParameterError(
                f"items_per_hour is {items_per_hour!r}; expected a positive number, such as 60 "
                "for items of one minute."
            )
        return items_per_hour * _ratio(*self._counts("share of alarms"))

    def rates(self, *, level: float = 0.95) -> dict[str, Estimate]:
        """Return every rate with its Wilson interval, keyed by its name.

        The intervals take the items as independent and the threshold as given; a warning says so
        where it was found on the same data. Weighted counts have no such interval.
        """
        return {name: self._rate(name, level) for name in RATES}

    def _rate(self, name: str, level: float) -> Estimate:
        successes, n = self._counts(name)
        facts = about(name, self.n_items, level=level)
        if self.reason or n == 0:
            return undefined(self.reason or RATES[name], **facts)
        notes = (CHOSEN_HERE,) if self.chosen_here else ()
        if self.weighted:
            reason = "weighted counts have no binomial interval"
            return Estimate(successes / n, reason=reason, warnings=notes, **facts)
        made = proportion(successes, n, level=level)
        return Estimate(
            made.value, made.low, made.high, method=made.method, warnings=notes, **facts
        )

    def _counts(self, name: str) -> tuple[float, float]:
        """Return successes and trials of a rate."""
        tp, fp, fn, tn = (
            self.true_positive, self.false_positive, self.false_negative, self.true_negative,
        )  # fmt: skip
        return {
            "sensitivity": (tp, tp + fn),
            "specificity": (tn, tn + fp),
            "positive predictive value": (tp, tp + fp),
            "negative predictive value": (tn, tn + fn),
            "share of alarms": (tp + fp, tp + fp + fn + tn),
            "accuracy": (tp + tn, tp + fp + fn + tn),
        }[name]


def at_threshold(
    positive: ArrayLike,
    score: ArrayLike,
    threshold: float,
    weight: ArrayLike | None = None,
    *,
    higher_is_positive: bool,
) -> OperatingPoint:
    """Return what happens at a threshold fixed beforehand.

    Parameters
    ----------
    positive, score, weight, higher_is_positive
        See `benchbook.metrics.ranked_counts`.
    threshold : float
        Alarm when the score is at least this (at most, when low scores speak for the condition).
    """
    number = float(numbers_of([threshold], "threshold")[0])
    counts = ranked_counts(positive, score, weight, higher_is_positive=higher_is_positive)
    rule = f"threshold {number:g}"
    if counts.n_items == 0:
        return _nowhere(counts, rule, NO_ITEMS)
    true, false = (float(each) for each in counts.counts_at(number))
    return _point(counts, number, true, false, rule, chosen_here=False)


def at_sensitivity(
    positive: ArrayLike,
    score: ArrayLike,
    sensitivity: float,
    weight: ArrayLike | None = None,
    *,
    higher_is_positive: bool,
) -> OperatingPoint:
    """Return the operating point with the fewest alarms among those sensitive enough.

    The threshold is the highest observed score at which the sensitivity is at least that wanted
    (the lowest, when low scores speak for the condition), so the sensitivity reached may be
    higher than asked. True positives / positives is compared as a quotient: 17 of 20 is 0.85.

    Parameters
    ----------
    positive, score, weight, higher_is_positive
        See `benchbook.metrics.ranked_counts`.
    sensitivity : float
        Wanted, in (0, 1].

    Returns
    -------
    OperatingPoint
        Undefined, with the reason, without positives.
    """
    wanted = share_between("sensitivity", sensitivity)
    counts = ranked_counts(positive, score, weight, higher_is_positive=higher_is_positive)
    rule = f"sensitivity at least {wanted:g}"
    if counts.n_positive == 0:
        return _nowhere(counts, rule, NO_POSITIVES if counts.n_items else NO_ITEMS)
    place = int((counts.sensitivity >= wanted).argmax())
    return _observed(counts, place, rule)


def at_specificity(
    positive: ArrayLike,
    score: ArrayLike,
    specificity: float,
    weight: ArrayLike | None = None,
    *,
    higher_is_positive: bool,
) -> OperatingPoint:
    """Return the operating point with the most alarms among those specific enough.

    The threshold is the lowest observed score at which the specificity is at least that wanted
    (the highest, when low scores speak for the condition). Where even the first alarms are too
    many false ones it is infinite: nothing alarms, specificity 1, sensitivity 0.

    Parameters
    ----------
    positive, score, weight, higher_is_positive
        See `benchbook.metrics.ranked_counts`.
    specificity : float
        Wanted, in (0, 1].

    Returns
    -------
    OperatingPoint
        Undefined, with the reason, without negatives.
    """
    wanted = share_between("specificity", specificity)
    counts = ranked_counts(positive, score, weight, higher_is_positive=higher_is_positive)
    rule = f"specificity at least {wanted:g}"
    if counts.n_negative == 0:
        return _nowhere(counts, rule, NO_NEGATIVES if counts.n_items else NO_ITEMS)
    n_enough = int((counts.specificity >= wanted).sum())
    if n_enough == 0:
        never = math.inf if counts.higher_is_positive else -math.inf
        return _point(counts, never, 0, 0, rule, chosen_here=True)
    return _observed(counts, n_enough - 1, rule)


def _observed(counts: RankedCounts, place: int, rule: str) -> OperatingPoint:
    true, false = counts.true_positive[place].item(), counts.false_positive[place].item()
    threshold = float(counts.threshold[place])
    return _point(counts, threshold, true, false, rule, chosen_here=True)


def _point(
    counts: RankedCounts, threshold: float, true: float, false: float, rule: str, chosen_here: bool
) -> OperatingPoint:
    return OperatingPoint(
        threshold=threshold,
        true_positive=true,
        false_positive=false,
        false_negative=counts.n_positive - true,
        true_negative=counts.n_negative - false,
        n_items=counts.n_items,
        rule=rule,
        chosen_here=chosen_here,
        weighted=counts.weighted,
    )


def _nowhere(counts: RankedCounts, rule: str, reason: str) -> OperatingPoint:
    nothing = (math.nan,) * 5
    return OperatingPoint(*nothing, counts.n_items, rule, True, counts.weighted, reason)


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else math.nan  # NaN is true, and stays NaN
