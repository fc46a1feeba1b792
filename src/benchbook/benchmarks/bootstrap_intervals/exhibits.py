"""Tables and figures of the simulation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from benchbook.display import Drawing, Table

from .convergence import Convergence
from .designs import DESIGNS, Accuracy, AurocShared, Design
from .recommend import Advice, advise, headline_rows, least_coverage, right_unit
from .study import LINEARISED, Results, with_rates

MONTE_CARLO_LEVEL = 0.95  # of the error bars on a coverage
_ORDER = ("percentile", "basic", "BCa", "studentised", LINEARISED)


def percent(value: float, digits: int = 1) -> str:
    """Return a share as a percentage, a dash when there is none."""
    return "–" if math.isnan(value) else f"{100 * value:.{digits}f} %"


def with_error(row: pd.Series) -> str:
    """Return a coverage with its Monte-Carlo standard error, in per cent."""
    if math.isnan(row["coverage"]):
        return "–"
    return f"{100 * row['coverage']:.1f} ± {100 * row['error']:.1f}"


def size_words(results: Results) -> str:
    """Return how large a study is."""
    return f"{results.n_replications:,} data sets, {results.n_resamples:,} resamples each"


def table_designs(keys: Sequence[str]) -> Table:
    """Return the designs with their true values."""
    rows = []
    for key in keys:
        one = DESIGNS[key]
        rows.append(
            {
                "design": one.title,
                "one data set": one.size,
                "cluster": one.cluster_word if one.clustered else "none",
                "item": one.item,
                "truth": one.truth,
                "correlation": f"{one.headline:g}",
                "also at": ", ".join(f"{rho:g}" for rho in one.sweep if rho != one.headline) or "–",
            }
        )
    caption = (
        "Simulated data only. The designs, with their intracluster correlation (*also at*: other "
        "correlations simulated) and their true value, which is exact (closed form)."
    )
    return Table(pd.DataFrame(rows), "designs", caption, digits=3)


def method_rows(results: Results, key: str) -> pd.DataFrame:
    """Return the methods of a design in a fixed order: over the right unit, then over items."""
    design = DESIGNS[key]
    rows = headline_rows(results, key)
    unit = right_unit(design)
    rank = {name: place for place, name in enumerate(_ORDER)}
    order = [
        (row.unit != unit, rank.get(row.method, len(rank)), place)
        for place, row in enumerate(rows.itertuples())
    ]
    rows = rows.iloc[sorted(range(len(rows)), key=order.__getitem__)]
    about = results.estimates
    found = about[(about["design"] == key) & (about["correlation"] == design.headline)].iloc[0]
    needed = 2 * float(ndtri((1 + results.level) / 2)) * found["sd"]
    return rows.assign(relative=rows["mean_width"] / needed, needed=needed)


def row_names(rows: pd.DataFrame, design: Design) -> list[str]:
    """Return the methods as a figure names them; those over the wrong unit say which."""
    wrong = f", {design.item}s"
    return [
        row["method"] + (wrong if design.clustered and row["unit"] == "item" else "")
        for _, row in rows.iterrows()
    ]


def figure_coverage(main: Results, other: Results | None, keys: Sequence[str]) -> Drawing:
    """Draw coverage by design and method; the other study's as hollow marks."""
    from benchbook.figures import coverage_by_method

    parts = []
    for key in keys:
        rows = method_rows(main, key)
        part = pd.DataFrame(
            {
                "group": DESIGNS[key].title,
                "name": row_names(rows, DESIGNS[key]),
                "value": rows["coverage"],
                "low": rows["low"],
                "high": rows["high"],
                "unit": rows["unit"],
                "text": [f"{with_error(row)} %" for _, row in rows.iterrows()],
            }
        )
        if other is not None:
            found = method_rows(other, key).set_index(["unit", "method"])["coverage"]
            pairs = zip(rows["unit"], rows["method"], strict=True)
            part["other"] = [found.get(pair, math.nan) for pair in pairs]
        parts.append(part)
    table = pd.concat(parts, ignore_index=True)
    band = (least_coverage(main.level), 1.0)
    hollow = "" if other is None else f"this run: {size_words(other)}"
    figure = coverage_by_method(table, level=main.level, band=band, other=hollow)
    caption = _coverage_caption(main, other, keys)
    alt = (
        "One row per interval method, grouped by design: a marker for the coverage with its "
        "Monte-Carlo interval, on an axis from 80 to 100 per cent with a dashed line at the "
        "nominal level. Rows over items lie far to the left where clusters differ."
    )
    return Drawing(figure, "coverage", caption, alt)


def _coverage_caption(main: Results, other: Results | None, keys: Sequence[str]) -> str:
    lead = _extremes(main, keys)
    size = f"Simulated; {size_words(main)}"
    if other is not None:
        size += f" (the kept study; hollow: this run, {size_words(other)})"
    return (
        f"**{lead}** Coverage of nominal {100 * main.level:g} % intervals with 95 % Monte-Carlo "
        f"intervals. Shaded: at least {percent(least_coverage(main.level))}. An arrow is a "
        f"coverage below the axis. {size}."
    )


def _extremes(main: Results, keys: Sequence[str]) -> str:
    found = []
    for key in keys:
        if not DESIGNS[key].clustered:
            continue
        rows = headline_rows(main, key).set_index(["unit", "method"])["coverage"]
        found.append((rows["item", "percentile"], rows["cluster", "percentile"], DESIGNS[key]))
    if not found:
        return "How often each interval holds the truth."
    item, cluster, design = min(found, key=lambda one: one[0])
    return (
        f"Resampling {design.item}s of {design.title} covers {percent(item)} of the time, "
        f"resampling {design.cluster_word}s {percent(cluster)}."
    )


def table_coverage(main: Results, other: Results | None, keys: Sequence[str]) -> Table:
    """Return every coverage with its error, the side of the misses, and the mean width."""
    parts = []
    for key in keys:
        rows = method_rows(main, key).assign(data=DESIGNS[key].title)
        if other is not None:
            run = method_rows(other, key)[["unit", "method", "coverage", "error"]]
            rows = rows.merge(run, on=["unit", "method"], how="left", suffixes=("", "_run"))
        parts.append(rows)
    table = pd.concat(parts, ignore_index=True)
    heading = "kept study" if other is not None else "coverage (%)"
    shown = pd.DataFrame({"data": table["data"], "unit": table["unit"], "method": table["method"]})
    shown[heading] = [with_error(row) for _, row in table.iterrows()]
    if other is not None:
        runs = table[["coverage_run", "error_run"]].set_axis(["coverage", "error"], axis=1)
        shown["this run"] = [with_error(row) for _, row in runs.iterrows()]
    n = table["n_intervals"].where(table["n_intervals"] > 0)
    shown["too high"] = [percent(value) for value in table["n_too_high"] / n]
    shown["too low"] = [percent(value) for value in table["n_too_low"] / n]
    shown["without"] = [percent(value) for value in table["without"]]
    shown["mean width"] = table["mean_width"]
    shown["relative"] = [f"{value:.2f}" for value in table["relative"]]
    size = f"Simulated; {size_words(main)}"
    if other is not None:
        size = f"Simulated; kept study: {size_words(main)}; this run: {size_words(other)}"
    caption = (
        f"Coverage (%) of nominal {100 * main.level:g} % intervals ± binomial Monte-Carlo "
        "standard error, the share of intervals wholly above (*too high*) and below (*too low*) "
        "the truth, of data sets *without* an interval, and the mean width, also *relative* to "
        f"what the spread of the estimates asks (@eq-needed). {size}."
    )
    return Table(table, "coverage", caption, shown)


def figure_widths(main: Results, keys: Sequence[str]) -> Drawing:
    """Draw the mean widths relative to what the spread of the estimates asks."""
    from benchbook.figures import interval_widths

    parts = []
    for key in keys:
        rows = method_rows(main, key)
        z = float(ndtri((1 + MONTE_CARLO_LEVEL) / 2))
        spread = z * rows["width_error"] / rows["needed"]
        parts.append(
            pd.DataFrame(
                {
                    "group": DESIGNS[key].title,
                    "name": row_names(rows, DESIGNS[key]),
                    "value": rows["relative"],
                    "low": rows["relative"] - spread,
                    "high": rows["relative"] + spread,
                    "unit": rows["unit"],
                    "text": [
                        f"{value:.2f}  ({width:.3f})"
                        for value, width in zip(rows["relative"], rows["mean_width"], strict=True)
                    ],
                }
            )
        )
    table = pd.concat(parts, ignore_index=True)
    few = 1 / math.sqrt(2 * (main.n_replications - 1))
    caption = (
        f"**{_width_lead(main, keys)}** Mean width of {100 * main.level:g} % intervals over 2 z "
        "times the standard deviation of the estimates (in brackets: the width itself), with 95 "
        "% Monte-Carlo intervals of the mean; that standard deviation is itself known within "
        f"{percent(few)} (one standard error), alike for all rows of a design. Simulated; "
        f"{size_words(main)}."
    )
    alt = (
        "One row per interval method, grouped by design: the mean width relative to the width "
        "needed, with a line at 1. Studentised intervals are the widest."
    )
    return Drawing(interval_widths(table), "widths", caption, alt)


def _width_lead(main: Results, keys: Sequence[str]) -> str:
    ratios = {}
    for key in keys:
        rows = headline_rows(main, key)
        rows = rows[rows["unit"] == right_unit(DESIGNS[key])].set_index("method")["mean_width"]
        ratios[key] = rows["studentised"] / rows["percentile"]
    key = max(ratios, key=ratios.__getitem__)
    return (
        f"Studentised intervals pay with width: {ratios[key]:.1f} times the percentile "
        f"interval's in {DESIGNS[key].title}."
    )


# ---- item against cluster ------------------------------------------------------------------


def sweep_rows(results: Results, key: str) -> pd.DataFrame:
    """Return the percentile intervals of a sweep, by correlation and unit, with rates."""
    table = results.coverage
    kept = table[(table["design"] == key) & (table["method"] == "percentile")]
    return with_rates(kept).sort_values(["unit", "correlation"])


def swept(keys: Sequence[str]) -> list[str]:
    """Return the designs whose correlation is varied."""
    return [key for key in ("accuracy", "auroc_apart", "auroc_shared") if key in keys]


def item_coverage(design_effect: np.ndarray, level: float) -> np.ndarray:
    """Return the coverage of an interval that takes the variance for that of independent items."""
    z = float(ndtri((1 + level) / 2))
    return 2 * ndtr(z / np.sqrt(design_effect)) - 1


def figure_correlation(results: Results, keys: Sequence[str]) -> Drawing:
    """Draw coverage over items and over clusters against the intracluster correlation."""
    from benchbook.figures import coverage_against_correlation

    chosen = swept(keys)
    parts = []
    for key in chosen:
        rows = sweep_rows(results, key)[["correlation", "unit", "coverage", "low", "high"]]
        parts.append(rows.rename(columns={"coverage": "value"}).assign(group=DESIGNS[key].title))
    theory = None
    accuracy = Accuracy()
    if "accuracy" in chosen:
        rho = np.linspace(0, accuracy.sweep[-1], 81)
        curve = item_coverage(1 + (accuracy.per_cluster - 1) * rho, results.level)
        theory = pd.DataFrame({"group": accuracy.title, "correlation": rho, "value": curve})
    figure = coverage_against_correlation(
        pd.concat(parts, ignore_index=True), theory=theory, level=results.level
    )
    caption = (
        f"**{_correlation_lead(results, chosen)}** Coverage of percentile intervals over items "
        "and over clusters against the intracluster correlation, with 95 % Monte-Carlo "
        "intervals; dotted: what @eq-item-coverage says. Simulated; "
        f"{size_words(results)}."
    )
    alt = (
        "Panels of coverage against intracluster correlation. For accuracy, resampling items "
        "falls steeply along a theoretical curve while resampling clusters stays near the "
        "nominal line; for the AUROC in shared clusters the item line rises above it."
    )
    return Drawing(figure, "correlation", caption, alt)


def _correlation_lead(results: Results, chosen: Sequence[str]) -> str:
    key = chosen[0]
    rows = sweep_rows(results, key)
    last = rows[rows["correlation"] == rows["correlation"].max()].set_index("unit")["coverage"]
    return (
        f"At a correlation of {rows['correlation'].max():g} an interval over items covers the "
        f"{DESIGNS[key].symbol} {percent(last['item'], 0)} of the time, over clusters "
        f"{percent(last['cluster'], 0)}."
    )


def table_correlation(results: Results, keys: Sequence[str]) -> Table:
    """Return design effects: widths over clusters against widths over items."""
    rows = []
    for key in swept(keys):
        design = DESIGNS[key]
        by_unit = sweep_rows(results, key).set_index(["unit", "correlation"])
        for rho in sorted({rho for _, rho in by_unit.index}):
            item, cluster = by_unit.loc[("item", rho)], by_unit.loc[("cluster", rho)]
            exact = design.design_effect(rho) if isinstance(design, Accuracy) else math.nan
            rows.append(
                {
                    "data": design.title,
                    "correlation": f"{rho:g}",
                    "over items": with_error(item),
                    "over clusters": with_error(cluster),
                    "width, items": item["mean_width"],
                    "width, clusters": cluster["mean_width"],
                    "ratio": cluster["mean_width"] / item["mean_width"],
                    "√ design effect": math.sqrt(exact),
                    "bias of the estimate": _bias(results, key, rho),
                }
            )
    caption = (
        "Coverage (%) of percentile intervals ± Monte-Carlo standard error, their mean widths, "
        "and the ratio of the widths beside the root of the design effect (@eq-design-effect), "
        "which is exact for equal clusters; *bias*: mean of the estimates minus truth ± standard "
        f"error. Simulated; {size_words(results)}."
    )
    return Table(pd.DataFrame(rows), "correlation", caption)


def _bias(results: Results, key: str, rho: float) -> str:
    about = results.estimates
    found = about[(about["design"] == key) & (about["correlation"] == rho)].iloc[0]
    error = found["sd"] / math.sqrt(found["n_replications"] - found["n_undefined"])
    return f"{found['mean'] - found['truth']:+.4f} ± {error:.4f}".replace("-", "−")


def say_correlation(results: Results, keys: Sequence[str]) -> str:
    """Say where clusters make an interval narrower, and where the estimate itself is biased."""
    if "auroc_shared" not in keys:
        return ""
    rows = sweep_rows(results, "auroc_shared").set_index(["unit", "correlation"])
    own = AurocShared.headline
    item, cluster = rows.loc[("item", own)], rows.loc[("cluster", own)]
    rho = max(rho for _, rho in rows.index)
    far = rows.loc[("cluster", rho)]
    return (
        "Two things in the panel of few clusters surprise. Where every patient has both classes, "
        "what a patient adds to all scores cancels between the classes, so the interval over "
        f"clusters is the *narrower* one (at a correlation of {own:g}: "
        f"{cluster['mean_width'] / item['mean_width']:.2f} times that over items); the one over "
        f"items covers more often, {with_error(item)} % against {with_error(cluster)} %, by "
        "ignoring what helps. And the AUROC of few such patients is biased upwards, because a "
        "pair from one patient shares the patient's effect and is ranked rightly more often than "
        f"a pair from two: by {AurocShared().bias(rho):+.4f} at {rho:g} in closed form, where "
        f"coverage over clusters is down to {with_error(far)} %. No interval repairs a bias."
    )


# ---- resamples ---------------------------------------------------------------------------------


def figure_convergence(made: Convergence) -> Drawing:
    """Draw the error of the bounds against the number of resamples."""
    from benchbook.figures import convergence

    needed = made.needed(0.02).set_index("method")["resamples"]
    caption = (
        f"**To know both bounds within 2 % of the width takes {needed['percentile']:,} resamples "
        f"for the percentile interval and {needed['BCa']:,} for BCa.** Standard deviation of each "
        "bound over independent runs of B resamples of one simulated data set (20 positives in 10 "
        f"of 50 patients; {POOL_WORDS}), in per cent of the interval's width; dotted: the "
        "Maritz–Jarrett error, falling as 1/√B (@eq-monte-carlo)."
    )
    alt = (
        "Two panels on logarithmic axes, lower and upper bound: the Monte-Carlo error falls with "
        "the number of resamples along straight dotted lines of slope minus one half; BCa lies "
        "above its line."
    )
    return Drawing(convergence(made.table), "convergence", caption, alt)


POOL_WORDS = "100,000 resamples in all"


def table_needed(made: Convergence) -> Table:
    """Return how many resamples a given precision takes."""
    shares = (0.05, 0.02, 0.01)
    columns = [made.needed(share).set_index("method")["resamples"] for share in shares]
    frame = pd.DataFrame(
        {f"within {100 * share:g} %": column for share, column in zip(shares, columns, strict=True)}
    )
    shown = frame.map(lambda number: f"{number:,}").reset_index()
    caption = (
        "Resamples needed for a Monte-Carlo standard error of the less certain bound within so "
        "much of the interval's width, from the errors of @fig-convergence and the square-root "
        "law; two significant digits. One simulated data set."
    )
    return Table(frame.reset_index(), "needed", caption, shown)


# ---- advice --------------------------------------------------------------------------------------

SITUATIONS = {
    "auroc_apart": "few positives, in patients of their own",
    "auroc_shared": "few patients, each with both classes",
    "macro_f": "many patients, one class of 1 %",
    "kappa": "some 50 independent items, two raters",
    "wer": "some 13 recordings of unequal length",
    "accuracy": "some 40 patients, strongly correlated",
}


def table_advice(results: Results, keys: Sequence[str]) -> Table:
    """Return the recommended method per situation, by the rule."""
    found = [advise(results, key) for key in keys]
    rows = [_advice_row(one) for one in found]
    none = sum(not one.met for one in found)
    caption = (
        "**The recommended interval in each situation, by the rule above.** Coverage (%) ± "
        "Monte-Carlo standard error, and mean width; of the other methods coverage (width). "
        + (
            f"In {none} of {len(found)} no method meets the criterion and the best one is named. "
            if none
            else ""
        )
        + f"Simulated; {size_words(results)}."
    )
    return Table(pd.DataFrame(rows), "advice", caption)


def _advice_row(one: Advice) -> dict[str, Any]:
    chosen = one.chosen
    return {
        "situation": f"{one.design.symbol}: {SITUATIONS[one.design.key]}",
        "resample": one.design.cluster_word if one.design.clustered else "item",
        "recommended": chosen["method"] if one.met else f"none; best: {chosen['method']}",
        "coverage": with_error(chosen),
        "width": chosen["mean_width"],
        "also adequate": _listed(_others(one.adequate, chosen)),
        "borderline": _listed(_others(one.borderline, chosen)),
        "covers too rarely": _listed(_others(one.failing, chosen)),
    }


def _others(rows: pd.DataFrame, chosen: pd.Series) -> pd.DataFrame:
    return rows[rows["method"] != chosen["method"]]


def _listed(rows: pd.DataFrame) -> str:
    return (
        "; ".join(
            f"{row['method']} {100 * row['coverage']:.1f} ({row['mean_width']:.3f})"
            for _, row in rows.iterrows()
        )
        or "–"
    )


def say_bias(results: Results, keys: Sequence[str]) -> str:
    """Say how far the estimates themselves lie from the truth on average."""
    found = [f"{DESIGNS[key].title} {_bias(results, key, DESIGNS[key].headline)}" for key in keys]
    return (
        "Part of a lopsided miss is the estimate's own bias, mean minus truth ± Monte-Carlo "
        f"standard error: {'; '.join(found)}."
    )


def say_rule(level: float) -> str:
    """Say the rule with the level of this run."""
    return (
        "The rule: of the intervals over the independent unit that exist on at least 99 % of the "
        "data sets, one is *adequate* when its coverage is at least "
        f"1 − 1.5 α = {percent(least_coverage(level))} (the liberal criterion of @bradley1978) by "
        "more than two Monte-Carlo standard errors, *borderline* within two of it, and the "
        "*recommended* one is the adequate one that is narrowest on average. Where none is "
        "adequate, the one that covers most often is named as such. The table is computed by this "
        "rule from the simulation, whatever it gives; where a borderline method is much narrower, "
        "the width it saves is bought with coverage."
    )
