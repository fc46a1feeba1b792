"""Chapter: reading the rhythm of an ECG, models beside people.

The notebook shows what :class:`Chapter` evaluates; the statistics live in
:mod:`benchbook.resampling`, :mod:`benchbook.metrics` and :mod:`benchbook.agreement`, and the
comparison with people in :mod:`.matched`.
"""

from __future__ import annotations

from typing import Any

from benchbook.benchmarks.compared import compare
from benchbook.parameters import from_namespace

from . import published
from .chapter import NAME, Chapter
from .inputs import load
from .parameters import Parameters
from .study import Study, build
from .theory import TOY_READS, TOY_TRUTH, TOY_WINDOWS, beside, toy

__all__ = [
    "NAME",
    "TOY_READS",
    "TOY_TRUTH",
    "TOY_WINDOWS",
    "Chapter",
    "Parameters",
    "beside",
    "check",
    "compare",
    "conditions",
    "from_namespace",
    "front_matter",
    "toy",
]


def check(parameters: Parameters) -> None:
    """Read and check the tables as a run would, so that bad input is told at once."""
    build(load(parameters), parameters)


def conditions(parameters: Parameters) -> set[str]:
    """Return the conditions that hold for a run; the notebook's ``when:`` tags name them."""
    study = build(load(parameters), parameters)
    people = study.readers[study.readers["kind"] == "person"]
    independent = people[people["independent"].astype(bool)]
    found = {
        "scores": bool(study.models),
        "readers": len(study.readers) > 0,
        "several": len(independent) > 1,
        "pairs": len(study.readers) > 1,
        "beside": bool(study.models) and bool(study.groups),
        "groups": bool(study.groups),
        "ranks": any(len(study.models_on(label)) > 1 for label in study.labels),
        "probabilities": _any_probability(study),
        "simulated": not parameters.own and parameters.dataset == "simulated",
        "code": parameters.dataset == "code-test" and published.complete(study),
        "ptbxl": parameters.dataset == "ptbxl-fold10"
        and parameters.only_labels is None
        and bool(study.models),
    }
    return {name for name, holds in found.items() if holds}


def _any_probability(study: Study) -> bool:
    from .calibration import is_probability

    return any(
        study.compared(label).any()
        and is_probability(study.scores[model, label][study.compared(label)])
        for label in study.labels
        for model in study.models_on(label)
    )


def front_matter(parameters: Parameters) -> dict[str, Any]:
    """Return what the page's head says in place of the notebook's, for real data."""
    if not parameters.own and parameters.dataset == "simulated":
        return {}
    inputs = load(parameters)
    title = inputs.about.get("title", "your own files")
    return {
        "description": f"Real data: {title}. Models and readers against the reference, label by "
        "label, with every interval.",
        "benchbook": {"theme": "Electrocardiography", "data-statement": "real"},
    }
