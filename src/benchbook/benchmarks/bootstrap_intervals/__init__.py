"""Chapter: bootstrap intervals, how they are made, and how often they hold the truth.

The notebook shows what :class:`Chapter` simulates; the intervals themselves live in
:mod:`benchbook.resampling` and :mod:`benchbook.metrics`.
"""

from __future__ import annotations

from typing import Any

from benchbook.benchmarks.compared import compare
from benchbook.parameters import from_namespace

from .chapter import NAME, Chapter
from .designs import DESIGNS
from .exhibits import swept
from .own import load
from .parameters import Parameters
from .theory import toy_clusters, toy_distribution

__all__ = [
    "NAME",
    "Chapter",
    "Parameters",
    "check",
    "compare",
    "conditions",
    "from_namespace",
    "front_matter",
    "toy_clusters",
    "toy_distribution",
]


def check(parameters: Parameters) -> None:
    """Read the data as a run would, so that bad input is told before anything starts."""
    load(parameters)


def conditions(parameters: Parameters) -> set[str]:
    """Return the conditions that hold for a run; the notebook's ``when:`` tags name them."""
    found = {
        "own": parameters.data is not None,
        "sweep": bool(swept(parameters.designs or list(DESIGNS))),
    }
    return {name for name, holds in found.items() if holds}


def front_matter(parameters: Parameters) -> dict[str, Any]:
    """Return what the page's head says in place of the notebook's, for a reader's own file."""
    scores = load(parameters)
    if scores is None:
        return {}
    return {
        "description": f"The AUROC of {scores.name} with every interval, and how far each is to "
        "be trusted.",
        "benchbook": {"theme": "Reference", "data-statement": "real"},
    }
