"""What is published about the task: counts, the prior and headroom that follow, results."""

from __future__ import annotations

import math
import re

import pandas as pd

from benchbook.display import Table, plain
from benchbook.specs import TaskSpecification, Value, leaderboard, results_of

from .published import headroom, prior_f, prior_macro_f

NAME = "ecg_image"
TRAINED = "resnet18"  # part of the name of the trained baseline among the published results
METRIC = "macro_f_measure"


def trained() -> Value | None:
    """Return the published macro F of the trained baseline; None where it is not kept."""
    found = [one for one in results_of(NAME) if TRAINED in one.model]
    return found[0].metrics[METRIC] if found else None


def prior_of(spec: TaskSpecification, part: str) -> float:
    """Return the macro F of the prior from the counts of a part of the split."""
    counts = spec.counts.parts[part]
    return prior_macro_f(counts.positives, counts.scored).value


def published_prior() -> Value | None:
    """Return the published macro F of the prior."""
    found = [one for one in results_of(NAME) if one.model.endswith("prior")]
    return found[0].metrics[METRIC] if found else None


def table_prior(spec: TaskSpecification) -> Table:
    """Return the prior from the counts of every part, and the headroom above it."""
    told = trained()
    value = math.nan if told is None or told.value is None else told.value
    rows = []
    for part, counts in spec.counts.parts.items():
        prior = prior_of(spec, part)
        rare = min(counts.positives, key=counts.positives.__getitem__)
        rows.append(
            {
                "part": part,
                "scored records": f"{counts.scored:,}",
                "macro F of the prior": prior,
                "headroom": headroom(value, prior),
                "rarest class": f"{rare} ({counts.positives[rare]:,})",
                "its F": prior_f(counts.positives[rare], counts.scored),
            }
        )
    listed = ", ".join(f"{row['macro F of the prior']:.3f} ({row['part']})" for row in rows)
    caption = (
        f"From the published counts alone: the prior reaches {listed}. Headroom: with the trained "
        f"baseline's {value:.3f} over that prior; the counts of the other parts show how little it "
        "hangs on this one."
    )
    return Table(pd.DataFrame(rows), "prior", caption)


def say_prior(spec: TaskSpecification) -> str:
    """Say prior and headroom from the counts, beside what was published."""
    prior, told, shown = prior_of(spec, "test"), trained(), published_prior()
    text = (
        f"From the published counts of the test part, with no answer at all, the prior has a macro "
        f"F of **{prior:.3f}**"
    )
    if shown is not None and shown.value is not None:
        text += f"; published: {_value_text(shown)}"
    text += "."
    if told is not None and told.value is not None:
        text += (
            f" The trained baseline's published {told.value:.3f} leaves "
            f"$H = (1-{told.value:.3f})/(1-{prior:.3f}) = {headroom(told.value, prior):.2f}$ of "
            "the way from the prior to a perfect score."
        )
        pending = [
            e for e in leaderboard(spec, results_of(NAME)).pending if TRAINED in e.result.model
        ]
        if pending:
            text += f" That result is pending, never ranked: {plain(pending[0].reason)}."
    return text


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower())


def _value_text(one: Value) -> str:
    if one.value is None:
        return "–"
    text = f"{one.value:.3f}"
    return text if one.low is None else f"{text} ({one.low:.3f}–{one.high:.3f})"


def table_published(spec: TaskSpecification) -> Table | None:
    """Return every published number as a fact with its source; None where none is kept."""
    names = {METRIC: "macro F", f"{METRIC}_validation": "macro F, validation part"}
    names |= {f"f_measure_{_slug(name)}": f"F of {name}" for name in spec.classes}
    rows = []
    for one in results_of(NAME):
        for metric, value in one.metrics.items():
            rows.append(
                {
                    "model": one.model,
                    "metric": names.get(metric, metric.replace("_", " ")),
                    "value": math.nan if value.value is None else value.value,
                    "low": math.nan if value.low is None else value.low,
                    "high": math.nan if value.high is None else value.high,
                    "positives": "–" if value.n_positive is None else f"{value.n_positive:,}",
                    "records": "all" if one.partial is None else f"{one.partial.records:,}",
                    "specification": one.specification,
                    "source": one.source,
                    "note": one.note or "",
                }
            )
    if not rows:
        return None
    frame = pd.DataFrame(rows)
    notes = "; ".join(
        f"{plain(one.model)}: {plain(one.note)}" for one in results_of(NAME) if one.note
    )
    caption = f"Published numbers, as facts with their source; none was computed here. {notes}."
    return Table(frame, "published", caption, frame.drop(columns=["note", "specification"]))
