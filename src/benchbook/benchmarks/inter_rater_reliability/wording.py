"""Small pieces of sentences."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from benchbook.display import p_text
from benchbook.estimate import Estimate, bounds_text

__all__ = [
    "in_unit",
    "notes",
    "p_text",
    "plural",
    "share",
    "significant",
    "span",
    "symbol",
    "upper_first",
]

SYMBOLS = (
    (r"\bkappa\b", "κ"),
    (r"\bKappa\b", "κ"),
    (r"\balpha\b", "α"),
    (r"\bBrennan-Prediger\b", "Brennan–Prediger"),
)


# The page names no function argument, and one remark stands for all bounds that were cut.
REMARK_EDITS = ((r"clipped from -?[\d.]+ to", "cut at"), (r" \(variance=[^)]*\)", ""))


def notes(estimates: Iterable[tuple[str, str, Estimate]]) -> str:
    """Return what must be known beside the numbers.

    Parameters
    ----------
    estimates : iterable of (str, str, Estimate)
        Name of the data (empty when there is only one), name of the coefficient, its estimate.
    """
    found: dict[str, dict[str, list[str]]] = {}
    for data, coefficient, estimate in estimates:
        remarks = list(estimate.warnings)
        if estimate.defined and not estimate.has_interval and estimate.reason:
            remarks.append(f"no interval: {estimate.reason}")
        for remark in remarks:
            for pattern, words in REMARK_EDITS:
                remark = re.sub(pattern, words, remark)
            found.setdefault(symbol(remark), {}).setdefault(data, []).append(coefficient)
    if not found:
        return ""
    lines = []
    for remark, concerned in found.items():
        who = [f"{data}{', '.join(names)}" for data, names in concerned.items()]
        lines.append(f"- {upper_first(remark)} ({'; '.join(who)}).")
    return "To be read with the numbers:\n\n" + "\n".join(lines)


def plural(number: int, one: str, many: str) -> str:
    """Return the form that goes with the number."""
    return one if number == 1 else many


def symbol(name: str) -> str:
    """Return the name of a statistic as the page writes it: κ for kappa, α for alpha."""
    for pattern, sign in SYMBOLS:
        name = re.sub(pattern, sign, name)
    return name


def upper_first(text: str) -> str:
    """Return the text with a capital first letter; Greek letters stay as they are."""
    return text if text[:1] in "κα" else text[:1].upper() + text[1:]


def share(value: float, digits: int = 1) -> str:
    """Return a proportion as a percentage."""
    return f"{100 * value:.{digits}f} %"


def in_unit(*estimates: Estimate) -> list[str]:
    """Return estimates in the unit of the score, all with as many decimals as the largest needs."""
    known = [abs(e.value) for e in estimates if e.defined]
    digits = max(0, 2 - math.floor(math.log10(max(known)))) if known and max(known) > 0 else 2
    return [format(estimate, f".{min(digits, 12)}f") for estimate in estimates]


def significant(value: float, figures: int = 4) -> str:
    """Return a number with so many significant figures, never in powers of ten."""
    if math.isnan(value):
        return "–"
    digits = figures - 1 - math.floor(math.log10(abs(value))) if value else 3
    return f"{value:.{min(max(digits, 0), 12)}f}"


def span(low: float, high: float, digits: int = 3) -> str:
    """Return an interval without its value, a dash when there is none."""
    if math.isnan(low) or math.isnan(high):
        return "–"
    return bounds_text(low, high, f".{digits}f")
