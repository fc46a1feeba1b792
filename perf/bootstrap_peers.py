"""Time, memory and agreement of bootstrap intervals over items, beside every package that installs.

Run it with ``python perf/bootstrap_peers.py``. Each table is one statistic; ``peers.py`` holds the
other packages. The statistic they call is scikit-learn's, or numpy's mean.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
from common import machine, markdown, missing
from peers import HEAD, Task, rows_of
from scipy.stats import rankdata
from sklearn.metrics import roc_auc_score

from benchbook.resampling import RankingStatistic, bootstrap, mean_statistic, paired_difference

N_ITEMS, N_RESAMPLES = 10_000, 1_000


def mean_task() -> Task:
    values = np.random.default_rng(0).lognormal(size=N_ITEMS)
    return Task(
        columns=(values,),
        statistic=np.mean,
        vectorized=lambda items: values[items].mean(axis=1),
        own=lambda: bootstrap(mean_statistic(values), n_resamples=N_RESAMPLES, seed=1),
        n_resamples=N_RESAMPLES,
        n_loop=N_RESAMPLES,
    )


def classifier():
    """Return labels and the scores of two models on the same items."""
    generator = np.random.default_rng(3)
    positive = generator.random(N_ITEMS) < 0.2
    first = generator.normal(size=N_ITEMS) + 1.2 * positive
    return positive, first, first + generator.normal(size=N_ITEMS)


def areas(positive: np.ndarray, scores: np.ndarray, items: np.ndarray) -> np.ndarray:
    """Return the areas of many resamples from their ranks."""
    chosen = positive[items]
    n_positive = chosen.sum(axis=1)
    ranks = (rankdata(scores[items], axis=1) * chosen).sum(axis=1)
    pairs = n_positive * (items.shape[1] - n_positive)
    return (ranks - n_positive * (n_positive + 1) / 2) / pairs


def ranked(name: str, positive: np.ndarray, scores: np.ndarray) -> RankingStatistic:
    return RankingStatistic(name, scores, positive, higher_is_positive=True)


def auroc_task() -> Task:
    positive, scores, _ = classifier()
    return Task(
        columns=(positive, scores),
        statistic=roc_auc_score,
        vectorized=lambda items: areas(positive, scores, items),
        own=lambda: bootstrap(
            ranked("AUROC", positive, scores), n_resamples=N_RESAMPLES, seed=1
        ),
        n_resamples=N_RESAMPLES,
        n_loop=200,
        roc_auc=True,
    )  # fmt: skip


def difference_task() -> Task:
    positive, first, second = classifier()
    return Task(
        columns=(positive, first, second),
        statistic=lambda labels, a, b: roc_auc_score(labels, a) - roc_auc_score(labels, b),
        vectorized=lambda items: areas(positive, first, items) - areas(positive, second, items),
        own=lambda: paired_difference(
            ranked("first", positive, first), ranked("second", positive, second),
            n_resamples=N_RESAMPLES, seed=1,
        ),
        n_resamples=N_RESAMPLES,
        n_loop=100,
    )  # fmt: skip


TASKS = {
    "Mean": mean_task,
    "AUROC": auroc_task,
    "Difference of two AUROCs on the same items": difference_task,
}


def main() -> None:
    warnings.simplefilter("ignore")
    texts, absent, releases = [], [], {}
    for title, make in TASKS.items():
        lines, gone, known = rows_of(make())
        texts.append(f"{title}:\n\n{markdown(HEAD, lines)}\n")
        absent += gone
        releases |= known
    print(
        f"{N_ITEMS:,} items; seconds are for {N_RESAMPLES:,} resamples, scaled up where fewer were "
        f"run.\n{machine(('numpy', 'scipy', 'scikit-learn'), **releases)}\n"
    )
    print("\n".join(texts) + missing(absent))


if __name__ == "__main__":
    sys.exit(main())
