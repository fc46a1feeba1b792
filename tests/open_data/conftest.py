"""A project with one toy data set on a local server."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from toy_sources import Server, converter, entry, serving, write_sources


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as told:
        yield told


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = converter()
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module


@pytest.fixture
def root(tmp_path: Path, server: Server, toy: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("MIRROR", "OPEN_DATA", "PROJECT", "DATA"):
        monkeypatch.delenv(f"BENCHBOOK_{name}", raising=False)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("BENCHBOOK_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "_quarto.yml").write_text("project:\n  type: website\n", encoding="utf-8")
    write_sources(folder, {"toy-set": entry(server.base)})
    monkeypatch.chdir(folder)
    return folder
