"""Cells that depend on the run, and captions that state what came out."""

from __future__ import annotations

import copy

import pytest
import yaml

from benchbook.display import CAPTION_KEY
from benchbook.site.captions import (
    keep_cells,
    named_conditions,
    write_captions,
    write_front_matter,
)


def cell(source: str, *tags: str, **more) -> dict:
    return {
        "cell_type": "code",
        "metadata": {"tags": list(tags)} if tags else {},
        "source": source,
        "outputs": [],
        **more,
    }


NOTEBOOK = {
    "cells": [
        cell("always"),
        cell("scores", "when:scores"),
        cell("bundled", "unless:own"),
        cell("both", "when:scores", "unless:own", "hide-code"),
    ]
}


@pytest.mark.parametrize(
    ("conditions", "kept"),
    [
        (set(), ["always", "bundled"]),
        ({"scores"}, ["always", "scores", "bundled", "both"]),
        ({"own"}, ["always"]),
        ({"own", "scores"}, ["always", "scores"]),
    ],
)
def test_cells_are_kept_when_all_their_conditions_hold(conditions, kept):
    notebook = copy.deepcopy(NOTEBOOK)
    keep_cells(notebook, conditions)
    assert [one["source"] for one in notebook["cells"]] == kept


def test_conditions_are_read_from_the_tags():
    assert named_conditions(NOTEBOOK) == {"scores", "own"}


def test_every_condition_of_a_chapter_is_one_its_module_can_name():
    from benchbook.benchmarks.inter_rater_reliability.studies import named_conditions as of_chapter
    from benchbook.site.project import find_project, read_notebook

    project = find_project()
    source = read_notebook(project.source("inter_rater_reliability"))
    module = project.module("inter_rater_reliability")
    bundled = module.Chapter(module.Parameters(n_resamples=100))
    known = set(of_chapter(bundled.studies, bundled.parameters)) | {"own", "model", "clusters"}
    assert named_conditions(source) <= known


def output(**captions) -> dict:
    return {"output_type": "display_data", "data": {}, "metadata": {CAPTION_KEY: captions}}


def test_a_computed_caption_replaces_the_general_one():
    source = '#| label: fig-x\n#| fig-cap: "General."\n#| fig-alt: "Alt."\ndraw()'
    caption = 'κ is "0.70": $\\kappa = 1 \\cdot x$ \\1 [file](a.csv)'
    notebook = {"cells": [cell(source, outputs=[output(**{"fig-cap": caption})])]}
    write_captions(notebook)
    lines = notebook["cells"][0]["source"].splitlines()
    assert yaml.safe_load(lines[1].removeprefix("#|"))["fig-cap"] == caption
    assert lines[0] == "#| label: fig-x"
    assert lines[2:] == ['#| fig-alt: "Alt."', "draw()"]
    assert notebook["cells"][0]["outputs"][0]["metadata"] == {}


def test_a_caption_is_added_where_the_cell_has_none():
    notebook = {"cells": [cell("draw()", outputs=[output(**{"tbl-cap": "New."})])]}
    write_captions(notebook)
    assert notebook["cells"][0]["source"] == '#| tbl-cap: "New."\ndraw()'


def test_front_matter_is_changed_entry_by_entry():
    raw = {"cell_type": "raw", "metadata": {}, "source": '---\ntitle: "A: b"\nlang: en\n---'}
    notebook = {"cells": [raw]}
    write_front_matter(notebook, {"description": "Yours: κ"})
    head = yaml.safe_load(notebook["cells"][0]["source"].strip("-\n"))
    assert head == {"title": "A: b", "lang": "en", "description": "Yours: κ"}
    before = copy.deepcopy(notebook)
    write_front_matter(notebook, {})
    assert notebook == before
