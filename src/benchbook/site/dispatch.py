"""Running notebooks in processes of their own: on this machine, or wherever joblib is told to.

The calls are joblib's, so ``joblib.parallel_config(backend=…)`` says where they go. What a run
leaves comes back as bytes: only the side that called writes into the project.
"""

from __future__ import annotations

import base64
import json
import os
import platform
import subprocess
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import benchbook
from benchbook.records import PROJECT_FILE

from .worker import MARK, Request, as_json


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


@dataclass(frozen=True)
class Run:
    """A run that ended: what became of it, and the files it left.

    Parameters
    ----------
    outcome : Outcome
    files : dict of str to bytes
        By their path below the report folder; empty when the run failed.
    """

    outcome: Outcome
    files: dict[str, bytes] = field(default_factory=dict)


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


# Processes of this build, and who watches them. Kept here, not passed along, because a call that
# joblib sends to another machine can carry neither.
_running: set[subprocess.Popen[str]] = set()
_watching: list[Watcher] = []
_lock = threading.Lock()


def here() -> str:
    """Name this process among all processes of all machines."""
    return f"{platform.node()} {os.getpid()}"


def run_all(requests: list[Request], jobs: int | None, watcher: Watcher) -> Generator[Run]:
    """Yield runs as they end.

    Parameters
    ----------
    requests : list of Request
    jobs : int or None
        Notebooks run at once; the number of processors when None. A Dask cluster has as many at
        once as its workers have threads.
    watcher : Watcher
    """
    if not requests:
        return
    from joblib.parallel import get_active_backend

    watcher.begin([request.name for request in requests])
    _watching.append(watcher)
    backend, _ = get_active_backend(prefer="threads")
    client = getattr(backend, "client", None)
    runs = _on_joblib(requests, jobs) if client is None else _on_dask(requests, client)
    try:
        for run in runs:
            watcher.end(run.outcome)
            yield run
    finally:
        runs.close()
        _watching.remove(watcher)
        _stop_workers()


def _on_joblib(requests: list[Request], jobs: int | None) -> Generator[Run]:
    from joblib import Parallel, cpu_count, delayed

    parallel = Parallel(
        n_jobs=min(jobs or cpu_count(), len(requests)),
        prefer="threads",  # they only wait for processes
        return_as="generator_unordered",
    )
    yield from parallel(delayed(run_worker)(request) for request in requests)


def _on_dask(requests: list[Request], client: Any) -> Generator[Run]:
    """Yield runs of a Dask cluster.

    joblib's own backend runs on this side when the cluster has one thread, and does not cancel.
    """
    from distributed import as_completed

    told = f"benchbook-{here()}"
    client.subscribe_topic(told, _hear_cell)
    futures = {
        client.submit(run_worker, request, told, pure=False): request for request in requests
    }
    try:
        for future in as_completed(futures):
            error = future.exception()
            if error is None:
                yield future.result()
            else:
                yield Run(Outcome(futures[future].name, "failed", 0.0, _lost(error)))
    finally:
        client.cancel(list(futures))
        client.unsubscribe_topic(told)


def _lost(error: BaseException) -> str:
    """Say why a cluster brought no run back."""
    if type(error).__name__ == "KilledWorker":
        return "the workers of the cluster that ran it died; perhaps they ran out of memory"
    return f"a worker of the cluster could not run it: {type(error).__name__}: {error}"


def _hear_cell(event: tuple[float, dict[str, Any]]) -> None:
    told = event[1]  # Dask adds who sent it
    for watcher in _watching:
        watcher.cell(told["name"], told["done"], told["total"])


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


# --- where the notebook runs ---------------------------------------------------------------------


def run_worker(request: Request, told: str = "") -> Run:
    """Run one notebook in a process of its own and wait for it.

    Parameters
    ----------
    request : Request
    told : str
        Topic of the Dask cluster under which the progress is told.
    """
    problem = _other_place(request) if request.origin != here() else ""
    if problem:
        return Run(Outcome(request.name, "failed", 0.0, problem))
    task = _dask_task()
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
    if task is not None:
        threading.Thread(target=_stop_when_cancelled, args=(process, *task), daemon=True).start()
    try:
        return _listen(process, request, _teller(task, told))
    except BaseException:
        process.terminate()
        raise
    finally:
        process.wait()
        with _lock:
            _running.discard(process)


def _other_place(request: Request) -> str:
    """Say why a notebook cannot run in this process, which is not the one that asked; else empty.

    Numbers made with other inputs must not pass for numbers of the project that asked.
    """
    from .build import inputs

    machine = platform.node()
    if not (Path(request.root) / PROJECT_FILE).is_file():
        return (
            f"the machine {machine} sees no project in {request.root}; put the project on a file "
            "system that all workers share, under one path"
        )
    found = inputs(request.project, [request.name])[request.name]
    other = [part for part, digest in request.inputs.items() if found[part] != digest]
    if not other:
        return ""
    return (
        f"on the machine {machine} other {' and '.join(other)} would be used than here; give the "
        "workers the same environment and the same project"
    )


def _dask_task() -> tuple[Any, Any] | None:
    """Return the Dask worker and the key of the task that this thread runs; None elsewhere."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return None
    try:
        worker = distributed.get_worker()
        return worker, worker.get_current_task()
    except (ValueError, KeyError):
        return None


def _stop_when_cancelled(process: subprocess.Popen[str], worker: Any, key: Any) -> None:
    """End a notebook that nobody waits for any more: Dask itself cannot stop a running task."""
    while True:
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=0.5)
            return
        task = worker.state.tasks.get(key)
        if task is None or task.state == "cancelled":
            process.terminate()


def _teller(task: tuple[Any, Any] | None, told: str) -> Callable[[str, int, int], None]:
    """Return what is called with name, cells done and cells in all as a notebook goes on."""
    if task is not None and told:
        worker = task[0]
        return lambda name, done, total: worker.log_event(
            told, {"name": name, "done": done, "total": total}
        )

    def tell(name: str, done: int, total: int) -> None:
        for watcher in _watching:
            watcher.cell(name, done, total)

    return tell


def _path_of_package() -> str:
    """Return a PYTHONPATH under which the worker finds the package that runs here."""
    home = Path(benchbook.__file__).parents[1]
    own = [] if home.name in ("site-packages", "dist-packages") else [str(home)]
    return os.pathsep.join(filter(None, [*own, os.environ.get("PYTHONPATH", "")]))


def _listen(
    process: subprocess.Popen[str], request: Request, tell: Callable[[str, int, int], None]
) -> Run:
    """Read a worker's messages until its result."""
    assert process.stdin is not None
    assert process.stdout is not None
    chatter: list[str] = []
    files: dict[str, bytes] = {}
    result: dict[str, Any] | None = None
    # When it died at once, what it said tells why. Left open: to a worker, its end means that the
    # build is gone.
    with suppress(OSError):
        process.stdin.write(as_json(request) + "\n")
        process.stdin.flush()
    for line in process.stdout:
        if not line.startswith(MARK):
            chatter.append(line)
            continue
        message = json.loads(line.removeprefix(MARK))
        kind = message.pop("kind")
        if kind == "result":
            result = message
        elif kind == "file":
            files[message["path"]] = base64.b64decode(message["content"])
        else:
            tell(request.name, message["done"], message["total"])
    if result is None:
        code = process.wait()
        problem = f"its process ended without a result (exit status {code})"
        outcome = Outcome(request.name, "failed", 0.0, problem, "".join(chatter[-40:]))
        return Run(outcome)
    return Run(Outcome(request.name, **result), files)
