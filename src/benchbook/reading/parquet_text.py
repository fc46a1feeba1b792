"""The columns of a Parquet file as the texts that a CSV of the same content would hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..errors import DataError, listed
from ..ratings.cells import Column
from ..ratings.labels import canonical
from .csv_table import MISSING, CsvTable
from .parquet_table import ParquetTable

_EXPECTED = "text, numbers, true/false, dates or categories; leave other columns out"


def is_parquet(path: str | Path) -> bool:
    """Tell by its name whether a file is read as Parquet."""
    return Path(path).suffix.lower() in (".parquet", ".pq")


class ParquetTexts:
    """A Parquet file, one column at a time.

    Parameters
    ----------
    path : path
        The file.
    missing : sequence of str
        Texts that mean "no value", beside empty ones.

    Raises
    ------
    DataError
        No such file, no Parquet file, pyarrow not installed, no rows, repeated names.
    """

    def __init__(self, path: str | Path, missing: Sequence[str] = MISSING) -> None:
        self._table = ParquetTable(Path(path))
        self.name, self.sha256 = self._table.name, self._table.sha256
        self.n_rows = self._table.n_rows
        words = [missing] if isinstance(missing, str) else missing
        self._missing = {"", *(word.strip() for word in words)}
        names = [" ".join(name.split()) for name in self._table.columns]
        self.columns = [name or f"column {place}" for place, name in enumerate(names, 1)]
        twice = [name for name, times in Counter(self.columns).items() if times > 1]
        if twice:
            raise DataError("two columns have the same name", file=self.name, column=twice[0])
        if not self.n_rows:
            raise DataError(
                "the file holds columns and no rows",
                file=self.name,
                found=listed(self.columns) or "no columns",
                expected="at least one row",
            )

    def column(self, name: str) -> Column:
        """Return the distinct texts of a column, and where each stands."""
        values = self._read(name)
        codes, labels = _encoded(values)
        words = self._words(name, labels)
        # Texts that differ only in white space, or in how a letter is composed, are one.
        known: dict[str, int] = {}
        place = [-1 if one in self._missing else known.setdefault(one, len(known)) for one in words]
        return Column(np.array([*place, -1])[codes], list(known))

    def numbers(self, name: str) -> NDArray[np.float64]:
        """Return a column as numbers, NaN where a cell is missing or holds none."""
        import pyarrow as pa

        values = self._read(name)
        kind = values.type
        if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
            return values.cast(pa.float64(), safe=False).to_numpy()
        return numbers_of(self.column(name))

    def table(self) -> CsvTable:
        """Return every column as cells of text, None where missing; rows are numbered from 1."""
        frame = {}
        for name in self.columns:
            column = self.column(name)
            frame[name] = np.array([*column.labels, None], dtype=object)[column.codes]
        lines = list(range(1, self.n_rows + 1))
        told = pd.DataFrame(frame, dtype=object)
        return CsvTable(told, lines, self.name, self.sha256, self.n_rows)

    def _read(self, name: str) -> Any:
        """Return a column of plain values, categories spelt out, numbers of 32 bits or more."""
        import pyarrow as pa

        values = self._table.read(self._table.columns[self.columns.index(name)])
        kind = values.type
        if pa.types.is_dictionary(kind):
            values = values.cast(kind.value_type)
            kind = kind.value_type
        if pa.types.is_float16(kind):
            values = values.cast(pa.float32())
        if pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
            raise self._unusable(name, kind)
        return values

    def _unusable(self, name: str, kind: Any) -> DataError:
        return DataError(
            "the column has a type that cannot be used",
            file=self.name,
            column=name,
            found=str(kind),
            expected=_EXPECTED,
        )

    def _words(self, name: str, labels: Any) -> list[str]:
        """Return distinct values as text; a number is written without superfluous zeros."""
        import pyarrow as pa
        import pyarrow.compute as pc

        kind = labels.type
        if pa.types.is_null(kind):
            return []
        if pa.types.is_boolean(kind):
            return ["true" if one else "false" for one in labels.to_pylist()]
        if pa.types.is_floating(kind):
            # NumPy's scalars, so that a number of 32 bits has no digits that it does not hold.
            return ["" if one != one else canonical(one) for one in labels.to_numpy()]
        if pa.types.is_decimal(kind):
            return [canonical(format(one, "f")) for one in labels.to_pylist()]
        try:
            text = labels.cast(pa.large_string())
        except pa.ArrowException:
            raise self._unusable(name, kind) from None
        return pc.utf8_trim_whitespace(pc.utf8_normalize(text, form="NFC")).to_pylist()


def _encoded(values: Any) -> tuple[NDArray[Any], Any]:
    """Return the number of each value among the distinct ones (-1 where null), and these."""
    import pyarrow as pa

    if pa.types.is_null(values.type):
        return np.full(len(values), -1), pa.nulls(0)
    chunks = values.dictionary_encode().unify_dictionaries().chunks
    codes = [chunk.indices.fill_null(-1).to_numpy(zero_copy_only=False) for chunk in chunks]
    return np.concatenate(codes), chunks[0].dictionary


def numbers_of(column: Column) -> NDArray[np.float64]:
    """Return texts as numbers, NaN where a cell is missing or holds none."""
    return np.array([*map(_number, column.labels), np.nan])[column.codes]


def _number(text: Any) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")
