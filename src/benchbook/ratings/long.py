"""The long shape: one row per rating."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..errors import DataError, did_you_mean, listed, quoted
from .cells import Column, Origin, distinct, identities, joined
from .scale import measured
from .tables import Fields, chosen_raters, finished, kind_with, need_columns


@dataclass(frozen=True)
class _Reads:
    """Ratings in a row each: whose, of what, and where they stand.

    Attributes
    ----------
    rows, columns : ndarray of int, shape (n,)
        Number of the item and of the rater; -1 where the cell is empty.
    cells : Column
        The ratings as they stand in the table.
    items, raters : list of str
        Names.
    labels : tuple of str
        What the columns of item, rater and rating are called.
    origin : Origin
        Places of these rows.
    """

    rows: np.ndarray
    columns: np.ndarray
    cells: Column
    items: list[str]
    raters: list[str]
    labels: tuple[str, str, str]
    origin: Origin


def long(
    frame: pd.DataFrame,
    kind: str,
    *,
    item: Sequence[str],
    rater: str,
    rating: str,
    cluster: str | None = None,
    categories: Sequence[Any] | None = None,
    raters: Sequence[str] | None = None,
    origin: Origin,
) -> Fields:
    """Check a table with one row per rating; ``raters`` are those to use, in their order.

    Items that only other raters rated count as dropped. A row without a rating says that its item
    was not rated; it may lack the rater.
    """
    checked = kind_with(kind, categories)
    need_columns(frame, [*item, rater, rating, *([cluster] if cluster else [])], origin)
    if len(frame) == 0:
        raise origin.error("there are no ratings", found="no rows", expected="one row per rating")
    rows, items = identities(frame[item[0]] if len(item) == 1 else joined(frame, item))
    reads = _reads(frame, (rows, items), (" / ".join(item), rater, rating), raters, origin)
    values, labels, declared = measured([reads.cells], [rating], checked, categories, reads.origin)
    fields = {
        "values": _grid(reads, values[:, 0]),
        "kind": checked,
        "items": np.array(items, dtype=object),
        "raters": tuple(reads.raters),
        "categories": labels,
        "declared": declared,
        "clusters": None if cluster is None else _clusters(frame[cluster], rows, items, origin),
    }
    return finished(fields, origin)


def _reads(
    frame: pd.DataFrame,
    of: tuple[np.ndarray, list[str]],
    labels: tuple[str, str, str],
    raters: Sequence[str] | None,
    origin: Origin,
) -> _Reads:
    """Keep the rows of the chosen raters, with the raters numbered in their order."""
    rows, items = of
    rater, rating = labels[1:]
    columns, names = identities(frame[rater])
    used = np.arange(len(frame))
    if raters is not None:
        columns, names = _chosen(columns, names, raters, rater, origin)
        used = np.flatnonzero(columns >= 0)
    told = Origin(origin.source, [origin.place(row) for row in used.tolist()], origin.is_file)
    cells = distinct(frame[rating].iloc[used])
    return _Reads(rows[used], columns[used], cells, items, names, labels, told)


def _chosen(
    codes: np.ndarray, names: list[str], raters: Sequence[str], column: str, origin: Origin
) -> tuple[np.ndarray, list[str]]:
    chosen = chosen_raters(raters)
    renumbered = np.full(len(names) + 1, -1)
    for number, name in enumerate(chosen):
        if name not in names:
            raise origin.error(
                f"there is no rater {quoted(name)}{did_you_mean(name, names)}",
                column=column,
                found=f"the raters {listed(names)}",
            )
        renumbered[names.index(name)] = number
    return renumbered[codes], chosen


def _grid(reads: _Reads, values: np.ndarray) -> np.ndarray:
    """Put each rating in the row of its item and the column of its rater."""
    _check_places(reads, ~np.isnan(values))
    known = (reads.rows >= 0) & (reads.columns >= 0)
    rows, columns = reads.rows[known], reads.columns[known]
    keys = pd.Series(rows * len(reads.raters) + columns)
    repeated = keys.duplicated().to_numpy()
    if repeated.any():
        second = int(repeated.argmax())
        first = int((keys == keys.iloc[second]).to_numpy().argmax())
        places = np.flatnonzero(known)
        raise _rated_twice(reads, int(places[first]), int(places[second]), int(repeated.sum()))
    grid = np.full((len(reads.items), len(reads.raters)), np.nan)
    grid[rows, columns] = values[known]
    return grid


def _check_places(reads: _Reads, rated: np.ndarray) -> None:
    for codes, column, whose in (
        (reads.rows, reads.labels[0], "item"),
        (reads.columns, reads.labels[1], "rater"),
    ):
        lost = (codes < 0) & rated
        if lost.any():
            raise reads.origin.error(
                f"a rating belongs to no {whose}",
                row=int(lost.argmax()),
                column=column,
                found=reads.origin.nothing,
                expected=f"the name of the {whose}",
            )


def _rated_twice(reads: _Reads, first: int, second: int, times: int) -> DataError:
    item, rater, rating = reads.labels
    before, now = (
        "an empty cell" if cell is None else quoted(cell)
        for cell in (reads.cells.cell(first), reads.cells.cell(second))
    )
    return reads.origin.error(
        f"rater {quoted(reads.raters[reads.columns[second]])} rated item "
        f"{quoted(reads.items[reads.rows[second]])} twice",
        row=second,
        column=rating,
        found=f"{now} after {before} in row {reads.origin.place(first)} ({times} such rows in all)",
        expected=f"one row per {item} and {rater}; replicates need their number beside the item, "
        f"for instance item={[*item.split(' / '), 'replicate']}, or where=… keeps one of them",
    )


def _clusters(cells: pd.Series, rows: np.ndarray, items: list[str], origin: Origin) -> np.ndarray:
    """Return the one cluster of each item, shape (n_items,)."""
    codes, names = identities(cells)
    known = np.flatnonzero(rows >= 0)
    empty = known[codes[known] < 0]
    if len(empty):
        raise origin.error(
            "an item has no cluster",
            row=int(empty[0]),
            column=str(cells.name),
            found=origin.nothing,
            expected="the name of its cluster, for instance of the patient",
        )
    first = known[np.unique(rows[known], return_index=True)[1]]
    other = known[codes[known] != codes[first[rows[known]]]]
    if len(other):
        row, before = int(other[0]), int(first[rows[other[0]]])
        raise origin.error(
            f"item {quoted(items[rows[row]])} belongs to two clusters",
            row=row,
            column=str(cells.name),
            found=f"{quoted(names[codes[row]])} after {quoted(names[codes[before]])} in row "
            f"{origin.place(before)}",
            expected="one cluster per item",
        )
    return np.array(names, dtype=object)[codes[first]]
