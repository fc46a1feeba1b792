"""Checks of the tables that figures are drawn from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..errors import DataError, ParameterError
from ..estimate import Estimate

_NAME_COLUMNS = ("name", "metric", "statistic")
_SHOWN = (
    *("group", "rater", "name", "method"),
    *("value", "low", "high", "level", "change", "reason"),
)


def plotted_table(table: Any, columns: Sequence[str], what: str) -> pd.DataFrame:
    """Return a fresh table after checking that it has rows and the columns a figure needs.

    Raises
    ------
    DataError
        When the table is empty or a column is missing.
    """
    frame = table if isinstance(table, pd.DataFrame) else pd.DataFrame(table)
    missing = [column for column in columns if column not in frame.columns]
    if missing and len(frame.columns):
        raise DataError(
            f"{what}: column missing",
            column=missing[0],
            found=", ".join(map(str, frame.columns)),
            expected=", ".join(columns),
        )
    if frame.empty:
        raise DataError(f"{what}: nothing to draw", found="no rows", expected="one row or more")
    return frame.reset_index(drop=True).copy()


def numeric(frame: pd.DataFrame, columns: Iterable[str], what: str) -> pd.DataFrame:
    """Return the table with some columns as float64; NaN stays, text and infinity are refused."""
    for column in columns:
        try:
            values = frame[column].astype("float64")
        except (TypeError, ValueError):
            raise DataError(
                f"{what}: not a number",
                column=column,
                found=repr(next((v for v in frame[column] if not _is_number(v)), None)),
                expected="numbers",
            ) from None
        if np.isinf(values).any():
            row = int(np.flatnonzero(np.isinf(values))[0])
            raise DataError(
                f"{what}: infinite value",
                row=row,
                column=column,
                found="inf",
                expected="a finite number, or NaN with a reason",
            )
        frame[column] = values
    return frame


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def estimate_table(estimates: Any, what: str) -> pd.DataFrame:
    """Return estimates as a table with columns name, value, low, high, reason (and the rest).

    Parameters
    ----------
    estimates : DataFrame, Estimate, sequence of Estimate, or mapping of name to Estimate
        A table may call its name column ``name``, ``metric`` or ``statistic``.
    what : str
        Name of the figure, for messages.

    Raises
    ------
    DataError
        When there is no row, a column is missing, or a lower bound is above its upper bound.
    """
    frame = _as_frame(estimates)
    if "name" not in frame.columns:
        for column in _NAME_COLUMNS[1:]:
            if column in frame.columns:
                frame = frame.rename(columns={column: "name"})
                break
    frame = plotted_table(frame, ("name", "value"), what)
    for column in ("low", "high"):
        if column not in frame.columns:
            frame[column] = np.nan
    frame = numeric(frame, ("value", "low", "high"), what)
    frame["name"] = frame["name"].astype(str)
    reason = frame["reason"] if "reason" in frame.columns else pd.Series([None] * len(frame))
    texts = [None if pd.isna(text) or not text else str(text) for text in reason]
    frame["reason"] = pd.Series(texts, dtype=object, index=frame.index)
    crossed = np.flatnonzero(frame["low"] > frame["high"])
    if len(crossed):
        row = frame.iloc[int(crossed[0])]
        raise DataError(
            f"{what}: lower bound above the upper bound",
            row=row["name"],
            found=f"{row['low']:g} and {row['high']:g}",
            expected="low ≤ high",
        )
    return frame


def _as_frame(estimates: Any) -> pd.DataFrame:
    if callable(getattr(estimates, "table", None)):
        estimates = estimates.table()
    if isinstance(estimates, pd.DataFrame):
        return estimates
    if isinstance(estimates, Estimate):
        estimates = [estimates]
    if isinstance(estimates, Mapping):
        return pd.DataFrame([{**entry.as_row(), "name": name} for name, entry in estimates.items()])
    rows = list(estimates)
    if not all(isinstance(row, Estimate) for row in rows):
        raise ParameterError(
            "estimates must be a table or Estimate objects; found "
            + ", ".join(sorted({type(row).__name__ for row in rows}))
            + "."
        )
    return pd.DataFrame([row.as_row() for row in rows])


def shown_columns(frame: pd.DataFrame) -> pd.DataFrame:
    """Return what a figure of estimates shows, without the rest of the table."""
    return frame[[column for column in _SHOWN if column in frame.columns]]


def no_intervals(frame: pd.DataFrame) -> bool:
    """Tell whether no row has an interval, so that none has to be missed."""
    return bool(frame[["low", "high"]].isna().all(axis=None))


def interval_heading(frame: pd.DataFrame, word: str) -> str:
    """Return ``Estimate (95 % CI)``, or ``Estimate (interval)`` when the levels differ."""
    if no_intervals(frame):
        return word
    levels = set(frame["level"].dropna()) if "level" in frame.columns else set()
    if len(levels) != 1:
        return f"{word} (interval)"
    return f"{word} ({100 * float(levels.pop()):g} % CI)"
