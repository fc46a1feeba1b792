"""Notebook runs on a Dask cluster and on loky: the same files, failures and interrupts as here."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import joblib
import pytest

import benchbook.site.build as building
from benchbook.errors import BenchbookError, ParameterError
from benchbook.site.build import build, keys, verify
from benchbook.site.cluster import on_cluster
from benchbook.site.dispatch import Outcome, Watcher, here, run_worker
from benchbook.site.project import Project
from benchbook.site.worker import Request
from toy_project import COMPUTE, code, small_cells, write_notebook

POSIX_ONLY = pytest.mark.skipif(os.name != "posix", reason="signals of Unix")
PACKAGE_HASH = building.package_hash  # before a fixture replaces it


@pytest.fixture
def true_hashes(small: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """The small project; other processes hash the package themselves, so this one must, too."""
    digest = PACKAGE_HASH()
    monkeypatch.setattr(building, "package_hash", lambda: digest)
    return small


@pytest.fixture
def dask_client() -> Iterator:
    distributed = pytest.importorskip("distributed", reason="the extra 'distributed' is missing")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as workers,
        distributed.Client(workers) as client,
    ):
        yield client


def with_cell(source: str) -> list[dict]:
    cells = small_cells()
    return [*cells[:3], code(source), *cells[3:]]


def write_another(project: Project) -> None:
    """Write a second notebook, which keeps its files apart from the first one's."""
    cells = with_cell("print('another')")
    for cell in cells:
        cell["source"] = cell["source"].replace('"toy"', '"another"')
    write_notebook(project.root, cells, "another")


def report_tree(project: Project) -> dict[str, bytes]:
    return {
        path.relative_to(project.report).as_posix(): path.read_bytes()
        for path in project.report.rglob("*")
        if path.is_file()
    }


class Cells(Watcher):
    """Writes down the progress of notebooks, and which of them ended."""

    def __init__(self) -> None:
        self.told: list[tuple[str, int, int]] = []
        self.ended: list[Outcome] = []

    def cell(self, name: str, done: int, total: int) -> None:
        self.told.append((name, done, total))

    def end(self, outcome: Outcome) -> None:
        self.ended.append(outcome)


# --- a Dask cluster ------------------------------------------------------------------------------


@pytest.mark.site
@pytest.mark.distributed
def test_a_dask_cluster_leaves_the_same_files_and_tells_the_same_failures(
    true_hashes: Project, dask_client
):
    project = true_hashes
    write_notebook(project.root, with_cell("wrong = 1 / 0"), "bad")
    write_another(project)
    at_home = build(project, jobs=2)
    expected = report_tree(project)
    assert {"toy.ipynb", "another.ipynb", ".build/toy.json"} <= set(expected)
    shutil.rmtree(project.report)
    watcher = Cells()
    with joblib.parallel_config(backend="dask"):
        far = build(project, watcher=watcher)
        verified = verify(project, ["toy"])
    assert report_tree(project) == expected
    assert [one.status for one in far] == ["built", "failed", "built"]
    assert [(one.name, one.problem) for one in far] == [(one.name, one.problem) for one in at_home]
    assert far[1].traceback == at_home[1].traceback
    assert {outcome.name for outcome in watcher.ended} == {"toy", "bad", "another"}
    assert ("toy", 1, 4) in watcher.told
    assert verified[0].reproduced
    assert [one.status for one in build(project, ["toy", "another"])] == ["fresh", "fresh"]


@pytest.mark.site
@pytest.mark.distributed
@POSIX_ONLY
def test_a_worker_of_the_cluster_that_dies_fails_only_its_notebook(
    true_hashes: Project, dask_client
):
    # Not the process that runs the notebook, but the cluster's own, above it.
    killing = (
        "import os, signal, psutil\n"
        "os.kill(psutil.Process(os.getppid()).ppid(), signal.SIGKILL)\n"
        "import time; time.sleep(600)"
    )
    write_notebook(true_hashes.root, with_cell(killing), "victim")
    with joblib.parallel_config(backend="dask"):
        toy, victim = build(true_hashes)
    assert toy.status == "built"
    assert victim.status == "failed"
    assert "the workers of the cluster that ran it died" in victim.problem


@pytest.mark.site
@pytest.mark.distributed
@POSIX_ONLY
def test_interrupted_build_on_a_cluster_stops_its_notebooks_and_writes_nothing(
    true_hashes: Project, tmp_path: Path, dask_client
):
    project = true_hashes
    write_notebook(
        project.root,
        with_cell(
            "import os, pathlib, time\n"
            "pathlib.Path('going').write_text(str(os.getpid()))\n"
            f"time.sleep(600)\n{COMPUTE}"
        ),
    )
    address = dask_client.scheduler.address
    process = subprocess.Popen(
        [sys.executable, "-m", "benchbook", "build", "--cluster", address],
        cwd=project.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    going = project.root / "going"
    wait_for(lambda: (going.exists() and going.read_text()) or process.poll() is not None)
    process.send_signal(signal.SIGINT)
    told, _ = process.communicate(timeout=60)
    assert process.returncode == 130, told
    assert told == (b"Running toy\nInterrupted; nothing is half written. Run the command again.\n")
    assert report_tree(project) == {}
    kernel = int(going.read_text())
    wait_for(lambda: not _runs(kernel))
    assert not _runs(kernel)
    write_notebook(project.root, small_cells())
    with joblib.parallel_config(backend="dask"):
        assert [one.status for one in build(project)] == ["built"]


def wait_for(happened, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not happened() and time.monotonic() < deadline:
        time.sleep(0.05)


def _runs(process: int) -> bool:
    import psutil

    return psutil.pid_exists(process) and psutil.Process(process).status() != "zombie"


@pytest.mark.site
@pytest.mark.distributed
def test_command_line_builds_and_verifies_on_a_local_cluster(true_hashes: Project):
    pytest.importorskip("distributed", reason="the extra 'distributed' is missing")
    for command in ("build", "verify"):
        done = subprocess.run(
            [sys.executable, "-m", "benchbook", command, "--cluster", "local", "--jobs", "1"],
            cwd=true_hashes.root,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert done.stderr == "Running toy\n"
    assert done.stdout == "toy: 2 of 2 numbers reproduced\n"


# --- loky ----------------------------------------------------------------------------------------


@pytest.mark.site
def test_loky_leaves_the_same_files(true_hashes: Project):
    project = true_hashes
    write_another(project)
    build(project)
    expected = report_tree(project)
    with joblib.parallel_config(backend="loky"):
        outcomes = build(project, jobs=2, force=True)
    assert [one.status for one in outcomes] == ["built", "built"]
    assert report_tree(project) == expected


# --- what is refused -----------------------------------------------------------------------------


def test_a_machine_that_does_not_see_the_project_says_so(tmp_path: Path):
    request = Request(str(tmp_path / "nowhere"), "toy_benchmarks", "toy", "another machine 1")
    run = run_worker(request)
    assert run.outcome.status == "failed"
    assert "sees no project in" in run.outcome.problem
    assert "file system that all workers share" in run.outcome.problem
    assert run.files == {}


@pytest.mark.parametrize("part", ["notebook", "data", "package", "libraries"])
def test_a_machine_with_other_inputs_refuses(small: Project, part: str):
    parts = building.inputs(small, ["toy"])["toy"]
    assert set(parts) == {"notebook", "data", "package", "libraries"}
    other = {**parts, part: "another"}
    run = run_worker(Request(str(small.root), small.benchmarks, "toy", "another 1", other))
    assert run.outcome.status == "failed"
    assert f"other {part} would be used than here" in run.outcome.problem


def test_key_is_made_of_every_part(small: Project, monkeypatch: pytest.MonkeyPatch):
    found = {keys(small, ["toy"])["toy"]}
    for part in ("notebook", "data", "package", "libraries"):
        parts = building.inputs(small, ["toy"])["toy"] | {part: "another"}
        monkeypatch.setattr(building, "inputs", lambda *_, parts=parts: {"toy": parts})
        found.add(keys(small, ["toy"])["toy"])
        monkeypatch.undo()
        monkeypatch.setattr(building, "package_hash", lambda: "package")
        monkeypatch.chdir(small.root)
    assert len(found) == 5


def test_clusters_that_cannot_be_used_are_refused():
    with pytest.raises(ParameterError, match=r"--cluster is 'somewhere'; expected a scheduler's"):
        _enter("somewhere")
    with pytest.raises(ParameterError, match="--jobs counts the processes of this machine"):
        _enter("tcp://127.0.0.1:1", jobs=2)


@pytest.mark.distributed
def test_scheduler_that_does_not_answer_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    pytest.importorskip("distributed", reason="the extra 'distributed' is missing")
    monkeypatch.setattr("benchbook.site.cluster.CONNECTION_SECONDS", 0.5)
    with pytest.raises(BenchbookError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:1"):
        _enter("tcp://127.0.0.1:1")
    broken = tmp_path / "scheduler.json"
    broken.write_text("{}")
    with pytest.raises(ParameterError, match=r"scheduler\.json is no scheduler file of Dask"):
        _enter(str(broken))
    broken.write_text('{"address": "tcp://127.0.0.1:1"}')
    with pytest.raises(BenchbookError, match=r"no Dask scheduler answers at .*scheduler\.json"):
        _enter(str(broken))


def test_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(BenchbookError, match="extra 'distributed': pip install"):
        _enter("local")


def test_no_cluster_changes_nothing():
    from joblib.parallel import get_active_backend

    before = type(get_active_backend()[0])
    with on_cluster(None, 3):
        assert type(get_active_backend()[0]) is before


def _enter(cluster: str, jobs: int | None = None) -> None:
    with on_cluster(cluster, jobs):
        pass


def test_this_process_has_a_name_of_its_own():
    assert here().endswith(f" {os.getpid()}")
