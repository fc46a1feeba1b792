"""What other authors published, entered as facts, and what comes out of their data here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchbook.agreement import cohen_kappa, fleiss_kappa, percent_agreement
from benchbook.errors import BenchbookError
from benchbook.metrics import mcnemar, proportion
from benchbook.ratings import Ratings
from benchbook.records import project_root

from .matched import mean_of_defined
from .reading_agreement import people, ratings
from .study import Study

CODE_TEST = "published_code_test.csv"
AGGREGATES = "published_aggregates.csv"
PTBXL = "published_ptbxl.csv"
IRHYTHM = "published_irhythm.csv"
LABELS = ("1dAVb", "RBBB", "LBBB", "SB", "AF", "ST")
NETWORK = "network"
# A printed number stands for everything that rounds to it; the last place is the third decimal.
HALF_A_PLACE = 0.0005 + 1e-9
CELLS = ("tp", "fp", "fn", "tn")
TESTS = {
    "chi-squared": {"exact": False, "correction": False},
    "chi-squared, corrected": {"exact": False, "correction": True},
    "exact binomial": {"exact": True},
}


def folder() -> Path:
    """Return the folder of the published tables."""
    root = project_root()
    if root is None:
        raise BenchbookError("the published tables are found from inside the project only.")
    return root / "data" / "ecg_rhythm"


def read(file: str) -> pd.DataFrame:
    """Return a published table."""
    return pd.read_csv(folder() / file, keep_default_na=False, na_values=[""])


def agrees(printed: float, found: float) -> bool:
    """Tell whether a number rounds to the printed one."""
    return bool(abs(printed - found) <= HALF_A_PLACE)


# ---- from the published counts ------------------------------------------------------------------


def rates(counts: dict[str, float]) -> dict[str, float]:
    """Return precision, sensitivity, specificity and F1 of a two by two table; NaN where 0/0."""

    def share(above: float, below: float) -> float:
        return above / below if below else np.nan

    tp, fp, fn, tn = (counts[cell] for cell in CELLS)
    return {
        "precision": share(tp, tp + fp),
        "sensitivity": share(tp, tp + fn),
        "specificity": share(tn, tn + fp),
        "F1": share(2 * tp, 2 * tp + fp + fn),
    }


def from_counts(level: float) -> pd.DataFrame:
    """Return every published score of CODE-test beside the one the published counts give.

    Returns
    -------
    DataFrame
        ``label``, ``reader``, ``metric``, ``published``, ``value`` (from the counts), ``low``,
        ``high`` (Wilson, for the shares), ``agrees``.
    """
    facts = read(CODE_TEST)
    counts = facts[facts["table"] == "counts"]
    printed = facts[facts["table"] == "scores"].set_index(["label", "reader", "metric"])["value"]
    rows: list[dict[str, Any]] = []
    for (label, reader), part in counts.groupby(["label", "reader"], sort=False):
        cells = dict(zip(part["metric"], part["value"].astype(int), strict=True))
        for metric, value in rates(cells).items():
            told = float(printed[label, reader, metric])
            rows.append(
                {
                    "label": label,
                    "reader": reader,
                    "metric": metric,
                    "published": told,
                    "value": value,
                    **_wilson(cells, metric, level),
                    "n_positive": cells["tp"] + cells["fn"],
                    "agrees": agrees(told, value),
                }
            )
    return pd.DataFrame(rows)


def _wilson(cells: dict[str, int], metric: str, level: float) -> dict[str, float]:
    share = {
        "sensitivity": (cells["tp"], cells["tp"] + cells["fn"]),
        "specificity": (cells["tn"], cells["tn"] + cells["fp"]),
        "precision": (cells["tp"], cells["tp"] + cells["fp"]),
    }.get(metric)
    if share is None:
        return {"low": np.nan, "high": np.nan}
    made = proportion(*share, level=level)
    return {"low": made.low, "high": made.high}


# ---- from the data of CODE-test -----------------------------------------------------------------


def recomputed_scores(study: Study) -> pd.DataFrame:
    """Return the published scores and counts of CODE-test beside those of the data."""
    facts = read(CODE_TEST)
    rows = []
    for fact in facts[facts["table"].isin(["scores", "counts"])].itertuples():
        cells = _cells(study, fact.label, fact.reader)
        found = (cells | rates(cells))[fact.metric]
        rows.append(_beside(fact, found))
    return pd.DataFrame(rows)


def recomputed_agreement(study: Study) -> pd.DataFrame:
    """Return the published kappas of CODE-test beside those of the data."""
    facts = read(CODE_TEST)
    rows = []
    for fact in facts[facts["table"] == "agreement"].itertuples():
        pair = np.column_stack(
            [_said(study, fact.label, fact.reader), _said(study, fact.label, fact.other)]
        )
        table = Ratings.from_table(pair.astype(int), "nominal", categories=[0, 1])
        rows.append(_beside(fact, cohen_kappa(table).estimate.value))
    return pd.DataFrame(rows)


def recomputed_mcnemar(study: Study) -> pd.DataFrame:
    """Return the published McNemar tests beside three forms of the test on the data."""
    facts = read(CODE_TEST)
    rows = []
    for fact in facts[facts["table"] == "mcnemar"].itertuples():
        truth = study.positive(fact.label)
        right = [_said(study, fact.label, who) == truth for who in (fact.reader, fact.other)]
        made = {name: mcnemar(*right, **form) for name, form in TESTS.items()}
        first = made["chi-squared"]
        # Never differing is told as p = 1 by the authors; the statistic itself is 0/0.
        row = _beside(fact, first.p_value if first.reason is None else 1.0)
        row["first only"], row["second only"] = first.first_only, first.second_only
        rows.append(row | {name: one.p_value for name, one in made.items()})
    return pd.DataFrame(rows)


def _said(study: Study, label: str, reader: str) -> np.ndarray:
    at = list(study.readers["reader"]).index(reader)
    return np.asarray(study.reads[:, study.column(label), at] == 1)


def _cells(study: Study, label: str, reader: str) -> dict[str, float]:
    truth, said = study.positive(label), _said(study, label, reader)
    return {
        "tp": int((truth & said).sum()),
        "fp": int((~truth & said).sum()),
        "fn": int((truth & ~said).sum()),
        "tn": int((~truth & ~said).sum()),
    }


def _beside(fact: Any, found: float) -> dict[str, Any]:
    return {
        "label": fact.label,
        "reader": fact.reader,
        "other": "" if pd.isna(fact.other) else fact.other,
        "metric": fact.metric,
        "published": float(fact.value),
        "value": float(found),
        "agrees": agrees(float(fact.value), float(found)),
    }


# ---- from the data of the iRhythm set -----------------------------------------------------------


def recomputed_irhythm(study: Study) -> pd.DataFrame:
    """Return what the authors print for the cardiologists by record beside the data.

    They pool the six reads of every record, and count a rhythm when it fills a piece of 256
    samples; the labels of the data count it however short it is.

    Returns
    -------
    DataFrame
        ``label`` (empty: the mean over labels), ``metric``, ``published``, ``value``, ``agrees``.

    References
    ----------
    Hannun AY et al. (2019), and the outputs in the authors' repository, awni/ecg.
    """
    pooled = {label: rates(pooled_counts(study, label)) for label in study.labels}
    rows = []
    for fact in read(IRHYTHM).itertuples():
        label = "" if pd.isna(fact.label) else fact.label
        if fact.table == "agreement":
            found = _agreement(study, label)[fact.metric]
        else:
            found = pooled[label][fact.metric] if label else mean_f1(study, weighted=True)
        rows.append(
            {
                "label": label,
                "metric": fact.metric,
                "published": float(fact.value),
                "value": float(found),
                "agrees": agrees(float(fact.value), float(found)),
            }
        )
    return pd.DataFrame(rows)


def pooled_counts(study: Study, label: str) -> dict[str, float]:
    """Return the two by two table of all reads of independent people on a label."""
    said = study.reads[:, study.column(label)][:, people(study)]
    truth, known = study.positive(label)[:, np.newaxis], study.assessed(label)[:, np.newaxis]
    return {
        "tp": int((known & truth & (said == 1)).sum()),
        "fp": int((known & ~truth & (said == 1)).sum()),
        "fn": int((known & truth & (said == 0)).sum()),
        "tn": int((known & ~truth & (said == 0)).sum()),
    }


def mean_f1(study: Study, *, weighted: bool) -> float:
    """Return the mean over labels of the F1 of pooled reads, by positives or plain."""
    f1 = np.array([rates(pooled_counts(study, label))["F1"] for label in study.labels])
    if not weighted:
        return float(mean_of_defined(f1, axis=0))
    positives = np.array([study.positive(label).sum() for label in study.labels])
    return float(np.average(f1, weights=positives))


def _agreement(study: Study, label: str) -> dict[str, float]:
    found = ratings(study, label, people(study))
    assert found is not None
    return {
        "Fleiss κ": fleiss_kappa(found[0]).estimate.value,
        "percent agreement": percent_agreement(found[0]).value,
    }


def complete_irhythm(study: Study) -> bool:
    """Tell whether a study holds all labels that the authors' program prints."""
    return set(read(IRHYTHM)["label"].dropna()) == set(study.labels) and len(people(study)) == 9


def complete(study: Study) -> bool:
    """Tell whether a study holds all labels and readers that the published tables speak of."""
    facts = read(CODE_TEST)
    people = set(facts["reader"]) | set(facts["other"].dropna())
    return set(LABELS) <= set(study.labels) and people <= set(study.readers["reader"])
