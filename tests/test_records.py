"""Records: what they hold, that they hold no time and no machine path, how they compare."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook.errors import BenchbookError, ParameterError
from benchbook.estimate import Estimate, undefined
from benchbook.parameters import DATA_VARIABLE
from benchbook.records import (
    NOTEBOOK_VARIABLE,
    OUTPUT_VARIABLE,
    PROJECT_VARIABLE,
    RELATIVE_TOLERANCE,
    Record,
    compare,
    environment,
    file_link,
    flatten,
    notebook_hash,
    output_folder,
    project_root,
    save_record,
    source_hash,
)

KAPPA = Estimate(0.7, 0.6, 0.8, n_items=100, n_resamples=2000, n_undefined=3, name="kappa")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run's folders: ``project`` with a file, ``output``."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "bundled.csv").write_bytes(b"1\n")
    monkeypatch.setenv(PROJECT_VARIABLE, str(project))
    monkeypatch.setenv(OUTPUT_VARIABLE, str(tmp_path / "output"))
    monkeypatch.setenv(NOTEBOOK_VARIABLE, "n" * 64)
    monkeypatch.delenv(DATA_VARIABLE, raising=False)
    return tmp_path


def record(**numbers: float | int | str | bool | None) -> Record:
    return Record("toy", {"level": 0.95}, (), "n", "p", {"Python": "3"}, numbers)


# --- saving --------------------------------------------------------------------------------------


def test_record_is_written_beside_the_figures_and_reads_back_equal(run: Path):
    saved = save_record("toy", {"level": 0.95, "pair": (1, 2)}, {"kappa": KAPPA, "n": np.int64(5)})
    path = run / "output" / "files" / "toy" / "record.json"
    assert Record.read(path) == saved
    assert saved.same_inputs(Record.read(path))
    assert saved.notebook == "n" * 64
    assert saved.link == "files/toy/record.json"
    assert saved.parameters == {"level": 0.95, "pair": [1, 2]}


def test_same_run_writes_the_same_bytes_without_path_or_time(run: Path):
    path = run / "output" / "files" / "toy" / "record.json"
    contents = []
    for _ in range(2):
        save_record("toy", {}, {"kappa": KAPPA}, ["bundled.csv"])
        contents.append(path.read_bytes())
    assert contents[0] == contents[1]
    assert str(run).encode() not in contents[0]
    assert b"\r" not in contents[0]


def test_data_files_are_named_without_folder_and_hashed(run: Path, monkeypatch: pytest.MonkeyPatch):
    mine = run / "private" / "mine.csv"
    mine.parent.mkdir()
    mine.write_bytes(b"a,b\n")
    monkeypatch.setenv(DATA_VARIABLE, json.dumps({"mine.csv": str(mine)}))
    saved = save_record(
        "toy",
        {},
        {},
        [mine, "bundled.csv", {"file": "mine.csv", "rows": 1}, {"source": "Fleiss 1971"}],
    )
    digest = hashlib.sha256(b"a,b\n").hexdigest()
    assert saved.data[0] == {"file": "mine.csv", "sha256": digest, "bytes": 4}
    assert saved.data[1]["file"] == "bundled.csv"
    assert saved.data[2] == {"file": "mine.csv", "rows": 1, "sha256": digest, "bytes": 4}
    assert saved.data[3] == {"source": "Fleiss 1971"}
    assert "private" not in saved.to_json()


def test_bundled_file_keeps_its_place_in_the_project(run: Path):
    inside = run / "project" / "data" / "toy" / "t.csv"
    inside.parent.mkdir(parents=True)
    inside.write_text("1")
    assert save_record("toy", {}, {}, [inside]).data[0]["file"] == "data/toy/t.csv"


def test_estimates_spread_over_named_numbers():
    lost = undefined("one category only", name="alpha", n_items=4)
    assert flatten({"pair": {"kappa": KAPPA}, "more": [lost]}) == {
        "pair: kappa": 0.7,
        "pair: kappa [low]": 0.6,
        "pair: kappa [high]": 0.8,
        "pair: kappa [n_items]": 100,
        "pair: kappa [n_undefined]": 3,
        "more: alpha": None,
        "more: alpha [reason]": "one category only",
        "more: alpha [n_items]": 4,
    }
    assert flatten([KAPPA]) == flatten({"kappa": KAPPA})


def test_numbers_become_what_json_can_hold():
    numbers = {
        "nan": math.nan,
        "inf": -math.inf,
        "third": np.float64(1 / 3),
        "flag": np.bool_(True),
        "word": "accepted",
        "none": None,
    }
    assert flatten(numbers) == {
        "nan": None,
        "inf": "-inf",
        "third": 0.333333333333,
        "flag": True,
        "word": "accepted",
        "none": None,
    }
    json.loads(record(**flatten(numbers)).to_json())


@pytest.mark.parametrize(
    ("numbers", "told"),
    [
        ({"a": {"b": 1}, "a: b": 2}, "two numbers of the record are called 'a: b'"),
        ({"array": np.zeros(3)}, "'array' of the record is a ndarray"),
        ({"object": object()}, "'object' of the record is a object"),
        ([0.5], "without names"),
        ([Estimate(0.5)], "without names"),
    ],
)
def test_numbers_that_cannot_be_recorded_are_refused(numbers: object, told: str):
    with pytest.raises(ParameterError) as caught:
        flatten(numbers)
    assert told in str(caught.value)


def test_record_shows_itself_as_a_table(run: Path):
    saved = save_record("toy", {"word": "a|b"}, {"n": 3}, [{"file": "bundled.csv", "rows": 1}])
    lines = saved._repr_markdown_().splitlines()
    assert '| `word` | `"a\\|b"` |' in lines
    assert any(line.startswith("| data: bundled.csv | SHA-256 `") for line in lines)
    assert any("rows: 1" in line for line in lines)
    assert "[record.json](files/toy/record.json)" in lines[-1]
    assert repr(saved) == "<record of toy, 1 numbers>"


def test_environment_tells_python_and_the_libraries_for_numbers():
    versions = environment()
    assert versions["numpy"] == np.__version__
    assert {"Python", "scipy", "pandas", "platform"} <= set(versions)


@pytest.mark.parametrize("content", [None, "{", "[]", '{"name": "toy"}'])
def test_file_that_is_no_record_is_refused(tmp_path: Path, content: str | None):
    path = tmp_path / "record.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(BenchbookError, match=r"record\.json"):
        Record.read(path)


# --- places and hashes ---------------------------------------------------------------------------


def test_project_is_found_upwards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(PROJECT_VARIABLE, raising=False)
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    assert project_root(deep) is None
    (tmp_path / "_quarto.yml").write_text("")
    assert project_root(deep) == tmp_path


def test_output_of_a_notebook_opened_by_hand_goes_to_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv(PROJECT_VARIABLE, raising=False)
    monkeypatch.delenv(OUTPUT_VARIABLE, raising=False)
    (tmp_path / "_quarto.yml").write_text("")
    (tmp_path / "notebooks").mkdir()
    monkeypatch.chdir(tmp_path / "notebooks")
    assert output_folder("toy") == tmp_path / "out" / "files" / "toy"
    assert file_link("toy", "a.svg") == "files/toy/a.svg"


def test_notebook_hash_sees_source_and_tags_only():
    def notebook(source: str | list[str], **more: object) -> dict:
        cell = {"cell_type": "code", "source": source, "metadata": {}, "outputs": []}
        return {"cells": [{**cell, **more}]}

    digest = notebook_hash(notebook("a = 1\nb = 2"))
    same = notebook(["a = 1\n", "b = 2"], id="x", execution_count=3, metadata={"scrolled": True})
    assert notebook_hash(same) == digest
    assert notebook_hash(notebook("a = 1\r\nb = 2")) == digest
    assert notebook_hash(notebook("a = 1\nb = 3")) != digest
    assert notebook_hash(notebook("a = 1\nb = 2", metadata={"tags": ["parameters"]})) != digest


def test_source_hash_is_the_same_for_both_line_ends(tmp_path: Path):
    for name, content in (("unix", b"a\nb\n"), ("windows", b"a\r\nb\r\n")):
        (tmp_path / name).write_bytes(content)
    assert source_hash(tmp_path / "unix") == source_hash(tmp_path / "windows")


# --- comparing -----------------------------------------------------------------------------------

VERDICTS = [
    (0.7, 0.7, "equal"),
    (0.7, 0.7 * (1 + RELATIVE_TOLERANCE / 2), "agrees"),
    (0.7, 0.7 * (1 + RELATIVE_TOLERANCE * 2), "differs"),
    (0.0, 1e-13, "agrees"),
    (0.0, 1e-9, "differs"),
    (10**12, 10**12 + 1, "differs"),
    (3, 3.0, "equal"),
    (None, None, "equal"),
    (None, 0.0, "differs"),
    (True, True, "equal"),
    (True, 1, "differs"),
    ("accepted", "accepted", "equal"),
    ("accepted", "conditional", "differs"),
    ("-inf", -1.0, "differs"),
]


@pytest.mark.parametrize(("recorded", "found", "verdict"), VERDICTS)
def test_verdict_on_one_number(recorded: object, found: object, verdict: str):
    (row,) = compare(record(x=recorded), record(x=found))
    assert row.verdict == verdict
    assert row.reproduced == (verdict in ("equal", "agrees"))
    assert row[:3] == ("x", recorded, found)


def test_missing_and_new_numbers_are_told_in_order():
    rows = compare(record(a=1, b=2, c=3), record(c=3, d=4, a=1))
    assert [(row.name, row.verdict) for row in rows] == [
        ("a", "equal"),
        ("b", "missing"),
        ("c", "equal"),
        ("d", "new"),
    ]
    assert [row.reproduced for row in rows] == [True, False, True, False]


def test_difference_is_found_minus_recorded():
    assert compare(record(x=1.0), record(x=1.5))[0].difference == 0.5


@given(st.floats(-1e300, 1e300), st.floats(-1e300, 1e300), st.floats(0, 1))
def test_verdict_does_not_depend_on_which_run_was_first(first: float, second: float, tol: float):
    forth = compare(record(x=first), record(x=second), tol)[0].verdict
    assert forth == compare(record(x=second), record(x=first), tol)[0].verdict


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_number_that_went_through_json_compares_equal(value: float):
    saved = record(x=flatten({"x": value})["x"])
    back = json.loads(saved.to_json())["numbers"]["x"]
    assert compare(saved, record(x=back), tolerance=0)[0].verdict == "equal"


@pytest.mark.parametrize("tolerance", [-1.0, math.nan])
def test_tolerance_below_zero_is_refused(tolerance: float):
    with pytest.raises(ParameterError, match="tolerance"):
        compare(record(), record(), tolerance)


def test_inputs_are_the_same_when_only_the_machine_differs():
    first = record(x=1)
    assert first.same_inputs(dataclasses.replace(first, environment={}, numbers={}))
    for part, value in (("parameters", {}), ("data", ({},)), ("notebook", "m"), ("package", "q")):
        assert not first.same_inputs(dataclasses.replace(first, **{part: value}))
