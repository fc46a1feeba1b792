"""From input tables to arrays: everything is checked here, and everything left out is counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from benchbook.errors import DataError, ParameterError, listed, nearest
from benchbook.reading import InputTable
from benchbook.resampling import Distribution, resample_many

from .inputs import Inputs, check_together
from .parameters import Parameters

APPROXIMATE, CONTAMINATED = "†", "*"
NOT_COMPARED = "no record has this label stated and a score of every model"
MARKS = {
    APPROXIMATE: "the output means something wider than the label",
    CONTAMINATED: "the model was trained on data from the source of this test set",
}


@dataclass(frozen=True, eq=False)
class Left:
    """Something that was read and not used.

    Attributes
    ----------
    table : str
        Where it stands.
    what : str
        What it is.
    count : int
        How many.
    why : str
    """

    table: str
    what: str
    count: int
    why: str


@dataclass(frozen=True, eq=False)
class Study:
    """A test set with models and readers, ready to be evaluated.

    Attributes
    ----------
    records, patients : ndarray of object, shape (n_records,)
        Ids, in the order of the record ids.
    labels : tuple of str
    truth : ndarray of float64, shape (n_records, n_labels)
        1 present, 0 absent, NaN not assessed.
    mapped : DataFrame
        One row per model and label: ``model``, ``label``, ``mark`` (†, *, both or none),
        ``outputs`` (their number).
    scores : dict of (model, label) to ndarray of shape (n_records,)
        Record scores; NaN where the model did not score the record.
    readers : DataFrame
        ``reader``, ``group``, ``kind``, ``independent``.
    reads : ndarray of float64, shape (n_records, n_labels, n_readers)
        1, 0, NaN not read.
    groups : tuple of str
        Groups that models are compared with.
    windows : DataFrame
        Per model the fewest and most windows of a record.
    left : tuple of Left
    warnings : tuple of str
    unmapped : tuple of str
        Models without any mapped label, which are left out.
    mapping_hash : str
        First 12 digits of the SHA-256 of the mapping table; empty without scores.
    unit : str
        What is resampled: "patient"; "record" where nobody knows the patients.
    """

    records: np.ndarray
    patients: np.ndarray
    labels: tuple[str, ...]
    truth: np.ndarray
    mapped: pd.DataFrame
    scores: dict[tuple[str, str], np.ndarray]
    readers: pd.DataFrame
    reads: np.ndarray
    groups: tuple[str, ...]
    windows: pd.DataFrame
    left: tuple[Left, ...]
    warnings: tuple[str, ...]
    unmapped: tuple[str, ...]
    mapping_hash: str
    unit: str = "patient"

    @cached_property
    def models(self) -> tuple[str, ...]:
        """Models with at least one label."""
        return tuple(dict.fromkeys(self.mapped["model"]))

    @property
    def n_patients(self) -> int:
        """Number of patients."""
        return len(set(self.patients))

    @property
    def clustered(self) -> bool:
        """Whether some patient has more than one record."""
        return self.n_patients < self.records.size

    def models_on(self, label: str) -> list[str]:
        """Return the models that map to a label."""
        return [model for model, own in self._marks if own == label]

    def mark(self, model: str, label: str) -> str:
        """Return the marks of a model on a label."""
        return self._marks[model, label]

    @cached_property
    def _marks(self) -> dict[tuple[str, str], str]:
        table = self.mapped
        return dict(
            zip(zip(table["model"], table["label"], strict=True), table["mark"], strict=True)
        )

    def column(self, label: str) -> int:
        """Return the place of a label."""
        return self.labels.index(label)

    def assessed(self, label: str) -> np.ndarray:
        """Return the records on which the label is known."""
        return ~np.isnan(self.truth[:, self.column(label)])

    def compared(self, label: str) -> np.ndarray:
        """Return the records that every model of the label scored, and whose label is known.

        Differences and ranks are then between models on the same records.
        """
        return self._compared[label]

    @cached_property
    def _compared(self) -> dict[str, np.ndarray]:
        found = {}
        for label in self.labels:
            used = self.assessed(label)
            for model in self.models_on(label):
                used = used & ~np.isnan(self.scores[model, label])
            found[label] = used
        return found

    def resample(
        self, statistics: Sequence[Any], n_resamples: int, seed: int, *, by_patient: bool = True
    ) -> list[Distribution]:
        """Draw patients, or records as if each were of another patient."""
        cluster, unit = (self.patients, self.unit) if by_patient else (None, "record")
        return resample_many(
            statistics, cluster=cluster, unit=unit, n_resamples=n_resamples, seed=seed
        )

    def positive(self, label: str) -> np.ndarray:
        """Return where a label is present; False where it is not known."""
        return np.asarray(self.truth[:, self.column(label)] == 1)

    def readers_of(self, group: str) -> np.ndarray:
        """Return the places of the readers who enter a group's mean.

        Machines, and people who took part in making the reference, do not.
        """
        table = self.readers
        person = (table["kind"] == "person") & table["independent"].astype(bool)
        return np.flatnonzero((table["group"] == group) & person)


def build(inputs: Inputs, parameters: Parameters) -> Study:
    """Check the tables against each other and return the arrays.

    Raises
    ------
    DataError
        See the checks of this module; each names table, line and column.
    ParameterError
        A label, model or group asked for that is not there.
    """
    return _Builder(inputs, parameters).study()


class _Builder:
    """The steps from tables to a study, with what is left out on the way."""

    def __init__(self, inputs: Inputs, parameters: Parameters) -> None:
        self.inputs, self.parameters = inputs, parameters
        self.left: list[Left] = []
        self.warnings = [w for table in inputs.tables().values() for w in table.warnings]
        all_labels = list(dict.fromkeys(inputs.labels.frame["label"]))
        self.all_labels = all_labels
        self.labels = _asked("only_labels", parameters.only_labels, all_labels, "label")

    def study(self) -> Study:
        check_together(self.inputs)
        self._records()
        truth = self._matrix(self.inputs.labels.frame, self.labels)
        self._check_truth()
        mapped, scores, windows, unmapped = self._models()
        readers, reads = self._readers()
        study = Study(
            records=self.records,
            patients=self.patients,
            labels=tuple(self.labels),
            truth=truth,
            mapped=mapped,
            scores=scores,
            readers=readers,
            reads=reads,
            groups=tuple(self._groups(readers)),
            windows=windows,
            left=tuple(one for one in self.left if one.count),
            warnings=tuple(self.warnings),
            unmapped=tuple(unmapped),
            mapping_hash=self.inputs.mapping.sha256[:12] if self.inputs.mapping else "",
            unit=str(self.inputs.about.get("unit", "patient")),
        )
        self._check_classes(study)
        return study

    def _check_classes(self, study: Study) -> None:
        """Refuse scores alone with nothing to tell apart."""
        if len(study.readers) or any(
            len(set(study.positive(label)[study.compared(label)])) == 2
            for label in self.labels
            if study.models_on(label)
        ):
            return
        raise DataError(
            "no label is present in some and absent in others of the records that all its models "
            "scored, so nothing can be ranked",
            file=self.inputs.labels.name,
            column="present",
            expected="both values for at least one label",
        )

    # ---- records and truth -------------------------------------------------------------------

    def _records(self) -> None:
        frame = self.inputs.labels.frame
        known = frame[frame["present"].notna()]
        self.records = np.array(sorted(set(known["record_id"])), dtype=object)
        self.index = pd.Index(self.records)
        patient = self._patients()
        self.patients = np.array([patient[record] for record in self.records], dtype=object)
        if len(set(self.patients)) < 2:
            raise DataError(
                "all records are of one patient, so nothing can be resampled",
                file=self.inputs.labels.name,
                found=f"{self.records.size:,} record{'s' * (self.records.size > 1)}",
                expected="records of at least two patients",
            )
        lost = len(set(frame["record_id"])) - self.records.size
        self._leave("labels", "records", lost, "no label of theirs is known")

    def _patients(self) -> dict[str, str]:
        """Return the patient of each record, refusing a record of two patients."""
        patient: dict[str, str] = {}
        for name in ("scores", "labels"):
            table = getattr(self.inputs, name)
            if table is None or table.frame["patient_id"].isna().all():
                continue
            pairs = table.frame[["record_id", "patient_id"]].drop_duplicates()
            for row, record, one in pairs.itertuples(name=None):
                if patient.setdefault(record, one) != one:
                    raise table.refuse(
                        row, "patient_id", f"'{one}'",
                        f"'{patient[record]}', as before: a record is of one patient",
                        f"record '{record}' has two patients",
                    )  # fmt: skip
        missing = [record for record in self.records if record not in patient]
        if missing:
            raise DataError(
                f"{len(missing)} records have no patient, the first of them '{missing[0]}'",
                file=self.inputs.labels.name,
                column="patient_id",
                expected="a column patient_id in labels (or in scores, for every record); where "
                "each record is of another patient, the record id again",
            )
        return patient

    def _check_truth(self) -> None:
        """Warn when absent labels seem to be left out instead of stated."""
        if not (self.inputs.labels.frame["present"] == 0).any():
            self.warnings.append(
                "the table of labels holds no absent label: a record without a row counts as not "
                "assessed, never as negative"
            )

    def _matrix(self, frame: pd.DataFrame, labels: list[str]) -> np.ndarray:
        """Spread long rows of ``present`` over records and labels."""
        rows = self.index.get_indexer(frame["record_id"])
        columns = pd.Index(labels).get_indexer(frame["label"])
        kept = (rows >= 0) & (columns >= 0)
        table = np.full((self.records.size, len(labels)), np.nan)
        table[rows[kept], columns[kept]] = frame["present"].to_numpy(dtype=float)[kept]
        return table

    def _leave(self, table: str, what: str, count: int, why: str) -> None:
        self.left.append(Left(table, what, int(count), why))

    def _known_labels(self, table: InputTable, named: str) -> None:
        unknown = ~table.frame["label"].isin(self.all_labels)
        if unknown.any():
            row = int(unknown.to_numpy().argmax())
            word = table.frame["label"].iloc[row]
            hint = nearest(word, self.all_labels)
            raise table.refuse(
                row, "label", f"'{word}'", f"a label of the table of labels; {hint}",
                f"the {named} names a label that the reference does not have",
            )  # fmt: skip

    # ---- models ------------------------------------------------------------------------------

    def _models(
        self,
    ) -> tuple[pd.DataFrame, dict[tuple[str, str], np.ndarray], pd.DataFrame, list[str]]:
        table, mapping = self.inputs.scores, self.inputs.mapping
        nothing = pd.DataFrame(columns=["model", "label", "mark", "outputs"])
        if table is None or mapping is None:
            if self.parameters.only_models:
                raise ParameterError("only_models is given, and there are no scores.")
            return nothing, {}, pd.DataFrame(columns=["model", "fewest", "most"]), []
        self._known_labels(mapping, "mapping")
        self._check_outputs(table, mapping)
        self._check_windows(table)
        scored = list(dict.fromkeys(table.frame["model"]))
        shown = _asked("only_models", self.parameters.only_models, scored, "model")
        used = mapping.frame[mapping.frame["label"].isin(self.labels)]
        unmapped = [model for model in shown if model not in set(used["model"])]
        shown = [model for model in shown if model not in unmapped]
        if not shown:
            raise DataError(
                "no model has an output that stands for a label shown",
                file=mapping.name,
                found=listed(unmapped),
                expected=f"a row for one of the labels {listed(self.labels)}",
            )
        frame = self._score_rows(table, used, shown)
        mapped, scores = self._record_scores(frame, used, shown)
        return mapped, scores, _windows(frame), unmapped

    def _check_outputs(self, table: InputTable, mapping: InputTable) -> None:
        have = set(zip(table.frame["model"], table.frame["output"], strict=True))
        pairs = zip(mapping.frame["model"], mapping.frame["output"], strict=True)
        for row, (model, output) in enumerate(pairs):
            if (model, output) in have:
                continue
            models = dict.fromkeys(one for one, _ in have)
            if model not in models:
                raise mapping.refuse(
                    row, "model", f"'{model}'", f"a model of the scores; {nearest(model, models)}",
                    "this model has no scores",
                )  # fmt: skip
            outputs = sorted(other for one, other in have if one == model)
            raise mapping.refuse(
                row, "output", f"'{output}'",
                f"an output of {model} in the scores; {nearest(output, outputs)}",
                "this output has no scores",
            )  # fmt: skip

    def _check_windows(self, table: InputTable) -> None:
        """Refuse a score without a window beside scores of windows of the same record."""
        frame = table.frame
        named = frame["window"].notna()
        if not named.any() or named.all():
            return
        keys = ["record_id", "model", "output"]
        mixed = named.groupby([frame[key] for key in keys]).transform("nunique") > 1
        if mixed.any():
            row = int((mixed & ~named).to_numpy().argmax())
            raise table.refuse(
                row, "window", "an empty cell",
                "a window, since other scores of this record, model and output have one",
                "it is not clear whether this is the score of a window or of the record",
            )  # fmt: skip

    def _score_rows(self, table: InputTable, used: pd.DataFrame, shown: list[str]) -> pd.DataFrame:
        """Return the scores that enter; tell what does not, and scores that are no probability."""
        frame = table.frame[table.frame["model"].isin(shown)]
        outside = (frame["score"] < 0) | (frame["score"] > 1)
        for model, count in frame["model"][outside].value_counts().items():
            self.warnings.append(
                f"scores of {model} outside 0 to 1, which rank the records and are no "
                f"probabilities: {count:,}"
            )
        outputs = frame[["model", "output"]].drop_duplicates()
        mapped = used[["model", "output"]].drop_duplicates()
        both = outputs.merge(mapped, on=["model", "output"])
        self._leave("scores", "outputs", len(outputs) - len(both), "no label is mapped to them")
        known = frame["record_id"].isin(self.records)
        n_unknown = frame["record_id"][~known].nunique()
        self._leave("scores", "records", n_unknown, "they have no label")
        scored = set(frame["record_id"])
        n_unscored = sum(record not in scored for record in self.records)
        self._leave("labels", "records", n_unscored, "no model scored them")
        return frame[known]

    def _record_scores(
        self, frame: pd.DataFrame, used: pd.DataFrame, shown: list[str]
    ) -> tuple[pd.DataFrame, dict[tuple[str, str], np.ndarray]]:
        """Take the largest score over windows, then over the outputs of a label."""
        rows = self.index.get_indexer(frame["record_id"])
        best: dict[tuple[Any, Any], np.ndarray] = {}
        for key, places in frame.groupby(["model", "output"], sort=False).indices.items():
            column = np.full(self.records.size, -np.inf)
            np.maximum.at(column, rows[places], frame["score"].to_numpy()[places])
            best[key] = np.where(np.isneginf(column), np.nan, column)
        told, scores = [], {}
        for model in shown:
            for label in self.labels:
                mine = used[(used["model"] == model) & (used["label"] == label)]
                if mine.empty:
                    continue
                missing = np.full(self.records.size, np.nan)
                parts = [best.get((model, output), missing) for output in mine["output"]]
                # NaN wins: the largest of some of the outputs would be another score.
                scores[model, label] = np.maximum.reduce(parts)
                mark = APPROXIMATE * bool(mine["approximate"].any())
                mark += CONTAMINATED * bool(mine["contaminated"].any())
                told.append({"model": model, "label": label, "mark": mark, "outputs": len(mine)})
        self._tell_unscored(scores)
        return pd.DataFrame(told), scores

    def _tell_unscored(self, scores: dict[tuple[str, str], np.ndarray]) -> None:
        lost: dict[str, int] = {}
        anyone = np.zeros(self.records.size, dtype=bool)
        for column in scores.values():
            anyone |= ~np.isnan(column)
        for (model, _), column in scores.items():
            lost[model] = max(lost.get(model, 0), int((np.isnan(column) & anyone).sum()))
        for model, count in lost.items():
            why = f"{model} did not score them; left out for every model of the label"
            self._leave("scores", "records", count, why)

    # ---- readers -----------------------------------------------------------------------------

    def _readers(self) -> tuple[pd.DataFrame, np.ndarray]:
        table = self.inputs.readers
        empty = pd.DataFrame(columns=["reader", "group", "kind", "independent"])
        if table is None:
            return empty, np.full((self.records.size, len(self.labels), 0), np.nan)
        self._known_labels(table, "table of readers")
        for column in ("group", "kind", "independent"):
            _one_each(table, "reader", column)
        frame = table.frame
        readers = frame[["reader", "group", "kind", "independent"]]
        readers = readers.drop_duplicates("reader").reset_index(drop=True)
        unknown = ~frame["record_id"].isin(self.records)
        self._leave(
            "readers", "records", frame["record_id"][unknown].nunique(), "no label is known"
        )
        places = frame.groupby("reader", sort=False).indices
        reads = [self._matrix(frame.iloc[places[one]], self.labels) for one in readers["reader"]]
        return readers, np.stack(reads, axis=2)

    def _groups(self, readers: pd.DataFrame) -> list[str]:
        people = readers[(readers["kind"] == "person") & readers["independent"].astype(bool)]
        able = list(dict.fromkeys(people["group"]))
        asked = self.parameters.people_groups
        for name in asked or []:
            if name in able:
                continue
            if name in set(readers["group"]):
                raise ParameterError(
                    f"people_groups: nobody in '{name}' is a person who is independent of the "
                    "reference, so a model cannot be compared with its mean."
                )
            raise ParameterError(
                f"people_groups: there is no group '{name}'; {nearest(name, able)}"
            )
        return asked or able


def _asked(parameter: str, asked: list[str] | None, known: list[str], noun: str) -> list[str]:
    """Return what is asked for, all when nothing is."""
    for name in asked or []:
        if name not in known:
            raise ParameterError(
                f"{parameter}: there is no {noun} '{name}'; {nearest(name, known)}"
            )
    return list(asked or known)


def _windows(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the fewest and the most windows of a record, by model."""
    count = frame.groupby(["model", "output", "record_id"], sort=False).size()
    by_model = count.groupby("model", sort=False).agg(["min", "max"]).reset_index()
    return by_model.set_axis(["model", "fewest", "most"], axis=1)


def _one_each(table: InputTable, name: str, column: str) -> None:
    """Refuse a reader with two groups, two kinds, or both independent and not."""
    pairs = table.frame[[name, column]].drop_duplicates()
    again = pairs.duplicated(name)
    if again.any():
        row = int(pairs.index[again.to_numpy().argmax()])
        who = table.frame[name].iloc[row]
        before = pairs.loc[pairs[name] == who, column].iloc[0]
        raise table.refuse(
            row, column, f"'{table.frame[column].iloc[row]}'", f"'{before}', as before",
            f"{name} '{who}' has two values of {column}",
        )  # fmt: skip
