"""Metrics as functions of sums, for the bootstrap that never loops.

Each maker returns a SumsStatistic (or a dictionary of them that share their sums), to be given to
`benchbook.resampling.bootstrap` and its relatives. Weights enter the sums.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ParameterError
from ..resampling import SumsStatistic, divide, ratio_statistic
from .bins import ProbabilityBins
from .classification import checked_beta, correct, f_name
from .inputs import NO_ITEMS, Scored, direction, numbers_of, probabilities, scored, share_between
from .labels import Memberships
from .operating import RATES

SHARE = (0.0, 1.0)


def accuracy_statistic(items: Memberships) -> SumsStatistic:
    """Return the accuracy as a function of sums.

    Sums: weight of the items that are right, and weight.
    """
    weight = np.ones(items.n_items) if items.weight is None else items.weight
    return ratio_statistic(
        weight * correct(items), weight, name="accuracy", reason=NO_ITEMS, bounds=SHARE
    )


def f_statistics(
    items: Memberships, *, beta: float = 1.0
) -> dict[str | tuple[str, Hashable], SumsStatistic]:
    """Return the F-measures as functions of sums.

    Sums per class: true positives, items that have the class, items given it (3 columns for each).
    F = (1 + b^2) TP / (b^2 has + given).

    Parameters
    ----------
    items : Memberships
        From `memberships` or `multilabel_memberships`.
    beta : float
        Weight of sensitivity against precision.

    Returns
    -------
    dict of SumsStatistic
        All over the same sums.
        ``"macro"``: mean over the classes that occur in the full reference; in a resample where
        such a class is 0/0 the mean is over the others. ``"micro"``: from the sums of the counts.
        ``("class", label)``: one class.
    """
    beta = checked_beta(beta)
    if not items.classes:
        raise ParameterError("F-measures need at least one class; found none.")
    tables = np.stack([items.reference & items.predicted, items.reference, items.predicted], axis=1)
    contributions = tables.reshape(items.n_items, -1).astype(np.float64)
    if items.weight is not None:
        contributions *= items.weight[:, np.newaxis]

    def by_class(of: Callable[[np.ndarray], np.ndarray]) -> Callable[[np.ndarray], np.ndarray]:
        return lambda sums: of(sums.reshape(len(sums), 3, -1))

    def values(sums: np.ndarray) -> np.ndarray:
        true, has, given = sums[:, 0], sums[:, 1], sums[:, 2]
        return divide((1 + beta**2) * true, beta**2 * has + given)

    occurring, title = items.occurring, f_name(beta)
    macro = SumsStatistic(
        f"macro {title}",
        contributions,
        by_class(lambda sums: _mean_of_defined(values(sums[:, :, occurring]))),
        "no class occurs in the reference",
        SHARE,
    )
    micro = macro.sibling(
        f"micro {title}",
        by_class(lambda sums: values(sums.sum(axis=2, keepdims=True))[:, 0]),
        "no item has or was given any class",
        SHARE,
    )
    made: dict[str | tuple[str, Hashable], SumsStatistic] = {"macro": macro, "micro": micro}
    for place, label in enumerate(items.classes):
        made["class", label] = macro.sibling(
            f"{title} of {label}",
            by_class(partial(_column, values, place)),
            "the class neither occurs nor is predicted",
            SHARE,
        )
    return made


def _column(values: Callable[[np.ndarray], np.ndarray], place: int, sums: np.ndarray) -> np.ndarray:
    return values(sums[:, :, [place]])[:, 0]


def threshold_statistics(
    positive: ArrayLike,
    score: ArrayLike,
    threshold: float,
    weight: ArrayLike | None = None,
    *,
    higher_is_positive: bool,
) -> dict[str, SumsStatistic]:
    """Return the rates at a threshold fixed beforehand as functions of sums.

    Sums: true positives, false positives, false negatives, true negatives.

    Parameters
    ----------
    positive, score, threshold, weight, higher_is_positive
        See `benchbook.metrics.at_threshold`.

    Returns
    -------
    dict of SumsStatistic
        ``"sensitivity"``, ``"specificity"``, ``"positive predictive value"``, ``"negative
        predictive value"``, ``"share of alarms"`` and ``"accuracy"``, all over the same sums.
    """
    sign = direction(higher_is_positive)
    number = float(numbers_of([threshold], "threshold")[0])
    data = scored(positive, score, weight, keep_weightless=True)
    alarm = sign * data.score >= sign * number
    cells = _weighted(
        data,
        [data.positive & alarm, ~data.positive & alarm, data.positive & ~alarm,
         ~data.positive & ~alarm],
    )  # fmt: skip
    return {name: _rate(name, cells) for name in RATES}


# Columns above and below the line: 0 true positive, 1 false positive, 2 false negative, 3 true
# negative.
_PARTS = {
    "sensitivity": ([0], [0, 2]),
    "specificity": ([3], [3, 1]),
    "positive predictive value": ([0], [0, 1]),
    "negative predictive value": ([3], [3, 2]),
    "share of alarms": ([0, 1], [0, 1, 2, 3]),
    "accuracy": ([0, 3], [0, 1, 2, 3]),
}


def _rate(name: str, cells: np.ndarray) -> SumsStatistic:
    above, below = _PARTS[name]

    def evaluate(sums: np.ndarray) -> np.ndarray:
        return divide(sums[:, above].sum(axis=1), sums[:, below].sum(axis=1))

    return SumsStatistic(name, cells, evaluate, RATES[name], SHARE)


def brier_statistic(
    positive: ArrayLike, probability: ArrayLike, weight: ArrayLike | None = None
) -> SumsStatistic:
    """Return the Brier score as a function of sums: weighted squares, and weights."""
    data = probabilities(positive, probability, weight, keep_weightless=True)
    weights = np.ones(data.n_items) if data.weight is None else data.weight
    squares = (data.score - data.positive) ** 2
    return ratio_statistic(
        weights * squares, weights, name="Brier score", reason=NO_ITEMS, bounds=SHARE
    )


def net_benefit_statistic(
    positive: ArrayLike,
    probability: ArrayLike,
    threshold: float,
    weight: ArrayLike | None = None,
) -> SumsStatistic:
    """Return the net benefit at one threshold as a function of sums.

    Sums: true positives, false positives, weight. Parameters are those of `net_benefit`.
    """
    chosen = share_between("threshold", threshold, open_high=True)
    data = probabilities(positive, probability, weight, keep_weightless=True)
    alarm = data.score >= chosen
    everyone = np.ones(data.n_items, dtype=bool)
    cells = _weighted(data, [data.positive & alarm, ~data.positive & alarm, everyone])
    odds = chosen / (1 - chosen)

    def evaluate(sums: np.ndarray) -> np.ndarray:
        return divide(sums[:, 0] - sums[:, 1] * odds, sums[:, 2])

    name = f"net benefit at {chosen:g}"
    return SumsStatistic(name, cells, evaluate, NO_ITEMS, (-odds, 1.0))


def calibration_error_statistic(
    positive: ArrayLike,
    probability: ArrayLike,
    bins: ProbabilityBins,
    weight: ArrayLike | None = None,
) -> SumsStatistic:
    """Return the expected calibration error (mean absolute difference) as a function of sums.

    Sums: weighted probability less outcome, per bin, and weight. The bins stay where they are in
    every resample. Resampling adds noise to each bin, so the replicates lie above the error of the
    data: show the interval beside that of the parts that do not, such as the Brier score.

    Parameters
    ----------
    positive, probability, weight
        See `brier_score`.
    bins : ProbabilityBins
        From `probability_bins`.
    """
    data = probabilities(positive, probability, weight, keep_weightless=True)
    apart = np.zeros((data.n_items, bins.n_bins + 1))
    weights = np.ones(data.n_items) if data.weight is None else data.weight
    rows = np.arange(data.n_items)
    apart[rows, bins.of(data.score)] = weights * (data.score - data.positive)
    apart[:, -1] = weights

    def evaluate(sums: np.ndarray) -> np.ndarray:
        return divide(np.abs(sums[:, :-1]).sum(axis=1), sums[:, -1])

    name = f"calibration error (l1, {bins.description})"
    return SumsStatistic(name, apart, evaluate, NO_ITEMS, SHARE)


def _weighted(data: Scored, masks: list[np.ndarray]) -> np.ndarray:
    """Return masks side by side as numbers, times the weight."""
    cells = np.column_stack(masks).astype(np.float64)
    return cells if data.weight is None else cells * data.weight[:, np.newaxis]


def _mean_of_defined(values: np.ndarray) -> np.ndarray:
    """Return the mean over columns of what is defined; NaN where nothing is."""
    defined = ~np.isnan(values)
    return divide(np.where(defined, values, 0.0).sum(axis=1), defined.sum(axis=1))
