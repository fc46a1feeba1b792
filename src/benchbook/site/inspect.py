"""Checking a benchmark without running it: specification, data, parameters, notebook cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchbook.errors import BenchbookError, ParameterError
from benchbook.parameters import check_notebook_against_model, validate

from .build import data_files
from .project import Project, read_notebook
from .run import Inputs, prepare, run_variables

if TYPE_CHECKING:
    from benchbook.specs import Specification


@dataclass(frozen=True)
class Inspection:
    """What was found of one benchmark.

    Parameters
    ----------
    name : str
        The benchmark.
    specification : str or None
        Its hash; None without a ``spec.yml``.
    n_files : int
        Data files that go into a run: those that were given, else the bundled ones.
    n_parameters : int
        Parameters of the notebook.
    notes : tuple of str
        What is sound and worth knowing, in a few words each.
    remarks : tuple of str
        What the benchmark tells about these data: left out, outside its range. A sentence each.
    """

    name: str
    specification: str | None
    n_files: int
    n_parameters: int
    notes: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


def inspect(
    project: Project,
    name: str,
    given: Mapping[str, Any] | None = None,
    data: Path | None = None,
) -> Inspection:
    """Check everything about a benchmark that can be checked before a kernel starts.

    Parameters
    ----------
    project : Project
        Where it is.
    name : str
        The benchmark.
    given : mapping of str to object, optional
        Parameters; the others take their defaults.
    data : Path, optional
        A file in place of the bundled data.

    Returns
    -------
    Inspection

    Raises
    ------
    BenchbookError
        The first thing that cannot be used: the specification, its results, a file that it names,
        the parameters cell, a parameter, or the data.
    """
    hash_, notes = _inspect_specification(project, name)
    files = data_files(project, name)
    model = project.model(name)
    problems = check_notebook_against_model(read_notebook(project.source(name)), model)
    if problems:
        raise ParameterError(f"parameters cell of {name}.ipynb: {'; '.join(problems)}.")
    inputs = prepare(project, name, given, data, defaults=True)
    about, remarks = _describe(project, name, inputs)
    n_files = len(inputs.files) or len(files)
    return Inspection(name, hash_, n_files, len(model.model_fields), (*notes, *about), remarks)


def _describe(
    project: Project, name: str, inputs: Inputs
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the size of the data and remarks on them, where the benchmark's module tells them.

    Its ``describe(parameters)`` returns a few words about the size, and a list of remarks.
    """
    describe = getattr(project.module(name), "describe", None)
    if describe is None:
        return (), ()
    with run_variables(project, inputs):
        size, remarks = describe(validate(project.model(name), inputs.values))
    return (size,), tuple(remarks)


def _inspect_specification(project: Project, name: str) -> tuple[str | None, tuple[str, ...]]:
    if not (project.data(name) / "spec.yml").is_file():
        return None, ("no specification",)
    from benchbook.specs import TaskSpecification, leaderboard, read_spec, results_of

    spec = read_spec(name, project.root)
    if not isinstance(spec, TaskSpecification):
        return spec.hash, ()
    board = leaderboard(spec, results_of(name, project.root))
    told = [
        f"results: {len(board.ranked)} ranked, {len(board.pending)} pending, "
        f"{len(board.not_ranked)} not ranked"
    ]
    return spec.hash, (*told, *_notes_on_origin(spec))


def _notes_on_origin(spec: Specification) -> list[str]:
    origin = getattr(spec, "origin", None)
    if origin is None or origin.ours in (None, spec.hash):
        return []
    return [
        f"found equivalent to {origin.task} as {origin.ours}; what is measured has changed since, "
        f"so its results are pending until origin.ours is {spec.hash}"
    ]


def inspect_all(project: Project, names: list[str]) -> list[Inspection | BenchbookError]:
    """Check several benchmarks with their defaults; one that fails does not stop the others."""
    found: list[Inspection | BenchbookError] = []
    for name in project.select(names):
        try:
            found.append(inspect(project, name))
        except BenchbookError as error:
            found.append(error)
    return found
