"""From text to a table of cells, each row with the line of the file it came from."""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from ..errors import DataError, ParameterError, listed, quoted
from ..ratings.labels import as_number
from .text import decode, read_bytes

MISSING = ("", "NA", "NaN")
_DELIMITERS = {";": "semicolon", "\t": "tab", "|": "bar", ",": "comma"}
_SEPARATOR_LINE = re.compile(r"\Asep=.(?=[\r\n])", re.IGNORECASE)
_SPELLED = {"\\t": "\t", "tab": "\t"}

Record = tuple[int, list[str]]  # line of the file, cells


@dataclass(frozen=True)
class CsvTable:
    """A delimited text file: cells as text, with the line each row came from.

    Attributes
    ----------
    frame : DataFrame of str
        One row per record; a cell that holds a missing marker is None.
    lines : list of int
        Line of the file for each row (the first line is 1).
    name : str
        File name, as it appears in messages.
    sha256 : str
        Hash of the file's bytes.
    n_read : int
        Records in the file, before any were left out.
    header_line : int or None
        Line that names the columns; None when the file has no names.
    """

    frame: pd.DataFrame
    lines: list[int]
    name: str
    sha256: str
    n_read: int
    header_line: int | None = None


def read_csv_table(
    path: str | Path,
    *,
    header: bool = True,
    delimiter: str = ",",
    encoding: str = "utf-8",
    missing: Sequence[str] = MISSING,
) -> CsvTable:
    """Read a delimited text file without guessing its encoding, separator or types.

    Blank lines, and lines of empty cells at the end, are no rows. A column without a name and
    without a single cell, as a delimiter at the end of each line makes, is no column; a column
    without a name that holds something is called "column 3" by its number.

    Parameters
    ----------
    path : path
        The file.
    header : bool
        True when the first line names the columns; otherwise they are called "rater 1" ….
    delimiter, encoding : str
        Stated, never guessed. A UTF-8 byte-order mark is skipped.
    missing : sequence of str
        Cells that mean "not rated", beside empty ones.

    Raises
    ------
    DataError
        No such file, empty file, other encoding or separator, ragged rows, repeated column names.
    ParameterError
        An encoding that does not exist, a delimiter that is not one character.
    """
    file = Path(path)
    _delimiter(delimiter)
    return parse_csv(
        read_bytes(file),
        file.name,
        header=header,
        delimiter=delimiter,
        encoding=encoding,
        missing=missing,
    )


def parse_csv(
    raw: bytes,
    name: str,
    *,
    header: bool = True,
    delimiter: str = ",",
    encoding: str = "utf-8",
    missing: Sequence[str] = MISSING,
) -> CsvTable:
    """Read a delimited text file from its bytes; see :func:`read_csv_table`."""
    mark = _delimiter(delimiter)
    # The line by which Excel tells itself the separator is no row.
    text = _SEPARATOR_LINE.sub("", decode(raw, name, encoding, mark))
    records = _records(text, name, mark)
    _check_separated(records, text, name, mark)
    names, body = _names(_even(records, text, name, mark, header), header, name)
    frame = _frame(names, [cells for _, cells in body], missing)
    lines = [line for line, _ in body]
    digest = hashlib.sha256(raw).hexdigest()
    header_line = records[0][0] if header else None
    return CsvTable(frame, lines, name, digest, len(lines), header_line)


def _frame(names: list[str], rows: list[list[str]], missing: Sequence[str]) -> pd.DataFrame:
    """Return the cells as text, None where missing, without columns that are not there."""
    words = [missing] if isinstance(missing, str) else missing
    markers = {"", *(word.strip() for word in words)}
    columns: dict[str, list[str | None]] = {}
    for number, name in enumerate(names):
        cells = [row[number].strip() for row in rows]
        if name or any(cells):
            told = [None if cell in markers else cell for cell in cells]
            columns[name or f"column {number + 1}"] = told
    return pd.DataFrame(columns, dtype=object)


def _delimiter(delimiter: str) -> str:
    mark = _SPELLED.get(delimiter, delimiter)
    if len(mark) != 1 or mark in '"\r\n':
        raise ParameterError(
            f"a delimiter is one character, such as ',' or ';'; found {quoted(delimiter)}."
        )
    return mark


def _records(text: str, name: str, delimiter: str) -> list[Record]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    records: list[Record] = []
    start, last = 1, 0
    try:
        for row in reader:
            filled = any(map(str.strip, row))
            # A blank line is no record; a row of empty cells is an item nobody rated.
            if filled or len(row) > 1:
                records.append((start, row))
            if filled:
                last = len(records)
            start = reader.line_num + 1
    except csv.Error as problem:
        raise _unreadable_quotes(str(problem), name, start) from None
    if not last:
        raise DataError(
            "the file is empty",
            file=name,
            found="nothing but delimiters and white space",
            expected="a header line and one row per item",
        )
    return records[:last]


def _unreadable_quotes(problem: str, name: str, line: int) -> DataError:
    message = f"the quotation marks of this row cannot be read ({problem})"
    if "unexpected end" in problem:
        message = "a quotation mark that opens in this row is never closed"
    elif "field limit" in problem:
        message = (
            f"a cell of this row has more than {csv.field_size_limit():,} characters, or its "
            "quotation mark is never closed"
        )
    return DataError(
        message,
        file=name,
        row=line,
        expected='a cell in quotation marks as a whole, and a mark within it doubled: "6"" disc"',
    )


# ---- columns -----------------------------------------------------------------------------


def _other_delimiter(text: str, delimiter: str) -> str | None:
    """Return a delimiter that divides the first lines evenly, when there is one."""
    lines = io.StringIO(text, newline="").readlines()[:50]
    for other in _DELIMITERS:
        rows = [row for row in csv.reader(lines, delimiter=other) if row]
        if other != delimiter and len({len(row) for row in rows}) == 1 and len(rows[0]) > 1:
            return other
    return None


def _check_separated(records: list[Record], text: str, name: str, delimiter: str) -> None:
    """Refuse a file whose first line is one cell that another delimiter divides."""
    line, first = records[0]
    if len(first) > 1:
        return
    other = _other_delimiter(text, delimiter) or next(
        (mark for mark in _DELIMITERS if mark != delimiter and mark in first[0]), None
    )
    if other is not None:
        raise DataError(
            f"the columns are not separated by '{delimiter}'",
            file=name,
            row=line,
            column="number 1",
            found=f"a {_DELIMITERS[other]} in {quoted(first[0])}",
            expected="delimiter=" + repr(other),
        )


def _even(
    records: list[Record], text: str, name: str, delimiter: str, header: bool
) -> list[Record]:
    """Return records of one length, or name the first that has another."""
    width = len(records[0][1])
    longer = {len(row) for _, row in records[1:]} == {width + 1}
    if header and longer and not any(row[-1].strip() for _, row in records[1:]):
        return [records[0], *((line, row[:-1]) for line, row in records[1:])]
    for line, row in records:
        if len(row) == width:
            continue
        expected = f"{width}, as in row {records[0][0]}; a cell that holds '{delimiter}' stands "
        expected += "in quotation marks"
        other = _other_delimiter(text, delimiter)
        if other is not None:
            expected = f"{width}, or delimiter={other!r}, which divides the lines evenly"
        elif header and longer:
            expected = (
                "a name for every column; the first seems to hold names of rows: call it item"
            )
        raise DataError(
            "a row has another number of cells than the first",
            file=name,
            row=line,
            column=f"number {min(len(row), width) + 1}",
            found=f"{len(row)} cells",
            expected=expected,
        )
    return records


def _names(records: list[Record], header: bool, name: str) -> tuple[list[str], list[Record]]:
    """Return the names of the columns ("" where there is none) and the rows below them."""
    line, first = records[0]
    if not header:
        return [f"rater {number + 1}" for number in range(len(first))], records
    names = [" ".join(cell.split()) for cell in first]
    if len(records) == 1:
        raise DataError(
            "the file holds a header and no rows",
            file=name,
            row=line,
            found=listed(names),
            expected="one row per item below it",
        )
    given = [label for label in names if label]
    label, times = Counter(given).most_common(1)[0] if given else ("", 0)
    if times > 1:
        numbers = all(as_number(label) is not None for label in given)
        raise DataError(
            "two columns have the same name",
            file=name,
            row=line,
            column=label,
            found=f"{quoted(label)} {times} times",
            expected="a name of its own for every column; a file without a line of names needs "
            "header=false" + (", and this line holds nothing but numbers" if numbers else ""),
        )
    return names, records[1:]
