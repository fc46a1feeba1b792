"""What a converter returns, and the helpers that bring wide tables into the input format."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..errors import DataError, listed
from ..reading import Column, read_input
from .catalogue import Source
from .fetch import Obtained


@dataclass(frozen=True)
class Converted:
    """An open data set in the input format.

    Attributes
    ----------
    tables : dict of str to DataFrame
        ``labels`` and, where the set has them, ``scores``, ``readers``, ``mapping``.
    unit : str
        What is resampled: "patient" or "record".
    notes : list of str
        What only the conversion knows, beside the notes of the source.
    """

    tables: dict[str, pd.DataFrame]
    unit: str
    notes: list[str] = field(default_factory=list)


Converter = Callable[[Source, Mapping[str, Obtained]], Converted]


def long_form(
    values: NDArray[Any], records: Sequence[str], names: Sequence[str], name: str, value: str
) -> pd.DataFrame:
    """Return one row for each record and column of a matrix.

    Parameters
    ----------
    values : array, shape (n_records, n_names)
        The matrix.
    records, names : sequence of str
        What its rows and columns are called.
    name, value : str
        Columns that take the names and the values, beside ``record_id``.
    """
    return pd.DataFrame(
        {
            "record_id": np.repeat(np.asarray(records, dtype=object), len(names)),
            name: np.tile(np.asarray(names, dtype=object), len(records)),
            value: values.ravel(),
        }
    )


def read_flags(path: Path, names: Sequence[str], n_rows: int) -> NDArray[np.int8]:
    """Return a table of 0 and 1 whose columns are labels, in the order of ``names``.

    Raises
    ------
    DataError
        Another column, another number of rows, or a cell that is neither.
    """
    table = read_input(path, [Column(name, "flag") for name in names])
    check_shape(table.name, table.frame.shape, (n_rows, len(names)))
    return table.frame.to_numpy(dtype=np.int8)


def check_shape(name: str, found: tuple[int, ...], expected: tuple[int, ...]) -> None:
    """Refuse a table of another size than it should have."""
    if tuple(found) != expected:
        raise DataError(
            "the table has another size than the data set",
            file=name,
            found=" x ".join(map(str, found)),
            expected=" x ".join(map(str, expected)) + " (rows x columns)",
        )


def check_probabilities(name: str, scores: NDArray[Any]) -> None:
    """Refuse scores that are no probabilities."""
    good = np.isfinite(scores) & (scores >= 0) & (scores <= 1)
    if not good.all():
        row, column = map(int, np.argwhere(~good)[0])
        raise DataError(
            "a score is no probability",
            file=name,
            row=row + 1,
            column=str(column + 1),
            found=scores[row, column],
            expected="a number from 0 to 1",
        )


def one_to_one(models: Sequence[str], labels: Sequence[str], contaminated: bool) -> pd.DataFrame:
    """Return the mapping of models whose outputs are the labels themselves."""
    rows = [(model, label) for model in models for label in labels]
    frame = pd.DataFrame(rows, columns=["model", "output"])
    return frame.assign(label=frame["output"], approximate=0, contaminated=int(contaminated))


def known_labels(found: Sequence[str], expected: Sequence[str], name: str) -> None:
    """Refuse a list of labels that is not the expected one, in its order."""
    if list(found) != list(expected):
        raise DataError(
            "the labels are not those of the data set",
            file=name,
            found=listed(found),
            expected=listed(expected),
        )
