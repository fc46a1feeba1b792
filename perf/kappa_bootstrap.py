"""Time and memory of the bootstrap of agreement statistics, against loops over other libraries.

Run it with ``python perf/kappa_bootstrap.py``; ``--loop-resamples 200`` shortens the loops, whose
times are then scaled up. The table says how many resamples each contender really ran.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from time import perf_counter

import numpy as np
import pandas as pd

from benchbook import Ratings
from benchbook.agreement import kappa_statistic
from benchbook.icc import icc_statistic
from benchbook.resampling import SumsStatistic, bootstrap

N_ITEMS, N_CATEGORIES, N_RESAMPLES, N_PATIENTS = 10_000, 5, 2_000, 1_000
MEMORY_RESAMPLES = 5  # a loop's peak does not grow with the number of resamples
OWN_RUNS = 5  # our own time is the median of this many runs, data preparation included

Interval = tuple[float, float]


@dataclass(frozen=True)
class Contender:
    """One way of making the interval; ``run`` takes the number of resamples."""

    case: str
    name: str
    run: Callable[[int], Interval]
    n_resamples: int
    loops: bool = True


def bounds(replicates: list[float]) -> Interval:
    """Return the 95 % percentile interval."""
    low, high = np.quantile(replicates, [0.025, 0.975])
    return float(low), float(high)


def own_interval(make: Callable[[], SumsStatistic], **options) -> Callable[[int], Interval]:
    def run(n_resamples: int) -> Interval:
        estimate = bootstrap(make(), n_resamples=n_resamples, seed=1, **options)
        return estimate.low, estimate.high

    return run


def loop(
    statistic: Callable[[np.ndarray], float], cluster: np.ndarray | None = None
) -> Callable[[int], Interval]:
    """Resample item indices and call the statistic, the way it is usually written."""
    members = None
    if cluster is not None:
        order = np.argsort(cluster, kind="stable")
        members = np.split(order, np.flatnonzero(np.diff(cluster[order])) + 1)

    def run(n_resamples: int) -> Interval:
        generator = np.random.default_rng(2)
        replicates = []
        for _ in range(n_resamples):
            if members is None:
                items = generator.integers(0, N_ITEMS, N_ITEMS)
            else:
                drawn = generator.integers(0, len(members), len(members))
                items = np.concatenate([members[one] for one in drawn])
            replicates.append(statistic(items))
        return bounds(replicates)

    return run


def kappa_contenders(loop_resamples: int) -> list[Contender]:
    from sklearn.metrics import cohen_kappa_score

    generator = np.random.default_rng(0)
    first = generator.integers(0, N_CATEGORIES, N_ITEMS)
    guess = generator.integers(0, N_CATEGORIES, N_ITEMS)
    # A patient's items agree or disagree together more often than those of two patients.
    skill = generator.beta(2, 2, N_PATIENTS).repeat(N_ITEMS // N_PATIENTS)
    second = np.where(generator.random(N_ITEMS) < skill, first, guess)
    patient = np.arange(N_PATIENTS).repeat(N_ITEMS // N_PATIENTS)

    def make() -> SumsStatistic:
        ratings = Ratings.from_pair(first, second, "nominal", categories=range(N_CATEGORIES))
        return kappa_statistic(ratings)

    def scikit_learn(items: np.ndarray) -> float:
        return cohen_kappa_score(first[items], second[items])

    def plain_numpy(items: np.ndarray) -> float:
        cells = np.bincount(first[items] * N_CATEGORIES + second[items], minlength=N_CATEGORIES**2)
        table = cells.reshape(N_CATEGORIES, N_CATEGORIES) / len(items)
        expected = table.sum(axis=0) @ table.sum(axis=1)
        return (np.trace(table) - expected) / (1 - expected)

    items, patients = "κ, items", f"κ, {N_PATIENTS:,} patients"
    few = min(loop_resamples, 200)
    return [
        Contender(items, "benchbook", own_interval(make), N_RESAMPLES, loops=False),
        Contender(items, "benchbook, BCa", own_interval(make, method="bca"), N_RESAMPLES, False),
        Contender(items, "loop, numpy by hand", loop(plain_numpy), loop_resamples),
        Contender(items, "loop, scikit-learn", loop(scikit_learn), loop_resamples),
        Contender(
            patients, "benchbook", own_interval(make, cluster=patient), N_RESAMPLES, loops=False
        ),
        Contender(patients, "loop, numpy by hand", loop(plain_numpy, patient), few),
        Contender(patients, "loop, scikit-learn", loop(scikit_learn, patient), few),
    ]


def icc_contenders(loop_resamples: int) -> list[Contender]:
    """All rows differ, so nothing can be collapsed: the engine's slow side."""
    from pingouin import intraclass_corr

    generator = np.random.default_rng(3)
    scores = generator.normal(size=(N_ITEMS, 1)) + generator.normal(size=(N_ITEMS, 3))
    target, rater = np.arange(N_ITEMS).repeat(3), np.tile(np.arange(3), N_ITEMS)

    def pingouin(items: np.ndarray) -> float:
        # A target drawn twice must count as two, so the drawn ones are numbered anew.
        table = pd.DataFrame({"target": target, "rater": rater, "score": scores[items].ravel()})
        result = intraclass_corr(table, "target", "rater", "score")
        return float(result.loc[result["Type"].isin(["ICC2", "ICC(A,1)"]), "ICC"].iloc[0])

    case = "ICC(2,1), 3 raters"
    make, few = lambda: icc_statistic(scores, "ICC(2,1)"), min(loop_resamples, 40)
    return [
        Contender(case, "benchbook", own_interval(make), N_RESAMPLES, loops=False),
        Contender(case, "benchbook, 2 workers", own_interval(make, n_jobs=2), N_RESAMPLES, False),
        Contender(case, "loop, pingouin", loop(pingouin), few),
    ]


def measure(contender: Contender) -> dict[str, object]:
    """Time a contender, then run it again for its peak memory above the data."""
    contender.run(2)  # imports and first-call costs belong to neither
    times = []
    for _ in range(1 if contender.loops else OWN_RUNS):
        start = perf_counter()
        low, high = contender.run(contender.n_resamples)
        times.append(perf_counter() - start)
    tracemalloc.start()
    contender.run(MEMORY_RESAMPLES if contender.loops else contender.n_resamples)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    seconds = float(np.median(times)) * N_RESAMPLES / contender.n_resamples
    return {
        "case": contender.case,
        "contender": contender.name,
        "resamples run": contender.n_resamples,
        "seconds": seconds,
        "peak MB": peak / 1e6,
        "95 % interval": f"{low:.4f} to {high:.4f}",
    }


def report(contenders: list[Contender]) -> pd.DataFrame:
    table = pd.DataFrame([measure(contender) for contender in contenders])
    own = table[table["contender"] == "benchbook"].set_index("case")["seconds"]
    ratios = table["seconds"] / table["case"].map(own)
    table.insert(4, "times benchbook", ratios.map("{:.1f}".format))
    table["seconds"] = table["seconds"].map("{:.4f}".format)
    table["peak MB"] = table["peak MB"].map("{:.1f}".format)
    return table


def as_markdown(table: pd.DataFrame) -> str:
    rows = [list(table.columns), ["---"] * table.shape[1], *table.astype(str).to_numpy().tolist()]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--loop-resamples", type=int, default=N_RESAMPLES)
    chosen = parser.parse_args().loop_resamples
    libraries = ("numpy", "scikit-learn", "pingouin")
    print(
        f"{N_ITEMS:,} items; seconds are for {N_RESAMPLES:,} resamples, scaled up where fewer "
        f"were run.\n{platform.machine()}, {os.cpu_count()} cores, Python "
        f"{platform.python_version()}, "
        + ", ".join(f"{name} {version(name)}" for name in libraries)
        + "\n"
    )
    print(as_markdown(report(kappa_contenders(chosen) + icc_contenders(chosen))))


if __name__ == "__main__":
    sys.exit(main())
