"""What was read, and how the models rank the records: tables and figures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from benchbook.display import Drawing, Table, bullets, counted, plain
from benchbook.metrics import ranked_counts

from .evaluation import Evaluation
from .study import MARKS, Study
from .wording import (
    cell,
    grouped,
    listing,
    marked,
    remark,
    share_text,
    without_width,
)

# ---- data -----------------------------------------------------------------------------------


def study_size(study: Study) -> str:
    """Return ``827 records of 827 patients, 6 labels, 5 models, 6 readers``."""
    size = counted(study.records.size, "record")
    if study.unit == "patient":
        size += f" of {counted(study.n_patients, 'patient')}"
    size += f", {counted(len(study.labels), 'label')}"
    if study.models:
        size += f", {counted(len(study.models), 'model')}"
    if len(study.readers):
        size += f", {counted(len(study.readers), 'reader')}"
    return size


def unmapped_models(study: Study) -> list[str]:
    """Return a remark on each model that is left out because no label is mapped to it."""
    return [f"{model}: no output stands for a label, so it is left out" for model in study.unmapped]


def data_statement(run: Evaluation) -> str:
    """State at the top whose data these are, and what was left out."""
    size = study_size(run.study)
    kept = "No score, answer or label of a single record is shown: this page carries aggregates."
    if run.inputs.source == "simulated":
        return (
            "**Simulated data.** Every score, label and reading comes from seeded random numbers "
            f"(seed {run.parameters.seed}): {size}. The models, the readers and the patients are "
            "invented, so no result of this page says anything about a real model; only the "
            "published tables under *Published facts* are real. " + kept
        )
    if run.inputs.source == "open":
        return f"{_open_statement(run.inputs.about, size)} {kept}{_notes(run)}"
    files = listing(table.name for table in run.inputs.tables().values())
    return f"**Your data.** {files}: {size}. {kept}{_notes(run)}"


def _open_statement(about: dict[str, Any], size: str) -> str:
    licence = about.get("licence") or {}
    words = licence.get("name", "none stated") if isinstance(licence, dict) else licence
    return (
        f"**Real data.** {plain(about.get('title', ''))}: {size}. "
        f"{plain(about.get('citation', ''))} Licence: {plain(words)}."
    )


def _notes(run: Evaluation) -> str:
    notes = [*run.inputs.about.get("notes", []), *run.study.warnings, *unmapped_models(run.study)]
    if not notes:
        return ""
    return "\n\nTo be known about these data:\n\n" + "\n".join(f"- {plain(note)}" for note in notes)


def table_data(run: Evaluation) -> Table:
    """Return what was read and what was left out, with the reason."""
    rows = [
        {"table": name, "what": "rows read", "number": table.n_read, "why": None}
        for name, table in run.inputs.tables().items()
    ]
    rows += [
        {"table": one.table, "what": f"{one.what} left out", "number": one.count, "why": one.why}
        for one in run.study.left
    ]
    left = sum(one.count > 0 for one in run.study.left)
    caption = "What was read" + (", and what was left out." if left else "; nothing was left out.")
    return Table(pd.DataFrame(rows), "data", caption)


def table_people(run: Evaluation) -> Table:
    """Return who reads, for which group, and how much."""
    study = run.study
    rows = []
    for at, reader in enumerate(study.readers.to_dict("records")):
        read = [
            int((study.assessed(label) & ~np.isnan(study.reads[:, column, at])).sum())
            for column, label in enumerate(study.labels)
        ]
        known = [int(study.assessed(label).sum()) for label in study.labels]
        least = min(zip(read, known, strict=True))
        person = reader["kind"] == "person"
        role = "in the mean" if person and reader["independent"] else "point only"
        why = (
            None
            if role == "in the mean"
            else "helped to make the reference"
            if person
            else "a machine"
        )
        rows.append(
            {
                "reader": reader["reader"],
                "group": reader["group"],
                "role": role,
                "why": None if role == "in the mean" else why,
                "read": max(read),
                "not read": max(total - done for done, total in zip(read, known, strict=True)),
                "least on a label": least[0],
            }
        )
    frame = pd.DataFrame(rows)
    if (frame["read"] == frame["least on a label"]).all():
        frame = frame.drop(columns="least on a label")
    caption = (
        "Who read the records: independent people enter the mean of their group; machines, and "
        "those who helped to make the reference, are points only."
    )
    return Table(frame, "people", caption)


def table_labels(run: Evaluation) -> Table:
    """Return the number of records and positives of each label."""
    study = run.study
    rows = []
    for label in study.labels:
        known, positive = study.assessed(label), study.positive(label)
        rows.append(
            {
                "label": label,
                "records": int(known.sum()),
                "compared": int(study.compared(label).sum()) if study.models else None,
                "positive": int((known & positive).sum()),
                "share": share_text(int((known & positive).sum()), int(known.sum())),
                f"{study.unit}s with a positive": len(set(study.patients[known & positive])),
                "models": len(study.models_on(label)) if study.models else None,
            }
        )
    frame = pd.DataFrame(rows)
    rare = int((frame["positive"] < 20).sum())
    caption = (
        f"Records and positives by label. {rare} of {counted(len(frame), 'label')} have fewer "
        "than 20 positives."
    )
    if study.models:
        caption += " *Compared* are the records that every model of the label scored."
    if (frame["positive"] == 1).any():
        caption += " Where there is one positive, sensitivities and AUROC are those of one record."
    return Table(frame, "labels", caption)


def table_mapping(run: Evaluation) -> Table:
    """Return the labels of each model with their marks, and the hash of the mapping."""
    assert run.inputs.mapping is not None
    study = run.study
    rows = []
    windows = study.windows.set_index("model")
    for model in study.models:
        mine = study.mapped[study.mapped["model"] == model]
        words = [
            marked(row.label, row.mark) + (f" ({row.outputs} outputs)" if row.outputs > 1 else "")
            for row in mine.itertuples()
        ]
        fewest, most = (int(windows.loc[model, name]) for name in ("fewest", "most"))
        rows.append(
            {
                "model": model,
                "labels": len(mine),
                "which": ", ".join(words),
                "windows a record": str(most) if fewest == most else f"{fewest} to {most}",
            }
        )
    caption = (
        f"Which labels each model is evaluated on. The mapping was fixed beforehand; its hash is "
        f"`{study.mapping_hash}`. {legend(study.mapped['mark'])}"
    )
    return Table(run.inputs.mapping.frame, "mapping", caption, pd.DataFrame(rows))


def legend(marks: pd.Series) -> str:
    """Return what the marks of a table mean, for its caption."""
    present = "".join(marks)
    known = [f"{plain(sign)} {words}" for sign, words in MARKS.items() if sign in present]
    return f"Marks: {'; '.join(known)}." if known else ""


# ---- ranking --------------------------------------------------------------------------------


def say_performance(run: Evaluation) -> str:
    """Say the macro means, and where the intervals are widest."""
    macro, table = run.performance.macro, run.performance.table
    lines = []
    for row in macro[macro["metric"] == "AUROC"].to_dict("records"):
        if row["over"] == "own labels":
            lines.append(
                f"{plain(marked(row['model'], row['mark']))}: macro AUROC {cell(row)} over "
                f"{counted(row['n_labels'], 'label')}."
            )
    aurocs = table[(table["metric"] == "AUROC") & (table["high"] > table["low"])]
    if len(aurocs) > 1:
        widest = aurocs.loc[(aurocs["high"] - aurocs["low"]).idxmax()]
        lines.append(
            "The widest interval is that of "
            f"{plain(marked(widest['model'], widest['mark']))} on {plain(widest['label'])}, "
            f"{cell(widest)}, with {counted(int(widest['n_positive']), 'positive')}."
        )
    several = len(run.study.models) > 1
    remarks = [
        (f"{row['model']} on {row['label']}" if several else row["label"], told)
        for row in table[table["metric"] == "AUROC"].to_dict("records")
        if row["low"] != row["high"] and (told := remark(row))
    ]
    lines += grouped(remarks)
    alone = table[(table["n_positive_patients"] == 1) & (table["metric"] == "AUROC")]
    if len(alone):
        lines.append(
            f"With the positives of a single {run.study.unit}, on "
            f"{listing(dict.fromkeys(alone['label']))}, an interval says nothing of how other "
            "positives would be ranked, however short it is."
        )
    outside = macro[(macro["value"] < macro["low"]) | (macro["value"] > macro["high"])]
    for row in outside.to_dict("records"):
        lines.append(
            f"The macro {row['metric']} of {plain(row['model'])}, {row['value']:.3f}, lies outside "
            f"its own percentile interval ({row['low']:.3f}–{row['high']:.3f}): with few "
            "positives a label the resamples are biased (@tbl-surprises), and the interval must "
            "not be read as one around the value."
        )
    return bullets(lines)


def _auroc_words(row: Any) -> str:
    if np.isnan(row["value"]):
        return str(row["reason"])
    return f"AUROC {cell(row)}"


def figure_roc(run: Evaluation) -> Drawing:
    """Draw the curves of the models with every reader and the group means."""
    from benchbook.figures import roc_plane

    from .people_exhibits import roc_points

    study, models = run.study, run.figure_models
    curves = roc_curves(run)
    points = roc_points(run)
    # A label without a curve that nobody read has no panel.
    drawn = {*curves["label"], *(points["label"] if len(points) else ())}
    labels = [label for label in run.figure_labels if label in drawn]
    below = {
        label: (
            int((study.assessed(label) & study.positive(label)).sum()),
            int(study.assessed(label).sum()),
        )
        for label in labels
    }
    table = run.performance.table
    notes = None
    if len(table):
        part = table[
            (table["metric"] == "AUROC") & table["label"].isin(labels) & table["model"].isin(models)
        ]
        notes = part[["label", "model", "mark"]].assign(
            text=[_auroc_words(row) for row in part.to_dict("records")]
        )
    figure = roc_plane(
        curves, points if len(points) else None, labels=below, marks=notes,
        level=run.parameters.level,
    )  # fmt: skip
    what = []
    if len(curves):
        what.append("ROC curves of the models")
    if len(points):
        what.append("every reader as a point")
    if study.groups:
        what.append("the mean of each group with its interval")
    caption = f"{_roc_finding(run)} {_joined(what)}.{_other_records(run)}{run.shown_note()}"
    alt = (
        "A panel per label: sensitivity against specificity, with " + _joined(what, lower=True)
        + "; where readers crowd, the upper left corner is enlarged below."
    )  # fmt: skip
    return Drawing(figure, "roc", caption, alt)


def _other_records(run: Evaluation) -> str:
    """Return the end of a caption, where curves and readers are not over the same records."""
    study = run.study
    if not study.models or not len(study.readers):
        return ""
    apart = [
        label
        for label in run.figure_labels
        if study.models_on(label) and (study.compared(label) != study.assessed(label)).any()
    ]
    if not apart:
        return ""
    return (
        f" On {listing(apart)} some records have no score: curves are over those that all models "
        "scored, points over all that a reader read."
    )


def _joined(parts: list[str], *, lower: bool = False) -> str:
    text = parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + f" and {parts[-1]}"
    return (
        text[0].lower() + text[1:]
        if lower and not text.startswith("ROC")
        else text[0].upper() + text[1:]
    )


def _roc_finding(run: Evaluation) -> str:
    table = run.performance.table
    if not len(table):
        means = run.readers.means
        if not len(means):
            return "No independent person reads here."
        part = means[means["metric"] == "sensitivity"].dropna(subset="value")
        if not len(part):
            return "What the readers find."
        low, high = part.loc[part["value"].idxmin()], part.loc[part["value"].idxmax()]
        if low["value"] == high["value"]:
            return f"Mean sensitivity of the readers is {low['value']:.3f}."
        return (
            f"Mean sensitivity of the readers runs from {low['value']:.3f} "
            f"({plain(low['label'])}) to {high['value']:.3f} ({plain(high['label'])})."
        )
    drawn = table["label"].isin(run.figure_labels) & table["model"].isin(run.figure_models)
    aurocs = table[(table["metric"] == "AUROC") & drawn].dropna(subset="value")
    if not len(aurocs):
        return "No AUROC has a value."
    low, high = aurocs.loc[aurocs["value"].idxmin()], aurocs.loc[aurocs["value"].idxmax()]
    if len(aurocs) == 1:
        return f"AUROC {low['value']:.3f} ({plain(low['model'])}, {plain(low['label'])})."
    if low["value"] == high["value"]:
        return f"Every AUROC drawn is {low['value']:.3f}."
    return (
        f"AUROC from {low['value']:.3f} ({plain(low['model'])}, {plain(low['label'])}) to "
        f"{high['value']:.3f} ({plain(high['model'])}, {plain(high['label'])})."
    )


def roc_curves(run: Evaluation) -> pd.DataFrame:
    """Return the vertices of the ROC curves that are drawn."""
    study = run.study
    parts = [pd.DataFrame(columns=["label", "model", "false_positive_rate", "sensitivity"])]
    for label in run.figure_labels:
        used, positive = study.compared(label), study.positive(label)
        for model in study.models_on(label):
            if model not in run.figure_models:
                continue
            ranked = ranked_counts(
                positive[used], study.scores[model, label][used], higher_is_positive=True
            )
            if ranked.one_class():
                continue
            rate, sensitivity = ranked.roc_path()
            rate, sensitivity = corners(rate, sensitivity)
            parts.append(
                pd.DataFrame(
                    {
                        "label": label,
                        "model": model,
                        "false_positive_rate": rate,
                        "sensitivity": sensitivity,
                    }
                )
            )
    return pd.concat([part for part in parts if len(part)] or parts, ignore_index=True)


def corners(rate: np.ndarray, sensitivity: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of the straight pieces of a curve: fewer points, the same line.

    The curve still tells in which order positives and negatives come: that is what a ROC curve
    is. It tells neither a score nor which record is where, so it is kept as an aggregate.
    """
    if rate.size < 3:
        return rate, sensitivity
    across = np.diff(rate), np.diff(sensitivity)
    turn = across[0][:-1] * across[1][1:] - across[0][1:] * across[1][:-1]
    kept = np.r_[True, np.abs(turn) > 1e-15, True]
    return rate[kept], sensitivity[kept]


def table_performance(run: Evaluation) -> Table:
    """Return AUROC and AUPRC of every model on every label."""
    table = run.performance.table
    rows = []
    for (label, model), part in table.groupby(["label", "model"], sort=False):
        by = part.set_index("metric").to_dict("index")
        first = by["AUROC"]
        rows.append(
            {
                "label": label,
                "model": marked(model, first["mark"]),
                "AUROC": cell(first),
                "AUPRC": cell(by["AUPRC"]),
                "share positive": share_text(first["n_positive"], first["n_items"]),
                "positives": first["n_positive"],
                "to be known": remark(first) if first["low"] != first["high"] else None,
            }
        )
    settings = run.parameters
    shared = ", shared by all models" if len(run.study.models) > 1 else ""
    caption = (
        f"AUROC and AUPRC by label and model, with {run.percent} percentile intervals over "
        f"{settings.n_resamples:,} resamples of {run.study.unit}s{shared}. The AUPRC "
        f"of a model that knows nothing is the share of positives. {legend(table['mark'])}"
        f"{without_width(table)}"
    )
    files = table.assign(warnings=["; ".join(one) for one in table["warnings"]])
    shown = pd.DataFrame(rows)
    if shown["to be known"].isna().all():
        shown = shown.drop(columns="to be known")
    return Table(files, "performance", caption, by_label(shown))


def by_label(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the table with a label only where it changes, as in print."""
    return frame.assign(label=frame["label"].where(frame["label"] != frame["label"].shift(), ""))


def table_macro(run: Evaluation) -> Table:
    """Return the means over labels."""
    macro = run.performance.macro
    rows = []
    marks = macro["mark"]
    for (model, over), part in macro.groupby(["model", "over"], sort=False):
        by = part.set_index("metric").to_dict("index")
        rows.append(
            {
                "model": marked(model, by["AUROC"]["mark"]),
                "mean over": over,
                "labels": by["AUROC"]["n_labels"],
                "macro AUROC": cell(by["AUROC"]),
                "macro AUPRC": cell(by["AUPRC"]),
            }
        )
    several = len(set(macro["over"])) > 1
    caption = (
        "Means over labels that have a value. A label without a positive in a resample is left out "
        "of that resample's mean."
    )
    if several:
        caption += (
            " Models that map to other labels have means over other labels; only the rows over the "
            "labels of all models can be compared."
        )
    if marks.any():
        caption += f" {legend(marks)} A mark here: so on at least one of the labels."
    frame = pd.DataFrame(rows)
    return Table(macro, "macro", caption, frame if several else frame.drop(columns="mean over"))


# ---- ranks ----------------------------------------------------------------------------------


def say_ranks(run: Evaluation) -> str:
    """Say how often a first rank is settled."""
    table = run.performance.ranks
    several = table[(table["n_models"] > 1) & table["rank"].notna()]
    if not len(several):
        return "No label has two models, so there is nothing to rank."
    n_labels = several["label"].nunique()
    first = several[several["high"] == 1]
    text = (
        f"On {first['label'].nunique()} of {counted(n_labels, 'label')} one model is first with "
        f"{run.percent} confidence ({listing(first['label'])})."
        if len(first)
        else f"On none of {counted(n_labels, 'label')} is one model first with {run.percent} "
        "confidence."
    )
    widest = several.assign(span=several["high"] - several["low"])
    widest = widest.loc[widest["span"].idxmax()]
    return text + (
        f" The widest interval of a rank is {widest['low']:.0f} to {widest['high']:.0f}, of "
        f"{plain(widest['model'])} on {plain(widest['label'])}, whose rank is {widest['rank']:g}."
    )


def figure_ranks(run: Evaluation) -> Drawing:
    """Draw ranks with their intervals."""
    from benchbook.figures import rank_heatmap

    table = run.performance.ranks
    kept = table[table["label"].isin(run.figure_labels)]
    caption = (
        f"Ranks by AUROC, label by label, with simultaneous {run.percent} intervals; never "
        f"pooled.{run.shown_note(models=False)}"
    )
    alt = "One cell per model and label with the rank and, in brackets, its interval."
    return Drawing(rank_heatmap(kept), "ranks", caption, alt)
