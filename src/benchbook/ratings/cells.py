"""From cells to numbers, a column at a time, naming the first cell that has no meaning.

A column is reduced to its distinct values first, so that each spelling is looked at once however
long the table is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..errors import DataError, listed, quoted
from .labels import as_number, canonical

_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+")
# Texts that tables use for "not rated", and that the caller did not name.
_NOT_RATED = frozenset(
    ("nan", "na", "n/a", "<na>", "none", "null", "nil", "missing", ".", "-", "--", "?", "결측")
)
_LARGEST_COUNT = 1e12  # so that no sum of counts overflows
SPREADSHEET_ERROR = re.compile(r"#(N/A|REF!|DIV/0!|VALUE!|NAME\?|NUM!|NULL!)", re.IGNORECASE)


@dataclass(frozen=True)
class Origin:
    """Where a table comes from, so that an error can say it.

    Attributes
    ----------
    source : str
        Name of the file or table.
    rows : sequence, optional
        Line or label of each row; without them, rows are counted from 0.
    is_file : bool
        True when the table was read from a file, so that advice can name the reader's parameters.
    """

    source: str = ""
    rows: Sequence[Any] | None = None
    is_file: bool = False

    @property
    def nothing(self) -> str:
        """How an empty cell is told; in a file it may hold a missing marker."""
        return "an empty cell or a missing marker" if self.is_file else "an empty cell"

    def place(self, row: int) -> Any:
        """Return the line or label of the row at a position."""
        return row if self.rows is None else self.rows[row]

    def error(self, message: str, *, row: int | None = None, **told: Any) -> DataError:
        """Return an error, with the place of the row at position ``row``."""
        place = None if row is None else self.place(row)
        return DataError(message, file=self.source or None, row=place, **told)


@dataclass(frozen=True)
class Column:
    """The distinct values of a column, and where each stands.

    Attributes
    ----------
    codes : ndarray of int, shape (n,)
        Position among ``labels``; -1 where the cell is missing or blank.
    labels : list
        Distinct values, in order of first appearance (levels of a categorical in their order).
    ordered : bool or None
        For a categorical, whether its levels are ordered; None for any other column.
    """

    codes: np.ndarray
    labels: list[Any]
    ordered: bool | None = None

    @property
    def used(self) -> list[Any]:
        """Labels that occur."""
        present = np.bincount(self.codes + 1, minlength=len(self.labels) + 1)[1:]
        return [label for label, times in zip(self.labels, present, strict=True) if times]

    def cell(self, row: int) -> Any:
        """Return the value at a row; None where missing."""
        code = int(self.codes[row])
        return None if code < 0 else self.labels[code]


def distinct(cells: pd.Series) -> Column:
    """Return the distinct values of a column."""
    if isinstance(cells.dtype, pd.CategoricalDtype):
        levels = list(cells.cat.categories)
        codes = cells.cat.codes.to_numpy().astype(np.int64)
        return Column(codes, levels, bool(cells.cat.ordered))
    if cells.dtype == object and pd.api.types.infer_dtype(cells, skipna=True).startswith("mixed"):
        # As keys 1 and True are equal, and as labels they are not.
        cells = cells.map(canonical, na_action="ignore")
    codes, found = pd.factorize(cells)
    labels = list(found)
    blank = [isinstance(label, str) and not label.strip() for label in labels]
    if any(blank):
        codes = np.where(np.array([*blank, False])[codes], -1, codes)
    return Column(codes.astype(np.int64), labels)


def identities(cells: pd.Series) -> tuple[np.ndarray, list[str]]:
    """Return the number and the names of what a column identifies; -1 where the cell is empty.

    Names are compared in canonical form: item 1.0 is item 1, and item 01 is another.
    """
    column = distinct(cells)
    numbers, names = pd.factorize(np.array([canonical(label) for label in column.labels], object))
    codes = np.append(numbers, -1)[column.codes]
    # Numbered anew by first appearance, without names that never occur.
    order, first = np.unique(codes[codes >= 0], return_index=True)
    order = order[np.argsort(first)]
    renumbered = np.full(len(names) + 1, -1)
    renumbered[order] = np.arange(len(order))
    return renumbered[codes], [str(names[code]) for code in order]


def joined(frame: pd.DataFrame, columns: Sequence[str]) -> pd.Series:
    """Return the columns' names joined by " / "; None where one of them is empty."""
    text: Any = None
    empty = np.zeros(len(frame), dtype=bool)
    for column in columns:
        codes, names = identities(frame[column])
        empty |= codes < 0
        part = np.array([*names, ""], dtype=object)[codes]
        text = part if text is None else text + " / " + part
    return pd.Series(np.where(empty, None, text), index=frame.index, dtype=object)


# ---- what the cells mean -----------------------------------------------------------------


def translate(
    columns: Sequence[Column], meaning: Callable[[Any], float | None]
) -> tuple[np.ndarray, tuple[int, int] | None]:
    """Return what each cell stands for, and the place of the first cell without meaning.

    Parameters
    ----------
    columns : sequence of Column
        Columns of equal length.
    meaning : callable
        Number a label stands for, or None.

    Returns
    -------
    values : ndarray of float, shape (n, len(columns))
        NaN where a cell is missing or has no meaning.
    place : tuple of int, or None
        Row and column of the first cell without meaning, in reading order.
    """
    values = np.full((len(columns[0].codes), len(columns)), np.nan)
    places = []
    for position, column in enumerate(columns):
        numbers = [meaning(label) for label in column.labels]
        unknown = np.array([number is None for number in numbers] + [False])
        if unknown.any():
            bad = unknown[column.codes]
            if bad.any():
                places.append((int(bad.argmax()), position))
        told = np.array([np.nan if number is None else number for number in numbers] + [np.nan])
        values[:, position] = told[column.codes]
    return values, min(places, default=None)


def scores(columns: Sequence[Column], names: Sequence[str], origin: Origin) -> np.ndarray:
    """Return the cells as finite numbers, NaN where missing."""
    values, place = translate(columns, as_number)
    if place is not None:
        row, column = place
        cell = columns[column].cell(row)
        raise origin.error(
            "a score is not a number",
            row=row,
            column=names[column],
            found=quoted(cell),
            expected="a finite number" + _number_hint(cell, names[column], origin),
        )
    return values


def _number_hint(cell: Any, column: str, origin: Origin) -> str:
    text = str(cell).strip()
    if _DECIMAL_COMMA.fullmatch(text):
        return " written with a decimal point, " + text.replace(",", ".")
    if not origin.is_file:
        return ", or None where there is no rating"
    if reads_as_missing(cell):
        return f", or missing=[{quoted(cell)}] when it means 'not rated'"
    return (
        f" or an empty cell; a column that holds no scores is named as item={column} or "
        "cluster=…, or left out by raters=[…]; a row per rating needs rater=… and rating=…"
    )


def reads_as_missing(cell: Any) -> bool:
    """Tell whether tables often write "not rated" this way."""
    text = str(cell).strip()
    return text.lower() in _NOT_RATED or bool(SPREADSHEET_ERROR.fullmatch(text))


def codes(
    columns: Sequence[Column], labels: Sequence[Any], names: Sequence[str], origin: Origin
) -> np.ndarray:
    """Return the cells as positions among ``labels``, NaN where missing."""
    known = {canonical(label): float(number) for number, label in enumerate(labels)}
    values, place = translate(columns, lambda label: known.get(canonical(label)))
    if place is not None:
        row, column = place
        cell = columns[column].cell(row)
        hint = ""
        if origin.is_file and reads_as_missing(cell):
            hint = f", or missing=[{quoted(cell)}] when it means 'not rated'"
        raise origin.error(
            "unknown category",
            row=row,
            column=names[column],
            found=quoted(cell),
            expected=f"one of {listed(labels)}{hint}",
        )
    return values


def whole_numbers(frame: pd.DataFrame, origin: Origin, advice: str = "") -> np.ndarray:
    """Return a table of counts; every cell must hold one."""

    def count(cell: Any) -> float | None:
        number = as_number(cell)
        if number is None or not number.is_integer() or not 0 <= number <= _LARGEST_COUNT:
            return None
        return number

    columns = [distinct(frame.iloc[:, position]) for position in range(frame.shape[1])]
    values, place = translate(columns, count)
    empty = np.argwhere(np.isnan(values))
    if place is not None or len(empty):
        row, column = map(int, empty[0])
        cell = columns[column].cell(row)
        raise origin.error(
            "a count is not a whole number",
            row=row,
            column=str(frame.columns[column]),
            found=origin.nothing if cell is None else quoted(cell),
            expected="0, 1, 2 …" + (f"; {advice}" if advice and origin.is_file else ""),
        )
    return values.astype(np.int64)


def cluster_names(
    clusters: Iterable[Hashable] | None, rated: np.ndarray, origin: Origin
) -> np.ndarray | None:
    """Return the name of each item's cluster, shape (n_items,); "" where nobody rated."""
    if clusters is None:
        return None
    column = str(clusters.name) if isinstance(clusters, pd.Series) and clusters.name else None
    cells = pd.Series(list(clusters), dtype=object)
    if len(cells) != len(rated):
        raise origin.error(
            "every item needs its cluster",
            column=column,
            found=f"{len(cells)} cluster labels",
            expected=f"{len(rated)}, one per item",
        )
    numbers, names = identities(cells)
    empty = (numbers < 0) & rated
    if empty.any():
        raise origin.error(
            "an item has no cluster",
            row=int(empty.argmax()),
            column=column,
            found=origin.nothing,
            expected="the name of its cluster, for instance of the patient",
        )
    return np.array([*names, ""], dtype=object)[numbers]
