"""The chapter: what a run shows, says and keeps."""

from __future__ import annotations

import math
from typing import Any

from benchbook.display import Drawing, Table
from benchbook.estimate import Estimate
from benchbook.records import Record, save_record

from . import calibration_exhibits, exhibits, fact_exhibits, people_exhibits, theory
from .evaluation import Evaluation

NAME = "ecg_rhythm"
SURPRISE_RESAMPLES = 2000


class Chapter(Evaluation):
    """One run of the chapter; see :class:`Evaluation` for the parameters."""

    # ---- data and method ---------------------------------------------------------------------

    def say_data_statement(self) -> str:
        """State at the top whose data these are."""
        return exhibits.data_statement(self)

    def table_data(self) -> Table:
        """Return what was read and what was left out."""
        return exhibits.table_data(self)

    def table_people(self) -> Table:
        """Return who read."""
        return exhibits.table_people(self)

    def table_labels(self) -> Table:
        """Return records and positives by label."""
        return exhibits.table_labels(self)

    def table_mapping(self) -> Table:
        """Return which labels each model is evaluated on."""
        return exhibits.table_mapping(self)

    def surprises(self) -> Table:
        """Return correct results that look wrong."""
        return theory.surprises(self.parameters.level, SURPRISE_RESAMPLES, self.parameters.seed)

    # ---- models ------------------------------------------------------------------------------

    def say_performance(self) -> str:
        """Say how well the models rank."""
        return exhibits.say_performance(self)

    def figure_roc(self) -> Drawing:
        """Draw curves and readers."""
        return exhibits.figure_roc(self)

    def table_performance(self) -> Table:
        """Return AUROC and AUPRC."""
        return exhibits.table_performance(self)

    def table_macro(self) -> Table:
        """Return means over labels."""
        return exhibits.table_macro(self)

    def say_ranks(self) -> str:
        """Say how far ranks are settled."""
        return exhibits.say_ranks(self)

    def figure_ranks(self) -> Drawing:
        """Draw ranks."""
        return exhibits.figure_ranks(self)

    def say_calibration(self) -> str:
        """Say which scores are too extreme."""
        return calibration_exhibits.say_calibration(self)

    def figure_reliability(self) -> Drawing | None:
        """Draw reliability."""
        return calibration_exhibits.figure_reliability(self)

    def table_calibration(self) -> Table:
        """Return calibration measures."""
        return calibration_exhibits.table_calibration(self)

    # ---- people ------------------------------------------------------------------------------

    def say_beside(self) -> str:
        """Say on how many labels a model is above or below people."""
        return people_exhibits.say_beside(self)

    def figure_differences(self) -> Drawing:
        """Draw differences of specificity."""
        return people_exhibits.figure_differences(self)

    def table_beside(self) -> Table:
        """Return models beside people."""
        return people_exhibits.table_beside(self)

    def say_readers(self) -> str:
        """Say who reads what."""
        return people_exhibits.say_readers(self)

    def table_readers(self) -> Table:
        """Return the readers one by one."""
        return people_exhibits.table_readers(self)

    def table_means(self) -> Table:
        """Return group means."""
        return people_exhibits.table_means(self)

    def say_agreement(self) -> str:
        """Say where readers agree."""
        return people_exhibits.say_agreement(self)

    def table_agreement(self) -> Table:
        """Return agreement by label."""
        return people_exhibits.table_agreement(self)

    def figure_agreement(self) -> Drawing:
        """Draw pairwise agreement."""
        return people_exhibits.figure_agreement(self)

    def table_pairs(self) -> Table:
        """Return pairwise agreement by label."""
        return people_exhibits.table_pairs(self)

    # ---- facts and changes -------------------------------------------------------------------

    def say_published(self) -> str:
        """Say how many published scores follow from published counts."""
        return fact_exhibits.say_published(self)

    def table_published(self) -> Table:
        """Return the published scores of CODE-test."""
        return fact_exhibits.table_published(self)

    def table_aggregates(self) -> Table:
        """Return published aggregates of the other test sets."""
        return fact_exhibits.table_aggregates(self)

    def say_recomputed(self) -> str:
        """Say how much of the published tables comes out of the data."""
        return fact_exhibits.say_recomputed(self)

    def table_recomputed(self) -> Table:
        """Return published scores beside those of the data."""
        return fact_exhibits.table_recomputed(self)

    def table_recomputed_agreement(self) -> Table:
        """Return published agreement and tests beside those of the data."""
        return fact_exhibits.table_recomputed_agreement(self)

    def say_irhythm(self) -> str:
        """Say how the authors' numbers by record compare."""
        return fact_exhibits.say_irhythm(self)

    def table_irhythm(self) -> Table:
        """Return the authors' numbers by record beside those of the data."""
        return fact_exhibits.table_irhythm(self)

    def say_ptbxl(self) -> str:
        """Say how the published macro AUROC compares."""
        return fact_exhibits.say_ptbxl(self)

    def table_sensitivity(self) -> Table:
        """Return what changes move."""
        return fact_exhibits.table_sensitivity(self)

    # ---- record ------------------------------------------------------------------------------

    def numbers(self) -> dict[str, Any]:
        """Return every headline number of the run."""
        out: dict[str, Any] = {
            "records": int(self.study.records.size),
            "resampled": self.study.n_patients,
        }
        if self.study.mapping_hash:
            out["mapping"] = self.study.mapping_hash
        for (label, model, metric), one in self.performance.drawn.items():
            out.setdefault(metric, {})[f"{label}, {model}"] = self._interval(one)
        for row in self.performance.macro.to_dict("records"):
            name = f"{row['model']}, {row['over']}"
            out.setdefault(f"macro {row['metric']}", {})[name] = _three(row)
        for row in self.performance.ranks.to_dict("records"):
            name = f"{row['label']}, {row['model']}"
            out.setdefault("rank", {})[name] = _three(row | {"value": row["rank"]})
        for (label, model, group, measure), one in self.beside.drawn.items():
            if measure in ("difference", "model_specificity"):
                name = f"{label}, {model}, {group}"
                out.setdefault(measure.replace("_", " "), {})[name] = self._interval(one)
        for row in self.readers.means.to_dict("records"):
            name = f"{row['label']}, {row['group']}"
            out.setdefault(f"readers' mean {row['metric']}", {})[name] = _three(row)
        for row in self.among_people.to_dict("records"):
            name = f"{row['label']}, {row['readers']}"
            out.setdefault(row["coefficient"], {})[name] = _three(row)
        return out

    def _interval(self, drawn: Any) -> dict[str, Any]:
        made: Estimate = drawn.interval("percentile", self.parameters.level)
        return _three({"value": made.value, "low": made.low, "high": made.high})

    def save_record(self) -> Record:
        """Write and return the record of the run."""
        return save_record(NAME, self.parameters, self.numbers(), self._data())

    def _data(self) -> list[dict[str, Any]]:
        """Return what the run read, by table: own files by name, open sets by hash alone."""
        told: list[dict[str, Any]] = []
        for name, table in self.inputs.tables().items():
            entry: dict[str, Any] = {"table": name, "rows": table.n_read}
            if self.inputs.source == "own":
                entry["file"] = self.inputs.files[name]
            else:
                source = self.parameters.dataset
                entry |= {"file": f"{source}, {name}", "sha256": table.sha256}
            told.append(entry)
        facts = ("code_test", "aggregates", "irhythm", "ptbxl")
        return [*told, *({"file": f"data/{NAME}/published_{fact}.csv"} for fact in facts)]


def _three(row: dict[str, Any]) -> dict[str, Any]:
    """Return a value with its bounds for the record."""
    out = {"value": row["value"]}
    if not math.isnan(row["low"]) and not math.isnan(row["high"]):
        out |= {"low": row["low"], "high": row["high"]}
    return out
