"""Statistics that are functions of sums over items."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..errors import DataError


@dataclass(frozen=True, eq=False)
class SumsStatistic:
    """A statistic computed from sums of what each item contributes.

    Parameters
    ----------
    name : str
        What is estimated, for instance ``"Cohen kappa"``.
    contributions : ndarray of shape (n_items, n_features)
        What each item adds to the sums, finite. For Cohen's kappa: the item's cell of the
        contingency table, one column per cell. Whole numbers are summed fastest.
    evaluate : callable
        Maps sums of shape (m, n_features) to values of shape (m,), all rows at once. It returns
        NaN where the statistic is undefined, and gives no warning.
    reason : str
        Why the statistic is undefined, told when ``evaluate`` gives NaN on the full data.
    bounds : tuple of float, optional
        Smallest and largest possible value. Only the basic interval can leave them; it is then
        clipped, with a warning.

    Raises
    ------
    DataError
        When ``contributions`` is not a table of finite numbers, or its sums overflow.

    Examples
    --------
    >>> import numpy as np
    >>> correct = np.array([1.0, 0.0, 1.0, 1.0])
    >>> accuracy = SumsStatistic(
    ...     name="accuracy",
    ...     contributions=np.column_stack([correct, np.ones(4)]),
    ...     evaluate=lambda sums: divide(sums[:, 0], sums[:, 1]),
    ...     reason="no items",
    ...     bounds=(0.0, 1.0),
    ... )
    """

    name: str
    contributions: np.ndarray
    evaluate: Callable[[np.ndarray], np.ndarray]
    reason: str
    bounds: tuple[float, float] = (-math.inf, math.inf)

    def __post_init__(self) -> None:
        contributions = np.asarray(self.contributions, dtype=np.float64)
        if contributions.ndim != 2 or contributions.shape[1] == 0:
            raise DataError(
                f"the contributions to {self.name} are not a table",
                found=f"an array of shape {contributions.shape}",
                expected="shape (n_items, n_features) with at least one feature",
            )
        _check_summable(self.name, contributions)
        object.__setattr__(self, "contributions", contributions)

    def sibling(
        self,
        name: str,
        evaluate: Callable[[np.ndarray], np.ndarray],
        reason: str,
        bounds: tuple[float, float] = (-math.inf, math.inf),
    ) -> SumsStatistic:
        """Return another statistic of the same contributions, which are not checked again.

        Parameters are those of the class.
        """
        other = object.__new__(type(self))
        new = {"name": name, "evaluate": evaluate, "reason": reason, "bounds": bounds}
        vars(other).update(vars(self) | new)
        return other

    @property
    def n_items(self) -> int:
        """Number of items that contribute."""
        return int(self.contributions.shape[0])


def _check_summable(name: str, contributions: np.ndarray) -> None:
    """Refuse entries that are not finite, or so large that their sum is not."""
    largest = max(float(contributions.max(initial=0.0)), -float(contributions.min(initial=0.0)))
    if math.isfinite(largest * max(contributions.shape[0], 1)):
        return
    bad = np.argwhere(~np.isfinite(contributions))
    if bad.size == 0:
        raise DataError(
            f"the contributions to {name} are too large to be summed",
            found=largest,
            expected="numbers whose sum is below 1e308",
        )
    row, column = (int(index) for index in bad[0])
    raise DataError(
        f"an item's contribution to {name} is not a finite number",
        row=row + 1,
        column=str(column + 1),
        found=contributions[row, column],
        expected="finite numbers; leave out items without a value, and count them",
    )


def divide(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    """Divide elementwise; NaN, without a warning, where the denominator is zero."""
    numerator, denominator = np.broadcast_arrays(numerator, denominator)
    quotient = np.full(numerator.shape, np.nan)
    return np.divide(numerator, denominator, out=quotient, where=denominator != 0)


def _first_over_second(sums: np.ndarray) -> np.ndarray:
    return divide(sums[:, 0], sums[:, 1])


def ratio_statistic(
    numerator: ArrayLike,
    denominator: ArrayLike,
    *,
    name: str = "ratio",
    reason: str = "the denominators sum to zero",
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> SumsStatistic:
    """Return the ratio of two sums over items, such as word errors over reference words.

    It is a ratio of sums, not the mean of the items' ratios.

    Parameters
    ----------
    numerator, denominator : array_like of shape (n_items,)
        What each item adds above and below the line; finite.
    name, reason, bounds
        As in :class:`SumsStatistic`.

    Raises
    ------
    DataError
        When the two are not vectors of one length, or hold a value that is not finite.
    """
    above = np.asarray(numerator, dtype=np.float64)
    below = np.asarray(denominator, dtype=np.float64)
    if above.ndim != 1 or above.shape != below.shape:
        raise DataError(
            f"numerator and denominator of {name} do not match",
            found=f"shapes {above.shape} and {below.shape}",
            expected="two vectors with one entry per item",
        )
    return SumsStatistic(name, np.column_stack([above, below]), _first_over_second, reason, bounds)


def mean_statistic(
    values: ArrayLike, *, name: str = "mean", bounds: tuple[float, float] = (-math.inf, math.inf)
) -> SumsStatistic:
    """Return the mean over items; with clusters, every item keeps the same weight.

    Parameters
    ----------
    values : array_like of shape (n_items,)
        One finite number per item.
    name, bounds
        As in :class:`SumsStatistic`.
    """
    items = np.asarray(values, dtype=np.float64)
    return ratio_statistic(
        items, np.ones(items.shape), name=name, reason="there are no items", bounds=bounds
    )
