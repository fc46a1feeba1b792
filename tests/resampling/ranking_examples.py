"""Data for the ranking tests, and the measures written out over explicit rows."""

from __future__ import annotations

import math
import warnings

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

from benchbook.resampling import RankingStatistic, SumsStatistic, resample_many
from benchbook.resampling.ranking import MEASURES

SENSITIVITY = 0.85


def example(kind, n_items=60, n_clusters=9, seed=0):
    """Return scores, labels, clusters and weights (or None) of one awkward kind."""
    generator = np.random.default_rng(seed)
    cluster = generator.integers(0, n_clusters, n_items)
    cluster[:n_clusters] = np.arange(n_clusters)
    positive = generator.random(n_items) < 0.4
    scores = generator.normal(size=n_items) + positive
    weights = None
    if kind == "ties":
        scores = np.round(scores)
    elif kind == "one positive":
        positive = np.arange(n_items) == 7
    elif kind == "one negative":
        positive = np.arange(n_items) != 7
    elif kind == "perfect separation":
        scores = generator.random(n_items) + 2 * positive
    elif kind == "all scores equal":
        scores = np.zeros(n_items)
    elif kind == "no positives":
        positive = np.zeros(n_items, dtype=bool)
    elif kind == "no negatives":
        positive = np.ones(n_items, dtype=bool)
    elif kind == "infinite scores":
        scores = np.where(generator.random(n_items) < 0.2, -np.inf, scores)
    elif kind == "clusters of one":
        cluster = np.arange(n_items)
    elif kind == "two clusters":
        cluster = np.arange(n_items) % 2
    elif kind == "one large cluster":
        cluster = np.maximum(np.arange(n_items) - 50, 0)
    elif kind == "whole weights":
        scores, weights = np.round(2 * scores), generator.integers(0, 4, n_items).astype(float)
    elif kind == "fractional weights":
        scores, weights = np.round(2 * scores), generator.random(n_items)
        weights[::7] = 0
    else:
        assert kind == "plain"
    return scores, positive, cluster, weights


KINDS = (
    "plain",
    "ties",
    "one positive",
    "one negative",
    "perfect separation",
    "all scores equal",
    "no positives",
    "no negatives",
    "infinite scores",
    "clusters of one",
    "two clusters",
    "one large cluster",
    "whole weights",
    "fractional weights",
)


def statistics(scores, positive, weights=None, sensitivity=SENSITIVITY, higher=True):
    """Return one statistic for every measure."""
    return [
        RankingStatistic(
            measure,
            scores,
            positive,
            measure,
            higher_is_positive=higher,
            sensitivity=sensitivity,
            weights=weights,
        )
        for measure in MEASURES
    ]


def counters(cluster):
    """Return statistics whose replicates say how often each cluster was drawn."""
    ids, first = np.unique(cluster, return_index=True)
    indicators = np.zeros((len(cluster), len(ids)))
    indicators[first, np.arange(len(ids))] = 1
    return [
        SumsStatistic(f"{one}", indicators[:, [at]], lambda sums: sums[:, 0], "never")
        for at, one in enumerate(ids)
    ]


def with_counts(these, cluster, **options):
    """Return the distributions, and how often each item entered each resample."""
    counting = counters(cluster)
    together = resample_many([*these, *counting], cluster=cluster, **options)
    drawn = np.column_stack([one.replicates for one in together[len(these) :]])
    of_item = np.unique(cluster, return_inverse=True)[1]
    return together[: len(these)], drawn[:, of_item].astype(int)


def by_hand(scores, positive, weights, sensitivity=SENSITIVITY):
    """Return every measure of explicit rows, high scores positive; areas by scikit-learn."""
    weights = np.ones(len(scores)) if weights is None else weights
    scores, positive, weights = (x[weights > 0] for x in (scores, positive, weights))
    values = dict.fromkeys(MEASURES, math.nan)
    if not positive.any():
        return values
    # scikit-learn refuses infinite scores; their ranks are as good.
    levels, ranks = np.unique(scores, return_inverse=True)
    values["average_precision"] = average_precision_score(positive, ranks, sample_weight=weights)
    total, negatives = weights[positive].sum(), weights[~positive].sum()
    if negatives:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            values["auroc"] = roc_auc_score(positive, ranks, sample_weight=weights)
    for threshold in levels[::-1]:
        alarm = scores >= threshold
        true, false = weights[alarm & positive].sum(), weights[alarm & ~positive].sum()
        if true / total >= sensitivity:
            break
    point = {
        "threshold": threshold if np.isfinite(threshold) else math.nan,
        "sensitivity": true / total,
        "specificity": (negatives - false) / negatives if negatives else math.nan,
        "positive_predictive_value": true / (true + false),
        "alarms": true + false,
        "alarm_rate": (true + false) / (total + negatives),
    }
    return values | {f"{name}_at_sensitivity": value for name, value in point.items()}
