"""The answer parser: published rules, awkward answers, an independent reading, linear work."""

from __future__ import annotations

import json
import sys

import pytest
from ecg_image_inputs import CLASSES
from hypothesis import example, given, settings
from hypothesis import strategies as st

from benchbook.benchmarks.ecg_image import parser as module
from benchbook.benchmarks.ecg_image.parser import PARSER_VERSION, LabelParser, Parsed, last_labels
from benchbook.errors import ParameterError

read = LabelParser(CLASSES)


def test_version():
    assert PARSER_VERSION == "labels-json-v0"


LABELLED = {
    "bare": ('{"labels": ["NORM"]}', ("NORM",)),
    "order of the classes": ('{"labels": ["STTC", "CD"]}', ("CD", "STTC")),
    "code fence and chatter": (
        'Looking at V1 {wide}:\n```json\n{\n "labels": ["CD"]\n}\n```\nHope this helps }',
        ("CD",),
    ),
    "last of two": ('{"labels": ["PAC"]} no, {"labels": ["PVC"]}', ("PVC",)),
    "last in an array": ('[{"labels": ["PAC"]}, {"labels": ["PVC"]}]', ("PVC",)),
    "outer before inner": ('{"labels": ["CD"], "not": {"labels": ["PAC"]}}', ("CD",)),
    "inner where the outer has none": ('{"answer": {"labels": ["CD"]}}', ("CD",)),
    "last inner one": ('{"a": {"labels": ["CD"]}, "b": [{"labels": ["HYP"]}]}', ("HYP",)),
    "inner of a broken outer": ('{"a": {"labels": ["CD"]}, "b": "cut', ("CD",)),
    "inner of what is no JSON": ('{ see {"labels": ["CD"]} }', ("CD",)),
    "brace in a string": ('{"why": "a } b { c", "labels": ["CD"]}', ("CD",)),
    "object in a string": ('{"labels": ["CD"], "why": "{\\"labels\\": [\\"PAC\\"]}"}', ("CD",)),
    "quote and backslash": ('{"why": "rSR\\" \\\\", "labels": ["CD"]}', ("CD",)),
    "broken string swallows a brace": ('{"note: {"labels": ["CD"]}', ("CD",)),
    "no list after one": ('{"labels": ["CD"]} {"labels": "PAC"}', ("CD",)),
    "cut after one": ('{"labels": ["CD"]} {"labels": ["PA', ("CD",)),
    "key twice": ('{"labels": ["PAC"], "labels": ["CD"]}', ("CD",)),
    "escaped key": ('{"\\u006cabels": ["CD"]}', ("CD",)),
    "escaped name": ('{"labels": ["AFIB\\/AFL"]}', ("AFIB/AFL",)),
    "case and white space": ('{"labels": [" acute mi\\t", "oLD mi"]}', ("Acute MI", "Old MI")),
    "not a number": ('{"p": [NaN, -Infinity, Infinity], "labels": ["CD"]}', ("CD",)),
    "white space of JSON": ('{\r\n\t"labels"\n:\t[\r"CD"\n]\t}', ("CD",)),
    "unicode around": ('心電図 🫀 {"labels": ["CD"]} ありがとう', ("CD",)),
    "byte order mark": ('\ufeff{"labels": ["CD"]}', ("CD",)),
}


@pytest.mark.parametrize("case", LABELLED)
def test_labels_are_found(case):
    text, expected = LABELLED[case]
    parsed = read(text)
    assert parsed.parsed
    assert parsed.labels == expected


UNPARSED = {
    "no answer": None,
    "empty": "",
    "no object": "AFIB/AFL, CD",
    "array only": '["CD"]',
    "no list": '{"labels": "CD"}',
    "null": '{"labels": null}',
    "an object": '{"labels": {"CD": true}}',
    "list overwritten": '{"labels": ["CD"], "labels": 1}',
    "another key": '{"Labels": ["CD"], "label": ["CD"]}',
    "cut off": '{"labels": ["CD", "PVC"',
    "cut off after the list": '{"labels": ["CD"]',
    "single quotes": "{'labels': ['CD']}",
    "trailing comma": '{"labels": ["CD"],}',
    "trailing comma in the list": '{"labels": ["CD",]}',
    "comment": '{"labels": ["CD"] // sure\n}',
    "line break in a string": '{"labels": ["C\nD"]}',
    "no colon": '{"labels" ["CD"]}',
    "number with a zero in front": '{"n": 01, "labels": ["CD"]}',
    "number in other digits": '{"n": ١, "labels": ["CD"]}',
    "no-break space": '{\u00a0"labels": ["CD"]}',
    "bad escape": '{"a": "\\x", "labels": ["CD"]}',
    "only inside a string": '{"why": "{\\"labels\\": [\\"PAC\\"]}"}',
}


@pytest.mark.parametrize("case", UNPARSED)
def test_unparsed_answers_name_no_class(case):
    assert read(UNPARSED[case]) == Parsed()


def test_an_empty_list_is_parsed_and_names_nothing():
    assert read('{"labels": []}') == Parsed((), True)


def test_what_is_ignored_is_counted():
    text = '{"labels": ["CD", "cd ", "LVH", "", 3, null, true, ["CD"], {"labels": ["PAC"]}, "PVC"]}'
    assert read(text) == Parsed(("CD", "PVC"), True, n_unknown=2, n_not_text=5, n_repeated=1)


def test_a_lone_surrogate_is_an_unknown_name():
    assert read('{"labels": ["\\ud800", "CD"]}') == Parsed(("CD",), True, n_unknown=1)


@pytest.mark.parametrize("names", [["CD", "cd"], ["CD", " CD"], [" "]])
def test_names_that_cannot_be_told_apart_are_refused(names):
    with pytest.raises(ParameterError, match="class name"):
        LabelParser(names)


# ---- an independent reading ---------------------------------------------------------------------


class Object(list):
    """The pairs of an object, apart from an array."""


def by_definition(text: str) -> list[object] | None:
    """The rule of the module's docstring, in quadratic time, with Python's JSON reader."""
    decoder, last = json.JSONDecoder(object_pairs_hook=Object), None
    start = text.find("{")
    while start >= 0:
        try:
            value, end = decoder.raw_decode(text, start)
        except json.JSONDecodeError:
            start = text.find("{", start + 1)
            continue
        found = within(value)
        last = last if found is None else found
        start = text.find("{", end)
    return last


def within(value: object) -> list[object] | None:
    found = None
    if isinstance(value, Object):
        own = [one for key, one in value if key == "labels"]
        if own and isinstance(own[-1], list) and not isinstance(own[-1], Object):
            return own[-1]
        value = [one for _, one in value]
    for one in value if isinstance(value, list) else ():
        inner = within(one)
        found = found if inner is None else inner
    return found


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4)
    | st.sampled_from(["CD", "{", "}", '"', "labels"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["labels", "a", "}"]), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip
PIECES = [
    *("{", "}", "[", "]", '"', '"labels"', ":", ",", '"a"', '"CD"', "1", "null", " ", "\\", "x"),
    *('{"', '"}', '"labels":', '["CD"]', '{"labels":["CD"]}', '{"labels":[]}', "\n"),
]
texts = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


def same(text: str) -> None:
    expected = by_definition(text)
    found = last_labels(text)
    if expected is None or found is None:
        assert found is None
        assert expected is None
        return
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert one == other if isinstance(other, str) else not isinstance(one, str)


@settings(max_examples=1500, deadline=None)
@given(texts)
@example('{"{":{"labels":["CD"]},x')
@example('{"a":"{","labels":["x"],"b":"}"}')
def test_agrees_with_the_definition_on_broken_text(text):
    same(text)


@settings(max_examples=400, deadline=None)
@given(json_values, texts, texts)
def test_agrees_with_the_definition_on_objects_in_text(value, before, after):
    same(before + json.dumps(value, ensure_ascii=False) + after)


@given(
    st.lists(st.sampled_from(CLASSES), unique=True),
    st.text(st.characters(exclude_characters='{}"')),
)
def test_round_trip_in_any_text(names, around):
    text = f"{around}```{json.dumps({'labels': names})}```{around}"
    assert set(read(text).labels) == set(names)
    assert read(text).n_unknown == 0


@given(st.text())
def test_no_text_breaks_it(text):
    assert read(text).n_unknown >= 0


# ---- linear work ---------------------------------------------------------------------------


class Counted:
    """A regular expression that counts the characters it was tried on and matched."""

    def __init__(self, pattern):
        self.pattern, self.work = pattern, 0

    def match(self, text, place=0):
        found = self.pattern.match(text, place)
        self.work += 1 + (found.end() - place if found else 0)
        return found


N = 20_000
HARD = {
    "braces": "{" * N,
    "keys without end": '{"a":' * N,
    "lists without end": '{"a":[' * N,
    "brace and quote": '{"{' * N,
    "objects in strings": '{"a":[' + '{},"{}",' * N,
    "nested objects": '{"x":' * N + '{"labels":["CD"]}' + "}" * N,
    "inner objects": '{"a":{"labels":["CD"]},' * N,
    "many objects": '{"labels":["CD"]}' * N,
    "long list": '{"labels":[' + '"CD",' * N,
    "escapes": '{"a":"' + '\\"' * N,
    "white space": ("{" + " " * 50) * N,
    "brackets": '{"a":' + "[" * N + "]" * N + "}",
}


@pytest.mark.parametrize("case", HARD)
def test_the_work_is_linear(case, monkeypatch):
    """Characters matched per character of the text stay below a small constant."""
    text = HARD[case]
    counted = [Counted(getattr(module, name)) for name in ("_SPACE", "_STRING", "_SCALAR")]
    for name, one in zip(("_SPACE", "_STRING", "_SCALAR"), counted, strict=True):
        monkeypatch.setattr(module, name, one)
    last_labels(text)
    # At most two readings of a character (inside and outside a string), and a few tries each.
    assert sum(one.work for one in counted) < 8 * len(text)


def test_nesting_may_be_deeper_than_the_stack_of_python():
    depth = 20 * sys.getrecursionlimit()
    text = '{"x":' * depth + '{"labels":["CD"]}' + "}" * depth
    assert read(text).labels == ("CD",)
