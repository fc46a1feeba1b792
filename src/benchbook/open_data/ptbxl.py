"""PTB-XL folds 9 and 10 (Wagner et al. 2020) with the xresnet1d101 of Strodthoff et al. 2021."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..errors import DataError
from ..reading import Column, read_input
from .catalogue import Source
from .converted import (
    Converted,
    check_probabilities,
    check_shape,
    known_labels,
    long_form,
    one_to_one,
)
from .fetch import Obtained
from .pickles import read_array, read_label_names

MODEL = "xresnet1d101"
N_STATEMENTS = 71

_WITHOUT_PATIENTS = (
    "The files name neither record nor patient, so the record is the unit of resampling, although "
    "some patients have several records: intervals are a little too narrow. With "
    "ptbxl_database.csv of PTB-XL v1.0.1 in the mirror folder the patient is the unit."
)
_WITH_PATIENTS = (
    "Records and patients are those of ptbxl_database.csv (v1.0.1): the statements of every "
    "record agree with the published labels."
)


def convert(source: Source, files: Mapping[str, Obtained]) -> Converted:
    """Bring one fold of PTB-XL into the input format.

    Decisions
    ---------
    - Labels are the 71 SCP statements of the authors' task "all", whatever likelihood the
      statement has; the names and their order come from their pickled label binariser.
    - The originals are NumPy pickles, read with an unpickler that can rebuild arrays and nothing
      else. A mirror may hold the same numbers as CSV (six significant digits) instead.
    - Rows are the fold's records of PTB-XL v1.0.1 in ascending ``ecg_id`` and are called
      ``ptbxl-fold10-0001`` … by their number. When ``ptbxl_database.csv`` is at hand they get
      their ``ecg_id`` and their patient; the file is refused unless the statements of every
      record of the fold are the labels of that row, which no other version passes.
    - The one model, ``xresnet1d101``, has an output for each statement, one to one. It was
      trained on folds 1 to 8 of the same data, hence marked as contaminated.
    """
    fold, n_records = int(source.options["fold"]), int(source.options["records"])
    names, present = _labels(files, n_records)
    scores = _predictions(files["predictions"], names, n_records)
    records = [f"ptbxl-fold{fold}-{number:04d}" for number in range(1, n_records + 1)]
    patients, unit, note = records, "record", _WITHOUT_PATIENTS
    if "database" in files:
        records, patients = _records(files["database"].path, fold, names, present)
        unit, note = "patient", _WITH_PATIENTS
    labels = long_form(present, records, names, "label", "present")
    labels.insert(1, "patient_id", np.repeat(np.asarray(patients, dtype=object), len(names)))
    table = long_form(scores, records, names, "output", "score")
    table.insert(1, "patient_id", labels["patient_id"])
    table.insert(2, "model", MODEL)
    tables = {
        "scores": table,
        "labels": labels,
        "mapping": one_to_one([MODEL], names, contaminated=True),
    }
    return Converted(tables, unit, [note])


def _labels(files: Mapping[str, Obtained], n_records: int) -> tuple[list[str], NDArray[np.int8]]:
    classes, labels = files["classes"], files["labels"]
    if classes.converted:
        names = list(pd.read_csv(classes.path, nrows=0).columns)
    else:
        names = read_label_names(classes.path)
    check_shape(classes.path.name, (len(names),), (N_STATEMENTS,))
    if labels.converted:
        found = _table(labels.path, names, n_records)
    else:
        found = read_array(labels.path)
        check_shape(labels.path.name, found.shape, (n_records, len(names)))
    if not np.isin(found, (0, 1)).all():
        raise DataError("a label is neither 0 nor 1", file=labels.path.name)
    return names, found.astype(np.int8)


def _predictions(file: Obtained, names: list[str], n_records: int) -> NDArray[np.float64]:
    found = _table(file.path, names, n_records) if file.converted else read_array(file.path)
    check_shape(file.path.name, found.shape, (n_records, len(names)))
    check_probabilities(file.path.name, found)
    return found.astype(np.float64)


def _table(path: Path, names: list[str], n_records: int) -> NDArray[np.float64]:
    # Seventy columns of numbers: pandas is far quicker here, and the checksum is known.
    frame = pd.read_csv(path, dtype=str)
    known_labels(list(frame.columns), names, path.name)
    check_shape(path.name, frame.shape, (n_records, len(names)))
    return frame.to_numpy(dtype=object).astype(np.float64)  # float() of each cell: exact


def _records(
    path: Path, fold: int, names: list[str], present: NDArray[np.int8]
) -> tuple[list[str], list[str]]:
    """Return the ``ecg_id`` and the patient of every row, after comparing all statements."""
    table = read_input(
        path,
        [
            Column("ecg_id", "whole"),
            Column("patient_id", "whole"),
            Column("strat_fold", "whole", low=1, high=10),
            Column("scp_codes", "text"),
        ],
        key=["ecg_id"],
    )
    rows = np.flatnonzero(table.frame["strat_fold"] == fold)
    rows = rows[np.argsort(table.frame["ecg_id"].to_numpy()[rows], kind="stable")]
    if len(rows) != len(present):
        raise DataError(
            f"fold {fold} has another number of records than the predictions",
            file=table.name,
            column="strat_fold",
            found=f"{len(rows):,}",
            expected=f"{len(present):,}, as in PTB-XL v1.0.1",
        )
    position = {name: number for number, name in enumerate(names)}
    for row, told in zip(rows, present, strict=True):
        cell = table.frame["scp_codes"].iloc[row]
        found = _statements(cell)
        expected = {name for name, number in position.items() if told[number]}
        if found != expected:
            raise table.refuse(
                int(row),
                "scp_codes",
                cell,
                ", ".join(sorted(expected)) + ", as in PTB-XL v1.0.1",
                "the statements are not the labels of this row",
            )
    chosen = table.frame.iloc[rows]
    return [f"ptbxl-{value}" for value in chosen["ecg_id"]], [
        f"ptbxl-patient-{value}" for value in chosen["patient_id"]
    ]


def _statements(cell: str) -> set[str] | None:
    try:
        found = ast.literal_eval(cell)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return set(found) if isinstance(found, dict) else None
