"""Specifications: what is hashed and what is not, and messages that name file, line and field."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from spec_examples import ROOT, content, read, toy, write

from benchbook.errors import BenchbookError, DataError
from benchbook.specs import ChapterSpecification, TaskSpecification, not_hashed, read_spec
from benchbook.specs.find import spec_of
from benchbook.specs.reading import read_yaml
from benchbook.specs.schema import Part, hashed_content

SLOW_DISK = [HealthCheck.function_scoped_fixture]


# ---- one measurement, one hash --------------------------------------------------------------


@settings(max_examples=30, suppress_health_check=SLOW_DISK, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    style=st.sampled_from([None, "'", '"', "|", ">"]),
    flow=st.sampled_from([None, True, False]),
    indent=st.integers(2, 6),
    width=st.integers(20, 200),
)
def test_writing_it_otherwise_changes_nothing(
    tmp_path: Path, seed: int, style: str | None, flow: bool | None, indent: int, width: int
) -> None:
    before = toy(tmp_path)
    turned = _shuffled(content(), random.Random(seed))
    if style is not None:
        turned = _styled(turned, style)
    text = yaml.dump(
        turned,
        Dumper=_Dumper,
        sort_keys=False,
        default_flow_style=flow,
        indent=indent,
        width=width,
        allow_unicode=bool(seed % 2),
    )
    after = read(tmp_path, f"# a comment\n{text}\n\n# another\n")
    assert after.canonical == before.canonical
    assert after.hash == before.hash


class _Styled(str):
    """A text with the style that YAML is to write it in."""

    style = ""


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


_Dumper.add_representer(
    _Styled,
    lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style=text.style),
)


def _styled(value: Any, style: str) -> Any:
    if isinstance(value, dict):
        return {key: _styled(inner, style) for key, inner in value.items()}
    if isinstance(value, list):
        return [_styled(inner, style) for inner in value]
    if isinstance(value, str):
        value = _Styled(value)
        value.style = style
    return value


def _shuffled(value: Any, order: random.Random) -> Any:
    if isinstance(value, dict):
        pairs = list(value.items())
        order.shuffle(pairs)
        return {key: _shuffled(inner, order) for key, inner in pairs}
    return [_shuffled(inner, order) for inner in value] if isinstance(value, list) else value


@pytest.mark.parametrize("number", ["1", "1.0", "1e0", "10e-1", "0.1e1", "+1"])
def test_one_number_however_it_is_written(tmp_path: Path, number: str) -> None:
    text = yaml.safe_dump(content()).replace("temperature: 0", f"temperature: {number}")
    expected = content()
    expected["prompt"]["temperature"] = 1
    assert read(tmp_path, text).hash == read(tmp_path, expected).hash


def test_composed_and_decomposed_letters_are_one_text(tmp_path: Path) -> None:
    composed, decomposed = toy(tmp_path, prediction="\u00e9"), toy(tmp_path, prediction="e\u0301")
    assert composed.hash == decomposed.hash
    assert decomposed.prediction == "\u00e9"


def test_an_empty_list_is_as_good_as_none(tmp_path: Path) -> None:
    given_ = copy.deepcopy(content())
    given_["metrics"] |= {"secondary": [], "higher_is_better": True}
    given_["parser"]["version"] = "v0"
    given_["labels"]["hedges"] = []
    assert read(tmp_path, given_).hash == toy(tmp_path).hash


def _leaves(value: Any, place: tuple = ()) -> Iterator[tuple]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, (*place, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _leaves(inner, (*place, number))
    else:
        yield place


def _changed(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    return f"{value} x"


def _with_change(data: dict, place: tuple) -> dict:
    data = copy.deepcopy(data)
    inner = data
    for part in place[:-1]:
        inner = inner[part]
    inner[place[-1]] = _changed(inner[place[-1]])
    return data


def test_every_change_of_what_is_measured_changes_the_hash_and_no_other(tmp_path: Path) -> None:
    """Each value of the full benchmark's file, changed alone."""
    path = ROOT / "data" / "ecg_image" / "spec.yml"
    data = read_yaml(path).content
    before = spec_of(read_yaml(path))
    told = [tuple(place.split(".")) for place in not_hashed(TaskSpecification)]
    n_hashed = n_told = 0
    for place in _leaves(data):
        try:
            after = TaskSpecification.model_validate(_with_change(data, place))
        except ValueError:
            continue  # the schema allows no other value there
        is_told = any(place[: len(prefix)] == prefix for prefix in told)
        assert (after.hash == before.hash) == is_told, place
        n_hashed, n_told = n_hashed + (not is_told), n_told + is_told
    assert n_hashed > 100
    assert n_told > 20


def test_fields_that_only_tell_are_as_documented() -> None:
    """A field moved in or out of the hash makes every result stale, so it is done knowingly."""
    top = {name for name in not_hashed(TaskSpecification) if "." not in name}
    assert top == {
        "title", "limitations", "decisions", "files", "preview", "visibility", "baselines",
        "leakage_checks", "checks", "pilot", "origin",
    }  # fmt: skip
    assert set(not_hashed(ChapterSpecification)) == {"title", "limitations", "decisions", "files"}


def test_defaults_are_empty_and_lists_of_parts_hide_nothing() -> None:
    """A default that says something would change the hash of old files when it changes."""
    for model in _models(TaskSpecification) | _models(ChapterSpecification):
        for name, field in model.model_fields.items():
            default = field.get_default(call_default_factory=True)
            if not field.is_required() and (model.__name__, name) not in (
                ("ChapterSpecification", "form"),
                ("Metrics", "higher_is_better"),
            ):
                assert default in (None, (), {}), (model, name)


def _models(model: type[Part]) -> set[type[Part]]:
    found = {model}
    for field in model.model_fields.values():
        for inner in _parts(field.annotation):
            found |= _models(inner)
    return found


def _parts(annotation: Any) -> Iterator[type[Part]]:
    if isinstance(annotation, type) and issubclass(annotation, Part):
        yield annotation
    for inner in get_args(annotation):
        yield from _parts(inner)


def test_told_fields_lie_only_where_the_hash_looks_for_them() -> None:
    """Inside lists and mappings of parts nothing is left out, so nothing there may ask for it."""
    reached = set(not_hashed(TaskSpecification))
    marked = {
        f"{model.__name__}.{name}"
        for model in _models(TaskSpecification)
        for name, field in model.model_fields.items()
        if field.json_schema_extra == {"x-hashed": False}
    }
    names = {entry.rsplit(".", 1)[-1] for entry in reached}
    assert {entry.split(".")[1] for entry in marked} == names


def test_hash_of_the_toy_is_that_of_its_canonical_text(tmp_path: Path) -> None:
    spec = toy(tmp_path)
    content_ = hashed_content(spec)
    assert "title" not in content_
    assert "citation" not in content_["dataset"]
    assert content_["form"] == "task"
    assert toy(tmp_path, title="Another", limitations=[], decisions=[]).hash == spec.hash
    assert toy(tmp_path, version=1).hash != spec.hash


# ---- messages ---------------------------------------------------------------------------------


def _refused(tmp_path: Path, data: Any) -> str:
    with pytest.raises(DataError) as caught:
        read(tmp_path, data)
    return str(caught.value)


def _row(text: str, line: str) -> int:
    return text.splitlines().index(line) + 1


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("version: 0", "versoin: 0", "field versoin: not a field of a specification, did you mean"),
        ("  rule: last", "  rules: last", "field parser.rules: not a field"),
        ("  unparsed: none", "  unparsed: 3", "field parser.unparsed: cannot be used; found 3"),
        ("    n: 1000", "    n: 1.5", "field metrics.bootstrap.n: cannot be used; found 1.5"),
        ("    n: 1000", "    n: 0", "greater than or equal to 1"),
        ("preview: true", "preview: yes", "field preview: cannot be used; found 'yes'"),
        ("  doi: 10.1234/toy", "  doi: https://doi.org/10.1234/toy", "field dataset.doi: "),
        ("visibility: open", "visibility: secret", "expected 'open' or 'hidden'"),
        ("  - '2'", "  - 2", "field classes.A.codes[2]: cannot be used; found 2; expected text; "),
        ("form: task", "form: tusk", "field form: unknown; found tusk; expected chapter or task"),
        ("    records: 10", "    records: 5", "counts.parts.test has more groups or scored"),
        ("      A: 5", "      D: 5", "does not count the classes: A, D"),
        ("      A: 5", "      A: 9", "more A than 8 scored records"),
        ("      A: 5", "      A: 4", "3 + 2 is not the 4 positives"),
        ("      draws: 11", "      draws: 10", "test lacks 0 of the records drawn"),
        ("  n_records: 1", "  n_records: 2", "the parts hold 1 of 2 records"),
        ("  hash: aaaaaaaaaaaa", "  hash: 12345678e123", "expected text; put it in quotes"),
        ("  seed: 1", "  seed: 9007199254740993", "a number that JSON does not keep exactly"),
    ],
)
def test_message_names_file_line_and_field(
    tmp_path: Path, before: str, after: str, told: str
) -> None:
    text = yaml.safe_dump(content())
    lines = [line for line in text.splitlines() if line.endswith(before)]
    assert lines, text
    changed = text.replace(lines[0] + "\n", lines[0].replace(before, after) + "\n", 1)
    message = _refused(tmp_path, changed)
    assert "file spec.yml, row " in message
    assert told in message


def test_the_row_is_that_of_the_field(tmp_path: Path) -> None:
    text = yaml.safe_dump(content()).replace("  rule: last", "  rulr: last")
    message = _refused(tmp_path, text)
    assert f"row {_row(text, '  rulr: last')}: field parser.rulr: not a field" in message
    assert "did you mean 'rule'?" in message
    assert f"row {_row(text, 'parser:')}: field parser.rule: missing" in message


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "expected 'name: value' lines"),
        ("- a\n- b\n", "expected 'name: value' lines"),
        ("a: [1\nb: 2", "row 2: not YAML"),
        ("a: 1\nb: 2\na: 3\n", "row 3: field a: given twice, first in row 1"),
        ("a: {b: 1, b: 2}\n", "field a.b: given twice"),
        ("? [a, b]\n: 1\n", "a name that is not a text"),
        ("a: &x [*x]\n", "an alias that holds itself"),
        ("a: !!python/object:os.system {}\n", "row 1"),
    ],
)
def test_what_is_no_specification_is_refused(tmp_path: Path, text: str, told: str) -> None:
    assert told in _refused(tmp_path, text)


def test_many_problems_are_told_together_and_not_all(tmp_path: Path) -> None:
    message = _refused(tmp_path, "form: task\nname: toy\n")
    assert message.count("missing") == 5
    assert "more." in message


def test_what_yaml_1_1_takes_for_something_else_is_text(tmp_path: Path) -> None:
    data = content()
    text = yaml.safe_dump(data).replace("prediction: names", "prediction: 2026-10-30")
    assert (
        read(tmp_path, text.replace("content: classes", "content: NO")).prediction == "2026-10-30"
    )


def test_missing_file_bad_bytes_and_wrong_name(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"data/none/spec\.yml: no such file"):
        read_spec("none", tmp_path)
    path = write(tmp_path, content())
    path.write_bytes(b"a: \xff\n")
    with pytest.raises(DataError, match="not UTF-8"):
        read_spec("toy", tmp_path)
    write(tmp_path, content(), "other")
    with pytest.raises(DataError, match="not the name of its folder; found toy; expected other"):
        read_spec("other", tmp_path)


def test_outside_a_project_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("BENCHBOOK_PROJECT", raising=False)
    with pytest.raises(BenchbookError, match="no project was found here"):
        read_spec("toy")


# ---- parts made here ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"made_here": ["labels"]}, "starts with 'Split', which is no part"),
        ({"made_here": ["labels", "split", "leads"]}, "part 'leads' has 0 deviations"),
        ({"made_here": ["labels", "split", "Labels"]}, "part 'labels' is listed twice"),
        ({"made_here": ["labels", "split", "data"]}, "part 'data' is listed twice"),
        ({"replaced": []}, "starts with 'Data', which is no part"),
        (
            {"made_here": ["labels", "split", "data"], "replaced": []},
            "the deviation of 'data' does not say 'Checked: how'",
        ),
    ],
)
def test_parts_and_deviations_must_agree(tmp_path: Path, changes: dict, told: str) -> None:
    assert told in _refused(tmp_path, content() | changes)


def test_a_second_deviation_of_a_part_is_refused(tmp_path: Path) -> None:
    data = content()
    data["deviations"].append("labels: once more. Checked: again.")
    assert "part 'labels' has 2 deviations" in _refused(tmp_path, data)


@pytest.mark.parametrize("end", ["", " Checked by eye.", " Checked:", " checked: by eye."])
def test_a_deviation_must_say_how_it_was_checked(tmp_path: Path, end: str) -> None:
    data = content()
    data["deviations"][1] = f"Labels: other labels.{end}"
    assert "the deviation of 'labels' does not say" in _refused(tmp_path, data)


def test_a_deviation_is_taken_apart(tmp_path: Path) -> None:
    data = content()
    data["deviations"][1] = "Labels: x: y. Checked: by eye: twice."
    found = toy(tmp_path, deviations=data["deviations"]).deviation_parts[1]
    assert (found.part, found.text, found.checked) == ("Labels", "x: y.", "by eye: twice.")
