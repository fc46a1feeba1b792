"""The website: rendered by Quarto where it is installed, else by the embedded preview."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from benchbook.errors import BenchbookError, ParameterError

from .check import check_site
from .page import render_page
from .preview import render_preview
from .project import Project
from .stage import read_config, stage, unlisted

__all__ = ["Quarto", "Rendered", "find_quarto", "render", "render_page"]

OLDEST_QUARTO = (1, 4)
"""Figures, tables and references got their present markup in Quarto 1.4."""

ABANDONED = 3600.0
"""Seconds after which the scratch folder of a rendering that was killed is removed."""

RENDERERS = ("auto", "quarto", "preview")
RENDERING = ("check.py", "crossref.lua", "markup.py", "notebook.py", "preview.py", "theme.py")
"""The parts of this package that a site depends on; another version makes a new site."""

STAMP = ".benchbook-site.json"
_SHOWN_PROBLEMS = 30


@dataclass(frozen=True)
class Quarto:
    """An installed Quarto: its command and its version."""

    command: str
    version: str


@dataclass(frozen=True)
class Rendered:
    """A rendered site; usable wherever a path is.

    Attributes
    ----------
    path : Path
        The folder with the site.
    renderer : str
        ``"Quarto 1.9.38"`` or ``"embedded preview"``.
    n_pages : int
        Number of pages.
    unchanged : bool
        Nothing had changed since the last rendering, so nothing was done.
    seconds : float
        Time taken.
    warnings : tuple of str
        Pages that no menu lists.
    """

    path: Path
    renderer: str
    n_pages: int
    unchanged: bool
    seconds: float
    warnings: tuple[str, ...] = ()

    def __fspath__(self) -> str:
        return str(self.path)

    @property
    def address(self) -> str:
        """The first page, as a browser takes it."""
        return (self.path / "index.html").resolve().as_uri()


def find_quarto() -> Quarto | None:
    """Find a Quarto that runs: ``QUARTO_PATH``, this environment, then the search path.

    Returns
    -------
    Quarto or None
        None where there is none, where it does not start (an installation whose download was
        blocked), or where it is older than :data:`OLDEST_QUARTO`.
    """
    here = str(Path(sys.executable).parent)
    search = os.pathsep.join([here, os.environ.get("PATH", "")])
    command = os.environ.get("QUARTO_PATH") or shutil.which("quarto", path=search)
    if not command:
        return None
    try:
        run = subprocess.run(
            [command, "--version"], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.match(r"(\d+)\.(\d+)[.\w-]*", run.stdout.strip())
    if run.returncode or not match or (int(match[1]), int(match[2])) < OLDEST_QUARTO:
        return None
    return Quarto(command, match[0])


def render(project: Project, output: Path | None = None, renderer: str = "auto") -> Rendered:
    """Render the website from the executed notebooks and the other pages; nothing is executed.

    The new site replaces the old one only when it is complete and has passed
    :func:`benchbook.site.check.check_site`; an interrupted or faulty rendering changes nothing.

    Parameters
    ----------
    project : Project
        The project, its chapters already built.
    output : Path, optional
        The folder to write, by default the project's ``_site``.
    renderer : {"auto", "quarto", "preview"}
        ``"auto"`` takes Quarto when :func:`find_quarto` finds one.

    Returns
    -------
    Rendered
        Where the site is and who made it.

    Raises
    ------
    ParameterError
        Unknown renderer.
    BenchbookError
        Quarto asked for and not found, a page that cannot be rendered, or faults in the rendered
        site: each one with its page.
    """
    started = time.perf_counter()
    quarto = _choose(renderer)
    name = f"Quarto {quarto.version}" if quarto else "embedded preview"
    config = read_config(project.root)
    configured = config.get("project", {}).get("output-dir")
    output = output or project.root / (configured or "_site")
    _require_replaceable(output)
    with _scratch(project, output) as folder:
        pages = stage(project, folder / "source")
        warnings = tuple(unlisted(config, pages))
        key = _key(folder / "source", name)
        if _stamp(output) == (key, _listing(output)):
            seconds = time.perf_counter() - started
            return Rendered(output, name, len(pages), True, seconds, warnings)
        new = folder / "site"
        if quarto:
            _run_quarto(quarto, folder / "source", new)
        else:
            render_preview(folder / "source", new)
        _require_sound(new, project.root)
        _write_stamp(new, key)
        _swap(new, output, folder / "old")
    return Rendered(output, name, len(pages), False, time.perf_counter() - started, warnings)


def _choose(renderer: str) -> Quarto | None:
    if renderer not in RENDERERS:
        raise ParameterError(f"unknown renderer '{renderer}'; known: {', '.join(RENDERERS)}.")
    quarto = None if renderer == "preview" else find_quarto()
    if renderer == "quarto" and quarto is None:
        oldest = ".".join(map(str, OLDEST_QUARTO))
        raise BenchbookError(
            f"no Quarto {oldest} or newer is installed; 'make quarto' tries to bring one, "
            "and the embedded preview needs none."
        )
    return quarto


@contextmanager
def _scratch(project: Project, output: Path) -> Iterator[Path]:
    """Give a folder on the output's own disk, so that the finished site can be moved in place."""
    inside = output.absolute().is_relative_to(project.root.absolute())
    parent = project.workspace if inside else output.absolute().parent
    for left in project.workspace.glob("render-*"):
        if time.time() - left.stat().st_mtime > ABANDONED:
            shutil.rmtree(left, ignore_errors=True)
    folder = parent / f"render-{uuid.uuid4().hex[:8]}"
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run_quarto(quarto: Quarto, source: Path, new: Path) -> None:
    run = subprocess.run(
        [quarto.command, "render", str(source)],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    made = source / (read_config(source).get("project", {}).get("output-dir") or "_site")
    if run.returncode or not (made / "index.html").is_file():
        told = re.sub(r"\x1b\[[0-9;]*m", "", run.stderr).replace(str(source), ".").strip()
        raise BenchbookError(f"Quarto could not render the site:\n{told[-4000:]}")
    made.rename(new)


def _require_sound(site: Path, root: Path) -> None:
    problems = check_site(site, private=[root])
    if problems:
        shown = [f"  {problem}" for problem in problems[:_SHOWN_PROBLEMS]]
        if len(problems) > _SHOWN_PROBLEMS:
            shown.append(f"  and {len(problems) - _SHOWN_PROBLEMS} more")
        count = f"{len(problems)} fault{'s' if len(problems) > 1 else ''}"
        raise BenchbookError(
            f"the rendered site has {count}, so it was not put in place:\n" + "\n".join(shown)
        )


def _require_replaceable(output: Path) -> None:
    """Refuse to replace a folder that holds anything but a rendered site."""
    if output.is_dir() and (not any(output.iterdir()) or (output / "site_libs").is_dir()):
        return
    if output.exists():
        raise BenchbookError(
            f"{output} is not a rendered site, so it is not replaced; give another folder."
        )


def _swap(new: Path, output: Path, old: Path) -> None:
    """Put the new site in the place of the old one, or leave the old one as it was."""
    if not output.exists():
        new.rename(output)
        return
    output.rename(old)
    try:
        new.rename(output)
    except OSError:
        old.rename(output)
        raise


# ------------------------------------------------------------------------------ nothing changed?


def _key(source: Path, renderer: str) -> str:
    """Hash everything a rendering depends on."""
    digest = hashlib.sha256()
    tools = [renderer, version("smalldocs"), version("pypandoc-binary")]
    digest.update("\0".join(tools).encode())
    package = Path(__file__).parent
    files = [(path.relative_to(source).as_posix(), path) for path in source.rglob("*")]
    files += [(name, package / name) for name in RENDERING]
    for name, path in sorted(files):
        if path.is_file():
            digest.update(name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _listing(site: Path) -> dict[str, int]:
    """Return the files of a site with their sizes."""
    if not site.is_dir():
        return {}
    return {
        path.relative_to(site).as_posix(): path.stat().st_size
        for path in sorted(site.rglob("*"))
        if path.is_file() and path.name != STAMP
    }


def _stamp(site: Path) -> tuple[str, dict[str, int]] | None:
    try:
        stamp = json.loads((site / STAMP).read_text(encoding="utf-8"))
        return stamp["key"], stamp["files"]
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _write_stamp(site: Path, key: str) -> None:
    stamp = {"key": key, "files": _listing(site)}
    (site / STAMP).write_text(json.dumps(stamp, indent=0), encoding="utf-8")
