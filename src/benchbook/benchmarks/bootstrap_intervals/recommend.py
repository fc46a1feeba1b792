"""Which interval to use, by a rule stated beforehand and applied to the simulation."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from .designs import DESIGNS, Design
from .study import Results, with_rates

# Bradley's liberal criterion: an error rate at most half as much again as the nominal one.
BRADLEY = 1.5
NEAR = 2.0  # standard errors from the criterion within which a simulation does not tell
MOST_WITHOUT = 0.01  # a method is no answer when it gives no interval on more data sets than this


@dataclass(frozen=True, eq=False)
class Advice:
    """What the rule says for one design.

    Attributes
    ----------
    design : Design
    chosen : Series
        Row of the recommended method.
    adequate : DataFrame
        Every method that clearly meets the criterion, narrowest first; empty when none does.
    borderline : DataFrame
        Methods too near the criterion for the simulation to tell, best coverage first.
    failing : DataFrame
        The others, best coverage first.
    """

    design: Design
    chosen: pd.Series
    adequate: pd.DataFrame
    borderline: pd.DataFrame
    failing: pd.DataFrame

    @property
    def met(self) -> bool:
        """Whether any method meets the criterion."""
        return len(self.adequate) > 0


def least_coverage(level: float) -> float:
    """Return the coverage that is good enough: 1 - 1.5 alpha."""
    return 1.0 - BRADLEY * (1.0 - level)


def headline_rows(results: Results, key: str) -> pd.DataFrame:
    """Return the rows of a design at its own correlation, with rates."""
    design = DESIGNS[key]
    table = results.coverage
    kept = table[(table["design"] == key) & (table["correlation"] == design.headline)]
    return with_rates(kept)


def right_unit(design: Design) -> str:
    """Return the unit that is independent in a design."""
    return "cluster" if design.clustered else "item"


def advise(results: Results, key: str) -> Advice:
    """Apply the rule to one design.

    Of the methods over the independent unit that give an interval on all but 1 % of the data
    sets, those that cover the truth at least 1 - 1.5 alpha of the time, by more than two
    Monte-Carlo standard errors, are adequate, and the narrowest of them on average is recommended;
    where none is adequate, the one that covers most.
    """
    design = DESIGNS[key]
    rows = headline_rows(results, key)
    rows = rows[(rows["unit"] == right_unit(design)) & (rows["without"] <= MOST_WITHOUT)]
    rows = rows.sort_values("coverage", ascending=False)
    beyond = (rows["coverage"] - least_coverage(results.level)) / rows["error"]
    adequate = rows[beyond > NEAR].sort_values("mean_width")
    chosen = adequate.iloc[0] if len(adequate) else rows.iloc[0]
    return Advice(design, chosen, adequate, rows[beyond.abs() <= NEAR], rows[beyond < -NEAR])
