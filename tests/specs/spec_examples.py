"""A small task specification and its YAML, for tests of specifications."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from benchbook.specs.find import spec_of
from benchbook.specs.reading import read_yaml
from benchbook.specs.schema import Specification
from benchbook.specs.task import TaskSpecification

ROOT = Path(__file__).parents[2]
COMMIT, DIGEST = "0f" * 20, "ab" * 32


def content() -> dict[str, Any]:
    """Return the content of a sound specification, new for each call."""
    counts = {"records": 10, "scored": 8, "groups": 6, "positives": {"A": 5, "B/C": 2}}
    return {
        "form": "task",
        "name": "toy",
        "title": "A toy",
        "version": 0,
        "preview": True,
        "visibility": "open",
        "kind": "multilabel",
        "dataset": {
            "name": "toy",
            "title": "Toys",
            "release": "1.0",
            "publisher": "Nobody",
            "doi": "10.1234/toy",
            "licence": "CC BY 4.0",
            "citation": "Nobody. Toys.",
        },
        "classes": {
            "A": {"definition": "First.", "system": "SNOMED CT", "codes": ["1", "2"]},
            "B/C": {"definition": "Second.", "statements": [{"numbers": "7", "text": "B or C"}]},
        },
        "labels": {"source": "made", "definite_only": True, "no_class": "Nothing else."},
        "protocol": {
            "adopted": "A task.",
            "source": "A paper.",
            "address": "https://example.org/",
            "transfer": True,
            "scorer": {"repository": "https://example.org/score", "commit": COMMIT},
        },
        "made_here": ["labels", "split"],
        "replaced": ["data"],
        "deviations": [
            "Data: other data.",
            "Labels: other labels. Checked: by eye.",
            "Split: another split. Checked: by a test.",
        ],
        "exclusions": {"flat": {"rule": "flat", "n_records": 1, "parts": {"test": 1}}},
        "input": {
            "image": {"seconds": 10, "gain": 2.5},
            "leads": {"stored": "I"},
            "never": ["an id"],
            "render": {"crop": 0.01, "augment": True},
            "per_record": "seeded",
            "gain": "1",
        },
        "prediction": "names",
        "parser": {"version": "v0", "rule": "last", "unparsed": "none"},
        "prompt": {"id": "v0", "content": "classes", "temperature": 0, "max_tokens": 10},
        "metrics": {"primary": "macro_f", "bootstrap": {"by": "group", "n": 1000}},
        "split": {
            "by": "group",
            "source": "split.csv",
            "sha256": DIGEST,
            "seed": 1,
            "rule": "random",
            "parts": {"test": {"draws": 11, "of": 20, "stream": 0}},
        },
        "counts": {
            "parts": {"test": counts},
            "sources": [{"label": "A", "kinds": ["x", "y"], "parts": {"test": [3, 2]}}],
            "hedged": {"part": "test", "would_add": {"A": 1}},
        },
        "limitations": ["It is a toy."],
        "decisions": ["To make one."],
        "origin": {"task": "toy@0", "hash": "aaaaaaaaaaaa", "earlier_hash": "bbbbbbbbbbbb"},
    }


def write(folder: Path, data: Any, name: str = "toy") -> Path:
    """Write a content as data/NAME/spec.yml of a project, and return the file."""
    path = folder / "data" / name / "spec.yml"
    path.parent.mkdir(parents=True, exist_ok=True)
    text = data if isinstance(data, str) else yaml.safe_dump(data, allow_unicode=True)
    path.write_text(text, encoding="utf-8")
    return path


def read(folder: Path, data: Any) -> Specification:
    """Return the specification that a content or a YAML text gives."""
    return spec_of(read_yaml(write(folder, data), "spec.yml"))


def toy(folder: Path, **changes: Any) -> TaskSpecification:
    """Return the toy specification with some top-level fields changed."""
    spec = read(folder, content() | changes)
    assert isinstance(spec, TaskSpecification)
    return spec
