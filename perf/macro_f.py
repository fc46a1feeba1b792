"""Time and memory of the bootstrap of macro F, against a loop over scikit-learn.

Run it with ``python perf/macro_f.py``; ``--loop-resamples 50`` shortens the loop, whose time is
then scaled up. The table says how many resamples each contender really ran.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tracemalloc
import warnings
from importlib.metadata import version
from time import perf_counter

import numpy as np

from benchbook.metrics import f_statistics, memberships, multilabel_memberships
from benchbook.resampling import bootstrap

# The ECG image task: records with a reference label, positives of its classes, groups of likely
# repeats of one recording.
N_RECORDS, N_RESAMPLES, N_GROUPS = 1_780, 1_000, 1_500
POSITIVES = (799, 23, 120, 955, 131, 168, 159, 58, 158, 683, 44)
OWN_RUNS = 7  # our own time is the median of this many runs, data preparation included


def data():
    """Return reference and predictions, several labels and one label, and the groups."""
    generator = np.random.default_rng(0)
    shares = np.array(POSITIVES) / N_RECORDS
    reference = generator.random((N_RECORDS, len(POSITIVES))) < shares
    predicted = np.where(
        generator.random(reference.shape) < 0.85,
        reference,
        generator.random(reference.shape) < shares,
    )
    one = generator.choice(len(POSITIVES), N_RECORDS, p=shares / shares.sum())
    guess = np.where(generator.random(N_RECORDS) < 0.7, one, generator.permutation(one))
    groups = generator.integers(0, N_GROUPS, N_RECORDS)
    return (reference, predicted), (one, guess), groups


def own(items, cluster=None):
    statistic = f_statistics(items)["macro"]
    made = bootstrap(statistic, cluster=cluster, n_resamples=N_RESAMPLES, seed=1)
    return made.low, made.high


def loop(reference, predicted, n_resamples):
    """Resample rows and call scikit-learn, the way it is usually written."""
    from sklearn.metrics import f1_score

    generator = np.random.default_rng(2)
    values = []
    for _ in range(n_resamples):
        rows = generator.integers(0, N_RECORDS, N_RECORDS)
        values.append(f1_score(reference[rows], predicted[rows], average="macro", zero_division=0))
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(high)


def measure(run, n_runs=OWN_RUNS):
    """Return median seconds, peak megabytes and the interval."""
    run()
    times = []
    for _ in range(n_runs):
        start = perf_counter()
        low, high = run()
        times.append(perf_counter() - start)
    tracemalloc.start()
    run()
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return float(np.median(times)), peak, f"{low:.4f} to {high:.4f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--loop-resamples", type=int, default=100)
    n_loop = parser.parse_args().loop_resamples
    warnings.simplefilter("ignore")
    several, single, groups = data()
    classes = range(len(POSITIVES))
    contenders = [
        ("several labels", *several, lambda: multilabel_memberships(*several, classes=classes)),
        ("one label", *single, lambda: memberships(*single, classes=classes)),
    ]
    print(
        f"Macro F, {N_RECORDS:,} records, {len(POSITIVES)} classes; seconds are for "
        f"{N_RESAMPLES:,} resamples, scaled up where fewer were run.\n{platform.machine()}, "
        f"{os.cpu_count()} cores, Python {platform.python_version()}, "
        + ", ".join(f"{name} {version(name)}" for name in ("numpy", "scikit-learn"))
        + "\n"
    )
    print("| items | contender | resamples run | seconds | times benchbook | peak MB | interval |")
    print("|---|---|---|---|---|---|---|")
    for title, reference, predicted, make in contenders:
        seconds, peak, bounds = measure(lambda make=make: own(make()))
        row = (
            f"| {title} | benchbook | {N_RESAMPLES} | {seconds:.4f} | 1.0 | {peak:.1f} | {bounds} |"
        )
        print(row)
        clustered, peak, bounds = measure(lambda make=make: own(make(), groups))
        print(
            f"| {title} | benchbook, {N_GROUPS:,} groups | {N_RESAMPLES} | {clustered:.4f} | "
            f"{clustered / seconds:.1f} | {peak:.1f} | {bounds} |"
        )
        slow, peak, bounds = measure(lambda r=reference, p=predicted: loop(r, p, n_loop), n_runs=1)
        slow *= N_RESAMPLES / n_loop
        print(
            f"| {title} | loop, scikit-learn | {n_loop} | {slow:.4f} | {slow / seconds:.1f} | "
            f"{peak:.1f} | {bounds} |"
        )


if __name__ == "__main__":
    sys.exit(main())
