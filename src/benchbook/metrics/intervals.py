"""From a value and its standard error to an interval inside the value's range."""

from __future__ import annotations

import math
from typing import Any

from scipy.special import expit, ndtr, ndtri

from ..errors import ParameterError, nearest
from ..estimate import Estimate

SCALES = ("plain", "logit")
SMALLEST_ERROR = 1e-15  # a standard error of shares below this is the rounding of one that is 0
NOT_CERTAINTY = "the standard error is 0; that is not certainty"


def about(name: str, n_items: int, **more: Any) -> dict[str, Any]:
    """Return what an estimate says beside its value, for items that are their own clusters."""
    return {"name": name, "n_items": n_items, "n_clusters": n_items, **more}


def standard_error(variance: float) -> float:
    """Return the root of a variance of shares; one that is only rounding is 0."""
    error = math.sqrt(max(variance, 0.0))
    return 0.0 if error < SMALLEST_ERROR else error


def normal_quantile(level: float) -> float:
    """Return the standard normal quantile of a two-sided interval."""
    return float(ndtri((1 + level) / 2))


def two_sided_p(z: float) -> float:
    """Return the two-sided normal p-value; NaN for an undefined z."""
    return math.nan if math.isnan(z) else float(2 * ndtr(-abs(z)))


def checked_scale(scale: Any) -> str:
    """Return the name of the scale on which an interval is symmetric."""
    if scale not in SCALES:
        raise ParameterError(f"scale is {scale!r}; {nearest(scale, SCALES)}")
    return str(scale)


def normal_interval(
    value: float,
    standard_error: float,
    *,
    level: float,
    scale: str = "plain",
    bounds: tuple[float, float] = (0.0, 1.0),
    **fields: Any,
) -> Estimate:
    """Return value and interval, symmetric on the plain or on the logit scale.

    Parameters
    ----------
    value, standard_error : float
        Both defined; the standard error is that of the value itself.
    level : float
        Confidence level, in (0, 1).
    scale : {"plain", "logit"}
        Plain bounds that leave ``bounds`` are clipped, with a warning. Logit bounds cannot leave
        (0, 1): expit(logit(v) -+ z SE / (v (1 - v))).
    bounds : tuple of float
        Smallest and largest possible value.
    **fields
        The other fields of the estimate.
    """
    notes = list(fields.pop("warnings", ()))
    common = {"value": value, "level": level, "standard_error": standard_error, **fields}
    if standard_error == 0:
        notes.append(NOT_CERTAINTY)
    if scale == "logit" and value in (0.0, 1.0):
        reason = f"the logit of {value:g} is infinite"
        return Estimate(**common, reason=reason, warnings=tuple(notes))
    half = normal_quantile(level) * standard_error
    if scale == "logit":
        centre, half = math.log(value / (1 - value)), half / (value * (1 - value))
        low, high = float(expit(centre - half)), float(expit(centre + half))
        # Rounding of logit and expit must not move a bound across the value.
        low, high = min(low, value), max(high, value)
    else:
        low, high = _clipped(value - half, value + half, bounds, notes)
    return Estimate(**common, low=low, high=high, warnings=tuple(notes))


def _clipped(
    low: float, high: float, bounds: tuple[float, float], notes: list[str]
) -> tuple[float, float]:
    if low < bounds[0]:
        notes.append(f"lower bound clipped from {low:.4g} to {bounds[0]:g}")
    if high > bounds[1]:
        notes.append(f"upper bound clipped from {high:.4g} to {bounds[1]:g}")
    return max(low, bounds[0]), min(high, bounds[1])
