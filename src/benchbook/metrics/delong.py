"""Standard errors of the AUROC without resampling: DeLong's, and Obuchowski's for clusters.

Both are made from the placements of the items, which are in `benchbook.metrics.placements`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..errors import DataError, ParameterError, nearest
from ..estimate import Estimate, undefined
from ..resampling.checks import checked_level
from ..resampling.clusters import cluster_codes
from .inputs import (
    NO_ITEMS,
    NO_NEGATIVES,
    NO_POSITIVES,
    binary_labels,
    check_length,
    direction,
    numbers_of,
)
from .intervals import checked_scale, normal_interval, standard_error
from .placements import Placements, placed

DELONG = "DeLong"
OBUCHOWSKI = "Obuchowski (clustered DeLong)"


@dataclass(frozen=True, eq=False)
class AurocCovariance:
    """AUROCs of one or more models on the same items, and how they vary together.

    Attributes
    ----------
    models : tuple of str
        Names of the models.
    auroc : ndarray of shape (n_models,)
        NaN when undefined.
    covariance : ndarray of shape (n_models, n_models)
        Of the AUROCs; NaN when undefined.
    n_positive, n_negative : int
        Items of each class.
    n_clusters : int
        Clusters; equal to the number of items without clusters.
    unit : str
        What is independent.
    method : str
        Whose variance it is.
    reason : str or None
        Why the AUROC is undefined.
    variance_reason : str or None
        Why the covariance is undefined.
    placements : Placements or None
        What the covariance was computed from, for covariances of differences.
    """

    models: tuple[str, ...]
    auroc: np.ndarray
    covariance: np.ndarray
    n_positive: int
    n_negative: int
    n_clusters: int
    unit: str
    method: str
    reason: str | None = None
    variance_reason: str | None = None
    placements: Placements | None = None

    @property
    def n_items(self) -> int:
        """Number of items."""
        return self.n_positive + self.n_negative

    def estimate(
        self, model: str | None = None, *, level: float = 0.95, scale: str = "plain"
    ) -> Estimate:
        """Return the AUROC of a model with its interval.

        Parameters
        ----------
        model : str, optional
            Its name; may be left out when there is one model only.
        level : float
            Confidence level, in (0, 1).
        scale : {"plain", "logit"}
            See `delong_interval`.
        """
        level, scale = checked_level(level), checked_scale(scale)
        place = place_of(self.models, model)
        facts: dict[str, Any] = {
            "name": "AUROC" if len(self.models) == 1 else f"AUROC of {self.models[place]}",
            "level": level,
            "n_items": self.n_items,
            "n_clusters": self.n_clusters,
            "unit": self.unit,
            "method": f"{self.method}, {scale} scale",
        }
        if self.reason:
            return undefined(self.reason, **facts)
        value = float(self.auroc[place])
        if self.variance_reason:
            return Estimate(value, reason=self.variance_reason, **facts)
        error = standard_error(float(self.covariance[place, place]))
        return normal_interval(value, error, scale=scale, **facts)


def delong_covariance(
    positive: ArrayLike,
    scores: Mapping[str, ArrayLike] | pd.DataFrame | ArrayLike,
    *,
    higher_is_positive: bool,
    cluster: Sequence[Any] | ArrayLike | None = None,
    unit: str = "item",
) -> AurocCovariance:
    """Return the AUROCs of models on the same items and their covariance, in O(n log n).

    Without clusters: DeLong's variance, S10 / m + S01 / n, from mid-ranks (Sun & Xu). With
    clusters: Obuchowski's, in which the placements are summed within clusters and a term for
    positives and negatives of one cluster is added; it equals DeLong's when every cluster has one
    item.

    Parameters
    ----------
    positive : array_like of bool or 0/1, shape (n_items,)
        True where the item has the condition.
    scores : mapping of name to vector, DataFrame, or array_like
        One vector of shape (n_items,) per model: a mapping, the columns of a table, or of an array
        of shape (n_items, n_models). A single vector is one model.
    higher_is_positive : bool
        Whether high scores speak for the condition, in every model. Never inferred.
    cluster : sequence of hashable, optional
        Cluster of each item, such as the patient. A cluster may hold items of both classes.
    unit : str
        Word for what is independent; ``"cluster"`` when clusters are given without a word.

    Returns
    -------
    AurocCovariance
        Undefined, with the reason, when all items are of one class. The AUROC stands without a
        covariance where a class has a single item, or is held by a single cluster.

    Raises
    ------
    DataError
        A missing label, score or cluster, or vectors of different lengths.
    ParameterError
        All items in one cluster, or no direction.

    References
    ----------
    DeLong ER, DeLong DM, Clarke-Pearson DL (1988). Comparing the areas under two or more
    correlated receiver operating characteristic curves. Biometrics 44:837-845. Sun X, Xu W (2014).
    Fast implementation of DeLong's algorithm. IEEE Signal Processing Letters 21:1389-1393.
    Obuchowski NA (1997). Nonparametric analysis of clustered ROC curve data. Biometrics
    53:567-578.
    """
    sign = direction(higher_is_positive)
    labels = binary_labels(positive)
    columns = score_columns(scores, labels.size)
    codes, n_clusters = (None, labels.size)
    if cluster is not None:
        codes, n_clusters = cluster_codes(cluster, labels.size)
        unit = "cluster" if unit == "item" else unit
    n_positive = int(labels.sum())
    k = len(columns)
    facts: dict[str, Any] = {
        "models": tuple(columns),
        "n_positive": n_positive,
        "n_negative": labels.size - n_positive,
        "n_clusters": n_clusters,
        "unit": unit,
        "method": DELONG if codes is None else OBUCHOWSKI,
    }
    nothing = np.full((k, k), np.nan)
    reason = _one_class(n_positive, labels.size - n_positive)
    if reason:
        return AurocCovariance(
            auroc=nothing[0], covariance=nothing, reason=reason, variance_reason=reason, **facts
        )
    auroc, placements = placed(columns, labels, sign, codes, n_clusters)
    reason = _no_variance(labels, codes)
    return AurocCovariance(
        auroc=auroc,
        covariance=nothing if reason else placements.covariance(),
        variance_reason=reason,
        placements=placements,
        **facts,
    )


def delong_interval(
    positive: ArrayLike,
    score: ArrayLike,
    *,
    higher_is_positive: bool,
    cluster: Sequence[Any] | ArrayLike | None = None,
    unit: str = "item",
    level: float = 0.95,
    scale: str = "plain",
) -> Estimate:
    """Return the AUROC of one model with its analytic interval.

    Parameters
    ----------
    positive, score, higher_is_positive, cluster, unit
        See `delong_covariance`.
    level : float
        Confidence level, in (0, 1).
    scale : {"plain", "logit"}
        Plain: AUROC -+ z SE, a bound outside [0, 1] is clipped with a warning. Logit: symmetric
        about logit(AUROC), inside (0, 1) and better near its ends; there is no interval when
        the AUROC is 0 or 1.

    Returns
    -------
    Estimate
        Undefined, with the reason, when all items are of one class; without an interval, with the
        reason, where a class has a single item.
    """
    made = delong_covariance(
        positive, {"score": score}, higher_is_positive=higher_is_positive, cluster=cluster,
        unit=unit,
    )  # fmt: skip
    return made.estimate(level=level, scale=scale)


def score_columns(scores: Any, n_items: int) -> dict[str, np.ndarray]:
    """Return the scores of each model as a vector of float64, checked, keyed by its name."""
    if isinstance(scores, pd.DataFrame):
        named = {str(name): scores.iloc[:, place] for place, name in enumerate(scores.columns)}
        if len(named) < scores.shape[1]:
            raise DataError("two models have the same name", found=", ".join(map(str, scores)))
    elif isinstance(scores, Mapping):
        named = {str(name): values for name, values in scores.items()}
    else:
        table = np.asarray(scores)
        columns = table[:, np.newaxis] if table.ndim == 1 else table
        if columns.ndim != 2:
            raise DataError(
                "the scores are not a table",
                found=f"an array of shape {table.shape}",
                expected="one row per item and one column per model",
            )
        named = {f"model {place + 1}": each for place, each in enumerate(columns.T)}
    if not named:
        raise DataError("there are no scores", expected="the scores of at least one model")
    checked = {name: numbers_of(values, name) for name, values in named.items()}
    for name, values in checked.items():
        check_length(name, values, n_items)
    return checked


def place_of(models: tuple[str, ...], model: str | None) -> int:
    """Return the place of a model by its name; None means the only one."""
    if model is None and len(models) == 1:
        return 0
    if model is None:
        raise ParameterError(f"There are {len(models)} models; name one of {', '.join(models)}.")
    if model not in models:
        raise ParameterError(f"unknown model '{model}'; {nearest(model, models)}")
    return models.index(model)


def _one_class(n_positive: int, n_negative: int) -> str | None:
    if n_positive + n_negative == 0:
        return NO_ITEMS
    if n_positive == 0:
        return NO_POSITIVES
    return NO_NEGATIVES if n_negative == 0 else None


def _no_variance(labels: np.ndarray, codes: np.ndarray | None) -> str | None:
    """Return why there is no variance: a class with one item, or in one cluster."""
    for name, mask in (("positive", labels), ("negative", ~labels)):
        if codes is None and int(mask.sum()) == 1:
            return f"a single {name} has no variance"
        if codes is not None and np.unique(codes[mask]).size == 1:
            return f"all {name}s are in one cluster, which has no variance"
    return None
