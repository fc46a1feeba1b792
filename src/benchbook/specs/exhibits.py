"""What a page shows of a specification: tables and computed sentences.

Tables go to :meth:`benchbook.display.Shelf.show`, texts to :func:`benchbook.display.say`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import pandas as pd

from benchbook.display import Table, plain

from .results import Entry, Result, leaderboard, value_of
from .schema import Specification
from .task import ClassRule, Program, TaskSpecification


def table_classes(spec: TaskSpecification) -> Table:
    """Return the classes with their definitions and codes."""
    rows = [
        {
            "class": name,
            "definition": rule.definition,
            "codes": _codes(rule),
        }
        for name, rule in spec.classes.items()
    ]
    caption = (
        f"The {len(rows)} classes and what in the data makes them. {plain(spec.labels.no_class)}"
    )
    return Table(pd.DataFrame(rows), "classes", caption)


def _codes(rule: ClassRule) -> str:
    if rule.codes:
        return f"{rule.system or 'codes'} {', '.join(rule.codes)}"
    if rule.n_codes:
        return f"{rule.n_codes} {rule.system or ''} codes".replace("  ", " ")
    return "by statement" if rule.statements else "–"


def table_statements(spec: TaskSpecification) -> Table | None:
    """Return the statements that make a class whatever its codes; None when there are none."""
    rows = [
        {"class": name, "statement numbers": entry.numbers, "text": entry.text}
        for name, rule in spec.classes.items()
        for entry in rule.statements
    ]
    caption = "Statements of the electrocardiograph that make a class by their text."
    return Table(pd.DataFrame(rows), "statements", caption) if rows else None


def table_protocol(spec: TaskSpecification) -> Table:
    """Return what was adopted, from where, at which commit, and what was made here."""
    protocol = spec.protocol
    rows = [
        ("adopted", protocol.adopted),
        ("source", protocol.source),
        ("data", f"{spec.dataset.title}, {spec.dataset.release}, doi:{spec.dataset.doi}"),
        ("licence of the data", spec.dataset.licence),
        ("scoring", _program(protocol.scorer)),
    ]
    if protocol.label_rules:
        rows.append(("label rules", _program(protocol.label_rules)))
    if protocol.renderer:
        rows.append(("renderer", _program(protocol.renderer)))
    bootstrap = spec.metrics.bootstrap
    rows += [
        ("made here", ", ".join(spec.made_here) or "nothing"),
        ("prediction", spec.prediction),
        ("parser", f"{spec.parser.version}: {spec.parser.rule}"),
        ("primary metric", _words(spec.metrics.primary)),
        ("intervals", f"bootstrap by {bootstrap.by}, {bootstrap.n:,} resamples"),
    ]
    frame = pd.DataFrame(rows, columns=["part", "what"])
    caption = (
        f"The protocol. {len(spec.made_here)} parts were made here; "
        "each has a deviation that says how it was checked."
    )
    return Table(frame, "protocol", caption)


def _program(program: Program) -> str:
    parts = [program.repository, f"commit {program.commit}"]
    parts += [text for text in (program.date, program.file, program.use) if text]
    return ", ".join(parts)


def table_deviations(spec: Specification) -> Table | None:
    """Return each deviation from the protocol, and how it was checked; None without any."""
    rows = [
        {
            "part": entry.part,
            "deviation": _sentence(entry.text),
            "checked": _sentence(entry.checked) or "–",
        }
        for entry in spec.deviation_parts
    ]
    if not rows:
        return None
    n_checked = sum(bool(entry.checked) for entry in spec.deviation_parts)
    caption = (
        f"{len(rows)} deviations; {n_checked} are about parts made here, and say how they "
        "were checked."
    )
    return Table(pd.DataFrame(rows), "deviations", caption)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def table_counts(spec: TaskSpecification) -> Table:
    """Return records, groups and positives of each part, and the share in the part scored."""
    parts = spec.counts.parts
    scored = "test" if "test" in parts else next(iter(parts))
    heads = {"records": "records", "scored": "scored records", "groups": "groups"}
    rows = [
        {"count": words, **{name: getattr(part, key) for name, part in parts.items()}}
        for key, words in heads.items()
    ]
    rows += [
        {"count": label, **{name: part.positives[label] for name, part in parts.items()}}
        for label in spec.classes
    ]
    share = f"share of scored, {scored}"
    for row in rows[: len(heads)]:
        row[share] = math.nan
    total = parts[scored].scored
    for row in rows[len(heads) :]:
        row[share] = int(row[scored]) / total if total else math.nan
    rarest = min(spec.classes, key=lambda label: parts[scored].positives[label])
    caption = (
        f"Records and positives of each part. The rarest class, {plain(rarest)}, has "
        f"{parts[scored].positives[rarest]:,} positives among {total:,} scored {scored} records."
    )
    frame = pd.DataFrame(rows)
    shown = frame.assign(**{name: frame[name].map("{:,}".format) for name in parts})
    return Table(frame, "counts", caption, shown)


def table_sources(spec: TaskSpecification) -> Table | None:
    """Return where the positives of single classes come from; None when it is not told."""
    rows = [
        {
            "class": source.label,
            "from": kind,
            **{name: source.parts[name][k] for name in spec.counts.parts if name in source.parts},
        }
        for source in spec.counts.sources
        for k, kind in enumerate(source.kinds)
    ]
    hedged = spec.counts.hedged
    if hedged:
        rows += [
            {"class": label, "from": "hedged statements, not counted", hedged.part: n}
            for label, n in hedged.would_add.items()
        ]
    if not rows:
        return None
    columns = ["class", "from", *spec.counts.parts]
    frame = pd.DataFrame(rows).reindex(columns=columns).astype(dict.fromkeys(columns[2:], "Int64"))
    caption = "Where positives come from, and how many hedged statements would add."
    return Table(frame, "sources", caption)


def table_leaderboard(spec: TaskSpecification, results: Iterable[Result]) -> Table:
    """Return ranked results, then pending ones and ones that are not ranked, with the reason."""
    board = leaderboard(spec, results)
    groups = {"ranked": board.ranked, "pending": board.pending, "not ranked": board.not_ranked}
    rows = [
        _row(entry, standing, board.metric)
        for standing, entries in groups.items()
        for entry in entries
    ]
    columns = ["rank", "model", "value", "low", "high", "standing", "reason", "specification"]
    frame = pd.DataFrame(rows, columns=columns)
    caption = (
        f"Results by {_words(board.metric)} on specification `{board.specification}`: "
        f"{len(board.ranked)} ranked, {len(board.pending)} pending, "
        f"{len(board.not_ranked)} not ranked."
    )
    return Table(frame, "leaderboard", caption)


def _words(metric: str) -> str:
    return metric.replace("f_measure", "F-measure").replace("_", " ")


def _row(entry: Entry, standing: str, metric: str) -> dict[str, object]:
    value, low, high = value_of(entry.result, metric)
    return {
        "rank": "–" if entry.rank is None else str(entry.rank),
        "model": entry.result.model,
        "value": value,
        "low": low,
        "high": high,
        "standing": standing,
        "reason": entry.reason or "–",
        "specification": entry.result.specification,
    }


def say_identity(spec: Specification) -> str:
    """Return the short id, what it covers, and links to the specification as JSON."""
    told = (
        f"This is specification `{spec.hash}` of {plain(spec.title)}: the first 12 digits of the "
        "SHA-256 of everything in it that changes what is measured, in canonical JSON (RFC 8785). "
        "Order of names, comments, white space and quoting change nothing."
    )
    if not isinstance(spec, TaskSpecification):
        return told
    links = (
        f"As JSON: [specification](../v1/tasks/{spec.name}.json), "
        f"[results](../v1/leaderboard/{spec.name}.json), [schema](../v1/schema/task.json)."
    )
    return f"{told}\n{_say_origin(spec)}{links}"


def _say_origin(spec: TaskSpecification) -> str:
    origin = spec.origin
    if origin is None:
        return ""
    if origin.equivalent_to and spec.is_current(origin.equivalent_to):
        return (
            f"It restates `{origin.task}` at `{origin.hash}`, so results made on that one "
            "count here.\n"
        )
    return (
        f"It comes from `{origin.task}` at `{origin.hash}` and is not declared equivalent "
        "to it, so results made on that one are pending.\n"
    )


def say_limitations(spec: Specification) -> str:
    """Return the limitations as a list."""
    return _list(spec.limitations)


def say_decisions(spec: Specification) -> str:
    """Return the decisions as a list."""
    return _list(spec.decisions)


def _list(texts: Iterable[str]) -> str:
    return "\n".join(f"- {plain(text)}" for text in texts)
