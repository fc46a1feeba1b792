"""What a page shows of a specification is what the specification says."""

from __future__ import annotations

import math
from pathlib import Path

from spec_examples import ROOT, content, toy

from benchbook import display
from benchbook.specs import (
    read_spec,
    read_task,
    results_of,
    say_decisions,
    say_identity,
    say_limitations,
    table_classes,
    table_counts,
    table_deviations,
    table_leaderboard,
    table_protocol,
    table_sources,
    table_statements,
)

ECG = read_task("ecg_image", ROOT)


def test_every_table_of_ecg_image_can_be_shown() -> None:
    tables = [
        table_classes(ECG),
        table_statements(ECG),
        table_protocol(ECG),
        table_deviations(ECG),
        table_counts(ECG),
        table_sources(ECG),
        table_leaderboard(ECG, results_of("ecg_image", ROOT)),
    ]
    stems = [table.stem for table in tables if table is not None]
    assert len(set(stems)) == len(tables)
    for table in tables:
        assert table is not None
        page = display.html_table(display.formatted(table.frame, table.digits))
        assert page.count("<tr>") == len(table.frame) + 1
        assert "nan" not in page.lower()
        assert table.caption.endswith(".")


def test_classes_stand_in_the_order_of_the_file() -> None:
    frame = table_classes(ECG).frame
    assert list(frame["class"]) == list(ECG.classes)
    codes = dict(zip(frame["class"], frame["codes"], strict=True))
    assert codes["BRADY"] == "SNOMED CT 426177001"
    assert codes["CD"] == "16 SNOMED CT codes"
    assert codes["NORM"] == "by statement"
    assert codes["HYP"] == "–"


def test_counts_and_shares() -> None:
    frame = table_counts(ECG).frame.set_index("count")
    assert list(frame.columns) == ["train", "validation", "test", "share of scored, test"]
    assert frame.loc["STTC", "train"] == 5761
    assert frame.loc["Acute MI", "share of scored, test"] == 23 / 1780
    assert math.isnan(frame.loc["records", "share of scored, test"])
    assert "Acute MI, has 23 positives among 1,780 scored test records" in table_counts(ECG).caption


def test_protocol_names_commits_and_parts() -> None:
    frame = table_protocol(ECG).frame.set_index("part")["what"]
    assert "9af7dfbc3a8af209638d982b344cce28c67abe4e" in frame["scoring"]
    assert "e19f14bb18d4ce86f4137f07cfd44243c0692e8e" in frame["label rules"]
    assert "27b90f56896c9fc78b05a83ca14844ea2637aa0b" in frame["renderer"]
    assert frame["made here"].count(",") == 9
    assert frame["intervals"] == "bootstrap by group, 1,000 resamples"


def test_deviations_stand_beside_their_checks() -> None:
    table = table_deviations(ECG)
    assert table is not None
    assert list(table.frame.columns) == ["part", "deviation", "checked"]
    assert list(table.frame["checked"] == "–") == [True, *[False] * 10]
    assert table.caption.startswith("11 deviations; 10 are about parts made here")
    assert not table.frame["deviation"].str.contains("Checked:").any()


def test_leaderboard_shows_ranks_and_reasons() -> None:
    frame = table_leaderboard(ECG, results_of("ecg_image", ROOT)).frame
    assert list(frame["rank"]) == ["1", "–", "–"]
    assert list(frame["standing"]) == ["ranked", "pending", "not ranked"]
    shown = display.formatted(frame)
    assert next(iter(shown["value (interval)"])) == "0.252 (0.247–0.258)"


def test_identity_links_to_the_json() -> None:
    told = say_identity(ECG)
    assert f"`{ECG.hash}`" in told
    assert "(../v1/tasks/ecg_image.json)" in told
    assert "`lydus-ecg-image@0` at `bce2a0d6ce91`, so results made on that one count" in told


def test_identity_of_a_chapter_and_of_an_unlinked_task(tmp_path: Path) -> None:
    assert "v1/" not in say_identity(read_spec("validation", ROOT))
    assert "results made on that one are pending" in say_identity(toy(tmp_path))
    assert "toy@0" not in say_identity(toy(tmp_path, origin=None))


def test_lists_are_shown_literally(tmp_path: Path) -> None:
    spec = toy(tmp_path, limitations=["One *only*.", "Two <b>."], decisions=[])
    assert say_limitations(spec) == "- One \\*only\\*.\n- Two \\<b\\>."
    assert say_decisions(spec) == ""


def test_what_a_specification_does_not_have_is_not_shown(tmp_path: Path) -> None:
    counts = content()["counts"]
    bare = toy(
        tmp_path,
        classes={"A": {"definition": "First."}, "B/C": {"definition": "Second."}},
        counts={"parts": counts["parts"]},
        made_here=[],
        replaced=[],
        deviations=[],
    )
    assert table_statements(bare) is None
    assert table_sources(bare) is None
    assert table_deviations(bare) is None
    assert len(table_leaderboard(bare, []).frame) == 0
    assert "nothing" in set(table_protocol(bare).frame["what"])


def test_counts_on_the_page_have_commas_and_files_have_numbers() -> None:
    made = table_counts(ECG)
    assert made.shown is not None
    assert made.shown.set_index("count").loc["records", "train"] == "15,999"
    assert made.frame.set_index("count").loc["records", "train"] == 15999
