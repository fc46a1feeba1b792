"""Definitions written out pair by pair, data for the tests, and pROC's frozen numbers."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from hypothesis import strategies as st

REFERENCE = Path(__file__).parent.parent / "reference"

# Rounding of float64 in sums over at most some hundreds of rows.
ROUNDING = 1e-12
# pROC's numbers are frozen with 15 significant digits; its own sums round, too.
FROZEN = 1e-12


@cache
def asah():
    """113 patients: poor outcome, and three scores of which high values are bad."""
    return pd.read_csv(REFERENCE / "proc_asah.csv")


@cache
def proc():
    return json.loads((REFERENCE / "proc_auroc.json").read_text(encoding="utf-8"))


def table_of(record):
    return asah() if record["table"] == "asah" else pd.DataFrame(proc()["made"])


def kernel(above, below):
    """1 where the positive scores above the negative, one half where they tie, else 0."""
    return np.where(above > below, 1.0, np.where(above == below, 0.5, 0.0))


def pair_table(positive, score):
    """The kernel of every positive against every negative."""
    positive, score = np.asarray(positive, bool), np.asarray(score, float)
    return kernel(score[positive][:, None], score[~positive][None, :])


def auroc_by_pairs(positive, score, weight=None):
    table = pair_table(positive, score)
    if weight is None:
        return table.mean()
    positive, weight = np.asarray(positive, bool), np.asarray(weight, float)
    pairs = np.outer(weight[positive], weight[~positive])
    return (table * pairs).sum() / pairs.sum()


def delong_by_pairs(positive, columns):
    """DeLong's covariance from the full table of pairs, O(n^2)."""
    tables = [pair_table(positive, column) for column in columns]
    m, n = tables[0].shape
    beaten = np.array([table.mean(axis=1) for table in tables])
    beaters = np.array([table.mean(axis=0) for table in tables])
    return np.atleast_2d(np.cov(beaten)) / m + np.atleast_2d(np.cov(beaters)) / n


def obuchowski_by_loops(positive, columns, cluster):
    """Obuchowski's covariance, cluster by cluster and model by model."""
    positive, cluster = np.asarray(positive, bool), np.asarray(cluster)
    names = list(dict.fromkeys(cluster.tolist()))
    m, n = positive.sum(), (~positive).sum()
    own_cluster = cluster[positive], cluster[~positive]
    with_positive = sum((own_cluster[0] == name).any() for name in names)
    with_negative = sum((own_cluster[1] == name).any() for name in names)
    sums = []
    for column in columns:
        table = pair_table(positive, column)
        theta = table.mean()
        rows = []
        for name in names:
            x, y = (
                table.mean(axis=1)[own_cluster[0] == name],
                table.mean(axis=0)[own_cluster[1] == name],
            )
            rows.append((x.sum() - x.size * theta, y.sum() - y.size * theta))
        sums.append(rows)
    k = len(columns)
    covariance = np.zeros((k, k))
    for r in range(k):
        for s in range(k):
            s10 = sum(a[0] * b[0] for a, b in zip(sums[r], sums[s], strict=True))
            s01 = sum(a[1] * b[1] for a, b in zip(sums[r], sums[s], strict=True))
            s11 = sum(a[0] * b[1] + a[1] * b[0] for a, b in zip(sums[r], sums[s], strict=True))
            s10 *= with_positive / ((with_positive - 1) * m)
            s01 *= with_negative / ((with_negative - 1) * n)
            s11 *= len(names) / (len(names) - 1)
            covariance[r, s] = s10 / m + s01 / n + s11 / (m * n)
    return covariance


def average_precision_by_thresholds(positive, score, weight=None):
    positive, score = np.asarray(positive, bool), np.asarray(score, float)
    weight = np.ones(score.size) if weight is None else np.asarray(weight, float)
    total, before = 0.0, 0.0
    for threshold in sorted(set(score.tolist()), reverse=True):
        alarm = score >= threshold
        recall = weight[alarm & positive].sum() / weight[positive].sum()
        total += (recall - before) * weight[alarm & positive].sum() / weight[alarm].sum()
        before = recall
    return total


def simulated(n=200, share=0.3, shift=1.0, decimals=None, seed=0):
    """Labels and scores; ``decimals`` makes ties."""
    generator = np.random.default_rng(seed)
    positive = generator.random(n) < share
    score = generator.normal(size=n) + shift * positive
    return positive, score if decimals is None else np.round(score, decimals)


@st.composite
def both_classes(draw, most=40, least_each=1):
    """Labels with both classes and small whole scores, so that ties abound."""
    positives = draw(st.integers(least_each, most // 2))
    negatives = draw(st.integers(least_each, most // 2))
    scores = draw(
        st.lists(st.integers(-6, 6), min_size=positives + negatives, max_size=positives + negatives)
    )
    labels = draw(st.permutations([True] * positives + [False] * negatives))
    return np.array(labels), np.array(scores, dtype=float)


AWKWARD = {
    "ties": ([1, 1, 1, 0, 0, 0, 0], [3.0, 2, 2, 2, 2, 1, 0]),
    "one positive": ([0, 0, 1, 0, 0], [0.1, 0.9, 0.5, 0.5, 0.2]),
    "one negative": ([1, 1, 0, 1], [0.3, 0.9, 0.5, 0.5]),
    "perfect": ([0, 0, 0, 1, 1], [1.0, 2, 3, 4, 5]),
    "worst": ([1, 1, 0, 0, 0], [1.0, 2, 3, 4, 5]),
    "all equal": ([1, 0, 1, 0, 0], [7.0] * 5),
    "infinite": ([1, 0, 1, 0], [np.inf, -np.inf, 0.0, 0.0]),
    "two items": ([1, 0], [0.0, 1.0]),
}
