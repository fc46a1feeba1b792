"""The six intraclass correlations of Shrout and Fleiss, each with its full name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..errors import ParameterError
from ..resampling import divide

Model = Literal["one-way", "two-way random", "two-way mixed"]
Definition = Literal["agreement", "consistency"]


@dataclass(frozen=True)
class Form:
    """One intraclass correlation.

    Attributes
    ----------
    name : str
        Name in Shrout and Fleiss (1979), the key everywhere: ``"ICC(2,1)"``.
    mcgraw_wong : str
        Name in McGraw and Wong (1996): ``"ICC(A,1)"``.
    model : {"one-way", "two-way random", "two-way mixed"}
        Model of the scores.
    definition : {"agreement", "consistency"}
        Whether a rater who is always higher counts as disagreement.
    average : bool
        True for the mean of the k raters, False for a single rater.
    note : str
        Other coefficients with the same arithmetic.
    """

    name: str
    mcgraw_wong: str
    model: Model
    definition: Definition
    average: bool
    note: str

    @property
    def full_name(self) -> str:
        """The form in words, as it must be reported."""
        effects = "mixed effects" if self.model == "two-way mixed" else "random effects"
        raters = "mean of k raters" if self.average else "single rater"
        meaning = "absolute agreement" if self.definition == "agreement" else "consistency"
        return f"{self.model.split()[0]} {effects}, {raters}, {meaning}"


_ONE_WAY = "raters are not told apart; each item may have its own"
_AGREEMENT = (
    "the same arithmetic serves a fixed panel of raters (McGraw and Wong, two-way mixed, "
    "absolute agreement)"
)
_CONSISTENCY = (
    "the same arithmetic serves raters drawn at random (McGraw and Wong, two-way random, "
    "consistency)"
)

FORMS: dict[str, Form] = {
    form.name: form
    for form in (
        Form("ICC(1,1)", "ICC(1)", "one-way", "agreement", False, _ONE_WAY),
        Form("ICC(2,1)", "ICC(A,1)", "two-way random", "agreement", False, _AGREEMENT),
        Form("ICC(3,1)", "ICC(C,1)", "two-way mixed", "consistency", False, _CONSISTENCY),
        Form("ICC(1,k)", "ICC(k)", "one-way", "agreement", True, _ONE_WAY),
        Form("ICC(2,k)", "ICC(A,k)", "two-way random", "agreement", True, _AGREEMENT),
        Form(
            "ICC(3,k)",
            "ICC(C,k)",
            "two-way mixed",
            "consistency",
            True,
            _CONSISTENCY + "; equals Cronbach's alpha",
        ),
    )
}

_MODELS = {"1": "1", "2": "2", "3": "3", "A": "2", "C": "3"}


def icc_form(name: str) -> Form:
    """Return a form by its name.

    ``"ICC(2,1)"``, ``"2,1"``, ``"ICC2"``, ``"ICC(A,1)"`` and ``"A,1"`` are the same form;
    ``"ICC2k"``, ``"ICC(2,k)"`` and ``"ICC(A,k)"`` are its average.

    Raises
    ------
    ParameterError
        A name that is none of the six.
    """
    text = re.sub(r"^ICC|[\s(),_]", "", str(name).strip().upper())
    if text == "K":
        text = "1K"
    model, unit = _MODELS.get(text[:1]), text[1:]
    if model is None or unit not in ("", "1", "K"):
        raise ParameterError(f"unknown ICC form '{name}'; known: {', '.join(FORMS)}.")
    return FORMS[f"ICC({model},{'k' if unit == 'K' else '1'})"]


def from_mean_squares(
    form: Form,
    *,
    items: np.ndarray | float,
    raters: np.ndarray | float,
    error: np.ndarray | float,
    within: np.ndarray | float,
    n: np.ndarray | float,
    k: int,
) -> np.ndarray:
    """Return an intraclass correlation from mean squares, elementwise.

    Parameters
    ----------
    form : Form
        Which of the six.
    items, raters, error, within : array-like of float, shape (m,) or scalar
        Mean squares between items, between raters, residual, and within items.
    n : array-like or scalar
        Number of items.
    k : int
        Number of raters.

    Returns
    -------
    ndarray of float, shape (m,)
        NaN where numerator and denominator vanish, or only the denominator.

    References
    ----------
    Shrout PE, Fleiss JL (1979). Psychological Bulletin 86:420-428, equations 1-6.
    """
    noise = np.asarray(within if form.model == "one-way" else error, dtype=float)
    between = np.asarray(items, dtype=float)
    shift = np.zeros_like(noise)
    if form.model == "two-way random":
        shift = divide(np.asarray(raters, dtype=float) - noise, np.asarray(n, dtype=float))
    denominator = between + shift
    if not form.average:
        denominator = between + (k - 1) * noise + k * shift
    return divide(between - noise, denominator)
