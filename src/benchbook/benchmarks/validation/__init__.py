"""Chapter: does it match? Every statistic beside R, printed values and Python packages.

The notebook shows what :class:`Chapter` evaluates. Records of other programs are read by
:mod:`.reference`, answered by the ``answers_*`` modules and judged by :mod:`.compare`.
"""

from __future__ import annotations

from typing import Any

from benchbook.parameters import from_namespace

from .chapter import Chapter
from .evaluation import NAME, Evaluation
from .parameters import Parameters

__all__ = ["NAME", "Chapter", "Parameters", "check", "conditions", "from_namespace", "front_matter"]


def check(parameters: Parameters) -> None:
    """Read the records as a run would, so that bad input is told before anything starts."""
    Evaluation(parameters)


def conditions(parameters: Parameters) -> set[str]:
    """Return the conditions that hold for a run; the notebook's ``when:`` tags name them."""
    if parameters.data is None:
        return {"deviations", "conventions", "precision"}
    run = Chapter(parameters)
    found = {
        "own": True,
        "deviations": bool(run.of("other deviates")),
        "conventions": bool(run.of("convention")),
        "precision": len(run.full_precision) > 0,
    }
    return {name for name, holds in found.items() if holds}


def front_matter(parameters: Parameters) -> dict[str, Any]:
    """Return what the page's head says in place of the notebook's, for a reader's own file."""
    if parameters.data is None:
        return {}
    name = Evaluation(parameters).files[0][0].name
    return {
        "description": f"Numbers of {name} beside those of Benchbook, with a verdict on each.",
        "benchbook": {"theme": "Reference", "data-statement": "real"},
    }
