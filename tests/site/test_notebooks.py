"""The real notebooks: the contract of a page, a small run, and the same outputs again."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchbook.site.contract import check_executed
from benchbook.site.project import find_project
from benchbook.site.run import prepare, run_notebook

ROOT = Path(__file__).resolve().parents[2]
PROJECT = find_project(ROOT)
NAMES = PROJECT.names()
FEW_RESAMPLES = {"n_resamples": 200}
OWN_FILE = """case,patient,reader 1,reader 2,reader 3,ai
c1,p1,mild,mild,moderate,mild
c2,p1,severe,severe,,severe
c3,p2,mild,moderate,moderate,moderate
c4,p2,moderate,moderate,moderate,severe
c5,p3,severe,moderate,severe,severe
c6,p3,mild,mild,mild,mild
c7,p4,moderate,severe,severe,severe
c8,p4,mild,mild,moderate,mild
"""


@pytest.mark.parametrize("name", NAMES)
def test_parameters_cell_and_model_say_the_same(name):
    from benchbook.parameters import check_notebook_against_model

    assert check_notebook_against_model(PROJECT.source(name), PROJECT.model(name)) == []


@pytest.fixture(scope="module", params=NAMES)
def small_run(request, tmp_path_factory):
    name = request.param
    folder = tmp_path_factory.mktemp(name)
    inputs = prepare(PROJECT, name, small_values(name))
    return name, run_notebook(PROJECT, name, inputs, folder)


def small_values(name: str) -> dict:
    """Return the values that make a chapter's run small; a chapter may have no resamples."""
    fields = PROJECT.model(name).model_fields
    return {key: value for key, value in FEW_RESAMPLES.items() if key in fields}


@pytest.mark.site
def test_small_run_executes_every_cell_and_makes_every_file(small_run):
    name, finished = small_run
    assert check_executed(finished.page, [ROOT, Path.home()]) == []
    kinds = {path.suffix for path in finished.files}
    assert {".svg", ".pdf", ".png", ".csv", ".tex", ".json"} <= kinds
    assert finished.record is not None
    values = small_values(name)
    assert finished.record.parameters.items() >= values.items()
    injected = [
        "".join(cell["source"])
        for cell in json.loads(finished.page.read_text(encoding="utf-8"))["cells"]
        if "injected-parameters" in cell["metadata"].get("tags", [])
    ]
    assert len(injected) == bool(values)
    assert all(f"{key} = {value}" in injected[0] for key, value in values.items())


@pytest.mark.site
def test_executing_the_page_again_gives_the_same_outputs(small_run, tmp_path):
    """nbval runs each cell of the executed page and compares its outputs with those stored."""
    _, finished = small_run
    again = tmp_path / "again"
    again.mkdir()
    environment = {
        **os.environ,
        "BENCHBOOK_OUTPUT": str(again),
        "BENCHBOOK_PROJECT": str(ROOT),
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    command += ["--nbval", "--nbval-current-env", str(finished.page)]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert re.search(r"\d+ passed", done.stdout)


@pytest.mark.site
def test_own_file_gets_a_chapter_without_a_trace_of_the_bundled_data(tmp_path):
    name = "inter_rater_reliability"
    file = tmp_path / "mine" / "reading study.csv"
    file.parent.mkdir()
    file.write_text(OWN_FILE, encoding="utf-8")
    given = {
        **FEW_RESAMPLES,
        "kind": "ordinal",
        "categories": ["mild", "moderate", "severe"],
        "item": "case",
        "cluster": "patient",
        "model": "ai",
    }
    folder = tmp_path / "out"
    folder.mkdir()
    finished = run_notebook(PROJECT, name, prepare(PROJECT, name, given, file), folder)
    page = json.loads(finished.page.read_text(encoding="utf-8"))
    assert check_executed(finished.page, [ROOT, file.parent]) == []
    results = text_of_results(page)
    assert "reading study.csv" in results
    assert "patient" in results
    for trace in ("Pathology", "Psychiatric", "Carcinoma", "sclerosis", "judges", "Peak flow"):
        assert trace not in results
    assert finished.record is not None
    assert [Path(entry["file"]).name for entry in finished.record.data] == ["reading study.csv"]


def text_of_results(page: dict) -> str:
    """Return every word that a page shows, sources of prose and outputs alike."""
    words = []
    for cell in page["cells"]:
        if cell["cell_type"] != "code":
            words.append("".join(cell["source"]))
        else:
            words.append(
                "\n".join(row for row in "".join(cell["source"]).split("\n") if "#|" in row)
            )
        for output in cell.get("outputs", []):
            for kind, content in output.get("data", {}).items():
                if kind.startswith("text/"):
                    words.append("".join(content))
    return "\n".join(words)
