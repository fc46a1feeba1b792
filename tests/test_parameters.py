"""Parameters: read from a cell, typed from the command line, checked before anything runs."""

from __future__ import annotations

import json
from enum import Enum
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from benchbook.errors import ParameterError
from benchbook.parameters import (
    DATA_VARIABLE,
    DataFile,
    check_notebook_against_model,
    data_path,
    expected,
    from_namespace,
    hide_folders,
    is_file_parameter,
    parse_assignments,
    parse_command_line,
    read_cell,
    read_file,
    validate,
)
from benchbook.records import PROJECT_VARIABLE


class Scale(Enum):
    NOMINAL = "nominal"
    ORDINAL = "ordinal"


class Model(BaseModel):
    model_config = ConfigDict(extra="forbid")
    data: str = Field("table.csv", description="File of ratings.")
    label: str | None = Field(None, description="Text.")
    n_resamples: int = Field(2000, ge=100, le=100_000, description="Resamples.")
    level: float = Field(0.95, gt=0, lt=1, description="Confidence level.")
    weights: Literal["none", "linear", "quadratic"] = Field("none", description="Weights.")
    scale: Scale = Field(Scale.NOMINAL, description="Scale.")
    raters: list[str] = Field(default_factory=list, description="Columns.")
    limits: tuple[float, float] | None = Field(None, description="Two bounds.")
    seed: int | None = Field(0, ge=0, description="Seed.")
    exact: bool = Field(True, description="Exact interval.")
    threshold: float | str = Field("auto", description="Number, or auto.")
    gold: DataFile = Field("", description="Second file.")
    item: str | list[str] | None = Field(None, description="Columns.")
    where: dict[str, int] | None = Field(None, description="Rows kept.")


CELL = """#| echo: true
data = "table.csv"  # file of ratings
label = None  # text

# resamples of the bootstrap
n_resamples = 2000
level: float = 0.95  # confidence level, 0 to 1
weights = "none"  # none, linear or quadratic
scale = "nominal"  # nominal or ordinal
raters = [  # columns, all when empty
]
limits = None  # two bounds
seed = 0  # of the resamples
exact = True  # exact interval
threshold = "auto"  # number, or auto
gold = ""  # second file
item = None  # columns
where = None  # rows kept
"""


def cell(source: str) -> dict:
    parameters = {"cell_type": "code", "metadata": {"tags": ["parameters"]}, "source": source}
    other = {"cell_type": "code", "metadata": {}, "source": "not_a_parameter = 1"}
    return {"cells": [other, parameters], "nbformat": 4}


# --- the cell ------------------------------------------------------------------------------------


def test_cell_is_read_with_values_and_comments():
    found = read_cell(cell(CELL))
    assert list(found) == list(Model.model_fields)
    assert found["level"].value == 0.95
    assert found["level"].comment == "confidence level, 0 to 1"
    assert found["n_resamples"].comment == "resamples of the bootstrap"
    assert found["raters"].value == []
    assert found["raters"].comment == "columns, all when empty"
    assert found["data"].line == 2


def test_comment_of_the_line_above_is_not_borrowed_when_it_belongs_to_another_value():
    found = parse_assignments("a = 1  # about a\nb = 2")
    assert found["b"].comment == ""


def test_cell_is_read_from_a_file_with_byte_order_mark_and_source_lines(tmp_path: Path):
    content = cell(CELL)
    content["cells"][1]["source"] = CELL.splitlines(keepends=True)
    path = tmp_path / "n.ipynb"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(content).encode())
    assert list(read_cell(path)) == list(Model.model_fields)


def test_notebook_without_parameters_cell_has_none():
    assert read_cell({"cells": []}) == {}


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("a = b", "the value of 'a' must be a literal"),
        ("a = 2 * 1000", "must be a literal"),
        ("a = {1, 2}", "must be a literal"),
        ("a = b = 1", "one parameter a line"),
        ("a, b = 1, 2", "expected a plain name"),
        ("print(1)", "one parameter a line"),
        ("a = 1\na = 2", "line 2: 'a' is set twice"),
        ("a = = 1", "line 1"),
    ],
)
def test_cell_with_anything_but_literals_is_refused(source: str, told: str):
    with pytest.raises(ParameterError, match="parameters cell") as caught:
        parse_assignments(source)
    assert told in str(caught.value)


def test_cell_that_equals_its_model_has_no_problem():
    assert check_notebook_against_model(cell(CELL), Model) == []


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("level: float = 0.95", "level = 0.9", "'level' is 0.9 in the cell, 0.95 in the model"),
        ("exact = True", "exact = 1", "'exact' is 1 in the cell"),
        ("n_resamples = 2000", "n_resamples = 2000.0", "'n_resamples' is 2000.0 in the cell"),
        ("seed = 0  # of the resamples\n", "", "'seed' is not in the cell"),
        ("seed = 0", "speed = 0", "'speed' is not in the model"),
    ],
)
def test_cell_that_departs_from_its_model_is_told(before: str, after: str, told: str):
    assert before in CELL
    problems = check_notebook_against_model(cell(CELL.replace(before, after)), Model)
    assert any(told in problem for problem in problems)


def test_order_and_missing_descriptions_are_told():
    class Two(BaseModel):
        a: int = 1
        b: int = Field(2, description="B.")

    problems = check_notebook_against_model(cell("b = 2\na = 1"), Two)
    assert len(problems) == 2
    assert problems[0].startswith("order")
    assert problems[1] == "'a' has no description in the model"


# --- the command line ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("exact=false", False),
        ("exact=False", False),
        ("exact=True", True),
        ("seed=null", None),
        ("seed=None", None),
        ("seed=7", 7),
        ("n_resamples=2000.0", 2000.0),
        ("level=0.9", 0.9),
        ("level=.9", 0.9),
        ("level=9e-1", 0.9),
        ("raters=[]", []),
        ('raters=["A", "B"]', ["A", "B"]),
        ("raters=['A', 'B']", ["A", "B"]),
        ("raters=A,B", ["A", "B"]),
        ("raters=A", ["A"]),
        ("raters=1,2", ["1", "2"]),
        ("limits=[0, 1.5]", [0, 1.5]),
        ("limits=0,1.5", [0, 1.5]),
        ("limits=null", None),
        ("threshold=0.5", 0.5),
        ("threshold=auto", "auto"),
        ("item=patient", "patient"),
        ("item=patient,eye", ["patient", "eye"]),
        ('item=["a"]', ["a"]),
        ("item=7", "7"),
        ("item=null", None),
        ('where={"arm": 1}', {"arm": 1}),
        ("data=007", "007"),
        ("data=1", "1"),
        ("data=true", "true"),
        ("data=a=b=c.csv", "a=b=c.csv"),
        ("data=", ""),
        ("label=null", None),
        ("label=nulls", "nulls"),
        ("weights=linear", "linear"),
        ("scale=ordinal", "ordinal"),
        ("unheard_of=1_000", "1_000"),
        ('unheard_of={"a": [1, null]}', {"a": [1, None]}),
    ],
)
def test_command_line_value_arrives_as_what_it_is(text: str, value: object):
    name = text.split("=")[0]
    found = parse_command_line([text], Model)[name]
    assert found == value
    assert type(found) is type(value)


@given(st.text())
def test_text_parameter_keeps_any_text(text: str):
    assert parse_command_line([f"data={text}"], Model) == {"data": text}


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_json_comes_back_for_a_parameter_of_any_type(value: object):
    class Loose(BaseModel):
        anything: object = None

    assert parse_command_line([f"anything={json.dumps(value)}"], Loose) == {"anything": value}


def test_repeated_name_is_refused():
    with pytest.raises(ParameterError, match="'seed' is given twice"):
        parse_command_line(["seed=1", "seed=2"], Model)


@pytest.mark.parametrize("text", ["seed", "=1", "", " =1"])
def test_item_without_name_or_value_is_refused(text: str):
    with pytest.raises(ParameterError, match="expected NAME=VALUE"):
        parse_command_line([text], Model)


# --- validation ----------------------------------------------------------------------------------


def test_valid_values_make_a_model_with_defaults():
    checked = validate(Model, {"level": 0.9, "limits": [0, 1], "scale": "ordinal", "seed": None})
    assert checked.level == 0.9
    assert checked.limits == (0.0, 1.0)
    assert checked.scale is Scale.ORDINAL
    assert checked.seed is None
    assert checked.n_resamples == 2000


def test_values_of_numpy_and_paths_are_plain_values():
    checked = validate(Model, {"seed": np.int64(3), "level": np.float64(0.5), "data": Path("a/b")})
    assert (checked.seed, checked.level, checked.data) == (3, 0.5, "a/b")


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"n_resample": 500}, "unknown parameter 'n_resample'; did you mean 'n_resamples'?"),
        ({"N_RESAMPLES": 500}, "did you mean 'n_resamples'?"),
        (
            {"n_resamples": 50},
            "parameter 'n_resamples' is 50; expected a whole number from 100 to 100000.",
        ),
        ({"n_resamples": True}, "'n_resamples' is true; expected a whole number"),
        ({"n_resamples": 2000.0}, "from 100 to 100000 (write 2000)."),
        ({"n_resamples": 250.5}, "'n_resamples' is 250.5; expected a whole number from"),
        ({"n_resamples": "2000"}, """'n_resamples' is "2000"; expected a whole number"""),
        ({"level": 1.0}, "'level' is 1.0; expected a number above 0 and below 1."),
        ({"level": float("nan")}, "'level' is NaN; expected a number above 0 and below 1."),
        ({"level": True}, "'level' is true; expected a number"),
        ({"level": None}, "'level' is null; expected a number"),
        ({"exact": 1}, "'exact' is 1; expected true or false."),
        ({"exact": "false"}, """'exact' is "false"; expected true or false."""),
        ({"data": 7}, "'data' is 7; expected text."),
        (
            {"weights": "quadratc"},
            """is "quadratc"; expected one of "none", "linear", "quadratic".""",
        ),
        ({"scale": "interval"}, """expected one of "nominal", "ordinal"."""),
        ({"raters": ["A", 3]}, """'raters' is ["A", 3]; expected a list, each text."""),
        ({"limits": [1]}, "'limits' is [1]; expected a list of 2: a number, a number, or null."),
        ({"seed": -1}, "'seed' is -1; expected a whole number at least 0, or null."),
        ({"threshold": None}, "'threshold' is null; expected a number or text."),
    ],
)
def test_refusal_names_parameter_value_and_expectation(values: dict, told: str):
    with pytest.raises(ParameterError) as caught:
        validate(Model, values)
    assert told in str(caught.value)


def test_all_problems_come_in_one_paragraph():
    with pytest.raises(ParameterError) as caught:
        validate(Model, {"sed": 1, "level": 2, "exact": "no"})
    message = str(caught.value)
    assert "\n" not in message
    for name in ("'sed'", "'level'", "'exact'"):
        assert name in message


def test_rules_of_the_model_speak_in_their_own_words():
    class Ruled(BaseModel):
        low: float = Field(0.0, description="Low.")
        high: float = Field(1.0, description="High.")
        needed: int = Field(description="Needed.")

        @field_validator("low")
        @classmethod
        def finite(cls, value: float) -> float:
            if value < -10:
                raise ValueError("too low, by far")
            return value

        @model_validator(mode="after")
        def ordered(self) -> Ruled:
            if self.low >= self.high:
                raise ValueError("low must be below high")
            return self

    with pytest.raises(ParameterError, match="parameter 'low' is -11: too low, by far"):
        validate(Ruled, {"low": -11, "needed": 1})
    with pytest.raises(ParameterError, match="low must be below high"):
        validate(Ruled, {"low": 2, "needed": 1})
    with pytest.raises(ParameterError, match="'needed' is required: a whole number"):
        validate(Ruled, {})


def test_value_that_no_notebook_can_hold_is_refused():
    with pytest.raises(ParameterError, match="a parameter holds object"):
        validate(Model, {"data": object()})


def test_expected_puts_bounds_into_words():
    class Bounds(BaseModel):
        half_open: float = Field(0.5, ge=0, lt=1)
        some: Annotated[list[int], Field(min_length=2)] = [1, 2]
        name: str = Field("ab", pattern="^a")
        even: int = Field(2, multiple_of=2)
        mark: str = Field(",", min_length=1, max_length=1)
        rows: dict[str, int] | None = None

    words = {name: expected(field) for name, field in Bounds.model_fields.items()}
    assert words == {
        "half_open": "a number at least 0 and below 1",
        "some": "a list of at least 2 items, each a whole number",
        "name": "text matching ^a",
        "even": "a whole number a multiple of 2",
        "mark": "text 1 character long",
        "rows": "a mapping, or null",
    }


def test_namespace_of_a_notebook_is_checked():
    namespace = {"level": 0.8, "unrelated": object(), "seed": 5}
    assert from_namespace(Model, namespace).level == 0.8
    with pytest.raises(ParameterError, match="'level'"):
        from_namespace(Model, {"level": 80})


# --- parameters files ----------------------------------------------------------------------------


def test_yaml_and_json_files_are_read(tmp_path: Path):
    yaml, plain = tmp_path / "p.yml", tmp_path / "p.json"
    yaml.write_text("﻿seed: 1\nraters: [A, B]\nexact: false\nlabel: null\n", encoding="utf-8")
    values = {"seed": 1, "raters": ["A", "B"], "exact": False, "label": None}
    plain.write_text(json.dumps(values), encoding="utf-8")
    assert read_file(yaml) == values
    assert read_file(plain) == values
    assert validate(Model, read_file(yaml)).raters == ["A", "B"]


def test_empty_file_sets_nothing(tmp_path: Path):
    path = tmp_path / "p.yml"
    path.write_text("# nothing\n", encoding="utf-8")
    assert read_file(path) == {}


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("p.yml", b"seed: 1\nseed: 2\n", "'seed' is given twice"),
        ("p.json", b'{"seed": 1, "seed": 2}', "'seed' is given twice"),
        ("p.yml", b"- 1\n- 2\n", "expected 'name: value' lines"),
        ("p.yml", b"seed: [1\n", "line 2: not YAML"),
        ("p.json", b'{"seed": 1\n"level": 2}', "line 2: not JSON"),
        ("p.yml", b"label: \xff\n", "not UTF-8"),
        ("p.yml", b"1: 2\n", "expected 'name: value' lines"),
        ("p.yml", b"[1, 2]: 3\n", "p.yml"),
    ],
)
def test_unusable_file_is_refused(tmp_path: Path, name: str, content: bytes, told: str):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ParameterError) as caught:
        read_file(path)
    assert told in str(caught.value)
    assert name in str(caught.value)


def test_missing_file_is_refused(tmp_path: Path):
    with pytest.raises(ParameterError, match="No such file"):
        read_file(tmp_path / "none.yml")


# --- data files ----------------------------------------------------------------------------------


def test_file_parameters_are_data_and_those_marked():
    assert is_file_parameter("data", Model)
    assert is_file_parameter("gold", Model)
    assert not is_file_parameter("label", Model)
    assert not is_file_parameter("absent", Model)


def test_folders_are_hidden_and_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    first, second = tmp_path / "a" / "t.csv", tmp_path / "b" / "t.csv"
    for path in (first, second):
        path.parent.mkdir()
        path.write_text(path.parent.name)
    given = {"data": "a/t.csv", "gold": str(second), "label": "a/t.csv"}
    values, files = hide_folders(given, Model, tmp_path)
    assert values == {"data": "t.csv", "gold": "b/t.csv", "label": "a/t.csv"}
    monkeypatch.setenv(DATA_VARIABLE, json.dumps({name: str(path) for name, path in files.items()}))
    assert data_path(values["data"]).read_text() == "a"
    assert data_path(values["gold"]).read_text() == "b"


def test_name_that_is_no_file_is_left_to_the_benchmark(tmp_path: Path):
    assert hide_folders({"data": "fleiss_1971"}, Model, tmp_path) == ({"data": "fleiss_1971"}, {})


def test_other_paths_start_at_the_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(PROJECT_VARIABLE, str(tmp_path))
    monkeypatch.delenv(DATA_VARIABLE, raising=False)
    assert data_path("data/x.csv") == tmp_path / "data" / "x.csv"
    assert data_path(tmp_path / "y.csv") == tmp_path / "y.csv"
