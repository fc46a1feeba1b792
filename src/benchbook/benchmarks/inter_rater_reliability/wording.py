"""Small pieces of sentences."""

from __future__ import annotations

import math
from collections.abc import Iterable

from benchbook.display import p_text
from benchbook.estimate import Estimate

__all__ = ["bullets", "count", "lead", "p_text", "plural", "span"]


def bullets(lines: Iterable[str]) -> str:
    """Return a list in Markdown; a single line stays a paragraph."""
    kept = list(lines)
    return kept[0] if len(kept) == 1 else "\n".join(f"- {line}" for line in kept)


def plural(number: int, one: str, many: str) -> str:
    """Return the form that goes with the number."""
    return one if number == 1 else many


def count(number: int, noun: str) -> str:
    """Return ``1 item`` or ``3,100 items``."""
    return f"{number:,} {plural(number, noun, noun + 's')}"


def lead(estimate: Estimate) -> str:
    """Return the name of a statistic at the head of a sentence part."""
    return estimate.name or "the coefficient"


def span(low: float, high: float, digits: int = 3) -> str:
    """Return an interval without its value, a dash when there is none."""
    if math.isnan(low) or math.isnan(high):
        return "–"
    dash = " to " if low < 0 or high < 0 else "–"
    return f"{low:.{digits}f}{dash}{high:.{digits}f}"
