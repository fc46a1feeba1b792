"""The four input tables: what their columns are, and where they come from."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchbook.errors import DataError, listed, quoted
from benchbook.parameters import data_path
from benchbook.reading import Column, InputTable, read_input

from . import simulate
from .parameters import Parameters

TABLES = ("scores", "labels", "readers", "mapping")
ENDINGS = (".csv", ".csv.gz", ".parquet")

SCORES = (
    Column("record_id", "id"),
    Column("patient_id", "id", required=False),
    Column("model", "text"),
    Column("output", "text"),
    Column("window", "text", required=False, empty=True),
    Column("score", "number"),
)
LABELS = (
    Column("record_id", "id"),
    Column("label", "text"),
    Column("present", "flag", empty=True),
    Column("patient_id", "id", required=False),
)
READERS = (
    Column("record_id", "id"),
    Column("reader", "text"),
    Column("group", "text"),
    Column("label", "text"),
    Column("present", "flag", empty=True),
    Column("independent", "flag", required=False, default=True),
    Column("kind", "text", required=False, choices=("person", "network"), default="person"),
)
MAPPING = (
    Column("model", "text"),
    Column("output", "text"),
    Column("label", "text"),
    Column("approximate", "flag", required=False, default=False),
    Column("contaminated", "flag", required=False, default=False),
)
COLUMNS = {"scores": SCORES, "labels": LABELS, "readers": READERS, "mapping": MAPPING}
KEYS = {
    "scores": ("record_id", "model", "output", "window"),
    "labels": ("record_id", "label"),
    "readers": ("record_id", "reader", "label"),
    "mapping": ("model", "output", "label"),
}


@dataclass(frozen=True, eq=False)
class Inputs:
    """The tables of a run, read and typed; not yet checked against each other.

    Attributes
    ----------
    labels : InputTable
    scores, mapping, readers : InputTable or None
    source : {"simulated", "open", "own"}
    about : dict
        What an open data set says of itself: title, statement, citation, licence, notes, unit.
    files : dict of str to str
        Table to file, for the record; empty for simulated tables.
    """

    labels: InputTable
    scores: InputTable | None
    mapping: InputTable | None
    readers: InputTable | None
    source: str
    about: dict[str, Any] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)

    def tables(self) -> dict[str, InputTable]:
        """Return the tables that there are, by name."""
        found = {name: getattr(self, name) for name in TABLES}
        return {name: table for name, table in found.items() if table is not None}


def load(parameters: Parameters) -> Inputs:
    """Read the tables that the parameters name.

    Raises
    ------
    DataError
        A file that is missing or cannot be used; an open data set that was not fetched yet.
    """
    if parameters.own:
        return _own(parameters)
    if parameters.dataset == "simulated":
        return from_frames(simulate.simulated(parameters.seed), "simulated")
    from benchbook.open_data import dataset_folder

    folder = dataset_folder(parameters.dataset)
    about = json.loads((folder / "dataset.json").read_text(encoding="utf-8"))
    return _read(_in_folder(folder), "open", about)


def check_together(inputs: Inputs) -> None:
    """Refuse tables without an answer, and scores or readers of none of the labelled records.

    Raises
    ------
    DataError
        Naming file, row and column.
    """
    for table, told in ((inputs.labels, "no label is known"), (inputs.readers, "nobody read")):
        if table is not None and table.frame["present"].isna().all():
            raise DataError(
                told, file=table.name, column="present", found="empty cells only",
                expected="0 or 1",
            )  # fmt: skip
    known = inputs.labels.frame["record_id"]
    for name in ("scores", "readers"):
        table = getattr(inputs, name)
        if table is None or table.frame["record_id"].isin(known).any():
            continue
        raise table.refuse(
            0, "record_id", quoted(table.frame["record_id"].iloc[0]),
            f"a record of {inputs.labels.name}, such as {quoted(known.iloc[0])}; ids are compared "
            "as text, so 7, 007 and 7.0 are three records",
            f"no record of the table of {name} is in the table of labels",
        )  # fmt: skip


def from_frames(frames: dict[str, pd.DataFrame], source: str) -> Inputs:
    """Return tables that were made in memory, in the form of those that are read."""
    tables: dict[str, Any] = dict.fromkeys(TABLES)
    for name, made in frames.items():
        frame = pd.DataFrame({column: _as_read(made[column]) for column in made})
        digest = hashlib.sha256(frame.to_csv(index=False).encode()).hexdigest()
        lines = np.arange(2, len(frame) + 2, dtype=np.int64)
        tables[name] = InputTable(frame, f"{source} {name}", digest, len(frame), lines)
    labels = tables.pop("labels")
    assert labels is not None
    return Inputs(labels=labels, source=source, **tables)


def _as_read(column: pd.Series) -> pd.Series:
    """Return a column as reading a file gives it: text as objects, None where empty."""
    if column.dtype.kind in "biuf":
        return column.reset_index(drop=True)
    cells = column.to_numpy(dtype=object)
    return pd.Series(np.where(pd.isna(cells), None, cells), dtype=object)


def _own(parameters: Parameters) -> Inputs:
    paths: dict[str, Path] = {}
    if parameters.data is not None:
        folder = data_path(parameters.data)
        if not folder.is_dir():
            raise DataError(
                "data must be a folder",
                file=parameters.data,
                expected="a folder that holds scores, labels, readers and mapping; single files "
                "are given by -p scores=… -p labels=… -p readers=… -p mapping=…",
            )
        paths = _in_folder(folder)
    for name in TABLES:
        given = getattr(parameters, name)
        if given is not None:
            paths[name] = data_path(given)
            if not paths[name].exists():
                raise DataError("no such file", file=str(given), expected=f"a table of {name}")
    return _read(paths, "own", {}, parameters.delimiter, parameters.encoding)


def _in_folder(folder: Path) -> dict[str, Path]:
    """Find the tables of a folder by name; a name that is almost a table's is refused."""
    found: dict[str, Path] = {}
    _refuse_almost(folder)
    for name in TABLES:
        there = [folder / f"{name}{end}" for end in ENDINGS if (folder / f"{name}{end}").is_file()]
        if len(there) > 1:
            raise DataError(
                f"the folder holds the table '{name}' more than once",
                file=folder.name,
                found=listed(path.name for path in there),
                expected="one of them",
            )
        if there:
            found[name] = there[0]
    return found


def _refuse_almost(folder: Path) -> None:
    """Refuse ``Readers.csv`` or ``readers.xlsx``, which would be left out without a word."""
    good = {f"{name}{end}" for name in TABLES for end in ENDINGS}
    for path in sorted(folder.iterdir()):
        stem = path.name.split(".")[0].lower()
        if path.is_file() and stem in TABLES and path.name not in good:
            raise DataError(
                f"the folder {quoted(folder.name)} holds a file that is almost the table of {stem}",
                file=path.name,
                expected=" or ".join(f"{stem}{end}" for end in ENDINGS) + ", or another name for "
                "what is no input",
            )


def _read(
    paths: dict[str, Path],
    source: str,
    about: dict[str, Any],
    delimiter: str = ",",
    encoding: str = "utf-8",
) -> Inputs:
    _complete(paths)
    stamps = []
    for name, path in paths.items():
        state = path.stat()
        stamps.append((name, path, state.st_mtime_ns, state.st_size))
    read = _read_once(tuple(stamps), delimiter, encoding)
    tables: dict[str, Any] = {name: read.get(name) for name in TABLES}
    labels = tables.pop("labels")
    assert labels is not None
    files = {name: str(path) for name, path in paths.items()}
    return Inputs(labels=labels, source=source, about=about, files=files, **tables)


@lru_cache(maxsize=1)
def _read_once(
    stamps: tuple[tuple[str, Path, int, int], ...], delimiter: str, encoding: str
) -> dict[str, InputTable]:
    """Read the tables; the check before a run and the run's conditions need them again."""
    form = {"delimiter": delimiter, "encoding": encoding}
    return {
        name: read_input(path, COLUMNS[name], key=KEYS[name], **form) for name, path, *_ in stamps
    }


def _complete(paths: dict[str, Path]) -> None:
    have = listed(path.name for path in paths.values()) or "none of the tables"
    names = " or ".join(f"labels{end}" for end in ENDINGS)
    if "labels" not in paths:
        raise DataError("there is no table of labels", found=have, expected=names)
    if "scores" not in paths and "readers" not in paths:
        raise DataError(
            "there is nothing to judge", found=have, expected="a table of scores or of readers"
        )
    if ("scores" in paths) != ("mapping" in paths):
        raise DataError(
            "scores and mapping go together",
            found=have,
            expected="both: the mapping says which output of a model stands for which label",
        )
