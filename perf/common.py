"""What the scripts share: time, memory, agreement of intervals, the machine, Markdown."""

from __future__ import annotations

import importlib.util
import os
import platform
import tracemalloc
from collections.abc import Callable, Sequence
from importlib.metadata import version
from time import perf_counter
from typing import Any

import numpy as np

from benchbook.estimate import Estimate

Interval = tuple[float, float]


def fastest(run: Callable[[], Any], n_runs: int) -> tuple[float, Any]:
    """Return the seconds of the fastest of some runs, and what came out.

    Other work on a machine only ever adds time, so the fastest run is the nearest to the cost.
    """
    times, result = [], None
    for _ in range(n_runs):
        start = perf_counter()
        result = run()
        times.append(perf_counter() - start)
    return min(times), result


def peak_megabytes(run: Callable[[], Any]) -> float:
    """Return what Python and numpy allocated above the data, in megabytes."""
    tracemalloc.start()
    run()
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return peak


def percentile_interval(replicates: Sequence[float]) -> Interval:
    """Return the 95 % percentile interval of a loop's replicates."""
    low, high = np.nanquantile(replicates, [0.025, 0.975])
    return float(low), float(high)


def apart(own: Estimate, other: Interval, n_resamples: int) -> float:
    """Return how far two intervals are apart, in Monte-Carlo standard errors.

    The larger of the two distances between bounds, over the error that the distance has when both
    are drawn from one distribution, ``other`` with ``n_resamples``: rarely above 3.
    """
    spread = np.sqrt(1.0 + own.n_resamples / n_resamples) * np.array(own.monte_carlo_error)
    return float(np.max(np.abs(np.array([own.low, own.high]) - other) / spread))


def shown(interval: Interval, digits: int = 4) -> str:
    """Return an interval as text."""
    return f"{interval[0]:.{digits}f} to {interval[1]:.{digits}f}"


def installed(module: str) -> bool:
    """Tell whether a module can be imported, without importing it."""
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # the package around it is missing
        return False


def machine(packages: Sequence[str], **releases: str) -> str:
    """Return the machine, Python, and the releases of what was compared."""
    known = {name: version(name) for name in packages} | releases
    return (
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        + ", ".join(f"{name} {release}" for name, release in known.items())
    )


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]], n_words: int = 1) -> str:
    """Return a table in Markdown; the first ``n_words`` columns are text, the others numbers."""
    sides = [":---" if place < n_words else "---:" for place in range(len(head))]
    return "\n".join("| " + " | ".join(line) + " |" for line in (head, sides, *rows))


def missing(packages: Sequence[str]) -> str:
    """Return the sentence that names packages that were not there, or nothing."""
    if not packages:
        return ""
    return "\nNot installed, so not compared: " + ", ".join(dict.fromkeys(packages)) + ".\n"
