"""The toy site, rendered once by each renderer there is."""

from __future__ import annotations

from pathlib import Path

import pytest
from toy import write_project

from benchbook.site.project import Project
from benchbook.site.render import Rendered, find_quarto, render


@pytest.fixture(scope="session")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The toy project, rendered into its own ``_site``; tests must not change it."""
    return Project(write_project(tmp_path_factory.mktemp("toy")))


@pytest.fixture(scope="session")
def preview(toy: Project) -> Rendered:
    return render(toy, renderer="preview")


@pytest.fixture(scope="session")
def quarto(toy: Project, tmp_path_factory: pytest.TempPathFactory) -> Rendered:
    if find_quarto() is None:
        pytest.skip("Quarto is not installed: only the embedded preview can be tested")
    return render(toy, tmp_path_factory.mktemp("quarto") / "_site", renderer="quarto")


@pytest.fixture(params=["preview", "quarto"])
def site(request: pytest.FixtureRequest) -> Path:
    """The toy site, once by the preview and, where there is one, once by Quarto."""
    return request.getfixturevalue(request.param).path


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A fresh toy project that a test may change."""
    return Project(write_project(tmp_path / "project"))
