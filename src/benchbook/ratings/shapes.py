"""Tables with a row per item, counts per category, and the cross-table of two raters.

Every function returns the fields of `Ratings` by name.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..errors import ParameterError, listed, quoted
from .cells import Origin, cluster_names, distinct, whole_numbers
from .labels import Kind, as_number, canonical, check_categories, check_kind
from .scale import measured
from .tables import (
    Fields,
    as_frame,
    check_items,
    check_not_empty,
    check_raters,
    check_size,
    finished,
    kind_with,
    name_of,
    names_of,
    unlabelled,
)


def wide(
    table: Any,
    kind: str,
    *,
    categories: Sequence[Any] | None = None,
    clusters: Iterable[Hashable] | None = None,
    origin: Origin,
) -> Fields:
    """Check a table of items x raters."""
    checked = kind_with(kind, categories)
    frame = as_frame(table, origin)
    raters = tuple(map(name_of, frame.columns))
    check_not_empty(frame, origin)
    check_raters(raters, origin)
    columns = [distinct(frame.iloc[:, position]) for position in range(frame.shape[1])]
    values, labels, declared = measured(columns, raters, checked, categories, origin)
    items, rated = names_of(frame.index), ~np.isnan(values).all(axis=1)
    check_items(items, rated, origin)
    fields = {
        "values": values,
        "kind": checked,
        "items": items,
        "raters": raters,
        "categories": labels,
        "declared": declared,
        "clusters": cluster_names(clusters, rated, origin),
    }
    return finished(fields, origin)


def counts(
    table: Any,
    kind: str = "nominal",
    *,
    categories: Sequence[Any] | None = None,
    clusters: Iterable[Hashable] | None = None,
    origin: Origin,
) -> Fields:
    """Check a table of items x categories that holds numbers of raters."""
    checked = _categorical(kind)
    frame = as_frame(table, origin)
    check_not_empty(frame, origin)
    labels = _categories(frame.columns, checked, categories, origin)
    order = _order(frame.columns, labels, "column", origin)
    advice = "a column that holds no counts is named as item=… or cluster=…"
    numbers = _arranged(whole_numbers(frame, origin, advice), order, axis=1)
    sizes = numbers.sum(axis=1)
    slots = max(int(sizes.max()), 1)
    check_size(len(frame) * slots, origin)
    values = np.full((len(frame), slots), np.nan)
    filled = np.arange(slots) < sizes[:, None]
    values[filled] = np.repeat(np.tile(np.arange(len(labels)), len(frame)), numbers.ravel())
    items = names_of(frame.index)
    check_items(items, sizes > 0, origin)
    fields = {
        "values": values,
        "kind": checked,
        "items": items,
        "raters": tuple(f"slot {slot + 1}" for slot in range(slots)),
        "categories": labels,
        "declared": True,
        "identified": False,
        "clusters": cluster_names(clusters, sizes > 0, origin),
    }
    return finished(fields, origin)


# Two items rated by two raters are no study, and codes of categories seldom reach ten.
_LARGE_CODE = 10


def looks_like_contingency(table: Any, categories: Sequence[Any] | None = None) -> bool:
    """Tell whether a table given as ratings is probably the cross-table of two raters.

    It is square and holds whole numbers that are no declared categories; its rows are named as
    its columns, or there are two of each and more kinds of number than two, or large ones.
    """
    try:
        cells = np.asarray(table)
    except ValueError:  # rows of different lengths
        return False
    size = len(cells) if cells.ndim == 2 else 0
    if size < 2 or cells.shape[1] != size or cells.dtype.kind not in "iuf":
        return False
    if not ((cells >= 0) & (cells == np.rint(cells)) & np.isfinite(cells)).all():
        return False
    if categories is not None:
        known = set(map(canonical, categories))
        return len(known) == size and not {canonical(cell) for cell in cells.flat} <= known
    if isinstance(table, pd.DataFrame) and not isinstance(table.index, pd.RangeIndex):
        return set(map(canonical, table.index)) == set(map(canonical, table.columns))
    return size == 2 and (len(np.unique(cells)) > 2 or bool(cells.max() >= _LARGE_CODE))


def contingency(
    table: Any,
    kind: str = "nominal",
    *,
    categories: Sequence[Any] | None = None,
    raters: Sequence[str] = ("rater 1", "rater 2"),
    origin: Origin,
) -> Fields:
    """Check the q x q table of two raters; its rows are the first rater's categories."""
    checked = _categorical(kind)
    pair = _two_names(raters)
    frame = as_frame(table, origin)
    check_not_empty(frame, origin)
    labels = _categories(frame.columns, checked, categories, origin)
    across = _order(frame.columns, labels, "column", origin)
    down = _rows_order(frame, labels, categories is not None, origin)
    numbers = _arranged(whole_numbers(frame, origin), across, axis=1)
    numbers = _arranged(numbers, down, axis=0)
    check_size(2 * int(numbers.sum()), origin)
    times = numbers.ravel()
    values = np.column_stack([np.repeat(part.ravel(), times) for part in np.indices(numbers.shape)])
    fields = {
        "values": values.astype(float),
        "kind": checked,
        "items": np.arange(1, len(values) + 1).astype(str).astype(object),
        "raters": pair,
        "categories": labels,
        "declared": True,
        "clusters": None,
    }
    return finished(fields, origin)


def _categorical(kind: str) -> Kind:
    checked = check_kind(kind)
    if checked == "continuous":
        raise ParameterError("counts per category are nominal or ordinal data, not continuous.")
    return checked


def _two_names(raters: Sequence[str]) -> tuple[str, str]:
    if isinstance(raters, str) or len(set(raters)) != 2 or len(raters) != 2:
        raise ParameterError(
            "a cross-table has two raters, rows first; found the names "
            f"{quoted(raters) if isinstance(raters, str) else listed(raters)}."
        )
    return str(raters[0]), str(raters[1])


# ---- categories across and down ----------------------------------------------------------


def _categories(
    columns: pd.Index, kind: Kind, categories: Sequence[Any] | None, origin: Origin
) -> tuple[Any, ...]:
    """Return the scale of a table with a column per category."""
    if categories is not None:
        labels = check_categories(categories)
        if unlabelled(columns) and len(labels) != len(columns):
            raise ParameterError(
                f"{len(columns)} columns of counts need as many categories; found "
                f"{len(labels)} ({listed(labels)})."
            )
        return labels
    labels = check_categories(columns)
    if kind == "ordinal" and not (unlabelled(columns) or _carry_order(columns)):
        raise ParameterError(
            f"{origin.source + ': ' if origin.source else ''}ordinal categories must be declared, "
            f"lowest to highest; found the columns {listed(labels)}."
        )
    return labels


def _carry_order(labels: pd.Index) -> bool:
    """Tell whether labels say their own order: rising numbers, or an ordered categorical."""
    if isinstance(labels.dtype, pd.CategoricalDtype):
        return bool(labels.dtype.ordered) and labels.is_monotonic_increasing
    numbers = [as_number(label) for label in labels]
    known = [number for number in numbers if number is not None]
    return len(known) == len(numbers) and known == sorted(known)


def _order(labels: pd.Index, scale: Sequence[Any], what: str, origin: Origin) -> list[int]:
    """Return the position of each category among the labels; -1 for one that is not there."""
    if unlabelled(labels) and len(labels) == len(scale):
        return list(range(len(scale)))
    wanted = [canonical(label) for label in scale]
    found = [canonical(label) for label in labels]
    for label, name in zip(labels, found, strict=True):
        if name not in wanted or found.count(name) > 1:
            again = name in wanted
            raise origin.error(
                f"a {what} is {'there twice' if again else 'not a declared category'}",
                row=found.index(name) if what == "row" else None,
                column=str(label) if what == "column" else None,
                found=quoted(label),
                expected=("each of " if again else "one of ") + listed(scale),
            )
    return [found.index(name) if name in found else -1 for name in wanted]


def _rows_order(
    frame: pd.DataFrame, scale: Sequence[Any], declared: bool, origin: Origin
) -> list[int]:
    """Return the position of each category among the rows of a cross-table."""
    counted = unlabelled(frame.index)
    names = {canonical(label) for label in frame.index}
    if (len(frame) != len(scale)) if counted else (not declared and len(names) != len(scale)):
        raise origin.error(
            "a cross-table of two raters must be square",
            found=f"{frame.shape[0]} rows and {frame.shape[1]} columns of counts",
            expected="the same categories down and across"
            + ("" if counted or declared else ", or categories=[…] naming the whole scale"),
        )
    return _order(frame.index, scale, "row", origin)


def _arranged(numbers: np.ndarray, order: Sequence[int], axis: int) -> np.ndarray:
    """Take rows or columns in an order; -1 takes zeros."""
    padding = [(0, 0), (0, 0)]
    padding[axis] = (0, 1)
    return np.take(np.pad(numbers, padding), order, axis=axis)
