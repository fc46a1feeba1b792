"""Time and memory of DeLong's interval and paired test, against the implementations that install.

Run it with ``python perf/delong.py``; ``--rows`` changes the size. Peers that are not installed are
named below the table: confidenceinterval, MLstatkit, rocauc-comparison and pauc come from PyPI,
pROC from CRAN. None of them is needed to use Benchbook.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import numpy as np
from common import fastest, installed, machine, markdown, missing, peak_megabytes
from scipy.special import ndtri
from scipy.stats import rankdata

from benchbook.metrics import delong_interval, delong_test

OWN_RUNS, PEER_RUNS = 5, 2  # the fastest counts
Z = float(ndtri(0.975))
TASKS = ("interval, 1 model", "paired test, 2 models")

R_SCRIPT = """
suppressMessages(library(pROC))
arguments <- commandArgs(TRUE)
n <- as.integer(arguments[2])
values <- matrix(readBin(arguments[1], "double", 3 * n), n)
curve <- function(k) roc(values[, 1], values[, k], levels = c(0, 1), direction = "<", quiet = TRUE)
seconds <- system.time({a <- curve(2); bounds <- ci.auc(a, method = "delong")})[3]
again <- system.time({a <- curve(2); b <- curve(3); test <- roc.test(a, b, method = "delong")})[3]
cat(seconds, bounds[1], bounds[3], again, test$statistic, as.character(packageVersion("pROC")))
"""


def data(n_rows):
    generator = np.random.default_rng(0)
    positive = generator.random(n_rows) < 0.3
    first = generator.normal(size=n_rows) + positive
    return positive, first, first + generator.normal(size=n_rows)


def bounds(value, variance):
    half = Z * np.sqrt(variance)
    return f"{value - half:.6f} to {value + half:.6f}"


def own_interval(positive, first, second):
    made = delong_interval(positive, first, higher_is_positive=True)
    return f"{made.low:.6f} to {made.high:.6f}"


def own_test(positive, first, second):
    scores = {"first": first, "second": second}
    return f"z {delong_test(positive, scores, higher_is_positive=True).pairs[0].z:.6f}"


def three_rankings(positive, first, second):
    """Mid-ranks by scipy: what a careful user writes by hand."""
    x, y = first[positive], first[~positive]
    m, n = x.size, y.size
    everyone = rankdata(np.concatenate([x, y]))
    beaten = (everyone[:m] - rankdata(x)) / n
    beaters = 1 - (everyone[m:] - rankdata(y)) / m
    return bounds(beaten.mean(), beaten.var(ddof=1) / m + beaters.var(ddof=1) / n)


def by_confidenceinterval(positive, first, second):
    from confidenceinterval.delong import delong_roc_variance

    return bounds(*delong_roc_variance(positive, first))


def by_rocauc_comparison(positive, first, second):
    from rocauc_comparison import delong_roc_variance

    return bounds(*delong_roc_variance(positive.astype(int), first))


def by_pauc(positive, first, second):
    import pauc

    low, high = pauc.ci_auc(pauc.ROC(positive.astype(int), first))
    return f"{low:.6f} to {high:.6f}"


def by_pauc_test(positive, first, second):
    import pauc

    labels = positive.astype(int)
    result = pauc.compare(pauc.ROC(labels, first), pauc.ROC(labels, second))
    return f"z {result.stat:.6f}"


def by_mlstatkit(positive, first, second):
    from MLstatkit import Delong_test

    return f"z {-Delong_test(positive.astype(int), first, second)[0]:.6f}"  # its sign is B - A


PEERS: list[tuple[str, str, str, Callable[..., str]]] = [
    (TASKS[0], "confidenceinterval", "confidenceinterval", by_confidenceinterval),
    (TASKS[0], "rocauc_comparison", "rocauc-comparison", by_rocauc_comparison),
    (TASKS[0], "pauc", "pauc", by_pauc),
    (TASKS[1], "pauc", "pauc", by_pauc_test),
    (TASKS[1], "MLstatkit", "mlstatkit", by_mlstatkit),
]


def measured(run: Callable[..., str], columns, n_runs: int) -> tuple[float, float, str]:
    """Return seconds, peak megabytes above the data, and what came out."""
    run(*(column[:2000] for column in columns))  # imports and first-call costs belong to neither
    seconds, result = fastest(lambda: run(*columns), n_runs)
    return seconds, peak_megabytes(lambda: run(*columns)), result


def by_peer(run: Callable[..., str], columns) -> tuple[float, float, str]:
    """Measure another package; what it raises is its result."""
    try:
        return measured(run, columns, PEER_RUNS)
    except Exception as error:
        first_line = " ".join(str(error).strip().splitlines()[:1]).replace("|", "/")
        return np.nan, np.nan, f"fails: {type(error).__name__}: {first_line}"[:90]


def by_r(columns) -> tuple[list[tuple[str, float, str]], str] | None:
    """Time pROC inside R, its start and the reading of the data not counted."""
    if shutil.which("Rscript") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        values, script = Path(folder, "values.bin"), Path(folder, "proc.R")
        values.write_bytes(np.concatenate(columns).astype(np.float64).tobytes())
        script.write_text(R_SCRIPT, encoding="utf-8")
        command = ["Rscript", str(script), str(values), str(columns[0].size)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return None
    seconds, low, high, again, z, release = done.stdout.split()
    interval = f"{float(low):.6f} to {float(high):.6f}"
    return [
        (TASKS[0], float(seconds), interval),
        (TASKS[1], float(again), f"z {float(z):.6f}"),
    ], release


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    n_rows = parser.parse_args().rows
    warnings.simplefilter("ignore")
    columns = data(n_rows)
    rows, absent, releases, own = [], [], {}, {}
    for task, run in zip(TASKS, (own_interval, own_test), strict=True):
        own[task], peak, result = measured(run, columns, OWN_RUNS)
        rows.append((task, "benchbook", own[task], peak, result))
    rows.append((TASKS[0], "scipy.stats.rankdata by hand",
                 *measured(three_rankings, columns, PEER_RUNS)))  # fmt: skip
    for task, module, package, run in PEERS:
        if not installed(module):
            absent.append(package)
            continue
        releases[package] = version(package)
        rows.append((task, package, *by_peer(run, columns)))
    from_r = by_r(columns)
    if from_r is None:
        absent.append("pROC (R)")
    else:
        releases["pROC"] = from_r[1]
        rows += [(task, "pROC (R)", took, np.nan, result) for task, took, result in from_r[0]]
    print(
        f"{n_rows:,} rows, {int(columns[0].sum()):,} positives.\n"
        f"{machine(('numpy', 'scipy'), **releases)}\n"
    )
    rows.sort(key=lambda row: (row[0], np.isnan(row[2]), row[2]))
    print(
        markdown(HEAD, [shown_row(*row, own[row[0]]) for row in rows], 2) + "\n" + missing(absent)
    )


HEAD = ("task", "contender", "seconds", "times benchbook", "peak MB", "result")


def shown_row(
    task: str, name: str, seconds: float, peak: float, result: str, own: float
) -> list[str]:
    numbers = (f"{seconds:.3f}", f"{seconds / own:.1f}", f"{peak:.0f}")
    return [task, name, *("" if "nan" in one else one for one in numbers), result]


if __name__ == "__main__":
    sys.exit(main())
