"""What a reader sees of a rendered page, in a form that two renderers can be compared by."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from bs4 import BeautifulSoup, Tag

# Furniture that each renderer makes in its own way.
FURNITURE = (
    "button",
    "style",
    "script",
    ".quarto-title-breadcrumbs",
    ".page-navigation",
    ".nav-page",
    "#quarto-back-to-top",
)
LEAVES = ["p", "li", "td", "th", "h1", "h2", "h3", "h4", "figcaption", "pre", "summary", "dt", "dd"]
LEAVES += ["div"]


@dataclass(frozen=True)
class Outline:
    """The parts of a page, in order of appearance."""

    headings: list[tuple[str, str, str]]
    figures: list[tuple[str, str, list[str]]]
    tables: list[list[list[str]]]
    mathematics: list[str]
    links: list[tuple[str, str]]
    references: list[str]
    code: list[str]
    text: list[str]


def words(element: Tag) -> str:
    return " ".join(element.get_text().split())


def outline(site: Path, page: str) -> Outline:
    """Read one page of a site."""
    soup = BeautifulSoup((site / page).read_text(encoding="utf-8"), "html.parser")
    main = soup.find("main")
    for selector in FURNITURE:
        for element in main.select(selector):
            element.decompose()
    mathematics = [" ".join(e.get_text().split()) for e in main.select("annotation")]
    for element in main.select("annotation"):
        element.decompose()
    return Outline(
        headings=_headings(main),
        figures=[_figure(f) for f in main.select("figure")],
        tables=[
            [[words(cell) for cell in row.select("td, th")] for row in table.select("tr")]
            for table in main.select("table")
        ],
        mathematics=mathematics,
        links=[_link(a, page) for a in main.select("a[href]") if words(a)],
        references=[words(e) for e in main.select(".csl-entry")],
        code=[words(e) for e in main.select("pre")],
        text=[words(e) for e in main.find_all(LEAVES) if not e.find(LEAVES) and words(e)],
    )


def _headings(main: Tag) -> list[tuple[str, str, str]]:
    found = []
    for heading in main.find_all(["h1", "h2", "h3", "h4"]):
        section = heading.find_parent("section")
        anchor = section["id"] if section and section.find(heading.name) is heading else ""
        found.append((heading.name, anchor, words(heading)))
    return found


def _figure(figure: Tag) -> tuple[str, str, list[str]]:
    """Return a float's label, its caption, and the alternative texts of its pictures."""
    labelled = figure.find_parent(id=lambda value: bool(value) and value[:4] in ("fig-", "tbl-"))
    captions = figure.find_all("figcaption")
    caption = next((c for c in captions if c.find_parent("figure") is figure), None)
    return (
        labelled["id"] if labelled else "",
        words(caption) if caption else "",
        [image.get("alt", "") for image in figure.select("img")],
    )


def _link(link: Tag, page: str) -> tuple[str, str]:
    """Return a link's text and its target, seen from the site's folder."""
    parts = urlsplit(link["href"])
    if parts.scheme:
        return words(link), link["href"]
    base = posixpath.join(posixpath.dirname(page), unquote(parts.path)) if parts.path else page
    target = posixpath.normpath(base)
    return words(link), target + (f"#{unquote(parts.fragment)}" if parts.fragment else "")
