"""One executed notebook as one HTML file that needs nothing beside it."""

from __future__ import annotations

import base64
import html
import json
import mimetypes
import os
import re
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from benchbook.errors import BenchbookError

from .markup import Fragment, Heading, to_fragment
from .notebook import PageSource, div, tidy, to_markdown

STYLESHEET = Path(__file__).with_name("page.css")
_IMAGE = re.compile(r'(<img\b[^>]*?\bsrc=")([^"]+)(")')
_LINK = re.compile(r'(<a\b[^>]*?)\s*\bhref="([^"]*)"')

_TEMPLATE = """<!DOCTYPE html>
<html lang="{lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{style}
</style>
</head>
<body>
<nav id="TOC" aria-label="On this page"><h2>On this page</h2>{contents}</nav>
<main>
<header><h1 class="title">{title}</h1>{subtitle}</header>
{body}
</main>
</body>
</html>
"""


def render_page(executed: Path, output: Path, bibliography: Path | None = None) -> Path:
    """Write an executed notebook as a single HTML page.

    Styles and pictures are inside the file. Links to files that lie beside the notebook (figures
    and tables to download) are kept, relative to the page; links to other pages of the website
    become plain text.

    Parameters
    ----------
    executed : Path
        A notebook with its outputs.
    output : Path
        The HTML file to write; its folder must exist.
    bibliography : Path, optional
        A BibTeX file for the citations; without one a citation is an error.

    Returns
    -------
    Path
        ``output``.

    Raises
    ------
    BenchbookError
        A reference, citation, picture or formula of the page that cannot be resolved. Nothing is
        written then.
    """
    try:
        notebook = json.loads(executed.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise BenchbookError(f"{executed.name}: cannot be read as a notebook ({error})") from error
    try:
        source = to_markdown(tidy(notebook), executed.stem, {"code-fold": True})
    except BenchbookError as error:
        raise BenchbookError(f"{executed.name}: {error}") from error
    described = source.front.get("description")
    markdown = div(".description", str(described)) + "\n\n" if described else ""
    fragment = to_fragment(
        markdown + source.body, page=executed.name, bibliography=bibliography, static=True
    )
    body = _inline_images(fragment.html, source, executed)
    body = _keep_local_links(body, executed.parent, output.parent)
    output.write_text(_assemble(body, fragment, source, executed.stem), encoding="utf-8")
    return output


def _assemble(body: str, fragment: Fragment, source: PageSource, stem: str) -> str:
    title = str(source.front.get("title") or stem.replace("_", " "))
    subtitle = source.front.get("subtitle")
    return _TEMPLATE.format(
        lang=html.escape(str(source.front.get("lang", "en"))),
        title=html.escape(title),
        style=STYLESHEET.read_text(encoding="utf-8"),
        subtitle=f'<p class="subtitle">{html.escape(str(subtitle))}</p>' if subtitle else "",
        contents=_contents(fragment.headings),
        body=body,
    )


def _contents(headings: tuple[Heading, ...]) -> str:
    items = [
        f'<li class="level{heading.level}"><a href="#{html.escape(quote(heading.id))}">'
        f"{html.escape(heading.text)}</a></li>"
        for heading in headings
        if heading.level <= 3
    ]
    return f"<ul>{''.join(items)}</ul>"


def _inline_images(body: str, source: PageSource, executed: Path) -> str:
    def inline(match: re.Match[str]) -> str:
        address = html.unescape(match[2])
        if address.startswith("data:"):
            return match[0]
        name = unquote(address)
        content = source.images.get(name)
        if content is None:
            try:
                content = (executed.parent / name).read_bytes()
            except OSError as error:
                raise BenchbookError(f"{executed.name}: missing picture {name}") from error
        kind = mimetypes.guess_type(name)[0] or "image/png"
        return f"{match[1]}data:{kind};base64,{base64.b64encode(content).decode()}{match[3]}"

    return _IMAGE.sub(inline, body)


def _keep_local_links(body: str, folder: Path, destination: Path) -> str:
    """Point links to files at the page's new place; drop the ones that lead nowhere from there."""

    def keep(match: re.Match[str]) -> str:
        address = urlsplit(html.unescape(match[2]))
        if address.scheme or address.netloc or not address.path:
            return match[0]
        target = folder / unquote(address.path)
        if target.suffix in (".qmd", ".ipynb", ".html") or not target.is_file():
            return match[1]
        relative = Path(os.path.relpath(target, destination)).as_posix()
        return f'{match[1]} href="{html.escape(quote(relative))}"'

    return _LINK.sub(keep, body)
