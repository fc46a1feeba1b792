"""The check of a rendered site: sound sites pass, and each kind of fault is found."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benchbook.site.check import check_site
from benchbook.site.render import Rendered

pytestmark = pytest.mark.site

PAGE = """<!DOCTYPE html>
<html lang="en"><head><title>A page</title></head>
<body><main>
<h2 id="start">Start</h2>
{body}
</main></body></html>
"""
FIGURE = (
    '<div id="fig-a"><figure><img src="a.png" alt="A line">'
    "<figcaption>Figure&nbsp;1: A line</figcaption></figure></div>"
)
TABLE = (
    '<div id="tbl-a"><figure><figcaption>Table&nbsp;1: Counts</figcaption>'
    "<table><tr><td>1</td></tr></table></figure></div>"
)


def found(folder: Path, body: str, **files: str) -> list[tuple[str, str]]:
    """Check a one-page site and return kind and detail of its problems."""
    (folder / "index.html").write_text(PAGE.format(body=body), encoding="utf-8")
    (folder / "a.png").write_bytes(b"\x89PNG")
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text, encoding="utf-8")
    return [(problem.kind, problem.detail) for problem in check_site(folder)]


def test_toy_site_is_sound(site: Path) -> None:
    assert check_site(site) == []


def test_toy_site_has_all_pages(site: Path) -> None:
    pages = {path.relative_to(site).as_posix() for path in site.rglob("*.html")}
    assert {"index.html", "report/toy.html", "report/data.html"} <= pages


def test_sound_page_has_no_problem(tmp_path: Path) -> None:
    body = FIGURE + TABLE + '<p>See <a href="#fig-a">Figure 1</a>, 5 $ and 7 $, me@example.org.</p>'
    assert found(tmp_path, body) == []


@pytest.mark.parametrize(
    ("body", "kind", "detail"),
    [
        ("<p><strong>?@fig-x</strong></p>", "unresolved reference", "?@fig-x"),
        ("<p>as @fig-x shows</p>", "reference left as text", "@fig-x"),
        ("<p>by @eq-kappa</p>", "reference left as text", "@eq-kappa"),
        ("<p>from [@nobody1999]</p>", "citation left as text", "[@nobody1999"),
        (
            '<p><span class="citation" data-cites="a b">(<strong>b?</strong>)</span></p>',
            "unknown citation",
            "b",
        ),
        (r"<p>where $\kappa = 1$</p>", "mathematics left as text", r"$\kappa = 1$"),
        ("<p>where $n$ is</p>", "mathematics left as text", "$n$"),
        ("<p>$$ x = y</p>", "mathematics left as text", "$$"),
        (
            '<p><span class="math inline">\\frac{1}</span></p>',
            "mathematics left as text",
            "\\frac{1}",
        ),
        ("<p>x {#eq-a}</p>", "label left as text", "{#eq-a}"),
        ("<p>::: done</p>", "div fence left as text", ":::"),
        ("<p>{{&lt; meta title &gt;}}</p>", "shortcode left as text", "{{< meta title >}}"),
        ('<p><a href="gone.html">x</a></p>', "broken link", "gone.html"),
        (
            '<p><a href="index.html#gone">x</a></p>',
            "broken link",
            "index.html#gone (no such anchor)",
        ),
        ('<p><a href="#gone">x</a></p>', "broken link", "#gone (no such anchor)"),
        ('<p><a href="../outside.html">x</a></p>', "broken link", "../outside.html"),
        ('<p><a href="/a.png">x</a></p>', "broken link", "/a.png (starts at the server's root)"),
        (FIGURE.replace("a.png", "gone.png"), "missing picture", "gone.png"),
        (FIGURE.replace(' alt="A line"', ""), "picture without alternative text", "a.png"),
        (FIGURE.replace("A line", " "), "picture without alternative text", "a.png"),
        (FIGURE.replace(": A line<", "<"), "figure without caption", "fig-a"),
        (TABLE.replace(": Counts", ""), "table without caption", "tbl-a"),
        ('<p><img src="a.png" alt="x"></p>', "figure without caption", "a.png"),
        ("<table><tr><td>42</td></tr></table>", "table without caption", "42"),
        (
            '<figure id="fig-b"><figcaption>Figure 1: none</figcaption></figure>',
            "empty figure",
            "a figure without label",
        ),
        ('<p id="start">twice</p>', "id used twice", "start"),
        (
            '<div class="cell-output cell-output-stderr"><pre>warning</pre></div>',
            "error or warning shown",
            "a cell's standard error or traceback",
        ),
        (
            '<div class="cell-output"><pre>Traceback (most recent call last):</pre></div>',
            "error or warning shown",
            "a traceback",
        ),
        ("<pre>#| echo: false\nprint()</pre>", "cell option shown as code", "#| echo: false"),
        ("<pre>/home/somebody/data.csv</pre>", "path of one machine", "/home/somebody"),
        ("<p>C:\\Users\\me\\data.csv</p>", "path of one machine", "C:\\Users\\me"),
        ('<p><a href="file:///etc/x">x</a></p>', "path of one machine", "file:///etc/x"),
        (
            '<script src="https://cdn.example.org/a.js"></script>',
            "loads from another host",
            "https://cdn.example.org/a.js",
        ),
        (
            '<link rel="stylesheet" href="//example.org/a.css">',
            "loads from another host",
            "//example.org/a.css",
        ),
        (
            '<script>import x from "https://example.org/x.js"</script>',
            "loads from another host",
            "https://example.org/x.js",
        ),
        (
            "<style>@import url(https://example.org/font.css);</style>",
            "loads from another host",
            "https://example.org/font.css",
        ),
        (
            "<p style=\"background: url('https://example.org/b.png')\">x</p>",
            "loads from another host",
            "https://example.org/b.png",
        ),
        (
            FIGURE.replace("a.png", "https://example.org/a.png"),
            "loads from another host",
            "https://example.org/a.png",
        ),
    ],
)
def test_fault_is_found(tmp_path: Path, body: str, kind: str, detail: str) -> None:
    assert (kind, detail) in found(tmp_path, body)


@pytest.mark.parametrize(
    "body",
    [
        '<p><a href="https://doi.org/10.1037/h0031619">an outgoing link</a></p>',
        "<p><code>@fig-x, $x_1$, [@key]</code></p>",
        '<math><annotation encoding="application/x-tex">x_{1} $</annotation></math>',
        '<div class="uncaptioned"><table><tr><td>1</td></tr></table></div>',
        "<table><caption>Counts</caption><tr><td>1</td></tr></table>",
        '<p><a href="" role="tab">a tab</a> <a href="#">a menu</a></p>',
        '<link rel="canonical" href="https://example.org/">',
        "<p>See https://example.org/home/somebody for it.</p>",
    ],
)
def test_sound_markup_is_left_alone(tmp_path: Path, body: str) -> None:
    assert found(tmp_path, body) == []


def test_stylesheets_and_drawings_are_read(tmp_path: Path) -> None:
    style = "@import url('https://example.org/font.css');"
    drawing = (
        '<svg xmlns="http://www.w3.org/2000/svg"><image href="https://example.org/x.png"/></svg>'
    )
    problems = found(tmp_path, "<p>x</p>", style_css=style, drawing_svg=drawing)
    assert ("loads from another host", "https://example.org/font.css") in problems
    assert ("loads from another host", "https://example.org/x.png") in problems


def test_private_folder_is_found_in_text_and_in_links(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(
        PAGE.format(body="<pre>/srv/study/data.csv</pre>"), encoding="utf-8"
    )
    problems = check_site(tmp_path, private=[Path("/srv/study")])
    assert [(p.page, p.kind, p.detail) for p in problems] == [
        ("index.html", "path of one machine", "/srv/study")
    ]


def test_site_without_pages_is_a_problem(tmp_path: Path) -> None:
    assert [problem.kind for problem in check_site(tmp_path)] == ["no pages"]


def test_problem_names_page_and_target(tmp_path: Path, preview: Rendered) -> None:
    broken = tmp_path / "site"
    shutil.copytree(preview.path, broken)
    (broken / "report/data.html").unlink()
    told = [str(problem) for problem in check_site(broken)]
    assert "report/toy.html: broken link: data.html" in told
