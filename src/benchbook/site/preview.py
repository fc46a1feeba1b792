"""The embedded renderer: the whole site without Quarto and without a network.

pandoc turns each page into HTML (:mod:`benchbook.site.markup`), ``smalldocs`` puts navigation,
search and themes around it, from the same ``_quarto.yml`` that Quarto reads.
"""

from __future__ import annotations

import copy
import html
import json
import os
import re
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import Any

from benchbook.errors import BenchbookError

from .markup import Fragment, to_fragment
from .notebook import PageSource, page_settings, split_front_matter, to_markdown
from .theme import preview_css

_TAG = re.compile(r"<(?:a|img|source|object|embed|iframe|video|audio)\b[^>]*>")
_TARGET = re.compile(r'\b(href|src|data)="([^"]*)"')
# Browsers refuse to read search.json from a page opened as a file; a script they do run.
_SEARCH_LOADER = """<script>
if (location.protocol === "file:") {
  const script = document.createElement("script");
  const offset = document.querySelector('meta[name="smalldocs:offset"]').content;
  script.src = offset + "site_libs/search-data.js";
  document.head.append(script);
}
</script>"""
_SEARCH_DATA = """{
  const entries = %s, plain = window.fetch;
  window.fetch = (address, options) => String(address).endsWith("search.json")
    ? Promise.resolve(new Response(JSON.stringify(entries))) : plain(address, options);
}
"""


def render_preview(stage: Path, output: Path) -> int:
    """Render a staged project into an empty folder.

    Parameters
    ----------
    stage : Path
        A folder from :func:`benchbook.site.stage.stage`; pictures of notebooks are written to it.
    output : Path
        Where the site goes.

    Returns
    -------
    int
        Number of pages written.

    Raises
    ------
    BenchbookError
        Pages that cannot be rendered, each with its reason.
    """
    from smalldocs.config import load

    project = load(stage)
    sources = _read_pages(project)
    fragments = _convert(stage, sources, project.config)
    site = _site(project, output, sources, fragments)
    n_pages = int(site.build())
    _write_search_data(output)
    return n_pages


def _read_pages(project: Any) -> dict[str, PageSource]:
    from smalldocs.site import Site

    defaults = page_settings(project.config)
    sources = {}
    for path in Site(project, quiet=True).discover():
        try:
            page = read_page(project.root / path, defaults)
        except BenchbookError as error:
            raise BenchbookError(f"{path}: {error}") from error
        for name, content in page.images.items():
            picture = (project.root / path).parent / name
            picture.parent.mkdir(parents=True, exist_ok=True)
            picture.write_bytes(content)
        sources[str(path)] = page
    if not sources:
        raise BenchbookError("no page to render: see 'render:' in _quarto.yml")
    return sources


def read_page(path: Path, defaults: dict[str, Any] | None = None) -> PageSource:
    """Read a page, a notebook (tidied) or a Markdown file, as Quarto's Markdown."""
    text = path.read_text(encoding="utf-8-sig")
    if path.suffix == ".ipynb":
        return to_markdown(json.loads(text), path.stem, defaults)
    front, body = split_front_matter(text.replace("\r\n", "\n"))
    if re.search(r"^```+ *\{(python|r|julia)\b", body, re.M):
        raise BenchbookError("code cells are not run here: put them in a notebook")
    return PageSource(front, body)


def _convert(
    stage: Path, sources: dict[str, PageSource], config: dict[str, Any]
) -> dict[str, Fragment]:
    """Run pandoc on every page, several at a time; report the faults of all pages together."""
    bibliography = stage / config["bibliography"] if config.get("bibliography") else None

    def convert(name: str) -> Fragment | BenchbookError:
        try:
            return to_fragment(sources[name].body, page=name, bibliography=bibliography)
        except BenchbookError as error:
            return error

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = dict(zip(sources, pool.map(convert, sources), strict=True))
    faults = [str(result) for result in results.values() if isinstance(result, BenchbookError)]
    if faults:
        raise BenchbookError("\n".join(faults))
    return {name: part for name, part in results.items() if isinstance(part, Fragment)}


def _site(
    project: Any, output: Path, sources: dict[str, PageSource], fragments: dict[str, Fragment]
) -> Any:
    """Make a smalldocs site whose page bodies come from pandoc."""
    from smalldocs.config import merge
    from smalldocs.site import Page, Site, ThemeFile

    class PandocSite(Site):
        def read(self, src: PurePosixPath) -> Any:
            front = copy.deepcopy(sources[str(src)].front)
            meta = merge(self.project.html_options(), front)
            return Page(src=src, out=src.with_suffix(".html"), front=front, meta=meta, body="")

        def render_page(self, page: Any) -> None:
            fragment = fragments[str(page.src)]
            page.html = resolve_links(fragment.html, lambda href: self.resolve(href, page))
            page.env = _environment(fragment, page.front)

    project.config = merge(project.config, {"include-in-header": [{"text": _SEARCH_LOADER}]})
    site = PandocSite(project, quiet=True)
    site.out = output
    site._themes = [
        ThemeFile(mode, mode, path, f"themes/{mode}.css")
        for mode, path in _theme_files(project, project.root).items()
    ]
    return site


def _environment(fragment: Fragment, front: dict[str, Any]) -> dict[str, Any]:
    """Write what smalldocs wants to know of a rendered page."""
    title = front.get("title")
    return {
        "title": title,
        "headings": [
            {"level": h.level, "id": h.id, "text": h.text, "classes": [], "top": True}
            for h in fragment.headings
        ],
        "search": [
            {"id": anchor, "title": heading, "text": html.escape(text)}
            for anchor, heading, text in fragment.sections
        ],
    }


def resolve_links(body: str, resolve: Any) -> str:
    """Rewrite the targets of links and pictures in a piece of HTML."""

    def target(match: re.Match[str]) -> str:
        address = html.unescape(match[2])
        return f'{match[1]}="{html.escape(resolve(address))}"' if address else match[0]

    return _TAG.sub(lambda tag: _TARGET.sub(target, tag[0]), body)


def _theme_files(project: Any, stage: Path) -> dict[str, Path]:
    """Write a stylesheet per mode: stock Bootstrap under the colours of the project's theme."""
    theme = project.html_options().get("theme") or {}
    bootstrap = files("smalldocs") / "assets/vendor/bootstrap/bootstrap.min.css"
    base = bootstrap.read_text(encoding="utf-8")
    written = {}
    for mode in ("light", "dark"):
        names = theme.get(mode) if isinstance(theme, dict) else None
        listed = names if isinstance(names, list) else [names]
        scss = [stage / str(name) for name in listed if str(name).endswith(".scss")]
        written[mode] = stage / f".theme-{mode}.css"
        written[mode].write_text(preview_css(base, mode, scss), encoding="utf-8")
    return written


def _write_search_data(output: Path) -> None:
    index = output / "search.json"
    if index.is_file():
        entries = index.read_text(encoding="utf-8")
        (output / "site_libs/search-data.js").write_text(_SEARCH_DATA % entries, encoding="utf-8")
