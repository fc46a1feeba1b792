"""Variance components, and the intraclass correlations they make."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from ..errors import ParameterError
from .forms import icc_form


@dataclass(frozen=True)
class VarianceComponents:
    """What the variance of a score is made of.

    Attributes
    ----------
    items : float
        Variance between items (squared units of the score).
    raters : float or None
        Variance between raters; None in a one-way analysis, where it is part of the error.
    error : float
        What remains, the item-by-rater interaction included.
    method : str
        ``"two-way ANOVA"``, ``"one-way ANOVA"`` or ``"REML"``.
    """

    items: float
    raters: float | None
    error: float
    method: str

    @property
    def parts(self) -> dict[str, float]:
        """The components by name, in the order items, raters, error."""
        between = {} if self.raters is None else {"raters": self.raters}
        return {"items": self.items, **between, "error": self.error}

    @property
    def negative(self) -> tuple[str, ...]:
        """Names of the components estimated below zero (ANOVA only)."""
        return tuple(name for name, value in self.parts.items() if value < 0)

    @property
    def zero(self) -> tuple[str, ...]:
        """Names of the components that are exactly zero."""
        return tuple(name for name, value in self.parts.items() if value == 0)

    @property
    def total(self) -> float:
        """Variance of one score of one rater on one item."""
        return sum(self.parts.values())

    def truncated(self) -> VarianceComponents:
        """Return the components with negative ones set to zero (NaN stays NaN)."""
        kept = {name: 0.0 if value < 0 else value for name, value in self.parts.items()}
        return replace(self, items=kept["items"], raters=kept.get("raters"), error=kept["error"])

    def icc(self, form: str, k: float = 1.0) -> float:
        """Return the intraclass correlation of a form; NaN when the variance it needs is zero.

        Parameters
        ----------
        form : str
            For instance ``"ICC(2,1)"``. One-way forms need one-way components and two-way forms
            two-way ones.
        k : float
            Raters averaged, in the forms for a mean.
        """
        chosen = icc_form(form)
        if (self.raters is None) != (chosen.model == "one-way"):
            raise ParameterError(
                f"{chosen.name} cannot be made from components "
                f"{'without' if self.raters is None else 'with'} a rater effect."
            )
        noise = self.error
        if self.raters is not None and chosen.definition == "agreement":
            noise += self.raters
        total = self.items + noise / (k if chosen.average else 1.0)
        return self.items / total if total != 0 else math.nan
