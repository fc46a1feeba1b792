"""Finding and reading a benchmark's specification and its results."""

from __future__ import annotations

from pathlib import Path

from benchbook.errors import BenchbookError, DataError
from benchbook.records import project_root

from .reading import Document, check, read_yaml
from .results import Leaderboard, Result, leaderboard, read_results
from .schema import ChapterSpecification, Specification
from .task import TaskSpecification

FORMS: dict[str, type[Specification]] = {"chapter": ChapterSpecification, "task": TaskSpecification}
"""The kinds of specification, by the word after ``form:``."""


def read_spec(name: str, root: Path | None = None) -> Specification:
    """Read and check ``data/NAME/spec.yml``.

    Parameters
    ----------
    name : str
        The benchmark.
    root : Path, optional
        Folder of the project; found as :func:`benchbook.records.project_root` does when not given.

    Returns
    -------
    ChapterSpecification or TaskSpecification
        As ``form`` says; a file that does not say is a chapter's.

    Raises
    ------
    DataError
        No such file, or a field that is unknown, missing, or holds something else than expected:
        file, line, field, value found, value expected.
    BenchbookError
        No project here.
    """
    path = _folder(name, root) / "spec.yml"
    spec = spec_of(read_yaml(path, f"data/{name}/spec.yml"))
    if spec.name != name:
        raise DataError(
            "field name: not the name of its folder",
            file=f"data/{name}/spec.yml",
            found=spec.name,
            expected=name,
        )
    return spec


def read_task(name: str, root: Path | None = None) -> TaskSpecification:
    """Read and check the specification of a full benchmark task; a chapter's is refused."""
    spec = read_spec(name, root)
    if not isinstance(spec, TaskSpecification):
        raise DataError("field form: not a benchmark task", file=f"data/{name}/spec.yml")
    return spec


def spec_of(document: Document) -> Specification:
    """Check a document that was read from a specification file."""
    if not isinstance(document.content, dict):
        raise DataError("expected 'name: value' lines", file=document.file)
    form = document.content.get("form", "chapter")
    if form not in FORMS:
        known = " or ".join(FORMS)
        raise document.refuse(("form",), "unknown", found=form, expected=known)
    return check(FORMS[form], document)


def results_of(name: str, root: Path | None = None) -> list[Result]:
    """Read the results that a benchmark keeps in ``data/NAME/results.yml``; [] without the file."""
    return read_results(_folder(name, root) / "results.yml", f"data/{name}/results.yml")


def read_leaderboard(name: str, root: Path | None = None) -> Leaderboard:
    """Read a task's specification and results, and rank them."""
    return leaderboard(read_task(name, root), results_of(name, root))


def spec_names(root: Path) -> list[str]:
    """Name the benchmarks of a project that have a specification."""
    return sorted(path.parent.name for path in root.glob("data/*/spec.yml"))


def _folder(name: str, root: Path | None) -> Path:
    root = root or project_root()
    if root is None:
        raise BenchbookError(
            f"the specification of '{name}' lies in data/{name} of the project, and no project "
            "was found here; start within the project."
        )
    return root / "data" / name
