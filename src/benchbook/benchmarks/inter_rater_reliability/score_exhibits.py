"""Scores: sentences, tables and figures."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from benchbook.display import Drawing, Table, bullets, counted, plain
from benchbook.icc import TwoWayAnova

from .evaluation import Evaluation, needs
from .scores import Scores
from .sensitivity import units
from .studies import shared_pairs
from .wording import in_unit, notes, p_text, plural, significant, span


class ScoreExhibits(Evaluation):
    """What a run shows of its scores."""

    @needs("scores")
    def say_scores(self) -> str:
        """Say ICC(2,1), the test of the raters, and the error in the unit of the score."""
        return bullets([self._say_one(one) for one in self.scores])

    def _say_one(self, one: Scores) -> str:
        made = one.headline
        text = f"{self.name(one.study)}{one.form}: {made}"
        if one.analysis is None:
            return (
                f"{text}. It uses all scores; {_how_many(one.complete)} scored by every rater. "
                f"Krippendorff's α at the interval level is {one.alpha}."
            )
        parts = [text]
        if one.mixed is not None:
            parts.append(
                f"It uses all scores; {_how_many(one.complete)} scored by every rater, and the six "
                "forms below rest on those alone"
            )
        if one.study.ratings.clusters is None:
            parts.append(self._raters_differ(one.analysis.anova))
        if one.mixed is None and one.error is not None and one.error.sem_agreement.defined:
            error, change = in_unit(one.error.sem_agreement, one.error.mdc_agreement)
            parts.append(
                f"The standard error of measurement (agreement) is {error} in the unit of the "
                f"score, the minimal detectable change {change}"
            )
        return ". ".join(parts) + "."

    def _raters_differ(self, anova: TwoWayAnova) -> str:
        if not math.isfinite(anova.f_raters):
            return (
                "The raters' scores are identical"
                if anova.ms_raters == 0
                else "The raters differ by constants only: their F test has no error to divide by"
            )
        alpha = 1 - self.parameters.level
        words = "differ" if anova.p_raters < alpha else "do not differ detectably"
        return (
            f"The raters' means {words} (at the {100 * alpha:.3g} % level): "
            f"F({anova.df_raters}, {anova.df_error}) = {anova.f_raters:.2f}, "
            f"{p_text(anova.p_raters)}"
        )

    @needs("scores")
    def table_icc(self) -> Table:
        """Return the six forms with F, degrees of freedom, p and intervals."""
        frame = pd.concat([one.icc_table() for one in self.scores], ignore_index=True)
        shown = frame[["data", "form", "in words", "value", "low", "high"]].copy()
        shown["bootstrap"] = [
            span(low, high)
            for low, high in zip(frame["bootstrap low"], frame["bootstrap high"], strict=True)
        ]
        shown["F"] = [_f_text(value) for value in frame["F"]]
        shown["df"] = [
            f"{a:g}, {b:g}" if a == a else "–"
            for a, b in zip(frame["df1"], frame["df2"], strict=True)
        ]
        shown["p"] = frame["p"]
        shown["items"] = frame["items"]
        if (frame["reason"] != "").any():
            shown["why no value or interval"] = frame["reason"]
        interval = self._icc_intervals()
        caption = (
            f"Intraclass correlations, {self.percent} intervals ({interval}), and the F test of "
            "ICC = 0, which tests whether the items differ and takes them for independent. "
            + (
                f"Bootstrap: percentile, {units(self)} drawn, the raters fixed."
                if any(one.coefficients for one in self.scores)
                else ""
            )
        )
        return Table(frame, "icc", caption, shown)

    def _icc_intervals(self) -> str:
        """Say how the intervals of the forms were made, as far as each is there."""
        clustered = "clusters" in self.conditions
        parts = []
        if any(one.coefficients for one in self.scores):
            parts.append(
                "percentile bootstrap over clusters, raters fixed" if clustered else "F-based"
            )
        if any(one.mixed is not None for one in self.scores):
            parts.append(
                "profile of the likelihood for the mixed model"
                + (", which takes the items of a cluster for independent" if clustered else "")
            )
        return "; ".join(parts)

    @needs("scores")
    def say_score_notes(self) -> str:
        """Say what must be known beside the intraclass correlations."""
        pairs = [
            (self.of(one.study), form, coefficient.reported)
            for one in self.scores
            for form, coefficient in one.coefficients.items()
        ]
        for one in self.scores:
            if one.mixed is not None:
                made = one.mixed.icc("ICC(2,1)", level=self.parameters.level)
                pairs.append((self.of(one.study), "mixed model", made))
        return notes(pairs)

    @needs("scores")
    def figure_icc(self) -> Drawing:
        """Draw the six forms, or the mixed-model estimates where no item is complete."""
        from benchbook.figures import icc_forms

        one = next((s for s in self.scores if s.coefficients), self.scores[0])
        if one.coefficients:
            values = {form: c.reported for form, c in one.coefficients.items()}
            finding = (
                f"{_on_which(one)} ICC(2,1) is {values['ICC(2,1)'].value:.2f} and ICC(3,k) "
                f"{values['ICC(3,k)'].value:.2f}"
                if values["ICC(2,1)"].defined and values["ICC(3,k)"].defined
                else "The six intraclass correlations"
            )
        else:
            assert one.mixed is not None
            values = {
                form: one.mixed.icc(form, level=self.parameters.level)
                for form in ("ICC(2,1)", "ICC(3,1)")
            }
            finding = "Intraclass correlations of the mixed model on all scores"
        caption = (
            f"**{self.of(one.study)}{finding}.** Intraclass correlations with "
            f"{self.percent} intervals, by what they count as agreement."
        )
        alt = (
            f"{len(values)} intraclass correlations with intervals, grouped into one-way, absolute "
            "agreement and consistency forms."
        )
        return Drawing(icc_forms(values), "icc", caption, alt)

    @needs("scores")
    def figure_scores(self) -> Drawing:
        """Draw every rater's score of every item."""
        from benchbook.figures import ratings_by_item

        one = max(self.scores, key=lambda s: s.study.ratings.n_raters).study
        frame = one.ratings.frame()
        means = frame.dropna().mean()
        if len(frame.dropna()) < 2:
            finding = "No two items were scored by everybody."
        elif means.max() == means.min():
            finding = "All raters have the same mean."
        else:
            finding = (
                f"Raters' means run from {means.min():.3g} ({plain(means.idxmin())}) to "
                f"{means.max():.3g} ({plain(means.idxmax())})."
            )
        some = len(frame.dropna()) >= 2 and one.ratings.n_missing
        which = "; means over the items that everybody scored" if some else ""
        caption = f"**{self.of(one)}{finding}** Every score, items ordered by their mean{which}."
        alt = (
            f"Scores of {one.ratings.n_items} items by {one.ratings.n_raters} raters, items from "
            "the lowest to the highest mean."
        )
        return Drawing(ratings_by_item(frame), "scores", caption, alt)

    @needs("scores")
    def table_components(self) -> Table:
        """Return variance components and error in the unit of the score."""
        frame = pd.DataFrame([row for one in self.scores for row in one.component_rows()])
        shown = frame[["data", "method"]].copy()
        for name in frame.columns[2:]:
            shown[f"variance, {name}" if name in ("items", "raters", "error") else name] = [
                significant(float("nan") if value is None else value) for value in frame[name]
            ]
        negative = any((value or 0) < 0 for value in frame["raters"])
        remark = (
            " Where the raters' component is estimated negative, the SEM for agreement comes out "
            "below that for consistency; take the component for 0 and the larger SEM for both."
            if negative
            else ""
        )
        caption = (
            "Variance components (negative estimates are shown as they are), standard error of "
            "measurement (SEM) and minimal detectable change (MDC: exceeded by chance in 5 % of "
            f"pairs), in the unit of the score; items taken for independent.{remark}"
        )
        return Table(frame, "components", caption, shown)

    def _compared(self) -> Scores:
        two = [one for one in self.scores if one.study.ratings.n_raters == 2]
        return (two or [one for one in self.scores if one.pairs])[0]

    @needs("comparison")
    def say_comparison(self) -> str:
        """Say bias, limits of agreement, Lin's coefficient and Spearman's ρ of the shown pair."""
        one = self._compared()
        first, second = one.pairs[0]
        row = one.comparison_row(first, second)
        bias = row["bias"]
        if not bias.defined:
            return f"{plain(first)} and {plain(second)}: no limits of agreement ({bias.reason})."
        mean, lower, upper = in_unit(bias, row["lower limit"], row["upper limit"])
        text = (
            f"{plain(first)} minus {plain(second)}: mean difference {mean}; limits of "
            f"agreement {lower} and "
            f"{upper}, each with its {self.percent} interval. Lin's coefficient is {row['CCC']}, "
            f"Spearman's ρ {row['Spearman ρ']}."
        )
        if bias.has_interval and (bias.low > 0 or bias.high < 0):
            text += (
                " The systematic difference lowers Lin's coefficient; Spearman's ρ does not see it."
            )
        slope = row["slope"]
        if slope.has_interval and (slope.low > 0 or slope.high < 0):
            text += (
                f" The difference changes with the size of the measurement (slope {slope}), so "
                "that "
                "fixed limits are too wide at one end and too narrow at the other."
            )
        return text + (
            " Whether such limits are narrow enough is a clinical question that no coefficient "
            "answers."
        )

    @needs("comparison")
    def figure_bland_altman(self) -> Drawing:
        """Draw the Bland–Altman plot of the first pair."""
        from benchbook.figures import bland_altman_plot

        one = self._compared()
        found = one.limits
        first, second = one.pairs[0]
        if found.bias.defined:
            mean, low, high = (
                text.split(" ")[0] for text in in_unit(found.bias, found.lower, found.upper)
            )
            finding = (
                f"Limits of agreement of {plain(first)} and {plain(second)}: {low} to {high} "
                "around a mean "
                f"difference of {mean}; {found.outside} of {found.n} differences "
                f"{plural(found.outside, 'lies', 'lie')} outside"
            )
        else:
            finding = f"Differences between {plain(first)} and {plain(second)}"
        how = f", {units(self)} drawn" if "clusters" in self.conditions else ""
        caption = (
            f"**{finding}.** Differences against means with the mean difference, the limits of "
            f"agreement and their {self.percent} intervals (shaded{how})."
        )
        alt = (
            f"Scatter of {found.bias.n_items} differences against means, with a solid line at the "
            "mean difference and dashed lines at both limits of agreement."
        )
        drawn = bland_altman_plot(found)
        return Drawing(drawn, "bland-altman", caption, alt)

    @needs("comparison")
    def table_comparison(self) -> Table:
        """Return every pair of raters compared as two methods."""
        one = self._compared()
        rows = [one.comparison_row(*pair) for pair in one.pairs]
        wide = []
        for row in rows:
            flat = {"first − second": row["first − second"], "items": row["items"]}
            for name in ("bias", "lower limit", "upper limit", "slope", "CCC", "Spearman ρ"):
                flat |= {
                    name: row[name].value,
                    f"{name} low": row[name].low,
                    f"{name} high": row[name].high,
                }
            wide.append(flat)
        shown = pd.DataFrame([_compared_row(row) for row in rows])
        total = len(shared_pairs(one.study.ratings))
        which = (
            f" The {len(rows)} of {total} pairs that share most items." if total > len(rows) else ""
        )
        caption = (
            f"Pairs of raters compared as two methods, {self.percent} intervals in brackets"
            f"{_pair_unit(self)}: mean "
            "difference, limits of agreement, slope of the difference on the mean, Lin's "
            f"coefficient, Spearman's ρ.{which}"
        )
        return Table(pd.DataFrame(wide), "comparison", caption, shown)


# ---- wording -----------------------------------------------------------------------------


def _compared_row(row: dict[str, Any]) -> dict[str, Any]:
    """Return a pair's row for the page: limits in the unit of the score, coefficients rounded."""
    names = ("bias", "lower limit", "upper limit")
    texts = dict(zip(names, in_unit(*(row[name] for name in names)), strict=True))
    plain = {"first − second": row["first − second"], "items": row["items"]}
    return plain | texts | {name: str(row[name]) for name in ("slope", "CCC", "Spearman ρ")}


def _pair_unit(run: Evaluation) -> str:
    if "clusters" not in run.conditions:
        return ""
    return f" ({units(run)} drawn; none for ρ)"


def _f_text(value: float) -> str:
    if math.isnan(value):
        return "–"
    return "∞" if math.isinf(value) else f"{value:.2f}"


def _how_many(complete: int) -> str:
    if complete == 0:
        return "no item was"
    return f"{counted(complete, 'item')} {plural(complete, 'was', 'were')}"


def _on_which(one: Scores) -> str:
    return "On the same scores" if one.mixed is None else "On the items that everybody scored"
