"""What others published, beside what comes out here; and what would change the results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from benchbook.display import Table, bullets

from . import performance, published
from .evaluation import Evaluation
from .exhibits import legend
from .study import APPROXIMATE, MARKS
from .wording import listing, marked, rate_text

MODEL, GROUP = "{label}, {model}", "{label}, {model}, {group}"  # what a row is about
STILL = 5e-4  # nothing of this size is seen with three decimals

SOURCES = {
    "hannun2019": "Hannun 2019",
    "strodthoff2021": "Strodthoff 2021",
}

# ---- published facts ------------------------------------------------------------------------


def say_published(run: Evaluation) -> str:
    """Say how many published scores follow from the published counts."""
    table = published.from_counts(run.parameters.level)
    return (
        f"{int(table['agrees'].sum())} of the {len(table)} published scores of CODE-test follow "
        "from the published counts to the last printed digit."
    )


def table_published(run: Evaluation) -> Table:
    """Return the published F1 of CODE-test beside that of the counts, with what it rests on."""
    table = published.from_counts(run.parameters.level)
    rows = []
    for (label, reader), part in table.groupby(["label", "reader"], sort=False):
        by = part.set_index("metric").to_dict("index")
        row: dict[str, Any] = {
            "label": label,
            "reader": reader,
            "positives": by["F1"]["n_positive"],
        }
        for metric in ("sensitivity", "specificity"):
            one = by[metric]
            row[metric] = rate_text(one["value"], one["low"], one["high"])
        row |= {
            "F1 printed": by["F1"]["published"],
            "F1 from the counts": by["F1"]["value"],
            "agrees": all(bool(one["agrees"]) for one in by.values()),
        }
        rows.append(row)
    frame = pd.DataFrame(rows)
    shown = frame.assign(label=frame["label"].where(frame["label"] != frame["label"].shift(), ""))
    caption = (
        "CODE-test as published [@ribeiro2020]: scores of the network, of residents and of "
        "students, computed again from the published counts; Wilson intervals are ours. "
        "*Agrees*: precision, sensitivity, specificity and F1 all do."
    )
    return Table(table, "published_code_test", caption, shown)


def table_aggregates(run: Evaluation) -> Table:
    """Return published aggregates of the other two test sets."""
    hannun, ptbxl = published.read(published.AGGREGATES), published.read(published.PTBXL)
    rows = [
        {
            "test set": row["test_set"],
            "who": row["who"],
            "metric": row["metric"],
            "published": f"{row['value']:.{row['digits']}f}",
            "source": SOURCES[row["source"]],
            "note": row["note"],
        }
        for row in hannun.to_dict("records")
    ]
    rows += [
        {
            "test set": row["test_set"],
            "who": row["model"],
            "metric": f"{row['metric']} over {row['n_labels']} labels",
            "published": rate_text(row["value"], row["low"], row["high"], digits=4),
            "source": SOURCES[row["source"]],
            "note": row["note"],
        }
        for row in ptbxl.to_dict("records")
    ]
    caption = (
        "Published aggregates of the iRhythm set [@hannun2019] and of PTB-XL "
        "[@wagner2020; @strodthoff2021]."
    )
    files = pd.concat([hannun, ptbxl.rename(columns={"model": "who"})], ignore_index=True)
    return Table(files, "published_aggregates", caption, pd.DataFrame(rows))


def say_recomputed(run: Evaluation) -> str:
    """Say how much of the published tables comes out, and which test gives the published p."""
    scores = published.recomputed_scores(run.study)
    kappa = published.recomputed_agreement(run.study)
    tests = published.recomputed_mcnemar(run.study)
    lines = [
        f"{int(scores['agrees'].sum())} of {len(scores)} published scores and counts, and "
        f"{int(kappa['agrees'].sum())} of {len(kappa)} published κ, come out of the data to the "
        "last printed digit.",
        _mcnemar_words(tests),
    ]
    return bullets(lines)


def _mcnemar_words(tests: pd.DataFrame) -> str:
    matched = {
        name: int(sum(map(published.agrees, tests["published"], tests[name].fillna(1.0))))
        for name in published.TESTS
    }
    told = ", ".join(f"{name} {number}" for name, number in matched.items())
    alpha = 0.05
    plainly, exact = tests["chi-squared"] < alpha, tests["exact binomial"] < alpha
    lost = tests[plainly & ~exact]
    return (
        f"Of {len(tests)} published McNemar tests each form gives this many: {told}. The authors' "
        "test is the chi-squared one without continuity correction. Its large-sample approximation "
        "needs more discordant records than there are here: "
        f"of the {int(plainly.sum())} p below {alpha:g}, the exact test leaves "
        f"{int((plainly & exact).sum())}" + (f" (lost: {_pairs_of(lost)})." if len(lost) else ".")
    )


def _pairs_of(rows: pd.DataFrame) -> str:
    return listing(
        f"{row.label}, {row.reader} and {row.other}: {row.p_exact:.3f}"
        for row in rows.rename(columns={"exact binomial": "p_exact"}).itertuples()
    )


def table_recomputed(run: Evaluation) -> Table:
    """Return the published scores of CODE-test beside those of the data."""
    table = published.recomputed_scores(run.study)
    kept = table[table["metric"].isin(["precision", "sensitivity", "specificity", "F1"])]
    rows = []
    for (label, reader), part in kept.groupby(["label", "reader"], sort=False):
        by = part.set_index("metric").to_dict("index")
        row = {"label": label, "reader": reader}
        for metric, one in by.items():
            row[metric] = f"{one['published']:.3f} / {one['value']:.3f}"
        rows.append(row | {"agrees": all(bool(one["agrees"]) for one in by.values())})
    caption = "Published scores of CODE-test / the same from the data of this run."
    return Table(table, "recomputed_scores", caption, pd.DataFrame(rows))


def table_recomputed_agreement(run: Evaluation) -> Table:
    """Return the published kappas and McNemar tests beside those of the data."""
    kappa = published.recomputed_agreement(run.study)
    tests = published.recomputed_mcnemar(run.study)
    p = tests.set_index(["label", "reader", "other"])
    rows = []
    for row in kappa.to_dict("records"):
        told = {
            "label": row["label"],
            "pair": f"{row['reader']} – {row['other']}",
            "κ published": row["published"],
            "κ": row["value"],
            "κ agrees": row["agrees"],
        }
        key = (row["label"], row["reader"], row["other"])
        if key in p.index:
            one = p.loc[key]
            told |= {
                "p published": float(one["published"]),
                "chi-squared p": float(one["chi-squared"]),
                "exact p": float(one["exact binomial"]),
                "p agrees": bool(one["agrees"]),
            }
        rows.append(told)
    frame = pd.DataFrame(rows)
    files = kappa.assign(table="kappa")
    files = pd.concat([files, tests.assign(table="McNemar")], ignore_index=True)
    caption = (
        "Published κ and McNemar tests of CODE-test beside those of the data; two readers of whom "
        "neither is ever right alone have no chi-squared p, and an exact one of 1."
    )
    return Table(files, "recomputed_agreement", caption, frame)


def say_irhythm(run: Evaluation) -> str:
    """Say how much of what the authors print by record comes out, and which mean they print."""
    table = published.recomputed_irhythm(run.study)
    single = table[table["label"] != ""]
    lost = list(dict.fromkeys(single[~single["agrees"]]["label"]))
    mean = table[table["label"] == ""].iloc[0]
    means = run.readers.means
    own = means[means["metric"] == "F1"]["value"].mean()
    lines = [
        "The paper scores pieces of 256 samples, and records by the set of rhythms that their "
        "pieces hold [@hannun2019]; the second is nearly the question of this page. Its program "
        "pools the six reads of every record.",
        f"{int(single['agrees'].sum())} of {len(single)} numbers that it prints by record come out "
        "of the data to the last digit"
        + (f"; the others are of {listing(lost)}. " if lost else ". ")
        + "Here a rhythm counts however short it is, there when it fills a piece.",
        f"The mean F1 of the abstract, {mean['published']:.3f}, weighs classes by their positives: "
        f"in the same way the data give {mean['value']:.3f}, without weights "
        f"{published.mean_f1(run.study, weighted=False):.3f}, and as the mean over readers and "
        f"labels, the way of @tbl-means, {own:.3f}. These are different measures, and only the "
        "first may be set beside the printed one.",
    ]
    return bullets(lines)


def table_irhythm(run: Evaluation) -> Table:
    """Return what the authors print for the cardiologists by record beside the data."""
    table = published.recomputed_irhythm(run.study)
    rows = []
    for label, part in table[table["label"] != ""].groupby("label", sort=False):
        row: dict[str, Any] = {"label": label}
        for one in part.to_dict("records"):
            name = "agreement" if one["metric"] == "percent agreement" else one["metric"]
            row[name] = f"{one['published']:.3f}/{one['value']:.3f}"
        rows.append(row | {"agrees": bool(part["agrees"].all())})
    caption = (
        "Cardiologists by record, all reads pooled: printed by the authors' program/from the data "
        "of this run. *Agreement* is the percent agreement of two reads."
    )
    return Table(table, "recomputed_irhythm", caption, pd.DataFrame(rows))


def say_ptbxl(run: Evaluation) -> str:
    """Say how the published macro AUROC of PTB-XL compares."""
    fact = published.read(published.PTBXL).iloc[0]
    macro = run.performance.macro
    found = macro[(macro["metric"] == "AUROC") & (macro["over"] == "own labels")].iloc[0]
    same = abs(found["value"] - fact["value"])
    ninety = performance.macro(run.study, run.performance.drawn, 0.90)
    ninety = ninety[(ninety["metric"] == "AUROC") & (ninety["over"] == "own labels")].iloc[0]
    return (
        f"Published for fold 10: macro AUROC {fact['value']:.5f} [@strodthoff2021]; from the data "
        f"{found['value']:.5f}, {same:.0e} away. The published bounds, {fact['low']:.4f} and "
        f"{fact['high']:.4f}, are the 5 % and 95 % quantiles of resamples in which every label "
        "has a positive. The 90 % percentile interval here, in whose resamples a label without a "
        f"positive is left out of the mean, is {ninety['low']:.4f} to {ninety['high']:.4f}."
    )


# ---- what would change this -----------------------------------------------------------------


def sensitivity_rows(run: Evaluation) -> list[dict[str, Any]]:
    """Return what each change moves most, before and after."""
    rows: list[dict[str, Any]] = []
    if len(run.beside.table):
        rows += _match_rows(run)
        rows += _drawn_rows(run)
    if run.study.clustered:
        rows += _unit_rows(run)
    if len(run.performance.table):
        rows += _approximate_rows(run)
        rows += _seed_rows(run)
    return rows


def _match_rows(run: Evaluation) -> list[dict[str, Any]]:
    before, after = run.beside.table, run.with_other_match.table
    moved = (after["value"] - before["value"]).abs()
    if moved.isna().all():
        return []
    at, still = moved.idxmax(), moved.max() < STILL
    words = {
        "at_least": "at the highest threshold that is at least as sensitive",
        "interpolated": "between two thresholds, on the ROC segment",
    }
    return [
        {
            "change": f"the readers' sensitivity is met {words[run.other_match]}",
            "what moves most": None if still else _named(before.loc[at], GROUP),
            "before": None if still else rate_text(*before.loc[at, ["value", "low", "high"]]),
            "after": None if still else rate_text(*after.loc[at, ["value", "low", "high"]]),
            "on the whole": "no difference moves in its third decimal: hardly a score is tied"
            if still
            else f"differences move by up to {moved.max():.3f}, median {moved.median():.3f}",
        }
    ]


def _named(row: pd.Series, name: str) -> str:
    """Return what a row is about, the model with its marks."""
    model = marked(row["model"], row["mark"]) if "mark" in row and "model" in row else None
    return name.format(**{**row, "model": model} if model else row)


def _drawn_rows(run: Evaluation) -> list[dict[str, Any]]:
    """Intervals when the readers are drawn too: what could be said of readers like these."""
    before, after = run.beside.table, run.readers_drawn.table
    several = before["n_readers"] > 1
    if not several.any():
        return []
    fewest = int(before.loc[several, "n_readers"].min())
    row = _widths(
        before[several], after[several], "difference of specificity", GROUP,
        change="readers drawn as well as patients", widest=True,
    )  # fmt: skip
    if row:
        row["on the whole"] += (
            f"; with {fewest} readers the spread between readers is still understated"
        )
    return [row] if row else []


def _unit_rows(run: Evaluation) -> list[dict[str, Any]]:
    """Intervals when records are drawn as if each were of another patient."""
    rows = []
    if len(run.performance.table):
        before, after = run.performance.table, run.records_ranked.table
        mine = before["metric"] == "AUROC"
        rows.append(_widths(before[mine], after[mine], "AUROC", MODEL))
    if len(run.beside.table):
        before, after = run.beside.table, run.records_beside.table
        rows.append(_widths(before, after, "difference of specificity", GROUP))
    return [row for row in rows if row]


def _widths(
    before: pd.DataFrame,
    after: pd.DataFrame,
    what: str,
    name: str,
    *,
    change: str = "records drawn instead of patients",
    widest: bool = False,
) -> dict[str, Any]:
    ratio = (after["high"] - after["low"]) / (before["high"] - before["low"]).where(
        before["high"] > before["low"]
    )
    if ratio.isna().all():
        return {}
    at = ratio.idxmax() if widest else ratio.idxmin()
    whole = (
        f"intervals {ratio.min():.2f} to {ratio.max():.2f} times as wide, "
        f"median {ratio.median():.2f}"
    )
    return _moved_row(f"{change}, {what}", before.loc[at], after.loc[at], name, whole)


def _moved_row(
    change: str, before: pd.Series, after: pd.Series, name: str, whole: str
) -> dict[str, Any]:
    texts = [rate_text(row["value"], row["low"], row["high"]) for row in (before, after)]
    return {
        "change": change,
        "what moves most": _named(before, name),
        "before": texts[0],
        "after": texts[1],
        "on the whole": whole,
    }


def _approximate_rows(run: Evaluation) -> list[dict[str, Any]]:
    study = run.study
    if not study.mapped["mark"].str.contains(APPROXIMATE).any():
        return []
    drawn, level = run.performance.drawn, run.parameters.level
    full = run.performance.macro
    full = full[(full["metric"] == "AUROC") & (full["over"] == "own labels")]
    less = performance.macro(study, drawn, level, approximate=False)
    less = less[less["metric"] == "AUROC"].set_index("model")
    rows = []
    for row in full.to_dict("records"):
        mine = study.mapped[study.mapped["model"] == row["model"]]
        if row["model"] not in less.index or not mine["mark"].str.contains(APPROXIMATE).any():
            continue
        one = less.loc[row["model"]]
        rows.append(
            {
                "change": "without approximate mappings (†)",
                "what moves most": f"macro AUROC, {row['model']}",
                "before": rate_text(row["value"], row["low"], row["high"]),
                "after": rate_text(one["value"], one["low"], one["high"]),
                "on the whole": f"{row['n_labels']} labels before, {one['n_labels']} after; "
                f"{_rank_words(run)}",
            }
        )
    return rows


def _rank_words(run: Evaluation) -> str:
    before = run.performance.ranks
    after = performance.rank_table(
        run.study, run.performance.drawn, run.parameters.level, approximate=False
    )
    both = before.merge(after, on=["label", "model"], suffixes=("", " after"))
    moved = int((both["rank"] != both["rank after"]).sum())
    return f"{moved} of {len(both)} remaining ranks change"


def _seed_rows(run: Evaluation) -> list[dict[str, Any]]:
    rows = []
    before, after = run.performance.table, run.ranked_with_other_seed.table
    rows.append(_seed_row(before, after, "AUROC or AUPRC", f"{MODEL}, {{metric}}"))
    if len(run.beside.table):
        before, after = run.beside.table, run.with_other_seed.table
        rows.append(_seed_row(before, after, "difference of specificity", GROUP))
    return [row for row in rows if row]


def _seed_row(before: pd.DataFrame, after: pd.DataFrame, what: str, name: str) -> dict[str, Any]:
    moved = np.maximum((after["low"] - before["low"]).abs(), (after["high"] - before["high"]).abs())
    if moved.isna().all():
        return {}
    at = moved.idxmax()
    whole = f"bounds move by up to {moved.max():.3f}, median {moved.median():.4f}"
    change = f"another seed of the resamples, {what}"
    return _moved_row(change, before.loc[at], after.loc[at], name, whole)


def table_sensitivity(run: Evaluation) -> Table:
    """Return what each change moves most."""
    rows = sensitivity_rows(run)
    rows = rows or [_readers_only(run)]
    if not any(rows):
        rows = [{"change": "none can be shown", "on the whole": "no value has an interval"}]
    caption = (
        "What a change does: the value and interval it moves most (of intervals that narrow or "
        "widen, the one that does so most), before and after."
    )
    told = "".join(str(row.get("what moves most") or "") for row in rows)
    caption += f" {legend(pd.Series([sign for sign in MARKS if sign in told], dtype=object))}"
    return Table(pd.DataFrame(rows), "sensitivity", caption)


def _readers_only(run: Evaluation) -> dict[str, Any]:
    """Another seed, where only readers were judged."""
    from . import people

    settings = run.bootstrap | {"seed": run.parameters.seed + 1}
    again = people.readers(run.study, **settings)
    if run.study.groups:
        before, after = run.readers.means, again.means
        return _seed_row(before, after, "group means", "{label}, {group}, {metric}")
    return _seed_row(run.readers.table, again.table, "readers", "{label}, {reader}, {metric}")
