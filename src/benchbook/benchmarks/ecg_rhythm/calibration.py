"""Whether scores can be read as probabilities."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from benchbook.estimate import Estimate, undefined
from benchbook.metrics import (
    brier_statistic,
    expected_calibration_error,
    recalibration,
    reliability_curve,
)
from benchbook.resampling import bootstrap_many

from .study import NOT_COMPARED, Study

N_BINS = 5  # of a rare label most records are in the first; more bins would hold one or two each
N_SCORE_BINS = 20  # of the histogram
FEWEST = 5  # records of a bin that is shown: the mean score of one record is that record's score
CLIP = 1e-6  # where scores of exactly 0 or 1 go, whose logit is infinite
METRICS = ("slope", "in the large", "Brier score", "calibration error")
NO_PROBABILITY = "some scores lie outside 0 to 1, so they are no probabilities"
FEW = f"fewer than {FEWEST} records: it would tell the score of a record"
CLUSTERED = "no interval: the formula takes records for independent, and patients have several"
Key = tuple[str, str]  # label, model


def measures(study: Study, *, n_resamples: int, level: float, seed: int) -> pd.DataFrame:
    """Return slope, intercept, Brier score and calibration error of every model and label.

    Returns
    -------
    DataFrame
        Tidy: ``label``, ``model``, ``mark``, ``metric``, ``value``, ``low``, ``high``, ``method``,
        ``n_items``, ``n_positive``, ``n_clipped``, ``reason``.
    """
    brier = _brier_scores(study, n_resamples, level, seed)
    rows: list[dict[str, Any]] = []
    for label, model in _keys(study):
        truth, score = _compared(study, label, model)
        made, clipped = _analytic(truth, score, study.clustered, level)
        made["Brier score"] = brier.get((label, model), made["slope"])
        for metric in METRICS:
            one = made[metric]
            rows.append(
                {
                    "label": label,
                    "model": model,
                    "mark": study.mark(model, label),
                    "metric": metric,
                    "value": one.value,
                    "low": one.low,
                    "high": one.high,
                    "method": one.method,
                    "n_items": truth.size,
                    "n_positive": int(truth.sum()),
                    "n_clipped": clipped,
                    "reason": one.reason,
                }
            )
    return pd.DataFrame(rows)


def _keys(study: Study) -> list[Key]:
    return [(label, model) for label in study.labels for model in study.models_on(label)]


def _compared(study: Study, label: str, model: str) -> tuple[np.ndarray, np.ndarray]:
    used = study.compared(label)
    return study.positive(label)[used], study.scores[model, label][used]


def is_probability(score: np.ndarray) -> bool:
    """Tell whether all scores lie in 0 to 1."""
    return bool(((score >= 0) & (score <= 1)).all())


def _brier_scores(study: Study, n_resamples: int, level: float, seed: int) -> dict[Key, Estimate]:
    """Return every Brier score with a bootstrap interval over patients, on shared resamples."""
    keys, statistics = [], []
    for label, model in _keys(study):
        truth, score = _compared(study, label, model)
        if truth.size < FEWEST or not is_probability(score):
            continue
        used = study.compared(label)
        everywhere = np.where(used, study.scores[model, label], 0.0)
        keys.append((label, model))
        statistics.append(brier_statistic(study.positive(label), everywhere, used.astype(float)))
    if not statistics:
        return {}
    made = bootstrap_many(
        statistics, cluster=study.patients, unit=study.unit, n_resamples=n_resamples, level=level,
        seed=seed,
    )  # fmt: skip
    return dict(zip(keys, made, strict=True))


def _analytic(
    truth: np.ndarray, score: np.ndarray, clustered: bool, level: float
) -> tuple[dict[str, Estimate], int]:
    if truth.size < FEWEST or not is_probability(score):
        reason = NOT_COMPARED if not truth.size else FEW if truth.size < FEWEST else NO_PROBABILITY
        return {metric: undefined(reason) for metric in METRICS}, 0
    fitted = recalibration(truth, score, level=level, clip=CLIP)
    parts = {"slope": fitted.slope, "in the large": fitted.in_the_large}
    if clustered:
        parts = {name: without_interval(one) for name, one in parts.items()}
    parts["calibration error"] = expected_calibration_error(
        truth, score, n_bins=N_BINS, strategy="uniform"
    )
    return parts, fitted.n_clipped


def without_interval(made: Estimate) -> Estimate:
    """Return an estimate whose interval does not hold for several records of a patient."""
    if not made.defined:
        return made
    nothing: dict[str, Any] = {"low": np.nan, "high": np.nan, "standard_error": np.nan}
    return replace(made, method="", reason=CLUSTERED, **nothing)


def curves(study: Study, labels: list[str], level: float) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return points of the reliability curves, and counts of scores for the histograms below.

    Bins of fewer than ``FEWEST`` records are left out.
    """
    points, counts = [pd.DataFrame()], [pd.DataFrame()]
    edges = np.linspace(0, 1, N_SCORE_BINS + 1)
    for label, model in _keys(study):
        truth, score = _compared(study, label, model)
        if label not in labels or truth.size < FEWEST or not is_probability(score):
            continue
        curve = reliability_curve(truth, score, n_bins=N_BINS, strategy="uniform", level=level)
        named = {"label": label, "model": model}
        bounds = {"low": curve.low, "high": curve.high}
        if study.clustered:  # Wilson's bounds take records for independent
            bounds = dict.fromkeys(bounds, np.full(curve.low.size, np.nan))
        shown = {"predicted": curve.mean_probability, "observed": curve.share, **bounds}
        table = pd.DataFrame(named | shown | {"n": curve.weight.astype(int)})
        points.append(table[table["n"] >= FEWEST])
        count = np.histogram(score, edges)[0]
        counts.append(pd.DataFrame(named | {"low": edges[:-1], "high": edges[1:], "count": count}))
    return pd.concat(points, ignore_index=True), pd.concat(counts, ignore_index=True)
