"""A check of the rendered website, whoever rendered it.

Renderers only warn of a reference without a target, an unknown citation or a missing picture, and
publish the page all the same. So the finished HTML is read again, page by page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param"}
    | {"source", "track", "wbr"}
)
# Text in these is not prose: dollar signs and at signs in it mean what they say.
VERBATIM = frozenset(["code", "pre", "script", "style", "annotation", "textarea", "title"])
SHOWN = frozenset(["img", "svg", "table", "math", "pre", "video", "canvas", "object"])
# Elements nobody links to; Quarto gives both of its theme links the same id.
UNSEEN = frozenset(["link", "meta", "script", "style"])
# `rel` values of <link> whose target a browser fetches by itself.
FETCHED = frozenset(
    {"stylesheet", "icon", "apple-touch-icon", "manifest", "modulepreload", "preload"}
    | {"prefetch", "preconnect", "dns-prefetch"}
)
UNCAPTIONED = "uncaptioned"
"""Class of a div whose small tables and pictures deliberately have no caption."""

_REMOTE = re.compile(r"\s*(?:(?:https?|ftp|wss?):)?//", re.I)
_CSS_REMOTE = re.compile(r"""(?:url\(\s*['"]?|@import\s+['"])((?:https?:)?//[^'")\s]+)""", re.I)
_SCRIPT_REMOTE = re.compile(r"""\b(?:import\s*\(?|from)\s*['"](https?://[^'"]+)""")
_LEFT_OVER = (
    ("unresolved reference", re.compile(r"\?@[\w-]+")),
    ("reference left as text", re.compile(r"(?<![\w?@])@(?:fig|tbl|eq|sec|lst)-[\w-]+")),
    ("citation left as text", re.compile(r"\[-?@[A-Za-z][\w:.-]*")),
    ("mathematics left as text", re.compile(r"\$\$")),
    ("mathematics left as text", re.compile(r"\$(?=\S)[^$\n]*[\\^_{][^$\n]*(?<=\S)\$")),
    ("mathematics left as text", re.compile(r"\$[A-Za-z]\$")),
    ("label left as text", re.compile(r"\{#(?:fig|tbl|eq|sec|lst)-[^}]*\}?")),
    ("div fence left as text", re.compile(r"(?:^|\s):{3,}(?:\s|$)")),
    ("shortcode left as text", re.compile(r"\{\{<.*?>\}\}")),
)
_MACHINE_PATH = re.compile(
    r"(?<![\w.~])/(?:home|Users|root|tmp|private/var|var/folders)/[\w.-]+|"
    r"\b[A-Za-z]:\\Users\\[^\s\\]+|file:///?[\w.%~/-]*"
)
_NUMBER = re.compile(r"^(?:(?:Figure|Table)\s*\d+|\([a-z]\))\s*:?\s*")


@dataclass(frozen=True)
class Problem:
    """One fault of the rendered site.

    Attributes
    ----------
    page : str
        The page, or the file, relative to the site's folder.
    kind : str
        What sort of fault, the same words for the same sort.
    detail : str
        The target, label or text at fault.
    """

    page: str
    kind: str
    detail: str

    def __str__(self) -> str:
        return f"{self.page}: {self.kind}: {self.detail}"


@dataclass
class _Element:
    """An open element, with what its end tag will be judged by."""

    tag: str
    classes: frozenset[str]
    attributes: dict[str, str]
    text: list[str] = field(default_factory=list)
    shows: bool = False
    caption: str | None = None


class _Page(HTMLParser):
    """Read one page: its faults, its anchors and its links."""

    def __init__(self, name: str, private: Iterable[str]) -> None:
        super().__init__(convert_charrefs=True)
        self.name = name
        self.private = [text for text in private if text]
        self.problems: list[Problem] = []
        self.ids: Counter[str] = Counter()
        self.links: list[tuple[str, str]] = []
        self.open: list[_Element] = []

    def report(self, kind: str, detail: str) -> None:
        self.problems.append(Problem(self.name, kind, " ".join(detail.split())[:160]))

    def inside(self, *tags: str) -> bool:
        return any(element.tag in tags for element in self.open)

    def has_class(self, name: str) -> bool:
        return any(name in element.classes for element in self.open)

    # -- tags

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {key: value or "" for key, value in attrs}
        element = _Element(tag, frozenset(attributes.get("class", "").split()), attributes)
        for name in ("id", "name") if tag == "a" else ("id",):
            if attributes.get(name) and tag not in UNSEEN:
                self.ids[attributes[name]] += 1
        self._check_loads(tag, attributes)
        self._check_paths(" ".join(attributes.values()))
        if "cell-output-stderr" in element.classes or "cell-output-error" in element.classes:
            self.report("error or warning shown", "a cell's standard error or traceback")
        if tag in SHOWN:
            for outer in self.open:
                outer.shows = True
        if tag == "img":
            self._check_image(attributes)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if not any(element.tag == tag for element in self.open):
            return
        while True:
            element = self.open.pop()
            self._close(element)
            if element.tag == tag:
                return

    def _close(self, element: _Element) -> None:
        text = " ".join("".join(element.text).split())
        if element.tag in ("figcaption", "caption"):
            owner = "figure" if element.tag == "figcaption" else "table"
            for outer in reversed(self.open):
                if outer.tag == owner:
                    outer.caption = text
                    break
        elif element.tag == "figure":
            self._check_figure(element)
        elif element.tag == "table":
            self._check_table(element, text)
        elif element.tag == "span":
            self._check_span(element, text)
        elif element.tag == "style":
            self._remote_in_css(text)
        elif element.tag == "script":
            for match in _SCRIPT_REMOTE.finditer(text):
                self.report("loads from another host", match[1])

    # -- text

    def handle_data(self, data: str) -> None:
        for element in self.open:
            if element.tag in ("figcaption", "caption", "table", "span", "style", "script"):
                element.text.append(data)
        if self.inside("script", "style"):
            return
        self._check_paths(data)
        if "Traceback (most recent call last)" in data and self.has_class("cell-output"):
            self.report("error or warning shown", "a traceback")
        if data.startswith("#| ") and self.inside("pre"):
            self.report("cell option shown as code", data.splitlines()[0])
        if self.inside(*VERBATIM):
            return
        for kind, pattern in _LEFT_OVER:
            for match in pattern.finditer(data):
                self.report(kind, match[0])

    def _check_paths(self, text: str) -> None:
        for match in _MACHINE_PATH.finditer(text):
            self.report("path of one machine", match[0])
        for path in self.private:
            if path in text:
                self.report("path of one machine", path)

    # -- what elements must have

    def _check_loads(self, tag: str, attributes: dict[str, str]) -> None:
        if "style" in attributes:
            self._remote_in_css(attributes["style"])
        for name in ("href", "xlink:href", "src", "srcset", "data", "poster"):
            value = attributes.get(name)
            if value is None or (name == "data" and tag != "object"):
                continue
            fetched = name != "href" or tag in ("use", "image", "feImage")
            if tag == "link":
                fetched = bool(FETCHED & set(attributes.get("rel", "").lower().split()))
            if fetched and _REMOTE.match(value):
                self.report("loads from another host", value)
            elif tag != "link" or fetched:
                self.links.append((tag, value))

    def _remote_in_css(self, css: str) -> None:
        for match in _CSS_REMOTE.finditer(css):
            self.report("loads from another host", match[1])

    def _check_image(self, attributes: dict[str, str]) -> None:
        source = attributes.get("src", "")
        shown = source if len(source) < 100 else source[:40] + "…"
        if not attributes.get("alt", "").strip() and not self.inside("nav", "header"):
            self.report("picture without alternative text", shown)
        if self.inside("main") and not self.inside("figure") and not self.has_class(UNCAPTIONED):
            self.report("figure without caption", shown)

    def _check_figure(self, figure: _Element) -> None:
        inner = [e for e in self.open if e.attributes.get("id", "").startswith(("fig-", "tbl-"))]
        label = inner[-1].attributes["id"] if inner else "a figure without label"
        if not figure.shows:
            self.report("empty figure", label)
        if not _NUMBER.sub("", figure.caption or "") and not self.has_class(UNCAPTIONED):
            kind = "table" if label.startswith("tbl-") else "figure"
            self.report(f"{kind} without caption", label)

    def _check_table(self, table: _Element, text: str) -> None:
        exempt = self.has_class(UNCAPTIONED) or not self.inside("main") or self.inside("table")
        if not table.caption and not self.inside("figure") and not exempt:
            self.report("table without caption", text[:60])

    def _check_span(self, span: _Element, text: str) -> None:
        if "citation" in span.classes:
            for key in span.attributes.get("data-cites", "").split():
                if f"{key}?" in text:
                    self.report("unknown citation", key)
        if "math" in span.classes and not span.shows and text:
            self.report("mathematics left as text", text)


def check_site(site: Path, private: Iterable[Path] = ()) -> list[Problem]:
    """Find what is wrong with a rendered site.

    Parameters
    ----------
    site : Path
        The folder that holds the site.
    private : iterable of Path
        Folders of this machine whose path no page may show.

    Returns
    -------
    list of Problem
        Empty for a sound site. Reported are: references, citations, labels and mathematics left as
        text; unknown citations; links and anchors that lead nowhere; missing pictures; pictures
        without alternative text; figures and tables that are empty or without caption; anything a
        browser would load from another host; ids used twice; error output; paths of one machine.
    """
    hidden = [str(path) for path in private]
    pages: dict[str, _Page] = {}
    for path in sorted(site.rglob("*.html")):
        name = path.relative_to(site).as_posix()
        if name.startswith("site_libs/"):
            continue
        page = _Page(name, hidden)
        page.feed(path.read_text(encoding="utf-8"))
        page.close()
        pages[name] = page
    if not pages:
        return [Problem(".", "no pages", "the site has no HTML page")]
    problems: list[Problem] = []
    for page in pages.values():
        problems += page.problems
        problems += [
            Problem(page.name, "id used twice", name) for name, n in page.ids.items() if n > 1
        ]
        problems += _dead_links(page, pages, site)
    problems += _remote_styles(site)
    return list(dict.fromkeys(problems))


def _dead_links(page: _Page, pages: dict[str, _Page], site: Path) -> Iterator[Problem]:
    for tag, target in dict.fromkeys(page.links):
        parts = urlsplit(target)
        if parts.scheme or parts.netloc or not target:
            continue
        missing = "missing picture" if tag == "img" else "broken link"
        if parts.path.startswith("/"):
            yield Problem(page.name, missing, f"{target} (starts at the server's root)")
            continue
        name = _resolve(page.name, unquote(parts.path))
        if name is None or not (site / name).exists():
            yield Problem(page.name, missing, target)
            continue
        if (site / name).is_dir():
            name = str(PurePosixPath(name) / "index.html")
            if not (site / name).is_file():
                yield Problem(page.name, missing, target)
                continue
        anchor = unquote(parts.fragment)
        if anchor and tag == "a" and name in pages and anchor not in pages[name].ids:
            yield Problem(page.name, "broken link", f"{target} (no such anchor)")


def _resolve(page: str, path: str) -> str | None:
    """Resolve a relative link; None when it leaves the site."""
    if not path:
        return page
    parts: list[str] = list(PurePosixPath(page).parent.parts)
    for part in PurePosixPath(path).parts:
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts) or "."


def _remote_styles(site: Path) -> Iterator[Problem]:
    for path in sorted([*site.rglob("*.css"), *site.rglob("*.svg")]):
        text = path.read_text(encoding="utf-8", errors="replace")
        name = path.relative_to(site).as_posix()
        for match in _CSS_REMOTE.finditer(text):
            yield Problem(name, "loads from another host", match[1])
        if path.suffix == ".svg":
            for match in re.finditer(r'<(?:image|use|script)\b[^>]*?href="(https?://[^"]+)"', text):
                yield Problem(name, "loads from another host", match[1])
