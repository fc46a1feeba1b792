"""The readers one by one, and the models beside each group of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from benchbook.agreement import cohen_kappa
from benchbook.estimate import Estimate
from benchbook.metrics import proportion
from benchbook.ratings import Ratings
from benchbook.resampling import Distribution

from .matched import Comparison, Match, MatchedStatistic
from .study import Study

OF_READERS = {
    "sensitivity": "readers_sensitivity",
    "specificity": "readers_specificity",
    "F1": "readers_f1",
}
OF_MODELS = (
    "readers_sensitivity",
    "readers_specificity",
    "model_sensitivity",
    "model_specificity",
    "threshold",
    "difference",
)


@dataclass(frozen=True, eq=False)
class Readers:
    """What each reader, and each group on average, does on every label.

    Attributes
    ----------
    table : DataFrame
        One row per label, reader and metric: ``label``, ``reader``, ``group``, ``kind``,
        ``independent``, ``metric``, ``value``, ``low``, ``high``, ``method``, counts, ``reason``.
    means : DataFrame
        One row per label, group and metric; the mean over the group's readers with a value.
    """

    table: pd.DataFrame
    means: pd.DataFrame


@dataclass(frozen=True, eq=False)
class BesidePeople:
    """Models where they are as sensitive as a group of readers.

    Attributes
    ----------
    table : DataFrame
        One row per label, model and group: the readers' mean sensitivity and specificity, the
        model's sensitivity and specificity where it meets them, and ``value``, ``low``, ``high``:
        the model's specificity less the readers'. The threshold is not in the table: it is the
        score of a record.
    drawn : dict of (label, model, group, measure) to Distribution
        On shared resamples.
    """

    table: pd.DataFrame
    drawn: dict[tuple[str, str, str, str], Distribution]


def readers(study: Study, *, n_resamples: int, level: float, seed: int) -> Readers:
    """Evaluate every reader and every group's mean, all on the same resamples.

    Shares of independent records get Wilson's interval; where patients have several records, and
    for F1 and the means, patients are resampled.
    """
    keys: list[tuple[str, ...]] = []
    statistics: list[Any] = []
    for label in study.labels:
        reads = study.reads[:, study.column(label)]
        truth, known = study.positive(label), study.assessed(label)
        members = {("reader", name): [at] for at, name in enumerate(study.readers["reader"])}
        members |= {("group", name): list(study.readers_of(name)) for name in study.groups}
        for (sort, name), places in members.items():
            said = reads[:, places]
            comparison = Comparison(truth, said, known & ~np.isnan(said).all(axis=1))
            for metric, measure in OF_READERS.items():
                keys.append((sort, label, name, metric))
                title = f"{metric}, {name}, {label}"
                statistics.append(MatchedStatistic(title, comparison, measure))
    if not statistics:
        return Readers(pd.DataFrame(), pd.DataFrame())
    made = study.resample(statistics, n_resamples, seed)
    drawn = dict(zip(keys, made, strict=True))
    single = [_reader_row(study, key, drawn[key], level) for key in keys if key[0] == "reader"]
    means = [_mean_row(study, key, drawn[key], level) for key in keys if key[0] == "group"]
    return Readers(pd.DataFrame(single), pd.DataFrame(means))


def counts(study: Study, label: str, reader: int) -> dict[str, int]:
    """Return a reader's two by two table on a label, and the records left out."""
    said = study.reads[:, study.column(label), reader]
    truth, known = study.positive(label), study.assessed(label)
    read = known & ~np.isnan(said)
    yes = said == 1
    return {
        "tp": int((read & truth & yes).sum()),
        "fn": int((read & truth & ~yes).sum()),
        "fp": int((read & ~truth & yes).sum()),
        "tn": int((read & ~truth & ~yes).sum()),
        "n_read": int(read.sum()),
        "n_missing": int((known & ~read).sum()),
    }


def _reader_row(
    study: Study, key: tuple[str, ...], drawn: Distribution, level: float
) -> dict[str, Any]:
    _, label, name, metric = key
    about = study.readers[study.readers["reader"] == name].iloc[0]
    told = counts(study, label, int(about.name))
    made = drawn.interval("percentile", level)
    if metric != "F1" and made.defined and not study.clustered:
        hits = told["tp"] if metric == "sensitivity" else told["tn"]
        total = hits + (told["fn"] if metric == "sensitivity" else told["fp"])
        made = proportion(hits, total, level=level, name=drawn.name, unit="record")
    return {
        "label": label,
        "reader": name,
        "group": about["group"],
        "kind": about["kind"],
        "independent": bool(about["independent"]),
        "metric": metric,
        **_told(made),
        **told,
    }


def _mean_row(
    study: Study, key: tuple[str, ...], drawn: Distribution, level: float
) -> dict[str, Any]:
    _, label, name, metric = key
    made = drawn.interval("percentile", level)
    places = study.readers_of(name)
    return {
        "label": label,
        "group": name,
        "metric": metric,
        "n_readers": len(places),
        "n_with_value": sum(_has_value(study, label, int(at), metric) for at in places),
        **_told(made),
    }


def _has_value(study: Study, label: str, reader: int, metric: str) -> bool:
    told = counts(study, label, reader)
    below = {
        "sensitivity": told["tp"] + told["fn"],
        "specificity": told["tn"] + told["fp"],
        "F1": 2 * told["tp"] + told["fp"] + told["fn"],
    }
    return below[metric] > 0


def _told(made: Estimate) -> dict[str, Any]:
    return {
        "value": made.value,
        "low": made.low,
        "high": made.high,
        "method": made.method,
        "n_undefined": made.n_undefined,
        "reason": made.reason,
        "warnings": "; ".join(made.warnings),
    }


def beside_people(
    study: Study,
    *,
    n_resamples: int,
    level: float,
    seed: int,
    match: Match,
    by_patient: bool = True,
    draw_readers: bool = False,
) -> BesidePeople:
    """Compare every model with every group of readers, all on the same resamples.

    A comparison is over the records that the models of the label scored and that at least one
    reader of the group read; every reader is judged on what he or she read. With
    ``draw_readers`` a resample draws readers as well as patients.
    """
    keys: list[tuple[str, str, str, str]] = []
    statistics: list[Any] = []
    for label in study.labels:
        for group in study.groups:
            reads = study.reads[:, study.column(label)][:, study.readers_of(group)]
            used = study.compared(label) & ~np.isnan(reads).all(axis=1)
            for model in study.models_on(label):
                one = Comparison(
                    study.positive(label), reads, used, study.scores[model, label], match,
                    draw_readers,
                )  # fmt: skip
                for measure in OF_MODELS:
                    keys.append((label, model, group, measure))
                    name = f"{measure}, {model}, {group}, {label}"
                    statistics.append(MatchedStatistic(name, one, measure))
    if not statistics:
        return BesidePeople(pd.DataFrame(), {})
    made = study.resample(statistics, n_resamples, seed, by_patient=by_patient)
    drawn = dict(zip(keys, made, strict=True))
    rows = [_model_row(study, key, drawn, level) for key in keys if key[3] == "difference"]
    return BesidePeople(pd.DataFrame(rows), drawn)


def _model_row(
    study: Study,
    key: tuple[str, str, str, str],
    drawn: dict[tuple[str, str, str, str], Distribution],
    level: float,
) -> dict[str, Any]:
    label, model, group, _ = key
    points = {measure: drawn[label, model, group, measure].point for measure in OF_MODELS}
    points.pop("difference")
    points.pop("threshold")  # it is the score of a record
    reads = study.reads[:, study.column(label)][:, study.readers_of(group)]
    used = study.compared(label) & ~np.isnan(reads).all(axis=1)
    positive = study.positive(label)
    return {
        "label": label,
        "model": model,
        "mark": study.mark(model, label),
        "group": group,
        "n_readers": len(study.readers_of(group)),
        "n_items": int(used.sum()),
        "n_positive": int((used & positive).sum()),
        **points,
        **_told(drawn[key].interval("percentile", level)),
    }


def against_reference(study: Study, level: float) -> pd.DataFrame:
    """Return Cohen's kappa of every reader with the reference, label by label.

    The interval takes records for independent.
    """
    rows = []
    for label in study.labels:
        truth = study.truth[:, study.column(label)]
        for at, reader in enumerate(study.readers["reader"]):
            said = study.reads[:, study.column(label), at]
            both = ~np.isnan(truth) & ~np.isnan(said)
            row: dict[str, Any] = {
                "label": label,
                "reader": reader,
                "group": study.readers["group"].iloc[at],
                "n": int(both.sum()),
                "value": math.nan,
                "low": math.nan,
                "high": math.nan,
                "reason": "no record was read",
            }
            if both.any():
                pair = np.column_stack([truth[both], said[both]]).astype(int)
                ratings = Ratings.from_table(pair, "nominal", categories=[0, 1])
                made = cohen_kappa(ratings, level=level).estimate
                row |= {"value": made.value, "reason": made.reason}
                if not study.clustered:
                    row |= {"low": made.low, "high": made.high}
            rows.append(row)
    return pd.DataFrame(rows)
