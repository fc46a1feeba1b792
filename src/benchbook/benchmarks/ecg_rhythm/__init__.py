"""Chapter: reading the rhythm of an ECG, models beside people.

The notebook shows what :class:`Chapter` evaluates; the statistics live in
:mod:`benchbook.resampling`, :mod:`benchbook.metrics` and :mod:`benchbook.agreement`, and the
comparison with people in :mod:`.matched`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchbook.benchmarks.compared import compare
from benchbook.display import counted
from benchbook.parameters import from_namespace

from . import published
from .chapter import NAME, Chapter
from .evaluation import Evaluation
from .exhibits import study_size, unmapped_models
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
    "describe",
    "from_namespace",
    "front_matter",
    "toy",
]


def check(parameters: Parameters) -> None:
    """Read and check the tables as a run would, so that bad input is told at once."""
    build(load(parameters), parameters)


def describe(parameters: Parameters) -> tuple[str, list[str]]:
    """Return the size of the data, and what ``benchbook check`` should tell about them."""
    study = build(load(parameters), parameters)
    left = [
        f"{one.table}: {counted(one.count, one.what.removesuffix('s'))} left out, {one.why}."
        for one in study.left
    ]
    return study_size(study), [*study.warnings, *unmapped_models(study), *left]


def conditions(parameters: Parameters) -> set[str]:
    """Return the conditions that hold for a run; the notebook's ``when:`` tags name them."""
    evaluation = Evaluation(parameters)
    study = evaluation.study
    paired = _any_pair(study)
    people = study.readers[study.readers["kind"] == "person"]
    independent = people[people["independent"].astype(bool)]
    found = {
        "scores": bool(study.models),
        "readers": len(study.readers) > 0,
        "several": paired and len(independent) > 1,
        "pairs": paired,
        "beside": bool(study.models) and bool(study.groups),
        "groups": bool(study.groups),
        "ranks": any(len(study.models_on(label)) > 1 for label in study.labels),
        "probabilities": _any_curve(evaluation),
        "simulated": not parameters.own and parameters.dataset == "simulated",
        "code": parameters.dataset == "code-test" and published.complete(study),
        "irhythm": parameters.dataset == "irhythm-test" and published.complete_irhythm(study),
        "ptbxl": parameters.dataset == "ptbxl-fold10"
        and parameters.only_labels is None
        and bool(study.models),
    }
    return {name for name, holds in found.items() if holds}


def _any_pair(study: Study) -> bool:
    """Tell whether some record was read for some label by two readers."""
    return bool(((~np.isnan(study.reads)).sum(axis=2) > 1).any())


def _any_curve(run: Evaluation) -> bool:
    """Tell whether some reliability curve has a point that is drawn."""
    from .calibration_exhibits import reliability_tables

    return len(reliability_tables(run)[0]) > 0


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
