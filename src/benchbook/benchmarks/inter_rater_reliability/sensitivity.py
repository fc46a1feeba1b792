"""What would change the answer: the convention, the unit of resampling, the seed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pandas as pd

from benchbook.agreement import fleiss_kappa
from benchbook.display import plain
from benchbook.estimate import Estimate
from benchbook.icc import intraclass_correlations
from benchbook.ratings import Ratings

from .coefficients import BOOTSTRAP_METHODS, Coefficient, coefficients
from .scores import Scores
from .studies import Study, used_categories
from .wording import symbol

if TYPE_CHECKING:
    from .chapter import Chapter
    from .evaluation import Evaluation

METHOD_WORDS = {"percentile": "percentile", "basic": "basic", "bca": "BCa"}


def rows(chapter: Chapter) -> list[dict[str, Any]]:
    """Return one row per study and changed convention."""
    found: list[dict[str, Any]] = []
    for study in chapter.categorical:
        found += _categorical(chapter, study)
    for one in chapter.scores:
        found += _scores(one)
    return found


def _row(study: Study, change: str, before: Estimate, after: Estimate) -> dict[str, Any]:
    return {
        "data": study.title,
        "change": change,
        "before": str(before),
        "changed": str(after),
        "difference": after.value - before.value,
    }


def _categorical(chapter: Chapter, study: Study) -> list[dict[str, Any]]:
    parameters = chapter.parameters
    coefficient = chapter.headline(study)
    made = coefficient.reported
    found = [
        _row(
            study, "another seed", coefficient.bootstrap(), _other_seed(chapter, study, coefficient)
        )
    ]
    if study.ratings.clusters is not None:
        items = replace(study.ratings, clusters=None)
        alone = coefficients(replace(study, ratings=items, unit="item"), parameters)
        found.append(
            _row(study, "items resampled, not clusters", made, alone[coefficient.key].bootstrap())
        )
    if study.ordinal and study.two:
        unweighted = chapter.found[study.key]["kappa"].reported
        found.append(_row(study, "no weights", made, unweighted))
    used = used_categories(study.ratings)
    if study.ordinal and 1 < used < study.ratings.n_categories:
        dropped = observed_scale(study.ratings)
        changed = coefficients(replace(study, ratings=dropped), parameters)[coefficient.key]
        found.append(_row(study, "unused levels left out of the scale", made, changed.reported))
    if not study.two and study.ratings.clusters is None:
        found += _fleiss(study, parameters.level)
    return found


def _other_seed(chapter: Chapter, study: Study, coefficient: Coefficient) -> Estimate:
    other = chapter.parameters.model_copy(update={"seed": chapter.parameters.seed + 1})
    return coefficients(study, other)[coefficient.key].bootstrap()


def _fleiss(study: Study, level: float) -> list[dict[str, Any]]:
    result = fleiss_kappa(study.ratings, level=level)
    made = result.estimate
    if not made.has_interval:
        return []
    from scipy.stats import norm

    half = float(norm.ppf((1 + level) / 2)) * result.standard_error_null
    null = replace(
        made, low=made.value - half, high=made.value + half, method="null standard error"
    )
    found = [_row(study, "Fleiss κ with its null standard error (wrong)", made, null)]
    pooled = fleiss_kappa(study.ratings, level=level, convention="pooled").estimate
    if abs(pooled.value - made.value) > 1e-12:
        found.append(_row(study, "Fleiss κ with margins pooled over ratings", made, pooled))
    return found


def observed_scale(ratings: Ratings) -> Ratings:
    """Return the ratings on the scale without its unused levels."""
    frame = ratings.frame()
    used = [
        label
        for label, total in zip(ratings.categories or (), ratings.counts().sum(axis=0), strict=True)
        if total > 0
    ]
    made = Ratings.from_table(frame, ratings.kind, categories=used, clusters=ratings.clusters)
    return replace(made, identified=ratings.identified)


def _scores(one: Scores) -> list[dict[str, Any]]:
    study = one.study
    if one.analysis is None:
        assert one.mixed is not None  # no item is complete, so cells are missing
        consistent = one.mixed.icc("ICC(3,1)", level=one.parameters.level)
        return [_row(study, "consistency, ICC(3,1), mixed model", one.headline, consistent)]
    if one.mixed is not None:
        complete = one.coefficients["ICC(2,1)"].reported
        return [
            _row(study, f"only the {one.complete} items everybody scored", one.headline, complete),
            _row(
                study,
                "consistency, ICC(3,1), mixed model",
                one.headline,
                one.mixed.icc("ICC(3,1)", level=one.parameters.level),
            ),
        ]
    made = one.coefficients["ICC(2,1)"].reported
    found = [
        _row(study, "consistency, ICC(3,1)", made, one.coefficients["ICC(3,1)"].reported),
        _row(study, "mean of the raters, ICC(2,k)", made, one.coefficients["ICC(2,k)"].reported),
    ]
    average = one.coefficients["ICC(2,k)"].analytic
    other = intraclass_correlations(
        study.ratings, level=one.parameters.level, average_interval="irr"
    )
    found.append(
        _row(study, "ICC(2,k) interval as R's irr programs it", average, other["ICC(2,k)"].estimate)
    )
    if study.ratings.clusters is not None:
        found.append(
            _row(
                study,
                "F interval: items independent, raters a sample",
                made,
                one.coefficients["ICC(2,1)"].analytic,
            )
        )
    return found


def sentence(found: list[dict[str, Any]]) -> str:
    """Say which change moves the coefficient most."""
    known = [row for row in found if row["difference"] == row["difference"]]
    if not known:
        return "No other convention applies to these data."
    if all(abs(row["difference"]) < 5e-4 for row in known):
        return "No change below moves the coefficient itself; some move its interval."
    most = max(known, key=lambda row: abs(row["difference"]))
    return (
        "The ratings below are the same; what changes is a convention, the seed, the unit of "
        "resampling, or the question (single rater or mean, agreement or consistency, with or "
        f"without weights). The largest move is {most['difference']:+.3f} ({plain(most['data'])}: "
        f"{most['change']})."
    )


def interval_rows(chapter: Chapter) -> pd.DataFrame:
    """Return analytic and bootstrap intervals of each study's recommended coefficient."""
    found = []
    chosen = [(study, chapter.headline(study)) for study in chapter.categorical]
    chosen += [
        (one.study, one.coefficients["ICC(2,1)"]) for one in chapter.scores if one.mixed is None
    ]
    for study, coefficient in chosen:
        name = symbol(coefficient.analytic.name)
        title = name if chapter.own else f"{study.title}: {name}"
        if coefficient.analytic.has_interval:
            found.append(_interval_row(title, "analytic", coefficient.analytic))
        for method in BOOTSTRAP_METHODS:
            found.append(_interval_row(title, METHOD_WORDS[method], coefficient.bootstrap(method)))
    for one in chapter.scores:
        if one.mixed is not None:
            title = "ICC(2,1)" if chapter.own else f"{one.study.title}: ICC(2,1)"
            found.append(_interval_row(title, "mixed model", one.headline))
    return pd.DataFrame(found)


def _interval_row(name: str, method: str, made: Estimate) -> dict[str, Any]:
    row = made.as_row()
    return {**row, "name": name, "method": method}


# Widths that differ by less than a tenth are no finding.
ALIKE = 1.1


def interval_caption(table: pd.DataFrame, chapter: Chapter) -> str:
    """State how far the methods part, and for which coefficient most."""
    widths = table.assign(width=table["high"] - table["low"]).dropna(subset=["width"])
    spread = widths.groupby("name", sort=False)["width"].agg(["min", "max"])
    text = "Analytic and bootstrap intervals"
    if len(set(table["method"])) == 1:
        text = "The interval of the recommended coefficient"
    elif len(spread):
        ratio = spread["max"] / spread["min"].where(spread["min"] > 0)
        if ratio.notna().any() and ratio.max() < ALIKE:
            text = "The methods give intervals of about the same width"
        elif ratio.notna().any():
            name = ratio.idxmax()
            text = (
                f"The methods part most for {name}: its intervals are between "
                f"{spread.loc[name, 'min']:.2f} and {spread.loc[name, 'max']:.2f} wide"
            )
    parameters = chapter.parameters
    fixed = (
        " The F interval of ICC(2,1) counts the raters as a sample; a bootstrap over items keeps "
        "them fixed, so the two answer different questions."
    )
    return (
        f"**{text}.** {100 * parameters.level:g} % intervals of the recommended coefficients: "
        + (
            f"bootstrap with {parameters.n_resamples:,} resamples, {units(chapter)} drawn."
            if set(table["method"]) & set(METHOD_WORDS.values())
            else "the mixed model's takes items for independent and is not resampled."
        )
        + (fixed if any(one.coefficients for one in chapter.scores) else "")
    )


def units(chapter: Evaluation) -> str:
    """Return what is resampled, in words."""
    kinds = {study.unit for study in chapter.studies}
    return " and ".join(
        "items" if unit == "item" else f"clusters ({plain(unit)})" for unit in sorted(kinds)
    )
