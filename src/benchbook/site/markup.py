"""Markdown in Quarto's dialect to HTML, through pandoc and one Lua filter."""

from __future__ import annotations

import html
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from benchbook.errors import BenchbookError

FILTER = Path(__file__).with_name("crossref.lua")

_SECTION = re.compile(
    r'(<section id="([^"]*)" class="level(\d)[^"]*"[^>]*>\n<h\d)([^>]*)>(.*?)</h\d>', re.S
)
_FOOTNOTES = re.compile(r'<section id="footnotes"(.*?)>\s*<hr ?/?>\s*(.*?)</section>\s*\Z', re.S)
_BIBLIOGRAPHY = re.compile(r'<section class="quarto-appendix-contents".*</section>\s*\Z', re.S)
_SCRIPT = re.compile(r"^Scripting warning at .*?\.lua line \d+ column \d+: ")
_INLINE = re.compile(r"</?(?:a|b|i|em|strong|span|code|su[bp]|math|semantics|m[a-z]+)\b[^>]*>")
_UNSEEN = re.compile(
    r"<(annotation|script|style|details)\b.*?</\1>|<span class=\"screen-reader-only\">.*?</span>",
    re.S,
)


@dataclass(frozen=True)
class Heading:
    """A heading of a page: its level (2 for ``##``), its anchor and its plain text."""

    level: int
    id: str
    text: str


@dataclass(frozen=True)
class Fragment:
    """The body of a page as HTML, with what a table of contents and a search index need.

    Attributes
    ----------
    html : str
        The body; no enclosing tags.
    headings : tuple of Heading
        In order of appearance.
    sections : tuple of (str, str, str)
        Anchor, heading and running text of each section; the first has no anchor.
    """

    html: str
    headings: tuple[Heading, ...]
    sections: tuple[tuple[str, str, str], ...]


def pandoc_path() -> str:
    """Return the pandoc that comes with the ``pypandoc_binary`` package."""
    import pypandoc

    return str(pypandoc.get_pandoc_path())


def to_fragment(
    markdown: str, *, page: str, bibliography: Path | None = None, static: bool = False
) -> Fragment:
    """Turn a page's Markdown into HTML.

    Parameters
    ----------
    markdown : str
        The body in Quarto's dialect, without front matter.
    page : str
        The page's name, for messages.
    bibliography : Path, optional
        A BibTeX file; citations are set in author–date style with links.
    static : bool
        The page will have no scripts: tabs become ordinary sections.

    Raises
    ------
    BenchbookError
        Whatever pandoc warns of: an unknown citation, a reference without a target, mathematics
        that cannot be set, an unclosed div. A published page must have none.
    """
    command = [pandoc_path(), "--from", "markdown", "--to", "html5", "--mathml", "--section-divs"]
    command += ["--wrap=none", "--lua-filter", str(FILTER)]
    command += ["--metadata", "static=true"] if static else []
    if bibliography is not None:
        command += ["--citeproc", "--bibliography", str(bibliography.resolve())]
        command += ["--metadata", "link-citations=true"]
    run = subprocess.run(
        command, input=markdown, capture_output=True, encoding="utf-8", check=False
    )
    messages = _messages(run.stderr)
    if run.returncode or messages:
        raise BenchbookError(
            "\n".join(f"{page}: {message}" for message in messages or [run.stderr])
        )
    return _fragment(run.stdout)


def _messages(stderr: str) -> list[str]:
    """Gather pandoc's warnings; a message may run over several indented lines."""
    messages: list[str] = []
    for line in stderr.splitlines():
        if line.startswith(("[WARNING]", "[ERROR]")) or not line.startswith(" "):
            messages.append(line.removeprefix("[WARNING]").removeprefix("[ERROR]").strip())
        elif messages:
            messages[-1] += " " + line.strip()
    return [_SCRIPT.sub("", message) for message in messages if message]


def _fragment(body: str) -> Fragment:
    headings = tuple(
        Heading(int(match[3]), html.unescape(match[2]), plain_text(match[5]))
        for match in _SECTION.finditer(body)
    )
    sections = _sections(body, headings)
    body = _SECTION.sub(r'\1\4 class="anchored" data-anchor-id="\2">\5</h\3>', body)
    return Fragment(_appendix(body), headings, sections)


def _sections(body: str, headings: tuple[Heading, ...]) -> tuple[tuple[str, str, str], ...]:
    starts = [match.start() for match in _SECTION.finditer(body)]
    texts = [
        plain_text(body[start:end])
        for start, end in zip([0, *starts], [*starts, len(body)], strict=True)
    ]
    found = [("", "", texts[0])] if texts[0] else []
    for heading, text in zip(headings, texts[1:], strict=True):
        found.append((heading.id, heading.text, text.removeprefix(heading.text).strip()))
    return tuple(found)


def _appendix(body: str) -> str:
    """Move an unplaced bibliography and the footnotes to the end, as Quarto does."""
    parts = []
    footnotes = _FOOTNOTES.search(body)
    if footnotes:
        body = body[: footnotes.start()]
    bibliography = _BIBLIOGRAPHY.search(body)
    if bibliography:
        body = body[: bibliography.start()]
        parts.append(bibliography.group(0))
    if footnotes:
        heading = '<h2 class="anchored quarto-appendix-heading">Footnotes</h2>'
        parts.append(f'<section id="footnotes"{footnotes[1]}>{heading}\n{footnotes[2]}</section>')
    if parts:
        body += f'<div id="quarto-appendix" class="default">{"".join(parts)}</div>\n'
    return body


def plain_text(fragment: str) -> str:
    """Strip tags, folded code and the TeX beside MathML from a piece of HTML."""
    text = re.sub(r"<[^>]+>", " ", _INLINE.sub("", _UNSEEN.sub("", fragment)))
    return " ".join(html.unescape(text).split())
