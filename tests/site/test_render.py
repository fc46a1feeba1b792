"""Rendering: notebooks to Markdown, Markdown to HTML, the site, and the two renderers compared."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
from dataclasses import fields
from pathlib import Path, PurePosixPath

import pytest
import yaml
from outline import Outline, outline
from toy import (
    REPOSITORY,
    chapter,
    code,
    notebook,
    png,
    printed,
    prose,
    shown,
    value,
    write_chapter,
)

from benchbook.errors import BenchbookError, ParameterError
from benchbook.site import render as rendering
from benchbook.site.check import Problem
from benchbook.site.markup import to_fragment
from benchbook.site.notebook import (
    PARAMETERS_TITLE,
    attribute,
    fenced,
    split_front_matter,
    split_options,
    tidy,
    to_markdown,
)
from benchbook.site.page import render_page
from benchbook.site.project import Project
from benchbook.site.render import Rendered, find_quarto, render
from benchbook.site.stage import unlisted
from benchbook.site.theme import preview_css, read_variables

pytestmark = pytest.mark.site

PAGES = ("index.html", "report/toy.html", "report/data.html")


def markdown(*cells: dict) -> str:
    """Return the Markdown of a notebook with these cells after its front matter."""
    return to_markdown(tidy(notebook([prose("---\ntitle: T\n---", "raw"), *cells])), "toy").body


def html(text: str, **options) -> str:
    return to_fragment(text, page="page.qmd", **options).html


# ------------------------------------------------------------------------------------- the pieces


def test_options_are_split_from_code() -> None:
    options, source = split_options(
        "#| label: fig-x\n#| fig-cap: |\n#|   One\n#|   two\nplot()\n#| no"
    )
    assert options == {"label": "fig-x", "fig-cap": "One\ntwo"}
    assert source == "plot()\n#| no"


def test_code_without_options_is_unchanged() -> None:
    assert split_options("\n# a comment\nx = 1") == ({}, "\n# a comment\nx = 1")


@pytest.mark.parametrize("source", ["#| label: [", "#| just words"])
def test_bad_options_are_refused_with_the_cell(source: str) -> None:
    with pytest.raises(BenchbookError, match=r"cell 2: cell options"):
        markdown(code(source))


def test_front_matter_is_split_from_body() -> None:
    front, body = split_front_matter("---\ntitle: A\nformat: html\n---\n\n## B\n\n---\n")
    assert front == {"title": "A", "format": "html"}
    assert body == "\n## B\n\n---\n"


def test_page_without_front_matter_is_all_body() -> None:
    assert split_front_matter("## B\n") == ({}, "## B\n")


@pytest.mark.parametrize("text", ["---\ntitle: [\n---\n", "---\n- a\n---\n"])
def test_bad_front_matter_is_refused(text: str) -> None:
    with pytest.raises(BenchbookError, match="front matter"):
        split_front_matter(text)


def test_fence_is_longer_than_any_run_of_backticks_inside() -> None:
    assert fenced("a ```` b", "{=html}").startswith("`````{=html}\n")


def test_attribute_escapes_quotes_and_backslashes() -> None:
    assert attribute("fig-alt", 'a "b"\n \\c') == 'fig-alt="a \\"b\\" \\\\c"'


def test_tidy_twice_is_tidy_once() -> None:
    once = tidy(notebook(chapter()))
    assert tidy(once) == once


def test_tidy_leaves_its_argument_alone() -> None:
    given = notebook(chapter())
    before = json.dumps(given)
    tidy(given)
    assert json.dumps(given) == before


def test_tidy_drops_time_stamps() -> None:
    text = json.dumps(tidy(notebook(chapter())))
    assert "iopub" not in text
    assert "end_time" not in text
    assert "duration" not in text


def test_texts_stored_whole_become_lines() -> None:
    whole = notebook([prose(""), code("", printed(""), shown(markdown="", png=png()))])
    whole["cells"][0]["source"] = "## A\n\ntext\n"
    whole["cells"][1]["source"] = "x = 1\ny"
    whole["cells"][1]["outputs"][0]["text"] = "one\ntwo\n"
    whole["cells"][1]["outputs"][1]["data"]["text/markdown"] = "- a\n- b"
    first, second = tidy(whole)["cells"]
    assert first["source"] == ["## A\n", "\n", "text\n"]
    assert second["source"] == ["x = 1\n", "y"]
    assert second["outputs"][0]["text"] == ["one\n", "two\n"]
    assert second["outputs"][1]["data"]["text/markdown"] == ["- a\n", "- b"]
    assert second["outputs"][1]["data"]["image/png"] == png()


def test_tidy_leaves_no_html_output() -> None:
    cells = tidy(notebook(chapter()))["cells"]
    kinds = {
        kind for cell in cells for out in cell.get("outputs", []) for kind in out.get("data", {})
    }
    assert "text/html" not in kinds
    assert "text/markdown" in kinds


def test_injected_parameters_get_a_title_and_show_their_code() -> None:
    body = markdown(
        code("n = 1", tags=("parameters",)),
        code("# Parameters\nn = 2", tags=("injected-parameters",)),
    )
    assert f'code-fold="show" code-summary="{PARAMETERS_TITLE}"' in body
    assert "# Parameters" not in body
    assert body.index("n = 1") < body.index(PARAMETERS_TITLE) < body.index("n = 2")


def test_parameters_of_a_run_with_defaults_are_this_runs_parameters() -> None:
    body = markdown(code("n = 1  # items", tags=("parameters",)))
    assert f'code-summary="{PARAMETERS_TITLE}"' in body


def test_authors_own_title_of_parameters_is_kept() -> None:
    body = markdown(code("#| code-summary: Mine\nn = 1", tags=("parameters",)))
    assert PARAMETERS_TITLE not in body


def test_downloads_beside_a_figure_move_to_their_own_cell() -> None:
    cell = code("#| label: fig-a\ndraw()", shown(png=png()), shown(markdown="[PNG](a.png)"))
    first, second = tidy(notebook([cell]))["cells"]
    assert [list(out["data"]) for out in first["outputs"]] == [["image/png"]]
    assert second["outputs"][0]["data"]["text/markdown"] == ["[PNG](a.png)"]
    assert second["id"] != first["id"]


def test_downloads_beside_a_table_move_to_their_own_cell() -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |\n"
    cell = code("#| label: tbl-a\nshow()", shown(markdown=table), shown(markdown="[CSV](a.csv)"))
    first, second = tidy(notebook([cell]))["cells"]
    assert first["outputs"][0]["data"]["text/markdown"][0] == "| a | b |\n"
    assert second["outputs"][0]["data"]["text/markdown"] == ["[CSV](a.csv)"]


def test_figure_cell_without_figure_is_refused() -> None:
    with pytest.raises(BenchbookError, match=r"cell 2: fig-a shows no figure"):
        markdown(code("#| label: fig-a\npass"))


def test_figure_cell_with_two_figures_needs_subcaptions() -> None:
    cell = code("#| label: fig-a\ndraw()", shown(png=png()), shown(png=png()))
    with pytest.raises(BenchbookError, match=r"fig-a shows 2 outputs"):
        markdown(cell)


def test_number_of_subcaptions_must_match() -> None:
    source = "#| label: fig-a\n#| fig-subcap:\n#|   - one\ndraw()"
    with pytest.raises(BenchbookError, match="2 outputs and has 1 subcaptions"):
        markdown(code(source, shown(png=png()), shown(png=png())))


def test_raw_cell_in_the_middle_is_refused() -> None:
    with pytest.raises(BenchbookError, match="cell 2: a raw cell"):
        markdown(prose("<b>", "raw"))


def test_terminal_colours_are_stripped() -> None:
    assert "\x1b" not in markdown(code("x", printed("\x1b[31mred\x1b[0m\n")))


def test_images_of_a_notebook_are_kept_as_files() -> None:
    source = to_markdown(tidy(notebook(chapter())), "toy")
    assert source.images["toy_files/figure-html/fig-png-output-1.png"][:4] == b"\x89PNG"
    assert b"<svg" in source.images["toy_files/figure-html/fig-svg-output-1.svg"]


def test_page_options_reach_the_cells_and_cells_override_them() -> None:
    front = prose("---\ntitle: T\nexecute:\n  echo: false\n---", "raw")
    cells = [front, code("hidden()", value("1")), code("#| echo: true\nseen()", value("2"))]
    body = to_markdown(tidy(notebook(cells)), "toy").body
    assert "hidden()" not in body
    assert "seen()" in body


# ------------------------------------------------------------------------- what pandoc is asked for


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("see @fig-x", "unresolved reference @fig-x"),
        ("see @eq-x", "unresolved reference @eq-x"),
        ("$$ x $$ {#eq-a}\n\n$$ y $$ {#eq-a}", "label used twice: eq-a"),
        ("::: {.callout-note}\nnever closed", "unclosed"),
        ("$\\frac{1}$", "Could not convert TeX math"),
    ],
)
def test_faulty_page_is_refused_by_name(text: str, message: str) -> None:
    with pytest.raises(BenchbookError) as caught:
        html(text)
    assert str(caught.value).startswith("page.qmd: ")
    assert message in str(caught.value)


def test_unknown_citation_is_refused(toy: Project) -> None:
    with pytest.raises(BenchbookError, match="nobody1999"):
        html("[@nobody1999]", bibliography=toy.report / "references.bib")


def test_citation_right_after_a_reference_is_refused(toy: Project) -> None:
    text = "![A](a.png){#fig-a}\n\nsee @fig-a [@cohen1960]"
    with pytest.raises(BenchbookError, match="Quarto drops the citation"):
        html(text, bibliography=toy.report / "references.bib")


def test_all_faults_of_a_page_are_told_together() -> None:
    with pytest.raises(BenchbookError) as caught:
        html("@fig-x and @tbl-y")
    assert "@fig-x" in str(caught.value)
    assert "@tbl-y" in str(caught.value)


def test_message_shows_no_path_of_the_package() -> None:
    with pytest.raises(BenchbookError) as caught:
        html("@fig-x")
    assert ".lua" not in str(caught.value)


def test_equation_number_is_shown_and_linked() -> None:
    body = html("$$ x = 1 $$ {#eq-a}\n\nBy @eq-a.")
    assert '<span id="eq-a">' in body
    assert "\\qquad(1)" in body
    assert '<a href="#eq-a" class="quarto-xref">Equation\u00a01</a>' in body


def test_column_widths_reach_the_table() -> None:
    body = html('| a | b |\n|---|---|\n| 1 | 2 |\n\n: C {#tbl-a tbl-colwidths="[30,70]"}')
    assert "width: 30%" in body
    assert "width: 70%" in body


def test_wrong_number_of_column_widths_is_refused() -> None:
    with pytest.raises(BenchbookError, match="3 widths for 2 columns"):
        html('| a | b |\n|---|---|\n| 1 | 2 |\n\n: C {#tbl-a tbl-colwidths="[30,30,40]"}')


def test_unplaced_bibliography_goes_to_the_end_of_the_page(toy: Project) -> None:
    body = html(
        "[@cohen1960] and a note.[^1]\n\n[^1]: Note.", bibliography=toy.report / "references.bib"
    )
    appendix = body[body.index('id="quarto-appendix"') :]
    assert appendix.index("References</h2>") < appendix.index("Footnotes</h2>")
    assert "10.1177/001316446002000104" in appendix


def test_search_text_has_neither_code_nor_markup() -> None:
    page = to_fragment(
        "## First *part*\n\nThe value $x_1$ is **0.70**.\n\n"
        '```{.python .cell-code code-fold="true"}\nsecret()\n```\n\n## Second\n\nText.',
        page="p",
    )
    assert page.sections == (
        ("first-part", "First part", "The value x1 is 0.70."),
        ("second", "Second", "Text."),
    )


# -------------------------------------------------------------------------------- the rendered site


def test_preview_says_what_it_did(preview: Rendered, toy: Project) -> None:
    assert preview.renderer == "embedded preview"
    assert preview.n_pages == len(PAGES)
    assert not preview.unchanged
    assert Path(preview) == toy.root / "_site"
    assert preview.address.startswith("file://")
    assert preview.address.endswith("/index.html")


@pytest.mark.parametrize("hidden", ["secret_include", "secret_removed", "hidden_code()", "secret_"])
def test_hidden_cells_are_not_published(site: Path, hidden: str) -> None:
    assert hidden not in (site / "report/toy.html").read_text(encoding="utf-8")


def test_parameters_are_shown_open_under_their_title(site: Path) -> None:
    page = (site / "report/toy.html").read_text(encoding="utf-8")
    blocks = re.findall(r"<details([^>]*)>\s*<summary>\s*(.*?)\s*</summary>", page, re.S)
    titled = {title.replace("’", "'"): attributes for attributes, title in blocks}
    assert "open" in titled[PARAMETERS_TITLE]
    assert "open" not in titled["Code"]


def test_downloads_are_published(site: Path) -> None:
    assert (site / "report/files/toy/values.csv").read_text(encoding="utf-8").startswith("model")
    assert (site / "report/files/toy/line.svg").is_file()


def test_search_index_finds_the_chapter(site: Path) -> None:
    entries = json.loads((site / "search.json").read_text(encoding="utf-8"))
    hits = [entry["href"] for entry in entries if "Negative values" in entry["text"]]
    assert "report/toy.html#sec-method" in hits


def test_site_works_in_both_modes(site: Path) -> None:
    page = (site / "index.html").read_text(encoding="utf-8")
    assert "quarto-color-scheme-toggle" in page
    assert page.count("quarto-color-alternate") >= 1


def test_navigation_marks_the_chapter(site: Path) -> None:
    page = outline_links(site / "report/toy.html", "#quarto-sidebar")
    assert {"../index.html", "toy.html", "data.html"} <= {
        href.replace("../report/", "") for href in page
    }


def outline_links(path: Path, selector: str) -> set[str]:
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
    return {link["href"] for link in soup.select(f"{selector} a[href]")}


def test_preview_searches_without_a_server(preview: Rendered) -> None:
    data = (preview.path / "site_libs/search-data.js").read_text(encoding="utf-8")
    assert "Negative values" in data
    assert "search-data.js" in (preview.path / "report/toy.html").read_text(encoding="utf-8")


def test_nothing_of_the_machine_is_published(site: Path, toy: Project) -> None:
    for path in site.rglob("*"):
        if path.suffix in (".html", ".json", ".css"):
            assert str(toy.root) not in path.read_text(encoding="utf-8"), path.name


def test_second_rendering_is_the_same(preview: Rendered, toy: Project, tmp_path: Path) -> None:
    again = render(toy, tmp_path / "again", renderer="preview")
    files = sorted(p.relative_to(preview.path) for p in preview.path.rglob("*") if p.is_file())
    assert files == sorted(p.relative_to(again.path) for p in again.path.rglob("*") if p.is_file())
    for name in files:
        assert (preview.path / name).read_bytes() == (again.path / name).read_bytes(), name


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("part", [field.name for field in fields(Outline)])
def test_both_renderers_show_the_same(
    preview: Rendered, quarto: Rendered, page: str, part: str
) -> None:
    ours = getattr(outline(preview.path, page), part)
    theirs = getattr(outline(quarto.path, page), part)
    assert ours == theirs


def test_toy_page_has_every_part(preview: Rendered) -> None:
    page = outline(preview.path, "report/toy.html")
    figures = {label: caption for label, caption, _ in page.figures}
    assert figures["fig-png"] == "Figure 1: κ falls: κ, bold, 5 % < 10 (Cohen 1960)."
    assert figures["fig-svg"] == "Figure 2: A caption on two lines."
    assert figures["fig-panel"] == "Figure 4: Panels"
    assert figures["fig-panel-2"] == "(b) Two"
    assert figures["tbl-pipe"] == "Table 4: Its own caption"
    assert [alternative for _, _, (alternative, *_) in page.figures[:2]] == [
        'A "blue" rectangle',
        "A rising line",
    ]
    assert ["A", "0.703"] in page.tables[0]
    assert "Figure 4 (b)" in " ".join(page.text)
    assert ("Equation 2", "report/toy.html#eq-callout") in page.links
    assert ("the data", "report/data.html") in page.links
    assert len(page.references) == 2


# ------------------------------------------------------------------------------ render() as a whole


def test_unchanged_project_is_not_rendered_again(project: Project) -> None:
    first = render(project, renderer="preview")
    second = render(project, renderer="preview")
    assert (first.unchanged, second.unchanged) == (False, True)
    assert second.n_pages == first.n_pages


def test_changed_page_is_rendered_again(project: Project) -> None:
    render(project, renderer="preview")
    page = project.report / "data.qmd"
    page.write_text(page.read_text(encoding="utf-8") + "\nA new sentence.\n", encoding="utf-8")
    assert not render(project, renderer="preview").unchanged
    assert "A new sentence." in (project.root / "_site/report/data.html").read_text(
        encoding="utf-8"
    )


def test_damaged_site_is_rendered_again(project: Project) -> None:
    site = render(project, renderer="preview").path
    (site / "report/data.html").unlink()
    assert not render(project, renderer="preview").unchanged
    assert (site / "report/data.html").is_file()


def test_faulty_page_leaves_the_old_site(project: Project) -> None:
    site = render(project, renderer="preview").path
    before = (site / "index.html").read_bytes()
    (project.root / "index.qmd").write_text("---\ntitle: H\n---\n\n@fig-gone\n", encoding="utf-8")
    with pytest.raises(BenchbookError, match=r"index.qmd: unresolved reference @fig-gone"):
        render(project, renderer="preview")
    assert (site / "index.html").read_bytes() == before
    assert not list(project.workspace.glob("render-*"))


def test_fault_of_the_rendered_site_is_told_with_its_page(project: Project) -> None:
    write_chapter(project.root, [prose("---\ntitle: T\n---", "raw"), prose("[x](gone.csv)")])
    with pytest.raises(BenchbookError, match=r"report/toy.html: broken link: gone.csv"):
        render(project, renderer="preview")
    assert not (project.root / "_site").exists()


def test_traceback_in_a_notebook_stops_the_site(project: Project) -> None:
    error = {
        "output_type": "error",
        "ename": "ValueError",
        "evalue": "no",
        "traceback": ["Traceback (most recent call last)", "ValueError: no"],
    }
    write_chapter(project.root, [prose("---\ntitle: T\n---", "raw"), code("f()", error)])
    with pytest.raises(BenchbookError, match=r"report/toy.html: error or warning shown"):
        render(project, renderer="preview")


def test_interrupted_rendering_leaves_the_old_site(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = render(project, renderer="preview").path
    before = (site / "report/data.html").read_bytes()
    (project.report / "data.qmd").write_text("---\ntitle: D\n---\n\nNew.\n", encoding="utf-8")

    def interrupt(*_: object, **__: object) -> list[Problem]:
        raise KeyboardInterrupt

    monkeypatch.setattr(rendering, "check_site", interrupt)
    with pytest.raises(KeyboardInterrupt):
        render(project, renderer="preview")
    assert (site / "report/data.html").read_bytes() == before
    assert not list(project.workspace.glob("render-*"))


def test_foreign_folder_is_not_replaced(project: Project, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/thesis.txt").write_text("precious", encoding="utf-8")
    with pytest.raises(BenchbookError, match="is not a rendered site"):
        render(project, tmp_path / "mine", renderer="preview")
    assert (tmp_path / "mine/thesis.txt").read_text(encoding="utf-8") == "precious"


def test_chapter_in_the_navigation_must_be_built(project: Project) -> None:
    (project.report / "toy.ipynb").unlink()
    with pytest.raises(BenchbookError, match=r"lists report/toy.ipynb.*benchbook build toy"):
        render(project, renderer="preview")


def test_page_without_source_notebook_is_not_published(project: Project) -> None:
    stale = (project.report / "toy.ipynb").read_text(encoding="utf-8")
    (project.report / "removed.ipynb").write_text(stale, encoding="utf-8")
    site = render(project, renderer="preview").path
    assert not (site / "report/removed.html").exists()


def test_pages_that_no_menu_lists_are_told(project: Project) -> None:
    assert render(project, renderer="preview").warnings == ()
    chapter = (project.report / "toy.ipynb").read_text(encoding="utf-8")
    (project.report / "other.ipynb").write_text(chapter, encoding="utf-8")
    (project.root / "notebooks/other.ipynb").write_text("{}", encoding="utf-8")
    (project.report / "hidden.qmd").write_text("Text.\n", encoding="utf-8")
    told = (
        "report/hidden.qmd is not listed in the navbar and the sidebar of _quarto.yml.",
        "report/other.ipynb is not listed in the navbar and the sidebar of _quarto.yml.",
    )
    assert render(project, renderer="preview").warnings == told
    again = render(project, renderer="preview")
    assert again.unchanged
    assert again.warnings == told


@pytest.mark.parametrize(
    ("menu", "told"),
    [
        ({"navbar": {"left": ["report/a.ipynb"]}}, []),
        ({"navbar": {"left": []}}, ["report/a.ipynb is not listed in the navbar of _quarto.yml."]),
        (
            {"navbar": {"left": ["report/b.qmd"]}, "sidebar": {"contents": ["report/a.ipynb"]}},
            ["report/a.ipynb is not listed in the navbar of _quarto.yml."],
        ),
        ({"sidebar": {"contents": [{"section": "All", "contents": "report/*.ipynb"}]}}, []),
        ({"sidebar": {"contents": "auto"}}, []),
    ],
)
def test_a_chapter_belongs_into_every_menu(menu: dict, told: list[str]) -> None:
    pages = ["report/a.ipynb"]
    pages += ["report/b.qmd"] if "navbar" in menu and "sidebar" in menu else []
    assert unlisted({"website": menu}, pages) == told


def test_code_to_run_in_a_plain_page_is_refused(project: Project) -> None:
    (project.report / "data.qmd").write_text("```{python}\n1\n```\n", encoding="utf-8")
    with pytest.raises(BenchbookError, match=r"report/data.qmd: code cells are not run here"):
        render(project, renderer="preview")


def test_faults_of_several_pages_are_told_together(project: Project) -> None:
    (project.root / "index.qmd").write_text("@fig-a\n", encoding="utf-8")
    (project.report / "data.qmd").write_text("@tbl-b\n", encoding="utf-8")
    with pytest.raises(BenchbookError) as caught:
        render(project, renderer="preview")
    assert "index.qmd: unresolved reference @fig-a" in str(caught.value)
    assert "report/data.qmd: unresolved reference @tbl-b" in str(caught.value)


def test_unknown_renderer_is_refused(project: Project) -> None:
    with pytest.raises(ParameterError, match="unknown renderer 'word'"):
        render(project, renderer="word")


def fake_quarto(folder: Path, script: str) -> None:
    command = folder / "quarto"
    command.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    command.chmod(command.stat().st_mode | stat.S_IXUSR)


@pytest.mark.skipif(os.name == "nt", reason="the stand-in for Quarto is a shell script")
@pytest.mark.parametrize(
    ("script", "version"),
    [("echo 1.9.38", "1.9.38"), ("echo 1.3.450", None), ("exit 1", None), ("echo nonsense", None)],
)
def test_only_a_quarto_that_runs_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, version: str | None
) -> None:
    fake_quarto(tmp_path, script)
    monkeypatch.setenv("QUARTO_PATH", str(tmp_path / "quarto"))
    found = find_quarto()
    assert (found.version if found else None) == version


@pytest.mark.skipif(os.name == "nt", reason="the stand-in for Quarto is a shell script")
def test_failure_of_quarto_is_told(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = '[ "$1" = --version ] && echo 1.9.38 && exit 0\necho "ERROR: bad page" >&2; exit 1'
    fake_quarto(tmp_path, script)
    monkeypatch.setenv("QUARTO_PATH", str(tmp_path / "quarto"))
    with pytest.raises(BenchbookError, match="could not render the site:\nERROR: bad page"):
        render(project)
    assert not (project.root / "_site").exists()


def test_asking_for_a_missing_quarto_is_refused(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rendering, "find_quarto", lambda: None)
    with pytest.raises(BenchbookError, match=r"no Quarto 1\.4 or newer"):
        render(project, renderer="quarto")


def test_quarto_renders_the_project_as_it_stands(project: Project) -> None:
    """Whoever runs plain ``quarto render`` gets the same chapter, without the tidying."""
    quarto = find_quarto()
    if quarto is None:
        pytest.skip("Quarto is not installed")
    subprocess.run([quarto.command, "render", str(project.root)], check=True, capture_output=True)
    page = outline(project.root / "_site", "report/toy.html")
    assert "Figure 1: κ falls" in " ".join(caption for _, caption, _ in page.figures)


# --------------------------------------------------------------------------------------- the theme


def test_theme_values_become_bootstraps_variables(tmp_path: Path) -> None:
    path = tmp_path / "x.scss"
    path.write_text("$body-bg: #102030 !default; // no\n$web-font-path: false;\n", encoding="utf-8")
    css = preview_css("[data-bs-theme=dark]{--a:1}", "dark", [path])
    assert "--bs-body-bg: #102030;" in css
    assert "--bs-body-bg-rgb: 16, 32, 48;" in css
    assert "web-font" not in css
    assert css.startswith(":is(:root,[data-bs-theme=dark])")


def test_theme_that_needs_sass_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.scss"
    path.write_text("$link-color: lighten($primary, 10%);\n", encoding="utf-8")
    with pytest.raises(BenchbookError, match=r"x\.scss: \$link-color"):
        read_variables(path)


def test_themes_of_the_site_define_the_same_variables(toy: Project) -> None:
    light = read_variables(toy.report / "theme/light.scss")
    dark = read_variables(toy.report / "theme/dark.scss")
    assert light.keys() == dark.keys()
    assert light["web-font-path"] == dark["web-font-path"] == "false"


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize(
    ("text", "ground"),
    [
        ("body-color", "body-bg"),
        ("link-color", "body-bg"),
        ("body-secondary-color", "body-bg"),
        ("navbar-fg", "navbar-bg"),
    ],
)
def test_text_has_enough_contrast(toy: Project, mode: str, text: str, ground: str) -> None:
    variables = read_variables(toy.report / f"theme/{mode}.scss")
    light, dark = sorted((luminance(variables[text]), luminance(variables[ground])), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 4.5  # WCAG 2.2, level AA, ordinary text


# ----------------------------------------------------------------------- the repository's own files


def entries() -> list[tuple[str, str]]:
    """Return key and body of each entry of the bibliography."""
    text = (REPOSITORY / "report/references.bib").read_text(encoding="utf-8")
    return re.findall(r"^@\w+\{(\w+),\n(.*?)^\}", text, re.S | re.M)


def test_bibliography_has_each_key_once() -> None:
    keys = [key for key, _ in entries()]
    assert len(keys) > 30
    assert len(keys) == len(set(keys))


def test_identifiers_in_the_bibliography_are_bare_and_used_once() -> None:
    found = [doi for _, body in entries() for doi in re.findall(r"\bdoi\s*=\s*\{(.*)\}", body)]
    assert all(re.fullmatch(r"10\.\d{4,9}/\S+", doi) for doi in found)
    assert len(found) == len(set(found))


def test_every_page_of_the_navigation_is_rendered() -> None:
    settings = yaml.safe_load((REPOSITORY / "_quarto.yml").read_text(encoding="utf-8"))
    patterns = settings["project"]["render"]
    text = json.dumps(settings["website"])
    pages = set(re.findall(r'"([\w/]+\.(?:qmd|ipynb))"', text))
    assert "index.qmd" in pages
    assert all(any(PurePosixPath(page).match(pattern) for pattern in patterns) for page in pages)


# ------------------------------------------------------------------------------- one page by itself


def test_single_page_needs_nothing_beside_it(toy: Project, tmp_path: Path) -> None:
    page = render_page(toy.page("toy"), tmp_path / "toy.html", toy.report / "references.bib")
    text = page.read_text(encoding="utf-8")
    assert "<script" not in text
    assert "<link" not in text
    assert all(source.startswith("data:") for source in re.findall(r'<img[^>]*src="([^"]*)"', text))
    assert "Toy benchmark</h1>" in text
    assert "On <strong>simulated</strong> data." in text
    assert "Figure\u00a04 (b)" in text


def test_single_page_keeps_links_to_files_and_drops_links_to_pages(
    toy: Project, tmp_path: Path
) -> None:
    page = render_page(toy.page("toy"), tmp_path / "toy.html", toy.report / "references.bib")
    targets = re.findall(r'<a[^>]*\bhref="([^"#][^"]*)"', page.read_text(encoding="utf-8"))
    local = {target for target in targets if not target.startswith("https://")}
    assert local
    assert all((tmp_path / target).resolve().is_file() for target in local)
    assert not any(target.endswith((".qmd", ".ipynb", ".html")) for target in local)


def test_single_page_with_a_missing_picture_is_not_written(toy: Project, tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text(
        json.dumps(notebook([prose("![A](gone.png)")])), encoding="utf-8"
    )
    with pytest.raises(BenchbookError, match=r"a\.ipynb: missing picture gone\.png"):
        render_page(tmp_path / "a.ipynb", tmp_path / "a.html")
    assert not (tmp_path / "a.html").exists()


def test_single_page_from_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text("not JSON", encoding="utf-8")
    with pytest.raises(BenchbookError, match=r"a\.ipynb: cannot be read as a notebook"):
        render_page(tmp_path / "a.ipynb", tmp_path / "a.html")
