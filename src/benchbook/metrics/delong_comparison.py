"""Comparing the AUROCs of two or more models on the same items, without resampling."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import chdtrc

from ..errors import ParameterError
from ..estimate import Estimate, undefined
from ..resampling.checks import checked_level
from .delong import AurocCovariance, delong_covariance, place_of
from .intervals import SMALLEST_ERROR, normal_interval, standard_error, two_sided_p

RANK_TOLERANCE = 1e-10  # of the largest eigenvalue: below it a direction has no variance
NO_SPREAD = "the difference has an estimated variance of 0, so there is no test"


@dataclass(frozen=True)
class AurocDifference:
    """Two AUROCs compared.

    Attributes
    ----------
    first, second : str
        Names of the models.
    difference : Estimate
        AUROC of the first minus that of the second, with its interval.
    z, p_value : float
        Test of equal AUROCs, two-sided; NaN when undefined. Exchanging the models changes the
        sign of z.
    p_holm : float
        p adjusted for all the pairs compared together (Holm).
    reason : str or None
        Why there is no test.
    """

    first: str
    second: str
    difference: Estimate
    z: float
    p_value: float
    p_holm: float
    reason: str | None = None


@dataclass(frozen=True, eq=False)
class AurocComparison:
    """Two or more AUROCs compared.

    Attributes
    ----------
    aurocs : tuple of Estimate
        Each model's AUROC with its interval.
    pairs : tuple of AurocDifference
        Every pair of models, in the order given.
    chi_squared, degrees_of_freedom, p_value : float
        Test that all AUROCs are equal; NaN when undefined. Models that are combinations of others
        lower the degrees of freedom.
    made : AurocCovariance
        What it was computed from.
    reason : str or None
        Why there is no overall test.
    """

    aurocs: tuple[Estimate, ...]
    pairs: tuple[AurocDifference, ...]
    chi_squared: float
    degrees_of_freedom: float
    p_value: float
    made: AurocCovariance
    reason: str | None = None

    def pair(self, first: str, second: str) -> AurocDifference:
        """Return the comparison of two models by their names, in the order of ``pairs``."""
        for one in self.pairs:
            if (one.first, one.second) == (first, second):
                return one
        known = ", ".join(f"{one.first} − {one.second}" for one in self.pairs)
        raise ParameterError(f"no such pair: {first} − {second}; known: {known}.")


def delong_test(
    positive: ArrayLike,
    scores: Mapping[str, ArrayLike] | pd.DataFrame | ArrayLike,
    *,
    higher_is_positive: bool,
    cluster: Sequence[Any] | ArrayLike | None = None,
    unit: str = "item",
    level: float = 0.95,
) -> AurocComparison:
    """Compare the AUROCs of two or more models on the same items.

    z = (A1 - A2) / SE(A1 - A2) for two; for more also chi-squared = (L A)' (L S L')^-1 (L A) with
    contrasts L. Clusters give Obuchowski's covariance S in place of DeLong's.

    Parameters
    ----------
    positive, scores, higher_is_positive, cluster, unit
        See `delong_covariance`; at least two models.
    level : float
        Confidence level of the intervals, in (0, 1).

    Returns
    -------
    AurocComparison
        Tests undefined, with the reason, when all items are of one class, a class has one item, or
        a difference has no variance (models that rank the items alike).

    References
    ----------
    See `delong_covariance`.
    """
    level = checked_level(level)
    made = delong_covariance(
        positive, scores, higher_is_positive=higher_is_positive, cluster=cluster, unit=unit
    )
    if len(made.models) < 2:
        raise ParameterError("A comparison needs at least two models; found one.")
    pairs = _pairs(made, level)
    chi_squared, df, reason = _overall(made)
    return AurocComparison(
        aurocs=tuple(made.estimate(model, level=level) for model in made.models),
        pairs=pairs,
        chi_squared=chi_squared,
        degrees_of_freedom=df,
        p_value=math.nan if reason else float(chdtrc(df, chi_squared)),
        made=made,
        reason=reason,
    )


def auroc_difference(
    made: AurocCovariance, first: str, second: str, *, level: float = 0.95
) -> Estimate:
    """Return the difference of two AUROCs, first minus second, with its interval in [-1, 1]."""
    one, other = place_of(made.models, first), place_of(made.models, second)
    facts: dict[str, Any] = {
        "name": f"AUROC of {first} − AUROC of {second}",
        "level": checked_level(level),
        "n_items": made.n_items,
        "n_clusters": made.n_clusters,
        "unit": made.unit,
        "method": made.method,
    }
    if made.placements is None:
        return undefined(str(made.reason), **facts)
    value = float(made.auroc[one] - made.auroc[other])
    if made.variance_reason:
        return Estimate(value, reason=made.variance_reason, **facts)
    contrast = np.zeros((1, len(made.models)))
    contrast[0, one] += 1
    contrast[0, other] -= 1
    error = standard_error(float(made.placements.covariance(contrast)[0, 0]))
    return normal_interval(value, error, bounds=(-1.0, 1.0), **facts)


def _pairs(made: AurocCovariance, level: float) -> tuple[AurocDifference, ...]:
    names = list(combinations(made.models, 2))
    differences = [auroc_difference(made, *two, level=level) for two in names]
    tests = [_test(one) for one in differences]
    adjusted = holm([p for _, p, _ in tests])
    return tuple(
        AurocDifference(*two, difference, z, p, p_holm, reason)
        for two, difference, (z, p, reason), p_holm in zip(
            names, differences, tests, adjusted, strict=True
        )
    )


def _test(difference: Estimate) -> tuple[float, float, str | None]:
    """Return z, p and the reason there is none."""
    if difference.reason:
        return math.nan, math.nan, difference.reason
    if difference.standard_error == 0:
        return math.nan, math.nan, NO_SPREAD
    z = difference.value / difference.standard_error
    return z, two_sided_p(z), None


def _overall(made: AurocCovariance) -> tuple[float, float, str | None]:
    """Return chi-squared, its degrees of freedom, and the reason there is none."""
    reason = made.reason or made.variance_reason
    if reason or made.placements is None:
        return math.nan, math.nan, reason
    k = len(made.models)
    contrasts = np.column_stack([np.ones(k - 1), -np.eye(k - 1)])
    apart = made.auroc[0] - made.auroc[1:]
    values, vectors = np.linalg.eigh(made.placements.covariance(contrasts))
    spread = values > RANK_TOLERANCE * values.max(initial=0.0)
    spread &= values > SMALLEST_ERROR**2
    if not spread.any():
        return math.nan, math.nan, NO_SPREAD
    along = vectors.T @ apart
    return float((along[spread] ** 2 / values[spread]).sum()), float(spread.sum()), None


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted by Holm's step-down method; undefined ones do not count.

    References
    ----------
    Holm S (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal of
    Statistics 6:65-70.
    """
    adjusted = np.asarray(p_values, dtype=np.float64)
    known = np.flatnonzero(~np.isnan(adjusted))
    order = known[np.argsort(adjusted[known], kind="stable")]
    factors = np.arange(order.size, 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(factors * adjusted[order]), 1.0)
    return [float(p) for p in adjusted]
