"""Reading files of ratings and typed tables, or refusing them in one clear paragraph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import ParameterError, nearest, quoted
from ..ratings import Ratings, check_kind
from .csv_table import MISSING, CsvTable, read_csv_table
from .layouts import (
    Request,
    kept_rows,
    read_contingency,
    read_counts,
    read_long,
    read_wide,
)
from .parquet_text import ParquetTexts, is_parquet, numbers_of
from .tables import Column, InputTable, read_input

__all__ = [
    "LAYOUTS",
    "MISSING",
    "Column",
    "CsvTable",
    "InputTable",
    "ParquetTexts",
    "is_parquet",
    "numbers_of",
    "read_csv_table",
    "read_input",
    "read_ratings",
    "read_table",
]

LAYOUTS = ("auto", "wide", "long", "counts", "contingency")


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
    """Read ratings from a delimited text file, or from a Parquet file (``.parquet``).

    Parameters
    ----------
    path : path
        The file; see :func:`read_csv_table` for ``header``, ``delimiter``, ``encoding`` and
        ``missing``. Of a Parquet file the last alone has a use.
    kind : {"nominal", "ordinal", "continuous"}
        Level of measurement.
    layout : {"auto", "wide", "long", "counts", "contingency"}
        ``wide``: a row per item, a column per rater. ``long``: a row per rating. ``counts``: a
        row per item, a column per category. ``contingency``: two raters' q x q table, the first
        column naming the first rater's categories. ``auto`` takes ``long`` when the file has the
        three long columns or one of them is named, else ``wide``.
    categories : sequence, optional
        The whole scale, lowest to highest for ordinal data (required there).
    raters : sequence of str, optional
        Raters (wide: columns) to use, in this order. Of a contingency table, the names of the
        two. Without it, a column that looks like an identifier, a frequency or a group is
        refused.
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
        raise ParameterError(f"unknown layout {quoted(layout)}; {nearest(layout, LAYOUTS)}")
    items = [item] if isinstance(item, str) else list(item or [])
    table = read_table(path, header=header, delimiter=delimiter, encoding=encoding, missing=missing)
    request = Request(
        kind=kind,
        categories=categories,
        raters=raters,
        item=items or None,
        rater=rater,
        rating=rating,
        cluster=cluster,
        frequency=frequency,
        where=where or {},
    ).spelled(table)
    read = {
        "long": read_long,
        "wide": read_wide,
        "counts": read_counts,
        "contingency": read_contingency,
    }[_layout(layout, request, table)]
    return read(kept_rows(table, request.where), request)


def read_table(
    path: str | Path,
    *,
    header: bool = True,
    delimiter: str = ",",
    encoding: str = "utf-8",
    missing: Sequence[str] = MISSING,
) -> CsvTable:
    """Read a table as cells of text; a Parquet file gives what a CSV of its content would.

    Parameters
    ----------
    path, header, delimiter, encoding, missing
        See :func:`read_csv_table`. A name that ends in ``.parquet`` is a Parquet file, whose rows
        are numbered from 1.

    Raises
    ------
    DataError
        As :func:`read_csv_table`; for Parquet, a column of lists, structures or bytes too, or
        pyarrow not being installed.
    ParameterError
        How text is written, said of a Parquet file.
    """
    if not is_parquet(path):
        return read_csv_table(
            path, header=header, delimiter=delimiter, encoding=encoding, missing=missing
        )
    given = {"header": not header, "delimiter": delimiter != ",", "encoding": encoding != "utf-8"}
    useless = [name for name, stated in given.items() if stated]
    if useless:
        raise ParameterError(f"a Parquet file has no use for {' and '.join(useless)}.")
    return ParquetTexts(path, missing).table()


def _layout(layout: str, request: Request, table: CsvTable) -> str:
    if layout != "auto":
        return layout
    if request.rater is not None or request.rating is not None:
        return "long"
    needed = {*(request.item or ["item"]), "rater", "rating"}
    return "long" if needed <= set(table.frame.columns) else "wide"
