"""Chapter 1: agreement between human raters.

The notebook shows what :class:`Chapter` evaluates; the statistics live in
:mod:`benchbook.agreement`, :mod:`benchbook.icc` and :mod:`benchbook.resampling`.
"""

from __future__ import annotations

from typing import Any

from benchbook.benchmarks.compared import compare
from benchbook.parameters import from_namespace

from .chapter import Chapter
from .parameters import Parameters
from .studies import NAME, load, named_conditions
from .theory import figure_consistency, figure_paradox, surprises

__all__ = [
    "NAME",
    "Chapter",
    "Parameters",
    "check",
    "compare",
    "conditions",
    "figure_consistency",
    "figure_paradox",
    "from_namespace",
    "front_matter",
    "surprises",
]


def check(parameters: Parameters) -> None:
    """Read the data as a run would, so that bad input is told before anything starts."""
    load(parameters)


def conditions(parameters: Parameters) -> set[str]:
    """Return the conditions that hold for a run; the notebook's ``when:`` tags name them."""
    return named_conditions(load(parameters), parameters)


def front_matter(parameters: Parameters) -> dict[str, Any]:
    """Return what the page's head says in place of the notebook's, for a reader's own file."""
    if parameters.data is None:
        return {}
    name = load(parameters)[0].source
    return {
        "description": f"Agreement between the raters of {name}, with every definition, interval "
        "and limit beside the numbers.",
        "benchbook": {"theme": "Agreement", "data-statement": "real"},
    }
