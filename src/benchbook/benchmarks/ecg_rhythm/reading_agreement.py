"""How far the readers agree with each other, with the statistics of the first chapter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from benchbook.agreement import (
    ac_statistic,
    fleiss_kappa,
    fleiss_statistic,
    gwet_ac,
    pairwise_kappa,
    percent_agreement,
    percent_agreement_statistic,
)
from benchbook.estimate import Estimate, undefined
from benchbook.ratings import Ratings
from benchbook.resampling import SumsStatistic, bootstrap_many

from .study import Study

NOBODY = "no record was read by two of them"
COEFFICIENTS = ("percent agreement", "Fleiss κ", "AC1")


def people(study: Study) -> np.ndarray:
    """Return the places of the readers who are independent persons."""
    table = study.readers
    return np.flatnonzero((table["kind"] == "person") & table["independent"].astype(bool))


def ratings(study: Study, label: str, places: np.ndarray) -> tuple[Ratings, np.ndarray] | None:
    """Return what these readers said of a label, and the patients of the records; None: nothing.

    Records that none of them read are left out, and so are readers who never read the label.
    """
    said = study.reads[:, study.column(label)][:, places]
    able = ~np.isnan(said).all(axis=0)
    places, said = places[able], said[:, able]
    kept = ~np.isnan(said).all(axis=1)
    if len(places) < 2 or not kept.any():
        return None
    names = list(study.readers["reader"].iloc[places])
    frame = pd.DataFrame(said[kept], columns=names)
    table = Ratings.from_table(frame, "nominal", categories=[0.0, 1.0])
    return table, study.patients[kept]


def pairs(study: Study, level: float) -> pd.DataFrame:
    """Return Cohen's kappa of every pair of readers on every label, on the records both read.

    The interval takes records for independent, and is left out where patients have several.
    """
    everyone = np.arange(len(study.readers))
    tables = []
    for label in study.labels:
        found = ratings(study, label, everyone)
        if found is None:
            continue
        table = pairwise_kappa(found[0], level=level)
        if study.clustered:
            table[["low", "high"]] = np.nan
        tables.append(table.assign(label=label))
    if not tables:
        return pd.DataFrame()
    columns = ["label", "rater_a", "rater_b", "kappa", "low", "high", "n", "observed", "reason"]
    return pd.concat(tables, ignore_index=True)[columns]


def among_people(study: Study, *, n_resamples: int, level: float, seed: int) -> pd.DataFrame:
    """Return percent agreement, Fleiss' kappa and AC1 among independent persons, label by label.

    The interval resamples patients where they have several records; else it is the analytic one.
    """
    rows: list[dict[str, Any]] = []
    sets = {"all readers": people(study)}
    if len(study.groups) > 1:
        sets |= {group: study.readers_of(group) for group in study.groups}
    for label in study.labels:
        positive = study.positive(label)
        for name, places in sets.items():
            if len(places) < 2:
                continue
            said = study.reads[:, study.column(label)][:, places]
            n_read = int((~np.isnan(said)).sum())
            made = _coefficients(study, label, places, n_resamples, level, seed)
            for coefficient, one in made.items():
                rows.append(
                    {
                        "label": label,
                        "readers": name,
                        "n_readers": int((~np.isnan(said)).any(axis=0).sum()),
                        "n_reads": n_read,
                        "said present": float(np.nansum(said)) / n_read if n_read else np.nan,
                        "n_positive": int(positive.sum()),
                        "coefficient": coefficient,
                        "value": one.value,
                        "low": one.low,
                        "high": one.high,
                        "method": one.method,
                        "n_items": one.n_items,
                        "n_undefined": one.n_undefined,
                        "reason": one.reason,
                    }
                )
    return pd.DataFrame(rows)


def _coefficients(
    study: Study, label: str, places: np.ndarray, n_resamples: int, level: float, seed: int
) -> dict[str, Estimate]:
    found = ratings(study, label, places)
    if found is None:
        return {name: undefined(NOBODY, name=name) for name in COEFFICIENTS}
    table, patients = found
    analytic = {
        "percent agreement": percent_agreement(table, level=level),
        "Fleiss κ": fleiss_kappa(table, level=level).estimate,
        "AC1": gwet_ac(table, level=level).estimate,
    }
    if not study.clustered or len(set(patients)) < 2:
        return analytic
    statistics: list[SumsStatistic] = [
        percent_agreement_statistic(table), fleiss_statistic(table), ac_statistic(table)
    ]  # fmt: skip
    made = bootstrap_many(
        statistics, cluster=patients, unit=study.unit, n_resamples=n_resamples, level=level,
        seed=seed,
    )  # fmt: skip
    return dict(zip(COEFFICIENTS, made, strict=True))
