"""Proportions: intervals and tests, computed by statsmodels and wrapped here once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import DataError, ParameterError, nearest
from ..estimate import Estimate, undefined
from ..resampling.checks import checked_level, whole_number
from .inputs import NO_ITEMS, binary_labels, check_length
from .intervals import about

INTERVALS = {"wilson": "wilson", "clopper-pearson": "beta"}  # our name, statsmodels' name
TITLES = {"wilson": "Wilson", "clopper-pearson": "Clopper-Pearson"}
ALL_ALIKE = "all items of both groups have the same outcome, so the pooled variance is 0"
NO_DISCORDANT = "the two never differ, so the statistic is 0/0"


def proportion(
    successes: float,
    n: float,
    *,
    level: float = 0.95,
    method: str = "wilson",
    name: str = "proportion",
    unit: str = "item",
) -> Estimate:
    """Return a proportion with its interval, inside [0, 1] also at zero counts.

    Parameters
    ----------
    successes, n : int
        Whole numbers, 0 <= successes <= n. The trials are taken as independent.
    level : float
        Confidence level, in (0, 1).
    method : {"wilson", "clopper-pearson"}
        Wilson's score interval, or the exact one, which is never too narrow and usually too wide.
    name, unit : str
        What is estimated, and what one trial is.

    Returns
    -------
    Estimate
        Undefined, with the reason, when ``n`` is 0.

    Raises
    ------
    ParameterError
        Counts that are not whole numbers, or more successes than trials.

    References
    ----------
    Wilson EB (1927). Probable inference, the law of succession, and statistical inference.
    Journal of the American Statistical Association 22:209-212. Clopper CJ, Pearson ES (1934). The
    use of confidence or fiducial limits illustrated in the case of the binomial. Biometrika
    26:404-413.
    """
    level = checked_level(level)
    if method not in INTERVALS:
        raise ParameterError(f"method is {method!r}; {nearest(str(method), INTERVALS)}")
    successes, n = _counts(successes, n)
    facts = about(name, n, level=level, unit=unit)
    if n == 0:
        return undefined(NO_ITEMS, **facts)
    low, high = _bounds(successes, n, level, INTERVALS[method])
    return Estimate(successes / n, low, high, method=TITLES[method], **facts)


def clopper_pearson_bounds(
    successes: np.ndarray, n: int, level: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return exact bounds for several numbers of successes among ``n`` trials."""
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    successes = np.asarray(successes, dtype=np.float64)
    low = betaincinv(np.maximum(successes, 1), n - np.maximum(successes, 1) + 1, tail)
    high = betaincinv(np.minimum(successes, n - 1) + 1, n - np.minimum(successes, n - 1), 1 - tail)
    return np.where(successes == 0, 0.0, low), np.where(successes == n, 1.0, high)


@dataclass(frozen=True)
class TwoProportionTest:
    """Two independent proportions compared.

    Attributes
    ----------
    difference : Estimate
        First minus second; interval by Newcombe's hybrid of two Wilson intervals.
    z, p_value : float
        Test of equal proportions, two-sided, with the pooled variance; NaN when undefined.
    reason : str or None
        Why there is no test.
    """

    difference: Estimate
    z: float
    p_value: float
    reason: str | None = None


def two_proportion_z(
    successes_first: int, n_first: int, successes_second: int, n_second: int, *, level: float = 0.95
) -> TwoProportionTest:
    """Compare two independent proportions.

    Parameters
    ----------
    successes_first, n_first, successes_second, n_second : int
        Whole numbers. For the same items answered by two models use `mcnemar`: those proportions
        are not independent.
    level : float
        Confidence level of the difference, in (0, 1).

    Returns
    -------
    TwoProportionTest
        z = (p1 - p2) / sqrt(p (1 - p) (1/n1 + 1/n2)) with the pooled p. Exchanging the two changes
        the sign of z and of the difference.

    References
    ----------
    Newcombe RG (1998). Interval estimation for the difference between independent proportions:
    comparison of eleven methods. Statistics in Medicine 17:873-890.
    """
    level = checked_level(level)
    (x1, n1), (x2, n2) = _counts(successes_first, n_first), _counts(successes_second, n_second)
    facts = about("difference of proportions", n1 + n2, level=level)
    if n1 == 0 or n2 == 0:
        reason = f"{NO_ITEMS} in one of the groups"
        return TwoProportionTest(undefined(reason, **facts), math.nan, math.nan, reason)
    from statsmodels.stats.proportion import confint_proportions_2indep, proportions_ztest

    low, high = confint_proportions_2indep(
        x1, n1, x2, n2, method="newcomb", compare="diff", alpha=1 - level
    )
    value = x1 / n1 - x2 / n2
    # Rounding must not push a bound past the value or out of the range.
    low, high = max(min(float(low), value), -1.0), min(max(float(high), value), 1.0)
    difference = Estimate(value, low, high, method="Newcombe hybrid score", **facts)
    if x1 + x2 in (0, n1 + n2):
        return TwoProportionTest(difference, math.nan, math.nan, ALL_ALIKE)
    z, p_value = proportions_ztest([x1, x2], [n1, n2])
    return TwoProportionTest(difference, float(z), float(p_value))


@dataclass(frozen=True)
class McNemarTest:
    """Two classifiers on the same items.

    Attributes
    ----------
    first_only, second_only : int
        Items that only the first, or only the second, got right.
    both, neither : int or None
        The other items; None when only the discordant counts were given.
    statistic : float
        The smaller of the two discordant counts b and c for the exact test, else
        (b - c)^2 / (b + c), or (|b - c| - 1)^2 / (b + c) with the continuity correction, 0 in any
        case when b = c.
    p_value : float
        Two-sided p of equal proportions; NaN when undefined.
    method : str
        ``"exact binomial"``, ``"chi-squared"``, or that with its correction.
    reason : str or None
        Why there is no test.
    """

    first_only: int
    second_only: int
    both: int | None
    neither: int | None
    statistic: float
    p_value: float
    method: str
    reason: str | None = None


def mcnemar(
    first: ArrayLike, second: ArrayLike, *, exact: bool = True, correction: bool = True
) -> McNemarTest:
    """Test whether two classifiers are right equally often on the same items.

    Parameters
    ----------
    first, second : array_like of bool or 0/1, shape (n_items,)
        Whether each was right, item by item, in the same order.
    exact : bool
        The binomial test, which is 1 when the two never differ; else the chi-squared
        approximation, which is then undefined.
    correction : bool
        Continuity correction of the chi-squared form.

    Returns
    -------
    McNemarTest

    Raises
    ------
    DataError
        A missing value, or vectors of different lengths.

    References
    ----------
    McNemar Q (1947). Note on the sampling error of the difference between correlated proportions
    or percentages. Psychometrika 12:153-157.
    """
    one, other = binary_labels(first, "first"), binary_labels(second, "second")
    check_length("second", other, one.size)
    both, neither = int((one & other).sum()), int((~one & ~other).sum())
    discordant = int((one & ~other).sum()), int((~one & other).sum())
    return mcnemar_counts(
        *discordant, both=both, neither=neither, exact=exact, correction=correction
    )


def mcnemar_counts(
    first_only: int,
    second_only: int,
    *,
    both: int | None = None,
    neither: int | None = None,
    exact: bool = True,
    correction: bool = True,
) -> McNemarTest:
    """Return McNemar's test from the counts of items that only one of the two got right.

    Parameters and result are those of `mcnemar`; the concordant items do not enter the test.
    """
    b = whole_number("first_only", first_only, 0)
    c = whole_number("second_only", second_only, 0)
    method = "chi-squared with continuity correction" if correction else "chi-squared"
    method = "exact binomial" if exact else method
    if b + c == 0:
        # Not asked of the library: its chi-squared form gives p = 0 here.
        if exact:
            return McNemarTest(b, c, both, neither, 0.0, 1.0, method)
        return McNemarTest(b, c, both, neither, math.nan, math.nan, method, NO_DISCORDANT)
    if b == c and not exact:
        # The correction must not turn no difference into some, as the library's does.
        return McNemarTest(b, c, both, neither, 0.0, 1.0, method)
    from statsmodels.stats.contingency_tables import mcnemar as by_statsmodels

    result = by_statsmodels([[0, b], [c, 0]], exact=exact, correction=correction)
    return McNemarTest(
        b, c, both, neither, float(result.statistic), min(float(result.pvalue), 1.0), method
    )


def _counts(successes: Any, n: Any) -> tuple[int, int]:
    trials = whole_number("n", _as_int(n), 0)
    number = whole_number("successes", _as_int(successes), 0)
    if number > trials:
        raise DataError(
            "there are more successes than trials", found=number, expected=f"≤ {trials}"
        )
    return number, trials


def _as_int(value: Any) -> Any:
    """Return a whole number that came as a float as an int; anything else as it is."""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return int(value)
    return value


def _bounds(successes: int, n: int, level: float, method: str) -> tuple[float, float]:
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(successes, n, alpha=1 - level, method=method)
    share = successes / n
    # At zero counts the library leaves rounding, or NaN in older releases, where the end is meant.
    low = 0.0 if successes == 0 else min(max(float(low), 0.0), share)
    high = 1.0 if successes == n else max(min(float(high), 1.0), share)
    return low, high
