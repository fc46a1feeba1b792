"""What a run computes: each part once, when it is first asked for."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import pandas as pd

from . import calibration, inputs, people, reading_agreement
from . import performance as ranking
from .matched import Match
from .parameters import Parameters
from .study import Study, build

MOST_LABELS = 9  # in a figure
MOST_MODELS = 5  # in a figure
MOST_ROWS = 40  # of a forest


class Evaluation:
    """One run of the chapter.

    Parameters
    ----------
    parameters : Parameters
        Checked parameters; the tables they name are read and checked at once.
    """

    def __init__(self, parameters: Parameters) -> None:
        self.parameters = parameters
        self.inputs = inputs.load(parameters)
        self.study: Study = build(self.inputs, parameters)

    @property
    def bootstrap(self) -> dict[str, Any]:
        """Settings of every bootstrap of the run."""
        given = self.parameters
        return {"n_resamples": given.n_resamples, "level": given.level, "seed": given.seed}

    @property
    def percent(self) -> str:
        """The confidence level in words."""
        return f"{100 * self.parameters.level:g} %"

    # ---- what is evaluated -------------------------------------------------------------------

    @cached_property
    def performance(self) -> ranking.Performance:
        """Ranking metrics of the models."""
        return ranking.evaluate(self.study, **self.bootstrap)

    @cached_property
    def readers(self) -> people.Readers:
        """Readers one by one, and group means."""
        return people.readers(self.study, **self.bootstrap)

    @cached_property
    def beside(self) -> people.BesidePeople:
        """Models beside people."""
        return self._beside(self.parameters.match)

    def _beside(
        self, match: Match, *, seed: int | None = None, **ways: bool
    ) -> people.BesidePeople:
        settings = self.bootstrap | ({} if seed is None else {"seed": seed})
        return people.beside_people(self.study, match=match, **ways, **settings)

    @cached_property
    def against_reference(self) -> pd.DataFrame:
        """Kappa of every reader with the reference."""
        return people.against_reference(self.study, self.parameters.level)

    @cached_property
    def among_people(self) -> pd.DataFrame:
        """Agreement of people with each other, by label."""
        return reading_agreement.among_people(self.study, **self.bootstrap)

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """Kappa of every pair of readers, by label."""
        return reading_agreement.pairs(self.study, self.parameters.level)

    @cached_property
    def calibration(self) -> pd.DataFrame:
        """Calibration of every model on every label."""
        return calibration.measures(self.study, **self.bootstrap)

    # ---- what would change it ----------------------------------------------------------------

    @property
    def other_match(self) -> Match:
        """The rule of meeting the readers' sensitivity that the run does not use."""
        return "interpolated" if self.parameters.match == "at_least" else "at_least"

    @cached_property
    def with_other_match(self) -> people.BesidePeople:
        """Models beside people, met by the other rule."""
        return self._beside(self.other_match)

    @cached_property
    def with_other_seed(self) -> people.BesidePeople:
        """Models beside people, with the next seed."""
        return self._beside(self.parameters.match, seed=self.parameters.seed + 1)

    @cached_property
    def records_beside(self) -> people.BesidePeople:
        """Models beside people, records drawn instead of patients."""
        return self._beside(self.parameters.match, by_patient=False)

    @cached_property
    def readers_drawn(self) -> people.BesidePeople:
        """Models beside people, readers drawn as well as patients."""
        return self._beside(self.parameters.match, draw_readers=True)

    @cached_property
    def records_ranked(self) -> ranking.Performance:
        """Ranking metrics, records drawn instead of patients."""
        return ranking.evaluate(self.study, by_patient=False, **self.bootstrap)

    @cached_property
    def ranked_with_other_seed(self) -> ranking.Performance:
        """Ranking metrics with the next seed."""
        settings = self.bootstrap | {"seed": self.parameters.seed + 1}
        return ranking.evaluate(self.study, **settings)

    # ---- what fits a figure ------------------------------------------------------------------

    @cached_property
    def figure_labels(self) -> list[str]:
        """Labels that figures show: all, or the most frequent ones, in their order."""
        labels = list(self.study.labels)
        if len(labels) <= MOST_LABELS:
            return labels
        number = {label: int(self.study.positive(label).sum()) for label in labels}
        kept = sorted(labels, key=lambda label: -number[label])[:MOST_LABELS]
        return [label for label in labels if label in kept]

    @cached_property
    def figure_models(self) -> list[str]:
        """Models that figures show: the first few."""
        return list(self.study.models[:MOST_MODELS])

    def shown_note(self, *, models: bool = True) -> str:
        """Return what a figure leaves out, as the end of its caption."""
        text = ""
        n_labels = len(self.study.labels)
        if n_labels > len(self.figure_labels):
            text += (
                f" Of {n_labels} labels the {len(self.figure_labels)} most frequent are drawn; the "
                "table holds all."
            )
        if models and len(self.study.models) > len(self.figure_models):
            text += f" Of {len(self.study.models)} models the first {len(self.figure_models)}."
        return text
