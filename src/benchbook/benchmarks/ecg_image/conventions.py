"""Macro F under conventions other than the one scored here, as functions of the same sums."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchbook.metrics import Memberships, f_statistics
from benchbook.resampling import SumsStatistic, divide

from .study import Answers, Study

ZERO = "0/0 in a resample counts as 0"
ALL_CLASSES = "mean over all classes, 0/0 as 0"
READ_ONLY = "missing and unparsed answers left out"
UNLABELLED = "unlabelled records scored too"
MICRO = "micro F: counts added over the classes"
OTHERS = (ZERO, ALL_CLASSES, READ_ONLY, UNLABELLED, MICRO)


def with_zero(statistic: SumsStatistic, columns: np.ndarray) -> SumsStatistic:
    """Return a macro F over the given classes in which 0/0 is 0.

    Parameters
    ----------
    statistic : SumsStatistic
        Any of `benchbook.metrics.f_statistics`; its sums are, for every class, true positives,
        records that have the class, and records given it.
    columns : ndarray of bool, shape (n_classes,)
        Classes in the mean.
    """

    def evaluate(sums: np.ndarray) -> np.ndarray:
        true, has, given = np.moveaxis(sums.reshape(len(sums), 3, -1), 1, 0)
        below = has + given
        values = np.divide(2 * true, below, out=np.zeros_like(true), where=below != 0)
        # Without a single label drawn there is nothing to score, by any convention.
        scored = np.where(has.sum(axis=1) > 0, columns.sum(), 0)
        return divide(values[:, columns].sum(axis=1), scored)

    return SumsStatistic(
        "macro F, 0/0 as 0", statistic.contributions, evaluate, statistic.reason, (0.0, 1.0)
    )


def other_conventions(study: Study, answers: Answers) -> dict[str, SumsStatistic]:
    """Return F under every other convention, by its name, all over the same records."""
    items = study.memberships(answers.predicted)
    made = f_statistics(items)
    readable = answers.received & (answers.parsed | ~answers.as_text)
    return {
        ZERO: with_zero(made["macro"], study.occurring),
        ALL_CLASSES: with_zero(made["macro"], np.ones(len(study.classes), dtype=bool)),
        READ_ONLY: f_statistics(_weighted(items, study.scored & readable))["macro"],
        UNLABELLED: f_statistics(_weighted(items, np.ones(study.n_records, dtype=bool)))["macro"],
        MICRO: made["micro"],
    }


def _weighted(items: Memberships, kept: np.ndarray) -> Memberships:
    return replace(items, weight=kept.astype(np.float64))
