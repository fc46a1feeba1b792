"""Other packages that make a bootstrap interval of any statistic, all asked for percentiles.

None of them resamples clusters, so they are compared where items are the unit. A package that is
not installed is named; one that fails is a row with what it said.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version

import numpy as np
from common import (
    Interval,
    apart,
    fastest,
    installed,
    peak_megabytes,
    percentile_interval,
    shown,
)

from benchbook.estimate import Estimate

HEAD = (
    "contender", "resamples run", "seconds", "times benchbook", "peak MB", "95 % interval",
    "bounds apart",
)  # fmt: skip
SEED = 2
OWN_RUNS, RUNS = 15, 3  # the fastest counts; runs of the others are many times longer
Statistic = Callable[..., float]
Run = Callable[[int], Interval]


@dataclass(frozen=True)
class Task:
    """One interval, made by everybody.

    Attributes
    ----------
    columns : tuple of ndarray
        The data, items along the first axis.
    statistic : callable
        Takes the columns of a resample.
    vectorized : callable
        Takes the indices of many resamples, shape (m, n_items); what a careful user would write.
    own : callable
        Benchbook's estimate.
    n_resamples, n_loop : int
        Of benchbook, and of those that call the statistic once for each; their times are scaled.
    roc_auc : bool
        Whether the statistic is the area under the ROC curve, which one package knows by name.
    """

    columns: tuple[np.ndarray, ...]
    statistic: Statistic
    vectorized: Callable[[np.ndarray], np.ndarray]
    own: Callable[[], Estimate]
    n_resamples: int
    n_loop: int
    roc_auc: bool = False


def rows_of(task: Task) -> tuple[list[list[str]], list[str], dict[str, str]]:
    """Return a table's rows, the packages that are missing, and the releases of the others."""
    task.own()  # loading and first-call costs belong to nobody
    seconds, own = fastest(task.own, OWN_RUNS)
    lines = [
        ["benchbook", f"{task.n_resamples:,}", f"{seconds:.4f}", "1.0",
         f"{peak_megabytes(task.own):.1f}", shown((own.low, own.high)), ""]
    ]  # fmt: skip
    absent, releases = [], {}
    for package, module, name, n_resamples, run in _contenders(task):
        if not installed(module):
            absent.append(package)
            continue
        if package:
            releases[package] = version(package)
        lines.append(_row(task, own, seconds, name, n_resamples, run))
    return lines, absent, releases


def _row(
    task: Task, own: Estimate, own_seconds: float, name: str, n_resamples: int, run: Run
) -> list[str]:
    count = f"{n_resamples:,}"
    try:
        with contextlib.redirect_stderr(io.StringIO()):  # progress bars
            run(2)
            seconds, found = fastest(lambda: run(n_resamples), RUNS)
            peak = peak_megabytes(lambda: run(n_resamples))
    except Exception as error:  # whatever another package raises is its result
        first_line = str(error).strip().splitlines()[:1]
        said = f"fails: {type(error).__name__}: {' '.join(first_line)}".replace("|", "/")
        return [name, count, "", "", "", said[:90], ""]
    seconds *= task.n_resamples / n_resamples
    return [
        name, count, f"{seconds:.4f}", f"{seconds / own_seconds:.1f}", f"{peak:.1f}",
        shown(found), f"{apart(own, found, n_resamples):.1f}",
    ]  # fmt: skip


def _contenders(task: Task) -> Sequence[tuple[str, str, str, int, Run]]:
    """Return package, module, name in the table, resamples, and what makes the interval."""
    few, many = task.n_loop, task.n_resamples
    every: list[tuple[str, str, str, int, Run]] = [
        ("", "numpy", "loop, by hand", few, lambda n: by_hand(task, n)),
        ("", "scipy", "scipy.stats.bootstrap, vectorized", many,
         lambda n: by_scipy(task, n, vectorized=True)),
        ("", "scipy", "scipy.stats.bootstrap", few, lambda n: by_scipy(task, n, vectorized=False)),
        ("scikits.bootstrap", "scikits.bootstrap", "scikits.bootstrap", few,
         lambda n: by_scikits(task, n)),
        ("arch", "arch", "arch, IIDBootstrap", few, lambda n: by_arch(task, n)),
    ]  # fmt: skip
    if len(task.columns) == 2:
        every += [
            ("statkit", "statkit", "statkit", few, lambda n: by_statkit(task, n)),
            ("confidenceinterval", "confidenceinterval", "confidenceinterval", few,
             lambda n: by_confidenceinterval(task, n)),
        ]  # fmt: skip
    if task.roc_auc:
        every.append(("MLstatkit", "MLstatkit", "MLstatkit", few, lambda n: by_mlstatkit(task, n)))
    return every


def by_hand(task: Task, n_resamples: int) -> Interval:
    """Draw indices and call the statistic: the loop that is usually written."""
    generator, n_items = np.random.default_rng(SEED), len(task.columns[0])
    replicates = []
    for _ in range(n_resamples):
        items = generator.integers(0, n_items, n_items)
        replicates.append(task.statistic(*(column[items] for column in task.columns)))
    return percentile_interval(replicates)


def by_scipy(task: Task, n_resamples: int, *, vectorized: bool) -> Interval:
    from scipy.stats import bootstrap

    def one_by_one(items: np.ndarray) -> float:
        return task.statistic(*(column[items] for column in task.columns))

    def all_at_once(items: np.ndarray, axis: int) -> np.ndarray:
        if items.ndim == 2:
            return task.vectorized(items)
        return task.vectorized(items[np.newaxis])[0]  # the data themselves are one vector

    # Indices are resampled, so that all columns of an item go together.
    found = bootstrap(
        (np.arange(len(task.columns[0])),),
        all_at_once if vectorized else one_by_one,
        n_resamples=n_resamples,
        batch=100,
        vectorized=vectorized,
        method="percentile",
        rng=np.random.default_rng(SEED),
    )
    return float(found.confidence_interval.low), float(found.confidence_interval.high)


def by_scikits(task: Task, n_resamples: int) -> Interval:
    import scikits.bootstrap

    low, high = scikits.bootstrap.ci(
        task.columns, task.statistic, n_samples=n_resamples, method="pi", multi="paired", seed=SEED
    )
    return float(low), float(high)


def by_arch(task: Task, n_resamples: int) -> Interval:
    from arch.bootstrap import IIDBootstrap

    made = IIDBootstrap(*task.columns, seed=np.random.default_rng(SEED))
    low, high = made.conf_int(task.statistic, n_resamples, method="percentile")[:, 0]
    return float(low), float(high)


def by_statkit(task: Task, n_resamples: int) -> Interval:
    from statkit.non_parametric import bootstrap_score

    made = bootstrap_score(
        *task.columns, metric=task.statistic, n_iterations=n_resamples, random_state=SEED
    )
    return float(made.lower), float(made.upper)


def by_confidenceinterval(task: Task, n_resamples: int) -> Interval:
    from confidenceinterval.bootstrap import bootstrap_ci

    _, (low, high) = bootstrap_ci(
        *task.columns, task.statistic, n_resamples=n_resamples, method="bootstrap_percentile",
        random_state=np.random.RandomState(SEED),
    )  # fmt: skip
    return float(low), float(high)


def by_mlstatkit(task: Task, n_resamples: int) -> Interval:
    from MLstatkit import Bootstrapping

    _, low, high = Bootstrapping(
        *task.columns, "roc_auc", n_bootstraps=n_resamples, random_state=SEED
    )
    return float(low), float(high)
