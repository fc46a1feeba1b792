"""What the authors of the iRhythm set print for its cardiologists, from their archive and here."""

from __future__ import annotations

import json
import os
import re
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchbook.benchmarks.ecg_rhythm import published
from benchbook.benchmarks.ecg_rhythm.inputs import load
from benchbook.benchmarks.ecg_rhythm.parameters import Parameters
from benchbook.benchmarks.ecg_rhythm.study import build
from benchbook.open_data import get

MIRROR = Path(os.environ.get("BENCHBOOK_MIRROR") or "/none")
ROOT = Path(__file__).parents[2]
ARCHIVE = MIRROR / "ecg-irhythm-test" / "CARDIOL_MAY_2017.zip"
PIECE = 256  # samples
CLASSES = {"AFIB": "AF", "AFL": "AF", "AVB_TYPE2": "AVB", "SUDDEN_BRADY": "AVB", "NSR": "SINUS"}
# How far whole records and records of whole pieces can be apart: the rhythms that are too short.
SHORT = 0.04

mirror = [
    pytest.mark.mirror,
    pytest.mark.skipif(
        not ARCHIVE.is_file(), reason="BENCHBOOK_MIRROR names no folder with the iRhythm set"
    ),
]


def test_the_printed_table_hangs_together() -> None:
    facts = published.read(published.IRHYTHM)
    assert len(facts) == 73
    reads = facts[facts["table"] == "reads"].pivot_table("value", "label", "metric")
    assert len(reads) == 12
    f1 = 2 * reads["precision"] * reads["sensitivity"] / (reads["precision"] + reads["sensitivity"])
    # Two rates with three decimals leave the third decimal of their F1 open.
    assert (f1 - reads["F1"]).abs().max() < 0.0015
    mean = facts.loc[facts["table"] == "mean", "value"].iloc[0]
    abstract = published.read(published.AGGREGATES).set_index(["who", "metric"])["value"]
    assert mean == abstract["average cardiologist", "mean F1 over 12 rhythm classes"] == 0.780
    assert abs(reads["F1"].mean() - mean) > 0.05  # a plain mean it is not


def by_pieces(episodes: list[dict]) -> set[str]:
    """The rhythms that fill a piece, their beginnings rounded to the pieces."""
    ordered = sorted(episodes, key=lambda one: one["onset"])
    starts = [int(np.floor((one["onset"] - 1) / PIECE + 0.5)) for one in ordered]
    ends = [*starts[1:], ordered[-1]["offset"] // PIECE]
    whole = ordered[-1]["offset"] // PIECE
    return {
        CLASSES.get(one["rhythm_name"], one["rhythm_name"])
        for one, start, end in zip(ordered, starts, ends, strict=True)
        if min(end, whole) > start
    }


@pytest.fixture(scope="module")
def by_record() -> dict[str, dict[str, set[str]]]:
    """Return the rhythms of every record by who saw them: grp, rev0 ... rev5."""
    seen: dict[str, dict[str, set[str]]] = {}
    name = re.compile(r"(?:.*/)?([0-9a-f]+_[0-9]+)_(grp|rev[0-9])[0-9]?\.episodes\.json")
    with zipfile.ZipFile(ARCHIVE) as archive:
        for member in archive.namelist():
            match = name.fullmatch(member)
            if match:
                told = json.loads(archive.read(member))["episodes"]
                seen.setdefault(match[1], {})[match[2]] = by_pieces(told)
    return seen


class TestFromTheArchive:
    pytestmark = mirror

    def test_rhythms_that_fill_a_piece_give_every_printed_number(self, by_record) -> None:
        assert len(by_record) == 328
        facts = published.read(published.IRHYTHM)
        reads = [f"rev{k}" for k in range(6)]
        f1, weight = {}, {}
        for label, part in facts.dropna(subset="label").groupby("label"):
            truth = np.array([label in one["grp"] for one in by_record.values()])
            said = np.array([[label in one[who] for who in reads] for one in by_record.values()])
            tp, fp = (said & truth[:, None]).sum(), (said & ~truth[:, None]).sum()
            fn, tn = (~said & truth[:, None]).sum(), (~said & ~truth[:, None]).sum()
            yes = said.sum(axis=1)
            agreed = ((yes * (yes - 1) + (6 - yes) * (5 - yes)) / 30).mean()
            share = said.mean()
            chance = share**2 + (1 - share) ** 2
            found = {
                "precision": tp / (tp + fp),
                "sensitivity": tp / (tp + fn),
                "specificity": tn / (tn + fp),
                "F1": 2 * tp / (2 * tp + fp + fn),
                "percent agreement": agreed,
                "Fleiss κ": (agreed - chance) / (1 - chance),
            }
            for fact in part.itertuples():
                assert published.agrees(fact.value, found[fact.metric]), (label, fact.metric)
            f1[label], weight[label] = found["F1"], truth.sum()
        mean = np.average(list(f1.values()), weights=list(weight.values()))
        assert published.agrees(0.780, mean)

    def test_the_chapter_tells_which_of_them_come_out(self, tmp_path, monkeypatch) -> None:
        monkeypatch.setenv("BENCHBOOK_OPEN_DATA", str(tmp_path))
        get("irhythm-test", root=ROOT, mirror=MIRROR)
        given = Parameters(dataset="irhythm-test")
        study = build(load(given), given)
        assert published.complete_irhythm(study)
        table = published.recomputed_irhythm(study)
        assert len(table) == 73
        lost = set(table.loc[~table["agrees"], "label"])
        assert lost == {"", "NOISE", "SINUS"}  # the mean, and labels with rhythms too short
        assert (table["value"] - table["published"]).abs().max() < SHORT
        weighted = published.mean_f1(study, weighted=True)
        plain = published.mean_f1(study, weighted=False)
        assert weighted == pytest.approx(0.778, abs=0.0005)
        assert plain == pytest.approx(0.725, abs=0.0005)


def test_without_all_labels_nothing_is_set_beside_the_printed_numbers() -> None:
    given = Parameters()
    assert not published.complete_irhythm(build(load(given), given))
    assert pd.isna(published.read(published.IRHYTHM)["label"]).sum() == 1
