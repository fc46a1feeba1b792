"""Calibration slope and intercept: logistic regression of the outcome on the predicted logit."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from ..errors import ParameterError
from ..estimate import Estimate, undefined
from ..resampling.checks import checked_level
from .inputs import NO_ITEMS, NO_NEGATIVES, NO_POSITIVES, Scored, probabilities
from .intervals import about, normal_interval

MOST_STEPS = 200
LONGEST_STEP = 20.0  # a logit moves further only from where the likelihood is all but flat
SHORTEST_STEP = 1e-13  # relative to the coefficients: the rounding of the last digits
ROUNDING = 1e-9  # relative loss of likelihood that is rounding, not a step too far
SEPARATED = (
    "one threshold separates the outcomes, so the likelihood has no maximum and the slope no "
    "finite estimate"
)
NO_MAXIMUM = "the likelihood is too flat for its maximum to be found"
CONSTANT = "the probabilities do not vary, so there is no slope"
WALD = "Wald, maximum likelihood"


@dataclass(frozen=True)
class Recalibration:
    """How predicted probabilities would have to be moved to fit the outcomes.

    Attributes
    ----------
    in_the_large : Estimate
        Intercept a of logit P(y = 1) = a + logit(p): 0 is best, above 0 the predictions are too
        low on average.
    slope, intercept : Estimate
        b and a of logit P(y = 1) = a + b logit(p), fitted together. Slope 1 is best, below 1 the
        predictions are too extreme. This intercept is the value at p = 0.5, not the average shift.
    n_clipped : int
        Probabilities of 0 or 1 that were moved to ``clip`` or 1 - ``clip``.
    """

    in_the_large: Estimate
    slope: Estimate
    intercept: Estimate
    n_clipped: int


def recalibration(
    positive: ArrayLike,
    probability: ArrayLike,
    weight: ArrayLike | None = None,
    *,
    level: float = 0.95,
    clip: float | None = None,
) -> Recalibration:
    """Return calibration-in-the-large, and calibration slope and intercept, with Wald intervals.

    Parameters
    ----------
    positive : array_like of bool or 0/1, shape (n_items,)
        True where the item has the condition.
    probability : array_like of shape (n_items,)
        Predicted probability of the condition, in [0, 1].
    weight : array_like of shape (n_items,), optional
        Weights of at least 0. The intervals take a weight as a number of equal, independent items.
    level : float
        Confidence level, in (0, 1).
    clip : float, optional
        In (0, 0.5): probabilities nearer to 0 or 1 than this are moved there, and counted. Without
        it a probability of 0 or 1, whose logit is infinite, leaves everything undefined.

    Returns
    -------
    Recalibration
        Each part undefined, with the reason, where it has no value: one class only, probabilities
        that do not vary, or outcomes that a threshold separates.

    References
    ----------
    Cox DR (1958). Two further applications of a model for binary regression. Biometrika
    45:562-565. Van Calster B et al. (2019). Calibration: the Achilles heel of predictive
    analytics. BMC Medicine 17:230.
    """
    level = checked_level(level)
    data = probabilities(positive, probability, weight)
    chances, n_clipped = _clipped(data.score, clip)
    x = np.full(chances.size, np.nan)
    inside = (chances > 0) & (chances < 1)
    x[inside] = logit(chances[inside])
    reason = _one_class(data) or _infinite(inside)
    large = _fit(data, np.ones((x.size, 1)), x, reason)
    both_reason = reason or _no_slope(data.positive, x)
    both = _fit(data, np.column_stack([np.ones(x.size), x]), np.zeros(x.size), both_reason)
    return Recalibration(
        _estimate(large, 0, **about("calibration-in-the-large", data.n_items, level=level)),
        _estimate(both, 1, **about("calibration slope", data.n_items, level=level)),
        _estimate(both, 0, **about("calibration intercept", data.n_items, level=level)),
        n_clipped,
    )


@dataclass(frozen=True)
class _Fit:
    coefficients: np.ndarray
    covariance: np.ndarray
    reason: str | None


def _fit(data: Scored, design: np.ndarray, offset: np.ndarray, reason: str | None) -> _Fit:
    """Maximise the likelihood, or say why it cannot be done."""
    width = design.shape[1]
    nothing = np.full(width, np.nan), np.full((width, width), np.nan)
    if reason:
        return _Fit(*nothing, reason)
    weight = np.ones(data.n_items) if data.weight is None else data.weight
    try:
        return _newton(data.positive.astype(np.float64), weight, design, offset)
    except np.linalg.LinAlgError:
        return _Fit(*nothing, NO_MAXIMUM)


def _newton(
    outcome: np.ndarray, weight: np.ndarray, design: np.ndarray, offset: np.ndarray
) -> _Fit:
    """Climb the log-likelihood, which has one summit, with shortened steps where they overshoot."""
    beta = np.zeros(design.shape[1])
    best = -math.inf
    for _ in range(MOST_STEPS):
        chance = expit(design @ beta + offset)
        information = (design.T * (weight * chance * (1 - chance))) @ design
        step = np.linalg.solve(information, design.T @ (weight * (outcome - chance)))
        step *= min(1.0, LONGEST_STEP / max(float(np.abs(step).max()), LONGEST_STEP))
        start = best
        while True:
            best = _log_likelihood(design @ (beta + step) + offset, outcome, weight)
            if best >= start - ROUNDING * abs(start) or np.abs(step).max() < SHORTEST_STEP:
                break
            step /= 2
        beta = beta + step
        if np.abs(step).max() <= SHORTEST_STEP * max(1.0, float(np.abs(beta).max())):
            # The step that is too short to matter was taken with the information at its start.
            return _Fit(beta, np.linalg.inv(information), None)
    raise np.linalg.LinAlgError


def _log_likelihood(eta: np.ndarray, outcome: np.ndarray, weight: np.ndarray) -> float:
    return float(weight @ (outcome * eta - np.logaddexp(0, eta)))


def _estimate(fit: _Fit, place: int, **facts: Any) -> Estimate:
    if fit.reason:
        return undefined(fit.reason, **facts)
    error = math.sqrt(fit.covariance[place, place])
    return normal_interval(
        float(fit.coefficients[place]), error, method=WALD, bounds=(-math.inf, math.inf), **facts
    )  # fmt: skip


def _clipped(chances: np.ndarray, clip: float | None) -> tuple[np.ndarray, int]:
    if clip is None:
        return chances, 0
    if isinstance(clip, bool | str) or not 0 < clip < 0.5:
        raise ParameterError(f"clip is {clip!r}; expected a number between 0 and 0.5, or None.")
    moved = np.clip(chances, clip, 1 - clip)
    return moved, int((moved != chances).sum())


def _one_class(data: Scored) -> str | None:
    if data.n_items == 0:
        return NO_ITEMS
    if not data.positive.any():
        return NO_POSITIVES
    return NO_NEGATIVES if data.positive.all() else None


def _infinite(inside: np.ndarray) -> str | None:
    if inside.all():
        return None
    return (
        f"{int((~inside).sum())} of {inside.size} probabilities are 0 or 1 and have no finite "
        "logit; a clip can be given"
    )


def _no_slope(positive: np.ndarray, x: np.ndarray) -> str | None:
    """Return why there is no slope: no variation, or (quasi-)complete separation."""
    if x.min() == x.max():
        return CONSTANT
    above, below = x[positive], x[~positive]
    apart = below.max() <= above.min() or above.max() <= below.min()
    return SEPARATED if apart else None
