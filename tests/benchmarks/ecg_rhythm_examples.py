"""A small reading study in memory and on disk, easy to spoil in one place."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from benchbook.benchmarks.ecg_rhythm import Parameters
from benchbook.benchmarks.ecg_rhythm.inputs import from_frames, load
from benchbook.benchmarks.ecg_rhythm.study import Study, build
from benchbook.parameters import validate

Frames = dict[str, pd.DataFrame]
LABELS = ("AF", "RBBB")


def frames(n: int = 40, seed: int = 0) -> Frames:
    """Forty records of thirty patients, two models, three readers; nothing is missing."""
    rng = np.random.default_rng(seed)
    records = [f"R{k:03d}" for k in range(n)]
    patient = {record: f"P{k % 30:02d}" for k, record in enumerate(records)}
    truth = {label: rng.random(n) < 0.3 for label in LABELS}
    scores, labels, readers = [], [], []
    outputs = {"one": {"af": "AF", "rbbb": "RBBB"}, "two": {"fib": "AF", "flut": "AF"}}
    for k, record in enumerate(records):
        for model, named in outputs.items():
            for output, label in named.items():
                score = 1 / (1 + np.exp(-(rng.normal() + 2 * truth[label][k] - 1)))
                scores.append((record, patient[record], model, output, None, score))
        for label in LABELS:
            labels.append((record, label, float(truth[label][k])))
            for reader, group in (("ann", "doctors"), ("ben", "doctors"), ("net", "machines")):
                said = truth[label][k] if rng.random() < 0.85 else not truth[label][k]
                kind = "network" if reader == "net" else "person"
                readers.append((record, reader, group, label, float(said), True, kind))
    mapping = [
        ("one", "af", "AF", False, False),
        ("one", "rbbb", "RBBB", False, True),
        ("two", "fib", "AF", True, False),
        ("two", "flut", "AF", False, False),
    ]
    return {
        "scores": pd.DataFrame(
            scores, columns=["record_id", "patient_id", "model", "output", "window", "score"]
        ),
        "labels": pd.DataFrame(labels, columns=["record_id", "label", "present"]),
        "readers": pd.DataFrame(
            readers,
            columns=["record_id", "reader", "group", "label", "present", "independent", "kind"],
        ),
        "mapping": pd.DataFrame(
            mapping, columns=["model", "output", "label", "approximate", "contaminated"]
        ),
    }


def parameters(**values) -> Parameters:
    return validate(Parameters, {"n_resamples": 100, **values})


def study(tables: Frames | None = None, **values) -> Study:
    """The study of tables in memory, or of the simulation."""
    if tables is None:
        made = parameters(**values)
        return build(load(made), made)
    labels = tables["labels"]
    if "patient_id" not in labels:
        tables = tables | {"labels": labels.assign(patient_id=None)}
    return build(from_frames(tables, "test"), parameters(**values))


def write(folder: Path, tables: Frames, ending: str = "csv") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, frame in tables.items():
        if ending == "parquet":
            frame.to_parquet(folder / f"{name}.parquet", index=False)
        else:
            frame.to_csv(folder / f"{name}.{ending}", index=False)
    return folder
