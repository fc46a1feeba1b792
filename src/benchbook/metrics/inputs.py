"""What every metric checks first: labels, scores, probabilities and weights, one per item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import DataError, ParameterError, quoted

LARGEST_EXACT = 2**53  # whole numbers below are exact as float64

NO_ITEMS = "there are no items"
NO_POSITIVES = "there are no positives"
NO_NEGATIVES = "there are no negatives"


@dataclass(frozen=True, eq=False)
class Scored:
    """Items with a label and a score, checked.

    Attributes
    ----------
    positive : ndarray of bool, shape (n_items,)
        True where the item has the condition.
    score : ndarray of float64, shape (n_items,)
        As given.
    weight : ndarray of float64, shape (n_items,), or None
        Weights of at least 0.
    """

    positive: np.ndarray
    score: np.ndarray
    weight: np.ndarray | None

    @property
    def n_items(self) -> int:
        """Number of items."""
        return int(self.positive.size)


def scored(
    positive: ArrayLike,
    score: ArrayLike,
    weight: ArrayLike | None = None,
    *,
    what: str = "score",
    keep_weightless: bool = False,
) -> Scored:
    """Return labels, scores and weights as vectors of one length.

    Items of weight 0 are left out unless ``keep_weightless``, which statistics that are resampled
    need: their rows must stay in step with the cluster ids.

    Raises
    ------
    DataError
        A label that is not true/false, a score that is missing, a weight below 0, or vectors of
        different lengths.
    """
    labels = binary_labels(positive)
    numbers = numbers_of(score, what)
    check_length(what, numbers, labels.size)
    if weight is None:
        return Scored(labels, numbers, None)
    weights = weights_of(weight, labels.size)
    kept = slice(None) if keep_weightless else weights > 0
    return Scored(labels[kept], numbers[kept], weights[kept])


def probabilities(
    positive: ArrayLike,
    probability: ArrayLike,
    weight: ArrayLike | None = None,
    *,
    keep_weightless: bool = False,
) -> Scored:
    """Return labels, probabilities and weights; a probability outside [0, 1] is an error."""
    chances = numbers_of(probability, "probability")
    outside = (chances < 0) | (chances > 1)
    expected = "a number from 0 to 1"
    refuse("the probability lies outside [0, 1]", "probability", chances, outside, expected)
    return scored(positive, chances, weight, what="probability", keep_weightless=keep_weightless)


def binary_labels(values: ArrayLike, name: str = "positive") -> np.ndarray:
    """Return true/false labels as a vector of bool; 0 and 1 are accepted as numbers."""
    labels = vector(values, name)
    if labels.dtype.kind == "b":
        return labels
    expected = "true or false, or 1 or 0, for every item"
    numbers = _as_numbers(labels, name, expected)
    bad = (numbers != 0) & (numbers != 1)  # NaN is neither
    refuse("the label is not true or false", name, labels, bad, expected)
    return numbers == 1


def numbers_of(values: ArrayLike, name: str) -> np.ndarray:
    """Return numbers without missing ones as a vector of float64.

    Infinite numbers can be ranked and are kept.
    """
    raw = vector(values, name)
    expected = "a number for every item; leave out items without one, and count them"
    numbers = _as_numbers(raw, name, expected)
    refuse(f"the {name} is missing", name, raw, np.isnan(numbers), expected)
    if raw.dtype.kind in "iuO":
        large = np.abs(numbers) >= LARGEST_EXACT
        refuse(
            f"the {name} is a whole number too large to be kept apart from its neighbours",
            name,
            raw,
            large & np.isfinite(numbers) & _whole(raw),
            "whole numbers below 2**53",
        )
    return numbers


def weights_of(values: ArrayLike, n_items: int) -> np.ndarray:
    """Return weights: finite and not negative, one per item."""
    weights = numbers_of(values, "weight")
    check_length("weight", weights, n_items)
    bad = ~np.isfinite(weights) | (weights < 0)
    refuse("the weight cannot be used", "weight", weights, bad, "a finite number of at least 0")
    return weights


def vector(values: Any, name: str) -> np.ndarray:
    """Return one value per item as an array of one dimension."""
    if hasattr(values, "to_numpy"):
        values = values.to_numpy()
    array = np.asarray(values)
    if array.ndim != 1:
        raise DataError(
            f"the {name} values are not a vector",
            column=name,
            found=f"an array of shape {array.shape}",
            expected="one value per item",
        )
    return array


def check_length(name: str, values: np.ndarray, n_items: int) -> None:
    """Refuse a vector that does not have one value per item."""
    if len(values) != n_items:
        raise DataError(
            "the number of values is not the number of items",
            column=name,
            found=f"{len(values)} values",
            expected=f"{n_items}, one per item",
        )


def refuse(message: str, column: str, values: np.ndarray, bad: np.ndarray, expected: str) -> None:
    """Raise an error that names the first bad value, when there is one."""
    if not bad.any():
        return
    position = int(np.argmax(bad))
    raise DataError(
        message, row=position + 1, column=column, found=quoted(values[position]), expected=expected
    )


def share_between(
    name: str, value: Any, *, open_low: bool = True, open_high: bool = False
) -> float:
    """Return a number between 0 and 1; the ends are excluded where said."""
    try:
        number = np.nan if isinstance(value, bool | str) else float(value)
    except (TypeError, ValueError):
        number = np.nan
    low = number > 0 if open_low else number >= 0
    high = number < 1 if open_high else number <= 1
    if not (low and high):
        left, right = "(" if open_low else "[", ")" if open_high else "]"
        hint = " (write 85 % as 0.85)" if 1 < number <= 100 else ""
        raise ParameterError(f"{name} is {value!r}; expected a number in {left}0, 1{right}{hint}.")
    return number


def direction(higher_is_positive: Any) -> float:
    """Return 1 when high scores speak for the condition, -1 when low ones do."""
    if not isinstance(higher_is_positive, bool | np.bool_):
        raise ParameterError(
            f"higher_is_positive is {higher_is_positive!r}; expected True or False: the direction "
            "of a score is never inferred from the data."
        )
    return 1.0 if higher_is_positive else -1.0


def _as_numbers(raw: np.ndarray, name: str, expected: str) -> np.ndarray:
    if raw.dtype.kind in "biuf" or raw.size == 0:
        return raw.astype(np.float64)
    numbers = np.empty(raw.size)
    for position, one in enumerate(raw):
        numbers[position] = _as_number(one, position, name, expected)
    return numbers


def _as_number(one: Any, position: int, name: str, expected: str) -> float:
    """Return an object as a number, NaN when missing; text is refused, even of digits."""
    if one is None:
        return np.nan
    try:
        if isinstance(one, str | bytes):
            raise TypeError
        return float(one)
    except (TypeError, ValueError):
        if type(one).__name__ in ("NAType", "NaTType"):
            return np.nan
        raise DataError(
            f"the {name} is not a number",
            row=position + 1,
            column=name,
            found=repr(one),
            expected=expected,
        ) from None


def _whole(raw: np.ndarray) -> np.ndarray:
    if raw.dtype.kind in "iu":
        return np.ones(raw.size, dtype=bool)
    return np.array([isinstance(one, int | np.integer) for one in raw], dtype=bool)
