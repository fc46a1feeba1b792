"""Models beside people, the readers one by one, and their agreement: tables and figures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from benchbook.display import Drawing, Table, bullets, counted, plain

from .evaluation import MOST_ROWS, Evaluation
from .exhibits import by_label, legend
from .wording import cell, listing, marked, rate_text, remark, without_width

MET = {"at_least": "at least as sensitive", "interpolated": "exactly as sensitive"}
NOT_INDEPENDENT = "not independent of the reference"
LONG_NAME, FEW_READERS = 12, 7  # letters; readers of a narrow figure
FAR_APART = 0.2  # of AC1 and κ, to be worth a sentence
HIGH_AGREEMENT = 0.9  # above it κ and AC1 part when a label is rare

# ---- points of the ROC plane ----------------------------------------------------------------


def roc_points(run: Evaluation) -> pd.DataFrame:
    """Return every reader, and every group's mean with its interval, as points."""
    rows: list[dict[str, Any]] = []
    table = run.readers.table
    if not len(table):
        return pd.DataFrame(rows)
    for (label, reader), part in table.groupby(["label", "reader"], sort=False):
        if label not in run.figure_labels:
            continue
        by = part.set_index("metric").to_dict("index")
        first = by["sensitivity"]
        group = first["group"]
        if not first["independent"]:
            group = f"{group} ({NOT_INDEPENDENT})"
        rows.append(
            {
                "label": label,
                "name": reader,
                "group": group,
                "kind": "reader" if first["kind"] == "person" else "network",
                "specificity": by["specificity"]["value"],
                "sensitivity": first["value"],
                "reason": first["reason"] or by["specificity"]["reason"],
            }
        )
    return pd.concat([pd.DataFrame(rows), _mean_points(run)], ignore_index=True)


def _mean_points(run: Evaluation) -> pd.DataFrame:
    rows: list[dict[str, Any]] = []
    if not run.study.groups:
        return pd.DataFrame(rows)
    for (label, group), part in run.readers.means.groupby(["label", "group"], sort=False):
        by = part.set_index("metric").to_dict("index")
        # The mean of one reader is that reader's own point.
        if label not in run.figure_labels or by["sensitivity"]["n_readers"] < 2:
            continue
        row = {"label": label, "name": f"mean of {group}", "group": group, "kind": "mean"}
        for metric in ("sensitivity", "specificity"):
            one = by[metric]
            row |= {
                metric: one["value"],
                f"{metric}_low": one["low"],
                f"{metric}_high": one["high"],
            }
        rows.append(row | {"reason": by["sensitivity"]["reason"]})
    return pd.DataFrame(rows)


# ---- models beside people -------------------------------------------------------------------


def say_beside(run: Evaluation) -> str:
    """Say on how many labels models are above or below people, by group."""
    table = run.beside.table
    lines = []
    for group in run.study.groups:
        part = table[table["group"] == group]
        known = part.dropna(subset=["value", "low", "high"])
        if not len(known):
            reason = part["reason"].dropna()
            told = f" ({plain(reason.iloc[0])})" if len(reason) else ""
            lines.append(f"Beside {plain(group)} no comparison has a value{told}.")
            continue
        above, below = known[known["low"] > 0], known[known["high"] < 0]
        total = counted(len(known), "comparison")
        if not len(above) and not len(below):
            lines.append(f"Beside {plain(group)}, all intervals of {total} hold 0.")
            continue
        lines.append(
            f"Beside {plain(group)}: more specific than people are {_by_model(above)}; less "
            f"specific {_by_model(below)}. Of {total} {len(known) - len(above) - len(below)} have "
            "an interval that holds 0."
        )
    return bullets(lines)


def _by_model(rows: pd.DataFrame) -> str:
    """Return models with the labels of these rows."""
    if not len(rows):
        return "none"
    return "; ".join(
        f"{plain(model)} on {listing(map(marked, part['label'], part['mark']))}"
        for model, part in rows.groupby("model", sort=False)
    )


def figure_differences(run: Evaluation) -> Drawing:
    """Draw the specificity of the models less that of the readers."""
    from benchbook.figures import forest_of_differences

    table = run.beside.table
    groups = list(run.study.groups)
    kept = table[table["label"].isin(run.figure_labels) & table["model"].isin(run.figure_models)]
    drawn = groups
    if len(kept) > MOST_ROWS:
        drawn = groups[:1]
        kept = kept[kept["group"].isin(drawn)]
    names = kept["model"]
    if len(drawn) > 1:
        names = kept["model"] + ", " + kept["group"]
    shown = kept.assign(model=names, level=run.parameters.level)
    caption = f"{_difference_finding(table)} Specificity of the model less the mean of "
    caption += f"{listing(drawn)}, where the model is {MET[run.parameters.match]} as they are."
    if len(drawn) < len(groups):
        caption += f" The table holds the other groups too ({listing(groups[1:])})."
    caption += run.shown_note()
    alt = "For each label a row per model: difference of specificity with its interval around 0."
    return Drawing(forest_of_differences(shown), "differences", caption, alt)


def _difference_finding(table: pd.DataFrame) -> str:
    known = table.dropna(subset=["value", "low", "high"])
    if not len(known):
        return "No difference has a value."
    above, below = int((known["low"] > 0).sum()), int((known["high"] < 0).sum())
    return (
        f"Of {counted(len(known), 'comparison')} {above} lie above 0 (the model is more specific), "
        f"{below} below, {len(known) - above - below} settle nothing."
    )


def table_beside(run: Evaluation) -> Table:
    """Return every comparison of a model with a group."""
    table = run.beside.table
    rows = [
        {
            "label": row["label"],
            "group": row["group"],
            "model": marked(row["model"], row["mark"]),
            "readers' sensitivity": row["readers_sensitivity"],
            "model's": row["model_sensitivity"],
            "readers' specificity": row["readers_specificity"],
            "model's ": row["model_specificity"],
            "difference": cell(row),
            "to be known": remark(row),
        }
        for row in table.to_dict("records")
    ]
    rule = (
        "at the highest threshold whose sensitivity is at least the readers' mean"
        if run.parameters.match == "at_least"
        else "on the segment of the ROC curve that meets the readers' mean sensitivity"
    )
    caption = (
        f"Models beside people, {rule}; {run.percent} percentile intervals over "
        f"{run.parameters.n_resamples:,} resamples of {run.study.unit}s, in each of which the "
        "readers' sensitivity, the threshold and both specificities are found again. "
        f"{legend(table['mark'])}"
    )
    frame = pd.DataFrame(rows)
    if len(set(frame["group"])) == 1:
        frame = frame.drop(columns="group")
    else:
        again = frame[["label", "group"]].eq(frame[["label", "group"]].shift()).all(axis=1)
        frame["group"] = frame["group"].where(~again, "")
    return Table(table, "beside_people", caption, by_label(frame))


# ---- readers --------------------------------------------------------------------------------


def say_readers(run: Evaluation) -> str:
    """Say how far the readers spread."""
    return _widest_spread(run)


def _widest_spread(run: Evaluation) -> str:
    table = run.readers.table
    people = table[
        (table["metric"] == "sensitivity") & (table["kind"] == "person") & table["independent"]
    ].dropna(subset="value")
    if people["reader"].nunique() < 2:
        return ""
    by_label = people.groupby("label", sort=False)["value"].agg(["min", "max"])
    span = by_label["max"] - by_label["min"]
    label = span.idxmax()
    if span[label] == 0:
        return "Readers do not differ in sensitivity on any label."
    return (
        f"Readers differ most on {plain(label)}: sensitivity from {by_label.loc[label, 'min']:.3f} "
        f"to {by_label.loc[label, 'max']:.3f}."
    )


def table_readers(run: Evaluation) -> Table:
    """Return sensitivity, specificity and F1 of every reader on every label."""
    table = run.readers.table
    kappa = run.against_reference.set_index(["label", "reader"])
    rows = []
    for (label, reader), part in table.groupby(["label", "reader"], sort=False):
        by = part.set_index("metric").to_dict("index")
        first = by["sensitivity"]
        rows.append(
            {
                "label": label,
                "reader": reader + _role(first),
                "sensitivity": cell(first),
                "specificity": cell(by["specificity"]),
                "F1": cell(by["F1"]),
                "κ with the reference": _kappa_cell(kappa.loc[(label, reader)]),
                "to be known": _reader_remark(by),
            }
        )
    way = (
        f"from resamples of {run.study.unit}s"
        if run.study.clustered
        else f"Wilson's for the two shares, from resamples of {run.study.unit}s for F1, "
        "Fleiss–Cohen–Everitt for κ"
    )
    caption = f"Readers one by one. {run.percent} intervals: {way}.{without_width(table)}"
    outside = [_role(row) for row in table.to_dict("records")]
    if any(outside):
        caption += " ○ never part of a mean: a machine, or helped to make the reference."
    frame = pd.DataFrame(rows)
    return Table(table, "readers", caption, by_label(frame))


def _kappa_cell(row: pd.Series) -> str:
    return rate_text(row["value"], row["low"], row["high"])


def _role(row: dict[str, Any]) -> str:
    """Return a sign for those who never enter a mean."""
    return "" if row["independent"] and row["kind"] == "person" else " ○"


def _reader_remark(by: dict[str, dict[str, Any]]) -> str | None:
    reasons = [f"{metric}: {one['reason']}" for metric, one in by.items() if np.isnan(one["value"])]
    return "; ".join(reasons) or None


def table_means(run: Evaluation) -> Table:
    """Return the means of the groups."""
    means = run.readers.means
    rows = []
    for (label, group), part in means.groupby(["label", "group"], sort=False):
        by = part.set_index("metric").to_dict("index")
        rows.append(
            {
                "label": label,
                "group": group,
                "readers": by["sensitivity"]["n_readers"],
                **{f"mean {metric}": cell(one) for metric, one in by.items()},
                "to be known": remark(by["sensitivity"]),
            }
        )
    caption = (
        "Means over the readers of a group who have a value, with "
        f"{run.percent} percentile intervals over {run.study.unit}s. The interval says how the "
        "mean of these readers varies with the records, not how other readers would do."
        f"{without_width(means)}"
    )
    return Table(means, "means", caption, by_label(pd.DataFrame(rows)))


# ---- agreement ------------------------------------------------------------------------------


def say_agreement(run: Evaluation) -> str:
    """Say where readers agree least and most, and where κ and AC1 part."""
    table = run.among_people
    if not len(table):
        return "There are not two independent readers, so nothing can be said about agreement."
    mine = table[table["readers"] == "all readers"]
    kappa = mine[mine["coefficient"] == "Fleiss κ"].dropna(subset="value")
    if not len(kappa):
        return f"Fleiss κ has no value on any label: {plain(mine['reason'].dropna().iloc[0])}."
    low, high = kappa.loc[kappa["value"].idxmin()], kappa.loc[kappa["value"].idxmax()]
    if low["value"] == high["value"]:
        text = f"Fleiss κ of independent readers is {cell(low)} on {listing(kappa['label'])}."
    else:
        text = (
            f"Independent readers agree least on {plain(low['label'])} (Fleiss κ {cell(low)}) and "
            f"most on {plain(high['label'])} ({cell(high)})."
        )
    return text + _ac1_words(mine[mine["label"] == low["label"]].set_index("coefficient"))


def _ac1_words(rows: pd.DataFrame) -> str:
    """Say how κ and AC1 part on the label of the least κ, when readers agree on most records."""
    agreed, ac1 = rows.loc["percent agreement", "value"], rows.loc["AC1", "value"]
    if not (agreed >= HIGH_AGREEMENT and ac1 - rows.loc["Fleiss κ", "value"] > FAR_APART):
        return ""
    return (
        f" On {plain(rows['label'].iloc[0])} they give the same answer on {100 * agreed:.1f} % "
        f"and AC1 is {ac1:.3f}: of the answers {100 * rows.loc['AC1', 'said present']:.1f} % "
        "say present, so most of this agreement is what κ takes for chance (@tbl-surprises)."
    )


def table_agreement(run: Evaluation) -> Table:
    """Return percent agreement, Fleiss κ and AC1 by label."""
    table = run.among_people
    rows = []
    for (label, who), part in table.groupby(["label", "readers"], sort=False):
        by = part.set_index("coefficient").to_dict("index")
        first = by["Fleiss κ"]
        rows.append(
            {
                "label": label,
                "readers": who,
                "number": first["n_readers"],
                "said present": first["said present"],
                **{name: cell(one) for name, one in by.items()},
                "to be known": remark(first),
            }
        )
    frame = pd.DataFrame(rows)
    if len(set(frame["readers"])) == 1:
        frame = frame.drop(columns="readers")
    how = (
        f"resamples of {run.study.unit}s"
        if run.study.clustered
        else "the item-wise linearised variance"
    )
    caption = (
        "Agreement of independent people with each other, label by label; the definitions are "
        f"those of the chapter on inter-rater reliability, the {run.percent} intervals from {how}."
    )
    return Table(table, "agreement", caption, by_label(frame))


def figure_agreement(run: Evaluation) -> Drawing:
    """Draw the mean κ of every pair of readers over the labels."""
    from benchbook.figures import pairwise_heatmap

    matrix = mean_kappa(run)
    values = matrix.to_numpy()[np.triu_indices(len(matrix), 1)]
    n_labels = run.pairs["label"].nunique()
    known = values[~np.isnan(values)]
    caption = "Cohen κ of every pair of readers: no pair has a value on any label."
    if known.size:
        caption = (
            f"Cohen κ of every pair of readers, mean over the {counted(n_labels, 'label')} on "
            f"which it has a value: {known.min():.2f} to {known.max():.2f}. The file of @tbl-pairs "
            "holds every label."
        )
    alt = "Square of readers by readers, coloured and labelled by their mean κ."
    # A narrow figure would cut long names, and "cardiology…" may be two readers.
    long = max(map(len, matrix.columns)) > LONG_NAME
    width: Any = "medium" if long and len(matrix) <= FEW_READERS else None
    drawn = pairwise_heatmap(matrix, statistic="mean Cohen κ", width=width)
    return Drawing(drawn, "reader_agreement", caption, alt)


def mean_kappa(run: Evaluation) -> pd.DataFrame:
    """Return the mean κ over labels of every pair of readers, shape (k, k)."""
    names = list(run.study.readers["reader"])
    matrix = pd.DataFrame(np.nan, index=names, columns=names)
    means = run.pairs.groupby(["rater_a", "rater_b"], sort=False)["kappa"].mean()
    for (one, other), value in means.items():
        matrix.loc[one, other] = matrix.loc[other, one] = value
    return matrix


def table_pairs(run: Evaluation) -> Table:
    """Return, by label, the least, middle and largest κ of the pairs."""
    table = run.pairs
    rows = []
    for label, part in table.groupby("label", sort=False):
        known = part.dropna(subset="kappa")
        row: dict[str, Any] = {"label": label, "pairs": len(part), "with a value": len(known)}
        if len(known):
            low, high = known.loc[known["kappa"].idxmin()], known.loc[known["kappa"].idxmax()]
            row |= {
                "least κ": low["kappa"],
                "between": f"{low['rater_a']} – {low['rater_b']}",
                "median κ": float(known["kappa"].median()),
                "largest κ": high["kappa"],
                "among": f"{high['rater_a']} – {high['rater_b']}",
            }
        lost = part[part["kappa"].isna()]["reason"].dropna()
        rows.append(row | {"to be known": lost.iloc[0] if len(lost) else None})
    caption = (
        "Cohen κ of all pairs of readers, machines and members of the reference's committee "
        "included; the files hold every pair with its interval."
    )
    return Table(table, "pairs", caption, pd.DataFrame(rows))
