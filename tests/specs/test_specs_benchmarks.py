"""Every benchmark's own specification keeps the rules, by a reading of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from spec_examples import ROOT

from benchbook.site.project import Project, describe
from benchbook.specs import ChapterSpecification, read_spec, spec_names

NAMES = spec_names(ROOT)


def raw(name: str) -> dict:
    return yaml.safe_load((ROOT / "data" / name / "spec.yml").read_text(encoding="utf-8"))


def test_every_benchmark_has_a_specification() -> None:
    assert set(Project(ROOT).names()) <= set(NAMES)
    assert len(NAMES) >= 4


@pytest.mark.parametrize("name", NAMES)
def test_each_part_made_here_has_one_deviation_that_says_how_it_was_checked(name: str) -> None:
    spec = raw(name)
    made = [part.lower() for part in spec.get("made_here") or []]
    others = [part.lower() for part in spec.get("replaced") or []]
    deviations = [" ".join(text.split()) for text in spec.get("deviations") or []]
    for part in made:
        about = [text for text in deviations if text.lower().startswith(f"{part}:")]
        assert len(about) == 1, part
        how = about[0].partition("Checked: ")[2]
        assert len(how.split()) >= 3, part
    for part in others:
        assert sum(text.lower().startswith(f"{part}:") for text in deviations) == 1, part
    parts = {text.partition(":")[0].lower() for text in deviations}
    assert parts == {*made, *others}


@pytest.mark.parametrize("name", NAMES)
def test_specification_is_sound_and_agrees_with_the_notebook(name: str) -> None:
    spec = read_spec(name, ROOT)
    assert spec.hash == read_spec(name, ROOT).hash
    for file in spec.files:
        assert (ROOT / file).is_file(), file
    if isinstance(spec, ChapterSpecification) and name in Project(ROOT).names():
        assert describe(Project(ROOT), name).data_statement == spec.data_statement


@pytest.mark.parametrize("name", NAMES)
def test_no_sentence_is_cut_off_or_holds_a_path_of_one_machine(name: str) -> None:
    text = str(read_spec(name, ROOT).json())
    assert str(Path.home()) not in text
    assert "/work/" not in text
    for sentence in (*read_spec(name, ROOT).deviations, *read_spec(name, ROOT).limitations):
        assert sentence.endswith((".", "?")), sentence


def test_hashes_of_benchmarks_differ() -> None:
    assert len({read_spec(name, ROOT).hash for name in NAMES}) == len(NAMES)
