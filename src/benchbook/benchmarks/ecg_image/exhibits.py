"""Tables and figures of the results: macro F, classes, answers, what stands together."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from benchbook.display import Drawing, Table, counted, interval_text, plain
from benchbook.estimate import Estimate
from benchbook.metrics import accuracy
from benchbook.resampling import Comparison

from .published import prior_f
from .scoring import (
    ERROR_RATE,
    HEADROOM,
    MEAN_LABELS,
    PARSE_RATE,
    PRIOR,
    Scores,
    co_occurrence,
    confusions,
)
from .study import Study

NO_VALUE = "–"
OWN_HEADINGS = ("class", "positive", "change", "value", "low", "high", "p", "p_value", "p raters")


def percent(value: float, digits: int = 1) -> str:
    """Return a share in per cent, a dash when there is none."""
    return NO_VALUE if math.isnan(value) else f"{100 * value:.{digits}f} %"


NO_WIDTH = "No interval is shown where all resamples give one value: that is no certainty."


def told(value: float, low: float, high: float, digits: int = 3) -> str:
    """Return a value with its interval, without one that has no width."""
    if low == high:
        low = high = math.nan
    return interval_text(value, low, high, digits=digits)


def estimate_text(estimate: Estimate) -> str:
    """Return an estimate for a sentence, by the same rule."""
    if estimate.low == estimate.high:
        return f"{estimate.value:.3f} in every resample"
    return f"{estimate:.3f}"


def study_size(study: Study) -> str:
    """Return ``40 records in 12 groups of likely repeats, 38 of them with a reference label``."""
    size = counted(study.n_records, "record")
    if study.grouped:
        size += f" in {counted(study.n_groups, 'group')} of likely repeats"
    return f"{size}, {study.n_scored:,} of them with a reference label"


def study_remarks(study: Study) -> list[str]:
    """Return what a reader must know about the files, and which models answered a part only."""
    partial = [
        f"{one.model} has no row for {one.n_missing:,} of {counted(study.n_records, 'record')}; "
        "what is missing is scored as if no class had been named."
        for one in study.answers
        if one.n_missing
    ]
    return [*study.remarks, *partial]


def with_commas(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose whole numbers are written with commas."""
    whole = frame.select_dtypes("integer").columns
    return frame.assign(**{name: frame[name].map("{:,}".format) for name in whole})


def side_by_side(wide: pd.DataFrame) -> pd.DataFrame:
    """Return a table of models in columns with its index as the first column.

    A model whose name is a heading of the page's own is told apart from it.
    """
    shown = wide.rename(columns=lambda name: f"model {name}" if name in OWN_HEADINGS else name)
    shown = shown.reset_index()
    shown.columns.name = None
    return shown


def simulated(study: Study) -> str:
    """Return the words that mark a caption of a simulated run."""
    return "Simulated answers. " if study.simulated else ""


# ---- data --------------------------------------------------------------------------------------


def table_data(study: Study) -> Table:
    """Return the classes with their positives."""
    share = study.n_positive / max(study.n_scored, 1)
    frame = pd.DataFrame(
        {
            "class": study.classes,
            "positive": [f"{n:,}" for n in study.n_positive],
            "share of scored": share,
            "F of the prior": [prior_f(int(n), study.n_scored) for n in study.n_positive],
        }
    )
    per_record = float(study.n_positive.sum()) / max(study.n_scored, 1)
    caption = (
        f"{'Simulated records with the published counts. ' if study.simulated else ''}"
        f"{study.n_scored:,} of {study.n_records:,} records have a reference label and are scored, "
        f"{per_record:.2f} classes each on average. F of the prior: the class named for every "
        "record."
    )
    return Table(frame, "data", caption)


def table_answers(scores: Scores) -> Table:
    """Return how each model answered: what came, what could be read, how much was named."""
    study, rows = scores.study, []
    for answers in study.answers:
        row: dict[str, object] = {
            "model": answers.model,
            "no answer": answers.n_missing + answers.n_failed,
            "no row": answers.n_missing,
            "error flag": answers.n_failed,
            "unparsed": int((answers.received & answers.as_text & ~answers.parsed).sum()),
            "ignored": answers.n_unknown + answers.n_repeated + answers.n_not_text,
            "unknown names": answers.n_unknown,
            "repeated names": answers.n_repeated,
            "entries that are no text": answers.n_not_text,
        }
        for name in (ERROR_RATE, PARSE_RATE, MEAN_LABELS):
            found = scores.estimate(answers.model, name)
            row[name] = told(found.value, found.low, found.high, 2 if name == MEAN_LABELS else 3)
            row |= {f"{name}: {part}": getattr(found, part) for part in ("value", "low", "high")}
        rows.append(row)
    frame = pd.DataFrame(rows)
    columns = ["model", "no answer", "unparsed", "ignored"]
    reference = float(study.n_positive.sum()) / max(study.n_scored, 1)
    caption = (
        f"{simulated(study)}Of {counted(study.n_records, 'record')} asked: *no answer* (no row, "
        "or the error flag), which is the error rate; *unparsed*, of the answers that came as "
        "text, the rest of which is the parse rate (a dash where labels were given); *ignored*, "
        "entries that name no class or repeat one. Mean labels: classes named per scored record; "
        f"the reference has {reference:.2f}. {NO_WIDTH}"
    )
    shown = with_commas(frame[[*columns, ERROR_RATE, PARSE_RATE, MEAN_LABELS]])
    return Table(
        frame.drop(columns=[ERROR_RATE, PARSE_RATE, MEAN_LABELS]), "answers", caption, shown
    )


# ---- macro F -----------------------------------------------------------------------------------


def table_macro(scores: Scores) -> Table:
    """Return macro F, rank, difference from the prior and headroom of every model."""
    rows = []
    by_name = dict(zip(scores.models, scores.ranks, strict=True))
    order = sorted(scores.models, key=lambda model: -scores.macro[model].value)
    for model in order:
        rank, apart = by_name[model], scores.against_prior(model).difference
        left = scores.estimate(model, HEADROOM)
        macro = scores.macro[model]
        rows.append(
            {
                "model": model,
                "value": macro.value,
                "low": macro.low,
                "high": macro.high,
                "rank": rank.rank,
                "rank low": rank.low,
                "rank high": rank.high,
                "above the prior": apart.value,
                "above low": apart.low,
                "above high": apart.high,
                "headroom": left.value,
                "headroom low": left.low,
                "headroom high": left.high,
                "reason": left.reason or "",
            }
        )
    prior = scores.macro[PRIOR]
    rows.append({"model": PRIOR, "value": prior.value, "low": prior.low, "high": prior.high})
    frame = pd.DataFrame(rows)
    caption = (
        f"{simulated(scores.study)}Macro F with its {100 * scores.level:g} % interval over "
        f"{scores.study.unit}s, best first. Ranks hold together for all models (the prior has "
        "none). *Above the prior*: paired difference on shared resamples. *Headroom*: the share of "
        "the way from the prior to 1 that is still open; above 1 for a model below the prior."
    )
    return Table(frame, "macro", caption, _shown_macro(frame))


def _shown_macro(frame: pd.DataFrame) -> pd.DataFrame:
    def merged(value: str, low: str, high: str) -> list[str]:
        return [interval_text(*row) for row in frame[[value, low, high]].itertuples(index=False)]

    def rank(row: pd.Series) -> str:
        if math.isnan(row["rank"]):
            return NO_VALUE
        return f"{row['rank']:g} ({row['rank low']:g}–{row['rank high']:g})"

    return pd.DataFrame(
        {
            "model": frame["model"],
            "macro F": merged("value", "low", "high"),
            "rank": [rank(row) for _, row in frame.iterrows()],
            "above the prior": merged("above the prior", "above low", "above high"),
            "headroom": merged("headroom", "headroom low", "headroom high"),
        }
    )


def table_differences(scores: Scores) -> Table | None:
    """Return the paired difference of every two models; None when there is one model."""
    found = scores.differences()
    if not found:
        return None
    rows = [
        {
            "model": first,
            "minus": second,
            "value": one.difference.value,
            "low": one.difference.low,
            "high": one.difference.high,
            "p": one.p_value,
            "reason": one.reason or "",
        }
        for (first, second), one in found.items()
    ]
    frame = pd.DataFrame(rows)
    n_apart = sum(_apart(one) for one in found.values())
    caption = (
        f"{simulated(scores.study)}Paired differences of macro F on shared resamples. "
        f"{n_apart} of {counted(len(found), 'interval')} exclude{'s' * (n_apart == 1)} 0. "
        "Intervals and p values are of one pair each; the ranks allow for all pairs at once."
    )
    return Table(frame, "differences", caption, frame.drop(columns="reason"))


def _apart(one: Comparison) -> bool:
    return one.difference.low > 0 or one.difference.high < 0


def figure_macro(scores: Scores) -> Drawing:
    """Draw macro F of every model with the prior's line."""
    from benchbook.figures import macro_scores

    order = sorted(scores.models, key=lambda model: -scores.macro[model].value)
    rows = [scores.macro[m].as_row(model=m, kind=_kind(scores.study, m)) for m in order]
    rows.append(scores.macro[PRIOR].as_row(model=PRIOR, kind="prior"))
    prior = scores.macro[PRIOR].value
    above = sum(scores.against_prior(model).difference.low > 0 for model in order)
    if len(order) == 1:
        who = f"{plain(order[0])} {'lies' if above else 'does not lie'}"
    else:
        who = f"Of {len(order)} models {above or 'none'} {'lie' if above > 1 else 'lies'}"
    caption = (
        f"**Macro F and the prior.** {simulated(scores.study)}{who} above {prior:.3f}, what naming "
        "every class always reaches, by the whole interval of the paired difference. "
        f"Intervals: {100 * scores.level:g} %, {scores.n_resamples:,} resamples of "
        f"{scores.study.unit}s."
    )
    alt = (
        "One row per model: a marker for macro F with its interval on an axis from 0 to 1, and a "
        "dashed vertical line at the prior."
    )
    return Drawing(macro_scores(pd.DataFrame(rows)), "macro-scores", caption, alt)


def _kind(study: Study, model: str) -> str:
    return "answers as text" if study.of(model).as_text.any() else "labels given"


# ---- classes -----------------------------------------------------------------------------------


def class_rows(scores: Scores) -> pd.DataFrame:
    """Return F of every class and model with its interval, the prior's beside it."""
    study, rows = scores.study, []
    for place, name in enumerate(study.classes):
        n = int(study.n_positive[place])
        for model in scores.models:
            row = scores.class_estimate(model, name).as_row()
            row |= {"class": name, "model": model, "n_positive": n}
            row["prior"] = prior_f(n, study.n_scored)
            rows.append(row)
    columns = ["class", "model", "value", "low", "high", "level", "n_positive", "prior"]
    return pd.DataFrame(rows)[[*columns, "n_undefined", "reason"]]


MOST_DRAWN = 3  # models side by side in the figure of classes


def figure_classes(scores: Scores) -> Drawing:
    """Draw F per class of the best models, and of the best one with answers as text."""
    from benchbook.figures import class_scores

    frame = class_rows(scores)
    drawn = drawn_models(scores)
    frame = frame[frame["model"].isin(drawn)]
    best = drawn[0]
    own = frame[(frame["model"] == best) & (frame["n_positive"] > 0)]
    caption = (
        f"**F per class.** {simulated(scores.study)}{_range_of_classes(best, own)} "
        "Ticks: the class named for every record."
    )
    alt = (
        "For each class one row per model with F and its interval on an axis from 0 to 1, and a "
        "tick where naming the class always would be."
    )
    return Drawing(class_scores(frame), "class-scores", caption, alt)


def _range_of_classes(model: str, rows: pd.DataFrame) -> str:
    """Say how far F of the classes reaches, and which interval is the widest."""

    def named(row: pd.Series) -> str:
        return f"{plain(row['class'])}, {counted(int(row['n_positive']), 'positive')}"

    low, high = rows.loc[rows["value"].idxmin()], rows.loc[rows["value"].idxmax()]
    if low["value"] == high["value"]:
        text = f"F of {plain(model)} is {low['value']:.2f} for every class of the reference."
    else:
        text = (
            f"F of {plain(model)} ranges from {low['value']:.2f} ({named(low)}) to "
            f"{high['value']:.2f} ({named(high)})."
        )
    width = rows["high"] - rows["low"]
    width = width[width > 0]  # one without width is no certainty
    widths = sorted({f"{one:.2f}" for one in width})
    if len(widths) > 1:
        wide, narrow = width.idxmax(), width.idxmin()
        text += (
            f" Its widest interval, {widths[-1]}, is that of {named(rows.loc[wide])}; the "
            f"narrowest, {widths[0]}, that of {named(rows.loc[narrow])}."
        )
    return text


def drawn_models(scores: Scores) -> list[str]:
    """Return the models that figures of classes show: the best ones, and one that writes text."""
    order = sorted(scores.models, key=lambda model: -scores.macro[model].value)
    chosen = order[:MOST_DRAWN]
    writes = [model for model in order if scores.study.of(model).as_text.any()]
    if writes and writes[0] not in chosen:
        chosen[-1] = writes[0]
    return chosen


def table_classes(scores: Scores) -> Table:
    """Return F of every class and model."""
    frame = class_rows(scores)
    texts = [told(row.value, row.low, row.high, digits=2) for row in frame.itertuples(index=False)]
    wide = frame.assign(text=texts).pivot_table(
        index="class", columns="model", values="text", aggfunc="first", sort=False
    )
    wide = wide.reindex(index=list(scores.study.classes), columns=scores.models)
    shown = side_by_side(wide)
    shown.insert(1, "positive", [f"{n:,}" for n in scores.study.n_positive])
    absent = [
        n for n, has in zip(scores.study.classes, scores.study.occurring, strict=True) if not has
    ]
    lacks = plain(", ".join(absent))
    missing = f" Not in the mean, since the reference lacks them: {lacks}." if absent else ""
    caption = (
        f"{simulated(scores.study)}F per class with {100 * scores.level:g} % intervals; the mean "
        f"of a column is the macro F.{missing} {NO_WIDTH}"
    )
    return Table(frame, "per-class", caption, shown)


def figure_together(study: Study, model: str | None = None) -> Drawing:
    """Draw which classes stand together, in the reference or in a model's predictions."""
    from benchbook.figures import co_occurrence as draw

    table = co_occurrence(study, model)
    pairs = table[table["class"] != table["other"]].dropna(subset="share")
    kept = pairs[pairs["count"] > 0]
    who = "the reference" if model is None else f"the answers of {plain(model)}"
    stem = "together" if model is None else "together-model"
    mark = "Simulated. " if study.simulated else ""
    if kept.empty:
        finding = f"In {who} no two classes stand together."
    else:
        top = kept.loc[kept["count"].idxmax()]
        finding = (
            f"In {who} the most frequent pair is {plain(top['class'])} with {plain(top['other'])}: "
            f"{top['count']:,} records, {percent(top['share'], 0)} of those with "
            f"{plain(top['class'])}."
        )
    if model is not None:
        finding += (
            f" {percent(never_together(study, model), 0)} of the scored records get two classes "
            "that stand together nowhere in the reference."
        )
    caption = f"**What stands together.** {mark}{finding}"
    alt = (
        "Heat map: rows are classes with their number of records, columns the other classes, cells "
        "the per cent of the row's records that also have the column's class."
    )
    return Drawing(draw(table), stem, caption, alt)


def never_together(study: Study, model: str) -> float:
    """Return the share of scored records given two classes that no reference record has both."""
    has = study.reference.astype(np.int64)
    apart = (has.T @ has) == 0
    given = study.of(model).predicted[study.scored].astype(np.int64)
    np.fill_diagonal(apart, False)
    return float((((given @ apart) * given).sum(axis=1) > 0).mean())


def table_confusion(study: Study, model: str) -> Table:
    """Return what a model names for the records of each class."""
    given = study.of(model).predicted & study.scored[:, np.newaxis]
    n = len(study.classes)
    # By place, not by name: a class of the reader's own may be called "(none)".
    pairs = confusions(study, model)["count"].to_numpy().reshape(n, n + 1)
    # Of the records of each class (rows), those wrongly given each class (columns).
    false = study.reference.astype(np.int64).T @ (given & ~study.reference)
    rows = []
    for place, name in enumerate(study.classes):
        positive, named = int(study.n_positive[place]), int(given[:, place].sum())
        found = int(pairs[place, place])
        worst = int(false[place].argmax())
        most = f"{study.classes[worst]} ({false[place, worst]:,})"
        rows.append(
            {
                "class": name,
                "positive": positive,
                "named": named,
                "both": found,
                "sensitivity": found / positive if positive else math.nan,
                "predictive value": found / named if named else math.nan,
                "nothing named": int(pairs[place, n]),
                "wrongly named most often": most if false[place, worst] else NO_VALUE,
            }
        )
    caption = (
        f"{simulated(study)}What {plain(model)} names. *Both*: records that have the class and are "
        "given it. *Nothing named*, *wrongly named most often*: of the records that have the "
        "class, those given no class at all (unparsed answers included), and the class they are "
        "given most often without having it."
    )
    frame = pd.DataFrame(rows)
    return Table(frame, "confusion", caption, with_commas(frame), digits=2)


def exact_match(study: Study, model: str) -> float:
    """Return the share of scored records whose classes are all right and no other is named."""
    items = study.memberships(study.of(model).predicted)
    return accuracy(items).value
