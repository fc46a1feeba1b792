"""Nominal and ordinal ratings: sentences, tables and figures."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cached_property
from typing import Any

import pandas as pd

from benchbook.agreement import (
    KappaResult,
    cohen_kappa,
    fleiss_kappa,
    fleiss_statistic,
    kappa_statistic,
    landis_koch,
)
from benchbook.display import Drawing, Table, bullets, counted, formatted, plain
from benchbook.estimate import Estimate

from . import sensitivity
from .coefficients import (
    Coefficient,
    category_rows,
    coefficient_table,
    influence_of,
    kappa_row,
    over_clusters,
)
from .evaluation import Evaluation, needs
from .pairs import FEW_SHARED, extreme_pairs, pairwise_matrices
from .studies import Study
from .wording import notes, p_text, share, span, symbol, upper_first


class CategoryExhibits(Evaluation):
    """What a run shows of its nominal and ordinal ratings."""

    @needs("categories")
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
            f"Intervals are {self.percent} intervals, {self._interval_words()}; "
            "@tbl-interval-methods says how each is made. The words are those of Landis and "
            "Koch.\n\n" + bullets(lines)
        )

    @needs("categories")
    def figure_forest(self) -> Drawing:
        """Draw every coefficient with Landis–Koch bands."""
        from benchbook.figures import forest

        rows = []
        for one in self.categorical:
            for key, coefficient in self.found[one.key].items():
                made = coefficient.reported
                if key != "percent":  # the bands were made for chance-corrected coefficients
                    rows.append(made.as_row(group=one.title) | {"name": symbol(made.name)})
        table = pd.DataFrame(rows)
        caption = (
            f"**{self._forest_finding()}** Coefficients with {self.percent} intervals "
            f"({self._interval_words()}) on the bands of @landis1977measurement."
        )
        alt = (
            f"Forest plot of {len(table)} chance-corrected coefficients in "
            f"{counted(len(self.categorical), 'group')}, one row each, with intervals, on labelled "
            "bands from poor to almost perfect."
        )
        rule = {f"accepted from {self.parameters.accept:.2f}": self.parameters.accept}
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
        if width < NOTHING:
            return "All coefficients give the same answer here."
        return (
            f"The choice of coefficient and weights moves the answer by up to {width:.2f}{where}: "
            f"from {low:.2f} to {high:.2f} on the same ratings."
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
        none = f"; none for {', '.join(sorted(bare))}" if bare else ""
        return f"analytic, over items{none}"

    @needs("categories")
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
        error = largest_error(frame)
        precision = (
            ""
            if math.isnan(error)
            else f"; Monte-Carlo error of a bootstrap bound at most {error:.3f}"
        )
        caption = (
            f"Coefficients with {self.percent} intervals: reported ({self._interval_words()}) and "
            f"percentile bootstrap, {self.parameters.n_resamples:,} resamples, "
            f"{sensitivity.units(self)} drawn{precision}."
        )
        return Table(frame, "coefficients", caption, shown)

    @needs("categories")
    def say_coefficient_notes(self) -> str:
        """Say what must be known beside the coefficients: clipped bounds, missing intervals."""
        pairs = []
        for one in self.categorical:
            for coefficient in self.found[one.key].values():
                made = coefficient.reported
                pairs.append((self.of(one), symbol(made.name), made))
        return notes(pairs)

    @needs("two")
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
                f"most {result.maximum:.3f}"
            )
            lines.append(". ".join([text, *_kappa_remarks(one, result)]) + ".")
        return bullets(lines)

    @needs("two")
    def table_two_raters(self) -> Table:
        """Return κ of two raters with everything that must stand beside it."""
        rows = []
        for one in self._two():
            plain = cohen_kappa(one.ratings, level=self.parameters.level)
            rows.append(kappa_row(one, plain, self.found[one.key]["kappa"].reported))
            if one.ordinal:
                weighted = cohen_kappa(
                    one.ratings, weights=self.parameters.weights, level=self.parameters.level
                )
                rows.append(
                    kappa_row(one, weighted, self.found[one.key]["weighted_kappa"].reported)
                )
        frame = pd.DataFrame(rows)
        how = (
            f"percentile interval, {sensitivity.units(self)} drawn; no standard error or test, "
            "since those take items for independent"
            if "clusters" in self.conditions
            else "interval from the general standard error; the standard error under κ = 0 serves "
            "z and p only"
        )
        caption = (
            f"κ with its {self.percent} {how}. With weights, P_o, P_e and the maximum are weighted "
            "too. The indices exist for two categories and are absolute values."
        )
        shown = _upright(frame.drop(columns="reason"), own=self.own)
        return Table(frame, "two-raters", caption, shown)

    @needs("ordinal")
    def say_ordinal(self) -> str:
        """Say what the weights do."""
        lines = []
        for one in self.categorical:
            if not one.ordinal:
                continue
            if not self._weighted(one, None).defined:
                reason = self._weighted(one, None).reason
                lines.append(f"{self.name(one)}{_statistic_word(one)} is undefined: {reason}.")
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

    @needs("ordinal")
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
        caption = (
            f"The choice of weights, with {self.percent} intervals ({self._interval_words()})."
        )
        return Table(pd.DataFrame(rows), "weights", caption)

    def _weighted(self, study: Study, weights: str | None) -> Estimate:
        level, ratings = self.parameters.level, study.ratings
        if study.two and weights in (None, self.parameters.weights):
            return self.found[study.key]["weighted_kappa" if weights else "kappa"].reported
        if study.two:
            made = cohen_kappa(ratings, weights=weights, level=level).estimate
            statistic = kappa_statistic(ratings, weights=weights)
        else:
            made = fleiss_kappa(ratings, weights=weights, level=level).estimate
            statistic = fleiss_statistic(ratings, weights=weights)
        return over_clusters(study, self.parameters, made, statistic)

    def _two(self) -> list[Study]:
        return [one for one in self.categorical if one.two]

    def _many(self) -> list[Study]:
        return [one for one in self.categorical if not one.two]

    @needs("many")
    def say_many_raters(self) -> str:
        """Say Fleiss' κ, its test, and its strongest and weakest category."""
        lines = []
        for one in self._many():
            result = fleiss_kappa(one.ratings, level=self.parameters.level)
            made = self.found[one.key]["fleiss"].reported
            if not made.defined:
                lines.append(f"{self.name(one)}Fleiss' κ is undefined: {made.reason}.")
                continue
            parts = [f"{self.name(one)}Fleiss' κ {made}"]
            if one.ratings.clusters is None and not math.isnan(result.z):
                parts[0] += f"; z = {result.z:.2f} for κ = 0, {p_text(result.p_value)}"
            lines.append(". ".join([*parts, *_best_and_worst(result.by_category)]) + ".")
        return bullets(lines)

    @needs("many")
    def table_per_category(self) -> Table:
        """Return Fleiss' κ for each category against all others."""
        frames = [category_rows(one, self.parameters) for one in self._many()]
        frame = pd.concat(frames, ignore_index=True)
        frame.insert(0, "data", frame.pop("data"))
        shown = frame[["data", "category", "n_ratings", "value", "low", "high"]].rename(
            columns={"n_ratings": "ratings"}
        )
        shown["SE under κ = 0"] = frame["standard_error_null"]
        shown["z"] = ["–" if math.isnan(z) else f"{z:.2f}" for z in frame["z"]]
        shown["p"] = frame["p_value"]
        if frame["reason"].notna().any():
            shown["why no value"] = frame["reason"].fillna("")
        caption = (
            f"Fleiss' κ of each category against all others, {self.percent} intervals "
            f"({self._interval_words()})"
            + ("." if "clusters" in self.conditions else "; z and p test κ = 0 with its own error.")
        )
        return Table(frame, "per-category", caption, shown)

    def _shown_study(self, wanted: Iterable[Study]) -> Study:
        """Return the study a single figure shows: of the eligible ones, that with most raters."""
        return max(wanted, key=lambda one: one.ratings.n_raters)

    @needs("identified")
    def figure_category_use(self) -> Drawing:
        """Draw how each rater uses the categories."""
        from benchbook.figures import category_use

        one = self._shown_study(s for s in self.categorical if s.ratings.identified)
        # Shares of the ratings given; cells nobody filled are no category.
        table = category_counts(one).dropna(subset=["category"])
        label, low, high = _widest_use(table)
        if high - low < NOTHING_SHARE:
            finding = "All raters use the categories alike."
        else:
            finding = (
                f"One rater's share of “{plain(label)}” is {share(low, 0)}, another's "
                f"{share(high, 0)}."
            )
        caption = (
            f"**{self.of(one)}{finding}** Share of each category among a rater's ratings; "
            "different habits "
            "limit how well raters can agree."
        )
        alt = (
            f"Stacked bars, one for each of {one.ratings.n_raters} raters, with the share of each "
            f"of {one.ratings.n_categories} categories."
        )
        categories = list(map(str, one.ratings.categories or ()))
        drawn = category_use(table, ordered=one.ordinal, categories=categories)
        return Drawing(drawn, "category-use", caption, alt)

    @needs("pairs")
    def figure_pairwise(self) -> Drawing:
        """Draw the heat map of pairwise κ."""
        from benchbook.figures import pairwise_heatmap

        one = self._shown_study(s for s in self.categorical if s.paired)
        matrix, shared = pairwise_matrices(one, self.parameters)
        statistic = f"{self.parameters.weights} κ" if one.ordinal else "Cohen κ"
        finding, remark = extreme_pairs(matrix, shared)
        caption = (
            f"**{self.of(one)}{finding}** {upper_first(statistic)} of every pair "
            f"on the items both rated; hatched cells are undefined.{remark}"
        )
        alt = (
            f"Heat map of kappa for each pair of {one.ratings.n_raters} raters, white at 0 and "
            "dark blue at 1."
        )
        drawn = pairwise_heatmap(matrix, statistic=statistic, n_items=shared, few=FEW_SHARED)
        return Drawing(drawn, "pairwise", caption, alt)

    @needs("pairs")
    def figure_influence(self) -> Drawing:
        """Draw the headline coefficient without each rater in turn."""
        from benchbook.figures import leave_one_out

        one = self._shown_study(s for s in self.categorical if s.paired)
        coefficient = self.headline(one)
        table = influence_of(one, coefficient.key).rename(columns={"without": "value"})
        made = coefficient.reported
        known = table.dropna(subset=["value"])
        if len(known) and made.defined and (known["value"] - made.value).abs().max() < NOTHING:
            finding = "No single rater moves the coefficient."
        elif len(known) and made.defined:
            most = known.loc[(known["value"] - made.value).abs().idxmax()]
            finding = (
                f"Without rater {plain(most['rater'])} the coefficient is {most['value']:.2f} in "
                "place of "
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

    @needs("model")
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
            f"The {self._model_kappa} of {plain(found.model)} with each person is "
            f"{found.model_human}; of "
            f"people with each other {found.human_human}. The difference on the same items is "
            f"{made}. {verdict_text}"
        )

    @property
    def _model_kappa(self) -> str:
        weights = f" ({self.parameters.weights} weights)" if self.categorical[0].ordinal else ""
        return f"mean pairwise κ{weights}"

    @needs("model")
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
            f"{upper_first(self._model_kappa)} with {self.percent} percentile intervals from "
            f"{self.parameters.n_resamples:,} resamples, the {one.unit} drawn, shared by all rows."
        )
        shown = shown.rename(
            columns={"n_clusters": f"{one.unit}s", "n_undefined": "undefined resamples"}
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


# Differences that a caption must not call a finding.
NOTHING = 0.005
NOTHING_SHARE = 0.01
# Two categories that agree equally well differ by rounding only.
TIE = 1e-9
MOST_NAMED = 3


def _kappa_remarks(study: Study, result: KappaResult) -> list[str]:
    """Return the test and the indices of two raters' κ, as far as they exist."""
    remarks = []
    if study.ratings.clusters is None:
        if math.isnan(result.z):
            remarks.append("κ = 0 cannot be tested: a rater never varies")
        else:
            remarks.append(f"The test of κ = 0 gives z = {result.z:.2f}, {p_text(result.p_value)}")
    if result.prevalence_index is not None:
        remarks.append(
            f"Prevalence index {result.prevalence_index:.3f}, bias index "
            f"{result.bias_index:.3f}, PABAK {result.pabak:.3f}"
        )
    return remarks


def _best_and_worst(by_category: pd.DataFrame) -> list[str]:
    """Return which categories raters agree on best and least; all of them where they tie."""
    known = by_category.dropna(subset=["value"])
    if len(known) < 2 or known["value"].max() - known["value"].min() < NOTHING:
        return []

    def named(value: float) -> str:
        same = [*known[(known["value"] - value).abs() < TIE]["category"]]
        more = f" and {len(same) - MOST_NAMED} more" if len(same) > MOST_NAMED else ""
        return f"{' and '.join(map(plain, same[:MOST_NAMED]))}{more} ({value:.2f})"

    return [f"Best agreed: {named(known['value'].max())}; least: {named(known['value'].min())}"]


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
