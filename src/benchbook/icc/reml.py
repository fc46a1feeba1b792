"""The restricted likelihood of crossed random effects, profiled down to two variance ratios.

With the ratios of the item and rater variances to the error variance fixed, mean, effects and
error variance have closed forms (Henderson's mixed-model equations). The longer factor is
eliminated from the equations, so that the cost is one small dense system of the shorter one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import optimize, sparse

from .components import VarianceComponents
from .equations import CountGroups

# Tolerances of the search. The gradient is analytic, so it can be driven far down; the polish
# below removes what the line search leaves.
SEARCH = {"ftol": 1e-15, "gtol": 1e-9, "maxiter": 500}
POLISH_STEPS = 5
# Largest log(1 + ratio) the search may try: an item variance 1e11 times the error variance.
LARGEST = math.log1p(1e11)
DIFFERENCE_STEP = 1e-5


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The criterion at one pair of variance ratios.

    Attributes
    ----------
    deviance : float
        Minus twice the restricted log-likelihood, mean and error variance at their optimum.
    gradient : ndarray of float, shape (2,)
        Derivatives by the item ratio and the rater ratio; right-hand derivatives at zero.
    error : float
        Error variance.
    mean, mean_variance : float
        Mean of the centred scores, and its variance in units of the error variance.
    """

    deviance: float
    gradient: np.ndarray
    error: float
    mean: float
    mean_variance: float


class CrossedDesign:
    """Scores of items by raters, some missing, prepared for the mixed-model equations.

    Parameters
    ----------
    values : ndarray of float, shape (n_items, n_raters)
        Scores, NaN where missing; every item has at least one.
    two_way : bool
        Whether raters have an effect.
    """

    def __init__(self, values: np.ndarray, *, two_way: bool) -> None:
        self.two_way = two_way
        self.swapped = two_way and values.shape[1] > values.shape[0]
        table = values.T if self.swapped else values
        self.present = ~np.isnan(table)
        self.n_scores = int(self.present.sum())
        self.centre = float(table[self.present].mean())
        self.scores = np.where(self.present, table - self.centre, 0.0)
        self.long_counts = self.present.sum(axis=1).astype(float)
        self.incidence = self.present.astype(float) if two_way else np.zeros((len(table), 0))
        self.short_counts = self.incidence.sum(axis=0)
        self.long_sums = self.scores.sum(axis=1)
        self.short_sums = self.scores.sum(axis=0) if two_way else np.zeros(0)
        self.groups = CountGroups(self.incidence, self.long_counts, self.long_sums)

    def total_sum_of_squares(self) -> float:
        """Return the sum of squared deviations from the general mean."""
        spread = self.scores[self.present]
        return float(np.sum((spread - spread.mean()) ** 2))

    def residual_df(self) -> int:
        """Return scores minus the rank of the item and rater effects."""
        n_long, n_short = self.incidence.shape
        if not self.two_way:
            return self.n_scores - n_long
        blocks = sparse.bmat([[None, self.incidence], [self.incidence.T, None]])
        pieces, _ = sparse.csgraph.connected_components(blocks, directed=False)
        return self.n_scores - (n_long + n_short - pieces)

    def residual_sum_of_squares(self) -> float:
        """Return what least squares on item and rater effects leaves over."""
        counts = np.maximum(self.long_counts, 1.0)
        shares = self.incidence / counts[:, None]
        laplacian = np.diag(self.short_counts) - self.incidence.T @ shares
        right = self.short_sums - shares.T @ self.long_sums
        short = np.linalg.lstsq(laplacian, right, rcond=None)[0]
        long = (self.long_sums - self.incidence @ short) / counts
        return float(np.sum(self._residuals(long, short, 0.0) ** 2))

    def _residuals(self, long: np.ndarray, short: np.ndarray, mean: float) -> np.ndarray:
        fitted = mean + long[:, None] + (short if self.two_way else 0.0)
        return np.where(self.present, self.scores - fitted, 0.0)

    def evaluate(self, items: float, raters: float) -> Evaluation:
        """Return the criterion at variance ratios of at least zero."""
        ratio_long, ratio_short = (raters, items) if self.swapped else (items, raters)
        reduced = self.groups.eliminate(ratio_long, self.short_counts, self.short_sums)
        system = np.eye(len(reduced.link)) + ratio_short * reduced.block
        inverse = np.linalg.inv(system)
        # An effect is its ratio times the sum of its residuals. The sums come from the equations:
        # added up from residuals they would be noise when the ratio is large.
        short_rest = inverse @ reduced.right
        short = ratio_short * short_rest
        mean = reduced.mean_right / reduced.mean_block - float(reduced.link @ short)
        long_right = self.long_sums - mean * self.long_counts - self.incidence @ short
        long_rest = long_right / (1.0 + ratio_long * self.long_counts)

        residuals = self._residuals(ratio_long * long_rest, short, mean)
        squares = np.array([long_rest @ long_rest, short_rest @ short_rest])
        penalised = float(np.sum(residuals**2) + squares @ [ratio_long, ratio_short])
        df = self.n_scores - 1
        log_det = reduced.log_det + float(np.linalg.slogdet(system)[1])
        traces = np.array(
            [
                reduced.trace - ratio_short * float(np.sum(inverse * reduced.spread)),
                float(np.sum(inverse * reduced.block)),
            ]
        )
        gradient = traces - df * squares / penalised
        if not self.two_way:
            gradient[1] = 0.0
        link = reduced.link
        return Evaluation(
            deviance=float(log_det + df * (1.0 + math.log(2.0 * math.pi * penalised / df))),
            gradient=gradient[::-1] if self.swapped else gradient,
            error=penalised / df,
            mean=mean,
            mean_variance=1.0 / reduced.mean_block + ratio_short * float(link @ inverse @ link),
        )

    def start(self) -> np.ndarray:
        """Return rough variance ratios from the spread of item and rater means."""
        error = self.residual_sum_of_squares() / max(self.residual_df(), 1)

        def ratio(sums: np.ndarray, counts: np.ndarray) -> float:
            used = counts > 0
            means = sums[used] / counts[used]
            size = float(counts[used].mean())
            spread = float(means.var(ddof=1)) if len(means) > 1 else 0.0
            return max(spread / error - 1.0 / size, 0.01) if error > 0 else 1.0

        long = ratio(self.long_sums, self.long_counts)
        short = ratio(self.short_sums, self.short_counts) if self.two_way else 0.0
        return np.array([short, long] if self.swapped else [long, short])


@dataclass(frozen=True, eq=False)
class Fit:
    """The design with its best variance ratios.

    Attributes
    ----------
    design : CrossedDesign
        The data.
    ratios : ndarray of float, shape (2,)
        Item and rater variance over error variance; the second is 0 in a one-way model.
    deviance, mean, mean_standard_error : float
        At the optimum, in the units of the data.
    components : VarianceComponents
        In squared units of the score.
    """

    design: CrossedDesign
    ratios: np.ndarray
    deviance: float
    mean: float
    mean_standard_error: float
    components: VarianceComponents


def fit_at(design: CrossedDesign, ratios: np.ndarray) -> Fit:
    """Return the fit with given variance ratios."""
    at = design.evaluate(float(ratios[0]), float(ratios[1]))
    return Fit(
        design=design,
        ratios=ratios,
        deviance=at.deviance,
        mean=design.centre + at.mean,
        mean_standard_error=math.sqrt(at.error * at.mean_variance),
        components=VarianceComponents(
            items=float(ratios[0]) * at.error,
            raters=float(ratios[1]) * at.error if design.two_way else None,
            error=at.error,
            method="REML",
        ),
    )


def best_fit(design: CrossedDesign) -> Fit:
    """Return the REML fit.

    The search runs over log(1 + ratio), in which a ratio of zero is an ordinary bound and large
    ratios are near; from two starts, because nothing says that the criterion has one minimum.
    """
    starts = [design.start(), np.array([1.0, 1.0 if design.two_way else 0.0])]
    found = [search(design, np.log1p(start)) for start in starts]
    best = min(found, key=lambda x: _criterion(x, design)[0])
    return fit_at(design, np.expm1(_polish(design, best)))


def search(design: CrossedDesign, start: np.ndarray) -> np.ndarray:
    """Return log(1 + ratios) at the minimum found from ``start``."""
    bounds = [(0.0, LARGEST), (0.0, LARGEST if design.two_way else 0.0)]
    found = optimize.minimize(
        _criterion,
        start,
        args=(design,),
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options=SEARCH,
    )
    return np.asarray(found.x, dtype=float)


def _criterion(x: np.ndarray, design: CrossedDesign) -> tuple[float, np.ndarray]:
    ratios = np.expm1(x)
    at = design.evaluate(float(ratios[0]), float(ratios[1]))
    return at.deviance, at.gradient * (1.0 + ratios)


def _polish(design: CrossedDesign, x: np.ndarray) -> np.ndarray:
    """Return x after a few Newton steps on the components that are not zero."""
    for _ in range(POLISH_STEPS):
        gradient = _criterion(x, design)[1]
        free = x > 0
        if not free.any() or np.abs(gradient[free]).max() < 1e-12:
            break
        step = np.linalg.lstsq(_curvature(design, x, free), gradient[free], rcond=None)[0]
        tried = x.copy()
        tried[free] = np.maximum(x[free] - step, 0.0)
        if np.abs(_criterion(tried, design)[1][free]).max() >= np.abs(gradient[free]).max():
            break
        x = tried
    return x


def _curvature(design: CrossedDesign, x: np.ndarray, free: np.ndarray) -> np.ndarray:
    """Return the second derivatives of the criterion, from differences of its gradient."""
    rows = []
    for index in np.flatnonzero(free):
        step = np.zeros(len(x))
        step[index] = min(DIFFERENCE_STEP, x[index])
        ahead, behind = _criterion(x + step, design)[1], _criterion(x - step, design)[1]
        rows.append((ahead - behind)[free] / (2 * step[index]))
    return np.array(rows)
