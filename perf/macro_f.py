"""Time, memory and agreement of the bootstrap of macro F, beside every package that installs.

Run it with ``python perf/macro_f.py``. The others call scikit-learn's ``f1_score``, told to do what
benchbook does: average over the declared classes, without those that are 0/0 in a resample.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable

import numpy as np
from common import fastest, machine, markdown, missing, peak_megabytes, shown
from peers import HEAD, OWN_RUNS, Task, rows_of
from sklearn.metrics import f1_score

from benchbook.estimate import Estimate
from benchbook.metrics import Memberships, f_statistics, memberships, multilabel_memberships
from benchbook.resampling import bootstrap

# The ECG image task: records with a reference label, positives of its classes, groups of likely
# repeats of one recording.
N_RECORDS, N_RESAMPLES, N_GROUPS = 1_780, 1_000, 1_500
POSITIVES = (799, 23, 120, 955, 131, 168, 159, 58, 158, 683, 44)
CLASSES = np.arange(len(POSITIVES))


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


def own(items: Memberships, cluster: np.ndarray | None = None) -> Estimate:
    return bootstrap(f_statistics(items)["macro"], cluster=cluster, n_resamples=N_RESAMPLES, seed=1)


def macro_f(true: np.ndarray, has: np.ndarray, given: np.ndarray) -> np.ndarray:
    """Return macro F from counts of shape (m, n_classes)."""
    with np.errstate(invalid="ignore"):
        return np.nanmean(2 * true / (has + given), axis=1)


def several_labels(reference: np.ndarray, predicted: np.ndarray) -> Task:
    def vectorized(items: np.ndarray) -> np.ndarray:
        truth, answer = reference[items], predicted[items]
        return macro_f(*(each.sum(axis=1) for each in (truth & answer, truth, answer)))

    def one_resample(truth: np.ndarray, answer: np.ndarray) -> float:
        return f1_score(truth, answer, average="macro", zero_division=np.nan)

    return Task(
        columns=(reference, predicted),
        statistic=one_resample,
        vectorized=vectorized,
        own=lambda: own(multilabel_memberships(reference, predicted, classes=CLASSES)),
        n_resamples=N_RESAMPLES,
        n_loop=100,
    )


def one_label(reference: np.ndarray, predicted: np.ndarray) -> Task:
    size = len(CLASSES)

    def vectorized(items: np.ndarray) -> np.ndarray:
        tables = np.arange(len(items))[:, np.newaxis] * size**2
        cells = tables + reference[items] * size + predicted[items]
        counts = np.bincount(cells.ravel(), minlength=len(items) * size**2)
        counts = counts.reshape(-1, size, size)
        return macro_f(np.diagonal(counts, axis1=1, axis2=2), counts.sum(2), counts.sum(1))

    def one_resample(truth: np.ndarray, answer: np.ndarray) -> float:
        return f1_score(truth, answer, average="macro", labels=CLASSES, zero_division=np.nan)

    return Task(
        columns=(reference, predicted),
        statistic=one_resample,
        vectorized=vectorized,
        own=lambda: own(memberships(reference, predicted, classes=CLASSES)),
        n_resamples=N_RESAMPLES,
        n_loop=100,
    )


def grouped(run: Callable[[], Estimate], seconds: float) -> list[str]:
    """Return the row of benchbook where groups of records are drawn."""
    took, made = fastest(run, OWN_RUNS)
    return [
        f"benchbook, {N_GROUPS:,} groups", f"{N_RESAMPLES:,}", f"{took:.4f}",
        f"{took / seconds:.1f}", f"{peak_megabytes(run):.1f}", shown((made.low, made.high)), "",
    ]  # fmt: skip


def main() -> None:
    warnings.simplefilter("ignore")
    several, single, groups = data()
    tables = {
        "Several labels a record": (
            several_labels(*several),
            lambda: own(multilabel_memberships(*several, classes=CLASSES), groups),
        ),
        "One label a record": (
            one_label(*single),
            lambda: own(memberships(*single, classes=CLASSES), groups),
        ),
    }
    texts, absent, releases = [], [], {}
    for title, (task, in_groups) in tables.items():
        lines, gone, known = rows_of(task)
        lines.insert(1, grouped(in_groups, float(lines[0][2])))
        texts.append(f"{title}:\n\n{markdown(HEAD, lines)}\n")
        absent += gone
        releases |= known
    print(
        f"{N_RECORDS:,} records, {len(CLASSES)} classes; seconds are for {N_RESAMPLES:,} resamples,"
        f" scaled up where fewer were run.\n"
        f"{machine(('numpy', 'scipy', 'scikit-learn'), **releases)}\n"
    )
    print("\n".join(texts) + missing(absent))


if __name__ == "__main__":
    sys.exit(main())
