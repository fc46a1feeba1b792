"""Reading a file of ratings, and refusing it in one clear paragraph when it cannot be used."""

from __future__ import annotations

import csv
import hashlib
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .errors import DataError, ParameterError, nearest
from .ratings import Ratings, build_long, build_wide, canonical, check_kind

LAYOUTS = ("auto", "wide", "long", "counts", "contingency")
MISSING = ("", "NA", "NaN")
LONG_COLUMNS = ("item", "rater", "rating")


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
    """

    frame: pd.DataFrame
    lines: list[int]
    name: str
    sha256: str
    n_read: int


def read_csv_table(
    path: str | Path,
    *,
    header: bool = True,
    delimiter: str = ",",
    encoding: str = "utf-8",
    missing: Sequence[str] = MISSING,
) -> CsvTable:
    """Read a delimited text file without guessing its encoding, separator or types.

    Parameters
    ----------
    path : path
        The file.
    header : bool
        True when the first line names the columns; otherwise they are called "rater 1" ….
    delimiter, encoding : str
        Stated, never guessed. A UTF-8 byte-order mark is skipped.
    missing : sequence of str
        Cells that mean "not rated".

    Raises
    ------
    DataError
        No such file, empty file, other encoding or separator, ragged rows, repeated column names.
    """
    file = Path(path)
    name = file.name
    raw = _bytes(file)
    text = _decode(raw, name, encoding)
    records = _records(text, name, delimiter)
    names, body = _header(records, header, name, delimiter)
    markers = {marker.strip() for marker in missing}
    cells = [[None if cell.strip() in markers else cell.strip() for cell in row] for _, row in body]
    frame = pd.DataFrame(cells, columns=names, dtype=object)
    lines = [line for line, _ in body]
    return CsvTable(frame, lines, name, hashlib.sha256(raw).hexdigest(), len(lines))


def read_ratings(
    path: str | Path,
    kind: str,
    *,
    layout: str = "auto",
    categories: Sequence[Any] | None = None,
    raters: Sequence[str] | None = None,
    item: str | Sequence[str] | None = None,
    rater: str | None = None,
    rating: str | None = None,
    cluster: str | None = None,
    frequency: str | None = None,
    where: Mapping[str, Any] | None = None,
    header: bool = True,
    delimiter: str = ",",
    encoding: str = "utf-8",
    missing: Sequence[str] = MISSING,
) -> Ratings:
    """Read ratings from a delimited text file.

    Parameters
    ----------
    path : path
        The file; see :func:`read_csv_table` for ``header``, ``delimiter``, ``encoding`` and
        ``missing``.
    kind : {"nominal", "ordinal", "continuous"}
        Level of measurement.
    layout : {"auto", "wide", "long", "counts", "contingency"}
        ``wide``: a row per item, a column per rater. ``long``: a row per rating. ``counts``: a
        row per item, a column per category. ``contingency``: two raters' q x q table, the first
        column naming the first rater's categories. ``auto`` takes ``long`` when the file has the
        three long columns, else ``wide``.
    categories : sequence, optional
        The whole scale, lowest to highest for ordinal data (required there).
    raters : sequence of str, optional
        Raters (wide: columns) to use, in this order.
    item : str or sequence of str, optional
        Column, or columns taken together, that identify the item.
    rater, rating : str, optional
        Columns of a long file; "rater" and "rating" unless named.
    cluster : str, optional
        Column with the cluster of the item (patient, slide …): the unit that is resampled.
    frequency : str, optional
        Column with the number of items that share the row's pattern (wide layout).
    where : mapping, optional
        Keep only rows whose column equals the value, or one of a list of values.

    Returns
    -------
    Ratings

    Raises
    ------
    DataError, ParameterError
        Naming file, row, column, what was found and what was expected.
    """
    check_kind(kind)
    if layout not in LAYOUTS:
        raise ParameterError(f"unknown layout '{layout}'; {nearest(layout, LAYOUTS)}")
    table = read_csv_table(
        path, header=header, delimiter=delimiter, encoding=encoding, missing=missing
    )
    table = _keep(table, where)
    names = [item or "item"] if isinstance(item, str) or item is None else list(item)
    long_names = [*names, rater or "rater", rating or "rating"]
    if layout == "auto":
        named = rater is not None or rating is not None
        layout = "long" if named or set(long_names) <= set(table.frame.columns) else "wide"
    if layout == "long":
        return _long(
            table, kind, names, rater or "rater", rating or "rating", cluster, categories, raters
        )
    if layout == "wide":
        return _wide(table, kind, item, cluster, frequency, categories, raters)
    return _tabulated(table, kind, layout, item, categories, raters)


# ---- the file ----------------------------------------------------------------------------


def _bytes(file: Path) -> bytes:
    if not file.exists():
        raise DataError("there is no such file", file=str(file))
    if file.is_dir():
        raise DataError("this is a folder", file=str(file), expected="a delimited text file")
    try:
        raw = file.read_bytes()
    except OSError as problem:
        raise DataError(f"the file cannot be read ({problem.strerror})", file=str(file)) from None
    if not raw.strip():
        raise DataError(
            "the file is empty",
            file=file.name,
            found=f"{len(raw)} bytes",
            expected="a header line and one row per item",
        )
    return raw


def _decode(raw: bytes, name: str, encoding: str) -> str:
    if raw.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        raise DataError(
            "this is a spreadsheet or archive, not text",
            file=name,
            expected="the sheet saved as CSV (UTF-8)",
        )
    if raw.startswith(b"PAR1"):
        raise DataError("this is a Parquet file", file=name, expected="delimited text (CSV)")
    try:
        text = raw.decode(
            "utf-8-sig" if encoding.lower().replace("_", "-") in {"utf-8", "utf8"} else encoding
        )
    except LookupError:
        raise ParameterError(
            f"unknown encoding '{encoding}'; expected for instance utf-8, cp949, cp1252 or utf-16."
        ) from None
    except UnicodeError as problem:
        start = getattr(problem, "start", 0)
        before = raw[:start]
        line = before.count(b"\n") + 1
        field = before[before.rfind(b"\n") + 1 :].count(b",") + 1
        raise DataError(
            f"the text is not {encoding}",
            file=name,
            row=line,
            column=f"number {field}",
            found=f"the byte 0x{raw[start]:02x}",
            expected=f"{encoding} text, or the file's own encoding named, "
            "for instance encoding=cp949 (Korean Windows) or encoding=cp1252 (Western Windows)",
        ) from None
    if "\x00" in text:
        raise DataError(
            "the text holds null characters",
            file=name,
            row=text[: text.index("\x00")].count("\n") + 1,
            found="a null character",
            expected=f"{encoding} text; a file saved as Unicode text needs encoding=utf-16",
        )
    return text


def _records(text: str, name: str, delimiter: str) -> list[tuple[int, list[str]]]:
    if len(delimiter) != 1:
        raise ParameterError(f"a delimiter is one character; found '{delimiter}'.")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    records: list[tuple[int, list[str]]] = []
    start = 1
    try:
        for row in reader:
            # A blank line is no record; a row of empty cells is an item nobody rated.
            if len(row) > 1 or any(cell.strip() for cell in row):
                records.append((start, row))
            start = reader.line_num + 1
    except csv.Error as problem:
        raise DataError(
            f"the quoting of this row cannot be read ({problem})", file=name, row=start
        ) from None
    return records


def _header(
    records: list[tuple[int, list[str]]], header: bool, name: str, delimiter: str
) -> tuple[list[str], list[tuple[int, list[str]]]]:
    first = records[0][1]
    if len(first) == 1:
        for other, word in ((";", "semicolon"), ("\t", "tab"), ("|", "bar"), (",", "comma")):
            if other != delimiter and other in first[0]:
                raise DataError(
                    f"the columns are not separated by '{delimiter}'",
                    file=name,
                    row=records[0][0],
                    column="number 1",
                    found=f"a {word} in '{first[0][:60]}'",
                    expected="delimiter=" + {"\t": "'\\t'"}.get(other, f"'{other}'"),
                )
    for line, row in records:
        if len(row) != len(first):
            raise DataError(
                "a row has another number of cells than the first",
                file=name,
                row=line,
                column=f"number {min(len(row), len(first)) + 1}",
                found=f"{len(row)} cells",
                expected=f"{len(first)}",
            )
    if not header:
        return [f"rater {number + 1}" for number in range(len(first))], records
    names = [cell.strip() for cell in first]
    body = records[1:]
    if not body:
        raise DataError(
            "the file holds a header and no rows",
            file=name,
            row=records[0][0],
            found=delimiter.join(names)[:80],
            expected="one row per item below it",
        )
    for position, (label, times) in enumerate(Counter(names).items()):
        if times > 1 and label:
            raise DataError(
                "two columns have the same name",
                file=name,
                row=records[0][0],
                column=label,
                found=f"'{label}' {times} times",
                expected="a name of its own for every column"
                + ("; a file without a header line needs header=false" if position == 0 else ""),
            )
    return [label or f"column {number + 1}" for number, label in enumerate(names)], body


def _keep(table: CsvTable, where: Mapping[str, Any] | None) -> CsvTable:
    if not where:
        return table
    kept = np.ones(len(table.frame), dtype=bool)
    for column, wanted in where.items():
        _need(table, [column])
        values = wanted if isinstance(wanted, (list, tuple, set)) else [wanted]
        labels = {canonical(value) for value in values}
        cells = table.frame[column].map(canonical, na_action="ignore")
        kept &= cells.isin(labels).to_numpy()
        if not kept.any():
            raise DataError(
                "no row is left",
                file=table.name,
                column=column,
                found=", ".join(map(str, cells.dropna().unique()[:8])),
                expected=" or ".join(map(str, values)) + " (parameter where)",
            )
    lines = [line for line, keep in zip(table.lines, kept, strict=True) if keep]
    frame = table.frame[kept].reset_index(drop=True)
    return CsvTable(frame, lines, table.name, table.sha256, table.n_read)


def _need(table: CsvTable, columns: Sequence[str]) -> None:
    for column in columns:
        if column not in table.frame.columns:
            known = [str(name) for name in table.frame.columns]
            raise DataError(
                f"there is no column '{column}'",
                file=table.name,
                row=1,
                found=", ".join(known[:30]) + (" …" if len(known) > 30 else ""),
                expected=nearest(column, known),
            )


# ---- the layouts -------------------------------------------------------------------------


def _long(
    table: CsvTable,
    kind: str,
    item: list[str],
    rater: str,
    rating: str,
    cluster: str | None,
    categories: Sequence[Any] | None,
    raters: Sequence[str] | None,
) -> Ratings:
    _need(table, [*item, rater, rating, *([cluster] if cluster else [])])
    frame, lines = table.frame, table.lines
    if raters is not None:
        known = [str(name) for name in frame[rater].dropna().unique()]
        for name in raters:
            if name not in known:
                raise ParameterError(f"{table.name}: no rater '{name}'; {nearest(name, known)}")
        chosen = frame[rater].isin(list(raters)).to_numpy()
        frame = frame[chosen].reset_index(drop=True)
        lines = [line for line, keep in zip(lines, chosen, strict=True) if keep]
    name = item[0]
    if len(item) > 1:
        name = " / ".join(item)
        frame = frame.assign(**{name: frame[item].fillna("").agg(" / ".join, axis=1)})
    return build_long(
        frame,
        kind,
        item=name,
        rater=rater,
        rating=rating,
        cluster=cluster,
        categories=categories,
        source=table.name,
        lines=lines,
    )


def _wide(
    table: CsvTable,
    kind: str,
    item: str | Sequence[str] | None,
    cluster: str | None,
    frequency: str | None,
    categories: Sequence[Any] | None,
    raters: Sequence[str] | None,
) -> Ratings:
    identifiers = [item] if isinstance(item, str) else list(item or [])
    if not identifiers and "item" in table.frame.columns:
        identifiers = ["item"]
    aside = [*identifiers, *filter(None, (cluster, frequency))]
    columns = (
        list(raters)
        if raters is not None
        else [name for name in table.frame.columns if name not in aside]
    )
    _need(table, [*aside, *columns])
    if raters is None:
        _not_an_identifier(table, columns, kind, categories)
    times = _frequencies(table, frequency)
    rows = np.repeat(np.arange(len(table.frame)), times)
    if len(rows) == 0:
        raise DataError("there are no items", file=table.name, column=frequency, found="only zeros")
    frame = table.frame.iloc[rows].reset_index(drop=True)
    lines = [table.lines[row] for row in rows]
    clusters = None
    if cluster is not None:
        clusters = frame[cluster]
    if identifiers:
        labels = frame[identifiers].fillna("").agg(" / ".join, axis=1)
        _unique_items(labels, table, lines, " / ".join(identifiers), frequency)
    else:
        labels = pd.Series([str(number + 1) for number in range(len(frame))])
    ratings = frame[columns].set_axis(pd.Index(labels), axis=0)
    return build_wide(
        ratings, kind, categories=categories, clusters=clusters, source=table.name, lines=lines
    )


def _frequencies(table: CsvTable, frequency: str | None) -> np.ndarray:
    if frequency is None:
        return np.ones(len(table.frame), dtype=int)
    _need(table, [frequency])
    for line, cell in zip(table.lines, table.frame[frequency], strict=True):
        if cell is None or not canonical(cell).isdigit():
            raise DataError(
                "a frequency is not a whole number",
                file=table.name,
                row=line,
                column=frequency,
                found=f"'{'' if cell is None else cell}'",
                expected="0, 1, 2 …",
            )
    return np.array([int(canonical(cell)) for cell in table.frame[frequency]])


def _unique_items(
    labels: pd.Series, table: CsvTable, lines: list[int], column: str, frequency: str | None
) -> None:
    repeated = labels.duplicated().to_numpy()
    if frequency is not None or not repeated.any():
        return
    second = int(repeated.argmax())
    first = int((labels == labels.iloc[second]).to_numpy().argmax())
    raise DataError(
        f"item '{labels.iloc[second]}' stands in two rows",
        file=table.name,
        row=lines[second],
        column=column,
        found=f"'{labels.iloc[second]}', first in row {lines[first]}",
        expected="one row per item; replicates need their own column beside the item, "
        f'for instance item=["{column}", "replicate"]',
    )


def _not_an_identifier(
    table: CsvTable, columns: list[str], kind: str, categories: Sequence[Any] | None
) -> None:
    """Refuse to take a column of row identifiers for a rater.

    A running number 1 … n, or texts that are all different and occur in no other column, name the
    items. As a rater they would enter every statistic without a sign.
    """
    if len(columns) < 3 or len(table.frame) < 3:
        return
    for column in columns:
        cells = [canonical(cell) for cell in table.frame[column] if cell is not None]
        running = cells in (
            [str(number) for number in range(len(table.frame))],
            [str(number + 1) for number in range(len(table.frame))],
        )
        others = {
            canonical(cell)
            for name in columns
            if name != column
            for cell in table.frame[name]
            if cell is not None
        }
        declared = {canonical(label) for label in categories or ()}
        foreign = (
            kind != "continuous"
            and len(set(cells)) == len(table.frame)
            and not set(cells) & (others | declared)
        )
        if running or foreign:
            raise DataError(
                "this column looks like the identifier of the items, not like a rater",
                file=table.name,
                row=table.lines[0],
                column=column,
                found="the running numbers of the rows" if running else "a new value in every row",
                expected=f"item={column}, or raters=[…] naming the columns that are raters",
            )


def _tabulated(
    table: CsvTable,
    kind: str,
    layout: str,
    item: str | Sequence[str] | None,
    categories: Sequence[Any] | None,
    raters: Sequence[str] | None,
) -> Ratings:
    """Read counts per item, or the cross-table of two raters."""
    if kind == "continuous":
        raise ParameterError(f"layout {layout} holds categories; it does not fit continuous data.")
    frame = table.frame
    aside = [item] if isinstance(item, str) else list(item or [])
    if layout == "contingency" and not aside:
        aside = [str(frame.columns[0])]
    _need(table, aside)
    counts = frame[[name for name in frame.columns if name not in aside]]
    if categories is not None:
        counts = _ordered(counts, categories, table)
    elif kind == "ordinal":
        raise ParameterError(
            f"{table.name}: ordinal categories must be declared, lowest to highest; found the "
            "columns " + ", ".join(map(str, counts.columns)) + "."
        )
    _whole(counts, table)
    numbers = counts.astype(float)
    if layout == "counts":
        if aside:
            numbers.index = pd.Index(frame[aside].fillna("").agg(" / ".join, axis=1))
        else:
            numbers.index = pd.Index([str(number + 1) for number in range(len(frame))])
        return Ratings.from_counts(numbers, kind, source=table.name)
    rows = [canonical(label) for label in frame[aside[0]]]
    order = [canonical(label) for label in counts.columns]
    if sorted(rows) != sorted(order):
        raise DataError(
            "rows and columns of the cross-table name different categories",
            file=table.name,
            row=table.lines[0],
            column=aside[0],
            found=", ".join(rows),
            expected=", ".join(order),
        )
    numbers = numbers.iloc[[rows.index(label) for label in order]]
    pair = tuple(raters) if raters is not None else ("rater 1", "rater 2")
    if len(pair) != 2:
        raise ParameterError(f"a cross-table has two raters; found {len(pair)} names.")
    return Ratings.from_contingency(numbers, kind, raters=(pair[0], pair[1]), source=table.name)


def _ordered(counts: pd.DataFrame, categories: Sequence[Any], table: CsvTable) -> pd.DataFrame:
    """Put the columns in the declared order; a declared category without a column has no counts."""
    found = {canonical(name): name for name in counts.columns}
    declared = [canonical(label) for label in categories]
    for label, name in found.items():
        if label not in declared:
            raise DataError(
                "a column is not a declared category",
                file=table.name,
                row=1,
                column=str(name),
                found=f"'{name}'",
                expected="one of " + ", ".join(map(str, categories)),
            )
    columns = {
        str(label): counts[found[code]] if code in found else pd.Series("0", index=counts.index)
        for label, code in zip(categories, declared, strict=True)
    }
    return pd.DataFrame(columns)


def _whole(counts: pd.DataFrame, table: CsvTable) -> None:
    for column in counts.columns:
        for line, cell in zip(table.lines, counts[column], strict=True):
            if cell is None or not canonical(cell).isdigit():
                raise DataError(
                    "a count is not a whole number",
                    file=table.name,
                    row=line,
                    column=str(column),
                    found="an empty cell" if cell is None else f"'{cell}'",
                    expected="0, 1, 2 …; a column that holds no counts is named as item",
                )
