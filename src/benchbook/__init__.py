"""Benchbook: parameterised notebooks for medical-AI benchmarks over a small statistics package.

Names are loaded when first used, so that ``import benchbook`` stays quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOME = {
    "Estimate": "estimate",
    "undefined": "estimate",
    "BenchbookError": "errors",
    "DataError": "errors",
    "ParameterError": "errors",
    "Ratings": "ratings",
    "read_ratings": "reading",
    "bootstrap": "resampling",
    "agreement": "",
    "figures": "",
    "icc": "",
    "ratings": "",
    "resampling": "",
}

__all__ = ["__version__", *_HOME]


if TYPE_CHECKING:
    from . import agreement as agreement
    from . import figures as figures
    from . import icc as icc
    from . import ratings as ratings
    from . import resampling as resampling
    from .errors import BenchbookError as BenchbookError
    from .errors import DataError as DataError
    from .errors import ParameterError as ParameterError
    from .estimate import Estimate as Estimate
    from .estimate import undefined as undefined
    from .ratings import Ratings as Ratings
    from .reading import read_ratings as read_ratings
    from .resampling import bootstrap as bootstrap


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'benchbook' has no attribute {name!r}")
    home = _HOME[name]
    module = import_module(f".{home or name}", __name__)
    return getattr(module, name) if home else module


def __dir__() -> list[str]:
    return sorted(__all__)
