"""The chapter: what a run reads or simulates, scores, shows and keeps."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from benchbook.display import Drawing, Table, counted, interval_text, plain
from benchbook.errors import listed
from benchbook.records import Record, save_record

from . import exhibits, facts, sensitivity
from .conventions import MICRO
from .facts import NAME
from .own import load, specification
from .parameters import Parameters
from .scoring import (
    ERROR_RATE,
    HEADROOM,
    MACRO,
    MEAN_LABELS,
    PARSE_RATE,
    PRIOR,
    Scores,
)

FEW_POSITIVES = 30  # below it a class is called out beside the macro F
MOST_RARE = 3  # classes called out
VISIBLE = 0.0005  # a smaller change of a macro F does not show in three decimals


class Chapter:
    """One run of the chapter.

    Parameters
    ----------
    parameters : Parameters
        Checked parameters; the files they name are read at once.
    """

    def __init__(self, parameters: Parameters) -> None:
        self.parameters = parameters
        self.spec = specification()
        self.study = load(parameters)
        self.scores = Scores(self.study, parameters.n_resamples, parameters.level, parameters.seed)

    @property
    def best(self) -> str:
        """The model with the largest macro F."""
        return max(self.scores.models, key=lambda model: self.scores.macro[model].value)

    @property
    def writer(self) -> str:
        """The best model whose answers are text, else the best model."""
        writes = [one.model for one in self.study.answers if one.as_text.any()]
        return max(writes or [self.best], key=lambda model: self.scores.macro[model].value)

    # ---- data ------------------------------------------------------------------------------------

    def say_data_statement(self) -> str:
        """State at the top whether the data are simulated or the reader's own."""
        study = self.study
        size = exhibits.study_size(study)
        if study.simulated:
            return (
                "**Simulated data.** Records, groups and positives per class have exactly the "
                f"published numbers of the test part ({size}); who has which class with which "
                "other, and what the models answer, comes from seeded random numbers (seed "
                f"{self.parameters.seed}). No patient's data are used, and no number under "
                "*Results* is a result of a real model. What was published stands apart, with its "
                "source."
            )
        models = counted(len(study.answers), "model")
        text = f"**Your data.** {plain(study.name)}: {size}; {models}."
        if not study.grouped:
            text += (
                " The reference has no column group_id, so every record is its own group: where "
                "recordings of one person repeat, the intervals are too narrow."
            )
        remarks = [f"- {plain(remark)}" for remark in exhibits.study_remarks(study)]
        return text + ("\n\n" + "\n".join(remarks) if remarks else "")

    def table_data(self) -> Table:
        """Return the classes with their positives."""
        return exhibits.table_data(self.study)

    # ---- results ---------------------------------------------------------------------------------

    def say_results(self) -> str:
        """Say who leads, how surely, and what the macro F hides."""
        scores, best = self.scores, self.best
        macro, prior = scores.macro[best], scores.macro[PRIOR]
        exact = exhibits.percent(exhibits.exact_match(self.study, best))
        lines = [
            f"Highest macro F: {plain(best)} with {exhibits.estimate_text(macro)}; it names "
            f"exactly the right classes for {exact} of the scored records. The prior has "
            f"{prior.value:.3f}."
        ]
        lines += self._say_second(best)
        below = [m for m in scores.models if scores.macro[m].value < prior.value]
        if below:
            lines.append(f"Below the prior: {plain(listed(below))}.")
        lines += self._say_rare(best)
        lost = max(sensitivity.resamples_without_a_class(scores, m) for m in scores.models)
        if lost:
            lines.append(
                f"In up to {lost:,} of {scores.n_resamples:,} resamples a class is neither drawn "
                "nor named and is left out of the mean."
            )
        return "\n".join(f"- {line}" for line in lines)

    def _say_second(self, best: str) -> list[str]:
        """Say which models share the first place, and how it stands to the next one below."""
        scores = self.scores
        first = scores.macro[best].value
        equal = [m for m in scores.models if m != best and scores.macro[m].value == first]
        lines = [f"The same macro F: {plain(listed(equal))}."] if equal else []
        pairs = [
            (other, one)
            for (left, other), one in scores.differences().items()
            if left == best and other not in equal
        ]
        if pairs:
            second, one = pairs[0]
            lead = one.difference
            verdict = "excludes" if lead.low > 0 or lead.high < 0 else "does not exclude"
            text = f"Its lead over {plain(second)} is {lead:.3f} on shared resamples"
            lines.append(f"{text}; the interval {verdict} 0." if lead.has_interval else f"{text}.")
        return lines

    def _say_rare(self, best: str) -> list[str]:
        """Say what single rare classes do to the macro F of a model; the rarest ones only."""
        study, lines = self.study, []
        counts = [int(n) for n in study.n_positive]
        rare = sorted((n, k) for k, n in enumerate(counts) if 0 < n < FEW_POSITIVES)
        for n, place in rare[:MOST_RARE]:
            name = study.classes[place]
            one = self.scores.class_estimate(best, name)
            text = (
                f"{plain(name)} has {counted(n, 'positive')} and weighs as much as any "
                f"class: its F for {plain(best)} is {exhibits.estimate_text(one)}"
            )
            if one.has_interval and one.high > one.low:
                moved = (one.high - one.low) / int(study.occurring.sum())
                text += f", which alone moves the macro F by {moved:.3f} over its interval"
            lines.append(f"{text}.")
        more = len(rare) - MOST_RARE
        if more > 0:
            told = "class has" if more == 1 else "classes have"
            lines.append(f"{more} more {told} fewer than {FEW_POSITIVES} positives.")
        return lines

    def figure_macro(self) -> Drawing:
        """Draw macro F with the prior's line."""
        return exhibits.figure_macro(self.scores)

    def table_macro(self) -> Table:
        """Return macro F, rank, headroom."""
        return exhibits.table_macro(self.scores)

    def table_differences(self) -> Table | None:
        """Return paired differences."""
        return exhibits.table_differences(self.scores)

    def figure_classes(self) -> Drawing:
        """Draw F per class."""
        return exhibits.figure_classes(self.scores)

    def table_classes(self) -> Table:
        """Return F per class and model."""
        return exhibits.table_classes(self.scores)

    def table_answers(self) -> Table:
        """Return parse rate, error rate, mean labels."""
        return exhibits.table_answers(self.scores)

    def figure_together(self) -> Drawing:
        """Draw what stands together in the reference."""
        return exhibits.figure_together(self.study)

    def figure_together_named(self) -> Drawing:
        """Draw what the best model that writes text names together."""
        return exhibits.figure_together(self.study, self.writer)

    def table_confusion(self) -> Table:
        """Return what that model names for the records of each class."""
        return exhibits.table_confusion(self.study, self.writer)

    # ---- what would change this ------------------------------------------------------------------

    @cached_property
    def changes(self) -> pd.DataFrame:
        """Macro F under other conventions."""
        return sensitivity.table(self.scores)

    def say_sensitivity(self) -> str:
        """Say which convention moves macro F most, and what the unit of resampling does."""
        value, width = (
            self.changes.pivot_table(index="change", columns="model", values=name, sort=False)
            for name in ("value", "width")
        )
        value = value.drop(index=MICRO, errors="ignore")
        moved = (value - value.loc[sensitivity.AS_SCORED]).abs()
        model = moved.max().idxmax()
        change = moved[model].idxmax()
        if moved.loc[change, model] < VISIBLE:
            text = "None of the conventions of the macro F moves a value here."
        else:
            text = (
                f"Of the conventions of the macro F, *{change}* moves it most: {plain(model)} goes "
                f"from {value.loc[sensitivity.AS_SCORED, model]:.3f} to "
                f"{value.loc[change, model]:.3f}."
            )
        if sensitivity.RECORDS in width.index:
            wide = width.loc[sensitivity.AS_SCORED] / width.loc[sensitivity.RECORDS]
            wide = wide[np.isfinite(wide)]
            ends = list(dict.fromkeys(f"{one:.2f}" for one in sorted(wide)))
            if ends:
                text += (
                    f" Over groups the intervals are {' to '.join(ends[:: max(len(ends) - 1, 1)])} "
                    "times as wide as over records "
                    f"({self.study.n_records / self.study.n_groups:.1f} records a group)."
                )
        return text

    def table_sensitivity(self) -> Table:
        """Return macro F under other conventions."""
        frame = self.changes
        texts = [interval_text(r.value, r.low, r.high) for r in frame.itertuples(index=False)]
        wide = frame.assign(text=texts).pivot_table(
            index="change", columns="model", values="text", aggfunc="first", sort=False
        )
        drawn = exhibits.drawn_models(self.scores)
        shown = exhibits.side_by_side(wide[drawn])
        caption = (
            f"{exhibits.simulated(self.study)}Macro F when one convention is changed; the first "
            "row is what this page reports."
            + (" The files hold every model." if len(drawn) < len(self.scores.models) else "")
        )
        return Table(frame, "sensitivity", caption, shown)

    # ---- record ----------------------------------------------------------------------------------

    def numbers(self) -> dict[str, Any]:
        """Return every headline number of the run."""
        out: dict[str, Any] = {
            "prior from the published counts": facts.prior_of(self.spec, "test"),
            "specification": self.spec.hash,
            "scored records": self.study.n_scored,
            "groups": self.study.n_groups,
        }
        ranks = dict(zip(self.scores.models, self.scores.ranks, strict=True))
        for model in (*self.scores.models, PRIOR):
            found: dict[str, Any] = {
                name: self.scores.estimate(model, name)
                for name in (MACRO, HEADROOM, PARSE_RATE, ERROR_RATE, MEAN_LABELS)
            }
            found |= {
                f"F of {name}": self.scores.class_estimate(model, name)
                for name in self.study.classes
            }
            if model in ranks:
                rank = ranks[model]
                found |= {"rank": rank.rank, "rank low": rank.low, "rank high": rank.high}
            # A model may be called "groups".
            out[f"model {model}" if model in out else model] = found
        return out

    def save_record(self) -> Record:
        """Write and return the record of the run."""
        data = [{"file": path, "rows": rows} for path, rows in self.study.files]
        return save_record(NAME, self.parameters, self.numbers(), data)
