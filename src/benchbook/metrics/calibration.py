"""Probabilities against outcomes: Brier score and its parts, reliability, calibration error."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ParameterError, nearest
from ..estimate import Estimate, undefined
from ..resampling import divide
from ..resampling.checks import checked_level
from .bins import ProbabilityBins, probability_bins
from .inputs import NO_ITEMS, Scored, probabilities
from .intervals import about

NORMS = ("l1", "l2", "max")


def brier_score(
    positive: ArrayLike, probability: ArrayLike, weight: ArrayLike | None = None
) -> Estimate:
    """Return the mean squared difference between probability and outcome.

    In [0, 1], 0 for a perfect forecast; p (1 - p) for the constant forecast of the prevalence p.

    Parameters
    ----------
    positive : array_like of bool or 0/1, shape (n_items,)
        True where the item has the condition.
    probability : array_like of shape (n_items,)
        Predicted probability of the condition, in [0, 1].
    weight : array_like of shape (n_items,), optional
        Weights of at least 0.

    Raises
    ------
    DataError
        A missing label, a probability outside [0, 1], or vectors of different lengths.

    References
    ----------
    Brier GW (1950). Verification of forecasts expressed in terms of probability. Monthly Weather
    Review 78:1-3.
    """
    data = probabilities(positive, probability, weight)
    facts = about("Brier score", data.n_items)
    if data.n_items == 0:
        return undefined(NO_ITEMS, **facts)
    squares = (data.score - data.positive) ** 2
    return Estimate(float(np.average(squares, weights=data.weight)), **facts)


@dataclass(frozen=True)
class BrierParts:
    """Murphy's decomposition: score = reliability - resolution + uncertainty + within bins.

    Attributes
    ----------
    score : float
        The Brier score, in [0, 1]; NaN when undefined, like all of them.
    reliability : float
        Weighted mean squared distance between each bin's mean probability and its share of
        positives; 0 is best.
    resolution : float
        Weighted mean squared distance between each bin's share of positives and the prevalence;
        higher is better.
    uncertainty : float
        p (1 - p) with the prevalence p.
    within_bins : float
        Variance of the probabilities within bins, less twice their covariance with the outcome
        there; 0 when every distinct probability is a bin of its own.
    skill : float
        1 - score / uncertainty; NaN with one class.
    n_bins : int
        Bins that are not empty.
    binning : str
        How the bins were made.
    reason : str or None
        Why there is no decomposition.
    """

    score: float
    reliability: float
    resolution: float
    uncertainty: float
    within_bins: float
    skill: float
    n_bins: int
    binning: str
    reason: str | None = None


def brier_decomposition(
    positive: ArrayLike,
    probability: ArrayLike,
    weight: ArrayLike | None = None,
    *,
    bins: ProbabilityBins | None = None,
) -> BrierParts:
    """Split the Brier score into reliability, resolution and uncertainty.

    Parameters
    ----------
    positive, probability, weight
        See `brier_score`.
    bins : ProbabilityBins, optional
        From `probability_bins`. By default every distinct probability is a bin, which makes
        Murphy's three parts add up exactly but says little when all probabilities differ.

    References
    ----------
    Murphy AH (1973). A new vector partition of the probability score. Journal of Applied
    Meteorology 12:595-600. Stephenson DB, Coelho CAS, Jolliffe IT (2008). Two extra components in
    the Brier score decomposition. Weather and Forecasting 23:752-757.
    """
    data = probabilities(positive, probability, weight)
    binning = "distinct probabilities" if bins is None else bins.description
    if data.n_items == 0:
        return BrierParts(*(math.nan,) * 6, 0, binning, NO_ITEMS)
    place = np.unique(data.score, return_inverse=True)[1] if bins is None else bins.of(data.score)
    weights, chances, outcomes = _bin_sums(data, place)
    kept = weights > 0
    weights, total = weights[kept], float(weights.sum())
    forecast, share = chances[kept] / weights, outcomes[kept] / weights
    prevalence = float(outcomes.sum()) / total
    score = float(np.average((data.score - data.positive) ** 2, weights=data.weight))
    reliability = float(weights @ (forecast - share) ** 2) / total
    resolution = float(weights @ (share - prevalence) ** 2) / total
    uncertainty = prevalence * (1 - prevalence)
    within = 0.0 if bins is None else score - reliability + resolution - uncertainty
    skill = 1 - score / uncertainty if uncertainty > 0 else math.nan
    return BrierParts(
        score, reliability, resolution, uncertainty, within, skill, int(kept.sum()), binning
    )


@dataclass(frozen=True, eq=False)
class ReliabilityCurve:
    """Share of positives against mean probability, bin by bin; empty bins are left out.

    Attributes
    ----------
    mean_probability, share : ndarray of shape (n_used,)
        Mean predicted probability, and share of positives, of each bin that is not empty.
    low, high : ndarray of shape (n_used,)
        Wilson bounds of the share, for independent items; NaN for weighted ones.
    weight : ndarray of shape (n_used,)
        Items in the bin: count, or sum of weights.
    left, right : ndarray of shape (n_used,)
        Edges of the bins.
    level : float
        Confidence level of each bin's interval.
    binning : str
        How the bins were made.
    """

    mean_probability: np.ndarray
    share: np.ndarray
    low: np.ndarray
    high: np.ndarray
    weight: np.ndarray
    left: np.ndarray
    right: np.ndarray
    level: float
    binning: str


def reliability_curve(
    positive: ArrayLike,
    probability: ArrayLike,
    weight: ArrayLike | None = None,
    *,
    n_bins: int,
    strategy: str,
    level: float = 0.95,
) -> ReliabilityCurve:
    """Return the points of the reliability (calibration) curve.

    Parameters
    ----------
    positive, probability, weight
        See `brier_score`.
    n_bins, strategy
        See `probability_bins`.
    level : float
        Confidence level of each bin's interval, in (0, 1).
    """
    level = checked_level(level)
    data = probabilities(positive, probability, weight)
    bins = probability_bins(n_bins, strategy, data.score)
    weights, chances, outcomes = _bin_sums(data, bins.of(data.score), bins.n_bins)
    kept = weights > 0
    weights, outcomes = weights[kept], outcomes[kept]
    low = high = np.full(weights.size, np.nan)
    if data.weight is None and weights.size:
        low, high = _wilson(outcomes, weights, level)
    return ReliabilityCurve(
        chances[kept] / weights, outcomes / weights, low, high, weights,
        bins.edges[:-1][kept], bins.edges[1:][kept], level, bins.description,
    )  # fmt: skip


def expected_calibration_error(
    positive: ArrayLike,
    probability: ArrayLike,
    weight: ArrayLike | None = None,
    *,
    n_bins: int,
    strategy: str,
    norm: str = "l1",
) -> Estimate:
    """Return the distance between the reliability curve and the diagonal.

    It depends on the bins, and is above 0 for a perfectly calibrated model on a finite sample, the
    more so the more bins. Read it beside `reliability_curve` and `brier_decomposition`.

    Parameters
    ----------
    positive, probability, weight
        See `brier_score`.
    n_bins, strategy
        See `probability_bins`; neither has a default.
    norm : {"l1", "l2", "max"}
        Weighted mean of the absolute differences (the usual one), root of the weighted mean of
        their squares, or the largest of them.

    References
    ----------
    Naeini MP, Cooper GF, Hauskrecht M (2015). Obtaining well calibrated probabilities using
    Bayesian binning. AAAI 2901-2907.
    """
    if norm not in NORMS:
        raise ParameterError(f"norm is {norm!r}; {nearest(str(norm), NORMS)}")
    data = probabilities(positive, probability, weight)
    bins = probability_bins(n_bins, strategy, data.score)
    name = f"calibration error ({norm}, {bins.description})"
    facts = about(name, data.n_items)
    if data.n_items == 0:
        return undefined(NO_ITEMS, **facts)
    weights, chances, outcomes = _bin_sums(data, bins.of(data.score), bins.n_bins)
    apart = np.abs(chances - outcomes)
    total = float(weights.sum())
    value = {
        "l1": lambda: float(apart.sum()) / total,
        "l2": lambda: math.sqrt(float(np.nansum(divide(apart**2, weights))) / total),
        "max": lambda: float(np.nanmax(divide(apart, weights))),
    }[norm]()
    return Estimate(value, **facts)


def _bin_sums(
    data: Scored, place: np.ndarray, n_bins: int = 0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return per bin the sums of weight, weight x probability and weight x outcome."""
    weight = np.ones(data.n_items) if data.weight is None else data.weight
    parts = (weight, weight * data.score, weight * data.positive)
    sums = [np.bincount(place, weights=part, minlength=n_bins) for part in parts]
    return sums[0], sums[1], sums[2]


def _wilson(successes: np.ndarray, n: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
    from .proportions import proportion

    made = [proportion(x, size, level=level) for x, size in zip(successes, n, strict=True)]
    return np.array([one.low for one in made]), np.array([one.high for one in made])
