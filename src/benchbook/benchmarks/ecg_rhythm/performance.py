"""How well the models rank the records, label by label: AUROC, AUPRC, macro means and ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from benchbook.resampling import Distribution, RankingStatistic, ranks

from .matched import mean_of_defined
from .study import APPROXIMATE, MARKS, NOT_COMPARED, Study

METRICS = {"AUROC": "auroc", "AUPRC": "average_precision"}
Key = tuple[str, str, str]  # label, model, metric


@dataclass(frozen=True, eq=False)
class Performance:
    """Ranking metrics of every model on every label it maps to.

    Attributes
    ----------
    table : DataFrame
        Tidy: ``label``, ``model``, ``mark``, ``metric``, ``value``, ``low``, ``high``,
        ``n_items``, ``n_positive``, ``n_clusters``, ``n_positive_patients``, ``n_undefined``,
        ``reason``, ``warnings``.
    macro : DataFrame
        ``model``, ``mark`` (the marks of any of its labels), ``metric``, ``over`` (which labels),
        ``n_labels``, ``value``, ``low``, ``high``.
    ranks : DataFrame
        ``label``, ``model``, ``mark``, ``rank``, ``low``, ``high``, ``reason``: by AUROC, label by
        label and never pooled.
    drawn : dict of (label, model, metric) to Distribution
        On shared resamples.
    """

    table: pd.DataFrame
    macro: pd.DataFrame
    ranks: pd.DataFrame
    drawn: dict[Key, Distribution]


def evaluate(
    study: Study, *, n_resamples: int, level: float, seed: int, by_patient: bool = True
) -> Performance:
    """Evaluate every model on every label it maps to, all on the same resamples.

    Parameters
    ----------
    study : Study
    n_resamples, level, seed
        Of the bootstrap.
    by_patient : bool
        Whether patients are drawn, or records as if each were of another patient.

    Returns
    -------
    Performance
    """
    keys, statistics = _statistics(study)
    if not statistics:
        nothing = pd.DataFrame()
        return Performance(nothing, nothing, nothing, {})
    made = study.resample(statistics, n_resamples, seed, by_patient=by_patient)
    drawn = dict(zip(keys, made, strict=True))
    return Performance(
        _table(study, drawn, level), macro(study, drawn, level), rank_table(study, drawn, level),
        drawn,
    )  # fmt: skip


def _statistics(study: Study) -> tuple[list[Key], list[RankingStatistic]]:
    keys: list[Key] = []
    statistics: list[RankingStatistic] = []
    for label in study.labels:
        used, positive = study.compared(label), study.positive(label)
        weights = None if used.all() else used.astype(float)
        for model in study.models_on(label):
            scores = np.where(used, study.scores[model, label], 0.0)
            for metric, measure in METRICS.items():
                keys.append((label, model, metric))
                statistics.append(
                    RankingStatistic(
                        f"{metric}, {model}, {label}", scores, positive, measure,
                        higher_is_positive=True, weights=weights,
                    )
                )  # fmt: skip
    return keys, statistics


def _table(study: Study, drawn: dict[Key, Distribution], level: float) -> pd.DataFrame:
    rows = []
    for (label, model, metric), one in drawn.items():
        used, positive = study.compared(label), study.positive(label)
        row = one.interval("percentile", level).as_row(
            label=label,
            model=model,
            mark=study.mark(model, label),
            metric=metric,
            n_items=int(used.sum()),
            n_clusters=len(set(study.patients[used])),
            n_positive=int((used & positive).sum()),
            n_positive_patients=len(set(study.patients[used & positive])),
        )
        rows.append(row if used.any() else row | {"reason": NOT_COMPARED})
    columns = [
        "label", "model", "mark", "metric", "value", "low", "high", "n_items", "n_positive",
        "n_clusters", "n_positive_patients", "n_undefined", "reason", "warnings",
    ]  # fmt: skip
    return pd.DataFrame(rows)[columns]


def mean_distribution(drawn: Sequence[Distribution], name: str) -> Distribution:
    """Return the mean of distributions on shared resamples, over those that have a value.

    A statistic without a value on a resample, such as a label of which no positive was drawn, is
    left out of that resample's mean.
    """
    first = drawn[0]
    points = np.array([one.point for one in drawn])
    known = [one for one in drawn if not math.isnan(one.point)]
    point = float(mean_of_defined(points, axis=0))
    replicates = (
        mean_of_defined(np.stack([one.replicates for one in known]), axis=0)
        if known
        else np.full(first.n_resamples, np.nan)
    )
    return Distribution(
        point=point,
        replicates=replicates,
        n_items=first.n_items,
        n_clusters=first.n_clusters,
        seed=first.seed,
        unit=first.unit,
        name=name,
        reason=None if known else "no label has a value",
        bounds=first.bounds,
        leave_one_out=lambda: mean_of_defined(np.stack([one.jackknife for one in known]), axis=0),
    )


def shared_labels(study: Study) -> list[str]:
    """Return the labels that every model maps to."""
    return [label for label in study.labels if set(study.models_on(label)) == set(study.models)]


def macro(
    study: Study, drawn: dict[Key, Distribution], level: float, *, approximate: bool = True
) -> pd.DataFrame:
    """Return means over labels: of each model's own labels, and of those that all models share.

    Parameters
    ----------
    study : Study
    drawn : dict of (label, model, metric) to Distribution
    level : float
    approximate : bool
        Whether labels with an approximate mapping count.
    """
    rows = []
    common = shared_labels(study)
    answered = (set(study.models_on(label)) for label in study.labels)
    apart = any(models and models != set(study.models) for models in answered)
    for metric in METRICS:
        for model in study.models:
            own = [
                label
                for label in study.labels
                if (label, model, metric) in drawn
                and (approximate or APPROXIMATE not in study.mark(model, label))
            ]
            subsets = {"own labels": own}
            if approximate and common and apart:
                subsets["labels of all models"] = common
            for over, labels in subsets.items():
                if not labels:
                    continue
                mean = mean_distribution(
                    [drawn[label, model, metric] for label in labels], f"macro {metric}, {model}"
                )
                known = sum(not math.isnan(drawn[label, model, metric].point) for label in labels)
                made = mean.interval("percentile", level)
                marks = "".join(study.mark(model, label) for label in labels)
                mark = "".join(sign for sign in MARKS if sign in marks)
                rows.append(
                    made.as_row(model=model, mark=mark, metric=metric, over=over, n_labels=known)
                )
    columns = [
        "model", "mark", "metric", "over", "n_labels", "value", "low", "high", "n_items",
        "n_clusters", "n_undefined", "reason",
    ]  # fmt: skip
    return pd.DataFrame(rows)[columns] if rows else pd.DataFrame(columns=columns)


def rank_table(
    study: Study, drawn: dict[Key, Distribution], level: float, *, approximate: bool = True
) -> pd.DataFrame:
    """Return the rank of each model by AUROC on each label, with its interval."""
    rows = []
    for label in study.labels:
        models = [
            model
            for model in study.models_on(label)
            if approximate or APPROXIMATE not in study.mark(model, label)
        ]
        if not models:
            continue
        family = [drawn[label, model, "AUROC"] for model in models]
        for model, rank in zip(
            models, ranks(family, higher_is_better=True, level=level), strict=True
        ):
            rows.append(
                {
                    "label": label,
                    "model": model,
                    "mark": study.mark(model, label),
                    "rank": rank.rank,
                    "low": rank.low,
                    "high": rank.high,
                    "n_models": sum(not math.isnan(one.point) for one in family),
                    "n_undefined": rank.n_undefined,
                    "reason": rank.reason,
                }
            )
    return pd.DataFrame(rows)
