"""An answer to a record: our numbers, and what the data give under other conventions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from scipy import stats

from benchbook.estimate import Estimate


@dataclass(eq=False)
class Other:
    """The same data under a convention, or a mistake, of another program.

    Attributes
    ----------
    name : str
        The convention or the mistake in words.
    make : callable
        Returns the numbers by the fields of a record; called when a number does not match.
    convention : bool
        False for a mistake.
    """

    name: str
    make: Callable[[], Mapping[str, float]]
    convention: bool

    @cached_property
    def numbers(self) -> Mapping[str, float]:
        """What the data give then, made once."""
        return self.make()


@dataclass
class Answer:
    """Our numbers by the fields of a record.

    Attributes
    ----------
    function : str
        The function of Benchbook that gave them.
    numbers : dict of str to float
        By field of the record; NaN where undefined.
    others : list of Other
        The same data under other conventions or mistakes.
    why_not : str
        Why there are no numbers, when there are none.
    """

    function: str
    numbers: dict[str, float]
    others: list[Other] = field(default_factory=list)
    why_not: str = ""

    def add(
        self, name: str, make: Callable[[], Mapping[str, float]], *, convention: bool = False
    ) -> None:
        """Add what another convention, or a mistake, gives."""
        self.others.append(Other(name, make, convention))


def estimate_numbers(made: Estimate) -> dict[str, float]:
    """Return value, standard error and bounds by the fields of a record."""
    return {
        "value": made.value,
        "se": made.standard_error,
        "lower": made.low,
        "upper": made.high,
    }


def normal_interval(value: float, error: float, level: float) -> dict[str, float]:
    """Return normal bounds, not cut anywhere."""
    half = stats.norm.ppf((1 + level) / 2) * error
    return {"lower": value - half, "upper": value + half}


def t_interval(value: float, error: float, n_items: int, level: float) -> dict[str, float]:
    """Return a standard error and its t bounds with n - 1 df, the upper one cut at 1."""
    half = stats.t.ppf((1 + level) / 2, max(n_items - 1, 1)) * error
    return {"se": error, "lower": value - half, "upper": min(1.0, value + half)}
