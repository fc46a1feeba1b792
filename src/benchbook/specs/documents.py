"""What programs read on the site: specifications and leaderboards as JSON, with their schemas.

Below ``v1/`` of the site: ``tasks/NAME.json``, ``leaderboard/NAME.json``, ``tasks/index.json``,
``schema/task.json`` and ``schema/leaderboard.json``. A change that breaks a reader gets ``v2/``.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from .find import read_task, results_of, spec_names
from .reading import read_yaml
from .results import Leaderboard, Result, leaderboard
from .schema import Count, Name, Part, ShortHash, Text, not_hashed
from .task import TaskSpecification

FOLDER = "v1"
"""Folder of the site; part of every address, so that a later form can stand beside it."""

DIALECT = "https://json-schema.org/draft/2020-12/schema"

CANONICAL_FORM = (
    "Take 'specification' without the fields named in 'not_hashed' (a dot steps into an object), "
    "write it as canonical JSON after RFC 8785 in UTF-8, and take the first 12 hexadecimal digits "
    "of its SHA-256. Text is in Unicode form NFC with single spaces already."
)


class TaskDocument(Part):
    """A benchmark task: what is measured, and the id that results refer to."""

    schema_: Annotated[Text, Field(alias="$schema")]
    specification: TaskSpecification
    hash: ShortHash
    canonical_form: Text
    not_hashed: tuple[Text, ...]
    leaderboard: Text
    page: Text


class RankedResult(Result):
    """A result with its place; equal values share one."""

    rank: Annotated[int, Field(ge=1)]


class OtherResult(Result):
    """A result without a place, and why."""

    reason: Text


class LeaderboardDocument(Part):
    """The results of a task: ranked on this specification, pending on another, or not ranked."""

    schema_: Annotated[Text, Field(alias="$schema")]
    task: Name
    version: Count
    specification: ShortHash
    metric: Name
    higher_is_better: bool
    ranked: tuple[RankedResult, ...]
    pending: tuple[OtherResult, ...]
    not_ranked: tuple[OtherResult, ...]


def task_document(spec: TaskSpecification) -> dict[str, Any]:
    """Return what ``v1/tasks/NAME.json`` holds."""
    return {
        "$schema": "../schema/task.json",
        "specification": spec.json(),
        "hash": spec.hash,
        "canonical_form": CANONICAL_FORM,
        "not_hashed": not_hashed(type(spec)),
        "leaderboard": f"../leaderboard/{spec.name}.json",
        "page": f"../../report/{spec.name}.html",
    }


def leaderboard_document(spec: TaskSpecification, board: Leaderboard) -> dict[str, Any]:
    """Return what ``v1/leaderboard/NAME.json`` holds."""
    content = board.json()
    return {
        "$schema": "../schema/leaderboard.json",
        "task": content.pop("task"),
        "version": spec.version,
        "specification": content.pop("specification"),
        "metric": content.pop("metric"),
        "higher_is_better": spec.metrics.higher_is_better,
        **content,
    }


def index_document(specs: Iterable[TaskSpecification]) -> dict[str, Any]:
    """Return what ``v1/tasks/index.json`` holds."""
    return {
        "tasks": [
            {
                "name": spec.name,
                "version": spec.version,
                "title": spec.title,
                "hash": spec.hash,
                "task": f"{spec.name}.json",
                "leaderboard": f"../leaderboard/{spec.name}.json",
            }
            for spec in specs
        ]
    }


def json_schema(document: type[Part]) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a document.

    What a schema cannot say is checked on reading: that each part made here has its deviation, and
    that counts add up. ``x-hashed: false`` marks fields that do not enter the hash.
    """
    return {"$schema": DIALECT, **document.model_json_schema(by_alias=True)}


def documents(root: Path) -> dict[str, dict[str, Any]]:
    """Make everything below ``v1/`` for a project.

    Parameters
    ----------
    root : Path
        The project's folder.

    Returns
    -------
    dict of str to dict
        Content by file name; empty for a project without a full benchmark task.

    Raises
    ------
    DataError
        A specification or a results file that cannot be used.
    """
    specs = [read_task(name, root) for name in spec_names(root) if _is_task(root, name)]
    if not specs:
        return {}
    made = {
        "tasks/index.json": index_document(specs),
        "schema/task.json": json_schema(TaskDocument),
        "schema/leaderboard.json": json_schema(LeaderboardDocument),
    }
    for spec in specs:
        board = leaderboard(spec, results_of(spec.name, root))
        made[f"tasks/{spec.name}.json"] = task_document(spec)
        made[f"leaderboard/{spec.name}.json"] = leaderboard_document(spec, board)
    return made


def _is_task(root: Path, name: str) -> bool:
    content = read_yaml(root / "data" / name / "spec.yml", f"data/{name}/spec.yml").content
    return isinstance(content, dict) and content.get("form") == "task"
