"""Intervals without resampling: a standard error by linearisation, and Student's t.

The standard error adds up the squared influences of the clusters, as the studentised bootstrap
does on every resample (see ``studentised``). Where there are few clusters the t quantile makes up
for an error that is itself estimated from few numbers.

References
----------
Binder DA (1983). On the variances of asymptotically normal estimators from complex surveys.
International Statistical Review 51:279-292. Davison AC, Hinkley DV (1997). Bootstrap Methods and
their Application, section 2.7. Cambridge University Press.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import expit, logit, stdtr, stdtrit

from .intervals import NoInterval

_SHARE = (0.0, 1.0)
# A standard error this small against the value has nothing but rounding in it: influences are
# central differences, good to about this share.
_ROUNDING = 1e-10


@dataclass(frozen=True)
class Linearised:
    """A value with its linearised standard error.

    Parameters
    ----------
    value, error : float
        Point estimate, and its standard error over clusters.
    degrees : int
        Degrees of freedom: clusters less strata.
    bounds : tuple of float
        Smallest and largest possible value. A share, whose bounds are 0 and 1, is taken on the
        logit scale, whose interval cannot leave them.

    Raises
    ------
    NoInterval
        When the standard error is undefined or 0, or a share is 0 or 1.
    """

    value: float
    error: float
    degrees: int
    bounds: tuple[float, float]

    def __post_init__(self) -> None:
        if math.isnan(self.error) or self.error <= _ROUNDING * abs(self.value):
            raise NoInterval(
                "the standard error on the data is "
                + ("undefined" if math.isnan(self.error) else "zero: no unit moves the statistic")
            )
        if self.on_logit_scale and not 0.0 < self.value < 1.0:
            raise NoInterval(f"the logit of {self.value:g} is infinite")

    @property
    def on_logit_scale(self) -> bool:
        """Whether the interval is symmetric on the logit scale."""
        return self.bounds == _SHARE

    def interval(self, level: float) -> tuple[float, float]:
        """Return the bounds; on the plain scale they can leave what is possible."""
        reach = float(stdtrit(self.degrees, (1.0 + level) / 2.0)) * self.error
        if not self.on_logit_scale:
            return self.value - reach, self.value + reach
        centre, reach = float(logit(self.value)), reach / (self.value * (1.0 - self.value))
        low, high = float(expit(centre - reach)), float(expit(centre + reach))
        # Rounding of logit and expit must not move a bound across the value.
        return min(low, self.value), max(high, self.value)

    def p_value(self, null: float) -> float:
        """Return the two-sided p value: one minus the largest level that excludes ``null``.

        Raises
        ------
        NoInterval
            When a share is tested against a value no interval can reach.
        """
        away, error = self.value - null, self.error
        if self.on_logit_scale:
            if not 0.0 < null < 1.0:
                raise NoInterval(f"the logit of the tested value {null:g} is infinite")
            away = float(logit(self.value) - logit(null))
            error /= self.value * (1.0 - self.value)
        return float(2.0 * stdtr(self.degrees, -abs(away) / error))
