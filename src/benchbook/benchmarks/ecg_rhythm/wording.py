"""Small pieces of sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import pandas as pd

from benchbook.display import plain
from benchbook.estimate import bounds_text

SMALL = 0.01  # a share below this would lose its digits with three decimals


def listing(names: Iterable[object], most: int = 8) -> str:
    """Return names in a sentence, safe in Markdown, the first few when there are many."""
    shown = [plain(name) for name in names]
    if len(shown) > most:
        return ", ".join(shown[:most]) + f" and {len(shown) - most} more"
    if len(shown) < 2:
        return "".join(shown)
    return ", ".join(shown[:-1]) + f" and {shown[-1]}"


def marked(name: str, mark: str) -> str:
    """Return the name of a model with its marks."""
    return f"{name}\u00a0{mark}" if mark else name


def cell(row: Any, digits: int = 3) -> str:
    """Return the value of a row with its interval, all rates with as many decimals."""
    return rate_text(row["value"], row["low"], row["high"], digits)


def rate_text(value: float, low: float, high: float, digits: int = 3) -> str:
    """Return a rate, or a difference of rates, with its interval; a dash where undefined.

    An interval without width is no certainty and is not printed.
    """
    if pd.isna(value):
        return "–"
    text = f"{value:.{digits}f}"
    if pd.isna(low) or pd.isna(high) or low == high:
        return text
    return f"{text} ({bounds_text(low, high, f'.{digits}f')})"


def share_text(part: int, whole: int) -> str:
    """Return a share with three decimals, or as many as show that it is not 0."""
    share = part / max(whole, 1)
    return f"{share:.3f}" if share >= SMALL or not part else f"{share:.2g}"


def without_width(table: pd.DataFrame) -> str:
    """Return the end of a caption, when an interval has no width."""
    if not (table["low"] == table["high"]).any():
        return ""
    return " Where no resample moves a value there is no interval, which is no certainty."


def remark(row: Any) -> str | None:
    """Return the reason or the warnings of a row, None when there are none."""
    parts = [row.get("reason"), *(_texts(row.get("warnings")))]
    told = [str(part) for part in parts if part and not _missing(part)]
    return "; ".join(told) or None


def _texts(warnings: Any) -> list[str]:
    if warnings is None or _missing(warnings):
        return []
    return list(warnings) if isinstance(warnings, tuple | list) else [str(warnings)]


def _missing(value: Any) -> bool:
    return bool(pd.isna(value)) if not isinstance(value, tuple | list) else False


def grouped(remarks: Iterable[tuple[str, str]]) -> list[str]:
    """Return one line per remark with everything it is about; pairs are (what, remark)."""
    about: dict[str, list[str]] = {}
    for what, told in remarks:
        # How many resamples are lost differs from label to label.
        told = re.sub(r"on \d+ of \d+ resamples", "on more than 5 % of the resamples", told)
        about.setdefault(told, []).append(what)
    return [f"{_upper(plain(told))}: {listing(what)}." for told, what in about.items()]


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
