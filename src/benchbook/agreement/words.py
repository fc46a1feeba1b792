"""Words for a coefficient, and the verdict on an answer key made by people."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from ..errors import ParameterError
from ..estimate import Estimate

# Upper bounds, each inclusive; the printed bands leave 0.205 open, and it is above 0.20.
LANDIS_KOCH: tuple[tuple[float, str], ...] = (
    (0.20, "slight"),
    (0.40, "fair"),
    (0.60, "moderate"),
    (0.80, "substantial"),
    (1.00, "almost perfect"),
)

# Rounding in the last digits of a computed coefficient must not decide on a word.
ROUNDING = 1e-12

Decision = Literal["accepted", "conditional", "redesign", "undefined"]
SENTENCES: dict[str, str] = {
    "accepted": "accepted as a gold standard",
    "conditional": "accepted on the condition that a further consensus process is documented",
    "redesign": "not accepted: the gold standard should be redesigned",
    "undefined": "no verdict",
}


@dataclass(frozen=True)
class Verdict:
    """Whether agreement is good enough for a gold standard.

    Attributes
    ----------
    on_value : {"accepted", "conditional", "redesign", "undefined"}
        Verdict on the coefficient.
    on_lower_bound : {"accepted", "conditional", "redesign", "undefined"}
        The same on the lower bound of its interval, the cautious reading.
    text : str
        Both in words, with the numbers and the thresholds.
    accept, conditional : float
        The thresholds, in [-1, 1].
    """

    on_value: Decision
    on_lower_bound: Decision
    text: str
    accept: float
    conditional: float


def landis_koch(value: float) -> str:
    """Return Landis and Koch's word for a coefficient.

    Parameters
    ----------
    value : float
        At most 1; NaN gives ``"undefined"``.

    Returns
    -------
    str
        Below 0 poor; up to and including 0.20 slight, 0.40 fair, 0.60 moderate, 0.80
        substantial, 1 almost perfect.

    Raises
    ------
    ParameterError
        Above 1.

    References
    ----------
    Landis JR, Koch GG. The measurement of observer agreement for categorical data. Biometrics
    1977;33:159-174.
    """
    value = float(value)
    if math.isnan(value):
        return "undefined"
    if value < -ROUNDING:
        return "poor"
    for upper, word in LANDIS_KOCH:
        if value <= upper + ROUNDING:
            return word
    raise ParameterError(f"an agreement coefficient is at most 1; found {value:g}.")


def verdict(estimate: Estimate | float, accept: float = 0.70, conditional: float = 0.61) -> Verdict:
    """Return the verdict on a gold standard from its agreement.

    Parameters
    ----------
    estimate : Estimate or float
        Kappa, with its interval when there is one.
    accept, conditional : float
        From ``accept`` on the gold standard is accepted; from ``conditional`` on a further
        consensus process must be documented; below, it should be redesigned.

    Returns
    -------
    Verdict

    Raises
    ------
    ParameterError
        ``conditional`` above ``accept``, or a threshold outside [-1, 1].
    """
    for name, threshold in (("accept", accept), ("conditional", conditional)):
        if isinstance(threshold, bool) or not -1 <= threshold <= 1:
            raise ParameterError(f"threshold {name} lies between -1 and 1; found {threshold!r}.")
    if conditional > accept:
        raise ParameterError(
            f"the threshold for conditional acceptance ({conditional:g}) must not exceed the one "
            f"for acceptance ({accept:g})."
        )
    made = estimate if isinstance(estimate, Estimate) else _bare(float(estimate))
    on_value = _decide(made.value, accept, conditional)
    on_bound = _decide(made.low, accept, conditional)
    return Verdict(
        on_value,
        on_bound,
        _text(made, on_value, on_bound, accept, conditional),
        accept,
        conditional,
    )


def _bare(value: float) -> Estimate:
    return Estimate(value=value, reason="no value was given" if math.isnan(value) else None)


def _decide(value: float, accept: float, conditional: float) -> Decision:
    if math.isnan(value):
        return "undefined"
    if value >= accept - ROUNDING:
        return "accepted"
    return "conditional" if value >= conditional - ROUNDING else "redesign"


def _text(
    estimate: Estimate, on_value: Decision, on_bound: Decision, accept: float, conditional: float
) -> str:
    name = estimate.name or "the coefficient"
    rule = f"accepted from {accept:g}, conditional from {conditional:g}"
    if on_value == "undefined":
        return f"No verdict: {name} is undefined ({estimate.reason})."
    text = f"{name[0].upper()}{name[1:]} {estimate.value:.3f}: {SENTENCES[on_value]} ({rule}). "
    if on_bound == "undefined":
        return text + "There is no interval, so no verdict on its lower bound."
    bound = f"the lower bound {estimate.low:.3f} of the {100 * estimate.level:g} % interval"
    if on_bound == on_value:
        return text + f"The verdict on {bound} is the same."
    return text + f"On {bound}: {SENTENCES[on_bound]}."
