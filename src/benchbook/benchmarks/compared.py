"""A definition evaluated twice: by the formula on the page, and by the package."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from benchbook.errors import BenchbookError
from benchbook.estimate import Estimate

# Two computations of one definition differ by rounding only.
SAME = 1e-12


@dataclass(frozen=True)
class Compared:
    """One definition evaluated twice; shown as a sentence."""

    name: str
    by_formula: float
    by_package: float

    def _repr_markdown_(self) -> str:
        return (
            f"{self.name}: {self.by_formula:.6f} by the formula, {self.by_package:.6f} by the "
            "package."
        )


def compare(name: str, by_formula: float, by_package: Any) -> Compared:
    """Return the value of a definition by the page's formula and by the package.

    ``by_package`` is a number, an Estimate, or a result that carries one.

    Raises
    ------
    BenchbookError
        When the two differ: the page must not be published then.
    """
    found = getattr(by_package, "estimate", by_package)
    value = found.value if isinstance(found, Estimate) else float(found)
    if not abs(by_formula - value) <= SAME:
        raise BenchbookError(
            f"{name}: the formula on the page gives {by_formula!r}, the package {value!r}."
        )
    return Compared(name, float(by_formula), value)
