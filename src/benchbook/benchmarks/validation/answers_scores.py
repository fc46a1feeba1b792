"""What Benchbook says where a record says something of scores: ICC, components, two methods."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy import stats

from benchbook.icc import (
    FORMS,
    MixedModel,
    TwoWayAnova,
    bland_altman,
    bland_altman_replicates,
    concordance,
    icc,
    mixed_model,
    one_way_anova,
    pearson,
    regression_limits,
    spearman,
    two_way_anova,
)
from benchbook.ratings import Ratings

from .answer import Answer, estimate_numbers
from .reference import Record, Tables

STOPPED = "variance components that stop at 0"
ESTIMATED_DF = (
    "degrees of freedom of the interval used for the test, and not those at the null value"
)
AVERAGED = (
    "Satterthwaite degrees of freedom of the single form fed with the average form's coefficient"
)
NO_TEST = "tests of an incomplete table; its interval is compared for ICC(2,1)"
Model = Literal["two-way", "one-way"]
# A ratio above this has a denominator of rounding errors.
NOISE = 1e12
POLE = "Spearman-Brown step through its pole: bounds of no meaning"

# ---- intraclass correlation --------------------------------------------------------------


def intraclass(record: Record, tables: Tables) -> Answer:
    """Answer a record of one of the six intraclass correlations."""
    frame = tables.frame(record.table)
    if record.options.get("lmer") and frame.isna().any(axis=None):
        return _incomplete(record, tables)
    null = float(record.options.get("r0", 0))
    scores = tables.scores(record.table)
    key = (record.table, record.statistic, record.level, null)
    numbers = tables.once(key, lambda: _icc_numbers(scores, record.statistic, record.level, null))
    answer = Answer("icc", numbers)
    if record.options.get("lmer"):
        _add_fitted(answer, record, tables, STOPPED)
    elif record.statistic in ("ICC(2,1)", "ICC(2,k)"):
        _add_agreement(answer, record, scores)
    return answer


def _icc_numbers(data: Any, form: str, level: float, null: float = 0.0) -> dict[str, float]:
    made = icc(data, form, level=level, null=null)
    test = {"f": made.f, "df1": made.df1, "df2": made.df2, "p": made.p}
    return estimate_numbers(made.estimate) | test


def _incomplete(record: Record, tables: Tables) -> Answer:
    """Answer by REML where cells are missing.

    A profile interval takes a while, so one form has to do for all.
    """
    form = record.statistic
    model: Model = "one-way" if form.startswith("ICC(1") else "two-way"
    frame = tables.frame(record.table)
    k = float(frame.shape[1]) if FORMS[form].average else 1.0
    with_interval = form == "ICC(2,1)"
    made = _fit(record, tables, model).icc(form, k=k, level=record.level, interval=with_interval)
    numbers = estimate_numbers(made) if with_interval else {"value": made.value}
    answer = Answer("mixed_model", numbers, why_not=NO_TEST)
    _add_fitted(answer, record, tables, "one-way form from the components of a two-way fit")
    return answer


def _fit(record: Record, tables: Tables, model: Model) -> MixedModel:
    """Return the REML fit of a record's table, made once."""
    data = tables.frame(record.table)
    return tables.once((record.table, model), lambda: mixed_model(data, model=model))


def _add_fitted(answer: Answer, record: Record, tables: Tables, name: str) -> None:
    """Add the numbers of the mean squares that fitted components stand for."""

    def make() -> dict[str, float]:
        fitted = table_of_components(record, tables)
        return {} if fitted is None else _icc_numbers(fitted, record.statistic, record.level)

    answer.add(name, make, convention=True)


def table_of_components(record: Record, tables: Tables) -> np.ndarray | None:
    """Return a complete table whose analysis of variance gives the components fitted by REML."""
    n, k = tables.frame(record.table).shape
    parts = _fit(record, tables, "two-way").components
    if math.isnan(parts.total):
        return None
    u, v = (np.linspace(-1, 1, size) for size in (n, k))
    u, v = u / np.linalg.norm(u), v / np.linalg.norm(v)
    of_items = math.sqrt((n - 1) * (k * parts.items + parts.error) / k)
    of_raters = math.sqrt((k - 1) * (n * (parts.raters or 0.0) + parts.error) / n)
    of_error = math.sqrt((n - 1) * (k - 1) * parts.error)
    return of_items * u[:, None] + of_raters * v + of_error * np.outer(u, v)


def _add_agreement(answer: Answer, record: Record, scores: Ratings) -> None:
    value, f = answer.numbers["value"], answer.numbers["f"]
    if math.isnan(value):
        return
    answer.add(ESTIMATED_DF, lambda: _test_at_the_estimate(scores, value, f))
    if record.statistic == "ICC(2,k)":
        answer.add(AVERAGED, lambda: _bounds_as_printed(scores, record.level))
        answer.add(POLE, lambda: _through_the_pole(scores, record.level))


def _test_at_the_estimate(scores: Ratings, value: float, f: float) -> dict[str, float]:
    anova = two_way_anova(scores)
    if not anova.ms_error:
        return {}
    df2 = agreement_df(anova, value)
    return {"df2": df2, "p": float(stats.f.sf(f, anova.n_items - 1, df2))}


def _bounds_as_printed(scores: Ratings, level: float) -> dict[str, float]:
    made = icc(scores, "ICC(2,k)", level=level, average_interval="irr").estimate
    return {"lower": made.low, "upper": made.high}


def _through_the_pole(scores: Ratings, level: float) -> dict[str, float]:
    single, k = icc(scores, "ICC(2,1)", level=level).estimate, scores.n_raters
    low, high = (k * bound / (1 + (k - 1) * bound) for bound in (single.low, single.high))
    return {"lower": low, "upper": high}


def agreement_df(anova: TwoWayAnova, value: float) -> float:
    """Return Satterthwaite's degrees of freedom of the single agreement form at a value."""
    n, k = anova.n_items, anova.n_raters
    a = k * value / (n * (1 - value))
    parts = (a * anova.ms_raters, (1 + a * (n - 1)) * anova.ms_error)
    below = parts[0] ** 2 / (k - 1) + parts[1] ** 2 / ((n - 1) * (k - 1))
    return sum(parts) ** 2 / below


def raters_effect(record: Record, tables: Tables) -> Answer:
    """Answer a record of the analysis of variance behind the coefficients."""
    frame = tables.frame(record.table)
    if record.options.get("lmer") and frame.isna().any(axis=None):
        return Answer("two_way_anova", {}, why_not="no analysis of variance of an incomplete table")
    answer = Answer("two_way_anova", _anova_numbers(frame))
    if record.options.get("lmer"):
        answer.add(STOPPED, lambda: _fitted_anova(record, tables), convention=True)
    theirs = record.numbers.get("value", 0.0)
    if math.isinf(answer.numbers["value"]) and theirs > NOISE:
        answer.add("rounding noise where F is infinite", lambda: {"value": theirs})
    return answer


def _fitted_anova(record: Record, tables: Tables) -> dict[str, float]:
    fitted = table_of_components(record, tables)
    return {} if fitted is None else _anova_numbers(fitted)


def _anova_numbers(data: Any) -> dict[str, float]:
    anova = two_way_anova(data)
    return {
        "value": anova.f_raters,
        "p": anova.p_raters,
        "df1": anova.df_raters,
        "df2": anova.df_error,
        "ms_items": anova.ms_items,
        "ms_raters": anova.ms_raters,
        "ms_error": anova.ms_error,
        "ms_within": anova.ms_within,
    }


# ---- variance components -----------------------------------------------------------------

MODELS: dict[str, Model] = {
    "crossed items and raters": "two-way",
    "one-way": "one-way",
}


def components(record: Record, tables: Tables) -> Answer:
    """Answer a record of variance components."""
    frame = tables.frame(record.table)
    method, model = record.options["method"], record.options["model"]
    if method.startswith("ANOVA"):
        return _by_moments(frame)
    if method != "REML":
        return Answer("mixed_model", {}, why_not="maximum likelihood; ours is restricted (REML)")
    if model not in MODELS:
        return Answer("mixed_model", {}, why_not="raters as fixed effects in a mixed model")
    made = _fit(record, tables, MODELS[model])
    parts = made.components
    numbers = {
        "item": parts.items,
        "residual": parts.error,
        "mean": made.mean,
        "mean_se": made.mean_standard_error,
        "minus_two_log_likelihood": made.deviance,
    }
    if parts.raters is None:
        numbers["icc_1_1"] = parts.icc("ICC(1,1)")
    else:
        numbers["rater"] = parts.raters
        numbers |= {"icc_2_1": parts.icc("ICC(2,1)"), "icc_3_1": parts.icc("ICC(3,1)")}
    return Answer("mixed_model", numbers)


def _by_moments(frame: pd.DataFrame) -> Answer:
    anova = one_way_anova(frame)
    numbers = {
        "item": anova.components.items,
        "residual": anova.components.error,
        "icc_1_1": anova.components.icc("ICC(1,1)"),
        "f": anova.f,
        "df1": anova.df_between,
        "df2": anova.df_within,
        "p": anova.p,
        "n0": anova.size,
    }
    return Answer("one_way_anova", numbers)


# ---- two methods -------------------------------------------------------------------------

INTERVALS = {
    "exact, noncentral t": "exact",
    "Bland and Altman 1999": "bland-altman-1999",
    "Bland and Altman 1986, sqrt(3 s^2 / n)": "bland-altman-1986",
}


def pair(record: Record, tables: Tables) -> tuple[pd.Series, pd.Series]:
    """Return the two columns of measurements that a record was made from."""
    frame = tables.frame(record.table)
    first, second = record.options.get("columns", list(frame.columns))
    return frame[first], frame[second]


def limit(record: Record, tables: Tables) -> Answer:
    """Answer a record of one limit of agreement."""
    if record.table == "standard":
        return _standard_limit(record)
    ratio = record.statistic.endswith("ratio")
    options: dict[str, Any] = {"interval": INTERVALS[record.options["interval"]]}
    options |= {"scale": "ratio"} if ratio else {"multiplier": record.options["multiplier"]}
    made = bland_altman(*pair(record, tables), level=record.level, **options)
    side = made.lower if record.statistic.startswith("lower") else made.upper
    return Answer("bland_altman", estimate_numbers(side))


def _standard_limit(record: Record) -> Answer:
    """Answer for any differences of mean 0 and standard deviation 1: the bounds are factors."""
    n = int(record.n_items or 0)
    if n < 3:
        return Answer("bland_altman", {}, why_not="fewer than three pairs")
    x = np.linspace(-1, 1, n)
    x /= x.std(ddof=1)
    options: dict[str, Any] = {"level": record.level, "multiplier": record.numbers["value"]}
    upper = bland_altman(x, np.zeros(n), **options).upper
    # The limit itself is the multiplier that was given.
    return Answer("bland_altman", {"lower": upper.low, "upper": upper.high})


def mean_difference(record: Record, tables: Tables) -> Answer:
    """Answer a record of the mean difference and the spread of the differences."""
    made = bland_altman(*pair(record, tables), level=record.level)
    return Answer("bland_altman", estimate_numbers(made.bias) | {"sd": made.sd.value})


def slope(record: Record, tables: Tables) -> Answer:
    """Answer a record of the slope of differences on means."""
    made = bland_altman(*pair(record, tables), level=record.level)
    intercept = regression_limits(*pair(record, tables)).intercept
    numbers = estimate_numbers(made.slope) | {"p": made.slope_p, "intercept": intercept}
    return Answer("bland_altman", numbers)


def slope_test(record: Record, tables: Tables) -> Answer:
    """Answer a record of the correlation of differences and means: the test is the slope's."""
    made = bland_altman(*pair(record, tables), level=record.level)
    return Answer("bland_altman", {"p": made.slope_p})


def spread_slope(record: Record, tables: Tables) -> Answer:
    """Answer a record of the slope of absolute residuals on means."""
    made = regression_limits(*pair(record, tables))
    return Answer("regression_limits", {"value": made.spread_slope, "p": made.spread_slope_p})


def lin(record: Record, tables: Tables) -> Answer:
    """Answer a record of Lin's coefficient."""
    ddof = 1 if record.options.get("divisor") else 0
    made = concordance(*pair(record, tables), level=record.level, ddof=ddof)
    numbers = {
        "value": made.ccc.value,
        "accuracy": made.bias_correction,
        "location_shift": made.location_shift,
        "scale_shift": made.scale_shift,
    }
    if record.options.get("interval") == "z-transform":
        numbers |= {"lower": made.ccc.low, "upper": made.ccc.high}
    answer = Answer("concordance", numbers)
    turned = {"location_shift": -made.location_shift, "scale_shift": 1 / made.scale_shift}
    answer.add("shift of the second method over the first", lambda: turned, convention=True)
    return answer


def correlation(record: Record, tables: Tables) -> Answer:
    """Answer a record of a correlation."""
    function = pearson if record.statistic.startswith("Pearson") else spearman
    made = function(*pair(record, tables), level=record.level)
    numbers = {"value": made.value}
    if function is pearson:
        numbers = estimate_numbers(made)
    return Answer(function.__name__, numbers)


def replicates(record: Record, tables: Tables) -> Answer:
    """Answer a record of limits of agreement from replicates."""
    frame, options = tables.frame(record.table), record.options
    multiplier = {"multiplier": options["multiplier"]} if "multiplier" in options else {}
    parts = frame[options["first"]], frame[options["second"]]
    made = bland_altman_replicates(*parts, true_value="constant", level=record.level, **multiplier)
    level = float(record.described.get("mean_level", record.level))
    bias = bland_altman_replicates(*parts, true_value="constant", level=level).bias
    numbers = {
        "mean_difference": bias.value,
        "mean_lower": bias.low,
        "mean_upper": bias.high,
        "sd": made.sd.value,
        "variance_of_mean_differences": made.variances["between"],
        "within_first": made.variances["within_first"],
        "within_second": made.variances["within_second"],
    }
    for side, estimate in (("lower", made.lower), ("upper", made.upper)):
        numbers[f"{side}_limit"] = estimate.value
        numbers[f"{side}_limit_lower"] = estimate.low
        numbers[f"{side}_limit_upper"] = estimate.high
    answer = Answer("bland_altman_replicates", numbers)
    half = stats.norm.ppf((1 + level) / 2) * bias.standard_error
    normal = {"mean_lower": bias.value - half, "mean_upper": bias.value + half}
    answer.add("normal quantile for the mean difference, not t", lambda: normal, convention=True)
    return answer


def within_items(record: Record, tables: Tables) -> Answer:
    """Answer a record of the within-item standard deviation and the repeatability coefficient."""
    readings = tables.frame(record.table)[record.options["columns"]]
    made = bland_altman_replicates(readings, readings, true_value="constant")
    numbers = {
        "value": math.sqrt(made.variances["within_first"]),
        "repeatability_coefficient": made.repeatability["first"],
        "df": float(np.isfinite(readings.to_numpy()).sum() - len(readings)),
    }
    answer = Answer("bland_altman_replicates", numbers)
    rounded = 1.96 * math.sqrt(2) * numbers["value"]
    numbers_of_1986 = {"repeatability_coefficient": rounded}
    answer.add("1.96 for the normal quantile", lambda: numbers_of_1986, convention=True)
    return answer


def not_offered(record: Record, tables: Tables) -> Answer:
    """Answer a record of a statistic that Benchbook does not have."""
    return Answer("", {}, why_not="not among Benchbook's statistics")


ANSWERS: dict[str, Callable[[Record, Tables], Answer]] = {
    **dict.fromkeys(FORMS, intraclass),
    "F raters": raters_effect,
    "variance components": components,
    "lower limit of agreement": limit,
    "upper limit of agreement": limit,
    "lower limit of agreement, ratio": limit,
    "upper limit of agreement, ratio": limit,
    "mean difference": mean_difference,
    "slope of difference on mean": slope,
    "correlation of difference and mean": slope_test,
    "slope of absolute residual on mean": spread_slope,
    "Lin CCC": lin,
    "Pearson correlation": correlation,
    "Spearman correlation": correlation,
    "limits of agreement, replicates": replicates,
    "within-item standard deviation": within_items,
    "Kendall tau b": not_offered,
}
