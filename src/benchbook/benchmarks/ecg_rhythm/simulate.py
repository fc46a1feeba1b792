"""A simulated reading study in exactly the input format."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import expit, ndtri

N_PATIENTS = 450
SHARE_WITH_MORE = 0.3  # of the patients, who have two or three records
SHARE_NOT_READ = 0.02


@dataclass(frozen=True)
class Rhythm:
    """A label: how common it is, and how clear to see."""

    name: str
    prevalence: float
    clarity: float  # distance of present from absent for an average reader, in SD


RHYTHMS = (
    Rhythm("AF", 0.09, 3.4),
    Rhythm("1dAVb", 0.06, 2.7),
    Rhythm("RBBB", 0.08, 3.2),
    Rhythm("LBBB", 0.05, 3.6),
    Rhythm("SB", 0.12, 3.0),
    Rhythm("ST", 0.07, 3.1),
)


@dataclass(frozen=True)
class Reader:
    """A reader: skill relative to the average, and how readily the label is given."""

    name: str
    group: str
    skill: float
    lenience: float
    kind: str = "person"
    independent: bool = True


READERS = (
    Reader("cardiologist A", "cardiologists", 1.00, 0.00),
    Reader("cardiologist B", "cardiologists", 0.95, -0.25),
    Reader("cardiologist C", "cardiologists", 1.05, 0.20),
    Reader("resident A", "residents", 0.80, 0.45),
    Reader("resident B", "residents", 0.75, 0.15),
    Reader("resident C", "residents", 0.85, 0.60),
    Reader("committee member", "reference committee", 1.30, 0.00, independent=False),
    Reader("network's decisions", "network", 1.05, 0.10, kind="network"),
)


@dataclass(frozen=True)
class Output:
    """One output of a model, and the label it stands for."""

    name: str
    label: str
    approximate: bool = False
    contaminated: bool = False


@dataclass(frozen=True)
class Model:
    """A model: skill, whether its scores are probabilities, and its outputs."""

    name: str
    skill: float
    outputs: tuple[Output, ...]
    windows: int = 1
    sharpness: float = 1.0  # 1: calibrated, above it too sure of itself
    shared: float = 0.5  # share of the record's difficulty that it feels as people do


def _plain(*labels: str, **flags: bool) -> tuple[Output, ...]:
    return tuple(Output(label.lower(), label, **flags) for label in labels)


ALL = tuple(one.name for one in RHYTHMS)
MODELS = (
    Model("model A", 0.97, _plain(*ALL)),
    Model("model B", 1.00, _plain(*ALL), sharpness=2.2, shared=0.3),
    Model(
        "model C",
        0.92,
        (
            Output("af", "AF"),
            Output("flutter", "AF"),
            Output("av block", "1dAVb", approximate=True),
            Output("bundle branch block", "RBBB", True),
            Output("slow rhythm", "SB", approximate=True),
            Output("st", "ST"),
        ),
    ),
    Model("model D", 1.06, _plain(*ALL, contaminated=True)),
    Model("model E", 0.82, _plain("AF", "SB", "ST"), windows=3),
)


def simulated(seed: int, n_patients: int = N_PATIENTS) -> dict[str, pd.DataFrame]:
    """Simulate scores, labels, readers and mapping.

    Every record has a difficulty that readers and models feel alike in part, so that they err on
    the same records; records of a patient share part of their truth. Present and absent differ
    by the label's clarity times the skill of who reads.

    Parameters
    ----------
    seed : int
        Seed of the random numbers.
    n_patients : int

    Returns
    -------
    dict of str to DataFrame
        The four tables in the input format. Ids are made so that they can be told from real ones.
    """
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(1,)))
    size = 1 + (rng.random(n_patients) < SHARE_WITH_MORE) * rng.integers(1, 3, n_patients)
    patient = np.repeat(np.arange(n_patients), size)
    ids = {
        "record_id": np.array([f"SIM-R{k:05d}" for k in range(1, patient.size + 1)], dtype=object),
        "patient_id": np.array([f"SIM-P{k + 1:04d}" for k in patient], dtype=object),
    }
    truth = _truth(rng, patient)
    shared = _difficulty(rng, patient, truth.shape[1])
    return {
        "scores": _scores(rng, ids, truth, shared),
        "labels": _labels(ids, truth),
        "readers": _readers(rng, ids, truth, shared),
        "mapping": _mapping(),
    }


def _truth(rng: np.random.Generator, patient: np.ndarray) -> np.ndarray:
    """Draw which labels are present; records of one patient are alike."""
    n_labels = len(RHYTHMS)
    of_patient = rng.normal(size=(patient.max() + 1, n_labels))[patient]
    own = rng.normal(size=(patient.size, n_labels))
    liability = np.sqrt(0.7) * of_patient + np.sqrt(0.3) * own
    return liability > ndtri(1 - np.array([one.prevalence for one in RHYTHMS]))


def _difficulty(rng: np.random.Generator, patient: np.ndarray, n_labels: int) -> np.ndarray:
    """Draw what makes records hard for everybody; records of one patient are alike."""
    of_patient = rng.normal(size=(patient.max() + 1, n_labels))[patient]
    own = rng.normal(size=(patient.size, n_labels))
    return np.sqrt(0.8) * of_patient + np.sqrt(0.2) * own


def _evidence(
    rng: np.random.Generator, truth: np.ndarray, shared: np.ndarray, skill: float, share: float
) -> np.ndarray:
    """Return what one who looks sees of every label, absent with mean 0 and SD 1."""
    clarity = np.array([one.clarity for one in RHYTHMS]) * skill
    own = rng.normal(size=truth.shape)
    return truth * clarity + np.sqrt(share) * shared + np.sqrt(1 - share) * own


def _labels(ids: dict[str, np.ndarray], truth: np.ndarray) -> pd.DataFrame:
    n, n_labels = truth.shape
    return pd.DataFrame(
        {
            "record_id": np.repeat(ids["record_id"], n_labels),
            "label": np.tile(np.array(ALL, dtype=object), n),
            "present": truth.astype(float).ravel(),
            "patient_id": np.repeat(ids["patient_id"], n_labels),
        }
    )


def _readers(
    rng: np.random.Generator, ids: dict[str, np.ndarray], truth: np.ndarray, shared: np.ndarray
) -> pd.DataFrame:
    n, n_labels = truth.shape
    cut = np.array([0.5 * one.clarity + 0.35 for one in RHYTHMS])
    tables = []
    for reader in READERS:
        seen = _evidence(rng, truth, shared, reader.skill, 0.5)
        said = (seen > cut - reader.lenience).astype(float)
        if reader.kind == "person":
            said[rng.random(n) < SHARE_NOT_READ] = np.nan  # a record that the reader left out
        tables.append(
            pd.DataFrame(
                {
                    "record_id": np.repeat(ids["record_id"], n_labels),
                    "reader": reader.name,
                    "group": reader.group,
                    "label": np.tile(np.array(ALL, dtype=object), n),
                    "present": said.ravel(),
                    "independent": reader.independent,
                    "kind": reader.kind,
                }
            ).astype({"reader": object, "group": object, "kind": object})
        )
    return pd.concat(tables, ignore_index=True)


def _scores(
    rng: np.random.Generator, ids: dict[str, np.ndarray], truth: np.ndarray, shared: np.ndarray
) -> pd.DataFrame:
    n = truth.shape[0]
    tables = []
    for model in MODELS:
        seen = _evidence(rng, truth, shared, model.skill, model.shared)
        for output in model.outputs:
            column = ALL.index(output.label)
            for window in range(model.windows):
                logit = _logit(rng, model, output, seen[:, column], truth, column)
                tables.append(
                    pd.DataFrame(
                        {
                            "record_id": ids["record_id"],
                            "patient_id": ids["patient_id"],
                            "model": np.full(n, model.name, dtype=object),
                            "output": np.full(n, output.name, dtype=object),
                            "window": np.full(
                                n, str(window + 1) if model.windows > 1 else None, dtype=object
                            ),
                            "score": np.round(expit(model.sharpness * logit), 6),
                        }
                    )
                )
    return pd.concat(tables, ignore_index=True)


def _logit(
    rng: np.random.Generator,
    model: Model,
    output: Output,
    seen: np.ndarray,
    truth: np.ndarray,
    column: int,
) -> np.ndarray:
    """Return the logit of a calibrated score; a wider output also answers to its neighbour."""
    rhythm = RHYTHMS[column]
    clarity = rhythm.clarity * model.skill
    if output.approximate:
        neighbour = ALL.index({"1dAVb": "LBBB", "RBBB": "LBBB", "SB": "1dAVb"}[output.label])
        seen = np.maximum(
            seen, 0.8 * clarity * truth[:, neighbour] + 0.3 * rng.normal(size=seen.size)
        )
    if model.windows > 1 or sum(one.label == output.label for one in model.outputs) > 1:
        seen = seen - np.abs(rng.normal(scale=0.8, size=seen.size))
    odds = np.log(rhythm.prevalence / (1 - rhythm.prevalence))
    return odds + clarity * (seen - clarity / 2)


def _mapping() -> pd.DataFrame:
    rows = [
        {
            "model": model.name,
            "output": output.name,
            "label": output.label,
            "approximate": output.approximate,
            "contaminated": output.contaminated,
        }
        for model in MODELS
        for output in model.outputs
    ]
    frame = pd.DataFrame(rows)
    return frame.astype({"model": object, "output": object, "label": object})
