"""Columns of a Parquet file, already typed, as the arrays from which input tables are made."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from .cells import TEXTS, Column
from .text import existing_file

_INSTALL = "pip install 'benchbook[distributed]'"
_MAGIC = b"PAR1"


class ParquetTable:
    """A Parquet file: its columns, and the hash of its bytes.

    Parameters
    ----------
    path : path
        The file.

    Raises
    ------
    DataError
        No such file, no Parquet file, a damaged one, or pyarrow is not installed.
    """

    def __init__(self, path: Path) -> None:
        file = existing_file(path)
        self.name = path.name
        self.sha256 = _checked_hash(file, path.name)
        try:
            import pyarrow as pa
            import pyarrow.parquet as pq
        except ImportError:
            raise DataError(
                "Parquet files are read with pyarrow, which is not installed",
                file=path.name,
                expected=_INSTALL,
            ) from None
        try:
            self._file = pq.ParquetFile(file)
        except (pa.ArrowException, OSError) as problem:
            raise _damaged(self.name, problem) from None
        # The index of a pandas frame is a column like any other, unless nobody named it.
        names = self._file.schema_arrow.names
        self.columns = [name for name in names if not name.startswith("__index_level_")]
        self.n_rows = self._file.metadata.num_rows

    def raw(self, columns: Sequence[Column]) -> dict[str, NDArray[Any]]:
        """Return the cells of columns as text (object) or numbers (NaN where missing)."""
        table = self._arrow([column.name for column in columns])
        return {column.name: self._cells(table[column.name], column) for column in columns}

    def read(self, name: str) -> Any:
        """Return a column as it is stored, a pyarrow.ChunkedArray."""
        return self._arrow([name])[name]

    def _arrow(self, names: list[str]) -> Any:
        import pyarrow as pa

        try:
            return self._file.read(columns=names)
        except (pa.ArrowException, OSError) as problem:
            raise _damaged(self.name, problem) from None

    def _cells(self, values: Any, column: Column) -> NDArray[Any]:
        import pyarrow as pa

        kind = values.type
        if pa.types.is_dictionary(kind):
            kind = kind.value_type
            values = values.cast(kind)
        whole = pa.types.is_integer(kind)
        number = whole or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
        text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
        try:
            if pa.types.is_null(kind) or text or (whole and column.kind in TEXTS):
                return _texts(values)
            if number and column.kind not in TEXTS:
                return _numbers(values, whole)
            if pa.types.is_boolean(kind) and column.kind == "flag":
                return _numbers(values.cast(pa.int8()), whole=True)
        except pa.ArrowException:
            pass  # a number that no column of ours can hold
        raise DataError(
            "the column has a type that cannot be used",
            file=self.name,
            column=column.name,
            found=str(kind),
            expected=column.expected
            + (" as text or whole numbers" if column.kind in TEXTS else ""),
        )


def _checked_hash(file: Path, name: str) -> str:
    try:
        with file.open("rb") as stream:
            start = stream.read(len(_MAGIC))
            if start != _MAGIC:
                raise DataError(
                    "this is no Parquet file",
                    file=name,
                    found=f"{file.stat().st_size:,} bytes that start with {start!r}",
                    expected="a Parquet file, or a name that ends in .csv",
                )
            stream.seek(0)
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as problem:
        reason = problem.strerror or problem
        raise DataError(f"the file cannot be read ({reason})", file=str(file)) from None


def _damaged(name: str, problem: Exception) -> DataError:
    return DataError(f"this Parquet file is damaged or cut off ({problem})", file=name)


def _texts(values: Any) -> NDArray[Any]:
    """Return text as the CSV reader leaves it: composed, stripped, None where empty.

    Each distinct text exists once in memory, however many rows hold it.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    coded = values.cast(pa.large_string()).combine_chunks().dictionary_encode()
    if isinstance(coded, pa.ChunkedArray):
        coded = coded.unify_dictionaries().combine_chunks()
    words = pc.utf8_trim_whitespace(pc.utf8_normalize(coded.dictionary, form="NFC"))
    lookup = np.empty(len(words) + 1, dtype=object)
    lookup[:-1] = words.to_numpy(zero_copy_only=False)
    lookup[lookup == ""] = None  # the last one, of index -1, is None already
    return lookup[coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)]


def _numbers(values: Any, whole: bool) -> NDArray[Any]:
    import pyarrow as pa

    if whole and not values.null_count:
        return values.cast(pa.int64()).to_numpy()
    # Whole numbers beyond 2^53 beside missing ones raise here: no float holds them.
    return values.cast(pa.float64()).to_numpy()
