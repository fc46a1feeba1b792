"""What needs no simulation: few clusters, results that surprise people, one example."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri, stdtr, stdtrit

from benchbook.display import Drawing, Table, interval_text
from benchbook.estimate import Estimate
from benchbook.metrics import delong_interval, proportion
from benchbook.resampling import (
    Distribution,
    RankingStatistic,
    mean_statistic,
    ratio_statistic,
    resample,
)

from .study import BOOTSTRAPS, LINEARISED

_PERFECT_RUNS = 20_000
CLUSTER_COUNTS = (5, 10, 13, 20, 30, 50, 100)


def few_clusters(level: float = 0.95) -> pd.DataFrame:
    """Return what a percentile interval of a mean is worth with few clusters, resampled forever.

    The bootstrap variance of a mean of K cluster values is (K - 1) / K of the unbiased one, and
    its quantiles are near-normal where Student's are due, so with normal values the interval
    covers when |t| on K - 1 degrees of freedom is below z sqrt((K - 1) / K).

    Returns
    -------
    DataFrame
        ``clusters``, ``coverage``, ``width`` (over that of the t interval).
    """
    size = np.array(CLUSTER_COUNTS, dtype=float)
    tail = (1 + level) / 2
    reach = float(ndtri(tail)) * np.sqrt((size - 1) / size)
    return pd.DataFrame(
        {
            "clusters": CLUSTER_COUNTS,
            "coverage": 2 * stdtr(size - 1, reach) - 1,
            "width": reach / stdtrit(size - 1, tail),
        }
    )


def table_few_clusters(level: float) -> Table:
    """Return the closed form of few clusters as a table."""
    frame = few_clusters(level)
    ten = frame[frame["clusters"] == 10].iloc[0]
    shown = pd.DataFrame(
        {
            "clusters": frame["clusters"],
            "coverage": [f"{100 * value:.1f} %" for value in frame["coverage"]],
            "width over that of Student's t": frame["width"],
        }
    )
    caption = (
        "**More resamples do not help against few clusters.** The percentile interval of a mean "
        "of normal cluster values with as many resamples as one likes, in closed form: with ten "
        f"clusters it covers {100 * ten['coverage']:.1f} % where {100 * level:g} % is claimed and "
        f"is {100 * (1 - ten['width']):.0f} % narrower than Student's interval. Not simulated."
    )
    return Table(frame, "few-clusters", caption, shown, digits=2)


def every_interval(drawn: Distribution, level: float) -> dict[str, Estimate]:
    """Return the bootstrap intervals of a distribution and the linearised one."""
    made = {words: drawn.interval(method, level) for method, words in BOOTSTRAPS.items()}
    if not math.isnan(drawn.point):
        made[LINEARISED] = drawn.interval("linearised", level)
    return made


def surprises(level: float, n_resamples: int, seed: int) -> Table:
    """Return correct intervals that look wrong, each on invented data."""
    how = {"n_resamples": n_resamples, "seed": seed}
    rows = [
        _perfect_ranking(level, how),
        _no_error(level, how),
        _one_patient(level, how),
        _mixed_patients(level, how),
    ]
    caption = (
        f"Correct results that look wrong, on invented data ({n_resamples:,} resamples; "
        f"{100 * level:g} % intervals). A dash is an interval that does not exist."
    )
    return Table(pd.DataFrame(rows), "surprises", caption)


def _surprise(
    what: str, why: str, value: float, percentile: Estimate, bca: Estimate, formula: Estimate
) -> dict[str, Any]:
    return {
        "result": what,
        "why it is right": why,
        "estimate": value,
        "percentile": _span(percentile),
        "BCa": _span(bca),
        "by formula": f"{_span(formula)} ({re.split(r'[,(]', formula.method)[0].strip()})",
    }


def _span(estimate: Estimate) -> str:
    if not estimate.has_interval:
        return "–"
    return interval_text(estimate.low, estimate.low, estimate.high).split("(")[1].rstrip(")")


def _perfect_ranking(level: float, how: dict[str, Any]) -> dict[str, Any]:
    scores = np.concatenate([np.linspace(0.1, 0.6, 30), np.linspace(0.7, 0.9, 8)])
    positive = np.arange(scores.size) >= 30
    drawn = resample(RankingStatistic("AUROC", scores, positive, higher_is_positive=True), **how)
    by_formula = delong_interval(positive, scores, higher_is_positive=True, level=level)
    chance = seen_as_perfect(0.95, 8, 30, how["seed"])
    return _surprise(
        "AUROC of 1 with 8 positives: an interval without width",
        "every resample separates the classes too, BCa has nothing to correct, and DeLong's "
        "variance is 0. That is no certainty: an AUROC of 0.95 is seen as 1 in "
        f"{100 * chance:.0f} % of such data sets ({_PERFECT_RUNS:,} simulated, normal scores)",
        drawn.point,
        drawn.interval("percentile", level),
        drawn.interval("bca", level),
        by_formula,
    )


def seen_as_perfect(area: float, n_positive: int, n_negative: int, seed: int) -> float:
    """Return how often normal scores with this AUROC separate the classes completely."""
    generator = np.random.default_rng(seed)
    shift = math.sqrt(2.0) * float(ndtri(area))
    lowest = generator.standard_normal((_PERFECT_RUNS, n_positive)).min(axis=1) + shift
    highest = generator.standard_normal((_PERFECT_RUNS, n_negative)).max(axis=1)
    return float((lowest > highest).mean())


def _no_error(level: float, how: dict[str, Any]) -> dict[str, Any]:
    drawn = resample(mean_statistic(np.zeros(50), name="error rate"), **how)
    return _surprise(
        "no error in 50: the bootstrap says 0 for sure",
        "a resample cannot hold an error that the data do not; Wilson's interval can",
        drawn.point,
        drawn.interval("percentile", level),
        drawn.interval("bca", level),
        proportion(0, 50, level=level),
    )


def _one_patient(level: float, how: dict[str, Any]) -> dict[str, Any]:
    generator = np.random.default_rng(how["seed"])
    positive = np.arange(200) < 10
    scores = generator.normal(size=200) + 1.2 * positive
    patient = np.arange(200) // 10
    statistic = RankingStatistic("AUROC", scores, positive, higher_is_positive=True)
    drawn = resample(statistic, cluster=patient, **how)
    lost = drawn.n_undefined / drawn.n_resamples
    return _surprise(
        f"all 10 positives in one of 20 patients: no AUROC on {100 * lost:.0f} % of the resamples",
        "a resample without that patient has no positive, which happens with chance "
        f"(1 − 1/20)²⁰ = {100 * 0.95**20:.0f} %; what is left varies the negatives only, so no "
        "interval here tells how the positives of other patients would do",
        drawn.point,
        drawn.interval("percentile", level),
        drawn.interval("bca", level),
        delong_interval(positive, scores, higher_is_positive=True, cluster=patient, level=level),
    )


def _mixed_patients(level: float, how: dict[str, Any]) -> dict[str, Any]:
    generator = np.random.default_rng(how["seed"])
    patient = np.repeat(np.arange(30), 10)
    positive = np.tile(np.arange(10) < 5, 30)
    shared = generator.normal(size=30)[patient]
    scores = 0.9 * shared + 0.45 * generator.normal(size=300) + 0.9 * positive
    statistic = RankingStatistic("AUROC", scores, positive, higher_is_positive=True)
    by_item, drawn = resample(statistic, **how), resample(statistic, cluster=patient, **how)
    items = by_item.interval("percentile", level)
    return _surprise(
        "clusters make the interval narrower: over items it would be " + _span(items),
        "every patient has both classes, so what a patient adds to all scores cancels between "
        "them; the design effect of an AUROC can be below 1",
        drawn.point,
        drawn.interval("percentile", level),
        drawn.interval("bca", level),
        delong_interval(positive, scores, higher_is_positive=True, cluster=patient, level=level),
    )


def toy_clusters() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return invented errors and words of six recordings, and a set of resampling counts."""
    errors = np.array([3.0, 10, 4, 12, 6, 9])
    words = np.array([40.0, 60, 50, 70, 45, 55])
    counts = np.array([2, 0, 1, 1, 0, 2])
    return errors, words, counts


def toy_distribution() -> Distribution:
    """Return the bootstrap distribution of the pooled rate of the six recordings."""
    errors, words, _ = toy_clusters()
    rate = ratio_statistic(errors, words, name="WER", reason="no words", bounds=(0.0, 1.0))
    return resample(rate, unit="recording", n_resamples=2000, seed=1)


def _lean(made: dict[str, Estimate]) -> str:
    """Say in which direction BCa and the basic interval move, when they move apart."""
    bca, plain, basic = made["BCa"], made["percentile"], made["basic"]
    if not bca.low < plain.low < basic.low:
        return ""
    return (
        f"The longer tail is on the left. BCa ({_span(bca)}) follows it; the basic interval "
        f"({_span(basic)}) mirrors it and moves the other way. "
    )


def figure_example(drawn: Distribution, level: float, truth: float) -> Drawing:
    """Draw one bootstrap distribution with the intervals that it gives."""
    from benchbook.figures import intervals_on_distribution

    made = every_interval(drawn, level)
    rows = pd.DataFrame([estimate.as_row(name=name) for name, estimate in made.items()])
    missing = [name for name, one in made.items() if not one.low <= truth <= one.high]
    caption = (
        "**One data set, one set of resamples, five intervals.** Simulated: the first data set "
        "of the design with 20 positives in 10 patients and 200 negatives in 40 others, "
        f"{drawn.n_resamples:,} resamples of patients. {_lean(made)}"
        f"The true AUROC is {truth:.2f} (dashed); "
        + (f"missed by: {', '.join(missing)}." if missing else "every interval holds it.")
    )
    alt = (
        "Histogram of bootstrap AUROCs with a longer tail to the left; under it the percentile, "
        "basic, BCa, studentised and linearised intervals as bars on the same axis."
    )
    return Drawing(
        intervals_on_distribution(drawn.replicates, rows, truth=truth, label="AUROC"),
        "example",
        caption,
        alt,
    )
