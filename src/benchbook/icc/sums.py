"""The statistics of this package as functions of sums over items, for the bootstrap.

Every feature is a deviation or the square of one, taken after centring on the full data, so that
no digits are lost to a large common offset or to a large variance between items.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..errors import ParameterError
from ..ratings import Ratings
from ..resampling import SumsStatistic, divide
from .coefficients import RANGE_SLACK
from .forms import from_mean_squares, icc_form
from .scores import Pairs, as_pairs, as_scores, complete_items, rounding_floor

Definition = Literal["agreement", "consistency"]
Part = Literal["bias", "sd", "lower", "upper"]
# A difference of two sums that is this share of them is rounding.
CANCELLED = 64 * np.finfo(float).eps


def icc_statistic(data: Any, form: str) -> SumsStatistic:
    """Return an intraclass correlation as a statistic of sums over items.

    Parameters
    ----------
    data : Ratings or array-like of shape (n_items, n_raters)
        Scores. Items that a rater did not score contribute zeros: they keep their row, so that
        clusters and paired comparisons stay aligned, and add nothing.
    form : str
        One of the six forms, for instance ``"ICC(2,1)"``.

    Returns
    -------
    SumsStatistic
        With n_raters + 4 features: one, the item's mean and its square, the k deviations from
        item mean and rater mean, and the sum of their squares. A resample where the coefficient
        is undefined, or above 1 (possible for ICC(2,k) only), counts as undefined.

    Raises
    ------
    ParameterError
        Nominal ratings, or a two-way form when the columns are not raters.
    """
    chosen = icc_form(form)
    scores = as_scores(data)
    if chosen.model != "one-way" and not scores.identified:
        raise ParameterError(f"{chosen.name} needs identified raters; use ICC(1,1) or ICC(1,k).")
    table = _TableSums.of(scores)
    k = table.k

    def evaluate(sums: np.ndarray) -> np.ndarray:
        values = from_mean_squares(chosen, **table.mean_squares(sums), k=k)
        return np.where(values > 1 + RANGE_SLACK, np.nan, values)

    return SumsStatistic(
        name=chosen.name,
        contributions=table.features,
        evaluate=evaluate,
        reason=f"{chosen.name} has no value: fewer than two complete items, scores that do not "
        "vary, or a value outside the possible range",
        bounds=(-1 / (k - 1) if chosen.name in ("ICC(1,1)", "ICC(3,1)") else -math.inf, 1.0),
    )


def sem_statistic(data: Any, definition: Definition) -> SumsStatistic:
    """Return a standard error of measurement as a statistic of sums over items.

    Parameters
    ----------
    data : Ratings or array-like of shape (n_items, n_raters)
        Scores; items that a rater did not score add nothing.
    definition : {"agreement", "consistency"}
        Rater differences counted as error, sqrt(MSW), or not, sqrt(MSE).

    Raises
    ------
    ParameterError
        Nominal ratings, or consistency when the columns are not raters.
    """
    if definition not in ("agreement", "consistency"):
        raise ParameterError(
            f"unknown definition '{definition}'; expected 'agreement' or 'consistency'."
        )
    scores = as_scores(data)
    if definition == "consistency" and not scores.identified:
        raise ParameterError("columns are not raters, so rater differences cannot be taken out.")
    table = _TableSums.of(scores)
    part = "within" if definition == "agreement" else "error"
    return SumsStatistic(
        name=f"standard error of measurement, {definition}",
        contributions=table.features,
        evaluate=lambda sums: np.sqrt(table.mean_squares(sums)[part]),
        reason="fewer than two complete items",
        bounds=(0.0, math.inf),
    )


@dataclass(frozen=True, eq=False)
class _TableSums:
    """What each item of a table adds, and the mean squares that the sums make.

    Attributes
    ----------
    features : ndarray of float64, shape (n_items, k + 4)
        One, the item's mean and its square, the k deviations from item mean and rater mean, the
        sum of their squares; zeros for an incomplete item.
    shifts : ndarray of float64, shape (k,)
        Rater means of the full data, which the features lack: they belong to the raters' sum of
        squares alone, and come back there.
    floor : float
        A sum of squares that is rounding, per item.
    """

    features: np.ndarray
    shifts: np.ndarray
    floor: float

    @property
    def k(self) -> int:
        """Number of raters."""
        return len(self.shifts)

    @classmethod
    def of(cls, scores: Ratings) -> _TableSums:
        kept, _ = complete_items(scores)
        n, k = kept.values.shape
        features = np.zeros((scores.n_items, k + 4))
        shifts = np.zeros(k)
        if n:
            grand = kept.values.mean()
            means = (kept.values - grand).mean(axis=1)
            inner = kept.values - grand - means[:, None]
            shifts = inner.mean(axis=0)
            rest = inner - shifts
            rows = ~np.isnan(scores.values).any(axis=1)
            features[rows] = np.column_stack(
                [np.ones(n), means, means**2, rest, np.sum(rest**2, axis=1)]
            )
        return cls(features, shifts, rounding_floor(kept.values, k))

    def mean_squares(self, sums: np.ndarray) -> dict[str, np.ndarray]:
        """Return the mean squares by name, and the numbers of items, of each row of sums."""
        k, n = self.k, sums[:, 0]
        enough = np.where(n >= 2, n, np.nan)
        columns = sums[:, 3 : 3 + k]
        items = k * _deviations(sums[:, 1], sums[:, 2], enough, self.floor / k)
        error = _deviations(columns.T, sums[:, 3 + k], enough, self.floor)
        raters = np.sum((columns + n[:, None] * self.shifts) ** 2, axis=1) / enough
        raters = np.where(raters <= self.floor * enough, 0.0, raters)
        return {
            "items": items / (enough - 1),
            "raters": raters / (k - 1),
            "error": error / ((enough - 1) * (k - 1)),
            "within": (raters + error) / (enough * (k - 1)),
            "n": enough,
        }


def ccc_statistic(first: Any, second: Any = None, *, ddof: int = 0) -> SumsStatistic:
    """Return Lin's concordance correlation coefficient as a statistic of sums over items.

    Parameters
    ----------
    first, second
        As in :func:`benchbook.icc.concordance`; pairs with a missing score are left out.
    ddof : {0, 1}
        Divisor n - ddof in variances and covariance.
    """
    if ddof not in (0, 1):
        raise ParameterError(f"ddof is {ddof!r}; expected 0 (Lin 1989) or 1.")
    pairs = as_pairs(first, second)
    means = (pairs.first + pairs.second) / 2
    differences = pairs.first - pairs.second
    middle, shift = _mean(means), _mean(differences)
    floor = _pair_floor(pairs)

    def evaluate(sums: np.ndarray) -> np.ndarray:
        n = np.where(sums[:, 0] > ddof, sums[:, 0], np.nan)
        sum_means = _deviations(sums[:, 1], sums[:, 2], n, floor) / (n - ddof)
        sum_differences = _deviations(sums[:, 3], sums[:, 4], n, floor) / (n - ddof)
        gap = sums[:, 3] / n + shift
        covariance = sum_means - sum_differences / 4
        # Where neither rater varies there is nothing to be concordant about.
        spread = 2 * sum_means + sum_differences / 2
        return divide(2 * covariance, np.where(spread > 0, spread + gap**2, 0.0))

    return SumsStatistic(
        name="Lin CCC",
        contributions=_squares(means - middle, differences - shift),
        evaluate=evaluate,
        reason="neither rater's scores vary",
        bounds=(-1.0, 1.0),
    )


def bland_altman_statistic(
    first: Any, second: Any = None, *, part: Part, multiplier: float = 1.959963984540054
) -> SumsStatistic:
    """Return the bias, the standard deviation or a limit of agreement as a statistic of sums.

    Parameters
    ----------
    first, second
        As in :func:`benchbook.icc.bland_altman`.
    part : {"bias", "sd", "lower", "upper"}
        Mean difference (first minus second), standard deviation of the differences, lower or
        upper limit of agreement.
    multiplier : float
        Standard deviations from the bias to a limit.
    """
    steps = {"bias": 0.0, "sd": 1.0, "lower": -multiplier, "upper": multiplier}
    if part not in steps:
        raise ParameterError(f"unknown part '{part}'; known: {', '.join(steps)}.")
    pairs = as_pairs(first, second)
    differences = pairs.first - pairs.second
    shift = _mean(differences)
    floor = _pair_floor(pairs)

    def evaluate(sums: np.ndarray) -> np.ndarray:
        n = np.where(sums[:, 0] > 0, sums[:, 0], np.nan)
        bias = sums[:, 1] / n + shift
        if part == "bias":
            return bias
        squares = _deviations(sums[:, 1], sums[:, 2], n, floor)
        spread = np.sqrt(divide(squares, np.where(n >= 2, n - 1, 0.0)))
        return (0.0 if part == "sd" else bias) + steps[part] * spread

    names = {"bias": "mean difference", "sd": "standard deviation of the differences"}
    return SumsStatistic(
        name=names.get(part, f"{part} limit of agreement"),
        contributions=_squares(differences - shift),
        evaluate=evaluate,
        reason="fewer than two pairs",
    )


def slope_statistic(first: Any, second: Any = None) -> SumsStatistic:
    """Return the slope of the difference on the mean of two raters as a statistic of sums.

    Parameters
    ----------
    first, second
        As in :func:`benchbook.icc.bland_altman`.
    """
    pairs = as_pairs(first, second)
    means = (pairs.first + pairs.second) / 2
    differences = pairs.first - pairs.second
    x, y = means - _mean(means), differences - _mean(differences)
    floor = _pair_floor(pairs)

    def evaluate(sums: np.ndarray) -> np.ndarray:
        n = np.where(sums[:, 0] > 0, sums[:, 0], np.nan)
        spread = _deviations(sums[:, 1], sums[:, 2], n, floor)
        return divide(sums[:, 4] - sums[:, 1] * sums[:, 3] / n, spread)

    return SumsStatistic(
        name="slope of the difference on the mean",
        contributions=np.column_stack([np.ones(len(x)), x, x**2, y, x * y]),
        evaluate=evaluate,
        reason="the means of the pairs do not vary",
    )


def _squares(*columns: np.ndarray) -> np.ndarray:
    """Return features: one, then each column and its square."""
    parts = [np.ones(len(columns[0]))]
    for column in columns:
        parts += [column, column**2]
    return np.column_stack(parts)


def _deviations(totals: np.ndarray, squares: np.ndarray, n: np.ndarray, floor: float) -> np.ndarray:
    """Return sums of squared deviations from sums, shape (m,) or (j, m), and sums of squares.

    Zero where the difference is no more than rounding: of the scores (``floor`` per item), or of
    the subtraction itself, as when one item makes up a whole resample.
    """
    subtracted = np.sum(np.atleast_2d(totals) ** 2, axis=0) / n
    rest = squares - subtracted
    return np.where(rest <= np.maximum(floor * n, CANCELLED * squares), 0.0, rest)


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if values.size else 0.0


def _pair_floor(pairs: Pairs) -> float:
    return rounding_floor(np.concatenate([pairs.first, pairs.second]), 1)
