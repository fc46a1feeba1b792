"""``benchbook check``: what is sound, what is not, and that nothing runs or is written."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from benchbook.cli import cli
from benchbook.site.project import Project
from toy_project import PARAMETERS, code, small_cells, write_notebook

REPOSITORY = Path(__file__).parents[1]

SPEC = """\
name: toy
title: A toy
data_statement: simulated
unit_of_resampling: score
primary_metric: mean
"""


def call(*arguments: str | Path) -> Result:
    result = CliRunner().invoke(cli, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def with_spec(project: Project, text: str = SPEC) -> None:
    (project.data("toy") / "spec.yml").write_text(text, encoding="utf-8")


def test_a_sound_benchmark_is_told_in_a_line(small: Project):
    with_spec(small)
    before = sorted(small.root.rglob("*.json"))
    result = call("check", "toy")
    assert result.exit_code == 0, result.output
    line = result.stdout
    assert line.startswith("toy: sound; specification ")
    assert line.endswith(", 3 parameters, 2 data files\n")
    assert sorted(small.root.rglob("*.json")) == before


def test_without_a_specification_it_says_so(small: Project):
    assert call("check").stdout == "toy: sound; 3 parameters, 1 data file, no specification\n"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("titel: A toy\n", "file data/toy/spec.yml, row 6: field titel: not a field"),
        ("files: [none.csv]\n", "data/toy/spec.yml: no such file: none.csv"),
        ("made_here: [scores]\n", "part 'scores' has 0 deviations"),
    ],
)
def test_a_faulty_specification_is_refused(small: Project, change: str, told: str):
    with_spec(small, SPEC + change)
    result = call("check", "toy")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert told in result.stderr


def test_faulty_bundled_data_are_refused(small: Project):
    (small.data("toy") / "scores.csv").write_text("1\nx\n", encoding="utf-8")
    result = call("check", "toy")
    assert result.exit_code == 2
    assert "file scores.csv, row 2: not a number; found x" in result.stderr


def test_a_cell_that_departs_from_the_model_is_refused(small: Project):
    cells = small_cells()
    cells[1] = code(PARAMETERS.replace("scale = 1.0", "scale = 2.0"), "parameters")
    write_notebook(small.root, cells)
    result = call("check", "toy")
    assert result.exit_code == 2
    assert "parameters cell of toy.ipynb: 'scale' is 2.0 in the cell" in result.stderr


def test_one_faulty_benchmark_does_not_hide_the_others(small: Project):
    write_notebook(small.root, small_cells(), "another")
    result = call("check")
    assert result.exit_code == 2
    assert result.stdout.startswith("toy: sound")
    assert "benchmark 'another' has no module" in result.stderr


def test_own_data_and_parameters_are_checked_as_a_run_would(small: Project, tmp_path: Path):
    bad = tmp_path / "bad.csv"
    bad.write_text("1\ny\n", encoding="utf-8")
    assert "row 2: not a number; found y" in call("check", "toy", "--data", bad).stderr
    assert "scale" in call("check", "toy", "-p", "scale=0").stderr
    assert call("check", "toy", "-p", "scale=2").exit_code == 0
    assert call("check", "-p", "scale=2").exit_code == 2


def test_what_a_benchmark_says_of_its_data_is_told(small: Project, tmp_path: Path):
    module = small.root / "toy_benchmarks" / "toy.py"
    told = """

def describe(parameters):
    values = read(parameters)
    return f"{len(values)} scores", ["One is odd."] * (len(values) > 4)
"""
    module.write_text(module.read_text(encoding="utf-8") + told, encoding="utf-8")
    assert "1 data file, no specification, 4 scores" in call("check", "toy").stdout
    own = tmp_path / "own.csv"
    own.write_text("1\n2\n3\n4\n5\n", encoding="utf-8")
    with_spec(small)  # a second bundled file, which a run on one's own does not read
    result = call("check", "toy", "--data", own)
    assert result.stdout.endswith(", 3 parameters, 1 data file, 5 scores\n")
    assert result.stderr == "Note: One is odd.\n"


def test_a_broken_link_to_the_origin_is_told(small: Project):
    shutil.copytree(REPOSITORY / "data/ecg_image", small.data("toy"), dirs_exist_ok=True)
    path = small.data("toy") / "spec.yml"
    text = path.read_text(encoding="utf-8").replace("name: ecg_image", "name: toy")
    path.write_text(text, encoding="utf-8")
    told = call("check", "toy").stdout
    assert "results: 0 ranked, 3 pending, 0 not ranked" in told
    assert "what is measured has changed since" in told


@pytest.mark.parametrize("name", Project(REPOSITORY).names())
def test_the_benchmarks_of_the_house_are_sound(name: str):
    result = call("check", name, "--project", REPOSITORY)
    assert result.exit_code == 0, result.output
