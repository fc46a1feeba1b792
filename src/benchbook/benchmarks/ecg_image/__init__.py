"""Chapter: diagnostic classes from images of paper ECGs, scored as the Challenge of 2024 scores.

The notebook shows what :class:`Chapter` scores; the F-measures and the bootstrap live in
:mod:`benchbook.metrics` and :mod:`benchbook.resampling`, the task in :mod:`benchbook.specs`.
"""

from __future__ import annotations

from typing import Any

from benchbook.benchmarks.compared import compare
from benchbook.display import counted, plain
from benchbook.parameters import from_namespace

from .chapter import Chapter
from .exhibits import study_remarks, study_size
from .facts import NAME, say_prior, table_prior, table_published
from .own import load, specification
from .parameters import Parameters
from .parser import PARSER_VERSION, LabelParser, Parsed, last_labels
from .published import headroom, prior_f, prior_macro_f
from .scoring import PRIOR, Scores
from .theory import figure_page, surprises, table_toy, toy_study

__all__ = [
    "NAME",
    "PARSER_VERSION",
    "PRIOR",
    "Chapter",
    "LabelParser",
    "Parameters",
    "Parsed",
    "Scores",
    "check",
    "compare",
    "conditions",
    "describe",
    "figure_page",
    "from_namespace",
    "front_matter",
    "headroom",
    "last_labels",
    "load",
    "prior_f",
    "prior_macro_f",
    "say_prior",
    "specification",
    "surprises",
    "table_prior",
    "table_published",
    "table_toy",
    "toy_study",
]


def check(parameters: Parameters) -> None:
    """Read the data as a run would, so that bad input is told before anything starts."""
    if parameters.own or parameters.models is not None:
        load(parameters)


def describe(parameters: Parameters) -> tuple[str, list[str]]:
    """Return the size of the data, and what ``benchbook check`` should tell about them."""
    study = load(parameters)
    models = counted(len(study.answers), "model")
    return f"{study_size(study)}, {models}", study_remarks(study)


def conditions(parameters: Parameters) -> set[str]:
    """Return the conditions that hold for a run; the notebook's ``when:`` tags name them."""
    study = load(parameters)
    found = {
        "own": parameters.own,
        "task": parameters.classes is None,
        "several": len(study.answers) > 1,
        "named": any(one.predicted[study.scored].any() for one in study.answers),
    }
    return {name for name, holds in found.items() if holds}


def front_matter(parameters: Parameters) -> dict[str, Any]:
    """Return what the page's head says in place of the notebook's, for a reader's own files."""
    if not parameters.own:
        return {}
    return {
        "description": f"Macro F-measure of {plain(load(parameters).name)} against the real "
        "reference labels given, with prior, classes and intervals.",
        "benchbook": {"theme": "Electrocardiography", "data-statement": "real"},
    }
