"""Columns that would pass for a rater and are something else.

In a table with a column per rater, an identifier, a group or a frequency that nobody named would
enter every statistic without a sign. Naming the raters (``raters=[…]``) settles every doubt.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import DataError, listed
from ..ratings.cells import Column, Origin, distinct, translate
from ..ratings.labels import as_number, canonical
from .csv_table import CsvTable

_IDENTIFIER = re.compile(
    r"(.*[ _.-])?"
    r"(id|item|case|subject|subj|patient|unit|image|slide|record|specimen|lesion|번호|환자)s?"
    r"([ _.-]?(id|no|nr|number|번호))?",
    re.IGNORECASE,
)
_IDENTIFIER_ENDING = re.compile(r".*[a-z](ID|Id)")
_FREQUENCY = re.compile(r"freqs?|frequency|frequencies|counts?", re.IGNORECASE)
_FEW_ROWS = 3  # with fewer, any column looks like anything
_FEW_SUMS = 5  # rows that add up alike by chance


def check_doubts(
    table: CsvTable, columns: Sequence[str], kind: str, categories: Iterable[Any] | None
) -> None:
    """Refuse columns, taken for raters because nobody said which are, that are probably none.

    Parameters
    ----------
    table : CsvTable
        The file.
    columns : sequence of str
        Columns about to be taken for raters.
    kind, categories
        As declared.

    Raises
    ------
    DataError
        A first line that is data, a frequency, an identifier, or a column that shares no label
        with the others.
    """
    origin = Origin(table.name, table.lines, is_file=True)
    cells = {name: distinct(table.frame[name]) for name in columns}
    labels = {name: set(map(canonical, column.labels)) for name, column in cells.items()}
    declared = set(map(canonical, categories or ()))
    categorical = kind != "continuous"
    if table.header_line is not None and len(columns) == table.frame.shape[1]:
        known = declared.union(*labels.values()) if categorical else set()
        _check_header(table, columns, known)
    check_parts(cells, origin, "raters=[…] naming the columns that are raters")
    if categorical:
        _check_cross_table(columns, labels, origin)
        _check_counts(cells, origin)
        for name in columns:
            _check_foreign(name, cells[name], labels, declared, origin)


def check_parts(cells: Mapping[str, Column], origin: Origin, otherwise: str) -> None:
    """Refuse columns that hold frequencies or identify the items; ``otherwise`` settles it."""
    for name, column in cells.items():
        if _FREQUENCY.fullmatch(name) and all(canonical(one).isdigit() for one in column.labels):
            what, found, part = "a frequency", "whole numbers under this name", "frequency"
        elif _IDENTIFIER.fullmatch(name) or _IDENTIFIER_ENDING.fullmatch(name):
            what, found, part = "an identifier", "a name like one", "item"
        elif _running(column):
            what, found, part = "an identifier", "the numbers of the rows", "item"
        else:
            continue
        raise origin.error(
            f"this column looks like {what}",
            row=0,
            column=name,
            found=found,
            expected=f"{part}={name}"
            + (f", cluster={name}" if part == "item" else "")
            + f", or {otherwise}",
        )


def _check_header(table: CsvTable, columns: Sequence[str], known: set[str]) -> None:
    numbers = all(as_number(name) is not None for name in columns)
    if numbers or (known and all(canonical(name) in known for name in columns)):
        raise DataError(
            "the line of names looks like ratings",
            file=table.name,
            row=table.header_line,
            found=listed(columns),
            expected="header=false when the file has no line of names, or raters=[…] when these "
            "are names",
        )


def _running(column: Column) -> bool:
    """Tell whether a column counts the rows, from 0 or from 1."""
    n = len(column.codes)
    if n < _FEW_ROWS or len(column.labels) != n or (column.codes < 0).any():
        return False
    numbers = np.array([as_number(label) or 0.0 for label in column.labels])[column.codes]
    return any(np.array_equal(numbers, np.arange(start, start + n)) for start in (0, 1))


def _check_cross_table(
    columns: Sequence[str], labels: Mapping[str, set[str]], origin: Origin
) -> None:
    first, *others = columns or [""]
    if len(others) > 1 and labels[first] == set(map(canonical, others)):
        raise origin.error(
            "this looks like the cross-table of two raters",
            row=0,
            column=first,
            found="the names of the other columns",
            expected="layout=contingency, or raters=[…] naming the columns that are raters",
        )


def _check_counts(cells: Mapping[str, Column], origin: Origin) -> None:
    """Refuse whole numbers, some of them 0, that add up to the same in every row."""
    if not cells or len(next(iter(cells.values())).codes) < _FEW_SUMS:
        return
    values, strange = translate(list(cells.values()), as_number)
    sums = values.sum(axis=1)
    whole = strange is None and np.all((values >= 0) & (values == np.floor(values)))
    alike = np.all(sums == sums[0]) and sums[0] >= 2 and not np.all(values == values[0])
    if whole and alike and (values == 0).any():
        raise origin.error(
            "these rows look like counts per category",
            row=0,
            found=f"numbers that add up to {sums[0]:g} in every row",
            expected="layout=counts, or raters=[…] naming the columns that are raters",
        )


def _check_foreign(
    name: str,
    column: Column,
    labels: Mapping[str, set[str]],
    declared: set[str],
    origin: Origin,
) -> None:
    """Refuse a column that shares no label with the others or with the scale.

    Of two columns without a common label neither is the odd one, unless it says something new in
    every row.
    """
    own, n = labels[name], len(column.codes)
    others = declared.union(*(labels[other] for other in labels if other != name))
    if not own or own & others or n < _FEW_ROWS:
        return
    if len(labels) == 2 and not declared and len(own) < n:
        return
    raise origin.error(
        "this column shares no category with the others, so it looks like no rater",
        row=0,
        column=name,
        found=listed(sorted(own), most=5),
        expected=f"item={name} or cluster={name} for what identifies or groups the items, "
        "raters=[…] naming the columns that are raters, or rater=… and rating=… for a table "
        "with a row per rating",
    )
