"""Where a run's answers and reference come from: the reader's files, or the simulator."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from benchbook.parameters import data_path
from benchbook.specs import TaskSpecification, read_task

from .facts import NAME
from .parameters import Parameters
from .reading import files_in, read_study
from .simulate import simulate
from .study import Study


def specification() -> TaskSpecification:
    """Return the specification of the task."""
    return read_task(NAME)


def load(parameters: Parameters) -> Study:
    """Read the files that the parameters name; simulate and read simulated ones without any.

    Raises
    ------
    DataError
        Naming file, line, column, what was found and what was expected.
    ParameterError
        A model that is not in the file, or class names that cannot be told apart.
    """
    spec = specification()
    classes = parameters.classes or list(spec.classes)
    if not parameters.own:
        return _simulated(spec, parameters)
    if parameters.data is not None:
        answers, reference = files_in(data_path(parameters.data))
    else:
        assert parameters.answers is not None
        assert parameters.reference is not None
        answers, reference = data_path(parameters.answers), data_path(parameters.reference)
    study = read_study(
        answers,
        reference,
        classes,
        delimiter=parameters.delimiter,
        encoding=parameters.encoding,
    )
    return study.only(parameters.models)


def _simulated(spec: TaskSpecification, parameters: Parameters) -> Study:
    """Simulate, write the files and read them as a reader's own would be."""
    with tempfile.TemporaryDirectory() as folder:
        answers, reference = simulate(spec, parameters.seed).write(Path(folder))
        found = read_study(answers, reference, list(spec.classes))
    found = replace(found, name="simulated answers", simulated=True, files=())
    return found.only(parameters.models)
