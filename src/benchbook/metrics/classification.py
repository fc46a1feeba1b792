"""Classes assigned to items: confusion counts, accuracy and the F-measures.

Everything is computed from counts. An answer that names no class is a prediction of none, never a
dropped item.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..errors import ParameterError
from ..estimate import Estimate, undefined
from ..resampling import divide
from .inputs import NO_ITEMS
from .intervals import about
from .labels import Memberships
from .proportions import proportion

NO_CLASS = "(none)"


@dataclass(frozen=True, eq=False)
class ClassCounts:
    """Counts per class, from which every F-measure follows.

    Attributes
    ----------
    classes : tuple
        The classes.
    true_positive, false_positive, false_negative : ndarray of shape (n_classes,)
        Counts, or sums of weights.
    occurring : ndarray of bool, shape (n_classes,)
        Whether the reference has the class.
    n_items : int
        Number of items.
    """

    classes: tuple[Hashable, ...]
    true_positive: np.ndarray
    false_positive: np.ndarray
    false_negative: np.ndarray
    occurring: np.ndarray
    n_items: int

    def f_values(self, beta: float = 1.0) -> np.ndarray:
        """Return the F-measure of each class, NaN where it is 0/0."""
        return _f(beta, self.true_positive, self.false_positive, self.false_negative)


def class_counts(items: Memberships) -> ClassCounts:
    """Return true positives, false positives and false negatives of each class."""
    return ClassCounts(
        classes=items.classes,
        true_positive=items.total(items.reference & items.predicted),
        false_positive=items.total(~items.reference & items.predicted),
        false_negative=items.total(items.reference & ~items.predicted),
        occurring=items.occurring,
        n_items=items.n_items,
    )


def f_per_class(counts: ClassCounts, *, beta: float = 1.0) -> dict[Hashable, Estimate]:
    """Return the F-measure of each class: 2 TP / (2 TP + FP + FN) for beta = 1.

    Undefined, with the reason, only where a class neither occurs nor is predicted. The general
    form is (1 + b^2) TP / ((1 + b^2) TP + b^2 FN + FP).
    """
    reason = "the class neither occurs nor is predicted"
    return {
        label: Estimate(
            float(value),
            reason=reason if np.isnan(value) else None,
            **about(f"{f_name(beta)} of {label}", counts.n_items),
        )
        for label, value in zip(counts.classes, counts.f_values(beta), strict=True)
    }


def macro_f(counts: ClassCounts, *, beta: float = 1.0) -> Estimate:
    """Return the mean F-measure over the classes that occur in the reference.

    A class that is only predicted does not enter the mean (its false alarms still lower the
    classes they were taken from, where an item has one class). Undefined, with the reason, when no
    class occurs.
    """
    name = f"macro {f_name(beta)}"
    facts = about(name, counts.n_items)
    values = counts.f_values(beta)[counts.occurring]
    if values.size == 0:
        return undefined("no class occurs in the reference", **facts)
    return Estimate(float(values.mean()), **facts)


def micro_f(counts: ClassCounts, *, beta: float = 1.0) -> Estimate:
    """Return the F-measure of the counts added over all classes.

    With one class and one prediction per item it is the accuracy. Undefined, with the reason, when
    no item has or was given any class.
    """
    sums = (counts.true_positive, counts.false_positive, counts.false_negative)
    value = float(_f(beta, *(each.sum() for each in sums)))
    reason = "no item has or was given any class" if np.isnan(value) else None
    return Estimate(
        value,
        reason=reason if counts.n_items else NO_ITEMS,
        **about(f"micro {f_name(beta)}", counts.n_items),
    )


def accuracy(items: Memberships, *, level: float = 0.95) -> Estimate:
    """Return the share of items whose prediction is right, with its Wilson interval.

    For multilabel items right means every class right. Weighted items have no such interval.
    """
    right = correct(items)
    if items.weight is None:
        return proportion(int(right.sum()), items.n_items, level=level, name="accuracy")
    facts = about("accuracy", items.n_items)
    total = float(items.weight.sum())
    if total == 0:
        return undefined(NO_ITEMS, **facts)
    reason = "weighted counts have no binomial interval"
    return Estimate(float(items.weight @ right) / total, reason=reason, **facts)


def correct(items: Memberships) -> np.ndarray:
    """Return whether each item was given exactly the classes it has."""
    return (items.reference == items.predicted).all(axis=1)


def confusion_matrix(items: Memberships) -> pd.DataFrame:
    """Return the confusion matrix of single-label items; rows are the reference.

    The last column, ``"(none)"``, holds the items that were given no class.
    """
    if not items.single:
        raise ParameterError("A confusion matrix needs one class per item; found multilabel items.")
    none = ~items.predicted.any(axis=1)
    weight = np.ones(items.n_items, np.int64) if items.weight is None else items.weight
    weighted = items.reference.T * weight
    cells = weighted @ np.column_stack([items.predicted, none])
    columns = pd.Index([*items.classes, NO_CLASS], tupleize_cols=False, name="predicted")
    rows = pd.Index(list(items.classes), tupleize_cols=False, name="reference")
    return pd.DataFrame(cells, index=rows, columns=columns)


def f_name(beta: float) -> str:
    """Return the name of the F-measure, ``"F1"`` for beta = 1."""
    return f"F{checked_beta(beta):g}"


def checked_beta(beta: Any) -> float:
    """Return beta, the weight of sensitivity against precision: a positive number."""
    number = float(beta) if isinstance(beta, int | float) and not isinstance(beta, bool) else np.nan
    if not 0 < number < np.inf:
        raise ParameterError(f"beta is {beta!r}; expected a positive number.")
    return number


def _f(beta: float, true: np.ndarray, false: np.ndarray, missed: np.ndarray) -> np.ndarray:
    """Return the F-measure from counts, NaN where it is 0/0."""
    square = checked_beta(beta) ** 2
    return divide((1 + square) * true, (1 + square) * true + square * missed + false)
