"""Results that belong to one specification, and the leaderboard made of them."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from benchbook.errors import DataError

from .reading import check, read_yaml
from .schema import Count, Part, ShortHash, Text, plain_content
from .task import TaskSpecification


class Value(Part):
    """A metric's value with its interval, where it has one."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n_positive: Count | None = None
    reason: Annotated[Text | None, Field(description="Why there is no value.")] = None

    @model_validator(mode="after")
    def _in_order(self) -> Value:
        if (self.low is None) != (self.high is None):
            raise ValueError("an interval has both bounds")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError("the bounds are in the wrong order")
        if self.value is None and self.reason is None:
            raise ValueError("an undefined value needs a reason")
        return self


class Partial(Part):
    """A run on some of the records only."""

    records: Count
    of: Count
    reason: Text

    @model_validator(mode="after")
    def _is_partial(self) -> Partial:
        if not self.records < self.of:
            raise ValueError(f"{self.records} of {self.of} records is not a part")
        return self


class Result(Part):
    """What a model scored, on which specification.

    Attributes
    ----------
    model : str
        Its name.
    kind : {"model", "baseline", "network"}
        What it is.
    specification : str
        Hash of the specification that it was made on.
    metrics : dict of str to Value
        The primary metric is among them.
    source : str
        Where the numbers come from.
    date : str or None
        Day of the run, as 2026-10-30.
    partial : Partial or None
        Set when only some of the records were run; such a result is never ranked.
    """

    model: Text
    kind: Literal["model", "baseline"] = "model"
    specification: ShortHash
    metrics: Annotated[dict[str, Value], Field(min_length=1)]
    source: Text
    date: Text | None = None
    partial: Partial | None = None
    note: Text | None = None

    @field_validator("date")
    @classmethod
    def _is_a_day(cls, date: str | None) -> str | None:
        if date is not None:
            try:
                datetime.date.fromisoformat(date)
            except ValueError:
                raise ValueError(f"'{date}' is no date; expected one as 2026-10-30") from None
        return date


class ResultsFile(Part):
    """The content of a ``results.yml``."""

    results: tuple[Result, ...]


@dataclass(frozen=True)
class Entry:
    """One line of a leaderboard.

    Attributes
    ----------
    rank : int or None
        From 1; models with equal values share a rank. None for what is not ranked.
    result : Result
        What it stands for.
    reason : str
        Why it is not ranked; empty when it is.
    """

    rank: int | None
    result: Result
    reason: str = ""


@dataclass(frozen=True)
class Leaderboard:
    """The results of a task, by what they are worth today.

    Attributes
    ----------
    task, specification, metric : str
        Name of the task, its hash, and the metric it ranks by.
    ranked : tuple of Entry
        Made on this specification, best first.
    pending : tuple of Entry
        Made on another specification: never ranked, whatever their value.
    not_ranked : tuple of Entry
        On this specification, but on some records only or without a value.
    """

    task: str
    specification: str
    metric: str
    ranked: tuple[Entry, ...]
    pending: tuple[Entry, ...]
    not_ranked: tuple[Entry, ...]

    def json(self) -> dict[str, Any]:
        """Return the leaderboard as plain data for JSON."""
        return {
            "task": self.task,
            "specification": self.specification,
            "metric": self.metric,
            **{
                name: [_entry_content(entry) for entry in getattr(self, name)]
                for name in ("ranked", "pending", "not_ranked")
            },
        }


def _entry_content(entry: Entry) -> dict[str, Any]:
    head = {"rank": entry.rank} if entry.rank is not None else {"reason": entry.reason}
    return {**head, **plain_content(entry.result)}


def read_results(path: Path, file: str | None = None) -> list[Result]:
    """Read a ``results.yml``; a benchmark without one has no results.

    Raises
    ------
    DataError
        Names the file, the line and the field at fault.
    """
    if not path.is_file():
        return []
    document = read_yaml(path, file)
    return list(check(ResultsFile, document).results)


def leaderboard(spec: TaskSpecification, results: Iterable[Result]) -> Leaderboard:
    """Rank results by the primary metric of a specification.

    Parameters
    ----------
    spec : TaskSpecification
        The specification of today.
    results : iterable of Result
        In any order.

    Returns
    -------
    Leaderboard
        Only complete results that were made on this specification, or on the origin's while it
        counts as the same (:meth:`TaskSpecification.is_current`), have a rank. Equal values share
        one, and the next rank is left out (1, 1, 3).

    Raises
    ------
    DataError
        A result without the primary metric, or two complete ones of one model on this
        specification.
    """
    metric, sign = spec.metrics.primary, -1.0 if spec.metrics.higher_is_better else 1.0
    complete: list[tuple[float, Result]] = []
    pending: list[Entry] = []
    not_ranked: list[Entry] = []
    for result in results:
        value = _primary(result, metric)
        if not spec.is_current(result.specification):
            pending.append(Entry(None, result, _stale(spec, result)))
        elif result.partial is not None:
            part = result.partial
            told = f"run on {part.records:,} of {part.of:,} records: {part.reason}"
            not_ranked.append(Entry(None, result, told))
        elif value.value is None:
            not_ranked.append(Entry(None, result, f"no value: {value.reason}"))
        else:
            complete.append((sign * value.value, result))
    _require_once(complete)
    complete.sort(key=lambda pair: (pair[0], pair[1].model))
    scores = [score for score, _ in complete]
    ranked = [Entry(scores.index(score) + 1, result) for score, result in complete]
    by_name = [sorted(part, key=_by_name) for part in (pending, not_ranked)]
    return Leaderboard(
        spec.name, spec.hash, metric, tuple(ranked), tuple(by_name[0]), tuple(by_name[1])
    )


def _by_name(entry: Entry) -> tuple[str, str, str]:
    return entry.result.model, entry.result.specification, entry.result.date or ""


def _primary(result: Result, metric: str) -> Value:
    if metric not in result.metrics:
        raise DataError(
            f"the result of '{result.model}' has no {metric}",
            found=", ".join(result.metrics),
            expected=f"{metric}, the primary metric",
        )
    return result.metrics[metric]


def _stale(spec: TaskSpecification, result: Result) -> str:
    """Say why a result is pending."""
    told = f"made on specification {result.specification}, not on {spec.hash}"
    origin = spec.origin
    if origin is None:
        return told
    if result.specification == origin.earlier_hash:
        why = f": {origin.earlier_difference}" if origin.earlier_difference else ""
        return f"made on {result.specification}, an earlier version of {origin.task}{why}"
    if result.specification == origin.equivalent_to:
        return (
            f"made on {result.specification} of {origin.task}, which was found equivalent to "
            f"{origin.ours} and not yet to {spec.hash}"
        )
    return told


def _require_once(complete: list[tuple[float, Result]]) -> None:
    names = [result.model for _, result in complete]
    for name in names:
        if names.count(name) > 1:
            raise DataError(f"'{name}' has {names.count(name)} complete results; expected one")


def value_of(result: Result, metric: str) -> tuple[float, float, float]:
    """Return value, low and high of a metric; NaN where there is none."""
    found = result.metrics.get(metric)
    if found is None:
        return math.nan, math.nan, math.nan
    numbers = (found.value, found.low, found.high)
    low, middle, high = (math.nan if n is None else n for n in (numbers[1], numbers[0], numbers[2]))
    return middle, low, high
