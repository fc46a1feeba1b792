"""Labels and scores: when two spellings are one category, and what counts as a number."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any, Literal, cast

import numpy as np

from ..errors import ParameterError, listed, quoted

Kind = Literal["nominal", "ordinal", "continuous"]
KINDS: tuple[Kind, ...] = ("nominal", "ordinal", "continuous")

# A number as a label is written: no sign but minus, no exponent, no superfluous zero in front,
# so that the codes 007, +1 and 1E5 stay the texts they are.
_LABEL_NUMBER = re.compile(r"-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)")
_SCORE = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def check_kind(kind: str) -> Kind:
    """Return ``kind`` when it is one of the three levels of measurement."""
    if kind not in KINDS:
        raise ParameterError(
            f"unknown kind of data {quoted(kind)}; expected nominal, ordinal or continuous."
        )
    return cast(Kind, kind)


def canonical(label: Any) -> str:
    """Return a label in the form used for comparison.

    1, 1.0 and "1.00" are the same category, and so are True, "TRUE" and "true". Nothing else is
    joined: upper and lower case differ, and so do "1", "01" and "+1". Letters composed of parts
    (Korean from some systems) are joined.
    """
    if isinstance(label, (bool, np.bool_)):
        return str(bool(label))
    if isinstance(label, (float, np.floating)) and math.isfinite(label):
        text = format(Decimal(str(label)), "f")
    else:
        text = unicodedata.normalize("NFC", str(label)).strip()
    if text.lower() in ("true", "false"):
        return text.capitalize()
    if _LABEL_NUMBER.fullmatch(text):
        return _plain_number(text)
    return text


def _plain_number(text: str) -> str:
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
    if "." in digits:
        digits = digits.rstrip("0").rstrip(".")
    if digits.startswith(".") or not digits:
        digits = "0" + digits
    return digits if digits == "0" else sign + digits


def as_number(cell: Any) -> float | None:
    """Return the finite number a cell holds, or None; a truth value is no number."""
    if isinstance(cell, (bool, np.bool_)):
        return None
    if isinstance(cell, str):
        text = cell.strip()
        if not _SCORE.fullmatch(text):
            return None
        number = float(text)
    else:
        try:
            number = float(cell)
        except (TypeError, ValueError, OverflowError):
            return None
    return number if math.isfinite(number) else None


def check_categories(categories: Iterable[Any]) -> tuple[Any, ...]:
    """Return the declared categories: two or more, each once, none of them empty."""
    if isinstance(categories, str):
        raise ParameterError(
            f"categories are a list of labels; found the text {quoted(categories)}."
        )
    labels = tuple(categories)
    times = Counter(map(canonical, labels))
    repeated = [label for label in labels if times[canonical(label)] > 1]
    if repeated:
        spellings = [repr(label) for label in labels if canonical(label) == canonical(repeated[0])]
        raise ParameterError(
            f"category {quoted(repeated[0])} is declared twice (as {listed(spellings)}); "
            "expected each category once."
        )
    if any(label is None or label != label or not canonical(label) for label in labels):
        raise ParameterError(
            "no rating is not a category; leave the cell empty, and the empty label out."
        )
    if len(labels) < 2:
        raise ParameterError(
            f"a scale needs at least two categories; found {listed(labels) or 'none'}."
        )
    return labels


def natural_order(labels: Iterable[str]) -> tuple[str, ...]:
    """Sort labels for display: numbers by value, then texts."""

    def place(label: str) -> tuple[bool, float, str]:
        number = as_number(label)
        return (number is None, number or 0.0, label)

    return tuple(sorted(labels, key=place))


def category_values(labels: Sequence[Any]) -> np.ndarray:
    """Return categories as numbers, shape (q,).

    Raises
    ------
    ParameterError
        When a label is not a number, so distances between categories are not known.
    """
    numbers = [as_number(label) for label in labels]
    if None in numbers:
        raise ParameterError(
            f"categories have no numeric values: found {listed(labels)}; expected numbers "
            "wherever distances between categories are used."
        )
    return np.array(numbers, dtype=float)
