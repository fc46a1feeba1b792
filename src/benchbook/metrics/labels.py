"""Class labels of items, turned into tables of bool.

An item may have one class (multiclass) or any number of them (multilabel).
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..errors import DataError, ParameterError, nearest, quoted
from .inputs import check_length, vector, weights_of


@dataclass(frozen=True, eq=False)
class Memberships:
    """Which classes each item has and was given.

    Attributes
    ----------
    classes : tuple
        The classes, in the order of the columns.
    reference, predicted : ndarray of bool, shape (n_items, n_classes)
        Whether the item has the class, and whether it was given it.
    weight : ndarray of float64, shape (n_items,), or None
        Weights of at least 0.
    single : bool
        Whether every item has one class (multiclass) and at most one prediction.
    """

    classes: tuple[Hashable, ...]
    reference: np.ndarray
    predicted: np.ndarray
    weight: np.ndarray | None
    single: bool

    @property
    def n_items(self) -> int:
        """Number of items."""
        return int(self.reference.shape[0])

    @property
    def occurring(self) -> np.ndarray:
        """Classes that the reference has, as a vector of bool; items of weight 0 do not count."""
        kept = slice(None) if self.weight is None else self.weight > 0
        return np.asarray(self.reference[kept].any(axis=0))

    def total(self, mask: np.ndarray) -> np.ndarray:
        """Return how many items (or what weight) each column of a table of bool holds."""
        if self.weight is None:
            return mask.sum(axis=0)
        return self.weight @ mask


def memberships(
    reference: Sequence[Any] | np.ndarray | pd.Series,
    predicted: Sequence[Any] | np.ndarray | pd.Series,
    *,
    classes: Sequence[Hashable] | None = None,
    weight: ArrayLike | None = None,
) -> Memberships:
    """Return the classes of single-label items as tables of bool.

    Parameters
    ----------
    reference : sequence of hashable, shape (n_items,)
        The class of each item. A missing one (None, NaN) is an error: such items are not scored.
    predicted : sequence of hashable, shape (n_items,)
        The class given to each item; None or NaN where none was.
    classes : sequence of hashable, optional
        All classes there are. By default those that occur; a class that does not is then an error.
    weight : array_like of shape (n_items,), optional
        Weights of at least 0.

    Raises
    ------
    DataError
        A missing reference, a class that was not declared, or different lengths.
    """
    truth, answer = _labels(reference), _labels(predicted)
    check_length("predicted", answer, truth.size)
    missing = pd.isna(truth)
    if missing.any():
        raise DataError(
            "the reference class is missing",
            row=int(missing.argmax()) + 1,
            column="reference",
            expected="a class for every item; leave out items without one, and count them",
        )
    index = _class_index(classes, truth, answer)
    codes = [_codes(column, values, index) for column, values in
             (("reference", truth), ("predicted", answer))]  # fmt: skip
    tables = [each[:, np.newaxis] == np.arange(len(index)) for each in codes]
    weights = None if weight is None else weights_of(weight, truth.size)
    return Memberships(tuple(index), tables[0], tables[1], weights, single=True)


def multilabel_memberships(
    reference: Sequence[Collection[Hashable]] | np.ndarray,
    predicted: Sequence[Collection[Hashable]] | np.ndarray,
    *,
    classes: Sequence[Hashable],
    weight: ArrayLike | None = None,
    ignore_unknown: bool = False,
) -> Memberships:
    """Return the classes of items that may have several as tables of bool.

    Parameters
    ----------
    reference, predicted : ndarray of bool, shape (n_items, n_classes), or sequence of collections
        The classes of each item, as a table or as one collection of classes per item; an empty
        collection where there is none.
    classes : sequence of hashable
        All classes, in the order of the columns.
    weight : array_like of shape (n_items,), optional
        Weights of at least 0.
    ignore_unknown : bool
        Whether predicted names that are no class are passed over (in collections only).

    Raises
    ------
    DataError
        A table of another shape, or a name that is no class.
    """
    index = {label: place for place, label in enumerate(_declared(classes))}
    truth = _table("reference", reference, index, ignore_unknown=False)
    answer = _table("predicted", predicted, index, ignore_unknown=ignore_unknown)
    check_length("predicted", answer, len(truth))
    weights = None if weight is None else weights_of(weight, len(truth))
    return Memberships(tuple(index), truth, answer, weights, single=False)


def _labels(values: Any) -> np.ndarray:
    """Return labels as objects, one per item, tuples kept whole."""
    if hasattr(values, "to_numpy"):
        values = values.to_numpy()
    if isinstance(values, np.ndarray):
        values = vector(values, "class").tolist()
    labels = np.empty(len(values), dtype=object)
    labels[:] = list(values)
    return labels


def _class_index(classes: Sequence[Hashable] | None, *labels: np.ndarray) -> pd.Index:
    if classes is not None:
        return pd.Index(_declared(classes), dtype=object, tupleize_cols=False)
    seen = dict.fromkeys(one for each in labels for one in each[~pd.isna(each)])
    try:
        occurring = sorted(seen)
    except TypeError:
        occurring = list(seen)
    return pd.Index(occurring, dtype=object, tupleize_cols=False)


def _declared(classes: Sequence[Hashable]) -> list[Hashable]:
    declared = list(classes)
    if len(set(declared)) != len(declared):
        raise ParameterError("a class is declared twice.")
    return declared


def _codes(column: str, labels: np.ndarray, index: pd.Index) -> np.ndarray:
    """Return the place of each label among the classes, -1 where it is missing."""
    codes = np.asarray(index.get_indexer(pd.Index(labels, dtype=object, tupleize_cols=False)))
    without = codes < 0
    unknown = without & ~pd.isna(labels) if without.any() else without
    if unknown.any():
        place = int(unknown.argmax())
        raise _unknown(column, place, labels[place], list(index))
    return codes


def _unknown(column: str, place: int, found: Any, classes: Collection[Hashable]) -> DataError:
    hint = nearest(found, classes)
    message = f"the label is not one of the classes ({hint})"
    return DataError(message, row=place + 1, column=column, found=quoted(repr(found)))


def _table(
    column: str, values: Any, index: dict[Hashable, int], *, ignore_unknown: bool
) -> np.ndarray:
    """Return a table of bool from a table, or from one collection of classes per item."""
    if isinstance(values, pd.DataFrame):
        values = values.to_numpy()
    if isinstance(values, np.ndarray) and (values.ndim == 2 or values.dtype != object):
        return _checked_table(column, values, len(index))
    table = np.zeros((len(values), len(index)), dtype=bool)
    for place, labels in enumerate(values):
        if isinstance(labels, str) or not isinstance(labels, Collection):
            raise DataError(
                "the classes of an item are not a collection",
                row=place + 1,
                column=column,
                found=repr(labels),
                expected="a list or set of classes, empty where there is none",
            )
        for label in labels:
            if label in index:
                table[place, index[label]] = True
            elif not ignore_unknown:
                raise _unknown(column, place, label, index)
    return table


def _checked_table(column: str, values: np.ndarray, n_classes: int) -> np.ndarray:
    try:
        numbers = np.where(pd.isna(values), np.nan, values).astype(np.float64)
    except (TypeError, ValueError):
        numbers = np.full(values.shape, np.nan)
    known = numbers.ndim == 2 and numbers.shape[1] == n_classes
    if not known or not np.isin(numbers, (0, 1)).all():
        raise DataError(
            "the table of classes cannot be used",
            column=column,
            found=f"shape {values.shape}, type {values.dtype}",
            expected=f"true or false (1 or 0), one column for each of {n_classes} classes",
        )
    return numbers == 1
