"""From the table of a file to ratings, for each layout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ..errors import DataError, ParameterError, did_you_mean, listed, quoted
from ..ratings import Ratings, shapes
from ..ratings.cells import Origin, distinct, joined, whole_numbers
from ..ratings.labels import canonical
from ..ratings.long import long
from ..ratings.tables import check_size, chosen_raters
from .csv_table import CsvTable
from .doubts import check_doubts, check_parts


@dataclass(frozen=True)
class Request:
    """What the caller said about a file.

    Attributes
    ----------
    kind : str
        Level of measurement.
    categories : sequence or None
        The declared scale.
    raters : list of str or None
        Chosen raters.
    item : list of str or None
        Columns that identify the item.
    rater, rating, cluster, frequency : str or None
        Names of columns.
    where : mapping
        Conditions on rows.
    """

    kind: str
    categories: Sequence[Any] | None
    raters: Sequence[str] | None
    item: list[str] | None
    rater: str | None
    rating: str | None
    cluster: str | None
    frequency: str | None
    where: Mapping[str, Any]

    def refuse(self, layout: str, *names: str) -> None:
        """Refuse parameters that a layout has no use for."""
        given = [name for name in names if getattr(self, name) is not None]
        if given:
            raise ParameterError(f"layout {layout} has no use for {' and '.join(given)}.")

    def spelled(self, table: CsvTable) -> Request:
        """Return the request with the names of columns as the file spells them."""
        single: dict[str, Any] = {
            name: column_named(table, getattr(self, name))
            for name in ("rater", "rating", "cluster", "frequency")
            if getattr(self, name) is not None
        }
        item = None if self.item is None else [column_named(table, name) for name in self.item]
        return replace(self, item=item, **single)


def column_named(table: CsvTable, name: Any) -> str:
    """Return the column of that name as the file spells it (1 finds "1.0")."""
    if name in table.frame.columns:
        return str(name)
    for known in table.frame.columns:
        if canonical(known) == canonical(name):
            return str(known)
    raise DataError(
        f"there is no column {quoted(name)}{did_you_mean(name, table.frame.columns)}",
        file=table.name,
        row=table.header_line,
        found=f"the columns {listed(table.frame.columns)}",
    )


def kept_rows(table: CsvTable, where: Mapping[str, Any]) -> CsvTable:
    """Return the rows that fulfil every condition: a value, or one of several."""
    for name, wanted in where.items():
        column = column_named(table, name)
        values = list(wanted) if isinstance(wanted, (list, tuple, set)) else [wanted]
        labels = set(map(canonical, values))
        cells = distinct(table.frame[column])
        fits = np.array([*(canonical(label) in labels for label in cells.labels), False])
        rows = np.flatnonzero(fits[cells.codes])
        if len(rows) == 0:
            raise DataError(
                "no row is left",
                file=table.name,
                column=column,
                found=f"the values {listed(cells.labels, most=8)}",
                expected=f"{listed(map(repr, values))} (parameter where)",
            )
        lines = [table.lines[row] for row in rows]
        table = replace(table, frame=table.frame.iloc[rows].reset_index(drop=True), lines=lines)
    return table


def origin_of(table: CsvTable, rows: np.ndarray | None = None) -> Origin:
    """Return the places of a table's rows, or of the given ones."""
    lines = table.lines if rows is None else [table.lines[row] for row in rows]
    return Origin(table.name, lines, is_file=True)


# ---- the layouts -------------------------------------------------------------------------


def read_long(table: CsvTable, request: Request) -> Ratings:
    """Read a file with a row per rating."""
    request.refuse("long", "frequency")
    return Ratings(
        **long(
            table.frame,
            request.kind,
            item=request.item or ["item"],
            rater=request.rater or "rater",
            rating=request.rating or "rating",
            cluster=request.cluster,
            categories=request.categories,
            raters=request.raters,
            origin=origin_of(table),
        )
    )


def read_wide(table: CsvTable, request: Request) -> Ratings:
    """Read a file with a row per item and a column per rater."""
    request.refuse("wide", "rater", "rating")
    identifiers = _identifiers(table, request)
    columns = _rater_columns(table, request, identifiers)
    rows = _repeated_rows(table, request.frequency)
    frame = table.frame.iloc[rows].reset_index(drop=True)
    ratings = frame[columns].set_axis(_item_names(frame, identifiers, rows), axis=0)
    return Ratings(
        **shapes.wide(
            ratings,
            request.kind,
            categories=request.categories,
            clusters=None if request.cluster is None else frame[request.cluster],
            origin=origin_of(table, rows),
        )
    )


def read_counts(table: CsvTable, request: Request) -> Ratings:
    """Read a file with a row per item and a column per category, holding numbers of raters."""
    request.refuse("counts", "rater", "rating", "frequency", "raters")
    identifiers = _identifiers(table, request)
    aside = _aside(table, request, identifiers)
    counts = table.frame[[name for name in table.frame.columns if name not in aside]]
    if request.categories is None:
        check_parts(
            {str(name): distinct(cells) for name, cells in counts.items()},
            origin_of(table),
            "categories=[…] naming the columns that are categories",
        )
    names = _item_names(table.frame, identifiers, np.arange(len(table.frame)))
    clusters = None if request.cluster is None else table.frame[request.cluster]
    return Ratings(
        **shapes.counts(
            counts.set_axis(names, axis=0),
            request.kind,
            categories=request.categories,
            clusters=clusters,
            origin=origin_of(table),
        )
    )


def read_contingency(table: CsvTable, request: Request) -> Ratings:
    """Read the cross-table of two raters; its first column names the first rater's categories."""
    request.refuse("contingency", "rater", "rating", "cluster", "frequency")
    names = request.item or [str(table.frame.columns[0])]
    if len(names) > 1:
        raise ParameterError(
            "the cross-table of two raters names the first rater's categories in one column; "
            f"found item={names}."
        )
    aside = _aside(table, request, names)
    counts = table.frame[[name for name in table.frame.columns if name not in aside]]
    return Ratings(
        **shapes.contingency(
            counts.set_axis(pd.Index(table.frame[names[0]], dtype=object), axis=0),
            request.kind,
            categories=request.categories,
            raters=request.raters or ("rater 1", "rater 2"),
            origin=origin_of(table),
        )
    )


# ---- rows and columns --------------------------------------------------------------------


def _identifiers(table: CsvTable, request: Request) -> list[str]:
    if request.item is not None:
        return request.item
    return ["item"] if "item" in table.frame.columns else []


def _aside(table: CsvTable, request: Request, identifiers: Sequence[str]) -> set[str]:
    """Return the columns that hold no ratings because they were given another part."""
    conditions = [column_named(table, name) for name in request.where]
    named = filter(None, (request.cluster, request.frequency))
    return {*identifiers, *named, *conditions}


def _rater_columns(table: CsvTable, request: Request, identifiers: Sequence[str]) -> list[str]:
    if request.raters is not None:
        return [column_named(table, name) for name in chosen_raters(request.raters)]
    aside = _aside(table, request, identifiers)
    columns = [name for name in table.frame.columns if name not in aside]
    check_doubts(table, columns, request.kind, request.categories)
    return columns


def _repeated_rows(table: CsvTable, frequency: str | None) -> np.ndarray:
    """Return the rows of the table, each as often as its frequency says."""
    if frequency is None:
        return np.arange(len(table.frame))
    times = whole_numbers(table.frame[[frequency]], origin_of(table))[:, 0]
    check_size(int(times.sum()) * table.frame.shape[1], origin_of(table))
    if not times.any():
        raise DataError(
            "there are no items",
            file=table.name,
            column=frequency,
            found="only zeros",
            expected="the number of items of each row",
        )
    return np.repeat(np.arange(len(table.frame)), times)


def _item_names(frame: pd.DataFrame, identifiers: Sequence[str], rows: np.ndarray) -> pd.Index:
    """Return the names of the items, by their columns or else by number; None where empty.

    An item repeated by its frequency carries its count behind the name.
    """
    if not identifiers:
        return pd.Index(np.arange(1, len(frame) + 1).astype(str), dtype=object)
    names = joined(frame, identifiers)
    times = pd.Series(rows).groupby(rows).cumcount()
    if times.any():
        names = names + " / " + (times + 1).astype(str)
    return pd.Index(names, dtype=object)
