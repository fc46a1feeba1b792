"""The chapter: what a run shows of its data, its verdict, and what would change it."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from typing import Any

import pandas as pd

from benchbook.agreement import Verdict, verdict
from benchbook.display import Drawing, Table, bullets, counted, plain
from benchbook.estimate import Estimate
from benchbook.records import Record, save_record

from . import sensitivity
from .categories import CategoryExhibits
from .score_exhibits import ScoreExhibits
from .studies import NAME, Study, most_used_share
from .wording import plural, share, symbol, upper_first


class Chapter(CategoryExhibits, ScoreExhibits):
    """One run of the chapter; see :class:`Evaluation` for the parameters."""

    def say_data_statement(self) -> str:
        """State at the top whether data are published or the reader's own."""
        if not self.own:
            return (
                "**Published data.** The results on this page come from "
                f"{len(self.studies) - 1} tables that other authors published, entered as facts "
                "with their source, and one invented teaching example (the pathology slides). No "
                "result is simulated."
            )
        return _own_statement(self.studies[0], self.parameters.where)

    def data_table(self) -> Table:
        """Return what was read: size, scale, empty cells, unit of resampling."""
        rows = [
            {
                "data": one.title,
                "kind": one.ratings.kind,
                "items": one.ratings.n_items,
                "raters": one.ratings.n_raters if one.ratings.identified else "not identified",
                "ratings": _given(one),
                "categories": _scale_words(one),
                "empty cells": one.ratings.n_missing if one.ratings.identified else "",
                "items dropped": one.ratings.n_dropped,
                "resampled": f"{one.n_clusters} × {one.unit}",
            }
            for one in self.studies
        ]
        return Table(pd.DataFrame(rows), "data", "The ratings of this run.")

    def guide_table(self) -> Table:
        """Return the recommended statistic for each study and why."""
        rows = []
        for one in self.studies:
            advice = one.recommendation
            chosen = advice.statistic.replace("quadratic", self.parameters.weights)
            rows.append(
                {
                    "data": one.title,
                    "statistic": upper_first(symbol(chosen)),
                    "why": symbol(advice.why),
                    "also possible": symbol("; ".join(advice.alternatives)),
                    "do not report": symbol(" ".join(map(upper_first, advice.refusals))),
                }
            )
        caption = (
            "The statistic that fits the ratings of this run, chosen by a rule from the scale, "
            f"the raters, the empty cells and the need for {self.parameters.need} agreement."
        )
        frame = pd.DataFrame(rows)
        shown = frame if self.own else frame.drop(columns=["also possible", "do not report"])
        return Table(frame, "guide", caption, shown)

    def say_rule(self) -> str:
        """Say the rule of the verdict with the thresholds of this run."""
        accept, conditional = self.parameters.accept, self.parameters.conditional
        return (
            "Whether ratings may serve as an answer key is decided by a rule stated beforehand: "
            f"accepted from {accept:.2f}, conditional from {conditional:.2f} (a further consensus "
            "process must be documented), below that the key must be redesigned."
        )

    @cached_property
    def verdicts(self) -> list[tuple[Study, Estimate, Verdict]]:
        """The rule applied to the recommended coefficient of each study of raters.

        Two methods of measurement make no answer key. An interval without width is no certainty,
        so its lower bound gets no verdict.
        """
        rule = {"accept": self.parameters.accept, "conditional": self.parameters.conditional}
        pairs = [(one, self.headline(one).reported) for one in self.categorical]
        pairs += [
            (one.study, replace(one.headline, name=one.form))
            for one in self.scores
            if not one.study.method_comparison
        ]
        found = []
        for study, made in pairs:
            shown = replace(made, low=math.nan, high=math.nan) if made.low == made.high else made
            found.append((study, shown, verdict(shown, **rule)))
        return found

    def say_verdicts(self) -> str:
        """Say each verdict on the value and on the lower bound."""
        lines = [f"{self.name(study)}{symbol(found.text)}" for study, _, found in self.verdicts]
        text = bullets(lines)
        if self.scores:
            text += (
                "\n\nA verdict on an intraclass correlation says nothing about the size of the "
                "error: read the standard error of measurement and the limits of agreement."
            )
        return text

    def table_verdicts(self) -> Table:
        """Return the verdict on the value and on the lower bound, by study."""
        rule = (self.parameters.conditional, self.parameters.accept)
        rows = [
            {
                "data": study.title,
                "coefficient": symbol(made.name),
                "value": made.value,
                "low": made.low,
                "high": made.high,
                "verdict": found.on_value,
                "on the lower bound": found.on_lower_bound,
                "thresholds inside the interval": ", ".join(
                    f"{bound:.2f}" for bound in rule if made.low < bound <= made.high
                )
                or "none",
            }
            for study, made, found in self.verdicts
        ]
        caption = (
            f"The rule: accepted from {self.parameters.accept:.2f}, conditional from "
            f"{self.parameters.conditional:.2f}, below it redesign. A threshold inside the "
            "interval is one that the data do not settle."
        )
        return Table(pd.DataFrame(rows), "verdicts", caption)

    def say_sensitivity(self) -> str:
        """Say which convention moves the answer most."""
        return sensitivity.sentence(self.sensitivity_rows)

    @cached_property
    def sensitivity_rows(self) -> list[dict[str, Any]]:
        """The recommended coefficient under other conventions."""
        return sensitivity.rows(self)

    def table_sensitivity(self) -> Table:
        """Return the same data under other conventions."""
        frame = pd.DataFrame(self.sensitivity_rows)
        caption = "What a change does to a coefficient and its interval, before and after."
        return Table(frame, "sensitivity", caption)

    def figure_intervals(self) -> Drawing:
        """Draw analytic against bootstrap intervals of each study's recommended coefficient."""
        from benchbook.figures import interval_comparison

        table = sensitivity.interval_rows(self)
        caption = sensitivity.interval_caption(table, self)
        alt = (
            "For each coefficient up to four intervals under each other: analytic, percentile, "
            "basic and BCa bootstrap."
        )
        return Drawing(interval_comparison(table), "intervals", caption, alt)

    def numbers(self) -> dict[str, Any]:
        """Return every headline number of the run, by study and coefficient."""
        out: dict[str, Any] = {}
        for one in self.categorical:
            out[one.key] = {key: c.reported for key, c in self.found[one.key].items()}
        for scored in self.scores:
            forms = {form: c.reported for form, c in scored.coefficients.items()}
            out[scored.study.key] = forms or {"ICC(2,1)": scored.headline}
        for study, _, found in self.verdicts:
            out[study.key]["verdict"] = found.on_value
        return out

    def save_record(self) -> Record:
        """Write and return the record of the run."""
        data = [
            {"file": one.file, "rows": one.n_rows, "source": _plain(one)} for one in self.studies
        ]
        return save_record(NAME, self.parameters, self.numbers(), data)


# ---- wording -----------------------------------------------------------------------------


def _scale_words(study: Study) -> str:
    ratings = study.ratings
    if ratings.categories is None:
        return "scores"
    made = "declared" if ratings.declared else "observed"
    unused = ratings.n_categories - int((ratings.counts().sum(axis=0) > 0).sum())
    extra = f", {unused} unused" if unused else ""
    return (
        f"{ratings.n_categories} {made}{extra}; {share(most_used_share(ratings), 0)} in the largest"
    )


def _plain(study: Study) -> str:
    return study.source.lstrip("@")


def _given(study: Study) -> int:
    return study.ratings.n_items * study.ratings.n_raters - study.ratings.n_missing


# Below this the bootstrap over clusters undercovers clearly whatever the statistic.
FEW_CLUSTERS = 15


def _own_statement(study: Study, where: dict[str, Any] | None) -> str:
    """Say what was read from the reader's own file, what is empty and what was left out."""
    ratings = study.ratings
    size = [counted(study.n_rows, "row"), counted(ratings.n_items, "item")]
    if ratings.identified:
        size.append(counted(ratings.n_raters, "rater"))
    else:
        size.append(f"at most {counted(ratings.n_raters, 'rating')} an item")
    text = (
        f"**Your data.** The results on this page come from {plain(study.source)}, a file given to "
        f"this run: {', '.join(size)}."
    )
    if where:
        kept = "; ".join(f"{plain(column)} = {plain(value)}" for column, value in where.items())
        text += f" Only rows with {kept} were used."
    if ratings.n_dropped:
        were = plural(ratings.n_dropped, "was", "were")
        text += f" {counted(ratings.n_dropped, 'item')} that nobody rated {were} left out."
    if ratings.identified and ratings.n_missing:
        cells = ratings.n_items * ratings.n_raters
        text += (
            f" {ratings.n_missing:,} of {cells:,} cells "
            f"{plural(ratings.n_missing, 'is', 'are')} empty; an "
            "empty cell is never taken "
            "for a category."
        )
    if study.with_model is not None:
        text += " The model is set apart: only its own section counts it among the raters."
    if ratings.clusters is None:
        return text + " The unit of resampling is the item."
    text += f" The unit of resampling is the {plain(study.unit)}: there are {study.n_clusters:,}."
    if study.n_clusters < FEW_CLUSTERS:
        text += (
            " With so few, intervals from resampling are too narrow: read them as the least "
            "uncertainty there is."
        )
    return text
