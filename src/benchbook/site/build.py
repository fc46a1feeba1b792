"""Building the executed pages: in parallel, only what changed, safe to interrupt."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import benchbook
from benchbook.errors import BenchbookError, ParameterError
from benchbook.records import (
    RECORD_FILE,
    RELATIVE_TOLERANCE,
    Comparison,
    Record,
    compare,
    notebook_hash,
    source_hash,
)

from .dispatch import Outcome, Run, Watcher, here, run_all
from .interface import write_interface
from .project import Project, read_notebook, write_atomically
from .worker import Request

__all__ = ["Outcome", "Verification", "Watcher", "build", "verify"]

# Raised when the runner leaves pages of another form, so that old pages are built again.
FORMAT = 1
# Parts of the package that draw pages or take commands, and never reach a running notebook.
NOT_INPUTS = re.compile(
    r"__pycache__/|\.pyc$|^cli\.py$|^__main__\.py$|^site/(?!(run|captions)\.py$)"
)
# Distributions that no notebook imports; installing another pip changes no number.
NOT_LIBRARIES = ("pip", "setuptools", "wheel", "benchbook")


# --- what goes into a run ------------------------------------------------------------------------


def package_hash(folder: Path | None = None) -> str:
    """Hash the package's files that can reach a running notebook, in any of its modules.

    Parameters
    ----------
    folder : Path, optional
        The package; the one in use when not given.
    """
    folder = folder or Path(benchbook.__file__).parent
    names = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*")}
    files = [
        [name, source_hash(path)]
        for name, path in sorted(names.items())
        if path.is_file() and not NOT_INPUTS.search(name)
    ]
    return _hash(files)


def libraries_hash() -> str:
    """Hash the interpreter's version and the versions of everything installed beside it."""
    found: set[str] = set()
    for folder in dict.fromkeys(sys.path):
        try:
            entries = os.listdir(folder or ".")
        except OSError:
            continue
        found.update(entry for entry in entries if entry.endswith(".dist-info"))
    kept = sorted(name for name in found if name.split("-")[0].lower() not in NOT_LIBRARIES)
    return _hash([sys.implementation.name, list(sys.version_info), kept])


def data_files(project: Project, name: str) -> list[Path]:
    """List the files of a benchmark's data folder, and those its ``spec.yml`` names.

    Raises
    ------
    BenchbookError
        When ``files`` of the specification names a file that is not there.
    """
    folder = project.data(name)
    found = {path for path in folder.rglob("*") if path.is_file()} if folder.is_dir() else set()
    spec = folder / "spec.yml"
    if spec.is_file():
        import yaml

        content = yaml.safe_load(spec.read_text(encoding="utf-8"))
        listed = content.get("files") if isinstance(content, dict) else None
        for entry in listed or []:
            given = entry.get("path") if isinstance(entry, dict) else entry
            path = project.root / str(given)
            if not path.is_file():
                raise BenchbookError(f"data/{name}/spec.yml: no such file: {given}.")
            found.add(path)
    return sorted(found)


def own_benchmark_files(project: Project) -> list[Path]:
    """List the benchmark modules that live in the project rather than in the package."""
    folder = project.root.joinpath(*project.benchmarks.split("."))
    return sorted(folder.rglob("*.py")) if folder.is_dir() else []


def inputs(project: Project, names: Iterable[str]) -> dict[str, dict[str, str]]:
    """Hash everything that goes into a run of each notebook with its defaults, part by part."""
    own = [[path.name, source_hash(path)] for path in own_benchmark_files(project)]
    shared = {"package": _hash([FORMAT, package_hash(), own]), "libraries": libraries_hash()}
    result = {}
    for name in names:
        data = [
            [path.relative_to(project.root).as_posix(), source_hash(path)]
            for path in data_files(project, name)
        ]
        # The defaults are in the notebook's parameters cell, so its hash covers them.
        notebook = notebook_hash(read_notebook(project.source(name)))
        result[name] = {"notebook": notebook, "data": _hash(data), **shared}
    return result


def keys(project: Project, names: Iterable[str]) -> dict[str, str]:
    """Hash everything that goes into a run of each notebook with its defaults."""
    return {name: _hash(parts) for name, parts in inputs(project, names).items()}


def _hash(content: Any) -> str:
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


# --- what a run left -----------------------------------------------------------------------------


def manifest_path(project: Project, name: str) -> Path:
    """Where the build remembers the last run of a notebook."""
    return project.workspace / f"{name}.json"


def is_fresh(project: Project, name: str, key: str) -> bool:
    """Tell whether the last run had these inputs and its outputs are there, unaltered."""
    try:
        manifest = json.loads(manifest_path(project, name).read_text(encoding="utf-8"))
        if manifest["key"] != key:
            return False
        outputs = manifest["outputs"].items()
        return all(_sha256(project.report / place) == digest for place, digest in outputs)
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return False


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def place_run(project: Project, name: str, key: str, files: dict[str, bytes]) -> None:
    """Write a finished run into the report folder, and remember it.

    The manifest goes first and comes last: a run that is interrupted in between is not fresh.
    """
    from .run import publish

    manifest = manifest_path(project, name)
    manifest.unlink(missing_ok=True)
    written = publish(files, project.report, project.files(name))
    outputs = {path.relative_to(project.report).as_posix(): _sha256(path) for path in written}
    content = json.dumps({"key": key, "outputs": outputs}, indent=1) + "\n"
    write_atomically(manifest, content.encode())


def settle_record(project: Project, name: str) -> str:
    """Bring the record under version control up to date, and return a note for the user.

    A run whose inputs changed replaces the record. When only the machine differs the record stays:
    it is what other machines are compared with.

    Returns
    -------
    str
        Empty, or how many numbers did not come again.
    """
    try:
        found = Record.read(project.files(name) / RECORD_FILE)
    except BenchbookError:
        return ""
    kept = project.record(name)
    try:
        recorded = Record.read(kept)
    except BenchbookError:
        recorded = None
    if recorded is None or not recorded.same_inputs(found):
        write_atomically(kept, found.to_json().encode())
        return ""
    different = [row for row in compare(recorded, found) if not row.reproduced]
    if not different:
        return ""
    return (
        f"{len(different)} of {len(recorded.numbers)} numbers differ from "
        f"report/records/{name}.json, which is kept; see 'benchbook verify {name}'"
    )


def clean_workspace(project: Project) -> None:
    """Remove what a build that was killed while it wrote a file has left."""
    for folder in (project.report, project.workspace, project.report / "records"):
        for part in folder.glob(".*.part"):
            part.unlink(missing_ok=True)


# --- building ------------------------------------------------------------------------------------


def build(
    project: Project,
    names: Iterable[str] = (),
    *,
    jobs: int | None = None,
    force: bool = False,
    watcher: Watcher | None = None,
) -> list[Outcome]:
    """Run the notebooks whose inputs changed, each in a process of its own.

    Within ``joblib.parallel_config(backend="dask")`` the notebooks run on that cluster, whose
    workers need this environment and must see the project's folder; what they leave is written
    here.

    Parameters
    ----------
    project : Project
        Where they are; pages, figures and records go to its report folder.
    names : iterable of str
        The benchmarks; all when empty.
    jobs : int, optional
        Notebooks run at once; the number of processors when not given. A Dask cluster runs one
        per thread of its workers, whatever is asked for.
    force : bool
        Run them all, changed or not.
    watcher : Watcher, optional
        Told how it goes.

    Returns
    -------
    list of Outcome
        In the order of the names. A notebook that fails does not stop the others.

    Raises
    ------
    BenchbookError
        Unknown name, or jobs below 1.
    """
    chosen, watcher = project.select(names), watcher or Watcher()
    if jobs is not None and jobs < 1:
        raise ParameterError(f"jobs is {jobs}; expected a whole number at least 1.")
    clean_workspace(project)
    write_interface(project.root, project.root)  # for whoever renders with plain Quarto
    parts = inputs(project, chosen)
    known = {name: _hash(parts[name]) for name in chosen}
    stale = [name for name in chosen if force or not is_fresh(project, name, known[name])]
    outcomes = {name: Outcome(name, "fresh") for name in chosen if name not in stale}
    for run in run_all(_requests(project, stale, parts), jobs, watcher):
        name = run.outcome.name
        outcomes[name] = _placed(project, run, known[name])
    for name, outcome in outcomes.items():
        if outcome.status != "failed":
            note = settle_record(project, name)
            outcomes[name] = replace(outcome, problem=note or outcome.problem)
    return [outcomes[name] for name in chosen]


def _requests(
    project: Project, names: Iterable[str], parts: dict[str, dict[str, str]]
) -> list[Request]:
    root, origin = str(project.root), here()
    return [Request(root, project.benchmarks, name, origin, parts[name]) for name in names]


def _placed(project: Project, run: Run, key: str) -> Outcome:
    """Put what a run left in place and return its outcome."""
    if run.outcome.status == "failed":
        return run.outcome
    try:
        place_run(project, run.outcome.name, key, run.files)
    except OSError as error:
        return replace(
            run.outcome, status="failed", problem=f"its files cannot be written: {error}"
        )
    return run.outcome


# --- verifying -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Verification:
    """How a re-run of one benchmark compares with its record.

    Parameters
    ----------
    outcome : Outcome
        Of the re-run.
    rows : tuple of Comparison
        Number by number; empty when there is nothing to compare.
    notes : tuple of str
        Why numbers may differ: other inputs, other versions.
    """

    outcome: Outcome
    rows: tuple[Comparison, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def reproduced(self) -> bool:
        """True when every number came again."""
        return bool(self.rows) and all(row.reproduced for row in self.rows)


def verify(
    project: Project,
    names: Iterable[str] = (),
    *,
    jobs: int | None = None,
    tolerance: float = RELATIVE_TOLERANCE,
    watcher: Watcher | None = None,
) -> list[Verification]:
    """Run notebooks with their defaults and compare what they find with the records.

    Parameters
    ----------
    project : Project
        Nothing is written there.
    names : iterable of str
        The benchmarks; all when empty.
    jobs : int, optional
        Notebooks run at once.
    tolerance : float
        See `benchbook.records.compare`.
    watcher : Watcher, optional
        Told how it goes.

    Returns
    -------
    list of Verification
        In the order of the names.
    """
    chosen, watcher = project.select(names), watcher or Watcher()
    requests = _requests(project, chosen, inputs(project, chosen))
    runs = {run.outcome.name: run for run in run_all(requests, jobs, watcher)}
    return [_verify_one(project, runs[name], tolerance) for name in chosen]


def _verify_one(project: Project, run: Run, tolerance: float) -> Verification:
    name, outcome = run.outcome.name, run.outcome
    if outcome.status == "failed":
        return Verification(outcome)
    try:
        recorded = Record.read(project.record(name))
        found = Record.from_bytes(run.files.get(f"files/{name}/{RECORD_FILE}"), RECORD_FILE)
    except BenchbookError as error:
        return Verification(outcome, notes=(str(error),))
    rows = tuple(compare(recorded, found, tolerance))
    return Verification(outcome, rows, tuple(_differences(recorded, found)))


def _differences(recorded: Record, found: Record) -> Iterator[str]:
    """Say what differed between the two runs before any number was computed."""
    for part in ("parameters", "data", "notebook", "package"):
        if getattr(recorded, part) != getattr(found, part):
            yield f"the {part} changed since the record was made"
    for name in dict.fromkeys([*recorded.environment, *found.environment]):
        before, now = (record.environment.get(name, "none") for record in (recorded, found))
        if before != now:
            yield f"{name}: {before} in the record, {now} here"
