"""Bins of predicted probability."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ParameterError, nearest
from ..resampling.checks import whole_number
from .inputs import probabilities

STRATEGIES = ("uniform", "quantile")


@dataclass(frozen=True, eq=False)
class ProbabilityBins:
    """Bins of probability, open on the left and closed on the right; 0 belongs to the first.

    Attributes
    ----------
    edges : ndarray of shape (n_bins + 1,)
        Rising from 0 to 1; equal edges make an empty bin.
    strategy : str
        ``"uniform"`` (equal widths) or ``"quantile"`` (equal counts, tied items together).
    """

    edges: np.ndarray
    strategy: str

    @property
    def n_bins(self) -> int:
        """Number of bins asked for, empty ones included."""
        return len(self.edges) - 1

    @property
    def description(self) -> str:
        """How the bins were made, in words."""
        return f"{self.n_bins} {self.strategy} bins"

    def of(self, probability: np.ndarray) -> np.ndarray:
        """Return the bin of each probability, 0 to n_bins - 1."""
        return np.searchsorted(self.edges[1:-1], probability, side="left")


def probability_bins(
    n_bins: int, strategy: str, probability: ArrayLike | None = None
) -> ProbabilityBins:
    """Make bins of probability.

    Parameters
    ----------
    n_bins : int
        At least 1.
    strategy : {"uniform", "quantile"}
        Bins of equal width, or between quantiles of ``probability``.
    probability : array_like, optional
        Needed for quantile bins, which stay where these data put them.
    """
    n_bins = whole_number("n_bins", n_bins, 1)
    if strategy not in STRATEGIES:
        raise ParameterError(f"strategy is {strategy!r}; {nearest(str(strategy), STRATEGIES)}")
    # A quotient is the float nearest to k / n, so a probability written 0.3 lies on its edge.
    shares = np.arange(n_bins + 1) / n_bins
    if strategy == "uniform":
        return ProbabilityBins(shares, strategy)
    if probability is None:
        raise ParameterError("Quantile bins need the probabilities they are the quantiles of.")
    values = probabilities(np.zeros(np.size(probability), dtype=bool), probability).score
    inner = np.quantile(values, shares[1:-1]) if values.size else shares[1:-1]
    return ProbabilityBins(np.concatenate([[0.0], inner, [1.0]]), strategy)
