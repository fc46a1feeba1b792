"""The converted data sets on disk: made whole or not at all, and found again by name."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from ..errors import DataError
from .catalogue import Source, project_folder, source
from .converted import Converted
from .fetch import Obtained, Tell, file_hash, mirror_folder, obtain

FOLDER_VARIABLE = "BENCHBOOK_OPEN_DATA"
"""Environment variable: folder of the converted data sets, in place of the project's."""

DATASET_FILE = "dataset.json"
A_DAY = 86_400  # seconds; an unfinished set this old is of a run that was killed
FORMAT = 1  # of the converted files; a higher number makes every set be converted again


@dataclass(frozen=True)
class State:
    """Whether a data set is at hand.

    Attributes
    ----------
    folder : Path
        Where it is, or would be.
    present : bool
        True when it is there, whole, and made from what the list says now.
    reason : str
        Why not: "not here", "damaged" (a file is missing or was altered), or "outdated".
    """

    folder: Path
    present: bool
    reason: str = ""


def open_data_folder(root: Path | None = None) -> Path:
    """Return the folder that holds one folder for each converted data set."""
    told = os.environ.get(FOLDER_VARIABLE)
    return Path(told).absolute() if told else project_folder(root) / "data" / "open"


def state(entry: Source, root: Path | None = None) -> State:
    """Tell whether a data set is at hand."""
    folder = open_data_folder(root) / entry.name
    description = folder / DATASET_FILE
    if not description.exists():
        return State(folder, False, "not here")
    try:
        told = json.loads(description.read_text(encoding="utf-8"))
        tables = {folder / table["file"]: table["sha256"] for table in told["tables"].values()}
        current = (told["fingerprint"], told["format"]) == (entry.fingerprint, FORMAT)
        # A page must not call altered tables real data.
        whole = all(file_hash(table) == expected for table, expected in tables.items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        whole, current = False, False
    if not whole:
        return State(folder, False, "damaged")
    return State(folder, current, "" if current else "outdated")


def dataset_folder(name: str, root: Path | None = None) -> Path:
    """Return the folder of a converted data set.

    It holds ``labels.csv`` and, where the set has them, ``scores.csv``, ``readers.csv`` and
    ``mapping.csv``, and ``dataset.json`` with title, licence, citation, sources, notes, counts
    and the unit of resampling.

    Parameters
    ----------
    name : str
        Name in the list of open data sets.
    root : Path, optional
        The project's folder; found from the current folder upwards when not given.

    Raises
    ------
    DataError
        No such data set, or it has not been fetched: naming the command that does.
    """
    found = state(source(name, root), root)
    if not found.present:
        why = "is not here" if found.reason == "not here" else f"is {found.reason}"
        raise DataError(f"the open data set '{name}' {why}; run: benchbook data get {name}")
    return found.folder


def get(
    name: str,
    *,
    root: Path | None = None,
    mirror: Path | None = None,
    cache: Path | None = None,
    force: bool = False,
    tell: Tell = lambda _: None,
) -> tuple[Path, bool]:
    """Fetch, verify and convert a data set; nothing is left of an attempt that fails.

    Parameters
    ----------
    name : str
        Name in the list of open data sets.
    root : Path, optional
        The project's folder.
    mirror : Path, optional
        Folder to take the originals from; the environment's ``BENCHBOOK_MIRROR`` when not given.
        With a mirror nothing is fetched.
    cache : Path, optional
        Where downloads are kept.
    force : bool
        Convert again what is at hand.
    tell : callable
        Called with a line about each file that is fetched.

    Returns
    -------
    folder : Path
        Where the data set is.
    made : bool
        False when it was at hand already.

    Raises
    ------
    DataError
        A file that cannot be had, has other bytes than listed, or is not what it should be.
    """
    entry = source(name, root)
    found = state(entry, root)
    if found.present and not force:
        return found.folder, False
    files = obtain(entry, mirror_folder(mirror), cache, tell)
    converter = importlib.import_module(f"{__package__}.{entry.converter}")
    converted: Converted = converter.convert(entry, files)
    try:
        _install(entry, files, converted, found.folder)
    except OSError as problem:
        reason = problem.strerror or problem
        raise DataError(
            f"the data set cannot be written ({reason})", file=str(found.folder)
        ) from None
    return found.folder, True


def _install(
    entry: Source, files: Mapping[str, Obtained], converted: Converted, folder: Path
) -> None:
    """Write beside the place, then move there in one step."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    for left in folder.parent.glob(f".{folder.name}.*.part"):
        if time.time() - left.stat().st_mtime > A_DAY:
            shutil.rmtree(left, ignore_errors=True)
    mark = uuid.uuid4().hex[:8]
    part, old = (folder.with_name(f".{folder.name}.{mark}.{end}") for end in ("part", "old"))
    try:
        part.mkdir()
        tables = {name: _write(part, name, frame) for name, frame in converted.tables.items()}
        told = _description(entry, files, converted, tables)
        text = json.dumps(told, indent=2, ensure_ascii=False) + "\n"
        (part / DATASET_FILE).write_text(text, encoding="utf-8")
        if folder.exists():
            folder.rename(old)
        try:
            part.rename(folder)
        except OSError:
            if old.exists():
                old.rename(folder)
            raise
    finally:
        shutil.rmtree(part, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def _write(folder: Path, name: str, frame: pd.DataFrame) -> dict[str, Any]:
    path = folder / f"{name}.csv"
    frame.to_csv(path, index=False, lineterminator="\n")
    return {"file": path.name, "rows": len(frame), "sha256": file_hash(path)}


def _description(
    entry: Source,
    files: Mapping[str, Obtained],
    converted: Converted,
    tables: Mapping[str, Mapping[str, Any]],
) -> dict[str, Any]:
    """Return what ``dataset.json`` says: no path of this machine, no time, no record."""
    return {
        "name": entry.name,
        "title": entry.title,
        "description": entry.description,
        "data_statement": "real",
        "licence": entry.licence.model_dump(),
        "citation": entry.citation,
        "doi": entry.doi,
        "homepage": entry.homepage,
        "unit": converted.unit,
        "notes": [*entry.notes, *converted.notes],
        "counts": _counts(converted),
        "sources": {
            role: {
                "file": taken.file.name,
                "url": entry.url(taken.file),
                "sha256": taken.sha256,
                "original": not taken.converted,
            }
            for role, taken in files.items()
        },
        "tables": dict(tables),
        "fingerprint": entry.fingerprint,
        "format": FORMAT,
    }


def _counts(converted: Converted) -> dict[str, Any]:
    tables = converted.tables
    labels = tables["labels"]
    positives = labels.groupby("label", sort=False)["present"].sum()
    counts: dict[str, Any] = {
        "records": int(labels["record_id"].nunique()),
        # Where nobody knows the patients, the number of their identifiers is no count of them.
        "patients": int(labels["patient_id"].nunique()) if converted.unit == "patient" else None,
        "positives": {str(label): int(n) for label, n in positives.items()},
    }
    if "scores" in tables:
        counts["models"] = list(tables["scores"]["model"].unique())
    if "readers" in tables:
        counts["readers"] = list(tables["readers"]["reader"].unique())
    return counts
