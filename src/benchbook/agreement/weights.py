"""Weights: how much a pair of different categories still counts as agreement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..errors import ParameterError, nearest
from ..ratings import Ratings

NAMED_WEIGHTS = ("unweighted", "linear", "quadratic", "linear-by-value", "quadratic-by-value")

# A matrix typed with a few decimals is symmetric to about this; anything larger is a mistake.
SYMMETRY_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Weights:
    """Checked agreement weights.

    Attributes
    ----------
    name : str
        One of ``NAMED_WEIGHTS``, or ``"custom"``.
    agreement : ndarray of float, shape (q, q)
        Symmetric, 1 on the diagonal, in [0, 1] elsewhere: 1 is full agreement, 0 none.
    """

    name: str
    agreement: np.ndarray

    @property
    def disagreement(self) -> np.ndarray:
        """One minus the agreement weights, shape (q, q); the diagonal is exactly 0."""
        return 1.0 - self.agreement

    @property
    def unweighted(self) -> bool:
        """True when every disagreement counts alike."""
        return self.name == "unweighted"


WeightsLike = str | np.ndarray | list[list[float]] | Weights | None
Given = Literal["agreement", "disagreement"]


def custom_weights(matrix: Any, *, given: Given = "agreement") -> Weights:
    """Check a weight matrix of the caller's own.

    Parameters
    ----------
    matrix : array-like, shape (q, q)
        Rows and columns in the order of the declared categories.
    given : {"agreement", "disagreement"}
        Agreement weights have 1 on the diagonal and lie in [0, 1]. Disagreement weights have 0
        on the diagonal and are not negative; they are divided by their largest value.

    Returns
    -------
    Weights

    Raises
    ------
    ParameterError
        Not square, not finite, not symmetric, wrong diagonal, out of range, or no pair of
        categories that counts as a disagreement.

    References
    ----------
    Cohen J. Weighted kappa. Psychol Bull 1968;70:213-220.
    """
    if given not in ("agreement", "disagreement"):
        raise ParameterError(f"weights are agreement or disagreement weights; found '{given}'.")
    weights = _square(matrix)
    diagonal = 1.0 if given == "agreement" else 0.0
    if (np.diag(weights) != diagonal).any():
        hint = ""
        if given == "agreement" and (np.diag(weights) == 0).all():
            hint = " (for weights of disagreement say given='disagreement')"
        raise ParameterError(f"{given} weights need {diagonal:g} on the whole diagonal{hint}.")
    if given == "disagreement":
        return _from_disagreement(weights)
    if (weights < 0).any() or (weights > 1).any():
        worst = weights[np.unravel_index(np.abs(weights - 0.5).argmax(), weights.shape)]
        raise ParameterError(f"agreement weights lie in [0, 1]; found {worst:g}.")
    if (weights == 1).all():
        raise ParameterError("with every weight 1 no pair of ratings could ever disagree.")
    return Weights("custom", weights)


def resolve_weights(weights: WeightsLike, ratings: Ratings) -> Weights:
    """Return the weights meant by ``weights`` for these ratings.

    Parameters
    ----------
    weights : None, str, array-like or Weights
        None or ``"unweighted"``; ``"linear"`` 1 - |i - j| / (q - 1) and ``"quadratic"``
        1 - (i - j)^2 / (q - 1)^2 on the ranks of the declared levels; the same
        ``"-by-value"`` on numeric categories; or agreement weights of the caller.
    ratings : Ratings
        Nominal or ordinal ratings.

    Raises
    ------
    ParameterError
        Unknown name, a matrix that does not fit the scale, or weights on a scale without a
        declared order.
    """
    q = max(len(ratings.categories or ()), 1)
    if weights is None or (isinstance(weights, str) and weights == "unweighted"):
        return Weights("unweighted", np.eye(q))
    if isinstance(weights, str):
        return _named(weights, ratings)
    chosen = weights if isinstance(weights, Weights) else custom_weights(weights)
    if not ratings.declared and chosen.name == "custom":
        raise ParameterError(
            "a weight matrix needs declared categories: its rows follow their order; found the "
            f"observed labels {', '.join(map(str, ratings.categories or ()))}."
        )
    if chosen.agreement.shape != (q, q):
        size = len(chosen.agreement)
        raise ParameterError(
            f"the weight matrix is {size} x {size} and the scale has {q} categories: "
            + ", ".join(map(str, ratings.categories or ()))
            + "."
        )
    return chosen


def _named(name: str, ratings: Ratings) -> Weights:
    if name not in NAMED_WEIGHTS:
        raise ParameterError(f"unknown weights '{name}'; {nearest(name, NAMED_WEIGHTS)}")
    if ratings.kind != "ordinal":
        raise ParameterError(
            f"{name} weights need ordinal ratings with declared categories, lowest to highest; "
            f"found {ratings.kind} ratings."
        )
    shape, _, by_value = name.partition("-")
    place = _increasing_values(ratings) if by_value else np.arange(float(ratings.n_categories))
    distance = np.abs(place[:, None] - place[None, :]) / abs(place[-1] - place[0])
    return Weights(name, 1.0 - (distance if shape == "linear" else distance**2))


def _increasing_values(ratings: Ratings) -> np.ndarray:
    values = ratings.category_values
    steps = np.diff(values)
    if not ((steps > 0).all() or (steps < 0).all()):
        raise ParameterError(
            "weights by value need category values that rise (or fall) along the scale; found "
            + ", ".join(f"{value:g}" for value in values)
            + "."
        )
    return values


def _square(matrix: Any) -> np.ndarray:
    try:
        weights = np.array(matrix, dtype=float)
    except (TypeError, ValueError):
        raise ParameterError("a weight matrix holds numbers, as many rows as columns.") from None
    if weights.ndim != 2 or weights.shape[0] != weights.shape[1] or len(weights) < 2:
        shape = " x ".join(map(str, weights.shape)) or "a single number"
        raise ParameterError(f"a weight matrix is square, one row per category; found {shape}.")
    if not np.isfinite(weights).all():
        raise ParameterError("a weight matrix holds finite numbers only.")
    if np.abs(weights - weights.T).max() > SYMMETRY_TOLERANCE:
        row, column = np.unravel_index(np.abs(weights - weights.T).argmax(), weights.shape)
        raise ParameterError(
            f"a weight matrix is symmetric; found {weights[row, column]:g} in row {row + 1}, "
            f"column {column + 1} and {weights[column, row]:g} opposite."
        )
    return (weights + weights.T) / 2


def _from_disagreement(weights: np.ndarray) -> Weights:
    if (weights < 0).any():
        raise ParameterError(f"disagreement weights are not negative; found {weights.min():g}.")
    if weights.max() == 0:
        raise ParameterError("with every disagreement weight 0 no pair of ratings could disagree.")
    return Weights("custom", 1.0 - weights / weights.max())
