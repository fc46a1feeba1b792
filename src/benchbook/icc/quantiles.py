"""Tails and quantiles of the usual distributions, as plain numbers.

The functions behind scipy.stats, without its argument handling, which costs a hundred times more
than they do and is paid some thirty times per table.
"""

from __future__ import annotations

import math

from scipy import special


def f_tail(f: float, df1: float, df2: float) -> float:
    """Return P(F > f); NaN where f or the degrees of freedom are no use."""
    if math.isnan(f) or not df1 > 0 or not df2 > 0:
        return math.nan
    return 0.0 if math.isinf(f) else float(special.fdtrc(df1, df2, f))


def f_quantile(share: float, df1: float, df2: float) -> float:
    """Return the value F exceeds with probability 1 - share."""
    return float(special.fdtri(df1, df2, share))


def t_quantile(share: float, df: float) -> float:
    """Return the value Student's t exceeds with probability 1 - share."""
    return float(special.stdtrit(df, share))


def t_two_tails(t: float, df: float) -> float:
    """Return P(|T| > |t|); NaN where t is no number."""
    return 0.0 if math.isinf(t) else float(2 * special.stdtr(df, -abs(t)))


def chi2_quantile(share: float, df: float) -> float:
    """Return the value chi-squared exceeds with probability 1 - share."""
    return float(special.chdtri(df, 1 - share))


def nct_quantile(share: float, df: float, noncentrality: float) -> float:
    """Return the value noncentral t exceeds with probability 1 - share."""
    return float(special.nctdtrit(df, noncentrality, share))


def normal_content(reach: float) -> float:
    """Return the share of a normal distribution within ``reach`` standard deviations."""
    return float(special.ndtr(reach) - special.ndtr(-reach))


def z_quantile(share: float) -> float:
    """Return the standard normal quantile."""
    return float(special.ndtri(share))
