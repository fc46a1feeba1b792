"""One text for one content: canonical JSON after RFC 8785, and the short id made of it.

Text is first brought to one form (:func:`tidy_text`), which RFC 8785 leaves to the caller
(section 3.1: string data are preserved as they are). From there on the rules are those of the RFC.

References
----------
Rundgren A, Jordan B, Erdtman S. JSON Canonicalization Scheme (JCS). RFC 8785, 2020: white space
(3.2.1), literals, strings and numbers (3.2.2), sorting of names (3.2.3), UTF-8 (3.2.4).
Bray T. The I-JSON Message Format. RFC 7493, 2015: whole numbers (2.2), no name twice (2.3).
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from benchbook.errors import ParameterError

HASH_DIGITS = 12
"""Hexadecimal digits of a specification's id: 48 bits, far more than a site has specifications."""

LARGEST_WHOLE = 2**53 - 1
"""Largest whole number that every reader of JSON keeps exactly (RFC 7493, section 2.2)."""

_SHORT_ESCAPES = {8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\"}
_ESCAPES = {code: f"\\u{code:04x}" for code in range(32)} | _SHORT_ESCAPES


def tidy_text(text: str) -> str:
    """Return a text in Unicode form NFC, each run of white space one space, none at the ends.

    How a text is folded over lines or quoted in YAML therefore changes nothing.
    """
    return re.sub(r"[ \t\r\n]+", " ", unicodedata.normalize("NFC", text)).strip(" ")


def canonical_json(content: Any) -> str:
    """Write plain data as canonical JSON (RFC 8785).

    Parameters
    ----------
    content : mapping, list, tuple, str, bool, int, float or None
        Names of mappings are texts.

    Returns
    -------
    str
        No white space between tokens; names sorted by their UTF-16 code units; each number in the
        one form that ECMAScript gives it, so that 1, 1.0 and 1e0 are ``1``.

    Raises
    ------
    ParameterError
        A number that is not finite, a whole number beyond 2**53 - 1, half a surrogate pair, or
        something that JSON cannot hold.
    """
    if content is None or isinstance(content, bool):
        return {None: "null", True: "true", False: "false"}[content]
    if isinstance(content, str):
        return _text(content)
    if isinstance(content, int | float):
        return _number(content)
    if isinstance(content, Mapping):
        pairs = sorted(content.items(), key=lambda pair: _sort_key(pair[0]))
        return "{" + ",".join(f"{_text(name)}:{canonical_json(v)}" for name, v in pairs) + "}"
    if isinstance(content, list | tuple):
        return "[" + ",".join(canonical_json(value) for value in content) + "]"
    raise ParameterError(f"JSON cannot hold a {type(content).__name__}.")


def short_hash(content: Any) -> str:
    """Return the first 12 hexadecimal digits of the SHA-256 of the canonical JSON in UTF-8."""
    digest = hashlib.sha256(canonical_json(content).encode("utf-8")).hexdigest()
    return digest[:HASH_DIGITS]


def pretty_json(content: Any) -> str:
    """Return JSON to read: indented, in the given order; the same content gives the same bytes."""
    return json.dumps(content, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def _sort_key(name: Any) -> bytes:
    if not isinstance(name, str):
        raise ParameterError(f"JSON names are texts; found {name!r}.")
    return name.encode("utf-16-be", "surrogatepass")


def _text(text: str) -> str:
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ParameterError("a text holds half a surrogate pair, which UTF-8 cannot write.")
    return f'"{text.translate(_ESCAPES)}"'


def _number(number: float) -> str:
    """Write a number as ECMAScript does (ECMA-262, Number::toString; RFC 8785, 3.2.2.3)."""
    if isinstance(number, int) and abs(number) > LARGEST_WHOLE:
        raise ParameterError(f"the whole number {number} is beyond what JSON keeps exactly.")
    if not math.isfinite(number):
        raise ParameterError(f"JSON has no number {number}.")
    if number == 0:
        return "0"  # also for -0
    sign = "-" if number < 0 else ""
    # Python's repr gives the same shortest digits as ECMAScript; only their layout differs.
    mantissa, _, exponent = f"{abs(float(number))!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    return sign + _layout(digits, point)


def _layout(digits: str, point: int) -> str:
    """Place the decimal point after ``point`` digits, or an exponent where ECMAScript has one."""
    if len(digits) <= point <= 21:
        return digits.ljust(point, "0")
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"0.{'0' * -point}{digits}"
    power = point - 1
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{fraction}e{'+' if power > 0 else '-'}{abs(power)}"
