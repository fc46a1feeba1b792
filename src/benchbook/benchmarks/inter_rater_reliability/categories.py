"""Nominal and ordinal ratings: sentences, tables and figures."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import pandas as pd

from benchbook.agreement import cohen_kappa, fleiss_kappa, landis_koch
from benchbook.display import Drawing, Table, formatted
from benchbook.estimate import Estimate

from . import sensitivity
from .coefficients import (
    Coefficient,
    coefficient_table,
    influence_of,
    kappa_row,
    pairwise_matrix,
)
from .evaluation import Evaluation
from .studies import Study
from .wording import bullets, count, notes, p_text, share, span, symbol, upper_first


class CategoryExhibits(Evaluation):
    """What a run shows of its nominal and ordinal ratings."""

    def say_coefficients(self) -> str:
        """Say the recommended coefficient of each categorical study."""
        lines = []
        for one in self.categorical:
            made = self.headline(one).reported
            percent = self.found[one.key]["percent"].reported
            word = f", {landis_koch(made.value)}" if made.defined else ""
            lines.append(
                f"{self.name(one)}{symbol(made.name)} {made}{word}; the raters agree on "
                f"{share(percent.value)} of {_pairs_word(one)}" + _loss(self.headline(one)) + "."
            )
        return (
            f"Intervals are {self.percent} intervals. The words are those of Landis and Koch.\n\n"
            + bullets(lines)
        )

    def figure_forest(self) -> Drawing:
        """Draw every coefficient with Landis–Koch bands."""
        from benchbook.figures import forest

        rows = []
        for one in self.categorical:
            for coefficient in self.found[one.key].values():
                made = coefficient.reported
                rows.append(made.as_row(group=one.title) | {"name": symbol(made.name)})
        table = pd.DataFrame(rows)
        caption = (
            f"**{self._forest_finding()}** Coefficients with {self.percent} intervals "
            f"({self._interval_words()}) on the bands of @landis1977measurement."
        )
        alt = (
            f"Forest plot of {len(table)} agreement coefficients in "
            f"{count(len(self.categorical), 'group')}, one row each, with intervals, on labelled "
            "bands from poor to almost perfect."
        )
        rule = {f"accepted from {self.parameters.accept:g}": self.parameters.accept}
        return Drawing(forest(table, thresholds=rule), "forest", caption, alt)

    def _forest_finding(self) -> str:
        spreads = []
        for one in self.categorical:
            values = [
                c.reported.value
                for key, c in self.found[one.key].items()
                if key != "percent" and c.reported.defined
            ]
            if len(values) > 1:
                spreads.append((max(values) - min(values), one, min(values), max(values)))
        if not spreads:
            return "Agreement coefficients."
        width, one, low, high = max(spreads, key=lambda entry: entry[0])
        where = "" if self.own else f" for {one.title.lower()}"
        return (
            f"The choice of coefficient moves the answer by up to {width:.2f}{where}: from "
            f"{low:.2f} to {high:.2f} on the same ratings."
        )

    def _interval_words(self) -> str:
        if any(one.ratings.clusters is not None for one in self.categorical):
            return f"percentile bootstrap over clusters ({self.categorical[0].unit})"
        bare = {
            symbol(c.analytic.name)
            for found in self.found.values()
            for c in found.values()
            if c.analytic.defined and not c.analytic.has_interval
        }
        return "analytic" + (
            f"; percentile bootstrap for {', '.join(sorted(bare))}" if bare else ""
        )

    def table_coefficients(self) -> Table:
        """Return every coefficient with its intervals."""
        frame = pd.concat(
            [coefficient_table(one, self.found[one.key]) for one in self.categorical],
            ignore_index=True,
        )
        shown = frame[["data", "coefficient", "value", "low", "high"]].copy()
        shown["bootstrap"] = [
            span(low, high)
            for low, high in zip(frame["bootstrap low"], frame["bootstrap high"], strict=True)
        ]
        if any(one.ratings.clusters is not None for one in self.categorical):
            shown["items"], shown["clusters"] = frame["items"], frame["clusters"]
        if frame["undefined resamples"].any():
            shown["undefined resamples"] = frame["undefined resamples"]
        if (frame["reason"] != "").any():
            shown["why no value or interval"] = frame["reason"]
        caption = (
            f"Coefficients with {self.percent} intervals: reported ({self._interval_words()}) and "
            f"percentile bootstrap, {self.parameters.n_resamples:,} resamples of "
            f"{sensitivity.units(self)}; Monte-Carlo error of a bootstrap bound at most "
            f"{largest_error(frame):.3f}."
        )
        return Table(frame, "coefficients", caption, shown)

    def say_coefficient_notes(self) -> str:
        """Say what must be known beside the coefficients: clipped bounds, missing intervals."""
        pairs = []
        for one in self.categorical:
            for coefficient in self.found[one.key].values():
                made = coefficient.reported
                pairs.append((self.of(one), symbol(made.name), made))
        return notes(pairs)

    def say_two_raters(self) -> str:
        """Say κ of two raters with its decomposition and its indices."""
        lines = []
        for one in self._two():
            result = cohen_kappa(one.ratings, level=self.parameters.level)
            made = result.estimate
            if not made.defined:
                lines.append(
                    f"{self.name(one)}the raters agree on {share(result.observed)} of the items; "
                    f"κ is undefined: {made.reason}."
                )
                continue
            text = (
                f"{self.name(one)}observed agreement {result.observed:.3f}, expected by chance "
                f"{result.expected:.3f}, so κ = {made.value:.3f}; with these margins κ could be at "
                f"most {result.maximum:.3f}. The test of κ = 0 gives z = {result.z:.2f}, "
                f"{p_text(result.p_value)}"
            )
            if result.prevalence_index is not None:
                text += (
                    f". Prevalence index {result.prevalence_index:.3f}, bias index "
                    f"{result.bias_index:.3f}, PABAK {result.pabak:.3f}"
                )
            lines.append(text + ".")
        return bullets(lines)

    def table_two_raters(self) -> Table:
        """Return κ of two raters with everything that must stand beside it."""
        level = self.parameters.level
        rows = []
        for one in self._two():
            rows.append(kappa_row(one, cohen_kappa(one.ratings, level=level)))
            if one.ordinal:
                weighted = cohen_kappa(one.ratings, weights=self.parameters.weights, level=level)
                rows.append(kappa_row(one, weighted))
        frame = pd.DataFrame(rows)
        caption = (
            f"κ with its {self.percent} interval from the general standard error; the standard "
            "error under κ = 0 serves z and p only. The indices exist for two categories."
        )
        shown = _upright(frame.drop(columns="reason"), own=self.own)
        return Table(frame, "two-raters", caption, shown)

    def say_ordinal(self) -> str:
        """Say what the weights do."""
        lines = []
        for one in self.categorical:
            if not one.ordinal:
                continue
            found = ", ".join(
                f"{self._weighted(one, name).value:.3f} {words}"
                for name, words in (
                    (None, "unweighted"),
                    ("linear", "with linear weights"),
                    ("quadratic", "with quadratic weights"),
                )
            )
            lines.append(
                f"{self.name(one)}{_statistic_word(one)} is {found}: how much a near miss is "
                "forgiven is a decision, not a finding."
            )
        return bullets(lines)

    def table_weights(self) -> Table:
        """Return κ (or AC2, for many raters) under each choice of weights."""
        rows = []
        for one in self.categorical:
            if one.ordinal:
                for name in (None, "linear", "quadratic"):
                    made = self._weighted(one, name)
                    rows.append(
                        {
                            "data": one.title,
                            "statistic": _statistic_word(one),
                            "weights": name or "none",
                            "value": made.value,
                            "low": made.low,
                            "high": made.high,
                        }
                    )
        caption = f"The choice of weights, with {self.percent} analytic intervals."
        return Table(pd.DataFrame(rows), "weights", caption)

    def _weighted(self, study: Study, weights: str | None) -> Estimate:
        level = self.parameters.level
        if study.two:
            return cohen_kappa(study.ratings, weights=weights, level=level).estimate
        return fleiss_kappa(study.ratings, weights=weights, level=level).estimate

    def _two(self) -> list[Study]:
        return [one for one in self.categorical if one.two]

    def _many(self) -> list[Study]:
        return [one for one in self.categorical if not one.two]

    def say_many_raters(self) -> str:
        """Say Fleiss' κ, its test, and its strongest and weakest category."""
        lines = []
        for one in self._many():
            result = fleiss_kappa(one.ratings, level=self.parameters.level)
            made = result.estimate
            if not made.defined:
                lines.append(f"{self.name(one)}Fleiss' κ is undefined: {made.reason}.")
                continue
            known = result.by_category.dropna(subset=["value"])
            text = (
                f"{self.name(one)}Fleiss' κ {made}; z = {result.z:.2f} for κ = 0, "
                f"{p_text(result.p_value)}"
            )
            if len(known) > 1:
                best, worst = known.loc[known["value"].idxmax()], known.loc[known["value"].idxmin()]
                if best["category"] != worst["category"]:
                    text += (
                        f". Best agreed category: {best['category']} ({best['value']:.2f}); least: "
                        f"{worst['category']} ({worst['value']:.2f})"
                    )
            lines.append(text + ".")
        return bullets(lines)

    def table_per_category(self) -> Table:
        """Return Fleiss' κ for each category against all others."""
        frames = []
        for one in self._many():
            result = fleiss_kappa(one.ratings, level=self.parameters.level)
            frames.append(result.by_category.assign(data=one.title))
        frame = pd.concat(frames, ignore_index=True)
        frame.insert(0, "data", frame.pop("data"))
        shown = frame[["data", "category", "n_ratings", "value", "low", "high"]].rename(
            columns={"n_ratings": "ratings"}
        )
        shown["SE under κ = 0"] = frame["standard_error_null"]
        shown["z"] = [f"{z:.2f}" for z in frame["z"]]
        shown["p"] = frame["p_value"]
        if frame["reason"].notna().any():
            shown["why no value"] = frame["reason"].fillna("")
        caption = (
            f"Fleiss' κ of each category against all others, {self.percent} intervals from the "
            "item-wise variance; z and p test κ = 0."
        )
        return Table(frame, "per-category", caption, shown)

    def _shown_study(self, wanted: Iterable[Study]) -> Study:
        """Return the study a single figure shows: of the eligible ones, that with most raters."""
        return max(wanted, key=lambda one: one.ratings.n_raters)

    def figure_category_use(self) -> Drawing:
        """Draw how each rater uses the categories."""
        from benchbook.figures import category_use

        one = self._shown_study(s for s in self.categorical if s.ratings.identified)
        table = category_counts(one)
        label, low, high = _widest_use(table)
        caption = (
            f"**{self.of(one)}One rater's share of “{label}” is {share(low, 0)}, another's "
            f"{share(high, 0)}.** Share of each category among a rater's ratings; different habits "
            "limit how well raters can agree."
        )
        alt = (
            f"Stacked bars, one for each of {one.ratings.n_raters} raters, with the share of each "
            f"of {one.ratings.n_categories} categories."
        )
        categories = list(map(str, one.ratings.categories or ()))
        drawn = category_use(table, ordered=one.ordinal, categories=categories)
        return Drawing(drawn, "category-use", caption, alt)

    def figure_pairwise(self) -> Drawing:
        """Draw the heat map of pairwise κ."""
        from benchbook.figures import pairwise_heatmap

        one = self._shown_study(s for s in self.categorical if s.paired)
        matrix = pairwise_matrix(one, self.parameters)
        statistic = f"{self.parameters.weights} κ" if one.ordinal else "Cohen κ"
        flat = matrix.stack()  # noqa: PD013
        if len(flat):
            low, high = flat.idxmin(), flat.idxmax()
            finding = (
                f"Pairs of raters differ: κ from {flat.min():.2f} ({low[0]} and {low[1]}) to "
                f"{flat.max():.2f} ({high[0]} and {high[1]})."
            )
        else:
            finding = "No pair of raters has a defined κ."
        caption = (
            f"**{self.of(one)}{finding}** {upper_first(statistic)} of every pair "
            "on the items both rated; hatched cells are undefined."
        )
        alt = (
            f"Heat map of kappa for each pair of {one.ratings.n_raters} raters, white at 0 and "
            "dark blue at 1."
        )
        return Drawing(pairwise_heatmap(matrix, statistic=statistic), "pairwise", caption, alt)

    def figure_influence(self) -> Drawing:
        """Draw the headline coefficient without each rater in turn."""
        from benchbook.figures import leave_one_out

        one = self._shown_study(s for s in self.categorical if s.paired)
        coefficient = self.headline(one)
        table = influence_of(one, coefficient.key).rename(columns={"without": "value"})
        made = coefficient.reported
        known = table.dropna(subset=["value"])
        if len(known) and made.defined:
            most = known.loc[(known["value"] - made.value).abs().idxmax()]
            finding = (
                f"Without {most['rater']} the coefficient is {most['value']:.2f} in place of "
                f"{made.value:.2f}; no other rater moves it more."
            )
        else:
            finding = "The coefficient without each rater."
        caption = (
            f"**{self.of(one)}{finding}** {upper_first(symbol(made.name))} of the "
            f"others when one rater is left out; shaded: the {self.percent} interval of all raters."
        )
        alt = (
            f"Dots for the coefficient without each of {one.ratings.n_raters} raters, against a "
            "line and shaded interval for all raters."
        )
        label = f"{upper_first(symbol(made.name))} without this rater"
        return Drawing(leave_one_out(table, made, label=label), "influence", caption, alt)

    # ---- a model among the raters --------------------------------------------------------

    @cached_property
    def _model_difference(self) -> Any:
        from benchbook.agreement import agreement_difference

        one = self.categorical[0]
        assert one.with_model is not None
        return agreement_difference(
            one.with_model,
            str(self.parameters.model),
            weights=self.parameters.weights if one.ordinal else None,
            unit=one.unit,
            n_resamples=self.parameters.n_resamples,
            level=self.parameters.level,
            seed=self.parameters.seed,
        )

    def say_model(self) -> str:
        """Say whether the model agrees with people as they agree with each other."""
        found = self._model_difference
        made = found.difference
        if not made.has_interval:
            verdict_text = "The difference has no interval, so nothing is claimed."
        elif made.low > 0:
            verdict_text = "The model agrees with people better than they agree with each other."
        elif made.high < 0:
            verdict_text = "The model agrees with people less than they agree with each other."
        else:
            verdict_text = "The interval of the difference holds 0."
        return (
            f"Mean κ of {found.model} with each person is {found.model_human}; of people with each "
            f"other {found.human_human}. The difference on the same items is {made}. {verdict_text}"
        )

    def table_model(self) -> Table:
        """Return model–human and human–human agreement and their paired difference."""
        found = self._model_difference
        names = ("model with people", "people with each other", "difference")
        rows = [
            estimate.as_row(comparison=name)
            for name, estimate in zip(
                names, (found.model_human, found.human_human, found.difference), strict=True
            )
        ]
        frame = pd.DataFrame(rows)
        shown = frame[["comparison", "value", "low", "high", "n_clusters", "n_undefined"]]
        one = self.categorical[0]
        caption = (
            f"Mean pairwise κ with {self.percent} percentile intervals from "
            f"{self.parameters.n_resamples:,} resamples of the {one.unit}, shared by all rows."
        )
        shown = shown.rename(
            columns={"n_clusters": "clusters", "n_undefined": "undefined resamples"}
        )
        return Table(frame, "model", caption, shown)


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


def largest_error(frame: pd.DataFrame) -> float:
    """Return the largest Monte-Carlo error of any bootstrap bound in a table of coefficients."""
    return float(frame[["Monte-Carlo error low", "Monte-Carlo error high"]].max(axis=None))


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


def _statistic_word(study: Study) -> str:
    return "Cohen's κ" if study.two else "Fleiss' κ"


def _pairs_word(study: Study) -> str:
    return "the items" if study.two else "the pairs of ratings"


def _loss(coefficient: Coefficient) -> str:
    lost = coefficient.distribution.n_undefined
    return f" ({lost} of the resamples had no value)" if lost else ""


def _upright(frame: pd.DataFrame, *, own: bool) -> pd.DataFrame:
    """Return a table of few rows and many columns turned, one column per row."""
    heads = frame["weights"] if own else frame["data"] + ", " + frame["weights"]
    page = formatted(frame.drop(columns=["data", "weights"]))
    turned = page.T.set_axis(list(heads), axis=1)
    turned.insert(0, "measure", turned.index)
    return turned.reset_index(drop=True)
