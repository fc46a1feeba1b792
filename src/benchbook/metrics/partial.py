"""The area under a part of the ROC curve."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ParameterError, nearest
from ..estimate import Estimate, undefined
from .curves import ranked_counts
from .inputs import share_between
from .intervals import about

AXES = ("specificity", "sensitivity")


def partial_auroc(
    positive: ArrayLike,
    score: ArrayLike,
    weight: ArrayLike | None = None,
    *,
    higher_is_positive: bool,
    axis: str,
    between: tuple[float, float],
    standardised: bool,
) -> Estimate:
    """Return the area under the part of the ROC curve that matters.

    Parameters
    ----------
    positive, score, weight, higher_is_positive
        See `ranked_counts`.
    axis : {"specificity", "sensitivity"}
        Whether the range is one of specificity (area of sensitivity over it) or of sensitivity
        (area of specificity over it).
    between : tuple of float
        Smallest and largest value on that axis, in [0, 1].
    standardised : bool
        False for the raw area, between 0 and the width of the range; True for McClish's
        rescaling, (1 + (A - min) / (max - min)) / 2 with min the area of the diagonal and max the
        width, which is 0.5 for a score that tells nothing and 1 for a perfect one.

    Returns
    -------
    Estimate
        Undefined, with the reason, when all items are of one class.

    Raises
    ------
    ParameterError
        An unknown axis, or bounds that are not two rising numbers in [0, 1].

    References
    ----------
    McClish DK (1989). Analyzing a portion of the ROC curve. Medical Decision Making 9:190-195.
    """
    low, high = _range(axis, between)
    counts = ranked_counts(positive, score, weight, higher_is_positive=higher_is_positive)
    form = "standardised" if standardised else "raw"
    name = f"partial AUROC, {axis} {low:g} to {high:g}, {form}"
    facts = about(name, counts.n_items)
    reason = counts.one_class()
    if reason:
        return undefined(reason, **facts)
    rate, sensitivity = counts.roc_path()
    if axis == "sensitivity":
        # Seen from the other class, the curve has specificity over the share of positives missed.
        rate, sensitivity = 1 - sensitivity[::-1], 1 - rate[::-1]
    area = _area(rate, sensitivity, 1 - high, 1 - low)
    if not standardised:
        return Estimate(area, **facts)
    width = high - low
    diagonal = width * (2 - low - high) / 2
    return Estimate((1 + (area - diagonal) / (width - diagonal)) / 2, **facts)


def _range(axis: str, between: tuple[float, float]) -> tuple[float, float]:
    if axis not in AXES:
        raise ParameterError(f"axis is {axis!r}; {nearest(axis, AXES)}")
    if not isinstance(between, tuple | list) or len(between) != 2:
        raise ParameterError(f"between is {between!r}; expected two numbers, such as (0.9, 1).")
    low, high = (share_between("between", one, open_low=False) for one in between)
    if low >= high:
        raise ParameterError(f"between is {between!r}; expected the smaller number first.")
    return low, high


def _area(x: np.ndarray, y: np.ndarray, low: float, high: float) -> float:
    """Return the area under a rising path between two abscissas, straight between its points."""
    inside = (x > low) & (x < high)
    ends = _at(x, y, low, side="right"), _at(x, y, high, side="left")
    path_x = np.concatenate([[low], x[inside], [high]])
    path_y = np.concatenate([[ends[0]], y[inside], [ends[1]]])
    return float(np.trapezoid(path_y, path_x))


def _at(x: np.ndarray, y: np.ndarray, place: float, side: str) -> float:
    """Return the height of the path; where it rises straight up, at its top or its foot."""
    if side == "right":
        after = int(np.searchsorted(x, place, side="right"))
        if x[after - 1] == place:
            return float(y[after - 1])
    else:
        after = int(np.searchsorted(x, place, side="left"))
        if x[after] == place:
            return float(y[after])
    share = (place - x[after - 1]) / (x[after] - x[after - 1])
    return float(y[after - 1] + share * (y[after] - y[after - 1]))
