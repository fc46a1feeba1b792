"""How statistics, families of statistics and numbers are called on the page."""

from __future__ import annotations

import math
from typing import Any

NAMES = {
    "Cohen kappa": "Cohen's κ",
    "Cohen kappa, weighted": "weighted κ",
    "maximum kappa": "largest κ the margins allow",
    "Scott pi": "Scott's π",
    "Fleiss kappa": "Fleiss' κ",
    "Fleiss kappa, one category": "Fleiss' κ, one category",
    "Conger kappa": "Conger's κ",
    "Light kappa": "mean pairwise κ",
    "Gwet AC": "Gwet's AC1, AC2",
    "Brennan-Prediger": "Brennan–Prediger",
    "Krippendorff alpha": "Krippendorff's α",
    "F raters": "two-way analysis of variance",
    "lower limit of agreement": "limits of agreement",
    "upper limit of agreement": "limits of agreement",
    "lower limit of agreement, ratio": "limits of agreement, ratio",
    "upper limit of agreement, ratio": "limits of agreement, ratio",
    "correlation of difference and mean": "slope of difference on mean",
    "Lin CCC": "Lin's coefficient",
}
# Rows of the figure, in the order of the page.
FAMILIES = {
    "percent agreement": ("percent agreement",),
    "Cohen's κ": ("Cohen's κ",),
    "weighted κ": ("weighted κ",),
    "indices beside κ": (
        "PABAK",
        "prevalence index",
        "bias index",
        "largest κ the margins allow",
    ),
    "Scott's π, Fleiss' κ": ("Scott's π", "Fleiss' κ", "Fleiss' κ, one category"),
    "Conger's κ, mean pairwise κ": ("Conger's κ", "mean pairwise κ"),
    "Krippendorff's α": ("Krippendorff's α",),
    "Gwet's AC1, AC2": ("Gwet's AC1, AC2",),
    "Brennan–Prediger": ("Brennan–Prediger",),
    "ICC, one rating": ("ICC(1,1)", "ICC(2,1)", "ICC(3,1)"),
    "ICC, mean of k ratings": ("ICC(1,k)", "ICC(2,k)", "ICC(3,k)"),
    "analysis of variance": ("two-way analysis of variance",),
    "variance components": ("variance components",),
    "limits of agreement": (
        "mean difference",
        "limits of agreement",
        "limits of agreement, ratio",
        "limits of agreement, replicates",
        "slope of difference on mean",
        "slope of absolute residual on mean",
        "within-item standard deviation",
    ),
    "Lin's coefficient, correlations": (
        "Lin's coefficient",
        "Pearson correlation",
        "Spearman correlation",
    ),
}
FAMILY_OF = {name: family for family, names in FAMILIES.items() for name in names}
ORDER = {name: place for place, name in enumerate(FAMILY_OF)}


def shown_name(statistic: str, setting: str = "") -> str:
    """Return the name of a statistic as the page writes it."""
    if statistic == "Cohen kappa" and "weights" in setting:
        statistic = "Cohen kappa, weighted"
    return NAMES.get(statistic, statistic)


def number(value: float) -> str:
    """Return a number to six decimals, or six figures where it is large or tiny."""
    if math.isnan(value):
        return "undefined"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if value and not 1e-4 <= abs(value) < 1e6:
        return f"{value:.3g}"
    return f"{value:.6f}"


def size(difference: float) -> str:
    """Return the size of a difference: ``0``, or ``3e-16``."""
    if math.isnan(difference) or math.isinf(difference):
        return "–"
    return f"{difference:.0e}".replace("e-0", "e-").replace("e+0", "e+") if difference else "0"


def brief(value: float) -> str:
    """Return a number to four significant figures."""
    return number(value) if not math.isfinite(value) else f"{value:.4g}"


def blanked(rows: list[dict[str, Any]], *names: str) -> list[dict[str, Any]]:
    """Return rows with a cell only where it changes, and where one before it does, as in print."""
    shown, before = [], [None] * len(names)
    for row in rows:
        now = [row[name] for name in names]
        same = [now[: place + 1] == before[: place + 1] for place in range(len(names))]
        shown.append(row | {name: "" for name, alike in zip(names, same, strict=True) if alike})
        before = now
    return shown


def joined(names: list[str]) -> str:
    """Return ``a``, ``a and b`` or ``a, b and c``."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def shortened(reason: str, longest: int = 90) -> str:
    """Return a reason, or its first clause when it is long."""
    return reason if len(reason) <= longest else reason.split("; ")[0]
