"""Building: only what changed, in parallel, safe to interrupt; verifying against the records."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchbook.errors import BenchbookError, ParameterError
from benchbook.records import Record
from benchbook.site.build import (
    Outcome,
    Watcher,
    build,
    clean_workspace,
    data_files,
    is_fresh,
    keys,
    libraries_hash,
    manifest_path,
    package_hash,
    settle_record,
    verify,
)
from benchbook.site.dispatch import Run
from benchbook.site.project import Project, write_atomically
from toy_project import COMPUTE, code, notebook, small_cells, write_notebook

POSIX_ONLY = pytest.mark.skipif(os.name != "posix", reason="signals of Unix")


class Notes(Watcher):
    """Writes down what a build tells."""

    def __init__(self) -> None:
        self.began: list[str] = []
        self.cells: list[tuple[str, int, int]] = []
        self.ended: list[Outcome] = []

    def begin(self, names: list[str]) -> None:
        self.began = names

    def cell(self, name: str, done: int, total: int) -> None:
        self.cells.append((name, done, total))

    def end(self, outcome: Outcome) -> None:
        self.ended.append(outcome)


def statuses(outcomes: list[Outcome]) -> dict[str, str]:
    return {outcome.name: outcome.status for outcome in outcomes}


def with_cell(source: str) -> list[dict]:
    cells = small_cells()
    return [*cells[:3], code(source), *cells[3:]]


def report_tree(project: Project) -> dict[str, bytes]:
    return {
        path.relative_to(project.report).as_posix(): path.read_bytes()
        for path in project.report.rglob("*")
        if path.is_file()
    }


# --- keys ----------------------------------------------------------------------------------------


def test_key_is_the_same_when_nothing_changed(small: Project):
    before = keys(small, ["toy"])
    saved = notebook(small_cells())
    saved["cells"][1]["execution_count"] = 7
    saved["metadata"]["kernelspec"] = {"name": "other"}
    small.source("toy").write_text(json.dumps(saved), encoding="utf-8")
    data = small.data("toy") / "scores.csv"
    data.write_bytes(data.read_bytes().replace(b"\n", b"\r\n"))
    assert keys(small, ["toy"]) == before


@pytest.mark.parametrize("what", ["notebook", "data", "new data", "module", "spec", "package"])
def test_key_changes_with_every_input(small: Project, what: str, monkeypatch: pytest.MonkeyPatch):
    (small.data("toy") / "spec.yml").write_text("files: [shared.csv]\n")
    (small.root / "shared.csv").write_text("1\n")
    before = keys(small, ["toy"])
    if what == "notebook":
        write_notebook(small.root, with_cell("x = 1"))
    elif what == "data":
        (small.data("toy") / "scores.csv").write_text("5\n")
    elif what == "new data":
        (small.data("toy") / "more.csv").write_text("5\n")
    elif what == "module":
        (small.root / "toy_benchmarks" / "helper.py").write_text("x = 1\n")
    elif what == "spec":
        (small.root / "shared.csv").write_text("2\n")
    else:
        monkeypatch.setattr("benchbook.site.build.package_hash", lambda: "another package")
    assert keys(small, ["toy"]) != before


def test_spec_that_lists_a_missing_file_is_refused(small: Project):
    (small.data("toy") / "spec.yml").write_text("files:\n  - path: none.csv\n")
    with pytest.raises(BenchbookError, match=r"no such file: none\.csv"):
        data_files(small, "toy")


def test_package_hash_sees_what_can_reach_a_notebook(tmp_path: Path):
    for name in ("kappa.py", "site/run.py", "cli.py", "site/render.py", "style.mplstyle"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("1\n")
    before = package_hash(tmp_path)
    for name in ("cli.py", "site/render.py", "__pycache__/kappa.cpython-311.pyc"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("2\n")
        assert package_hash(tmp_path) == before
    for name in ("kappa.py", "site/run.py", "style.mplstyle", "new.py"):
        (tmp_path / name).write_text("2\n")
        changed = package_hash(tmp_path)
        assert changed != before
        before = changed


def test_libraries_hash_sees_versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    before = libraries_hash()
    (tmp_path / "pip-99.dist-info").mkdir()
    assert libraries_hash() == before
    (tmp_path / "numpy-1.0.dist-info").mkdir()
    first = libraries_hash()
    (tmp_path / "numpy-1.0.dist-info").rename(tmp_path / "numpy-1.1.dist-info")
    assert len({before, first, libraries_hash()}) == 3


# --- building ------------------------------------------------------------------------------------


@pytest.mark.site
def test_build_runs_once_and_again_only_what_changed(small: Project):
    watcher = Notes()
    (built,) = build(small, watcher=watcher)
    assert (built.name, built.status, built.problem) == ("toy", "built", "")
    assert built.seconds > 0
    assert watcher.began == ["toy"]
    assert watcher.cells == [("toy", n, 4) for n in range(1, 5)]
    assert watcher.ended[0].status == "built"
    assert set(report_tree(small)) == {
        "toy.ipynb",
        "files/toy/scores.csv",
        "files/toy/record.json",
        "records/toy.json",
        ".build/toy.json",
    }
    assert Record.read(small.record("toy")).numbers["value"] == 2.5
    before = report_tree(small)
    quiet = Notes()
    assert statuses(build(small, watcher=quiet)) == {"toy": "fresh"}
    assert quiet.began == []
    assert report_tree(small) == before
    small.record("toy").unlink()
    assert statuses(build(small)) == {"toy": "fresh"}
    assert report_tree(small) == before
    assert statuses(build(small, force=True)) == {"toy": "built"}
    assert report_tree(small) == before


@pytest.mark.site
def test_altered_deleted_and_leftover_outputs_are_set_right(small: Project):
    build(small)
    before = report_tree(small)
    key = keys(small, ["toy"])["toy"]
    assert is_fresh(small, "toy", key)
    for name in ("toy.ipynb", "files/toy/scores.csv"):
        path = small.report / name
        for act in (path.unlink, lambda path=path: path.write_text("altered")):
            act()
            assert not is_fresh(small, "toy", key)
            write_atomically(path, before[name])
            assert is_fresh(small, "toy", key)
    (small.report / "toy.ipynb").write_text("altered")
    (small.files("toy") / "fig-of-old.svg").write_text("old")
    assert statuses(build(small)) == {"toy": "built"}
    assert report_tree(small) == before


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"key": "k", "outputs": 1}'])
def test_manifest_that_cannot_be_read_is_not_fresh(small: Project, content: str):
    write_atomically(manifest_path(small, "toy"), content.encode())
    assert not is_fresh(small, "toy", "k")


@pytest.mark.site
def test_failed_notebook_is_named_and_does_not_stop_the_others(small: Project):
    write_notebook(small.root, with_cell("wrong = 1 / 0"), "bad")
    build(small, ["toy"])
    before = report_tree(small)
    outcomes = build(small, jobs=2, force=True)
    assert statuses(outcomes) == {"bad": "failed", "toy": "built"}
    assert outcomes[0].problem.startswith("code cell 3 ('wrong = 1 / 0') failed: ZeroDivision")
    assert "----> 1 wrong = 1 / 0" in outcomes[0].traceback
    assert report_tree(small) == before


@pytest.mark.site
def test_bad_bundled_data_fail_the_build_with_their_cell(small: Project):
    (small.data("toy") / "scores.csv").write_text("1\nx\n")
    (outcome,) = build(small)
    assert outcome.status == "failed"
    assert "code cell 2 (" in outcome.problem
    assert "row 2: not a number" in outcome.problem
    assert "DataError" in outcome.traceback


@pytest.mark.site
@POSIX_ONLY
def test_worker_that_is_killed_fails_only_its_own_notebook(small: Project):
    killing = "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)"
    write_notebook(small.root, with_cell(killing), "victim")
    outcomes = build(small, jobs=1)
    assert statuses(outcomes) == {"toy": "built", "victim": "failed"}
    assert "ended without a result (exit status -9)" in outcomes[1].problem


@pytest.mark.site
@POSIX_ONLY
def test_interrupted_build_leaves_nothing_half_done_and_the_next_one_works(
    small: Project, tmp_path: Path
):
    (tmp_path / "temporary").mkdir()
    going = small.root / "going"
    waiting = f"import pathlib, time\npathlib.Path('going').touch()\ntime.sleep(600)\n{COMPUTE}"
    write_notebook(small.root, with_cell(waiting))
    command = [sys.executable, "-m", "benchbook", "build"]
    process = subprocess.Popen(
        command,
        cwd=small.root,
        env={**os.environ, "TMPDIR": str(tmp_path / "temporary")},
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        # A shell's background jobs ignore the signal; this one is to heed it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    deadline = time.monotonic() + 60
    while not going.exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    told, _ = process.communicate(timeout=60)
    assert process.returncode == 130, told
    assert b"Interrupted" in told
    assert report_tree(small) == {}
    assert not list((tmp_path / "temporary").iterdir())
    write_notebook(small.root, small_cells())
    assert statuses(build(small)) == {"toy": "built"}


def test_half_written_files_of_a_killed_build_are_removed(small: Project):
    small.report.mkdir()
    part = small.report / ".toy.ipynb.1234.part"
    part.write_text("half")
    clean_workspace(small)
    assert not part.exists()


def test_files_that_cannot_be_written_fail_their_notebook(
    small: Project, monkeypatch: pytest.MonkeyPatch
):
    def full(path: Path, content: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("benchbook.site.run.write_atomically", full)
    run = Run(Outcome("toy", "built"), {"toy.ipynb": b"{}"})
    monkeypatch.setattr("benchbook.site.build.run_all", lambda *_: iter([run]))
    (outcome,) = build(small)
    assert outcome.status == "failed"
    assert "cannot be written: [Errno 28] No space left" in outcome.problem
    assert not manifest_path(small, "toy").exists()


def test_jobs_below_one_and_unknown_names_are_refused(small: Project):
    with pytest.raises(ParameterError, match="jobs is 0"):
        build(small, jobs=0)
    with pytest.raises(BenchbookError, match="unknown benchmark 'tay'; did you mean 'toy'"):
        build(small, ["tay"])


def test_project_without_notebooks_is_told(small: Project):
    small.source("toy").unlink()
    with pytest.raises(BenchbookError, match="no notebook in"):
        build(small)


# --- records -------------------------------------------------------------------------------------


def record(value: float, package: str = "p", python: str = "3.11") -> Record:
    return Record("toy", {}, (), "n", package, {"Python": python}, {"value": value, "n": 4})


def put(project: Project, kept: Record | None, found: Record) -> str:
    write_atomically(project.files("toy") / "record.json", found.to_json().encode())
    if kept:
        write_atomically(project.record("toy"), kept.to_json().encode())
    return settle_record(project, "toy")


def test_first_record_is_kept(small: Project):
    assert put(small, None, record(1.0)) == ""
    assert Record.read(small.record("toy")) == record(1.0)


def test_record_is_replaced_when_its_inputs_changed(small: Project):
    assert put(small, record(1.0), record(2.0, package="q")) == ""
    assert Record.read(small.record("toy")).numbers["value"] == 2.0


def test_record_stays_when_only_the_machine_differs(small: Project):
    assert put(small, record(1.0), record(1.0, python="3.14")) == ""
    assert Record.read(small.record("toy")).environment == {"Python": "3.11"}
    told = put(small, record(1.0), record(2.0, python="3.14"))
    assert told.startswith("1 of 2 numbers differ")
    assert Record.read(small.record("toy")).numbers["value"] == 1.0


def test_broken_record_is_replaced(small: Project):
    write_atomically(small.record("toy"), b"{")
    put(small, None, record(1.0))
    assert Record.read(small.record("toy")) == record(1.0)


@pytest.mark.site
def test_verify_tells_what_reproduced_and_writes_nothing(small: Project):
    build(small)
    path = small.record("toy")
    content = json.loads(path.read_text())
    before = report_tree(small)
    (same,) = verify(small)
    assert same.reproduced
    assert [(row.name, row.verdict) for row in same.rows] == [("value", "equal"), ("n", "equal")]
    assert same.notes == ()
    assert report_tree(small) == before
    content["numbers"]["value"] = 2.6
    content["environment"]["numpy"] = "0.1"
    content["package"] = "another"
    path.write_text(json.dumps(content))
    (other,) = verify(small)
    assert not other.reproduced
    assert [row.verdict for row in other.rows] == ["differs", "equal"]
    assert other.notes[0] == "the package changed since the record was made"
    assert other.notes[1].startswith("numpy: 0.1 in the record, ")


@pytest.mark.site
def test_verify_without_a_record_or_with_a_failure_is_not_reproduced(small: Project):
    write_notebook(small.root, with_cell("1 / 0"), "bad")
    bad, toy = verify(small, jobs=2)
    assert bad.outcome.status == "failed"
    assert not bad.reproduced
    assert not toy.reproduced
    assert toy.notes == ("record toy.json: no such file.",)
