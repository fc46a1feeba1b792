"""Fixtures for every test; this file also puts the helper modules beside it on the path."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchbook.site.project import BENCHMARKS_VARIABLE, Project
from toy_project import make_project


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    """A fresh project with the benchmark ``toy``; the current folder is its root."""
    for name in [name for name in os.environ if name.startswith("BENCHBOOK_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv(BENCHMARKS_VARIABLE, "toy_benchmarks")
    # The package must not seem to change while somebody works on it and the tests run.
    monkeypatch.setattr("benchbook.site.build.package_hash", lambda: "package")
    monkeypatch.setattr(sys, "path", [*sys.path])
    root = tmp_path / "project"
    root.mkdir()
    monkeypatch.chdir(root)
    yield make_project(root)
    for name in [name for name in sys.modules if name.split(".")[0] == "toy_benchmarks"]:
        del sys.modules[name]
