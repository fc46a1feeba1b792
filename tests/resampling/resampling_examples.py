"""Statistics written for the tests, apart from the package's own agreement modules."""

from __future__ import annotations

import numpy as np

from benchbook.resampling import SumsStatistic, divide


def kappa_statistic(first, second, n_categories):
    """Return Cohen's kappa of two raters whose ratings are codes 0 to n_categories - 1."""
    cells = np.zeros((len(first), n_categories**2))
    cells[np.arange(len(first)), np.asarray(first) * n_categories + second] = 1

    def evaluate(sums):
        table = sums.reshape(-1, n_categories, n_categories)
        total = table.sum(axis=(1, 2))
        observed = np.trace(table, axis1=1, axis2=2) / total
        expected = (table.sum(axis=1) * table.sum(axis=2)).sum(axis=1) / total**2
        return divide(observed - expected, 1 - expected)

    return SumsStatistic("Cohen kappa", cells, evaluate, "both used one category", (-1.0, 1.0))


def icc_statistic(scores):
    """Return ICC(2,1) of scores of shape (n_items, n_raters), from the two-way ANOVA sums."""
    k = scores.shape[1]
    features = np.column_stack(
        [np.ones(len(scores)), scores.sum(axis=1) ** 2, (scores**2).sum(axis=1), scores]
    )

    def evaluate(sums):
        n, row_squares, squares, raters = sums[:, 0], sums[:, 1], sums[:, 2], sums[:, 3:]
        correction = raters.sum(axis=1) ** 2 / (n * k)
        rows = row_squares / k - correction
        columns = (raters**2).sum(axis=1) / n - correction
        rest = squares - correction - rows - columns
        ms_rows, ms_columns = rows / (n - 1), columns / (k - 1)
        ms_rest = rest / ((n - 1) * (k - 1))
        return divide(
            ms_rows - ms_rest, ms_rows + (k - 1) * ms_rest + k * (ms_columns - ms_rest) / n
        )

    return SumsStatistic("ICC(2,1)", features, evaluate, "the scores do not vary")


def variance_statistic(values):
    """Return the variance with divisor n, the plug-in estimate."""
    values = np.asarray(values, dtype=float)
    features = np.column_stack([np.ones(len(values)), values, values**2])

    def evaluate(sums):
        return sums[:, 2] / sums[:, 0] - (sums[:, 1] / sums[:, 0]) ** 2

    return SumsStatistic("variance", features, evaluate, "no items")


def two_raters(n_items, n_categories, agreement, seed):
    """Return two raters' codes; the second copies the first with probability ``agreement``."""
    generator = np.random.default_rng(seed)
    first = generator.integers(0, n_categories, n_items)
    guess = generator.integers(0, n_categories, n_items)
    return first, np.where(generator.random(n_items) < agreement, first, guess)
