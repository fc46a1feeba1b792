"""How far a bound moves with another seed, against the number of resamples."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from benchbook.resampling import Distribution, resample
from benchbook.resampling.intervals import bca_probabilities, central_probabilities, quantile_error

from .designs import DESIGNS
from .study import Cell

EXAMPLE = "auroc_apart"
POOL = 100_000
SIZES = (100, 200, 500, 1000, 2000, 5000)
METHODS = ("percentile", "BCa", "studentised")
SIDES = ("lower bound", "upper bound")
# Enough independent runs that their standard deviation is known within about 15 %.
ENOUGH_RUNS = 20


@dataclass(frozen=True)
class Convergence:
    """The bounds of one data set on many independent sets of resamples.

    Parameters
    ----------
    seed : int
        Seed of the data set (the first of the design) and of the resamples.
    level : float
        Confidence level.
    """

    seed: int
    level: float

    @cached_property
    def drawn(self) -> Distribution:
        """One long run of resamples; any part of it is a shorter run of its own."""
        design = DESIGNS[EXAMPLE]
        generator = Cell(design, design.headline, True).generator(self.seed, 0)
        sample = design.draw(generator, design.headline)
        return resample(sample.statistic, cluster=sample.cluster, n_resamples=POOL, seed=self.seed)

    @cached_property
    def replicates(self) -> np.ndarray:
        """The replicates that have a value: about one resample in 70,000 has no positive."""
        return self.drawn.replicates[~np.isnan(self.drawn.replicates)]

    @cached_property
    def pivots(self) -> np.ndarray:
        """The studentised deviations of the resamples that have a standard error."""
        return self.drawn.pivots[~np.isnan(self.drawn.pivots)]

    @cached_property
    def table(self) -> pd.DataFrame:
        """Error of each bound by method and number of resamples.

        ``group`` (which bound), ``name`` (method), ``n_resamples``, ``n_runs``, ``error``
        (standard deviation over independent runs), ``by_formula`` (Maritz-Jarrett), and both in
        per cent of the interval's width as ``value`` and ``predicted``.
        """
        rows = []
        for method in METHODS:
            whole = self._bounds(method, None)[0]
            wide = whole[1] - whole[0]
            formula = self._formula(method)
            for size in SIZES:
                bounds = self._bounds(method, size)
                seen = bounds.std(axis=0, ddof=1)
                for side in (0, 1):
                    predicted = formula[side] * math.sqrt(self.replicates.size / size)
                    rows.append(
                        {
                            "group": SIDES[side],
                            "name": method,
                            "n_resamples": size,
                            "n_runs": len(bounds),
                            "error": seen[side],
                            "by_formula": predicted,
                            "value": 100 * seen[side] / wide,
                            "predicted": 100 * predicted / wide,
                        }
                    )
        return pd.DataFrame(rows)

    def _bounds(self, method: str, size: int | None) -> np.ndarray:
        """Return the bounds on each run of ``size`` resamples (None: all), shape (n_runs, 2)."""
        tails = central_probabilities(self.level)
        values = self.pivots if method == "studentised" else self.replicates
        size = size or values.size
        runs = values[: values.size // size * size].reshape(-1, size)
        if method == "percentile":
            return np.quantile(runs, tails, axis=1).T
        if method == "BCa":
            return np.array([np.quantile(run, self._adjusted(run)) for run in runs])
        quantiles = np.quantile(runs, tails[::-1], axis=1).T
        # Not cut at the end of the range: a bound that is cut there would seem to have no error.
        return self.drawn.point - self.drawn.standard_errors[0] * quantiles

    def _adjusted(self, run: np.ndarray) -> tuple[float, float]:
        drawn = self.drawn
        return bca_probabilities(run, drawn.point, drawn.jackknife, self.level)

    def _formula(self, method: str) -> tuple[float, float]:
        """Return the Maritz-Jarrett error of each bound on the whole run."""
        tails = central_probabilities(self.level)
        if method == "studentised":
            pivots, scale = np.sort(self.pivots), self.drawn.standard_errors[0]
            return (
                scale * quantile_error(pivots, tails[1]),
                scale * quantile_error(pivots, tails[0]),
            )
        ordered = np.sort(self.replicates)
        if method == "BCa":
            tails = self._adjusted(ordered)
        return quantile_error(ordered, tails[0]), quantile_error(ordered, tails[1])

    def needed(self, share: float) -> pd.DataFrame:
        """Return the resamples needed for an error of at most this share of the width.

        From the largest error seen on enough independent runs, and the square-root law.
        """
        enough = self.table[self.table["n_runs"] >= ENOUGH_RUNS]
        worst = enough.groupby(["name", "n_resamples"], sort=False)["value"].max().reset_index()
        last = worst.loc[worst.groupby("name", sort=False)["n_resamples"].idxmax()]
        count = last["n_resamples"] * (last["value"] / (100 * share)) ** 2
        # Two significant digits: the error itself is known no better.
        rounded = [int(float(f"{number:.1e}")) for number in count]
        return pd.DataFrame({"method": last["name"].to_numpy(), "resamples": rounded})
