"""What would change macro F: other conventions and other units, on the same answers."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchbook.estimate import Estimate
from benchbook.metrics import f_statistics
from benchbook.resampling import SumsStatistic, resample_many

from .conventions import OTHERS
from .scoring import Scores, class_key

AS_SCORED = "as scored here"
RECORDS = "records resampled, not groups"
SCORED_ONLY = {
    "group": "only groups with a scored record resampled",
    "record": "only scored records resampled",
}


def table(scores: Scores) -> pd.DataFrame:
    """Return macro F of every model under every convention.

    Returns
    -------
    DataFrame
        ``change``, ``model``, ``value``, ``low``, ``high``, ``width``, ``n_undefined``,
        ``reason``.
    """
    found: dict[str, dict[str, Estimate]] = {AS_SCORED: scores.macro}
    if scores.study.grouped:
        found[RECORDS] = _over(scores, "record")
    if scores.study.n_scored_groups > 1:
        found[SCORED_ONLY[scores.study.unit]] = _over(scores, "scored")
    for change in OTHERS:
        found[change] = {model: scores.estimate(model, change) for model in scores.models}
    rows = [
        {
            "change": change,
            "model": model,
            "value": estimates[model].value,
            "low": estimates[model].low,
            "high": estimates[model].high,
            "width": estimates[model].high - estimates[model].low,
            "n_undefined": estimates[model].n_undefined,
            "reason": estimates[model].reason or "",
        }
        for change, estimates in found.items()
        for model in scores.models
    ]
    return pd.DataFrame(rows)


def _over(scores: Scores, unit: str) -> dict[str, Estimate]:
    """Return macro F of every model when records, or only what is scored, are drawn."""
    study = scores.study
    kept = study.scored if unit == "scored" else np.ones(study.n_records, dtype=bool)
    statistics = []
    for answers in study.answers:
        made = f_statistics(study.memberships(answers.predicted))["macro"]
        rows = made.contributions[kept]
        statistics.append(SumsStatistic(made.name, rows, made.evaluate, made.reason, made.bounds))
    drawn = resample_many(
        statistics,
        cluster=None if unit == "record" else study.groups[kept],
        unit="record" if unit == "record" else study.unit,
        n_resamples=scores.n_resamples,
        seed=scores.seed,
    )
    return {
        model: one.interval("percentile", scores.level)
        for model, one in zip(scores.models, drawn, strict=True)
    }


def resamples_without_a_class(scores: Scores, model: str) -> int:
    """Return in how many resamples a class of the reference is left out of a model's mean."""
    study = scores.study
    names = [name for name, has in zip(study.classes, study.occurring, strict=True) if has]
    drawn = [scores.distributions[model, class_key(name)].replicates for name in names]
    return int(np.isnan(np.column_stack(drawn)).any(axis=1).sum())
