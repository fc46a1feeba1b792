"""Pairs of raters: the kappa of each, and which of them may be called extreme."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from benchbook.agreement import pairwise_kappa
from benchbook.display import plain

from .parameters import Parameters
from .studies import Study

# Of fewer items, the kappa of a pair is mostly chance, and the extremes among pairs are its work.
FEW_SHARED = 10


NOTHING = 0.005  # a difference that two decimals do not show


def pairwise_matrices(study: Study, parameters: Parameters) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return pairwise κ and the items both raters rated, raters x raters.

    κ is NaN on the diagonal, where the number of items is 0.
    """
    weights = parameters.weights if study.ordinal else None
    pairs = pairwise_kappa(study.ratings, weights=weights, level=parameters.level)
    names = list(study.ratings.raters)
    matrix = pd.DataFrame(math.nan, index=names, columns=names)
    shared = pd.DataFrame(0, index=names, columns=names)
    for row in pairs.itertuples(index=False):
        for one, other in ((row.rater_a, row.rater_b), (row.rater_b, row.rater_a)):
            matrix.loc[one, other], shared.loc[one, other] = row.kappa, row.n
    return matrix, shared


def extreme_pairs(matrix: pd.DataFrame, shared: pd.DataFrame) -> tuple[str, str]:
    """Return how far pairs of raters differ, and what is to be known of pairs with few items.

    The extremes are chosen among pairs with enough items, where there are any.
    """
    upper = np.triu(np.ones(matrix.shape, dtype=bool), 1)
    known = matrix.where(upper).stack().dropna()  # noqa: PD013
    if not len(known):
        return "No pair of raters has a defined κ.", ""
    items = shared.where(upper).stack().loc[known.index]  # noqa: PD013
    enough = known[items >= FEW_SHARED]
    n_few = len(known) - len(enough)
    remark = ""
    if n_few and len(enough):
        remark = (
            f" {n_few:,} of {len(known):,} pairs share fewer than {FEW_SHARED} items (dots, "
            f"n < {FEW_SHARED}); the extremes are named among the others."
        )
    elif n_few:
        remark = f" Every pair shares fewer than {FEW_SHARED} items, so chance alone moves κ far."
    flat = enough if len(enough) else known
    if flat.max() - flat.min() < NOTHING:
        which = "" if len(flat) == len(known) else " with enough items"
        return f"Every pair of raters{which} has a κ of {flat.max():.2f}.", remark
    low, high = flat.idxmin(), flat.idxmax()
    return (
        f"Pairs of raters differ: κ from {flat.min():.2f} "
        f"({plain(low[0])} and {plain(low[1])}) to "
        f"{flat.max():.2f} ({plain(high[0])} and {plain(high[1])}).",
        remark,
    )
