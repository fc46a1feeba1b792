"""Canonical JSON: the RFC's own examples, and that one content has one text."""

from __future__ import annotations

import hashlib
import json
import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook.errors import ParameterError
from benchbook.specs.canonical import (
    HASH_DIGITS,
    LARGEST_WHOLE,
    canonical_json,
    pretty_json,
    short_hash,
    tidy_text,
)

# RFC 8785, appendix B: IEEE 754 bits and the text they are written as.
RFC_NUMBERS = {
    "0000000000000000": "0",
    "8000000000000000": "0",
    "0000000000000001": "5e-324",
    "8000000000000001": "-5e-324",
    "7fefffffffffffff": "1.7976931348623157e+308",
    "ffefffffffffffff": "-1.7976931348623157e+308",
    "4340000000000000": "9007199254740992",
    "c340000000000000": "-9007199254740992",
    "4430000000000000": "295147905179352830000",
    "44b52d02c7e14af5": "9.999999999999997e+22",
    "44b52d02c7e14af6": "1e+23",
    "44b52d02c7e14af7": "1.0000000000000001e+23",
    "444b1ae4d6e2ef4e": "999999999999999700000",
    "444b1ae4d6e2ef4f": "999999999999999900000",
    "444b1ae4d6e2ef50": "1e+21",
    "3eb0c6f7a0b5ed8c": "9.999999999999997e-7",
    "3eb0c6f7a0b5ed8d": "0.000001",
    "41b3de4355555553": "333333333.3333332",
    "41b3de4355555554": "333333333.33333325",
    "41b3de4355555555": "333333333.3333333",
    "41b3de4355555556": "333333333.3333334",
    "41b3de4355555557": "333333333.33333343",
    "becbf647612f3696": "-0.0000033333333333333333",
    "43143ff3c1cb0959": "1424953923781206.2",
}


@pytest.mark.parametrize(("bits", "text"), RFC_NUMBERS.items())
def test_numbers_are_written_as_the_rfc_says(bits: str, text: str) -> None:
    (number,) = struct.unpack(">d", bytes.fromhex(bits))
    assert canonical_json(number) == text


def test_names_are_sorted_by_utf16_code_units() -> None:
    """The example of RFC 8785, section 3.2.3: U+1F600 comes before U+FB33."""
    names = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"]
    order = list(json.loads(canonical_json(dict.fromkeys(names))))
    assert order == ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]


def test_texts_are_written_as_the_rfc_says() -> None:
    """RFC 8785, section 3.2.2.2: two-letter escapes, else lower-case hex, the rest as it is."""
    text = '\u20ac$\x0f\nA\'B"\\\\"/\x7f'
    assert canonical_json(text) == '"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/\x7f"'
    assert canonical_json("\b\t\f\r\x00") == '"\\b\\t\\f\\r\\u0000"'


def test_literals_lists_and_nesting() -> None:
    content = {"b": [None, True, False, ()], "a": {"d": 1.50, "c": -0.0}}
    assert canonical_json(content) == '{"a":{"c":0,"d":1.5},"b":[null,true,false,[]]}'


@pytest.mark.parametrize("same", [(1, 1.0, float("1e0")), (100, 1e2), (0, 0.0, -0.0), (0.1, 1e-1)])
def test_one_number_has_one_text(same: tuple[float, ...]) -> None:
    assert len({canonical_json(number) for number in same}) == 1


def test_true_is_not_one() -> None:
    assert canonical_json(True) != canonical_json(1)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (math.nan, "no number nan"),
        (math.inf, "no number inf"),
        (LARGEST_WHOLE + 1, "9007199254740992 is beyond"),
        ("\ud800", "surrogate"),
        ({"\udc00": 1}, "surrogate"),
        ({1: 2}, "names are texts; found 1"),
        ({1, 2}, "cannot hold a set"),
    ],
)
def test_what_json_cannot_hold_is_refused(content: object, told: str) -> None:
    with pytest.raises(ParameterError, match=told):
        canonical_json(content)


_PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-LARGEST_WHOLE, LARGEST_WHOLE)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(_PLAIN)
def test_canonical_text_reads_back_as_the_same_content(content: object) -> None:
    text = canonical_json(content)
    found = json.loads(text, parse_int=float)  # every number of JSON is a double
    assert found == content
    assert canonical_json(found) == text


@given(st.dictionaries(st.text(), _PLAIN, min_size=2, max_size=6))
def test_order_of_names_changes_nothing(content: dict) -> None:
    turned = dict(reversed(content.items()))
    assert canonical_json(turned) == canonical_json(content)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_come_back_to_the_bit(number: float) -> None:
    read = float(canonical_json(number))
    assert read == number


def test_hash_is_the_head_of_sha256() -> None:
    digest = hashlib.sha256('{"a":"é"}'.encode()).hexdigest()
    assert short_hash({"a": "é"}) == digest[:HASH_DIGITS]
    assert len(short_hash(None)) == 12


def test_tidy_text_is_nfc_with_single_spaces() -> None:
    assert tidy_text(" e\u0301\n  b\t c \r\n") == "\u00e9 b c"
    assert tidy_text("5\u00a0%") == "5\u00a0%"  # a no-break space is not line folding


def test_pretty_json_refuses_what_is_not_json() -> None:
    assert pretty_json({"b": "é", "a": 1}) == '{\n  "b": "é",\n  "a": 1\n}\n'
    with pytest.raises(ValueError, match="not JSON compliant"):
        pretty_json({"a": math.nan})
