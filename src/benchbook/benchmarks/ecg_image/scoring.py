"""Macro F-measure as the Challenge scores it, and what must stand beside it.

All statistics of all models are functions of sums over records and share their resamples: the
groups of likely repeats are drawn, those without a scored record included, since the number of
scored records is a matter of chance too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from benchbook.estimate import Estimate
from benchbook.metrics import f_statistics
from benchbook.resampling import (
    Comparison,
    Distribution,
    Rank,
    SumsStatistic,
    comparison,
    divide,
    pairwise_differences,
    ranks,
    ratio_statistic,
    resample_many,
)

from .conventions import other_conventions
from .study import PRIOR, Answers, Study

MACRO = "macro F"
HEADROOM = "headroom"
PARSE_RATE = "parse rate"
ERROR_RATE = "error rate"
MEAN_LABELS = "mean labels"


def prior_answers(study: Study) -> Answers:
    """Return the answers of the baseline that names every class for every record."""
    everywhere = np.ones(study.n_records, dtype=bool)
    return Answers(
        PRIOR,
        np.ones(study.reference.shape, dtype=bool),
        received=everywhere,
        as_text=~everywhere,
        parsed=~everywhere,
    )


def headroom_statistic(model: SumsStatistic, prior: SumsStatistic) -> SumsStatistic:
    """Return H = (1 - macro F of the model) / (1 - macro F of the prior) as a function of sums.

    Undefined where the prior reaches 1: nothing is left between the two.
    """
    n = model.contributions.shape[1]

    def evaluate(sums: np.ndarray) -> np.ndarray:
        return divide(1 - model.evaluate(sums[:, :n]), 1 - prior.evaluate(sums[:, n:]))

    return SumsStatistic(
        HEADROOM,
        np.hstack([model.contributions, prior.contributions]),
        evaluate,
        "the prior reaches a macro F of 1, or there is no macro F",
        (0.0, math.inf),
    )


def rate_statistics(study: Study, answers: Answers) -> dict[str, SumsStatistic]:
    """Return parse rate, error rate and mean labels of a model as functions of sums.

    Parse rate: of the answers received as text, the share with a list of labels. Error rate: of
    the records asked, the share without an answer (no row, or the error flag). Mean labels:
    classes named per scored record, 0 where there is no answer.
    """
    scored = study.scored.astype(np.float64)
    asked = np.ones(study.n_records)
    text = answers.as_text.astype(np.float64)
    return {
        PARSE_RATE: ratio_statistic(
            answers.parsed.astype(np.float64), text, name=PARSE_RATE, bounds=(0.0, 1.0),
            reason="no answer came as text",
        ),
        ERROR_RATE: ratio_statistic(
            1.0 - answers.received, asked, name=ERROR_RATE, bounds=(0.0, 1.0),
            reason="no record was asked",
        ),
        MEAN_LABELS: ratio_statistic(
            scored * answers.predicted.sum(axis=1), scored, name=MEAN_LABELS,
            bounds=(0.0, float(len(study.classes))), reason="no record is scored",
        ),
    }  # fmt: skip


@dataclass(frozen=True, eq=False)
class Scores:
    """Everything that is measured on a study, on shared resamples.

    Parameters
    ----------
    study : Study
    n_resamples : int
    level : float
    seed : int
    """

    study: Study
    n_resamples: int = 1000
    level: float = 0.95
    seed: int = 0

    @property
    def models(self) -> list[str]:
        """The models, as in the file."""
        return [one.model for one in self.study.answers]

    @cached_property
    def distributions(self) -> dict[tuple[str, str], Distribution]:
        """Bootstrap distributions by model and name of the statistic; see `class_key`."""
        keys: list[tuple[str, str]] = []
        statistics: list[SumsStatistic] = []
        baseline = prior_answers(self.study)
        prior = f_statistics(self.study.memberships(baseline.predicted))["macro"]
        for answers in (*self.study.answers, baseline):
            made = f_statistics(self.study.memberships(answers.predicted))
            named = {MACRO: made["macro"], HEADROOM: headroom_statistic(made["macro"], prior)}
            named |= rate_statistics(self.study, answers)
            named |= other_conventions(self.study, answers)
            named |= {class_key(name): made["class", name] for name in self.study.classes}
            keys += [(answers.model, name) for name in named]
            statistics += named.values()
        drawn = resample_many(
            statistics,
            cluster=self.study.clusters,
            unit=self.study.unit,
            n_resamples=self.n_resamples,
            seed=self.seed,
        )
        return dict(zip(keys, drawn, strict=True))

    def estimate(self, model: str, statistic: str) -> Estimate:
        """Return a statistic of a model with its percentile interval."""
        return self.distributions[model, statistic].interval("percentile", self.level)

    def class_estimate(self, model: str, name: str) -> Estimate:
        """Return the F-measure of a class."""
        return self.estimate(model, class_key(name))

    @cached_property
    def macro(self) -> dict[str, Estimate]:
        """Macro F of every model, and of the prior as the last."""
        return {model: self.estimate(model, MACRO) for model in (*self.models, PRIOR)}

    @cached_property
    def ranks(self) -> list[Rank]:
        """Rank of every model by macro F, with an interval that holds for all at once."""
        found = [self.distributions[model, MACRO] for model in self.models]
        return ranks(found, higher_is_better=True, level=self.level)

    def against_prior(self, model: str) -> Comparison:
        """Return the paired difference of macro F from the prior."""
        both = [self.distributions[model, MACRO], self.distributions[PRIOR, MACRO]]
        return comparison(pairwise_differences(both)[0, 1], level=self.level)

    def differences(self) -> dict[tuple[str, str], Comparison]:
        """Return the paired difference of macro F of every two models, the better one first."""
        order = sorted(self.models, key=lambda model: -self.macro[model].value)
        drawn = [self.distributions[model, MACRO] for model in order]
        return {
            (order[a], order[b]): comparison(one, level=self.level)
            for (a, b), one in pairwise_differences(drawn).items()
        }


def class_key(name: str) -> str:
    """Return the key of a class among the statistics."""
    return f"class: {name}"


def confusions(study: Study, model: str) -> pd.DataFrame:
    """Return what is predicted for the records of each class.

    Returns
    -------
    DataFrame
        ``class``, ``other``, ``count``: scored records that have the class and were given the
        other one; ``share``: of the records that have the class. ``other`` is "(none)" for those
        given no class.
    """
    answers = study.of(model) if model != PRIOR else prior_answers(study)
    has = study.reference.astype(np.int64)
    none = ~answers.predicted.any(axis=1)
    counts = has.T @ np.column_stack([answers.predicted, none])
    return _pairs(study.classes, (*study.classes, "(none)"), counts, has.sum(axis=0))


def co_occurrence(study: Study, model: str | None = None) -> pd.DataFrame:
    """Return which classes stand together, in the reference or in a model's predictions.

    Returns
    -------
    DataFrame
        ``class``, ``other``, ``count``: scored records with both; ``share``: of those with
        ``class``.
    """
    table = study.reference if model is None else study.of(model).predicted
    kept = table[study.scored].astype(np.int64)
    counts = kept.T @ kept
    return _pairs(study.classes, study.classes, counts, np.diag(counts))


def _pairs(
    rows: tuple[str, ...], columns: tuple[str, ...], counts: np.ndarray, totals: np.ndarray
) -> pd.DataFrame:
    shares = divide(counts.astype(float), np.asarray(totals, dtype=float)[:, np.newaxis])
    return pd.DataFrame(
        {
            "class": np.repeat(rows, len(columns)),
            "other": np.tile(columns, len(rows)),
            "count": counts.ravel(),
            "share": shares.ravel(),
        }
    )
