"""Time and memory of the cluster bootstrap of ranking statistics, against a loop over scikit-learn.

Run it with ``python perf/auroc_bootstrap.py``; ``--quick`` leaves out the largest case. The loop
draws clusters, concatenates their rows and calls ``roc_auc_score``; it is run for a few resamples
and its time scaled up, as the table says. Benchbook computes the AUROC, the average precision and
threshold, specificity and positive predictive value at 85 % sensitivity in the same time.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import subprocess
import sys
from importlib.metadata import version
from time import perf_counter

import numpy as np
import psutil

from benchbook.resampling import RankingStatistic, bootstrap_many

MEASURES = (
    "auroc",
    "average_precision",
    "threshold_at_sensitivity",
    "specificity_at_sensitivity",
    "positive_predictive_value_at_sensitivity",
)
LOOP_RESAMPLES = 3
OWN_RUNS = 3  # our own time is the median of this many runs, sorting included
# rows, clusters, resamples, share of positives, workers
CASES = {
    "540,000 rows": (540_000, 3_000, 1_000, 0.04, 2),
    "540,000 rows, one worker": (540_000, 3_000, 1_000, 0.04, 1),
    "540,000 rows, half positive": (540_000, 3_000, 1_000, 0.5, 2),
    "half the rows": (270_000, 3_000, 1_000, 0.04, 2),
    "twice the rows": (1_080_000, 3_000, 1_000, 0.04, 2),
    "half the resamples": (540_000, 3_000, 500, 0.04, 2),
    "twice the resamples": (540_000, 3_000, 2_000, 0.04, 2),
    "2.6 million rows": (2_600_000, 4_517, 2_000, 0.04, 2),
}
QUICK = ("540,000 rows", "540,000 rows, one worker", "540,000 rows, half positive")

Data = tuple[np.ndarray, np.ndarray, np.ndarray]


def made_up_data(n_rows: int, n_clusters: int, prevalence: float) -> Data:
    """Return scores, labels and cluster of rows that resemble each other within clusters."""
    generator = np.random.default_rng(7)
    cluster = generator.integers(0, n_clusters, n_rows)
    positive = generator.random(n_rows) < prevalence
    shared = generator.normal(size=n_clusters)[cluster]
    scores = generator.normal(size=n_rows) + shared + 1.5 * positive
    return scores, positive, cluster


def own_intervals(data: Data, n_resamples: int, n_jobs: int) -> list[tuple[float, float]]:
    scores, positive, cluster = data
    statistics = [
        RankingStatistic(measure, scores, positive, measure, higher_is_positive=True)
        for measure in MEASURES
    ]
    estimates = bootstrap_many(
        statistics, cluster=cluster, n_resamples=n_resamples, seed=1, n_jobs=n_jobs
    )
    return [(estimate.low, estimate.high) for estimate in estimates]


def loop_seconds(data: Data, n_resamples: int) -> float:
    """Return the time of the loop that is usually written, scaled up to ``n_resamples``."""
    from sklearn.metrics import roc_auc_score

    scores, positive, cluster = data
    order = np.argsort(cluster, kind="stable")
    members = np.split(order, np.flatnonzero(np.diff(cluster[order])) + 1)
    generator = np.random.default_rng(2)
    start = perf_counter()
    for _ in range(LOOP_RESAMPLES):
        drawn = generator.integers(0, len(members), len(members))
        rows = np.concatenate([members[one] for one in drawn])
        roc_auc_score(positive[rows], scores[rows])
    return (perf_counter() - start) / LOOP_RESAMPLES * n_resamples


def peak_bytes() -> int:
    """Return the largest memory of this process so far."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def run_case(name: str) -> list[str]:
    n_rows, n_clusters, n_resamples, prevalence, n_jobs = CASES[name]
    # Loading the libraries and the compiled kernel is not what is measured.
    own_intervals(made_up_data(500, 20, 0.3), 70, n_jobs)
    data = made_up_data(n_rows, n_clusters, prevalence)
    # The peak holds what making up the data took for a moment; what is held now does not.
    before = psutil.Process().memory_info().rss
    times = []
    for _ in range(OWN_RUNS):
        start = perf_counter()
        intervals = own_intervals(data, n_resamples, n_jobs)
        times.append(perf_counter() - start)
    seconds = float(np.median(times))
    above = max(peak_bytes() - before, 0)
    loop = loop_seconds(data, n_resamples)
    low, high = intervals[0]
    return [
        name,
        f"{n_rows:,}",
        f"{n_clusters:,}",
        f"{n_resamples:,}",
        f"{prevalence:.0%}",
        str(n_jobs),
        f"{seconds:.3f}",
        f"{seconds / n_rows / n_resamples * 1e9:.3f}",
        f"{above / 2**20:.0f}",
        f"{loop:.0f}",
        f"{loop / seconds:.0f}",
        f"{low:.4f} to {high:.4f}",
    ]


HEAD = [
    "case", "rows", "clusters", "resamples", "positive", "workers", "seconds",
    "ns per row and resample", "peak MiB above data", "loop, seconds", "times faster",
    "AUROC, 95 % interval",
]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--case", choices=list(CASES), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.case:
        print("| " + " | ".join(run_case(arguments.case)) + " |")
        return
    libraries = ("numpy", "numba", "scikit-learn")
    print(
        f"The loop is timed on {LOOP_RESAMPLES} resamples and scaled up. {platform.machine()}, "
        f"{os.cpu_count()} cores, Python {platform.python_version()}, "
        + ", ".join(f"{name} {version(name)}" for name in libraries)
        + "\n"
    )
    for row in (HEAD, ["---"] * len(HEAD)):
        print("| " + " | ".join(row) + " |", flush=True)
    for name in QUICK if arguments.quick else CASES:
        # Each case in a process of its own: the peak of memory is that of a process's life.
        command = [sys.executable, __file__, "--case", name]
        print(subprocess.run(command, check=True, capture_output=True, text=True).stdout, end="")


if __name__ == "__main__":
    sys.exit(main())
