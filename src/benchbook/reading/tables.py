"""Input tables: columns declared once, read from CSV or Parquet, checked in the same way."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..errors import LONGEST_CELL, DataError, clipped, closest, did_you_mean, listed, quoted
from .cells import BadCell, Column, typed
from .csv_table import parse_csv
from .parquet_table import ParquetTable
from .text import read_bytes

__all__ = ["Column", "InputTable", "read_input"]


@dataclass(frozen=True)
class InputTable:
    """A table whose columns are what was declared.

    Attributes
    ----------
    frame : DataFrame
        Typed columns in the declared order, rows as in the file, index 0 … n - 1.
    name : str
        File name, as it appears in messages.
    sha256 : str
        Hash of the file's bytes.
    n_read : int
        Rows in the file.
    lines : array of int, shape (n,)
        Line of each row in a text file (the first line is 1), its number from 1 in Parquet.
    warnings : tuple of str
        What a reader should know: columns that are not used, values outside their usual range.
    row_word : str
        What ``lines`` counts: "line" or "row".
    """

    frame: pd.DataFrame
    name: str
    sha256: str
    n_read: int
    lines: NDArray[np.int64]
    warnings: tuple[str, ...] = ()
    row_word: str = "line"

    def place(self, row: int, column: str | None = None) -> str:
        """Return where a row stands, such as ``scores.csv, line 17, column score``."""
        told = f"{self.name}, {self.row_word} {self.lines[row]}"
        return told if column is None else f"{told}, column {clipped(column, LONGEST_CELL)}"

    def refuse(
        self,
        row: int,
        column: str | None,
        found: object,
        expected: str | None,
        message: str = "this value cannot be used",
    ) -> DataError:
        """Return an error about a cell, ready to raise.

        Parameters
        ----------
        row : int
            Position in ``frame``, from 0.
        column, found, expected, message
            As in :class:`~benchbook.errors.DataError`.
        """
        return DataError(
            message,
            file=self.name,
            row=int(self.lines[row]),
            column=column,
            found=found,
            expected=expected,
        )


@dataclass(frozen=True)
class _Source:
    """A file opened: its columns as cells, not yet typed."""

    name: str
    sha256: str
    columns: list[str]
    raw: Mapping[str, NDArray[Any]]
    lines: NDArray[np.int64]
    row_word: str
    header_line: int | None


def read_input(
    path: str | Path,
    columns: Sequence[Column],
    *,
    key: Sequence[str] = (),
    delimiter: str = ",",
    encoding: str = "utf-8",
) -> InputTable:
    """Read a table of declared columns from a CSV or Parquet file.

    Both forms of one table give the same frame: text is stripped, letters composed of parts are
    joined, and an empty text is an empty cell.

    Parameters
    ----------
    path : path
        A file that ends in ``.csv``, ``.csv.gz`` or ``.parquet`` (the latter needs pyarrow).
    columns : sequence of Column
        What the table must and may hold. Other columns are left out, and named in the warnings.
    key : sequence of str
        Columns that together name a row: no two rows agree in all of them (two empty cells
        agree).
    delimiter, encoding : str
        Of a CSV file; stated, never guessed.

    Returns
    -------
    InputTable

    Raises
    ------
    DataError
        Naming file, row, column, what was found and what was expected.
    """
    file = Path(path)
    source = _open(file, columns, delimiter, encoding)
    warnings = _check_names(source, columns)
    n_rows, cells = len(source.lines), {}
    for column in columns:
        if column.name not in source.raw:
            cells[column.name] = column.absent(n_rows)
            continue
        read = typed(source.raw[column.name], column)
        if isinstance(read, BadCell):
            raise _refused(source, column, read)
        cells[column.name], warning = read
        if warning:
            warnings.append(f"{source.name}: {warning}.")
    # Series of their own dtype: pandas 3 would make another kind of text of objects.
    frame = pd.DataFrame({name: pd.Series(held, dtype=held.dtype) for name, held in cells.items()})
    table = InputTable(
        frame,
        source.name,
        source.sha256,
        n_rows,
        source.lines,
        tuple(warnings),
        source.row_word,
    )
    _check_key(table, key)
    return table


def _open(file: Path, columns: Sequence[Column], delimiter: str, encoding: str) -> _Source:
    name = file.name.lower()
    if name.endswith(".parquet"):
        return _open_parquet(file, columns)
    if name.endswith((".csv", ".csv.gz")):
        return _open_csv(file, columns, delimiter, encoding)
    raise DataError(
        "the ending of the name does not say what the file is",
        file=file.name,
        found=quoted(file.suffix) if file.suffix else "no ending",
        expected=".csv, .csv.gz or .parquet",
    )


def _open_csv(file: Path, columns: Sequence[Column], delimiter: str, encoding: str) -> _Source:
    stored = read_bytes(file)
    raw = stored
    if file.name.lower().endswith(".gz"):
        try:
            raw = gzip.decompress(stored)
        except (OSError, EOFError, zlib.error) as problem:
            raise DataError(
                f"this gzip archive is damaged or cut off ({problem})",
                file=file.name,
                expected="a CSV file packed with gzip, or a name that ends in .csv",
            ) from None
    table = parse_csv(raw, file.name, delimiter=delimiter, encoding=encoding, missing=())
    frame = table.frame
    wanted = [column.name for column in columns if column.name in frame.columns]
    return _Source(
        file.name,
        hashlib.sha256(stored).hexdigest(),
        list(frame.columns),
        {name: frame[name].to_numpy(dtype=object) for name in wanted},
        np.asarray(table.lines, dtype=np.int64),
        "line",
        table.header_line,
    )


def _open_parquet(file: Path, columns: Sequence[Column]) -> _Source:
    table = ParquetTable(file)
    twice = [name for name, times in Counter(table.columns).items() if times > 1]
    if twice:
        raise DataError("two columns have the same name", file=table.name, column=twice[0])
    if table.n_rows == 0:
        raise DataError(
            "the file holds columns and no rows",
            file=table.name,
            found=listed(table.columns) or "no columns",
            expected="at least one row",
        )
    present = [column for column in columns if column.name in table.columns]
    lines = np.arange(1, table.n_rows + 1, dtype=np.int64)
    return _Source(table.name, table.sha256, table.columns, table.raw(present), lines, "row", None)


def _check_names(source: _Source, columns: Sequence[Column]) -> list[str]:
    """Refuse a file that lacks a column; return warnings about columns that are not used."""
    declared = [column.name for column in columns]
    unused = [name for name in source.columns if name not in declared]
    for column in columns:
        if column.required and column.name not in source.columns:
            close = closest(column.name, unused)
            hint = "" if close is None else f"; is it the one called '{close}'?"
            raise DataError(
                f"there is no column '{column.name}'",
                file=source.name,
                row=source.header_line,
                found="the columns " + listed(source.columns),
                expected=f"'{column.name}': {column.expected}{hint}",
            )
    absent = [column.name for column in columns if column.name not in source.columns]
    return [
        f"{source.name}: the column {quoted(name)} is not used{did_you_mean(name, absent) or '.'}"
        for name in unused
    ]


def _refused(source: _Source, column: Column, bad: BadCell) -> DataError:
    return DataError(
        bad.message,
        file=source.name,
        row=int(source.lines[bad.row]),
        column=column.name,
        found=bad.found,
        expected=bad.expected or column.expected,
    )


def _check_key(table: InputTable, key: Sequence[str]) -> None:
    if not key:
        return
    again = table.frame.duplicated(list(key)).to_numpy()
    if not again.any():
        return
    second = int(again.argmax())
    # The first row that agrees: of all that agree, some later one was told as a repetition.
    same = np.ones(len(table.frame), dtype=bool)
    for name in key:
        values, value = table.frame[name], table.frame[name].iloc[second]
        same &= (values.isna() if pd.isna(value) else values == value).to_numpy()
    first = int(same.argmax())
    named = ", ".join(f"{name} {_shown(table.frame[name].iloc[second])}" for name in key)
    n = int(again.sum())
    more = f" ({n:,} rows repeat another)" if n > 1 else ""
    raise table.refuse(
        second,
        None,
        f"{named} in {table.row_word}s {table.lines[first]} and {table.lines[second]}{more}",
        f"one row for each {', '.join(key)}",
        "two rows name the same thing",
    )


def _shown(value: Any) -> str:
    return "(empty)" if pd.isna(value) else quoted(value)
