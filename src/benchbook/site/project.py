"""A project on disk: where its notebooks, pages and records are, and what its chapters say."""

from __future__ import annotations

import importlib
import json
import os
import sys
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from benchbook.errors import BenchbookError, nearest
from benchbook.records import PROJECT_FILE, PROJECT_VARIABLE, project_root

if TYPE_CHECKING:
    from pydantic import BaseModel

BENCHMARKS_VARIABLE = "BENCHBOOK_BENCHMARKS"
"""Environment variable: package that holds one module per benchmark."""

DATA_STATEMENTS = ("published", "real", "simulated")


@dataclass(frozen=True)
class Project:
    """The folders of a project, and the package its benchmark modules are in.

    Parameters
    ----------
    root : Path
        Absolute path of the folder with ``_quarto.yml``.
    benchmarks : str
        Name of the package with one module per notebook; a folder of the project may be one.
    """

    root: Path
    benchmarks: str = "benchbook.benchmarks"

    @property
    def notebooks(self) -> Path:
        """Sources, no outputs stored."""
        return self.root / "notebooks"

    @property
    def report(self) -> Path:
        """The site's pages; executed notebooks land here."""
        return self.root / "report"

    @property
    def workspace(self) -> Path:
        """What the build remembers, and its unfinished runs."""
        return self.report / ".build"

    def page(self, name: str) -> Path:
        """Path of the executed notebook."""
        return self.report / f"{name}.ipynb"

    def files(self, name: str) -> Path:
        """Folder of the exported figures and tables."""
        return self.report / "files" / name

    def record(self, name: str) -> Path:
        """Path of the record kept in version control."""
        return self.report / "records" / f"{name}.json"

    def data(self, name: str) -> Path:
        """Folder of the bundled data."""
        return self.root / "data" / name

    def names(self) -> list[str]:
        """Name the benchmarks: one notebook each."""
        paths = self.notebooks.glob("*.ipynb")
        return sorted(path.stem for path in paths if not path.name.startswith((".", "_")))

    def select(self, names: Iterable[str]) -> list[str]:
        """Return these benchmarks once each, or all when none is named.

        Raises
        ------
        BenchbookError
            Unknown name, with the nearest known one; or a project without notebooks.
        """
        known = self.names()
        if not known:
            raise BenchbookError(f"no notebook in {self.notebooks}.")
        chosen = list(dict.fromkeys(name.removesuffix(".ipynb") for name in names))
        for name in chosen:
            if name not in known:
                hint = nearest(name, known)
                raise BenchbookError(f"unknown benchmark '{name}'; {hint}")
        return chosen or known

    def source(self, name: str) -> Path:
        """Path of a benchmark's source notebook; unknown names are refused."""
        return self.notebooks / f"{self.select([name])[0]}.ipynb"

    def module(self, name: str) -> ModuleType:
        """Import a benchmark's module.

        Raises
        ------
        BenchbookError
            When there is none.
        """
        full = f"{self.benchmarks}.{name}"
        if str(self.root) not in sys.path:
            sys.path.append(str(self.root))
        try:
            return importlib.import_module(full)
        except ModuleNotFoundError as error:
            if error.name is None or not full.startswith(error.name):
                raise  # the module is there, something it needs is not
            raise BenchbookError(f"benchmark '{name}' has no module {full}.") from None

    def model(self, name: str) -> type[BaseModel]:
        """Return the type of a benchmark's parameters."""
        module = self.module(name)
        if not hasattr(module, "Parameters"):
            raise BenchbookError(f"module {module.__name__} defines no Parameters.")
        return module.Parameters


def find_project(folder: Path | None = None) -> Project:
    """Find the project: the folder given, else BENCHBOOK_PROJECT, else from here upwards.

    Raises
    ------
    BenchbookError
        When no folder with ``_quarto.yml`` is found.
    """
    root = folder.absolute() if folder else project_root()
    if root is None or not (root / PROJECT_FILE).is_file():
        where = str(root) if root else f"{Path.cwd()} or above it"
        raise BenchbookError(
            f"no {PROJECT_FILE} in {where}; run this inside the project, or name its folder with "
            f"--project or {PROJECT_VARIABLE}."
        )
    return Project(root, os.environ.get(BENCHMARKS_VARIABLE, Project.benchmarks))


def read_notebook(path: Path) -> dict[str, Any]:
    """Read a notebook file as JSON.

    Raises
    ------
    BenchbookError
        When it is missing, not JSON, or not a notebook of format 4.
    """
    try:
        notebook = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise BenchbookError(f"notebook {path.name}: {error.strerror}.") from None
    except ValueError as error:
        raise BenchbookError(f"notebook {path.name}: not a notebook ({error}).") from None
    if not isinstance(notebook, dict) or notebook.get("nbformat") != 4:
        raise BenchbookError(f"notebook {path.name}: expected a notebook of format 4.")
    return notebook


@dataclass(frozen=True)
class Description:
    """What a notebook's front matter says about it.

    Parameters
    ----------
    name, title, description : str
        Title and one sentence for a list of benchmarks.
    data_statement : str
        ``published``, ``real`` or ``simulated``; empty when the notebook does not say.
    """

    name: str
    title: str
    description: str
    data_statement: str


def describe(project: Project, name: str) -> Description:
    """Read a notebook's front matter."""
    front = front_matter(read_notebook(project.source(name)))
    own = front.get("benchbook")
    statement = own.get("data-statement", "") if isinstance(own, dict) else ""
    title, text = (str(front.get(key) or "") for key in ("title", "description"))
    return Description(name, title or name, text, str(statement))


def front_matter(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return the YAML at the head of a notebook; empty when there is none.

    Raises
    ------
    BenchbookError
        When it is not a mapping in YAML.
    """
    from .notebook import split_front_matter

    cells = notebook.get("cells") or []
    if not cells or cells[0]["cell_type"] not in ("raw", "markdown"):
        return {}
    return split_front_matter("".join(cells[0]["source"]))[0]


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file so that it is there whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.part")
    try:
        part.write_bytes(content)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
