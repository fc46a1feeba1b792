"""One result type for every statistic: a value, its interval, and how both were made."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """A statistic with its interval and its provenance.

    A statistic that has no value on the given data carries NaN and a ``reason``; it never
    carries 0 or 1 in its place. An interval that could not be made leaves ``low`` and ``high``
    NaN, with the reason too. Nothing is rounded but what is printed.

    Parameters
    ----------
    value : float
        Point estimate on the full data, never the mean of the resamples. NaN when undefined.
    low, high : float
        Interval bounds, NaN when there is no interval. The value may lie outside: percentile and
        basic intervals are not bound to hold it.
    level : float
        Confidence level of the interval, in (0, 1).
    method : str
        How the interval was made, for instance ``"percentile bootstrap"`` or
        ``"Fleiss-Cohen-Everitt"``.
    n_items : int
        Items that entered the statistic.
    n_clusters : int
        Clusters that were resampled; equal to ``n_items`` when items are the unit.
    n_resamples, n_undefined : int
        Bootstrap resamples drawn, and how many of them had no value.
    seed : int or None
        Seed of the resamples.
    reason : str or None
        Why the value (or only the interval) is undefined.
    name : str
        What was estimated, for instance ``"Cohen kappa"``.
    unit : str
        The unit of resampling or of the analytic variance: ``"item"``, ``"patient"`` …
    standard_error : float
        Standard error that goes with the interval (analytic, or the bootstrap's standard
        deviation), NaN when none.
    monte_carlo_error : tuple of float
        Monte-Carlo standard errors of ``low`` and ``high``, NaN when not bootstrapped.
    warnings : tuple of str
        What a reader must know beside the number, such as a clipped bound.

    Raises
    ------
    ValueError
        An undefined value without a reason, or bounds in the wrong order.
    """

    value: float
    low: float = math.nan
    high: float = math.nan
    level: float = 0.95
    method: str = ""
    n_items: int = 0
    n_clusters: int = 0
    n_resamples: int = 0
    n_undefined: int = 0
    seed: int | None = None
    reason: str | None = None
    name: str = ""
    unit: str = "item"
    standard_error: float = math.nan
    monte_carlo_error: tuple[float, float] = (math.nan, math.nan)
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if math.isnan(self.value) and not self.reason:
            raise ValueError("an undefined estimate must carry the reason it is undefined")
        if self.low > self.high:
            raise ValueError(f"the lower bound {self.low} lies above the upper bound {self.high}")

    @property
    def defined(self) -> bool:
        """True when the statistic has a value."""
        return not math.isnan(self.value)

    @property
    def has_interval(self) -> bool:
        """True when both bounds are numbers."""
        return not (math.isnan(self.low) or math.isnan(self.high))

    def __format__(self, spec: str) -> str:
        if not self.defined:
            return f"undefined: {self.reason}"
        spec = spec or f".{decimals(self.value, self.low, self.high)}f"
        text = _shown(self.value, spec)
        if self.has_interval:
            text += f" ({bounds_text(self.low, self.high, spec)})"
        elif self.reason:
            text += f" (no interval: {self.reason})"
        return text

    def __str__(self) -> str:
        return format(self, "")

    def __eq__(self, other: object) -> bool:
        """Compare field by field; NaN equals NaN, so that what was pickled equals its copy."""
        if not isinstance(other, Estimate):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return tuple(_comparable(getattr(self, field.name)) for field in fields(self))

    def as_row(self, **extra: Any) -> dict[str, Any]:
        """Return the estimate as one row of a tidy table, ``extra`` columns first.

        An extra column named like a field stands in the field's place.
        """
        own = {field.name: getattr(self, field.name) for field in fields(self)}
        return {**extra, **own, **extra}


def _comparable(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_comparable, value))
    return "NaN" if value != value else value


def _shown(number: float, spec: str) -> str:
    text = format(number, spec)
    # What is printed as zero has no sign.
    zero = math.isfinite(number) and not any(digit in text for digit in "123456789")
    return text.replace("-", "", 1) if zero else text


def undefined(reason: str, **fields: Any) -> Estimate:
    """Return an estimate without a value, carrying the reason."""
    return Estimate(value=math.nan, reason=reason, **fields)


# Below this a number is the rounding error of a zero.
_ZERO = 1e-12
_LARGE = 1e4  # from here on, a number of seven digits needs fewer than three decimals


def decimals(
    value: float, low: float = math.nan, high: float = math.nan, *, digits: int = 3
) -> int:
    """Return how many decimals a number and its interval need on a page.

    Parameters
    ----------
    value, low, high : float
        The number and its bounds, NaN where there are none.
    digits : int
        Decimals of ordinary numbers.

    Returns
    -------
    int
        More than ``digits`` where so many would hide the width of the interval (without one, the
        number): two significant digits of it are shown. Fewer for numbers so large that decimals
        say nothing.
    """
    largest = max((abs(x) for x in (value, low, high) if math.isfinite(x)), default=0.0)
    width = high - low
    needed = width if math.isfinite(width) and width > _ZERO else largest
    if _ZERO < needed < 2 * 10.0**-digits:
        return 1 - math.floor(math.log10(needed))
    if largest < _LARGE:
        return digits
    spare = max(0, 6 - math.floor(math.log10(largest)))  # seven significant digits in all
    return min(digits, max(spare, 1 - math.floor(math.log10(needed))))


def bounds_text(low: float, high: float, spec: str = ".3f") -> str:
    """Return two bounds in words, such as ``0.652–0.751`` or ``-0.050 to 0.120``."""
    first, last = _shown(low, spec), _shown(high, spec)
    # An en dash beside a minus sign cannot be read; negative bounds take "to".
    dash = " to " if "-" in first + last else "–"
    return f"{first}{dash}{last}"


def estimate_of(result: Any) -> Estimate:
    """Return the estimate of a result that carries one; an estimate is its own."""
    return result if isinstance(result, Estimate) else result.estimate
