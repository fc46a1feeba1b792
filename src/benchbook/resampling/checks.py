"""Checks of the arguments that every bootstrap function shares."""

from __future__ import annotations

import math
import operator
from typing import Any

from ..errors import ParameterError, nearest
from .draws import fresh_seed
from .intervals import METHODS


def whole_number(name: str, value: Any, smallest: int) -> int:
    """Return ``value`` as an int of at least ``smallest``."""
    try:
        number = operator.index(value)
    except TypeError:
        number = smallest - 1
    if isinstance(value, bool) or number < smallest:
        raise ParameterError(
            f"{name} is {value!r}; expected a whole number of at least {smallest}."
        )
    return number


def finite_number(name: str, value: Any) -> float:
    """Return ``value`` as a finite float."""
    try:
        number = math.nan if isinstance(value, bool | str) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise ParameterError(f"{name} is {value!r}; expected a finite number.")
    return number


def checked_seed(seed: Any) -> int:
    """Return the seed, or a fresh one for None."""
    return fresh_seed() if seed is None else whole_number("seed", seed, 0)


def checked_jobs(n_jobs: Any) -> int | None:
    """Return the number of workers as joblib takes it; None leaves it to the context."""
    if n_jobs is None:
        return None
    try:
        number = operator.index(n_jobs)
    except TypeError:
        number = 0
    if isinstance(n_jobs, bool) or number == 0:
        raise ParameterError(
            f"n_jobs is {n_jobs!r}; expected a positive number of workers, -1 for all cores, "
            "or None."
        )
    return number


def checked_level(level: Any) -> float:
    """Return the confidence level, a number strictly between 0 and 1."""
    try:
        number = math.nan if isinstance(level, bool | str) else float(level)
    except (TypeError, ValueError):
        number = math.nan
    if not 0.0 < number < 1.0:
        hint = " (write 95 % as 0.95)" if 1.0 < number < 100.0 else ""
        raise ParameterError(f"level is {level!r}; expected a number between 0 and 1{hint}.")
    return number


def checked_method(method: Any) -> str:
    """Return the name of a known interval method in lower case."""
    name = method.lower() if isinstance(method, str) else method
    if name not in METHODS:
        raise ParameterError(f"method is {method!r}; {nearest(str(method), METHODS)}")
    return name
