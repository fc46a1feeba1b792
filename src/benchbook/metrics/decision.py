"""Net benefit: true alarms less false ones at the price a threshold probability implies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ParameterError
from ..estimate import Estimate, undefined
from .curves import ranked_counts
from .inputs import NO_ITEMS, probabilities, share_between
from .intervals import about


@dataclass(frozen=True, eq=False)
class DecisionCurve:
    """Net benefit over a range of threshold probabilities.

    Attributes
    ----------
    threshold : ndarray of shape (n_thresholds,)
        Threshold probabilities, in (0, 1).
    net_benefit : ndarray of shape (n_thresholds,)
        Of acting where the probability is at least the threshold, per item; NaN when undefined.
    treat_all : ndarray of shape (n_thresholds,)
        Of acting on every item. Acting on none has net benefit 0.
    prevalence : float
        Share of positives: the largest possible net benefit.
    n_items : int
        Items of positive weight.
    reason : str or None
        Why it is undefined.
    """

    threshold: np.ndarray
    net_benefit: np.ndarray
    treat_all: np.ndarray
    prevalence: float
    n_items: int
    reason: str | None = None


def net_benefit(
    positive: ArrayLike,
    probability: ArrayLike,
    threshold: float,
    weight: ArrayLike | None = None,
) -> Estimate:
    """Return the net benefit at one threshold probability.

    NB = TP / n - FP / n x t / (1 - t), acting where the probability is at least t. In units of
    true positives per item; below 0 the model does more harm than acting on nobody.

    Parameters
    ----------
    positive : array_like of bool or 0/1, shape (n_items,)
        True where the item has the condition.
    probability : array_like of shape (n_items,)
        Predicted probability of the condition, in [0, 1].
    threshold : float
        Threshold probability t, in (0, 1).
    weight : array_like of shape (n_items,), optional
        Weights of at least 0.

    References
    ----------
    Vickers AJ, Elkin EB (2006). Decision curve analysis: a novel method for evaluating prediction
    models. Medical Decision Making 26:565-574.
    """
    chosen = share_between("threshold", threshold, open_high=True)
    curve = decision_curve(positive, probability, [chosen], weight)
    facts = about(f"net benefit at {chosen:g}", curve.n_items)
    if curve.reason:
        return undefined(curve.reason, **facts)
    return Estimate(float(curve.net_benefit[0]), **facts)


def decision_curve(
    positive: ArrayLike,
    probability: ArrayLike,
    thresholds: ArrayLike,
    weight: ArrayLike | None = None,
) -> DecisionCurve:
    """Return the net benefit of a model, and of acting on everybody, at several thresholds.

    Parameters
    ----------
    positive, probability, weight
        See `net_benefit`.
    thresholds : array_like of shape (n_thresholds,)
        Threshold probabilities, each in (0, 1).

    Returns
    -------
    DecisionCurve
    """
    data = probabilities(positive, probability, weight)
    chosen = checked_thresholds(thresholds)
    odds = chosen / (1 - chosen)
    if data.n_items == 0:
        nothing = np.full(chosen.size, np.nan)
        return DecisionCurve(chosen, nothing, nothing, np.nan, 0, NO_ITEMS)
    counts = ranked_counts(data.positive, data.score, data.weight, higher_is_positive=True)
    total = counts.n_positive + counts.n_negative
    true, false = counts.counts_at(chosen)
    return DecisionCurve(
        threshold=chosen,
        net_benefit=(true - false * odds) / total,
        treat_all=(counts.n_positive - counts.n_negative * odds) / total,
        prevalence=counts.n_positive / total,
        n_items=counts.n_items,
    )


def checked_thresholds(thresholds: ArrayLike) -> np.ndarray:
    """Return threshold probabilities as a vector, each strictly between 0 and 1."""
    chosen = np.atleast_1d(np.asarray(thresholds, dtype=np.float64))
    outside = ~((chosen > 0) & (chosen < 1))
    if chosen.ndim != 1 or outside.any():
        found = chosen[outside][0] if outside.any() else f"shape {chosen.shape}"
        raise ParameterError(
            f"thresholds hold {found}; expected probabilities strictly between 0 and 1."
        )
    return chosen
