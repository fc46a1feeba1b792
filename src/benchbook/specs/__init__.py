"""Task specifications: their schema, their hash, results tied to it, and what pages show of them.

A benchmark's ``data/NAME/spec.yml`` says what is measured. Everything in it that changes the
measurement hashes to a short id; a result belongs to one id, and one made on another is pending.
"""

from __future__ import annotations

from .canonical import canonical_json, pretty_json, short_hash
from .exhibits import (
    say_decisions,
    say_identity,
    say_limitations,
    table_classes,
    table_counts,
    table_deviations,
    table_leaderboard,
    table_protocol,
    table_sources,
    table_statements,
)
from .find import read_leaderboard, read_spec, read_task, results_of, spec_names
from .results import Entry, Leaderboard, Partial, Result, Value, leaderboard, read_results
from .schema import ChapterSpecification, Deviation, Specification, deviation_problems, not_hashed
from .task import TaskSpecification

__all__ = [
    "ChapterSpecification",
    "Deviation",
    "Entry",
    "Leaderboard",
    "Partial",
    "Result",
    "Specification",
    "TaskSpecification",
    "Value",
    "canonical_json",
    "deviation_problems",
    "leaderboard",
    "not_hashed",
    "pretty_json",
    "read_leaderboard",
    "read_results",
    "read_spec",
    "read_task",
    "results_of",
    "say_decisions",
    "say_identity",
    "say_limitations",
    "short_hash",
    "spec_names",
    "table_classes",
    "table_counts",
    "table_deviations",
    "table_leaderboard",
    "table_protocol",
    "table_sources",
    "table_statements",
]
