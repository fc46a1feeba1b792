"""Cohen's kappa and what belongs beside it: two raters on the same items."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..errors import ParameterError
from ..estimate import Estimate
from ..ratings import Ratings, as_ratings
from ..resampling.checks import checked_level
from .intervals import About, symmetric_interval, two_sided_p, without_interval
from .weights import Weights, WeightsLike, resolve_weights

GENERAL_VARIANCE = "Fleiss-Cohen-Everitt general variance, normal quantile"
ONE_CATEGORY = "both raters used a single category: chance agreement is 1"
SAME_BY_WEIGHTS = "all categories used count as full agreement under these weights"
NO_PAIRS = "no item was rated by both raters"
ONE_ITEM = "one item has no variance"


@dataclass(frozen=True, eq=False)
class KappaResult:
    """Cohen's kappa with everything that should be read beside it.

    Attributes
    ----------
    estimate : Estimate
        Kappa; interval from the general standard error and the normal quantile, kept in [-1, 1].
    observed, expected : float
        Observed and chance agreement Po and Pe (weighted when weights are used), in [0, 1].
    standard_error : float
        General large-sample standard error, for intervals; NaN when there is none.
    standard_error_null : float
        Standard error under kappa = 0, for the test only.
    z, p_value : float
        Test of kappa = 0, two-sided; NaN where the null standard error is 0.
    prevalence_index, bias_index : float or None
        |n11 - n22| / n and |n12 - n21| / n, in [0, 1]; None when there are not two categories.
    pabak : float
        Prevalence- and bias-adjusted kappa: chance agreement from equally likely categories.
    pabak_name : str
        ``"PABAK"`` for two categories, else ``"Brennan-Prediger"``, its general form.
    maximum : float
        Largest kappa that these margins allow.
    weights : Weights
        The weights used.
    table : DataFrame, shape (q, q)
        Counts; rows are the first rater.
    n_excluded : int
        Items with only one of the two ratings; they are left out.
    """

    estimate: Estimate
    observed: float
    expected: float
    standard_error: float
    standard_error_null: float
    z: float
    p_value: float
    prevalence_index: float | None
    bias_index: float | None
    pabak: float
    pabak_name: str
    maximum: float
    weights: Weights
    table: pd.DataFrame
    n_excluded: int


def cohen_kappa(
    first: Any,
    second: Any = None,
    *,
    kind: str = "nominal",
    categories: Sequence[Any] | None = None,
    weights: WeightsLike = None,
    level: float = 0.95,
) -> KappaResult:
    """Return Cohen's kappa, plain or weighted, of two raters.

    kappa = (Po - Pe) / (1 - Pe), with Po = sum w_ij p_ij and Pe = sum w_ij p_i. p_.j.

    Parameters
    ----------
    first : Ratings or array-like
        Ratings of two raters, a table with two columns, or the first rater's ratings.
    second : array-like, optional
        The second rater's ratings.
    kind : {"nominal", "ordinal"}
        Level of measurement; not needed for Ratings.
    categories : sequence, optional
        All categories, lowest to highest for ordinal data. An unused one changes weighted kappa.
    weights : None, str, array-like or Weights
        See `resolve_weights`.
    level : float
        Confidence level, in (0, 1).

    Returns
    -------
    KappaResult

    Raises
    ------
    ParameterError
        Continuous ratings, more than two raters, weights that do not fit.
    DataError
        Nothing to compare.

    References
    ----------
    Cohen J. A coefficient of agreement for nominal scales. Educ Psychol Meas 1960;20:37-46.
    Fleiss JL, Cohen J, Everitt BS. Large sample standard errors of kappa and weighted kappa.
    Psychol Bull 1969;72:323-327.
    """
    ratings = as_ratings(first, second, kind=kind, categories=categories)
    check_two(ratings)
    chosen = resolve_weights(weights, ratings)
    counts = contingency(ratings)
    return _result(ratings, counts, chosen, checked_level(level))


def check_categorical(ratings: Ratings, name: str) -> None:
    """Refuse continuous scores, whose coincidences mean nothing."""
    if ratings.kind == "continuous":
        raise ParameterError(
            f"{name} needs categories, and these ratings are continuous scores: two scores of 3 "
            "and 4 would count as far apart as 1 and 10. Use an intraclass correlation, for "
            "instance ICC(2,1): two-way random, single rater, absolute agreement."
        )


def check_two(ratings: Ratings) -> None:
    """Refuse anything but two identified raters with categories."""
    check_categorical(ratings, "Cohen kappa")
    if not ratings.identified:
        raise ParameterError(
            "Cohen kappa needs to know which rater gave which rating, and these ratings came as "
            "counts per category; use Fleiss kappa."
        )
    if ratings.n_raters != 2:
        raise ParameterError(
            f"Cohen kappa compares two raters; found {ratings.n_raters} "
            f"({', '.join(ratings.raters[:8])}). Use pairwise_kappa for every pair, or "
            "fleiss_kappa for all raters together; a cross-table of two raters is given by "
            "Ratings.from_contingency."
        )


def contingency(ratings: Ratings) -> np.ndarray:
    """Return the counts of the two raters' pairs of categories, shape (q, q)."""
    both = ~np.isnan(ratings.values).any(axis=1)
    q = ratings.n_categories
    codes = np.compress(both, ratings.values, axis=0).astype(int)
    cells = np.bincount(codes[:, 0] * q + codes[:, 1], minlength=q * q)
    return cells.reshape(q, q).astype(float)


def contingency_table(
    first: Any,
    second: Any = None,
    *,
    kind: str = "nominal",
    categories: Sequence[Any] | None = None,
) -> pd.DataFrame:
    """Return the q x q table of counts; rows are the first rater, unused levels stay."""
    ratings = as_ratings(first, second, kind=kind, categories=categories)
    check_two(ratings)
    return _labelled(ratings, contingency(ratings))


def _labelled(ratings: Ratings, counts: np.ndarray) -> pd.DataFrame:
    labels = list(ratings.categories or ())
    return pd.DataFrame(
        counts.astype(int),
        index=pd.Index(labels, name=ratings.raters[0]),
        columns=pd.Index(labels, name=ratings.raters[1]),
    )


def _result(ratings: Ratings, counts: np.ndarray, weights: Weights, level: float) -> KappaResult:
    n = int(counts.sum())
    observed, expected = disagreements(counts, weights.disagreement)
    value, error = kappa_with_error(counts, weights.disagreement)
    error_null = null_error(counts, weights.disagreement)
    estimate = _estimate(ratings, counts, value, error, level, weights)
    z = value / error_null if error_null > 0 else math.nan
    two = len(counts) == 2 and n > 0
    return KappaResult(
        estimate=estimate,
        observed=1.0 - observed,
        expected=1.0 - expected,
        standard_error=estimate.standard_error,
        standard_error_null=error_null,
        z=z,
        p_value=two_sided_p(z),
        prevalence_index=float(abs(counts[0, 0] - counts[1, 1]) / n) if two else None,
        bias_index=float(abs(counts[0, 1] - counts[1, 0]) / n) if two else None,
        pabak=_uniform_kappa(observed, weights),
        pabak_name="PABAK" if len(counts) == 2 else "Brennan-Prediger",
        maximum=_maximum(counts, weights),
        weights=weights,
        table=_labelled(ratings, counts),
        n_excluded=ratings.n_items - n,
    )


def _estimate(
    ratings: Ratings, counts: np.ndarray, value: float, error: float, level: float, weights: Weights
) -> Estimate:
    n = int(counts.sum())
    about = About(kappa_name(weights), n, level, ratings.clusters is not None)
    if math.isnan(value):
        return without_interval(about, value, undefined_reason(counts))
    if n < 2:
        return without_interval(about, value, ONE_ITEM)
    if math.isnan(error):
        return without_interval(about, value, _constant_rater(ratings, counts))
    limit = -math.inf if weights.name == "custom" else -1.0
    return symmetric_interval(about, value, error, method=GENERAL_VARIANCE, lower_limit=limit)


def undefined_reason(counts: np.ndarray) -> str:
    """Return why kappa has no value on a q x q table of counts."""
    if counts.sum() == 0:
        return NO_PAIRS
    used = (counts.sum(axis=0) + counts.sum(axis=1) > 0).sum()
    return ONE_CATEGORY if used == 1 else SAME_BY_WEIGHTS


def kappa_name(weights: Weights) -> str:
    """Return the name of kappa under these weights."""
    return "Cohen kappa" if weights.unweighted else f"weighted kappa ({weights.name})"


def _constant_rater(ratings: Ratings, counts: np.ndarray) -> str:
    """Return why kappa says nothing when a rater never varies."""
    margins = (counts.sum(axis=1), counts.sum(axis=0))
    constant = 0 if (margins[0] > 0).sum() == 1 else 1
    label = (ratings.categories or ())[int(margins[constant].argmax())]
    return (
        f"rater '{ratings.raters[constant]}' used only the category '{label}', so kappa is 0 "
        "whatever the other rater did"
    )


def disagreements(counts: np.ndarray, disagreement: np.ndarray) -> tuple[float, float]:
    """Return observed and chance disagreement 1 - Po and 1 - Pe of a q x q table.

    Sums of terms that are not negative: exactly 0 for perfect agreement, and exactly 0 for a
    single category, so that neither case depends on rounding.
    """
    n = counts.sum()
    if n == 0:
        return math.nan, math.nan
    rows, columns = counts.sum(axis=1), counts.sum(axis=0)
    observed = float((disagreement * counts).sum() / n)
    return observed, float(rows @ disagreement @ columns / n**2)


def kappa_with_error(counts: np.ndarray, disagreement: np.ndarray) -> tuple[float, float]:
    """Return kappa and its general standard error (Fleiss, Cohen & Everitt 1969).

    NaN for both when kappa is undefined; NaN for the error when a rater never varies, since
    kappa is then 0 by construction and holds no information. The variance is that of the
    linearised statistic over the cells: their equation with the square expanded, free of
    cancellation.
    """
    observed, expected = disagreements(counts, disagreement)
    if not expected > 0:
        return math.nan, math.nan
    if (counts.sum(axis=0) > 0).sum() == 1 or (counts.sum(axis=1) > 0).sum() == 1:
        return 1.0 - observed / expected, math.nan
    influence = cell_influence(counts, disagreement)
    variance = float((counts * influence**2).sum() / counts.sum() ** 2)
    return 1.0 - observed / expected, math.sqrt(variance)


def cell_influence(counts: np.ndarray, disagreement: np.ndarray) -> np.ndarray:
    """Return what one more pair in each cell does to kappa (times n), shape (q, q)."""
    n = counts.sum()
    rows, columns = counts.sum(axis=1) / n, counts.sum(axis=0) / n
    observed, expected = disagreements(counts, disagreement)
    chance = (disagreement @ columns)[:, None] + (rows @ disagreement)[None, :]
    return -(disagreement - observed) / expected + observed / expected**2 * (chance - 2 * expected)


def null_error(counts: np.ndarray, disagreement: np.ndarray) -> float:
    """Return the standard error under independence of the raters, NaN when undefined."""
    _, expected = disagreements(counts, disagreement)
    if not expected > 0:
        return math.nan
    n = counts.sum()
    rows, columns = counts.sum(axis=1) / n, counts.sum(axis=0) / n
    chance = (disagreement @ columns)[:, None] + (rows @ disagreement)[None, :]
    deviation = disagreement - chance + expected
    # Where one rater is constant the deviations are 0 but for rounding: so is the error.
    deviation[np.abs(deviation) < 1e-14] = 0.0
    variance = float(rows @ deviation**2 @ columns / n)
    return math.sqrt(variance) / expected


def _uniform_kappa(observed_disagreement: float, weights: Weights) -> float:
    if len(weights.agreement) < 2:
        return math.nan
    return 1.0 - observed_disagreement / float(weights.disagreement.mean())


def _maximum(counts: np.ndarray, weights: Weights) -> float:
    """Return the largest kappa with these margins, NaN when kappa is undefined."""
    _, expected = disagreements(counts, weights.disagreement)
    if not expected > 0:
        return math.nan
    rows, columns = counts.sum(axis=1), counts.sum(axis=0)
    if weights.unweighted:
        least = counts.sum() - np.minimum(rows, columns).sum()
    elif weights.name == "custom":
        least = _least_disagreement(rows, columns, weights.disagreement)
    else:
        # Convex in the distance of ordered categories: pairing in rank order is optimal.
        least = (_rank_order_table(rows, columns) * weights.disagreement).sum()
    return float(1.0 - least / counts.sum() / expected)


def _rank_order_table(rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return the table with these margins whose pairs are sorted alike (north-west corner)."""
    high = np.minimum(np.cumsum(rows)[:, None], np.cumsum(columns)[None, :])
    return np.diff(np.diff(high, axis=0, prepend=0), axis=1, prepend=0)


def _least_disagreement(rows: np.ndarray, columns: np.ndarray, disagreement: np.ndarray) -> float:
    """Return the least total disagreement over tables with these margins (a linear program)."""
    from scipy.optimize import linprog

    q = len(rows)
    sums = np.vstack([np.kron(np.eye(q), np.ones(q)), np.kron(np.ones(q), np.eye(q))])
    solved = linprog(disagreement.ravel(), A_eq=sums, b_eq=np.concatenate([rows, columns]))
    return float(solved.fun)
