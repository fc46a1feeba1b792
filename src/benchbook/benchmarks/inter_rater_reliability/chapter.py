"""The chapter: what a run shows of its data, its verdict, and what would change it."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import pandas as pd

from benchbook.agreement import Verdict, verdict
from benchbook.display import Drawing, Table
from benchbook.estimate import Estimate
from benchbook.records import Record, save_record

from . import sensitivity
from .categories import CategoryExhibits
from .coefficients import (
    Coefficient,
)
from .score_exhibits import ScoreExhibits
from .studies import NAME, Study, most_used_share
from .wording import bullets, count, plural


class Chapter(CategoryExhibits, ScoreExhibits):
    """One run of the chapter; see :class:`Evaluation` for the parameters."""

    def say_data_statement(self) -> str:
        """State at the top whether data are published or the reader's own."""
        if not self.own:
            return (
                "**Published data.** The results on this page come from "
                f"{count(len(self.studies), 'table')} that other authors published, entered as "
                "facts with their source. Nothing is simulated."
            )
        one = self.studies[0]
        ratings = one.ratings
        dropped = (
            f" {count(ratings.n_dropped, 'item')} that nobody rated {plural(ratings.n_dropped, 'was', 'were')} left out."
            if ratings.n_dropped
            else ""
        )
        missing = (
            f" {ratings.n_missing} of {ratings.n_items * ratings.n_raters} cells are empty; they are never taken "
            "for a category."
            if ratings.n_missing and ratings.identified
            else " No cell is empty."
        )
        cluster = (
            f" The unit of resampling is the {one.unit}: {one.n_clusters} of them."
            if ratings.clusters is not None
            else " The unit of resampling is the item."
        )
        return (
            f"**Your data.** The results on this page come from `{one.source}`, a file given to "
            f"this run: {count(one.n_rows, 'row')}, {count(ratings.n_items, 'item')}, "
            f"{count(ratings.n_raters, 'rater' if ratings.identified else 'rating')}"
            f"{'' if ratings.identified else ' an item at most'}.{dropped}{missing}{cluster}"
        )

    def data_table(self) -> Table:
        """Return what was read: size, scale, empty cells, unit of resampling."""
        rows = [
            {
                "data": one.title,
                "kind": one.ratings.kind,
                "items": one.ratings.n_items,
                "raters": one.ratings.n_raters if one.ratings.identified else "not identified",
                "ratings": int(one.ratings.n_items * one.ratings.n_raters - one.ratings.n_missing),
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
        rows = [
            {
                "data": one.title,
                "statistic": one.recommendation.statistic,
                "why": one.recommendation.why,
            }
            for one in self.studies
        ]
        caption = "The statistic that fits the ratings of this run, chosen by a rule from the scale, the raters and the empty cells."
        return Table(pd.DataFrame(rows), "guide", caption)

    @cached_property
    def verdicts(self) -> list[tuple[Study, Estimate, Verdict]]:
        """The rule applied to the recommended coefficient of each study."""
        rule = {"accept": self.parameters.accept, "conditional": self.parameters.conditional}
        pairs = [(one, self.headline(one).reported) for one in self.categorical]
        pairs += [(one.study, one.headline) for one in self.scores]
        return [(study, made, verdict(made, **rule)) for study, made in pairs]

    def say_verdicts(self) -> str:
        """Say each verdict on the value and on the lower bound."""
        return bullets([f"{self.name(study)}{found.text}" for study, _, found in self.verdicts])

    def table_verdicts(self) -> Table:
        """Return the verdict on the value and on the lower bound, by study."""
        rows = [
            {
                "data": study.title,
                "coefficient": made.name,
                "value": made.value,
                "low": made.low,
                "high": made.high,
                "verdict": found.on_value,
                "on the lower bound": found.on_lower_bound,
            }
            for study, made, found in self.verdicts
        ]
        caption = (
            f"The rule: accepted from {self.parameters.accept:g}, conditional from "
            f"{self.parameters.conditional:g}, below it redesign."
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
        caption = "The same ratings under other conventions; the interval that changes is shown."
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


def category_counts(study: Study) -> pd.DataFrame:
    """Return how often each rater used each category, empty cells as a missing category."""
    ratings = study.ratings
    rows = []
    for column, rater in enumerate(ratings.raters):
        codes = ratings.values[:, column]  # noqa: PD011
        for code, label in enumerate(ratings.categories or ()):
            rows.append(
                {"rater": rater, "category": str(label), "count": int((codes == code).sum())}
            )
        empty = int((codes != codes).sum())
        if empty:
            rows.append({"rater": rater, "category": None, "count": empty})
    return pd.DataFrame(rows)


def _widest_use(table: pd.DataFrame) -> tuple[str, float, float]:
    """Return the category whose share differs most between raters, with both shares."""
    given = table.dropna(subset=["category"])
    wide = given.pivot(  # noqa: PD010
        index="rater", columns="category", values="count"
    )
    shares = wide.div(wide.sum(axis=1), axis=0)
    spread = shares.max() - shares.min()
    label = spread.idxmax()
    return str(label), float(shares[label].min()), float(shares[label].max())


def _scale_words(study: Study) -> str:
    ratings = study.ratings
    if ratings.categories is None:
        return "scores"
    made = "declared" if ratings.declared else "observed"
    unused = ratings.n_categories - int((ratings.counts().sum(axis=0) > 0).sum())
    extra = f", {unused} unused" if unused else ""
    return f"{ratings.n_categories} {made}{extra}; {most_used_share(ratings):.0%} in the largest"


def _statistic_word(study: Study) -> str:
    return "Cohen's κ" if study.two else "Fleiss' κ"


def _pairs_word(study: Study) -> str:
    return "the items" if study.two else "the pairs of ratings"


def _loss(coefficient: Coefficient) -> str:
    lost = coefficient.distribution.n_undefined
    return f" ({lost} of the resamples had no value)" if lost else ""


def _of(study: Study, own: bool) -> str:
    return "" if own else f"{study.title}: "


def _bare(result: Any) -> Estimate:
    return result if isinstance(result, Estimate) else result.estimate


def _short(estimate: Estimate, name: str) -> str:
    coefficient = name in ("CCC", "Spearman ρ", "slope")
    return format(estimate, ".3f" if coefficient else ".4g")


def _plain(study: Study) -> str:
    return study.source.lstrip("@")


def _upright(shown: pd.DataFrame) -> pd.DataFrame:
    return shown.drop(columns="data")
