"""Tables, definitions written out, and frozen R numbers for the tests of continuous scores."""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import linalg

REFERENCE = Path(__file__).parent.parent / "reference"
FORMS = ("ICC(1,1)", "ICC(2,1)", "ICC(3,1)", "ICC(1,k)", "ICC(2,k)", "ICC(3,k)")

# Shrout and Fleiss (1979), table 2: six targets, four judges.
SHROUT_FLEISS = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], float
)


@cache
def table(name):
    return pd.read_csv(REFERENCE / "tables" / f"{name}.csv", index_col=0)


def ragged(name):
    """A long table of item and value as items x slots."""
    long = table(name).reset_index()
    long["slot"] = long.groupby("item").cumcount()
    return long.pivot_table(index="item", columns="slot", values="value")


@cache
def records(file):
    return json.loads((REFERENCE / file).read_text(encoding="utf-8"))


def chosen(file, statistic=None, package=None, **options):
    """Records of a file whose options include those given, errors left out."""
    return [
        record
        for record in records(file)
        if statistic in (None, record["statistic"])
        and package in (None, record["package"])
        and "error" not in record
        and all((record.get("options") or {}).get(k) == v for k, v in options.items())
    ]


def label(record):
    options = record.get("options") or {}
    said = [str(value) for value in options.values()]
    parts = [
        record["table"],
        record["statistic"],
        record["package"],
        *said,
        str(record.get("level")),
    ]
    return "-".join(parts).replace(" ", "_")


def close(found, expected, relative, absolute=0.0):
    return math.isclose(found, float(expected), rel_tol=relative, abs_tol=absolute)


# ---- the definitions, written out one score at a time --------------------------------------


def mean_squares(x):
    """MSR, MSC, MSE, MSW of a complete table, by loops over cells."""
    n, k = x.shape
    grand = sum(x[i, j] for i in range(n) for j in range(k)) / (n * k)
    items = [sum(x[i, j] for j in range(k)) / k for i in range(n)]
    raters = [sum(x[i, j] for i in range(n)) / n for j in range(k)]
    cells = [(i, j) for i in range(n) for j in range(k)]
    between = k * sum((m - grand) ** 2 for m in items)
    columns = n * sum((m - grand) ** 2 for m in raters)
    error = sum((x[i, j] - items[i] - raters[j] + grand) ** 2 for i, j in cells)
    within = sum((x[i, j] - items[i]) ** 2 for i, j in cells)
    return (
        between / (n - 1),
        columns / (k - 1),
        error / ((n - 1) * (k - 1)),
        within / (n * (k - 1)),
    )


def coefficients(x):
    """The six coefficients by the equations of Shrout and Fleiss."""
    n, k = x.shape
    b, j, e, w = mean_squares(x)
    return {
        "ICC(1,1)": (b - w) / (b + (k - 1) * w),
        "ICC(2,1)": (b - e) / (b + (k - 1) * e + k * (j - e) / n),
        "ICC(3,1)": (b - e) / (b + (k - 1) * e),
        "ICC(1,k)": (b - w) / b,
        "ICC(2,k)": (b - e) / (b + (j - e) / n),
        "ICC(3,k)": (b - e) / b,
    }


def restricted_deviance(x, items, raters, error):
    """Minus twice the restricted log-likelihood, from the dense covariance of the scores."""
    i, j = np.nonzero(~np.isnan(x))
    y = x[i, j]
    covariance = items * (i[:, None] == i) + raters * (j[:, None] == j) + error * np.eye(len(y))
    ones = np.ones((len(y), 1))
    solved = linalg.solve(covariance, np.column_stack([ones, y]), assume_a="pos")
    information = float(ones[:, 0] @ solved[:, 0])
    mean = float(ones[:, 0] @ solved[:, 1]) / information
    rest = linalg.solve(covariance, y - mean, assume_a="pos")
    log_det = np.linalg.slogdet(covariance)[1]
    quadratic = float((y - mean) @ rest)
    df = len(y) - 1
    return df * math.log(2 * math.pi) + log_det + math.log(information) + quadratic


def simulated(seed, n, k, items=4.0, raters=1.0, error=2.0, missing=0.0):
    """Scores of the two-way random model, some missing, every item scored at least once."""
    rng = np.random.default_rng(seed)
    x = (
        rng.normal(0, math.sqrt(items), (n, 1))
        + rng.normal(0, math.sqrt(raters), (1, k))
        + rng.normal(0, math.sqrt(error), (n, k))
    )
    gone = rng.random((n, k)) < missing
    gone[np.arange(n), rng.integers(k, size=n)] = False
    x[gone] = np.nan
    return x
