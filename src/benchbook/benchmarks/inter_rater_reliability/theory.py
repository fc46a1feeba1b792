"""What needs no data: the paradox of κ, results that surprise people, definitions checked twice."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from benchbook.agreement import cohen_kappa, gwet_ac, krippendorff_alpha, percent_agreement
from benchbook.display import Drawing, Table
from benchbook.estimate import Estimate, estimate_of
from benchbook.icc import concordance, icc, spearman
from benchbook.ratings import Ratings

from .wording import share


def paradox_curves(sensitivity: float = 0.9, specificity: float = 0.9) -> pd.DataFrame:
    """Return agreement coefficients of two equally able raters against prevalence.

    Both raters see the truth with the same sensitivity and specificity and err independently, so
    every coefficient follows in closed form from the prevalence, without sampling.

    Returns
    -------
    DataFrame
        ``prevalence`` in (0, 1), ``percent_agreement``, ``kappa``, ``ac1``, ``pabak``.
    """
    prevalence = np.linspace(0.005, 0.995, 199)
    both = prevalence * sensitivity**2 + (1 - prevalence) * (1 - specificity) ** 2
    neither = prevalence * (1 - sensitivity) ** 2 + (1 - prevalence) * specificity**2
    positive = prevalence * sensitivity + (1 - prevalence) * (1 - specificity)
    observed = both + neither
    chance = positive**2 + (1 - positive) ** 2
    gwet_chance = 2 * positive * (1 - positive)
    return pd.DataFrame(
        {
            "prevalence": prevalence,
            "percent_agreement": observed,
            "kappa": (observed - chance) / (1 - chance),
            "ac1": (observed - gwet_chance) / (1 - gwet_chance),
            "pabak": 2 * observed - 1,
        }
    )


def figure_paradox() -> Drawing:
    """Draw κ against prevalence at fixed accuracy, beside AC1, PABAK and percent agreement."""
    from benchbook.figures import kappa_paradox

    curves = paradox_curves()
    middle = curves.iloc[(curves["prevalence"] - 0.5).abs().argmin()]
    rare = curves.iloc[(curves["prevalence"] - 0.02).abs().argmin()]
    caption = (
        "**The κ paradox.** Two raters who each have sensitivity and specificity 0.90 and err "
        f"independently agree on {share(middle['percent_agreement'], 0)} of the items whatever the "
        f"prevalence; κ is {middle['kappa']:.2f} when half the items are positive and "
        f"{rare['kappa']:.2f} when {share(rare['prevalence'], 0)} are, while AC1 rises from "
        f"{middle['ac1']:.2f} to {rare['ac1']:.2f}. Exact, not simulated."
    )
    alt = (
        "Line chart of percent agreement, AC1, PABAK and kappa against prevalence from 0 to 1 at "
        "fixed accuracy. Percent agreement and PABAK are flat; kappa is an arch that falls towards "
        "0 at both ends; AC1 is a bowl that rises at both ends."
    )
    return Drawing(kappa_paradox(curves), "paradox", caption, alt)


def surprises() -> Table:
    """Return correct results that look wrong, each on an invented table."""
    rare = Ratings.from_contingency([[0, 1], [1, 198]], categories=["positive", "negative"])
    single = Ratings.from_contingency([[0, 0], [0, 50]], categories=["positive", "negative"])
    opposed = Ratings.from_contingency([[2, 12], [13, 3]], categories=["positive", "negative"])
    one_off = Ratings.from_pair(list("aaaaab"), list("aaaaaa"), "nominal", categories=list("ab"))
    rows = []
    for what, why, ratings in (
        ("99 % agreement, κ near 0", "nearly all of it is expected from the margins", rare),
        ("complete agreement, no κ", "both raters used one category, so 0/0", single),
        ("κ far below 0", "the raters contradict each other more than chance would", opposed),
        ("one slip in six, κ and α exactly 0", "one rater never varies", one_off),
    ):
        rows.append(
            {
                "result": what,
                "why it is right": why,
                "agreement": percent_agreement(ratings).value,
                "κ": cohen_kappa(ratings).estimate.value,
                "α": krippendorff_alpha(ratings).estimate.value,
                "AC1": gwet_ac(ratings).estimate.value,
            }
        )
    caption = (
        "Correct results that look wrong, on invented tables. A dash is a coefficient without a "
        "value: not 0, not 1."
    )
    return Table(pd.DataFrame(rows), "surprises", caption)


# Invented scores of one rater; the other is made from them.
EXAMPLE_SCORES = (4.0, 5.0, 5.0, 6.0, 6.0, 6.0, 7.0, 7.0, 8.0, 9.0)
SHIFT = 5.0


def figure_consistency() -> Drawing:
    """Draw a rater who is always 5 points higher, and what each coefficient makes of it."""
    from benchbook.figures import consistency_against_agreement

    first = np.array(EXAMPLE_SCORES)
    second = first + SHIFT
    both = Ratings.from_table(np.column_stack([first, second]), "continuous")
    found = {
        "Spearman ρ": spearman(first, second),
        "ICC(3,1)": icc(both, "ICC(3,1)").estimate,
        "ICC(2,1)": icc(both, "ICC(2,1)").estimate,
        "Lin's CCC": concordance(first, second).ccc,
    }
    lin = estimate_of(found["Lin's CCC"]).value
    groups = ["consistency", "consistency", "agreement", "agreement"]
    table = pd.DataFrame(
        [
            _without_interval(name, estimate_of(value), group)
            for (name, value), group in zip(found.items(), groups, strict=True)
        ]
    )
    caption = (
        f"**Consistent and in disagreement.** Rater B always scores {SHIFT:g} points more than "
        "rater A (invented scores). A constant shift changes neither the order nor the "
        "differences between items, so Spearman's ρ and ICC(3,1) are 1; "
        f"ICC(2,1) is {estimate_of(found['ICC(2,1)']).value:.2f} and Lin's coefficient "
        f"{lin:.2f}, since no score is."
    )
    alt = (
        "Left: scores of rater B against rater A lie on a line parallel to and 5 points above the "
        "line of identity. Right: Spearman's rho and ICC(3,1) at 1, ICC(2,1) and Lin's coefficient "
        "clearly below 1."
    )
    drawn = consistency_against_agreement(first, second, table, unit="points")
    return Drawing(drawn, "consistency", caption, alt)


def _without_interval(name: str, estimate: Estimate, group: str) -> dict[str, Any]:
    # An interval of ten invented scores would say nothing.
    return {
        "name": name,
        "value": estimate.value,
        "low": math.nan,
        "high": math.nan,
        "group": group,
    }
