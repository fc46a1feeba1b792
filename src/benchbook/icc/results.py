"""What the intraclass correlations return."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ..estimate import Estimate
from .anova import TwoWayAnova
from .components import VarianceComponents
from .forms import icc_form


@dataclass(frozen=True)
class ICCResult:
    """One intraclass correlation, never without its form.

    Attributes
    ----------
    form, mcgraw_wong, full_name : str
        Names in Shrout and Fleiss, in McGraw and Wong, and in words.
    estimate : Estimate
        Value and interval.
    f, df1, df2, p : float
        F test of the null hypothesis ICC = ``null`` against a larger ICC. With ``null`` 0 it
        tests whether the items differ, and says nothing about the raters.
    null : float
        The value tested.
    """

    form: str
    mcgraw_wong: str
    full_name: str
    estimate: Estimate
    f: float
    df1: float
    df2: float
    p: float
    null: float = 0.0

    def __str__(self) -> str:
        return f"{self.form} {self.estimate} [{self.full_name}]"

    def as_row(self) -> dict[str, Any]:
        """Return the result as one row of a tidy table."""
        names = {
            "form": self.form,
            "mcgraw_wong": self.mcgraw_wong,
            "full_name": self.full_name,
        }
        test = {"f": self.f, "df1": self.df1, "df2": self.df2, "p": self.p, "null": self.null}
        return self.estimate.as_row(**names) | test


@dataclass(frozen=True, eq=False)
class IntraclassCorrelations:
    """The intraclass correlations of one table, with the analysis they come from.

    Attributes
    ----------
    results : tuple of ICCResult
        The six forms in the order of Shrout and Fleiss, singles first.
    anova : TwoWayAnova
        Mean squares, degrees of freedom, the F of the items and the F of the raters.
    """

    results: tuple[ICCResult, ...]
    anova: TwoWayAnova

    def __getitem__(self, form: str) -> ICCResult:
        wanted = icc_form(form).name
        return next(result for result in self.results if result.form == wanted)

    def __iter__(self) -> Iterator[ICCResult]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    @property
    def components(self) -> VarianceComponents:
        """Variance components of the two-way analysis."""
        return self.anova.components

    @property
    def dropped(self) -> tuple[str, ...]:
        """Names of the items left out because a rater did not score them."""
        return self.anova.dropped

    def table(self) -> pd.DataFrame:
        """Return one row per form."""
        return pd.DataFrame([result.as_row() for result in self.results])
