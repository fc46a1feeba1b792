"""Time and memory of the cluster bootstrap of ranking statistics, against a loop over scikit-learn.

Run it with ``python perf/auroc_bootstrap.py``; ``--quick`` leaves out the largest case and the
growth. The loop draws clusters, concatenates their rows and calls ``roc_auc_score``; it is run for
some resamples and its time scaled up, as the table says. Benchbook computes the AUROC, the average
precision and threshold, specificity and positive predictive value at 85 % sensitivity in the same
time. The figure of the growth goes to ``report/images``.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from time import process_time

import numpy as np
import psutil
from common import apart, fastest, machine, markdown, percentile_interval, shown
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator

from benchbook.estimate import Estimate
from benchbook.figures import PALETTE, HouseFigure, house_style, save_figure
from benchbook.resampling import RankingStatistic, bootstrap_many

MEASURES = (
    "auroc",
    "average_precision",
    "threshold_at_sensitivity",
    "specificity_at_sensitivity",
    "positive_predictive_value_at_sensitivity",
)
OWN_RUNS = 5  # the fastest counts, sorting included
IMAGES = Path(__file__).resolve().parent.parent / "report" / "images"
FIGURE = "bootstrap-growth"


@dataclass(frozen=True)
class Case:
    """What is run: the loop for ``n_loop`` resamples, Benchbook for all."""

    n_rows: int = 540_000
    n_clusters: int = 3_000
    n_resamples: int = 1_000
    prevalence: float = 0.04
    n_jobs: int = 2
    n_loop: int = 5


CASES = {
    "540,000 rows": Case(n_loop=60),
    "540,000 rows, one worker": Case(n_jobs=1),
    "540,000 rows, half positive": Case(prevalence=0.5, n_loop=20),
    "2.6 million rows": Case(2_600_000, 4_517, 2_000, n_loop=4),
}
QUICK = tuple(CASES)[:3]
# Time against rows, a cluster for each 180 of them, and against resamples; one worker.
GROWTH_ROWS = tuple(67_500 * 2**power for power in range(6))
GROWTH_RESAMPLES = tuple(64 + 240 * 2**power for power in range(5))
ROWS_PER_CLUSTER, FIRST_BLOCK, GROWTH_RUNS = 180, 64, 6

Data = tuple[np.ndarray, np.ndarray, np.ndarray]


def made_up_data(n_rows: int, n_clusters: int, prevalence: float) -> Data:
    """Return scores, labels and cluster of rows that resemble each other within clusters."""
    generator = np.random.default_rng(7)
    cluster = generator.integers(0, n_clusters, n_rows)
    positive = generator.random(n_rows) < prevalence
    shared = generator.normal(size=n_clusters)[cluster]
    scores = generator.normal(size=n_rows) + shared + 1.5 * positive
    return scores, positive, cluster


def own_estimates(data: Data, n_resamples: int, n_jobs: int) -> list[Estimate]:
    scores, positive, cluster = data
    statistics = [
        RankingStatistic(measure, scores, positive, measure, higher_is_positive=True)
        for measure in MEASURES
    ]
    return bootstrap_many(
        statistics, cluster=cluster, n_resamples=n_resamples, seed=1, n_jobs=n_jobs
    )


def loop(data: Data, n_resamples: int) -> list[float]:
    """Return the AUROCs of the loop that is usually written."""
    from sklearn.metrics import roc_auc_score

    scores, positive, cluster = data
    order = np.argsort(cluster, kind="stable")
    members = np.split(order, np.flatnonzero(np.diff(cluster[order])) + 1)
    generator = np.random.default_rng(2)
    replicates = []
    for _ in range(n_resamples):
        drawn = generator.integers(0, len(members), len(members))
        rows = np.concatenate([members[one] for one in drawn])
        replicates.append(roc_auc_score(positive[rows], scores[rows]))
    return replicates


def peak_bytes() -> int:
    """Return the largest memory of this process so far."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def warm_up(n_jobs: int) -> None:
    """Load the libraries and the compiled kernel, which is not what is measured."""
    own_estimates(made_up_data(500, 20, 0.3), 70, n_jobs)


def run_case(name: str) -> tuple[list[str], list[str]]:
    """Return the row of a case in the table of speed, and in that of the rest."""
    case = CASES[name]
    warm_up(case.n_jobs)
    data = made_up_data(case.n_rows, case.n_clusters, case.prevalence)
    # The peak holds what making up the data took for a moment; what is held now does not.
    before = psutil.Process().memory_info().rss
    seconds, made = fastest(lambda: own_estimates(data, case.n_resamples, case.n_jobs), OWN_RUNS)
    above, whole = max(peak_bytes() - before, 0), peak_bytes()
    took, replicates = fastest(lambda: loop(data, case.n_loop), 1)
    slow = took / case.n_loop * case.n_resamples
    enough = case.n_loop >= 20  # for an interval
    distance = apart(made[0], percentile_interval(replicates), case.n_loop) if enough else None
    speed = [
        name, f"{case.n_clusters:,}", f"{case.n_resamples:,}", f"{case.prevalence:.0%}",
        str(case.n_jobs), f"{seconds:.3f}", f"{slow / seconds:,.0f}",
        f"{seconds / case.n_rows / case.n_resamples * 1e9:.3f}",
    ]  # fmt: skip
    rest = [
        name, f"{above / 2**20:.0f}", f"{whole / 2**20:.0f}", f"{slow:.0f}", str(case.n_loop),
        shown((made[0].low, made[0].high)), "" if distance is None else f"{distance:.1f}",
    ]  # fmt: skip
    return speed, rest


SPEED = (
    "case", "clusters", "resamples", "positive", "workers", "seconds", "times faster than the loop",
    "ns per row and resample",
)  # fmt: skip
REST = (
    "case", "peak MiB above data", "peak MiB in all", "loop, seconds", "its resamples run",
    "AUROC, 95 % interval", "bounds apart",
)  # fmt: skip


def run_growth() -> dict[str, list[tuple[int, float]]]:
    """Return processor seconds against rows, and against resamples beyond the first block.

    The sizes take turns, so that a busy spell of the machine does not hit one of them only.
    """
    warm_up(1)
    sizes = [(n_rows, 1_000) for n_rows in GROWTH_ROWS]
    sizes += [(540_000, n_resamples) for n_resamples in (FIRST_BLOCK, *GROWTH_RESAMPLES)]
    data = {n: made_up_data(n, n // ROWS_PER_CLUSTER, 0.04) for n, _ in sizes}
    took = dict.fromkeys(sizes, np.inf)
    for _ in range(GROWTH_RUNS):
        for n_rows, n_resamples in sizes:
            start = process_time()
            own_estimates(data[n_rows], n_resamples, 1)
            seconds = process_time() - start
            took[n_rows, n_resamples] = min(took[n_rows, n_resamples], seconds)
    first = took[540_000, FIRST_BLOCK]  # sorting, and one block of resamples
    more = [(n - FIRST_BLOCK, took[540_000, n] - first) for n in GROWTH_RESAMPLES]
    return {"rows": [(n, took[n, 1_000]) for n in GROWTH_ROWS], "resamples": more}


def exponent(points: list[tuple[int, float]]) -> tuple[float, float]:
    """Return slope and intercept of a straight line through the logarithms."""
    sizes, seconds = np.log(np.array(points, dtype=float)).T
    slope, intercept = np.polyfit(sizes, seconds, 1)
    return float(slope), float(intercept)


def growth_text(points: list[tuple[int, float]], what: str, scale: float) -> str:
    """Return the table of one growth; ``scale`` gives nanoseconds per row and resample."""
    lines = [[f"{size:,}", f"{took:.4f}", f"{took * 1e9 / size / scale:.3f}"]
             for size, took in points]  # fmt: skip
    return markdown((what, "seconds", "ns per row and resample"), lines)


def draw_growth(growth: dict[str, list[tuple[int, float]]]) -> None:
    """Save the figure: seconds against rows and against resamples, log against log."""
    with house_style():
        figure = HouseFigure(figsize=(174 / 25.4, 62 / 25.4), dpi=100, layout="constrained")
        left, right = figure.subplots(1, 2)
        draw_line(left, growth["rows"], "Rows")
        draw_line(right, growth["resamples"], f"Resamples beyond the first {FIRST_BLOCK}")
        left.set_ylabel("Processor seconds")
        save_figure(figure, FIGURE, IMAGES, ("svg",), data=False)


def draw_line(axes: Axes, points: list[tuple[int, float]], what: str) -> None:
    sizes, seconds = np.array(points, dtype=float).T
    slope, intercept = exponent(points)
    fitted = np.exp(intercept) * sizes**slope
    axes.plot(sizes, fitted, color=PALETTE[1], linewidth=1.1, label=f"slope {slope:.2f}")
    axes.plot(sizes, seconds, "o", color=PALETTE[0], label="measured")
    axes.set(xscale="log", yscale="log", xlabel=what)
    axes.set_xticks(sizes, [f"{size:,.0f}" for size in sizes])
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.minorticks_off()
    axes.legend(loc="upper left")


def print_growth() -> None:
    growth = json.loads(in_process("--growth"))
    (by_rows, _), (by_resamples, _) = (exponent(growth[name]) for name in ("rows", "resamples"))
    draw_growth(growth)
    print(
        f"\nProcessor seconds of one worker for 1,000 resamples, a cluster for each "
        f"{ROWS_PER_CLUSTER} rows, 4 % positive, sorting included. "
        f"They grow as the rows to the power {by_rows:.2f}:\n\n"
        f"{growth_text(growth['rows'], 'rows', 1_000)}\n\n"
        f"Processor seconds for the resamples of 540,000 rows that follow on the first "
        f"{FIRST_BLOCK}, so without sorting. "
        f"They grow as the resamples to the power {by_resamples:.2f}:\n\n"
        f"{growth_text(growth['resamples'], 'further resamples', 540_000)}\n\n"
        f"![Time grows linearly in rows (left, sorting included) and in resamples (right). Points: "
        f"the fastest of {GROWTH_RUNS} runs; line: fitted to the logarithms. All axes are "
        f'logarithmic.](images/{FIGURE}.svg){{#fig-{FIGURE} fig-alt="Two panels, points on '
        f"straight rising lines. Left: processor seconds against rows, slope {by_rows:.2f}. Right: "
        f'against resamples, slope {by_resamples:.2f}."}}'
    )


def in_process(*arguments: str) -> str:
    """Run a part in a process of its own: the peak of memory is that of a process's life."""
    command = [sys.executable, __file__, *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--case", choices=list(CASES), help=argparse.SUPPRESS)
    parser.add_argument("--growth", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.case:
        print(json.dumps(run_case(arguments.case)))
        return
    if arguments.growth:
        print(json.dumps(run_growth()))
        return
    print(machine(("numpy", "numba", "scikit-learn")) + "\n")
    names = QUICK if arguments.quick else CASES
    speed, rest = zip(*(json.loads(in_process("--case", name)) for name in names), strict=True)
    print(
        f"Five measures on the same resamples; the loop computes one:\n\n{markdown(SPEED, speed)}\n"
        f"\nMemory of the process, time of the loop, and agreement:\n\n{markdown(REST, rest)}"
    )
    if not arguments.quick:
        print_growth()


if __name__ == "__main__":
    sys.exit(main())
