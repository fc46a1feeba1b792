"""Agreement item by item: the common ground of Fleiss, Gwet, Brennan-Prediger and Conger.

With d_i the disagreement among the pairs of ratings of item i, every coefficient here is
1 - mean(d_i) / De, and they differ only in the chance disagreement De.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from ..errors import DataError, ParameterError, nearest
from ..estimate import Estimate
from ..ratings import Ratings
from .intervals import About, mean_square_error, symmetric_interval, without_interval
from .weights import Weights

Variance = Literal["gwet", "ratio"]
VARIANCES: dict[str, str] = {"gwet": "Gwet", "ratio": "ratio of means"}

NO_PAIRS = "no item was rated by two raters"
ONE_CATEGORY = "every rating is the same category: chance agreement is 1"
SAME_BY_WEIGHTS = "all categories used count as full agreement under these weights"
ONE_ITEM = "one item has no variance"
SINGLES_WARNING = (
    "{singles} of {n} items have one rating; Gwet's variance takes the number of the others as "
    "fixed and usually comes out too wide (variance='ratio' does not)"
)


@dataclass(frozen=True, eq=False)
class AgreementResult:
    """A chance-corrected agreement coefficient and its parts.

    Attributes
    ----------
    estimate : Estimate
        The coefficient with its interval.
    observed, expected : float
        Observed and chance agreement (weighted when weights are used).
    weights : Weights
        The weights used.
    n_categories : int
        Categories the coefficient counted, unused levels included.
    categories_declared : bool
        False when the categories are merely those observed.
    n_single : int
        Items with one rating: they add to the margins, not to the observed agreement.
    """

    estimate: Estimate
    observed: float
    expected: float
    weights: Weights
    n_categories: int
    categories_declared: bool
    n_single: int


@dataclass(frozen=True, eq=False)
class ItemTable:
    """Counts of ratings per item and category, with the disagreement within each item.

    Attributes
    ----------
    counts : ndarray of float, shape (n_items, q)
        Ratings of each item in each category; every item has at least one.
    distance : ndarray of float, shape (q, q)
        Disagreement weights, 0 on the diagonal, in [0, 1].
    """

    counts: np.ndarray
    distance: np.ndarray

    @classmethod
    def of(cls, ratings: Ratings, weights: Weights) -> ItemTable:
        """Return the table of the given ratings.

        Raises
        ------
        DataError
            When there are no items.
        """
        if ratings.n_items == 0:
            raise DataError("there are no items", file=ratings.source or None)
        return cls(ratings.counts(), weights.disagreement)

    @property
    def n_items(self) -> int:
        """Number of items."""
        return len(self.counts)

    @cached_property
    def n_ratings(self) -> np.ndarray:
        """Ratings of each item, shape (n_items,)."""
        return self.counts.sum(axis=1)

    @cached_property
    def comparable(self) -> np.ndarray:
        """True where an item has two ratings or more, shape (n_items,)."""
        return self.n_ratings >= 2

    @property
    def n_single(self) -> int:
        """Number of items with one rating."""
        return int((~self.comparable).sum())

    @cached_property
    def disagreement(self) -> np.ndarray:
        """Mean weighted disagreement over an item's pairs of ratings, 0 for single ratings."""
        pairs = np.maximum(self.n_ratings * (self.n_ratings - 1), 1.0)
        return ((self.counts @ self.distance) * self.counts).sum(axis=1) / pairs

    @cached_property
    def observed(self) -> float:
        """Mean disagreement over the comparable items, NaN when there are none."""
        number = self.comparable.sum()
        return float(self.disagreement.sum() / number) if number else math.nan

    @cached_property
    def shares(self) -> np.ndarray:
        """Share of each category among an item's ratings, shape (n_items, q)."""
        return self.counts / self.n_ratings[:, None]

    def undefined_reason(self) -> str:
        """Return why a coefficient has no value on this table."""
        if not self.comparable.any():
            return NO_PAIRS
        used = (self.counts.sum(axis=0) > 0).sum()
        return ONE_CATEGORY if used == 1 else SAME_BY_WEIGHTS

    def influence(
        self, expected: float, expected_influence: np.ndarray | float, variance: Variance
    ) -> np.ndarray:
        """Return the item-wise linearisation of 1 - observed / expected, shape (n_items,).

        Parameters
        ----------
        expected : float
            Chance disagreement, above 0.
        expected_influence : ndarray, shape (n_items,), or float
            Centred influence of the items on it.
        variance : {"gwet", "ratio"}
            ``"gwet"`` takes the number of comparable items as fixed, as Gwet (2014) does;
            ``"ratio"`` lets it vary with the sample. The same unless items have one rating.
        """
        compared = self.comparable * (self.n_items / self.comparable.sum())
        value = 1.0 - self.observed / expected
        if variance == "gwet":
            from_pairs = compared * (1.0 - self.disagreement / expected) - value
        else:
            from_pairs = -compared * (self.disagreement - self.observed) / expected
        return from_pairs + self.observed / expected**2 * expected_influence

    def estimate(
        self,
        about: About,
        expected: float,
        expected_influence: np.ndarray | float,
        variance: Variance,
        *,
        lower_limit: float = -1.0,
    ) -> Estimate:
        """Return 1 - observed / expected with its interval, or the reason there is none.

        The interval uses the t quantile with n_items - 1 degrees of freedom.
        """
        check_variance(variance)
        if math.isnan(self.observed) or not expected > 0:
            return without_interval(about, math.nan, self.undefined_reason())
        value = 1.0 - self.observed / expected
        if self.n_items < 2:
            return without_interval(about, value, ONE_ITEM)
        influence = self.influence(expected, expected_influence, variance)
        if self.n_single and variance == "gwet":
            note = SINGLES_WARNING.format(singles=self.n_single, n=self.n_items)
            about = replace(about, warnings=(*about.warnings, note))
        return symmetric_interval(
            about,
            value,
            mean_square_error(influence),
            method=(
                f"item-wise linearisation ({VARIANCES[variance]}), t with {self.n_items - 1} "
                "degrees of freedom"
            ),
            degrees_of_freedom=self.n_items - 1,
            lower_limit=lower_limit,
        )


def about_items(name: str, ratings: Ratings, table: ItemTable, level: float) -> About:
    """Return what an item-wise estimate says of itself, unequal numbers of ratings included."""
    warnings = []
    fewest, most = int(table.n_ratings.min()), int(table.n_ratings.max())
    if fewest < most:
        warnings.append(f"items have {fewest} to {most} ratings")
    return About(name, table.n_items, level, ratings.clusters is not None, tuple(warnings))


def check_variance(variance: str) -> None:
    """Refuse an unknown name of a variance."""
    if variance not in VARIANCES:
        raise ParameterError(f"unknown variance '{variance}'; {nearest(variance, VARIANCES)}")
