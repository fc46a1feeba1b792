"""From cells to typed columns, each kind of column in one vectorised step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..errors import closest, listed
from ..ratings.labels import as_number

Kind = Literal["id", "text", "number", "flag", "whole"]
KINDS: tuple[Kind, ...] = ("id", "text", "number", "flag", "whole")
TEXTS = ("id", "text")

# Cells of a column of numbers or flags that mean "no value", beside empty ones. In a column of
# text they are text: "NA" may well be the name of a patient or a label.
_NO_NUMBER = ("NA", "NaN")
_FLAGS = {"0": 0.0, "1": 1.0, "0.0": 0.0, "1.0": 1.0}
_FLAGS |= {"false": 0.0, "true": 1.0, "no": 0.0, "yes": 1.0}
_LARGEST_WHOLE = 2.0**53  # beyond it a float does not hold every whole number


@dataclass(frozen=True)
class Column:
    """A column of an input table: what its cells are, and what they may be.

    Parameters
    ----------
    name : str
        Name in the file, spelt exactly so.
    kind : {"id", "text", "number", "flag", "whole"}
        ``id`` and ``text`` are kept as text ("007" stays "007"; dtype object, None where empty).
        ``number`` becomes float64, ``whole`` int64. ``flag`` (0/1, true/false, yes/no in any
        case) becomes bool. ``whole`` and ``flag`` become float64 with NaN where ``empty`` is
        allowed.
    required : bool
        The file must have the column.
    empty : bool
        Single cells may be empty.
    low, high : float, optional
        Range of a number, bounds included.
    warn_only : bool
        A value outside the range is counted in the table's warnings and kept.
    choices : tuple of str, optional
        The texts that are allowed.
    default : optional
        Value of every cell when the column is absent (only when not ``required``).

    Raises
    ------
    ValueError
        A declaration that contradicts itself; an error of the program, not of the data.
    """

    name: str
    kind: Kind
    required: bool = True
    empty: bool = False
    low: float | None = None
    high: float | None = None
    warn_only: bool = False
    choices: tuple[str, ...] | None = None
    default: Any = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"column {self.name}: unknown kind {self.kind!r}")
        if self.kind not in ("number", "whole") and (self.low is not None or self.high is not None):
            raise ValueError(f"column {self.name}: only numbers have a range")
        if self.kind not in TEXTS and self.choices is not None:
            raise ValueError(f"column {self.name}: only texts have choices")

    @property
    def expected(self) -> str:
        """What a cell may hold, in words."""
        words = {
            "id": "an identifier",
            "text": "a text",
            "number": "a number with a decimal point",
            "whole": "a whole number",
            "flag": "0 or 1 (or true/false, yes/no)",
        }[self.kind]
        if self.choices is not None:
            words = "one of " + listed(self.choices)
        elif self.low is not None and self.high is not None:
            words += f" from {self.low:g} to {self.high:g}"
        elif self.low is not None:
            words += f" of at least {self.low:g}"
        elif self.high is not None:
            words += f" of at most {self.high:g}"
        return words + (", or an empty cell" if self.empty else "")

    def absent(self, n_rows: int) -> NDArray[Any]:
        """Return the column of a file that does not have it."""
        if self.kind in TEXTS:
            return np.full(n_rows, self.default, dtype=object)
        if self.default is None:
            return np.full(n_rows, np.nan)
        return self.finished(np.full(n_rows, float(self.default)))

    def finished(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return numbers in the type of the column; there is no missing one left to refuse."""
        if self.empty or self.kind == "number":
            return values.astype(np.float64)
        return values.astype(bool if self.kind == "flag" else np.int64)


@dataclass(frozen=True)
class BadCell:
    """The first cell that cannot be used.

    Attributes
    ----------
    row : int
        Position, from 0.
    found : str
        What the cell holds.
    message : str
        What is wrong with it.
    expected : str or None
        What would have been accepted; None stands for what the column says.
    """

    row: int
    found: str
    message: str
    expected: str | None = None


def typed(raw: NDArray[Any], column: Column) -> tuple[NDArray[Any], str | None] | BadCell:
    """Return the typed cells of a column with a warning about them, or the first bad cell.

    Parameters
    ----------
    raw : array, shape (n,)
        Either text (dtype object: str, stripped, or None) or numbers (NaN where missing).
    column : Column
        What they should be.
    """
    if column.kind in TEXTS:
        return _text(raw, column)
    text = raw.dtype == object
    if text:
        missing = pd.Series(raw).isin(_NO_NUMBER).to_numpy() | pd.isna(raw)
    else:
        missing = np.isnan(raw) if raw.dtype.kind == "f" else np.zeros(len(raw), dtype=bool)
    if missing.any() and not column.empty:
        return _empty(missing, column)
    read = {"number": _numbers, "whole": _wholes, "flag": _flags}[column.kind]
    values = read(raw[~missing], text)
    if isinstance(values, BadCell):
        return BadCell(int(np.flatnonzero(~missing)[values.row]), values.found, values.message)
    if missing.any():
        values, held = np.full(len(raw), np.nan), values
        values[~missing] = held
    return _in_range(values, raw, column)


def _empty(missing: NDArray[Any], column: Column) -> BadCell:
    n = int(missing.sum())
    more = f" and {n - 1:,} more" if n > 1 else ""
    return BadCell(int(missing.argmax()), f"an empty cell{more}", f"no {column.name} is given")


def _text(raw: NDArray[Any], column: Column) -> tuple[NDArray[Any], None] | BadCell:
    missing = pd.isna(raw)
    if missing.any() and not column.empty:
        return _empty(missing, column)
    if column.choices is not None:
        codes, found = pd.factorize(raw)
        unknown = ~pd.Series(found, dtype=object).isin(column.choices).to_numpy()
        bad = np.append(unknown, False)[codes]  # the code of an empty cell is -1
        if bad.any():
            row = int(bad.argmax())
            close = closest(raw[row], column.choices)
            hint = column.expected if close is None else f"'{close}', {column.expected}"
            return BadCell(row, f"'{raw[row]}'", "this value is not known", hint)
    return raw, None


def _numbers(cells: NDArray[Any], text: bool) -> NDArray[Any] | BadCell:
    if not text:
        infinite = ~np.isfinite(cells)
        return _not_a_number(cells, infinite) if infinite.any() else cells
    try:
        values = cells.astype(np.float64)  # float() of each cell: exact, in C
    except ValueError:
        return _first_no_number(cells)
    joined = "".join(cells)
    # Python also reads 1_000, digits of other scripts, and words for what is not finite.
    if "_" in joined or not joined.isascii() or not np.isfinite(values).all():
        return _first_no_number(cells)
    return values


def _first_no_number(cells: NDArray[Any]) -> BadCell:
    # Reached on the way to a refusal only, hence the loop.
    bad = np.array([as_number(cell) is None for cell in cells], dtype=bool)
    return _not_a_number(cells, bad)


def _not_a_number(cells: NDArray[Any], bad: NDArray[Any]) -> BadCell:
    row = int(bad.argmax())
    return BadCell(row, f"'{cells[row]}'", "this is not a number")


def _wholes(cells: NDArray[Any], text: bool) -> NDArray[Any] | BadCell:
    if cells.dtype.kind == "i":
        return cells
    values = _numbers(cells, text)
    if isinstance(values, BadCell):
        return values
    bad = (values != np.floor(values)) | (np.abs(values) > _LARGEST_WHOLE)
    if bad.any():
        row = int(bad.argmax())
        return BadCell(row, f"'{cells[row]}'", "this is not a whole number")
    return values


def _flags(cells: NDArray[Any], text: bool) -> NDArray[Any] | BadCell:
    if text:
        codes, found = pd.factorize(cells)
        values = np.array([_FLAGS.get(word.lower(), np.nan) for word in found])[codes]
    else:
        values = np.where((cells == 0) | (cells == 1), cells, np.nan)
    bad = np.isnan(values)
    if bad.any():
        row = int(bad.argmax())
        return BadCell(row, f"'{cells[row]}'", "this is neither yes nor no")
    return values


def _in_range(
    values: NDArray[Any], raw: NDArray[Any], column: Column
) -> tuple[NDArray[Any], str | None] | BadCell:
    """Return the finished values; those outside the range are refused, or told."""
    outside = np.zeros(len(values), dtype=bool)
    if column.low is not None:
        outside |= values < column.low
    if column.high is not None:
        outside |= values > column.high
    if not outside.any():
        return column.finished(values), None
    row = int(outside.argmax())
    if not column.warn_only:
        return BadCell(row, f"'{raw[row]}'", "the value lies outside its range")
    told = f"{int(outside.sum()):,} of {len(values):,} values of {column.name} are not "
    return column.finished(values), f"{told}{column.expected}; the first is {raw[row]}"
