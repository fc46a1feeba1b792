"""Time and memory of the bootstrap of agreement statistics, against loops over other libraries.

Run it with ``python perf/kappa_bootstrap.py``; ``--loop-resamples 200`` shortens the loops, whose
times are then scaled up. The table says how many resamples each contender really ran.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from common import (
    Interval,
    apart,
    fastest,
    machine,
    markdown,
    peak_megabytes,
    percentile_interval,
    shown,
)

from benchbook import Ratings
from benchbook.agreement import kappa_statistic
from benchbook.estimate import Estimate
from benchbook.icc import icc_statistic
from benchbook.resampling import SumsStatistic, bootstrap

N_ITEMS, N_CATEGORIES, N_RESAMPLES, N_PATIENTS = 10_000, 5, 2_000, 1_000
MEMORY_RESAMPLES = 5  # a loop's peak does not grow with the number of resamples
OWN_RUNS = 5  # the fastest counts, data preparation included


@dataclass(frozen=True)
class Contender:
    """One way of making the interval; ``run`` takes the number of resamples."""

    case: str
    name: str
    run: Callable[[int], Interval | Estimate]
    n_resamples: int
    loops: bool = True


def own_interval(make: Callable[[], SumsStatistic], **options) -> Callable[[int], Estimate]:
    return lambda n_resamples: bootstrap(make(), n_resamples=n_resamples, seed=1, **options)


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
        return percentile_interval(replicates)

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


HEAD = (
    "contender", "resamples run", "seconds", "times benchbook", "peak MB", "95 % interval",
    "bounds apart",
)  # fmt: skip


def rows(contenders: list[Contender]) -> dict[str, list[list[str]]]:
    """Return the rows of each case; benchbook stands first."""
    lines, own_seconds, own = {}, {}, {}
    for contender in contenders:
        case = contender.case
        seconds, peak, found = measure(contender)
        seconds *= N_RESAMPLES / contender.n_resamples
        own_seconds.setdefault(case, seconds)
        own.setdefault(case, found)
        interval = (found.low, found.high) if isinstance(found, Estimate) else found
        distance = apart(own[case], interval, contender.n_resamples)
        lines.setdefault(case, []).append([
            contender.name, f"{contender.n_resamples:,}", f"{seconds:.4f}",
            f"{seconds / own_seconds[case]:.1f}", f"{peak:.1f}", shown(interval),
            f"{distance:.1f}" if contender.loops else "",
        ])  # fmt: skip
    return lines


def measure(contender: Contender) -> tuple[float, float, Interval | Estimate]:
    """Time a contender, then run it again for its peak memory above the data."""
    contender.run(2)  # imports and first-call costs belong to neither
    n_runs = 1 if contender.loops else OWN_RUNS
    seconds, found = fastest(lambda: contender.run(contender.n_resamples), n_runs)
    n_memory = MEMORY_RESAMPLES if contender.loops else contender.n_resamples
    return seconds, peak_megabytes(lambda: contender.run(n_memory)), found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--loop-resamples", type=int, default=N_RESAMPLES)
    chosen = parser.parse_args().loop_resamples
    print(
        f"{N_ITEMS:,} items; seconds are for {N_RESAMPLES:,} resamples, scaled up where fewer "
        f"were run.\n{machine(('numpy', 'scikit-learn', 'pingouin'))}\n"
    )
    for case, lines in rows(kappa_contenders(chosen) + icc_contenders(chosen)).items():
        print(f"{case}:\n\n{markdown(HEAD, lines)}\n")


if __name__ == "__main__":
    sys.exit(main())
