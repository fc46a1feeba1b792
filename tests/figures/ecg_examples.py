"""Small invented tables for the figures of the ECG chapters, ordinary and awkward."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pandas as pd

from benchbook import figures
from benchbook.ecg import simulated_ecg, twelve_leads
from benchbook.figures import HouseFigure

LONG = "Residual network of 34 layers, trained on {} ambulatory records (second release)"
REASON = "no record has the label, so sensitivity is 0/0"
LABELS = ("AF", "First-degree AV block", "LBBB", "RBBB", "Sinus bradycardia")
MODELS = ("network A", "network B")
MARKS = {("AF", "network A"): "†", ("LBBB", "network B"): "*†", ("RBBB", "network B"): "*"}
COUNTS = {"AF": (13, 827), "First-degree AV block": (28, 827), "LBBB": (30, 827)}
GROUPS = ("cardiologists", "residents", "students")


def curves(labels=LABELS[:3], models=MODELS, steps: int = 60) -> pd.DataFrame:
    parts = []
    for i, label in enumerate(labels):
        for j, model in enumerate(models):
            rate = np.linspace(0, 1, steps)
            sensitivity = rate ** (1 / (30 + 10 * i - 12 * j)) if j < 3 else rate
            parts.append(
                pd.DataFrame(
                    {
                        "label": label,
                        "model": model,
                        "false_positive_rate": rate,
                        "sensitivity": np.where(rate > 0, sensitivity, 0),
                    }
                )
            )
    return pd.concat(parts, ignore_index=True)


def readers(labels=LABELS[:3], groups=GROUPS, each: int = 4) -> pd.DataFrame:
    generator = np.random.default_rng(5)
    rows = []
    for label in labels:
        for g, group in enumerate(groups):
            specificity = 1 - generator.uniform(0.001, 0.02 + 0.02 * g, each)
            sensitivity = np.clip(generator.normal(0.9 - 0.08 * g, 0.06, each), 0, 1)
            names = [f"{group} {n + 1}" for n in range(each)]
            for name, spec, sens in zip(names, specificity, sensitivity, strict=True):
                rows.append((label, name, group, "reader", spec, sens, *[math.nan] * 4))
            spec, sens = specificity.mean(), sensitivity.mean()
            sides = (spec - 0.01, min(1, spec + 0.008), sens - 0.08, min(1, sens + 0.05))
            rows.append((label, f"mean of {group}", group, "mean", spec, sens, *sides))
        nan = [math.nan] * 4
        rows.append((label, "network", "network", "network", 0.995, 0.92, *nan))
    columns = ["label", "name", "group", "kind", "specificity", "sensitivity"]
    sides = ["specificity_low", "specificity_high", "sensitivity_low", "sensitivity_high"]
    return pd.DataFrame(rows, columns=[*columns, *sides])


def undefined_readers() -> pd.DataFrame:
    return readers(["AF"]).assign(sensitivity=math.nan, reason=REASON)


def differences(labels=LABELS[:3], models=MODELS) -> pd.DataFrame:
    rows = [
        {
            "label": label,
            "model": model,
            "value": 0.01 * i - 0.02 * j,
            "low": 0.01 * i - 0.02 * j - 0.015,
            "high": 0.01 * i - 0.02 * j + 0.012,
            "mark": MARKS.get((label, model), ""),
            "reason": None,
        }
        for i, label in enumerate(labels)
        for j, model in enumerate(models)
    ]
    return pd.DataFrame(rows).assign(level=0.95)


def undefined_difference() -> pd.DataFrame:
    table = differences()
    table.loc[1, ["value", "low", "high"]] = math.nan
    table.loc[1, "reason"] = REASON
    table.loc[2, ["low", "high"]] = math.nan
    table.loc[2, "reason"] = "fewer than two patients"
    return table


def ranks(labels=LABELS, models=("A", "B", "C", "D")) -> pd.DataFrame:
    generator = np.random.default_rng(len(labels))
    rows = []
    for i, label in enumerate(labels):
        for model, rank in zip(models, generator.permutation(len(models)) + 1, strict=True):
            if (i + rank) % 5:
                span = (max(1, rank - 1), min(len(models), rank + 1))
                rows.append((label, model, rank, *span, MARKS.get((label, model), "")))
    return pd.DataFrame(rows, columns=["label", "model", "rank", "low", "high", "mark"])


def undefined_rank() -> pd.DataFrame:
    table = ranks().assign(reason=None).astype({"rank": float})
    table.loc[0, ["rank", "low", "high"]] = math.nan
    table.loc[0, "reason"] = REASON
    table.loc[3, ["low", "high"]] = math.nan
    table.loc[2, "mark"] = "†*"
    return table


def bins(labels=LABELS[:3], models=MODELS) -> pd.DataFrame:
    rows = []
    for label in labels:
        for j, model in enumerate(models):
            for k in range(8):
                predicted = (k + 0.5) / 8
                observed = predicted ** (1 + 0.4 * j)
                low, high = max(0, observed - 0.12), min(1, observed + 0.1)
                rows.append((model, label, predicted, observed, low, high, 40 - 4 * k))
    columns = ["model", "label", "predicted", "observed", "low", "high", "n"]
    return pd.DataFrame(rows, columns=columns)


def histogram(labels=LABELS[:3], models=MODELS) -> pd.DataFrame:
    rows = [
        (model, label, k / 10, (k + 1) / 10, int(700 * 10 ** (-0.4 * k)) + j)
        for label in labels
        for j, model in enumerate(models)
        for k in range(10)
    ]
    return pd.DataFrame(rows, columns=["model", "label", "low", "high", "count"])


# The published counts of the positives, and the F-measure of naming a class for all 1,780.
CLASSES = {
    "AFIB/AFL": 799,
    "Acute MI": 23,
    "BRADY": 120,
    "CD": 955,
    "HYP": 131,
    "NORM": 168,
    "Old MI": 159,
    "PAC": 58,
    "PVC": 158,
    "STTC": 683,
    "TACHY": 44,
}


def f_measures(classes=tuple(CLASSES), models=("network",)) -> pd.DataFrame:
    rows = []
    for i, name in enumerate(classes):
        count = CLASSES.get(name, 50)
        for j, model in enumerate(models):
            value = 0.9 - 0.05 * (i % 11) - 0.1 * (j % 3)
            low, high = value - 0.06, min(1, value + 0.05)
            rows.append((name, model, value, low, high, count, 2 * count / (count + 1780)))
    columns = ["class", "model", "value", "low", "high", "n_positive", "prior"]
    return pd.DataFrame(rows, columns=columns).assign(level=0.95, reason=None)


def macros() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "model": ["trained network", "language model A", "language model B", "prior"],
            "value": [0.676, 0.31, 0.28, 0.252],
            "low": [0.64, 0.29, 0.26, 0.24],
            "high": [0.71, 0.33, 0.3, 0.26],
            "kind": ["trained", "language model", "language model", "prior"],
            "mark": ["*", "", "", ""],
            "level": 0.95,
        }
    )


def together(classes=tuple(CLASSES)) -> pd.DataFrame:
    generator = np.random.default_rng(8)
    rows = [
        (a, b, 1.0 if a == b else generator.uniform() ** 2, CLASSES.get(a, 5))
        for a in classes
        for b in classes
    ]
    return pd.DataFrame(rows, columns=["class", "other", "share", "count"])


def record(rhythm: str = "sinus") -> dict[str, np.ndarray]:
    return twelve_leads(simulated_ecg(rhythm, seed=1).leads)


def loud() -> dict[str, np.ndarray]:
    """Return a record with gaps, and with complexes far larger than a row and than the paper."""
    leads = {name: 8 * values for name, values in record("pvc").items()}
    leads["V1"] = np.where(np.arange(5000) % 1000 < 300, np.nan, leads["V1"])
    return leads


def empty_class() -> pd.DataFrame:
    table = together()
    table.loc[table["class"] == "TACHY", "share"] = math.nan
    table.loc[table["class"] == "TACHY", "count"] = 0
    return table


_LONG_LABELS = tuple(LONG.format(n) for n in range(3))
_MANY = tuple(f"label {n}" for n in range(40))
_MODELS_12 = tuple(f"model {n}" for n in range(12))

ORDINARY: dict[str, Callable[..., HouseFigure]] = {
    "roc_plane": lambda **kw: figures.roc_plane(
        curves(), readers(), labels=COUNTS, marks=MARKS, **kw
    ),
    "forest_of_differences": lambda **kw: figures.forest_of_differences(differences(), **kw),
    "rank_heatmap": lambda **kw: figures.rank_heatmap(ranks(), **kw),
    "reliability": lambda **kw: figures.reliability(bins(), histogram(), **kw),
    "class_scores": lambda **kw: figures.class_scores(f_measures(), **kw),
    "macro_scores": lambda **kw: figures.macro_scores(macros(), **kw),
    "co_occurrence": lambda **kw: figures.co_occurrence(together(), **kw),
    "ecg_page": lambda **kw: figures.ecg_page(record(), 500, simulated=True, **kw),
}

AWKWARD: dict[str, Callable[..., HouseFigure]] = {
    "ROC, one label": lambda **kw: figures.roc_plane(curves(["AF"]), readers(["AF"]), **kw),
    "ROC, no curve": lambda **kw: figures.roc_plane(None, readers(LABELS), **kw),
    "ROC, no point": lambda **kw: figures.roc_plane(curves(), **kw),
    "ROC, undefined": lambda **kw: figures.roc_plane(None, undefined_readers(), **kw),
    "ROC, all at one corner": lambda **kw: figures.roc_plane(
        None, readers().assign(sensitivity=1.0, specificity=1.0), **kw
    ),
    "ROC, all at 0": lambda **kw: figures.roc_plane(
        None, readers().assign(sensitivity=0.0, specificity=0.0), zoom=True, **kw
    ),
    "ROC, long names": lambda **kw: figures.roc_plane(
        curves(_LONG_LABELS, _LONG_LABELS),
        readers(_LONG_LABELS, _LONG_LABELS),
        labels=dict.fromkeys(_LONG_LABELS, 1_000_000),
        marks={(a, b): "†*" for a in _LONG_LABELS for b in _LONG_LABELS},
        **kw,
    ),
    "ROC, twelve models": lambda **kw: figures.roc_plane(
        curves(LABELS, _MODELS_12),
        readers(LABELS, [f"group {n}" for n in range(8)]),
        marks=pd.DataFrame(
            [(a, b, "†", "0.987 (0.981–0.992)") for a in LABELS for b in _MODELS_12],
            columns=["label", "model", "mark", "text"],
        ),
        **kw,
    ),
    "ROC, corner given": lambda **kw: figures.roc_plane(
        curves(), readers(), zoom=(0.015, 0.93), columns=2, **kw
    ),
    "differences, one row": lambda **kw: figures.forest_of_differences(differences().head(1), **kw),
    "differences, one model": lambda **kw: figures.forest_of_differences(
        differences(LABELS, MODELS[:1]), **kw
    ),
    "differences, undefined": lambda **kw: figures.forest_of_differences(
        undefined_difference(), **kw
    ),
    "differences, no interval": lambda **kw: figures.forest_of_differences(
        differences()[["label", "model", "value"]], **kw
    ),
    "differences, zero": lambda **kw: figures.forest_of_differences(
        differences().assign(value=0.0, low=0.0, high=0.0), **kw
    ),
    "differences, forty": lambda **kw: figures.forest_of_differences(
        differences(_MANY, (LONG,)), **kw
    ),
    "differences, long names": lambda **kw: figures.forest_of_differences(
        differences(_LONG_LABELS, _LONG_LABELS).assign(mark="†*"), **kw
    ),
    "ranks, one": lambda **kw: figures.rank_heatmap(ranks().head(1), **kw),
    "ranks, undefined": lambda **kw: figures.rank_heatmap(undefined_rank(), **kw),
    "ranks, no rank": lambda **kw: figures.rank_heatmap(ranks().assign(rank=math.nan), **kw),
    "ranks, no interval": lambda **kw: figures.rank_heatmap(
        ranks().drop(columns=["low", "high"]), **kw
    ),
    "ranks, twelve models": lambda **kw: figures.rank_heatmap(ranks(LABELS, _MODELS_12), **kw),
    "ranks, forty": lambda **kw: figures.rank_heatmap(ranks(_MANY, _MANY), **kw),
    "ranks, forty labels": lambda **kw: figures.rank_heatmap(ranks(_MANY), **kw),
    "ranks, long names": lambda **kw: figures.rank_heatmap(ranks(_LONG_LABELS, _LONG_LABELS), **kw),
    "reliability, no counts": lambda **kw: figures.reliability(bins(LABELS), **kw),
    "reliability, empty bins": lambda **kw: figures.reliability(
        bins().assign(predicted=math.nan, observed=math.nan), histogram(), **kw
    ),
    "reliability, all at 1": lambda **kw: figures.reliability(
        bins().assign(predicted=1.0, observed=1.0, low=1.0, high=1.0), **kw
    ),
    "reliability, millions": lambda **kw: figures.reliability(
        bins(), histogram().assign(count=lambda t: t["count"] * 10_000), **kw
    ),
    "reliability, long names": lambda **kw: figures.reliability(
        bins(_LONG_LABELS, _LONG_LABELS), histogram(_LONG_LABELS, _LONG_LABELS), **kw
    ),
    "classes, three models": lambda **kw: figures.class_scores(
        f_measures(models=("network", "language model", LONG)), **kw
    ),
    "classes, one": lambda **kw: figures.class_scores(f_measures(["PAC"]), **kw),
    "classes, at 0": lambda **kw: figures.class_scores(
        f_measures().assign(value=0.0, low=0.0, high=0.0), **kw
    ),
    "classes, at 1": lambda **kw: figures.class_scores(
        f_measures().assign(value=1.0, low=1.0, high=1.0, prior=1.0), **kw
    ),
    "classes, undefined": lambda **kw: figures.class_scores(
        f_measures().assign(
            value=math.nan, low=math.nan, high=math.nan, prior=math.nan, reason=REASON
        ),
        **kw,
    ),
    "classes, forty": lambda **kw: figures.class_scores(f_measures(_MANY), **kw),
    "macro, one": lambda **kw: figures.macro_scores(macros().head(1), **kw),
    "macro, prior only": lambda **kw: figures.macro_scores(macros().tail(1), **kw),
    "macro, no interval": lambda **kw: figures.macro_scores(
        macros()[["model", "value", "kind"]], **kw
    ),
    "macro, long names": lambda **kw: figures.macro_scores(
        pd.DataFrame({"model": _LONG_LABELS, "value": 0.5, "kind": _LONG_LABELS, "mark": "*"}), **kw
    ),
    "together, undefined": lambda **kw: figures.co_occurrence(empty_class(), **kw),
    "together, one class": lambda **kw: figures.co_occurrence(together(["AF"]), **kw),
    "together, forty": lambda **kw: figures.co_occurrence(together(_MANY), **kw),
    "together, always": lambda **kw: figures.co_occurrence(together().assign(share=1.0), **kw),
    "together, long names": lambda **kw: figures.co_occurrence(together(_LONG_LABELS), **kw),
    "page, loud, with gaps": lambda **kw: figures.ecg_page(loud(), 500, simulated=True, **kw),
    "page, silent": lambda **kw: figures.ecg_page(
        {name: np.zeros(1000) for name in record()}, 100, simulated=False, strip="V1", **kw
    ),
    "page, nothing known": lambda **kw: figures.ecg_page(
        {name: np.full(5000, np.nan) for name in record()}, 500, simulated=False, **kw
    ),
}
