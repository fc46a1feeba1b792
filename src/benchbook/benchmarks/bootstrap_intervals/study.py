"""The simulation: many data sets of a design, every interval on each, and how often it is right."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from benchbook.metrics import proportion
from benchbook.resampling import resample

from .designs import DESIGNS, Design, Sample

BOOTSTRAPS = {
    "percentile": "percentile",
    "basic": "basic",
    "bca": "BCa",
    "studentised": "studentised",
}
LINEARISED = "linearised, t"
Bounds = tuple[float, float]


@dataclass(frozen=True)
class Cell:
    """One point of the simulation: a design at one correlation.

    Attributes
    ----------
    design : Design
    correlation : float
    every_method : bool
        All intervals; otherwise the percentile interval only, for items and for clusters.
    """

    design: Design
    correlation: float
    every_method: bool

    def generator(self, seed: int, replication: int) -> np.random.Generator:
        """Return the generator of one replication: the same in any selection, order or size."""
        key = (zlib.crc32(self.design.key.encode()), round(1000 * self.correlation), replication)
        return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


@dataclass
class Tally:
    """What one interval did over the replications."""

    lows: list[float] = field(default_factory=list)
    highs: list[float] = field(default_factory=list)

    def add(self, low: float, high: float) -> None:
        """Note one interval, NaN where there was none."""
        self.lows.append(low)
        self.highs.append(high)

    def summary(self, truth: float) -> dict[str, float | int]:
        """Return counts and the mean width."""
        lows, highs = np.array(self.lows), np.array(self.highs)
        given = ~np.isnan(lows)
        width = (highs - lows)[given]
        return {
            "n_intervals": int(given.sum()),
            "n_covered": int(((lows <= truth) & (truth <= highs)).sum()),
            "n_too_high": int((lows > truth).sum()),
            "n_too_low": int((highs < truth).sum()),
            "mean_width": float(width.mean()) if width.size else math.nan,
            "width_error": float(width.std(ddof=1) / math.sqrt(width.size))
            if width.size > 1
            else math.nan,
        }


@dataclass(frozen=True, eq=False)
class Results:
    """A finished simulation.

    Attributes
    ----------
    coverage : DataFrame
        One row per design, correlation, unit and method: ``n_replications``, ``n_intervals``,
        ``n_covered``, ``n_too_high`` and ``n_too_low`` (the whole interval lies above, below the
        truth), ``mean_width``, ``width_error``.
    estimates : DataFrame
        One row per design and correlation: ``truth``, mean and standard deviation of the
        estimates (``mean``, ``sd``), ``n_replications``, ``n_undefined``.
    n_replications, n_resamples, seed : int
    level : float
    """

    coverage: pd.DataFrame
    estimates: pd.DataFrame
    n_replications: int
    n_resamples: int
    level: float
    seed: int


def cells(keys: Iterable[str] | None = None, sweep_step: int = 1) -> list[Cell]:
    """Return the points of the simulation.

    Parameters
    ----------
    keys : iterable of str, optional
        Designs; all when not given.
    sweep_step : int
        Every how many-th correlation of a sweep is taken; the last one always is.
    """
    found = []
    for key in DESIGNS if keys is None else keys:
        design = DESIGNS[key]
        found.append(Cell(design, design.headline, True))
        kept = design.sweep[::sweep_step] + design.sweep[-1:]
        others = [rho for rho in dict.fromkeys(kept) if rho != design.headline]
        found += [Cell(design, rho, False) for rho in others]
    return found


def run(
    points: Sequence[Cell], *, n_replications: int, n_resamples: int, level: float, seed: int
) -> Results:
    """Simulate every point; fewer replications are the beginning of more."""
    coverage, estimates = [], []
    for point in points:
        rows, about = _run_cell(point, n_replications, n_resamples, level, seed)
        coverage += rows
        estimates.append(about)
    return Results(
        pd.DataFrame(coverage), pd.DataFrame(estimates), n_replications, n_resamples, level, seed
    )


def _run_cell(
    point: Cell, n_replications: int, n_resamples: int, level: float, seed: int
) -> tuple[list[dict[str, object]], dict[str, object]]:
    design, tallies = point.design, dict[tuple[str, str], Tally]()
    values = np.full(n_replications, np.nan)
    for replication in range(n_replications):
        generator = point.generator(seed, replication)
        sample = design.draw(generator, point.correlation)
        draws = int(generator.integers(2**32))
        for unit in ("item", "cluster") if design.clustered else ("item",):
            values[replication], made = _intervals(point, sample, unit, n_resamples, level, draws)
            for method, bounds in made.items():
                tallies.setdefault((unit, method), Tally()).add(*bounds)
    where = {"design": design.key, "correlation": point.correlation}
    rows = [
        {
            **where,
            "unit": unit,
            "method": method,
            "n_replications": n_replications,
            **tally.summary(design.truth),
        }
        for (unit, method), tally in tallies.items()
    ]
    known = values[~np.isnan(values)]
    about = {
        **where,
        "truth": design.truth,
        "mean": known.mean(),
        "sd": known.std(ddof=1),
        "n_replications": n_replications,
        "n_undefined": n_replications - known.size,
    }
    return rows, about


def _intervals(
    point: Cell, sample: Sample, unit: str, n_resamples: int, level: float, seed: int
) -> tuple[float, dict[str, Bounds]]:
    """Return the estimate and the bounds by method, NaN where a method gives no interval."""
    cluster = sample.cluster if unit == "cluster" else None
    drawn = resample(sample.statistic, cluster=cluster, n_resamples=n_resamples, seed=seed)
    every = point.every_method
    # Over the wrong unit one bootstrap interval is enough to show what goes wrong.
    right_unit = unit == "cluster" or not point.design.clustered
    methods = BOOTSTRAPS if every and right_unit else {"percentile": "percentile"}
    made = {words: drawn.interval(method, level) for method, words in methods.items()}
    bounds = {words: (one.low, one.high) for words, one in made.items()}
    if every:
        analytic = point.design.analytic(sample, unit, level)
        bounds |= {words: (one.low, one.high) for words, one in analytic.items()}
        if right_unit:
            linearised = drawn.interval("linearised", level)
            bounds[LINEARISED] = (linearised.low, linearised.high)
    return drawn.point, bounds


def with_rates(coverage: pd.DataFrame, level: float = 0.95) -> pd.DataFrame:
    """Return the table with rates and their Monte-Carlo errors.

    Adds ``coverage`` (of the intervals given), its binomial standard error ``error`` at
    (covered + 1/2) / (intervals + 1), which is not zero where all or none cover, its Wilson
    interval ``low`` and ``high``, and ``without``, the share of data sets without an interval.
    """
    table = coverage.copy()
    given, covered = table["n_intervals"], table["n_covered"]
    table["coverage"] = covered / given.where(given > 0)
    shrunk = (covered + 0.5) / (given + 1)
    table["error"] = np.sqrt(shrunk * (1 - shrunk) / given.where(given > 0))
    bounds = [proportion(int(x), int(n), level=level) for x, n in zip(covered, given, strict=True)]
    table["low"], table["high"] = ([b.low for b in bounds], [b.high for b in bounds])
    table["without"] = 1 - given / table["n_replications"]
    return table
