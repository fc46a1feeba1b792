"""The command line: what it prints, where errors go, which status it ends with."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner, Result

from benchbook import __version__
from benchbook.cli import cli
from benchbook.site.project import Project
from toy_project import code, small_cells, write_notebook


def call(*arguments: str | Path) -> Result:
    result = CliRunner().invoke(cli, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def refused(*arguments: str | Path) -> str:
    """Call, expect a refusal in one paragraph on standard error, and return it."""
    result = call(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("Error: ")
    return result.stderr


# --- list ----------------------------------------------------------------------------------------


def test_version():
    assert call("--version").stdout == f"benchbook, version {__version__}\n"


def test_list_names_benchmarks_with_their_data_statement(small: Project):
    write_notebook(small.root, small_cells(), "another")
    assert call("list").stdout == "another  simulated  A toy\ntoy      simulated  A toy\n"


def test_list_of_one_benchmark_tells_its_parameters(small: Project):
    told = call("list", "toy").stdout
    assert told.startswith("A toy\nMeans of simulated scores.\nData: simulated\n")
    assert "  scale = 1.0\n      Factor on every score (no unit). [a number above 0 and at" in told
    assert '  kind = "mean"\n      What is computed. [one of "mean", "sum"]' in told


def test_list_and_help_load_nothing_heavy(small: Project):
    heavy = ("numpy", "pandas", "papermill", "nbformat", "pydantic", "joblib", "matplotlib")
    script = (
        "import sys; from benchbook.cli import cli; "
        f"cli([{{}}], standalone_mode=False); print([m for m in {heavy} if m in sys.modules])"
    )
    for arguments in ("'list'", "'--help'", "'build', '--help'"):
        command = [sys.executable, "-c", script.format(arguments)]
        done = subprocess.run(command, cwd=small.root, capture_output=True, text=True, check=True)
        assert done.stdout.splitlines()[-1] == "[]"


def test_unknown_benchmark_gets_a_hint(small: Project):
    for command in (["list", "tox"], ["run", "tox"], ["build", "tox"], ["verify", "tox"]):
        assert "unknown benchmark 'tox'; did you mean 'toy'?" in refused(*command)


def test_project_is_found_from_below_by_option_or_by_variable(
    small: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(small.data("toy"))
    assert call("list").exit_code == 0
    monkeypatch.chdir(tmp_path)
    assert "no _quarto.yml in" in refused("list")
    assert call("list", "--project", small.root).exit_code == 0
    assert call("--project", small.root, "list").exit_code == 0
    monkeypatch.setenv("BENCHBOOK_PROJECT", str(small.root))
    assert call("list").exit_code == 0
    assert "no _quarto.yml" in refused("list", "--project", tmp_path)


# --- run -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["-p", "scal=2"], "unknown parameter 'scal'; did you mean 'scale'?"),
        (["-p", "scale=false"], "parameter 'scale' is false; expected a number above 0"),
        (["-p", "scale=0"], "parameter 'scale' is 0; expected a number above 0"),
        (["-p", "scale"], "expected NAME=VALUE"),
        (["-p", "scale=1", "-p", "scale=2"], "'scale' is given twice"),
        (["-p", "kind=median"], 'expected one of "mean", "sum"'),
        (["--data", "none.csv"], "file none.csv: no such file"),
        (["--data", "bad.csv"], "file bad.csv, row 1: not a number; found x"),
        (["--parameters", "none.yml"], "parameters file none.yml: No such file"),
        (["--parameters", "bad.csv"], "expected 'name: value' lines"),
    ],
)
def test_bad_input_is_refused_before_anything_is_written(
    small: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list, told: str
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.csv").write_text("x\n")
    command = ["run", "toy", "--project", small.root, *arguments, "--out", "results"]
    assert told in refused(*command)
    assert not (tmp_path / "results").exists()


@pytest.mark.site
def test_run_on_an_own_file_from_an_own_folder(
    small: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.csv").write_text("10\n20\n")
    (tmp_path / "p.yml").write_text("kind: sum\nscale: 5\n")
    options = ["--parameters", "p.yml", "-p", "scale=2", "--data", "mine.csv"]
    result = call("run", "toy", "--project", small.root, *options)
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines() == [
        str(Path("toy-results", "record.json")),
        str(Path("toy-results", "toy.html")),
        str(Path("toy-results", "toy.ipynb")),
        f"{Path('toy-results', 'files', 'toy')}: 2 figures, tables and their data",
    ]
    record = json.loads((tmp_path / "toy-results" / "record.json").read_text())
    assert record["parameters"] == {"data": "mine.csv", "scale": 2.0, "kind": "sum"}
    assert record["numbers"] == {"value": 60.0, "n": 2}


@pytest.mark.site
def test_failing_notebook_shows_its_traceback_and_ends_with_1(small: Project, tmp_path: Path):
    write_notebook(small.root, [*small_cells(), code("1 / 0")])
    result = call("run", "toy", "--out", tmp_path / "results")
    assert result.exit_code == 1
    assert "----> 1 1 / 0" in result.stderr
    assert "Error: toy: code cell 5 ('1 / 0') failed: ZeroDivisionError" in result.stderr
    assert not (tmp_path / "results").exists()


@pytest.mark.site
def test_bad_data_found_by_the_notebook_itself_are_told_in_one_paragraph(
    small: Project, tmp_path: Path
):
    failing = (
        "from benchbook.errors import DataError\n"
        "raise DataError('too few scores', file='scores.csv', found='4')"
    )
    write_notebook(small.root, [*small_cells(), code(failing)])
    result = call("run", "toy", "--out", tmp_path / "results")
    assert result.exit_code == 2
    last = result.stderr.splitlines()[-1]
    assert last == "Error: file scores.csv: too few scores; found 4."
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "results").exists()


def test_results_into_the_project_are_refused(small: Project):
    assert "is a folder of the project" in refused("run", "toy", "--out", "notebooks")


# --- build, verify, render -----------------------------------------------------------------------


@pytest.mark.site
def test_build_then_verify(small: Project):
    first = call("build")
    assert first.exit_code == 0, first.output
    assert first.stdout.startswith("toy: built in ")
    assert first.stderr == "Running toy\n"
    second = call("build")
    assert (second.stdout, second.stderr) == ("toy: unchanged\n", "")
    good = call("verify", "toy")
    assert good.exit_code == 0, good.output
    assert good.stdout.splitlines() == ["toy: 2 of 2 numbers reproduced"]
    path = small.record("toy")
    path.write_text(path.read_text().replace('"value": 2.5', '"value": 2.0'))
    bad = call("verify")
    assert bad.exit_code == 1
    assert bad.stdout.splitlines() == [
        "toy: 1 of 2 numbers reproduced: 1 differs, 1 equal",
        "  differs  value  recorded 2.0, found 2.5 (difference 0.5)",
    ]
    everything = call("verify", "--verbose")
    assert everything.exit_code == 1
    assert everything.stdout.splitlines() == [*bad.stdout.splitlines(), "  equal    n      4"]


@pytest.mark.site
def test_failed_build_ends_with_1_after_the_others(small: Project):
    write_notebook(small.root, [*small_cells(), code("1 / 0")], "bad")
    result = call("build", "--jobs", "2")
    assert result.exit_code == 1
    assert "toy: built in " in result.stdout
    assert "----> 1 1 / 0" in result.stderr
    assert "bad: code cell 5 ('1 / 0') failed: ZeroDivisionError" in result.stderr
    assert result.stderr.endswith("1 of 2 notebooks failed.\n")


def test_wrong_option_is_a_usage_error(small: Project):
    assert call("build", "--jobs", "0").exit_code == 2
    assert call("verify", "--tolerance", "-1").exit_code == 2
    assert call("render", "--renderer", "word").exit_code == 2


def test_render_prints_the_address(small: Project, monkeypatch: pytest.MonkeyPatch):
    asked = []

    def render(project: Project, output: Path | None, renderer: str) -> SimpleNamespace:
        asked.append((project.root, output, renderer))
        return SimpleNamespace(
            renderer="preview",
            n_pages=3,
            unchanged=False,
            seconds=1.25,
            address="file:///x",
            warnings=("report/a.ipynb is not listed in the navbar of _quarto.yml.",),
        )

    monkeypatch.setattr("benchbook.site.render.render", render)
    result = call("render", "--renderer", "preview", "--output", "somewhere")
    assert asked == [(small.root, small.root / "somewhere", "preview")]
    assert result.stdout == "Site by preview: 3 pages in 1.2 s\nfile:///x\n"
    assert result.stderr == "Note: report/a.ipynb is not listed in the navbar of _quarto.yml.\n"


def test_module_is_the_command(small: Project):
    command = [sys.executable, "-m", "benchbook", "list", "nothing-like-it"]
    done = subprocess.run(command, cwd=small.root, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("Error: unknown benchmark 'nothing-like-it'; ")
