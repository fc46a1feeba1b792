"""Whether the scores are probabilities: what is said, drawn and tabulated."""

from __future__ import annotations

import pandas as pd

from benchbook.display import Drawing, Table, bullets, counted, interval_text, plain

from . import calibration
from .evaluation import Evaluation
from .exhibits import by_label, legend
from .study import MARKS
from .wording import grouped, marked


def say_calibration(run: Evaluation) -> str:
    """Say which scores are too extreme, and which cannot be read as probabilities."""
    table = run.calibration
    lines = []
    for model in run.study.models:
        part = table[(table["model"] == model) & (table["metric"] == "slope")]
        known = part.dropna(subset="value")
        if len(known):
            below = int((known["value"] < 1).sum())
            lines.append(
                f"{plain(model)}: median calibration slope {known['value'].median():.2f} over "
                f"{counted(len(known), 'label')}, below 1 (too extreme) on {below}."
            )
    undefined = table[table["value"].isna()]
    lines += grouped(
        (f"{row['metric']} of {row['model']} on {row['label']}", str(row["reason"]))
        for row in undefined.to_dict("records")
    )
    return bullets(lines)


def reliability_tables(run: Evaluation) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the points of the curves that are drawn, and the counts of scores below them."""
    points, counts = calibration.curves(run.study, run.figure_labels, run.parameters.level)
    if not len(points):
        return points, counts
    shown = run.figure_models
    return points[points["model"].isin(shown)], counts[counts["model"].isin(shown)]


def figure_reliability(run: Evaluation) -> Drawing | None:
    """Draw observed against predicted frequencies."""
    from benchbook.figures import reliability

    points, counts = reliability_tables(run)
    if not len(points):
        return None
    worst = _worst_calibration(run)
    names = _marked_models(run)
    points, counts = (t.assign(model=t["model"].map(names)) for t in (points, counts))
    marks = pd.Series(list(names.values()), dtype=object).str.extract("([†*]+)$")[0].dropna()
    caption = (
        f"{worst} Observed share of positives against mean score in {calibration.N_BINS} bins of "
        f"equal width, scores counted below; bins of fewer than {calibration.FEWEST} records "
        f"are left out.{run.shown_note()}"
        + (f" {legend(marks)} A mark here: so on at least one label drawn." if len(marks) else "")
    )
    alt = "A panel per label: observed against predicted probability, with a histogram of scores."
    return Drawing(reliability(points, counts), "reliability", caption, alt)


def _marked_models(run: Evaluation) -> dict[str, str]:
    """Return each model with the marks of any label drawn; curves have no place for a mark."""
    names = {}
    for model in run.figure_models:
        mine = [label for label in run.figure_labels if model in run.study.models_on(label)]
        found = "".join(run.study.mark(model, label) for label in mine)
        names[model] = marked(model, "".join(sign for sign in MARKS if sign in found))
    return names


def _worst_calibration(run: Evaluation) -> str:
    table = run.calibration
    drawn = table["label"].isin(run.figure_labels) & table["model"].isin(run.figure_models)
    errors = table[(table["metric"] == "calibration error") & drawn].dropna(subset="value")
    worst = errors.loc[errors["value"].idxmax()]
    return (
        f"The largest calibration error drawn is {worst['value']:.3f} "
        f"({plain(marked(worst['model'], worst['mark']))}, {plain(worst['label'])})."
    )


def table_calibration(run: Evaluation) -> Table:
    """Return slope, intercept, Brier score and calibration error."""
    table = run.calibration
    rows = []
    for (label, model), part in table.groupby(["label", "model"], sort=False):
        by = part.set_index("metric").to_dict("index")
        row = {"label": label, "model": marked(model, by["slope"]["mark"])}
        for metric in calibration.METRICS:
            one = by[metric]
            row[metric] = interval_text(one["value"], one["low"], one["high"])
        rows.append(row)
    clipped = int(table.drop_duplicates(["label", "model"])["n_clipped"].sum())
    caption = (
        "Slope 1, *in the large* 0, Brier score 0 and calibration error 0 are best. Intervals: of "
        f"slope and *in the large* Wald's{_clustered_words(run)}; of the Brier score from "
        f"resamples of {run.study.unit}s. {counted(clipped, 'score')} nearer to 0 or 1 than "
        f"{calibration.CLIP:g} were moved there, since their logit would be infinite or nearly so. "
        f"{legend(table['mark'])}"
    )
    return Table(table, "calibration", caption, by_label(pd.DataFrame(rows)))


def _clustered_words(run: Evaluation) -> str:
    if not run.study.clustered:
        return ""
    return ", left out here because patients have several records"
