"""Profile-likelihood intervals of intraclass correlations from a REML fit."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy import optimize

from .forms import Form
from .quantiles import chi2_quantile
from .reml import LARGEST, SEARCH, Fit

# Relative precision of a bound; four digits more than anybody prints.
BOUND_TOLERANCE = 1e-7


def profile_bounds(fit: Fit, form: Form, level: float) -> tuple[float, float]:
    """Return the interval of the single-rater ICC of a form.

    It holds the values at which the restricted deviance, minimised over everything else, is
    less than the chi-squared quantile (1 df) above its minimum.

    References
    ----------
    Pinheiro JC, Bates DM (2000). Mixed-Effects Models in S and S-PLUS. Springer, section 2.4
    (likelihood ratios of variance components).
    """
    allowed = fit.deviance + chi2_quantile(level, 1)
    estimate = fit.components.icc(f"{form.name[:-2]}1)")
    excess = _excess(fit, form, allowed)
    low = 0.0
    if estimate > 0 and excess(0.0) > 0:
        low = optimize.brentq(excess, 0.0, estimate, rtol=BOUND_TOLERANCE, xtol=1e-12)
    beyond = estimate
    while excess(beyond) <= 0 and 1 - beyond > 1e-14:
        beyond = 1 - (1 - beyond) / 4
    high = 1.0
    if excess(beyond) > 0:
        high = optimize.brentq(excess, estimate, beyond, rtol=BOUND_TOLERANCE, xtol=1e-12)
    return float(low), float(high)


def _excess(fit: Fit, form: Form, allowed: float) -> Callable[[float], float]:
    """Return the profile deviance at an ICC, over what the interval allows."""
    design = fit.design
    with_raters = form.definition == "agreement" and design.two_way
    warm = [math.log1p(float(fit.ratios[1]))]

    def excess(value: float) -> float:
        odds = value / (1 - value)

        def criterion(x: np.ndarray) -> tuple[float, np.ndarray]:
            raters = math.expm1(float(x[0]))
            slope = odds if with_raters else 0.0
            at = design.evaluate(odds + slope * raters, raters)
            inner = at.gradient[1] + slope * at.gradient[0]
            return at.deviance, np.array([inner * (1 + raters)])

        if not design.two_way:
            return design.evaluate(odds, 0.0).deviance - allowed
        found = optimize.minimize(
            criterion, warm, jac=True, method="L-BFGS-B", bounds=[(0.0, LARGEST)], options=SEARCH
        )
        warm[0] = float(found.x[0])
        return float(found.fun) - allowed

    return excess
