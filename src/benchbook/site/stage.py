"""The sources of the site, copied to a folder of their own and tidied for a renderer."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import yaml

from benchbook.errors import BenchbookError

from .interface import write_interface
from .notebook import tidy
from .project import Project, read_notebook

CONFIG = "_quarto.yml"
PAGES = (".qmd", ".md", ".ipynb")


def read_config(root: Path) -> dict[str, Any]:
    """Read the project's ``_quarto.yml``.

    Raises
    ------
    BenchbookError
        When it is missing or not a mapping in YAML.
    """
    try:
        config = yaml.safe_load((root / CONFIG).read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise BenchbookError(f"{CONFIG}: {error.strerror}") from error
    except yaml.YAMLError as error:
        raise BenchbookError(f"{CONFIG} is not valid YAML: {error}") from error
    if not isinstance(config, dict):
        raise BenchbookError(f"{CONFIG} must be a list of 'key: value' lines")
    return config


def stage(project: Project, folder: Path) -> list[str]:
    """Copy what the site is made of into an empty folder, notebooks tidied.

    Parameters
    ----------
    project : Project
        The project; nothing in it changes.
    folder : Path
        Becomes a project of its own that any renderer takes.

    Returns
    -------
    list of str
        The pages, by their path in the project.

    Raises
    ------
    BenchbookError
        A page named in the navigation is missing: a chapter that has not been built; or a
        specification cannot be used.
    """
    config = read_config(project.root)
    _require_navigation(project, config)
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy2(project.root / CONFIG, folder / CONFIG)
    pages = []
    for path in _sources(project, config):
        name = path.relative_to(project.root).as_posix()
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".ipynb":
            target.write_text(_tidied(path, name), encoding="utf-8")
        else:
            shutil.copy2(path, target)
        if path.suffix in PAGES:
            pages.append(name)
    write_interface(project.root, folder)
    return pages


def _tidied(path: Path, name: str) -> str:
    try:
        return json.dumps(tidy(read_notebook(path)), ensure_ascii=False, indent=1)
    except BenchbookError as error:
        raise BenchbookError(f"{name}: {error}") from error


def _sources(project: Project, config: dict[str, Any]) -> Iterator[Path]:
    """Yield the pages at the top, then everything in the report folder that is current."""
    yield from sorted(path for path in project.root.glob("*.qmd") if path.is_file())
    for path in sorted(project.report.rglob("*")):
        parts = path.relative_to(project.report).parts
        if not path.is_file() or any(part.startswith((".", "_")) for part in parts):
            continue
        if path.suffix == ".ipynb" and not _is_current(project, path):
            continue
        yield path
    for pattern in _listed(config.get("project", {}).get("resources")):
        yield from sorted(path for path in project.root.glob(pattern) if path.is_file())


def _is_current(project: Project, page: Path) -> bool:
    """Tell whether an executed notebook still has its source; a stale page is not published."""
    return not project.notebooks.is_dir() or (project.notebooks / page.name).is_file()


def _require_navigation(project: Project, config: dict[str, Any]) -> None:
    missing = [name for name in _navigation(config) if not (project.root / name).is_file()]
    chapters = [Path(name).stem for name in missing if name.endswith(".ipynb")]
    if missing:
        advice = f"; run 'benchbook build {' '.join(chapters)}' first" if chapters else ""
        raise BenchbookError(f"{CONFIG} lists {', '.join(missing)}, which is not there{advice}.")


def _navigation(config: dict[str, Any]) -> list[str]:
    """Return the page files that the navbar and the sidebars name."""
    website = config.get("website", {})
    found = [name for part in ("navbar", "sidebar") for name in _named(website.get(part))]
    return [name for name in dict.fromkeys(found) if not re.search(r"[*?\[]", name)]


def unlisted(config: dict[str, Any], pages: list[str]) -> list[str]:
    """Return a sentence for each page that a reader will not find: no menu names it.

    A chapter belongs into every menu that the site has, another page into one of them.

    Parameters
    ----------
    config : dict
        From `read_config`.
    pages : list of str
        From `stage`.
    """
    website = config.get("website", {})
    menus = {part: _named(website[part]) for part in ("navbar", "sidebar") if website.get(part)}
    told = []
    for page in pages:
        absent = [
            part
            for part, names in menus.items()
            if not any(fnmatch(page, name) for name in names) and not _automatic(website[part])
        ]
        if absent and (page.endswith(".ipynb") or len(absent) == len(menus)):
            told.append(f"{page} is not listed in the {' and the '.join(absent)} of {CONFIG}.")
    return told


def _automatic(menu: object) -> bool:
    """Tell whether Quarto itself fills a menu with the pages of a folder."""
    return bool(re.search(r"'auto'", repr(menu)))


def _named(menu: object) -> list[str]:
    """Return the page files and patterns that a menu names."""
    found: list[str] = []

    def visit(item: object) -> None:
        if isinstance(item, str):
            if not re.match(r"[a-z]+:", item) and item.endswith(PAGES):
                found.append(item)
        elif isinstance(item, list):
            for entry in item:
                visit(entry)
        elif isinstance(item, dict):
            for key in ("href", "file", "url", "contents", "menu", "left", "right", "tools"):
                visit(item.get(key))

    visit(menu)
    return found


def _listed(value: object) -> list[str]:
    if value is None:
        return []
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]
