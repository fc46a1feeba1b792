"""What follows from the published counts alone: the prior, and the headroom it leaves."""

from __future__ import annotations

import math
from collections.abc import Mapping

from benchbook.estimate import Estimate, undefined


def prior_f(n_positive: int, n_scored: int) -> float:
    """Return the F-measure of a class that is named for every record: 2 n / (n + N).

    Every positive is found (TP = n) and every other record is a false positive (FP = N - n), so
    2 TP / (2 TP + FP + FN) = 2 n / (n + N). NaN where the class does not occur.
    """
    return 2 * n_positive / (n_positive + n_scored) if n_positive else math.nan


def prior_macro_f(positives: Mapping[str, int], n_scored: int) -> Estimate:
    """Return the macro F of the baseline that names every class, from counts alone.

    Parameters
    ----------
    positives : mapping of str to int
        Scored records that have each class; classes without any are left out of the mean.
    n_scored : int
        Records with at least one reference label.
    """
    values = [prior_f(n, n_scored) for n in positives.values() if n]
    if not values:
        return undefined("no class occurs in the reference", name="macro F of the prior")
    return Estimate(
        math.fsum(values) / len(values), n_items=n_scored, name="macro F of the prior",
        method="from the counts",
    )  # fmt: skip


def headroom(trained: float, prior: float) -> float:
    """Return H = (1 - trained) / (1 - prior): the share of the way above the prior still open.

    NaN where the prior reaches 1.
    """
    return (1 - trained) / (1 - prior) if prior != 1 else math.nan
