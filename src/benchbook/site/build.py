"""Building the executed pages: in parallel, only what changed, safe to interrupt."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
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

from .project import Project, read_notebook, write_atomically
from .worker import MARK, Request, as_json

# Raised when the runner leaves pages of another form, so that old pages are built again.
FORMAT = 1
# Parts of the package that draw pages or take commands, and never reach a running notebook.
NOT_INPUTS = re.compile(
    r"__pycache__/|\.pyc$|^cli\.py$|^__main__\.py$|^site/(?!(run|captions)\.py$)"
)
# Distributions that no notebook imports; installing another pip changes no number.
NOT_LIBRARIES = ("pip", "setuptools", "wheel", "benchbook")


@dataclass(frozen=True)
class Outcome:
    """What became of one notebook.

    Parameters
    ----------
    name : str
        The benchmark.
    status : str
        ``fresh`` (nothing changed), ``built`` or ``failed``.
    seconds : float
        Time the run took.
    problem : str
        The cell that failed and why, or a note on a run that did not fail.
    traceback : str
        Without colours; may be empty.
    """

    name: str
    status: str
    seconds: float = 0.0
    problem: str = ""
    traceback: str = ""


class Watcher:
    """Hears how a build goes; the command line's one draws it."""

    def begin(self, names: list[str]) -> None:
        """Hear which notebooks are about to run."""

    def cell(self, name: str, done: int, total: int) -> None:
        """Hear that a notebook has finished ``done`` of its ``total`` code cells."""

    def end(self, outcome: Outcome) -> None:
        """Hear what became of a notebook."""

    def close(self) -> None:
        """Take away what was drawn."""


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


def keys(project: Project, names: Iterable[str]) -> dict[str, str]:
    """Hash everything that goes into a run of each notebook with its defaults."""
    shared = [FORMAT, package_hash(), libraries_hash()]
    shared.append([[path.name, source_hash(path)] for path in own_benchmark_files(project)])
    result = {}
    for name in names:
        data = [
            [path.relative_to(project.root).as_posix(), source_hash(path)]
            for path in data_files(project, name)
        ]
        # The defaults are in the notebook's parameters cell, so its hash covers them.
        result[name] = _hash([shared, notebook_hash(read_notebook(project.source(name))), data])
    return result


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


def place_run(project: Project, name: str, key: str, folder: Path) -> None:
    """Move a finished run into the report folder, and remember it.

    The manifest goes first and comes last: a run that is interrupted in between is not fresh.
    """
    from .run import publish

    manifest = manifest_path(project, name)
    manifest.unlink(missing_ok=True)
    written = publish(folder, project.report, project.files(name))
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
    """Remove what builds that were killed have left; running ones are let alone."""
    for folder in project.workspace.glob("*.tmp"):
        owner = folder.name.split(".")[-2]
        if not (owner.isdigit() and _is_running(int(owner))):
            shutil.rmtree(folder, ignore_errors=True)
    for folder in (project.report, project.workspace, project.report / "records"):
        for part in folder.glob(".*.part"):
            part.unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    import psutil

    return psutil.pid_exists(process)


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

    Parameters
    ----------
    project : Project
        Where they are; pages, figures and records go to its report folder.
    names : iterable of str
        The benchmarks; all when empty.
    jobs : int, optional
        Notebooks run at once; the number of processors when not given.
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
    inputs = keys(project, chosen)
    stale = [name for name in chosen if force or not is_fresh(project, name, inputs[name])]
    outcomes = {name: Outcome(name, "fresh") for name in chosen if name not in stale}
    requests = [
        Request(str(project.root), project.benchmarks, name, inputs[name]) for name in stale
    ]
    for outcome in _run_all(requests, jobs, watcher):
        outcomes[outcome.name] = outcome
    for name, outcome in outcomes.items():
        if outcome.status != "failed":
            note = settle_record(project, name)
            outcomes[name] = Outcome(name, outcome.status, outcome.seconds, note or outcome.problem)
    return [outcomes[name] for name in chosen]


# Processes of this build, and who watches them. Kept here, not passed along, because a call that
# joblib sends to another machine can carry neither.
_running: set[subprocess.Popen[str]] = set()
_watching: list[Watcher] = []
_lock = threading.Lock()


def _run_all(requests: list[Request], jobs: int | None, watcher: Watcher) -> Iterator[Outcome]:
    """Yield outcomes as notebooks finish."""
    if not requests:
        return
    from joblib import Parallel, cpu_count, delayed

    watcher.begin([request.name for request in requests])
    _watching.append(watcher)
    try:
        # Threads that wait for processes; joblib.parallel_config can send them to a cluster.
        parallel = Parallel(
            n_jobs=min(jobs or cpu_count(), len(requests)),
            prefer="threads",
            return_as="generator_unordered",
        )
        for outcome in parallel(delayed(run_worker)(request) for request in requests):
            watcher.end(outcome)
            yield outcome
    finally:
        _watching.remove(watcher)
        _stop_workers()


def _stop_workers() -> None:
    """End workers that still run, which is only after an interrupt."""
    with _lock:
        left = list(_running)
    for process in left:
        process.terminate()
    for process in left:
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()


def run_worker(request: Request) -> Outcome:
    """Run one notebook in a process of its own and wait for it."""
    environment = {**os.environ, "PYTHONUTF8": "1", "PYTHONPATH": _path_of_package()}
    process = subprocess.Popen(
        [sys.executable, "-m", "benchbook.site.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        env=environment,
        cwd=request.root,
    )
    with _lock:
        _running.add(process)
    try:
        return _listen(process, request)
    except BaseException:
        process.terminate()
        raise
    finally:
        process.wait()
        with _lock:
            _running.discard(process)


def _path_of_package() -> str:
    """Return a PYTHONPATH under which the worker finds the package that runs here."""
    home = Path(benchbook.__file__).parents[1]
    own = [] if home.name in ("site-packages", "dist-packages") else [str(home)]
    return os.pathsep.join(filter(None, [*own, os.environ.get("PYTHONPATH", "")]))


def _listen(process: subprocess.Popen[str], request: Request) -> Outcome:
    """Read a worker's messages until its result."""
    assert process.stdin is not None
    assert process.stdout is not None
    chatter: list[str] = []
    result: dict[str, Any] | None = None
    try:
        # Left open: to a worker, its end means that the build is gone.
        process.stdin.write(as_json(request) + "\n")
        process.stdin.flush()
    except OSError:
        pass  # it died at once; what it said tells why
    for line in process.stdout:
        if not line.startswith(MARK):
            chatter.append(line)
            continue
        message = json.loads(line.removeprefix(MARK))
        kind = message.pop("kind")
        if kind == "result":
            result = message
        else:
            for watcher in _watching:
                watcher.cell(request.name, message["done"], message["total"])
    if result is None:
        code = process.wait()
        problem = f"its process ended without a result (exit status {code})"
        return Outcome(request.name, "failed", 0.0, problem, "".join(chatter[-40:]))
    return Outcome(request.name, **result)


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
    """Run notebooks with their defaults in a temporary folder and compare with the records.

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
    with tempfile.TemporaryDirectory(prefix="benchbook-", ignore_cleanup_errors=True) as temporary:
        requests = [
            Request(str(project.root), project.benchmarks, name, "", str(Path(temporary, name)))
            for name in chosen
        ]
        outcomes = {outcome.name: outcome for outcome in _run_all(requests, jobs, watcher)}
        return [
            _verify_one(project, outcomes[name], Path(temporary, name), tolerance)
            for name in chosen
        ]


def _verify_one(project: Project, outcome: Outcome, folder: Path, tolerance: float) -> Verification:
    name = outcome.name
    if outcome.status == "failed":
        return Verification(outcome)
    try:
        recorded = Record.read(project.record(name))
        found = Record.read(folder / "files" / name / RECORD_FILE)
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
