"""CODE-test (Ribeiro et al. 2020): 827 twelve-lead ECGs, six abnormalities, network and people."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..errors import DataError
from .catalogue import Source
from .converted import (
    Converted,
    check_probabilities,
    check_shape,
    long_form,
    one_to_one,
    read_flags,
)
from .fetch import Obtained

LABELS = ("1dAVb", "RBBB", "LBBB", "SB", "AF", "ST")
N_EXAMS = 827

MODELS = {
    "seed_1": "Ribeiro 2020",
    "model": "Ribeiro 2020, model.npy",
    "individual_patients": "Ribeiro 2020, split by patient",
    "normal_order": "Ribeiro 2020, stratified random split",
    "date_order": "Ribeiro 2020, split by date",
}
# role: reader, group, independent of the reference, kind
READERS = {
    "cardiologist1": ("cardiologist 1", "reference cardiologists", 0, "person"),
    "cardiologist2": ("cardiologist 2", "reference cardiologists", 0, "person"),
    "cardiology_residents": ("cardiology residents", "residents and students", 1, "person"),
    "emergency_residents": ("emergency residents", "residents and students", 1, "person"),
    "medical_students": ("medical students", "residents and students", 1, "person"),
    "dnn": ("network", "network", 1, "network"),
}


def convert(source: Source, files: Mapping[str, Obtained]) -> Converted:
    """Bring CODE-test into the input format.

    Decisions
    ---------
    - A row is the same exam in every file; it is called ``code-test-0001`` … by its number, since
      the set names no exam. The authors say that the 827 exams are of different patients, so each
      exam is its own patient, and patients are resampled.
    - The label is the gold standard: what both cardiologists said, else the decision of a third
      who saw both. The two are readers of a group of their own, not independent of it.
    - Each file of residents or students mixes two people with half of the exams each, and cannot
      be taken apart. It is one reader. The three are one group, so that the group has a mean.
    - Models: of the ten networks that differ in their seed, the one whose decisions are the
      published ones, ``other_seeds/model_1.npy``; ``model.npy``, which the authors call the main
      network, but which does not give those decisions (it is the sixth seed, byte for byte); and
      the three networks trained on other splits of the same exams. The other eight seeds are
      left out: they measure the seed, not a method.
    - The authors' own 0/1 decisions of the network (``dnn.csv``) are a reader of the kind
      ``network``.
    - Outputs are the labels, one to one, exactly. They are marked as contaminated: the network
      was trained on exams of the same telehealth service (of 2010 to 2016; the test is of 2018).
    """
    records = [f"code-test-{number:04d}" for number in range(1, N_EXAMS + 1)]
    truth = read_flags(files["gold_standard"].path, LABELS, N_EXAMS)
    labels = long_form(truth, records, LABELS, "label", "present")
    labels.insert(1, "patient_id", labels["record_id"])
    models = {name: _probabilities(files[role]) for role, name in MODELS.items()}
    return Converted(
        {
            "scores": pd.concat(
                [_scores(values, records, name) for name, values in models.items()]
            ),
            "labels": labels,
            "readers": pd.concat([_reader(files[role], role, records) for role in READERS]),
            "mapping": one_to_one(list(models), LABELS, contaminated=True),
        },
        unit="patient",
    )


def _probabilities(file: Obtained) -> NDArray[np.float64]:
    try:
        values = np.load(file.path, allow_pickle=False)
    except (ValueError, OSError, EOFError) as problem:
        raise DataError(f"this is no NumPy array ({problem})", file=file.path.name) from None
    check_shape(file.path.name, values.shape, (N_EXAMS, len(LABELS)))
    check_probabilities(file.path.name, values)
    return values.astype(np.float64)


def _scores(values: NDArray[np.float64], records: list[str], model: str) -> pd.DataFrame:
    frame = long_form(values, records, LABELS, "output", "score")
    frame.insert(1, "patient_id", frame["record_id"])
    frame.insert(2, "model", model)
    return frame


def _reader(file: Obtained, role: str, records: list[str]) -> pd.DataFrame:
    reader, group, independent, kind = READERS[role]
    frame = long_form(read_flags(file.path, LABELS, N_EXAMS), records, LABELS, "label", "present")
    frame.insert(1, "reader", reader)
    frame.insert(2, "group", group)
    return frame.assign(independent=independent, kind=kind)
