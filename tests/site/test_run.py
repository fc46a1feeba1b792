"""Running a notebook: what is refused before, what a run leaves, and what it never leaves."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from benchbook.errors import BenchbookError, DataError, ParameterError
from benchbook.parameters import check_notebook_against_model, parse_assignments
from benchbook.records import Record
from benchbook.site.contract import check_executed
from benchbook.site.project import Project, write_atomically
from benchbook.site.run import (
    Finished,
    Inputs,
    NotebookError,
    check_out,
    files_in,
    prepare,
    publish,
    run_notebook,
    run_to_folder,
)
from toy_project import (
    MODULE,
    RECORD,
    chapter_cells,
    code,
    small_cells,
    write_notebook,
)


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A folder of the user's with a file of scores."""
    folder = tmp_path / "private"
    folder.mkdir()
    (folder / "mine.csv").write_text("10\n30\n", encoding="utf-8")
    return folder


def run(project: Project, tmp_path: Path, inputs: Inputs | None = None, **options) -> Finished:
    folder = tmp_path / "run"
    folder.mkdir(exist_ok=True)
    return run_notebook(project, "toy", inputs or Inputs(), folder, **options)


def with_cell(source: str) -> list[dict]:
    """The small notebook with one more cell, its third code cell."""
    cells = small_cells()
    return [*cells[:3], code(source), *cells[3:]]


# --- before the kernel ---------------------------------------------------------------------------


def test_defaults_need_no_benchmark_module(small: Project):
    (small.root / "toy_benchmarks" / "toy.py").write_text("raise RuntimeError")
    assert prepare(small, "toy") == Inputs()


def test_inputs_are_checked_values_in_the_order_of_the_model(small: Project, elsewhere: Path):
    path = elsewhere / "mine.csv"
    inputs = prepare(small, "toy", {"kind": "sum", "scale": 2}, data=path)
    assert inputs.values == {"data": "mine.csv", "scale": 2.0, "kind": "sum"}
    assert list(inputs.values) == ["data", "scale", "kind"]
    assert inputs.files == {"mine.csv": path}


def test_relative_data_file_starts_at_the_current_folder(
    small: Project, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(elsewhere)
    assert prepare(small, "toy", data=Path("mine.csv")).files == {
        "mine.csv": elsewhere / "mine.csv"
    }
    assert prepare(small, "toy", {"data": "mine.csv"}).files == {"mine.csv": elsewhere / "mine.csv"}


def test_missing_data_file_is_refused(small: Project):
    with pytest.raises(DataError, match=r"file none\.csv: no such file"):
        prepare(small, "toy", data=Path("none.csv"))


@pytest.mark.parametrize(
    ("content", "told"),
    [("", "the file is empty"), ("1\nx\n", "row 2: not a number; found x; expected a number")],
)
def test_check_of_the_benchmark_refuses_bad_data(
    small: Project, elsewhere: Path, content: str, told: str
):
    (elsewhere / "mine.csv").write_text(content)
    with pytest.raises(DataError) as caught:
        prepare(small, "toy", data=elsewhere / "mine.csv")
    assert told in str(caught.value)


def test_data_given_twice_or_not_taken_is_refused(small: Project, elsewhere: Path):
    with pytest.raises(ParameterError, match="given twice"):
        prepare(small, "toy", {"data": "x"}, data=elsewhere / "mine.csv")
    module = small.root / "toy_benchmarks" / "other.py"
    module.write_text(
        "from pydantic import BaseModel\nclass Parameters(BaseModel):\n    n: int = 1"
    )
    write_notebook(small.root, small_cells(), "other")
    with pytest.raises(ParameterError, match="'other' takes no data file"):
        prepare(small, "other", data=elsewhere / "mine.csv")


def test_bad_parameter_is_refused(small: Project):
    with pytest.raises(ParameterError, match="did you mean 'scale'"):
        prepare(small, "toy", {"scales": 1})
    with pytest.raises(ParameterError, match="'scale' is 0"):
        prepare(small, "toy", {"scale": 0})


def test_benchmark_without_module_or_model_is_told(small: Project):
    write_notebook(small.root, small_cells(), "lost")
    with pytest.raises(BenchbookError, match=r"no module toy_benchmarks\.lost"):
        prepare(small, "lost", {"a": 1})
    (small.root / "toy_benchmarks" / "lost.py").write_text("")
    with pytest.raises(BenchbookError, match="defines no Parameters"):
        prepare(small, "lost", {"a": 1})


@pytest.mark.parametrize("place", ["", "report", "report/files", "notebooks"])
def test_results_never_go_into_the_project(small: Project, place: str):
    with pytest.raises(ParameterError, match="is a folder of the project"):
        check_out(small, small.root / place)


def test_results_go_into_a_folder(small: Project, elsewhere: Path):
    assert check_out(small, Path("mine")) == small.root / "mine"
    with pytest.raises(ParameterError, match="is a file"):
        check_out(small, elsewhere / "mine.csv")


# --- a run ---------------------------------------------------------------------------------------


@pytest.mark.site
def test_run_leaves_page_files_and_record(small: Project, tmp_path: Path):
    write_notebook(small.root, chapter_cells())
    steps: list[tuple[int, int]] = []
    finished = run(small, tmp_path, progress=lambda done, total: steps.append((done, total)))
    assert check_executed(finished.page, [small.root, tmp_path]) == []
    names = {path.name for path in finished.files}
    assert names == {"fig-scores.svg", "record.json", "scores.csv"}
    assert finished.record is not None
    assert finished.record.numbers == {"value": 2.5, "n": 4}
    assert finished.record.parameters == {
        "data": "data/toy/scores.csv",
        "scale": 1.0,
        "kind": "mean",
    }
    assert steps == [(n, 6) for n in range(1, 7)]
    text = finished.page.read_text(encoding="utf-8")
    for trace in ("papermill", '"execution"', "start_time", "injected-parameters"):
        assert trace not in text


@pytest.mark.site
def test_two_runs_leave_the_same_bytes(small: Project, tmp_path: Path):
    write_notebook(small.root, chapter_cells())
    inputs = prepare(small, "toy", {"scale": 3})
    contents = []
    for n in range(2):
        folder = tmp_path / f"run-{n}"
        folder.mkdir()
        finished = run_notebook(small, "toy", inputs, folder)
        # Names of figures' elements are drawn by Matplotlib; the package's figures fix them.
        files = [path for path in finished.files if path.suffix != ".svg"]
        pages = [finished.page.read_text(encoding="utf-8")]
        contents.append([*pages, *(path.read_bytes() for path in files)])
    assert contents[0] == contents[1]


@pytest.mark.site
def test_run_on_a_file_from_elsewhere_shows_its_name_only(
    small: Project, elsewhere: Path, tmp_path: Path
):
    inputs = prepare(small, "toy", {"kind": "sum"}, data=elsewhere / "mine.csv")
    finished = run(small, tmp_path, inputs)
    text = finished.page.read_text(encoding="utf-8")
    assert str(elsewhere) not in text
    assert "sum: 40.000" in text
    cells = json.loads(text)["cells"]
    injected = next(c for c in cells if c["metadata"].get("tags") == ["injected-parameters"])
    assignments = parse_assignments("".join(injected["source"]))
    values = {name: assignment.value for name, assignment in assignments.items()}
    assert values == {"data": "mine.csv", "kind": "sum"}
    assert finished.record is not None
    assert finished.record.data[0]["file"] == "mine.csv"
    assert finished.record.numbers["value"] == 40.0


@pytest.mark.site
def test_kernel_is_this_interpreter_without_the_users_habits(
    small: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    spec = tmp_path / "jupyter" / "kernels" / "python3" / "kernel.json"
    spec.parent.mkdir(parents=True)
    broken = {"argv": ["no-such-program"], "display_name": "Python 3", "language": "python"}
    spec.write_text(json.dumps(broken))
    startup = tmp_path / "ipython" / "profile_default" / "startup" / "00.py"
    startup.parent.mkdir(parents=True)
    startup.write_text("habit = 1")
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("PYTHONSTARTUP", str(startup))
    monkeypatch.setenv("PYTHONWARNINGS", "error")
    source = """import json, os, sys
found = {
    "python": sys.executable,
    "folder": os.getcwd(),
    "habit": "habit" in globals(),
    "seed": os.environ["PYTHONHASHSEED"],
    "warnings": os.environ.get("PYTHONWARNINGS"),
}
(output_folder("toy") / "found.json").write_text(json.dumps(found))"""
    write_notebook(small.root, with_cell(source))
    finished = run(small, tmp_path)
    found = next(path for path in finished.files if path.name == "found.json")
    assert json.loads(found.read_text()) == {
        "python": sys.executable,
        "folder": str(small.root),
        "habit": False,
        "seed": "0",
        "warnings": None,
    }


@pytest.mark.site
@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("# a note\n1 / 0", "code cell 3 ('1 / 0') failed: ZeroDivisionError: division by zero"),
        ("import sys\nsys.exit(0)", "code cell 4 ('value = sum(scores)"),
        ("import warnings\nwarnings.warn('careful')", "wrote on the error stream: "),
        ("import os\nprint(os.getcwd())", "code cell 3 ('import os'): the page names a folder"),
        ("import os\nos._exit(3)", "the kernel died at code cell 3 ('import os')"),
    ],
    ids=["exception", "early end", "warning", "machine path", "dead kernel"],
)
def test_failed_run_names_the_cell(small: Project, tmp_path: Path, source: str, told: str):
    write_notebook(small.root, with_cell(source))
    with pytest.raises(NotebookError) as caught:
        run(small, tmp_path, prepare(small, "toy", {"scale": 2}))
    assert told in str(caught.value)
    assert str(caught.value).startswith("toy: ")
    assert not (tmp_path / "run" / "toy.ipynb").exists()
    assert "\x1b" not in caught.value.traceback
    assert ("ZeroDivisionError" in caught.value.traceback) == ("1 / 0" in source)


@pytest.mark.site
def test_expected_error_in_the_kernel_is_told_by_its_own_words(
    small: Project, elsewhere: Path, tmp_path: Path
):
    # A benchmark without a check of its own finds bad data only when it runs.
    module = small.root / "toy_benchmarks" / "toy.py"
    own = "\n\nclass ToyError(DataError):\n    pass\n"
    text = MODULE.replace("def check", "def unused").replace("raise DataError", "raise ToyError")
    module.write_text(text.replace("\n\ndef read", own + "\n\ndef read", 1))
    (elsewhere / "mine.csv").write_text("1\nx\n")
    with pytest.raises(NotebookError) as caught:
        run(small, tmp_path, prepare(small, "toy", data=elsewhere / "mine.csv"))
    assert caught.value.told == ("file mine.csv, row 2: not a number; found x; expected a number.")


@pytest.mark.site
def test_lenient_run_takes_warnings_off_the_page_and_tells_them(small: Project, tmp_path: Path):
    noisy = (
        "import sys\nprint('careful', file=sys.stderr)\n"
        "print('Matplotlib is building the font cache; this may take a moment.', file=sys.stderr)"
    )
    write_notebook(small.root, with_cell(noisy))
    finished = run(small, tmp_path, lenient=True)
    assert finished.messages == ("code cell 3 ('import sys'): careful",)
    assert "stderr" not in finished.page.read_text().replace("sys.stderr", "")


@pytest.mark.site
def test_first_run_of_a_library_may_say_so(small: Project, tmp_path: Path):
    noisy = "import sys\nprint('Matplotlib is building the font cache; wait', file=sys.stderr)"
    write_notebook(small.root, with_cell(noisy))
    assert check_executed(run(small, tmp_path).page) == []


# --- into a folder -------------------------------------------------------------------------------


def tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.site
def test_results_come_complete_and_replace_earlier_ones(
    small: Project, elsewhere: Path, tmp_path: Path
):
    before = tree(small.root)
    out = tmp_path / "results"
    (out / "files" / "toy").mkdir(parents=True)
    (out / "files" / "toy" / "old.svg").write_text("of an earlier run")
    (out / "notes.txt").write_text("the user's own")
    inputs = prepare(small, "toy", data=elsewhere / "mine.csv")
    written, messages = run_to_folder(small, "toy", inputs, out)
    assert messages == []
    assert set(tree(out)) == {
        "toy.ipynb",
        "toy.html",
        "record.json",
        "notes.txt",
        "files/toy/scores.csv",
        "files/toy/record.json",
    }
    assert set(written) == {out / name for name in tree(out)} - {out / "notes.txt"}
    assert Record.read(out / "record.json").numbers["value"] == 20.0
    page = (out / "toy.html").read_text(encoding="utf-8")
    assert "mean: 20.000" in page
    assert str(elsewhere) not in page
    changed = {name for name in tree(small.root) if name not in before}
    assert not [name for name in changed if not name.endswith(".pyc")]


@pytest.mark.site
def test_failed_run_writes_nothing(small: Project, tmp_path: Path):
    write_notebook(small.root, [*small_cells(), code("1 / 0")])
    out, new = tmp_path / "results", tmp_path / "new"
    out.mkdir()
    (out / "toy.ipynb").write_text("of an earlier run")
    before = tree(out)
    for folder in (out, new):
        with pytest.raises(NotebookError):
            run_to_folder(small, "toy", Inputs(), folder)
    assert tree(out) == before
    assert not new.exists()


@pytest.mark.site
@pytest.mark.parametrize("before", [False, True])
def test_a_disk_that_fills_up_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: bool
):
    out = tmp_path / "out"
    old = {"toy.html": b"old", "files/toy/table.csv": b"old"}
    if before:
        publish(old, out, out / "files" / "toy")
    room = iter([True, True, False])

    def filling(path: Path, content: bytes) -> None:
        if not next(room):
            raise OSError(28, "No space left on device")
        write_atomically(path, content)

    monkeypatch.setattr("benchbook.site.run.write_atomically", filling)
    new = {"toy.html": b"new", "files/toy/table.csv": b"new", "record.json": b"{}"}
    with pytest.raises(OSError, match="No space left"):
        publish(new, out, out / "files" / "toy")
    assert out.exists() == before
    assert (files_in(out) if before else {}) == (old if before else {})


def test_notebook_without_record_is_told(small: Project, tmp_path: Path):
    cells = [cell for cell in small_cells() if cell["source"] != RECORD]
    write_notebook(small.root, cells)
    _, messages = run_to_folder(small, "toy", Inputs(), tmp_path / "results")
    assert messages == ["toy saved no record, so this run cannot be compared."]


def test_toy_and_its_model_agree(small: Project):
    assert check_notebook_against_model(small.source("toy"), small.model("toy")) == []
