"""Small studies for the tests of ecg_image, the same on every machine.

Only ``Generator.random`` is used, whose stream numpy keeps, since frozen numbers rest on it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

CLASSES = (
    "AFIB/AFL", "Acute MI", "BRADY", "CD", "HYP", "NORM", "Old MI", "PAC", "PVC", "STTC", "TACHY",
)  # fmt: skip


@dataclass(frozen=True)
class Design:
    """How a study of the frozen file is made."""

    seed: int
    n_records: int
    share: float  # of positives, times a factor of the class
    skill: float  # chance that a label is given as it is
    answered: float = 0.9  # chance that there is an answer
    absent: int = 0  # classes that the reference does not have


DESIGNS = {
    "large": Design(1, 400, 0.25, 0.85),
    "small": Design(2, 25, 0.3, 0.6),
    "four records": Design(3, 4, 0.4, 0.7, 1.0),
    "rare classes": Design(4, 150, 0.04, 0.95),
    "classes without a record": Design(5, 60, 0.3, 0.7, 0.8, absent=4),
    "few answers": Design(6, 80, 0.3, 0.8, 0.1),
    "all wrong": Design(7, 40, 0.5, 0.0, 1.0),
    "all right": Design(8, 40, 0.3, 1.0, 1.0),
    "no answer": Design(9, 30, 0.3, 1.0, 0.0),
}


def study_of(design: Design) -> tuple[list[list[str]], list[list[str] | None]]:
    """Return reference labels of each record, [] where unlabelled, and answers, None for none."""
    generator = np.random.default_rng(design.seed)
    shares = design.share * (0.2 + 1.6 * generator.random(len(CLASSES)))
    if design.absent:
        shares[-design.absent :] = 0.0
    has = generator.random((design.n_records, len(CLASSES))) < shares
    right = generator.random(has.shape) < design.skill
    given = np.where(right, has, ~has)
    came = generator.random(design.n_records) < design.answered
    reference = [[CLASSES[k] for k in np.flatnonzero(row)] for row in has]
    answers = [
        [CLASSES[k] for k in np.flatnonzero(row)] if there else None
        for row, there in zip(given, came, strict=True)
    ]
    return reference, answers
