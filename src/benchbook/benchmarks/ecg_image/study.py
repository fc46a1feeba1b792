"""What is scored: the reference, the groups and the answers of each model, as tables of bool.

Record ids are needed to bring the two files together and are forgotten then: nothing that leaves
a run can name a record.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from benchbook.errors import ParameterError
from benchbook.metrics import Memberships

PRIOR = "prior: every class"  # name of the baseline; no model may have it


@dataclass(frozen=True, eq=False)
class Answers:
    """The answers of one model, in the order of the reference's records.

    Attributes
    ----------
    model : str
    predicted : ndarray of bool, shape (n_records, n_classes)
        Classes named; none where no answer came or none could be read.
    received : ndarray of bool, shape (n_records,)
        Whether an answer came: there is a row for the record, without the error flag.
    as_text : ndarray of bool, shape (n_records,)
        Whether the answer is text to be parsed, not a list of labels.
    parsed : ndarray of bool, shape (n_records,)
        Whether it is text in which labels were found.
    n_missing, n_failed : int
        Records without a row, and rows with the error flag.
    n_unknown, n_not_text, n_repeated : int
        Entries of the label lists that are no class, no text, or repeat a class.
    """

    model: str
    predicted: np.ndarray
    received: np.ndarray
    as_text: np.ndarray
    parsed: np.ndarray
    n_missing: int = 0
    n_failed: int = 0
    n_unknown: int = 0
    n_not_text: int = 0
    n_repeated: int = 0


@dataclass(frozen=True, eq=False)
class Study:
    """Reference and answers.

    Attributes
    ----------
    classes : tuple of str
    reference : ndarray of bool, shape (n_records, n_classes)
        A record without any class is unlabelled and not scored.
    groups : ndarray of int, shape (n_records,)
        Number of the group of likely repeats that a record belongs to, from 0.
    answers : tuple of Answers
        One per model.
    name : str
        What the data are called.
    simulated : bool
    grouped : bool
        Whether groups were given; if not, every record is its own.
    files : tuple
        Files read, for the record of the run.
    remarks : tuple of str
        What a reader must know about the files.
    """

    classes: tuple[str, ...]
    reference: np.ndarray
    groups: np.ndarray
    answers: tuple[Answers, ...]
    name: str
    simulated: bool = False
    grouped: bool = True
    files: tuple[tuple[Path, int], ...] = ()
    remarks: tuple[str, ...] = field(default=())

    @property
    def n_records(self) -> int:
        """Records asked."""
        return int(self.reference.shape[0])

    @cached_property
    def scored(self) -> np.ndarray:
        """Records with at least one reference label, as a vector of bool."""
        return np.asarray(self.reference.any(axis=1))

    @property
    def n_scored(self) -> int:
        """Number of records that are scored."""
        return int(self.scored.sum())

    @property
    def n_groups(self) -> int:
        """Number of groups, those without a scored record included."""
        return int(self.groups.max(initial=-1)) + 1

    @property
    def unit(self) -> str:
        """What the bootstrap draws: "group" or "record"."""
        return "group" if self.grouped else "record"

    @property
    def clusters(self) -> np.ndarray | None:
        """The groups as the bootstrap takes them: None where every record is alone."""
        return None if self.n_groups == self.n_records else self.groups

    @property
    def n_scored_groups(self) -> int:
        """Number of groups with a scored record."""
        return int(np.unique(self.groups[self.scored]).size)

    @property
    def n_positive(self) -> np.ndarray:
        """Records that have each class, shape (n_classes,)."""
        return np.asarray(self.reference.sum(axis=0))

    @property
    def occurring(self) -> np.ndarray:
        """Classes that the reference has, as a vector of bool."""
        return self.n_positive > 0

    def memberships(self, predicted: np.ndarray) -> Memberships:
        """Return reference and predictions with weight 0 for records that are not scored."""
        return Memberships(
            self.classes, self.reference, predicted, self.scored.astype(np.float64), single=False
        )

    def of(self, model: str) -> Answers:
        """Return the answers of a model."""
        return next(one for one in self.answers if one.model == model)

    def only(self, models: list[str] | None) -> Study:
        """Return the study with some of the models, in the order named; None keeps all."""
        if models is None:
            return self
        known = {one.model: one for one in self.answers}
        for name in models:
            if name not in known:
                from benchbook.errors import nearest

                raise ParameterError(f"models: there is no model '{name}'; {nearest(name, known)}.")
        return self._with(answers=tuple(known[name] for name in models))

    def _with(self, **changes: Any) -> Study:
        from dataclasses import replace

        return replace(self, **changes)
