"""The real data sets, converted from a mirror folder: counts, and all published figures.

They are not part of the project; `BENCHBOOK_MIRROR` names the folder they lie in.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchbook.agreement import cohen_kappa
from benchbook.metrics import (
    auroc,
    average_precision,
    class_counts,
    mcnemar,
    multilabel_memberships,
)
from benchbook.open_data import get
from benchbook.open_data.catalogue import source
from benchbook.open_data.fetch import obtain
from benchbook.reading import Column, read_input

MIRROR = Path(os.environ.get("BENCHBOOK_MIRROR") or "/none")
ROOT = Path(__file__).parents[2]
NAMES = ("code-test", "irhythm-test", "ptbxl-fold9", "ptbxl-fold10")

pytestmark = [
    pytest.mark.mirror,
    pytest.mark.skipif(
        not (MIRROR / "ecg-code-test").is_dir(),
        reason="BENCHBOOK_MIRROR names no folder with the open ECG data",
    ),
]

PUBLISHED = 0.0005 + 1e-9  # half a unit of the third decimal, all that the tables print
ROUNDING = 1e-13  # sums of 71 numbers in another order
TIES = 5e-7  # six significant digits make a few pairs of scores equal that were not


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BENCHBOOK_OPEN_DATA", str(tmp_path_factory.mktemp("open")))
        return {name: get(name, root=ROOT, mirror=MIRROR)[0] for name in NAMES}


@cache
def table(folder: Path, name: str) -> pd.DataFrame:
    """Read a converted table as the chapter does: typed, and with the key it must have."""
    columns = {
        "labels": [Column("record_id", "id"), Column("patient_id", "id"), Column("label", "text"),
                   Column("present", "flag")],
        "scores": [Column("record_id", "id"), Column("patient_id", "id"), Column("model", "text"),
                   Column("output", "text"), Column("score", "number", low=0, high=1)],
        "readers": [Column("record_id", "id"), Column("reader", "text"), Column("group", "text"),
                    Column("label", "text"), Column("present", "flag"),
                    Column("independent", "flag", required=False, default=True),
                    Column("kind", "text", required=False, default="person",
                           choices=("person", "network"))],
        "mapping": [Column("model", "text"), Column("output", "text"), Column("label", "text"),
                    Column("approximate", "flag"), Column("contaminated", "flag")],
    }[name]  # fmt: skip
    key = {
        "labels": ("record_id", "label"),
        "scores": ("record_id", "model", "output"),
        "readers": ("record_id", "reader", "label"),
        "mapping": ("model", "output", "label"),
    }[name]
    read = read_input(folder / f"{name}.csv", columns, key=key)
    assert read.warnings == ()
    return read.frame


# ---- what every set must be ----------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_what_is_written_hangs_together(folders: dict[str, Path], name: str) -> None:
    folder = folders[name]
    about = json.loads((folder / "dataset.json").read_text(encoding="utf-8"))
    assert {path.stem for path in folder.glob("*.csv")} == set(about["tables"])
    assert str(MIRROR) not in json.dumps(about)
    labels = table(folder, "labels")
    for other in ("scores", "readers"):
        if other in about["tables"]:
            assert set(table(folder, other)["record_id"]) == set(labels["record_id"])
    for key, rows in about["tables"].items():
        assert len(table(folder, key)) == rows["rows"]
        assert hashlib.sha256((folder / rows["file"]).read_bytes()).hexdigest() == rows["sha256"]
    if "mapping" in about["tables"]:
        mapping = table(folder, "mapping")
        assert set(mapping["label"]) == set(labels["label"])
        assert set(mapping["model"]) == set(table(folder, "scores")["model"])
        assert mapping["contaminated"].all()
    # No record's own name is in what a page may show.
    assert labels["record_id"].iloc[0] not in json.dumps(about)


# ---- CODE-test -----------------------------------------------------------------------------------

DIAGNOSES = ("1dAVb", "RBBB", "LBBB", "SB", "AF", "ST")
PREDICTORS = {
    "DNN": "network",
    "cardio.": "cardiology residents",
    "emerg.": "emergency residents",
    "stud.": "medical students",
    "Cert. cardiol. 1": "cardiologist 1",
    "Certif. cardiol. 2": "cardiologist 2",
}


@pytest.fixture(scope="module")
def code(folders: dict[str, Path]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return the reference and every reader's answers, shape (827, 6)."""
    labels = table(folders["code-test"], "labels")
    assert labels["label"].tolist() == list(DIAGNOSES) * 827
    readers = table(folders["code-test"], "readers")
    answers = {
        short: group["present"].to_numpy().reshape(827, 6)
        for short, name in PREDICTORS.items()
        for group in [readers[readers["reader"] == name]]
    }
    return labels["present"].to_numpy().reshape(827, 6), answers


def counts_of(code: tuple[np.ndarray, dict[str, np.ndarray]], name: str) -> np.ndarray:
    """Return true negatives, false positives, false negatives, true positives per diagnosis."""
    counts = class_counts(multilabel_memberships(code[0], code[1][name], classes=DIAGNOSES))
    tp, fp, fn = counts.true_positive, counts.false_positive, counts.false_negative
    return np.stack([counts.n_items - tp - fp - fn, fp, fn, tp])


def test_code_test_counts(code: tuple[np.ndarray, dict[str, np.ndarray]]) -> None:
    truth, answers = code
    assert truth.shape == (827, 6)
    assert truth.sum(axis=0).tolist() == [28, 34, 30, 16, 13, 37]
    assert len(answers) == 6


def test_code_test_network_f1_as_published(
    code: tuple[np.ndarray, dict[str, np.ndarray]],
) -> None:
    counts = class_counts(multilabel_memberships(code[0], code[1]["DNN"], classes=DIAGNOSES))
    published = [0.897, 0.944, 1.0, 0.882, 0.870, 0.960]
    np.testing.assert_allclose(counts.f_values(), published, atol=PUBLISHED, rtol=0)


def test_code_test_scores_as_published(code: tuple[np.ndarray, dict[str, np.ndarray]]) -> None:
    told = pd.read_csv(
        MIRROR / "ecg-code-test" / "published_scores.csv", header=[0, 1], index_col=0
    )
    cells = 0
    for name in ("DNN", "cardio.", "emerg.", "stud."):
        tn, fp, fn, tp = counts_of(code, name)
        found = {
            "Precision": tp / (tp + fp),
            "Recall": tp / (tp + fn),
            "Specificity": tn / (tn + fp),
            "F1 score": 2 * tp / (2 * tp + fp + fn),
        }
        for score, values in found.items():
            expected = told.loc[list(DIAGNOSES), (score, name)]
            np.testing.assert_allclose(values, expected, atol=PUBLISHED, rtol=0)
            cells += len(expected)
    assert cells == told.size == 96


def test_code_test_confusion_as_published(code: tuple[np.ndarray, dict[str, np.ndarray]]) -> None:
    told = pd.read_csv(
        MIRROR / "ecg-code-test" / "published_confusion_matrices.csv",
        header=[0, 1],
        index_col=[0, 1],
    )
    assert told.size == 96
    for name in ("DNN", "cardio.", "emerg.", "stud."):
        tn, fp, fn, tp = counts_of(code, name)
        for place, diagnosis in enumerate(DIAGNOSES):
            found = [[tn[place], fp[place]], [fn[place], tp[place]]]
            assert told.loc[diagnosis, name].to_numpy().tolist() == found


@pytest.mark.parametrize(
    ("file", "cells"), [("published_kappa", 36), ("published_kappas_annotators_and_DNN", 18)]
)
def test_code_test_kappa_as_published(
    code: tuple[np.ndarray, dict[str, np.ndarray]], file: str, cells: int
) -> None:
    told = pd.read_csv(MIRROR / "ecg-code-test" / f"{file}.csv", index_col=0)
    assert told.size == cells
    for pair, row in told.iterrows():
        one, other = (code[1][name].astype(int) for name in str(pair).split(" vs "))
        found = [
            cohen_kappa(one[:, place], other[:, place], categories=[0, 1]).estimate.value
            for place in range(6)
        ]
        np.testing.assert_allclose(found, row[list(DIAGNOSES)], atol=PUBLISHED, rtol=0)


def test_code_test_mcnemar_as_published(code: tuple[np.ndarray, dict[str, np.ndarray]]) -> None:
    told = pd.read_csv(MIRROR / "ecg-code-test" / "published_mcnemar.csv", index_col=0)
    assert told.size == 36
    for pair, row in told.iterrows():
        one, other = (code[1][name] == code[0] for name in str(pair).split(" vs "))
        found = [
            mcnemar(one[:, place], other[:, place], exact=False, correction=False).p_value
            for place in range(6)
        ]
        np.testing.assert_allclose(found, row[list(DIAGNOSES)], atol=PUBLISHED, rtol=0)


def test_code_test_decisions_are_the_scores_at_the_authors_thresholds(
    folders: dict[str, Path], code: tuple[np.ndarray, dict[str, np.ndarray]]
) -> None:
    thresholds = [0.124, 0.07, 0.05, 0.278, 0.390, 0.174]  # in the authors' program
    scores = table(folders["code-test"], "scores")
    assert len(scores) == 5 * 827 * 6
    wrong = {}
    for model, group in scores.groupby("model"):
        decided = group["score"].to_numpy().reshape(827, 6) > np.array(thresholds)
        wrong[model] = int((decided != code[1]["DNN"]).sum())
    assert wrong["Ribeiro 2020"] == 0
    # The file that is called the main network is another one; the notes of the set say so.
    assert wrong["Ribeiro 2020, model.npy"] == 10
    folder = MIRROR / "ecg-code-test" / "dnn_predicts"
    assert (folder / "model.npy").read_bytes() == (folder / "other_seeds/model_6.npy").read_bytes()


def test_code_test_network_is_the_one_the_authors_program_takes(
    code: tuple[np.ndarray, dict[str, np.ndarray]],
) -> None:
    # Of ten networks by micro average precision: sixth from the worst, so fifth best.
    folder = MIRROR / "ecg-code-test" / "dnn_predicts" / "other_seeds"
    precision = [
        average_precision(
            code[0].ravel(), np.load(folder / f"model_{seed}.npy").ravel(), higher_is_positive=True
        ).value
        for seed in range(1, 11)
    ]
    worst_first = np.argsort(precision)
    assert worst_first[5] + 1 == 1  # the file model_1.npy
    assert sum(value > precision[0] for value in precision) == 4
    notes = " ".join(source("code-test", ROOT).notes)
    assert "fifth best by micro average precision" in notes


# ---- iRhythm -------------------------------------------------------------------------------------


def test_irhythm_counts(folders: dict[str, Path]) -> None:
    labels = table(folders["irhythm-test"], "labels")
    readers = table(folders["irhythm-test"], "readers")
    assert labels["record_id"].nunique() == labels["patient_id"].nunique() == 328
    assert labels["label"].nunique() == 12
    assert len(readers[["record_id", "reader"]].drop_duplicates()) == 1968
    per_reader = readers.groupby("reader")["record_id"].nunique()
    assert per_reader.to_dict() == {
        f"cardiologist {n}": 328 - committee
        for n, committee in enumerate([111] * 3 + [108] * 3 + [109] * 3, start=1)
    }
    # A record's committee is the three who did not read it on their own.
    read_by = readers.groupby("record_id")["reader"].agg(lambda names: frozenset(names))
    everybody = set(per_reader.index)
    committees = Counter(tuple(sorted(everybody - names)) for names in read_by)
    assert committees == {
        tuple(f"cardiologist {n}" for n in three): number
        for three, number in [((1, 2, 3), 111), ((4, 5, 6), 108), ((7, 8, 9), 109)]
    }


def test_irhythm_archive_gives_what_the_flat_table_gives(folders: dict[str, Path]) -> None:
    flat = pd.read_csv(MIRROR / "ecg-irhythm-test" / "episodes.csv", dtype=str)
    assert len(flat) == 5458
    merged = {"AFIB": "AF", "AFL": "AF", "AVB_TYPE2": "AVB", "SUDDEN_BRADY": "AVB", "NSR": "SINUS"}
    flat["label"] = flat["rhythm_name"].replace(merged)
    one = {(row.record, row.label) for row in flat[flat["kind"] == "consensus"].itertuples()}
    people = flat[flat["kind"] == "individual"]
    other = {
        (row.record, f"cardiologist {row.reviewer_id}", row.label) for row in people.itertuples()
    }
    labels = table(folders["irhythm-test"], "labels")
    readers = table(folders["irhythm-test"], "readers")
    got = labels[labels["present"]]
    assert set(zip(got["record_id"], got["label"], strict=True)) == one
    got = readers[readers["present"]]
    assert set(zip(got["record_id"], got["reader"], got["label"], strict=True)) == other
    assert len(one) == 576
    assert len(other) > 3000


# ---- PTB-XL --------------------------------------------------------------------------------------

# SHA-256 of "%.6g" of every score and "%d" of every label, row by row, of the NumPy originals.
ORIGINALS = {
    "ptbxl-fold9": (
        "dafafa90b98e64c7dc42a47b1299cfcb60050968cd6a14f0c96fe3168556c936",
        "fdf4a3d95506e02ce56a325407d4d57cfde43afdee9e01288c2e99714fd8d84e",
    ),
    "ptbxl-fold10": (
        "842fecb93b2ef538f05cd1bc063e024c3863f351c37610d9a25c5e2aed85d8e2",
        "66374e08c34ffd5d5ba9210b35d075b172b0b91324e5348d299c08c05d7e187a",
    ),
}
ROWS = {"ptbxl-fold9": 2193, "ptbxl-fold10": 2203}
# As the authors published them; theirs come from the float32 originals.
MACRO = {"ptbxl-fold9": 0.9280807631416982, "ptbxl-fold10": 0.9254358590055028}


def text_hash(cells: list[str]) -> str:
    return hashlib.sha256("\n".join(cells).encode()).hexdigest()


def macro_auroc(folder: Path) -> float:
    scores, labels = table(folder, "scores"), table(folder, "labels")
    assert scores["record_id"].equals(labels["record_id"])
    assert scores["output"].tolist() == labels["label"].tolist()
    present = labels["present"].to_numpy().reshape(-1, 71)
    values = scores["score"].to_numpy().reshape(-1, 71)
    return (
        math.fsum(
            auroc(present[:, place], values[:, place], higher_is_positive=True).value
            for place in range(71)
        )
        / 71
    )


@pytest.mark.parametrize("name", ["ptbxl-fold9", "ptbxl-fold10"])
def test_ptbxl_numbers(folders: dict[str, Path], name: str) -> None:
    scores, labels = table(folders[name], "scores"), table(folders[name], "labels")
    assert len(scores) == len(labels) == ROWS[name] * 71
    assert labels["record_id"].nunique() == ROWS[name]
    found = (
        text_hash([f"{value:.6g}" for value in scores["score"]]),
        text_hash([f"{value:d}" for value in labels["present"]]),
    )
    assert found == ORIGINALS[name]
    assert macro_auroc(folders[name]) == pytest.approx(MACRO[name], abs=TIES)


@pytest.mark.parametrize("name", ["ptbxl-fold9", "ptbxl-fold10"])
def test_ptbxl_originals(
    folders: dict[str, Path], name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = obtain(source(name, ROOT), MIRROR)
    if files["labels"].converted:
        pytest.skip("the mirror folder holds no NumPy originals of PTB-XL")
    monkeypatch.setenv("BENCHBOOK_OPEN_DATA", str(tmp_path))
    folder, _ = get(name, root=ROOT, mirror=MIRROR)
    assert macro_auroc(folder) == pytest.approx(MACRO[name], abs=ROUNDING)


def test_ptbxl_published_table_is_the_one_we_compare_with() -> None:
    told = pd.read_csv(MIRROR / "ecg-ptbxl" / "published_te_results_xresnet1d101.csv", index_col=0)
    assert told.loc["point", "macro_auc"] == MACRO["ptbxl-fold10"]


@pytest.mark.parametrize(("name", "fold"), [("ptbxl-fold9", 9), ("ptbxl-fold10", 10)])
def test_ptbxl_rows_are_the_records_of_the_fold(
    folders: dict[str, Path], name: str, fold: int
) -> None:
    part = pd.read_csv(MIRROR / "ecg-ptbxl" / "ptbxl_database_first500.csv")
    part = part[part["strat_fold"] == fold].sort_values("ecg_id")
    assert len(part) > 60
    labels = table(folders[name], "labels")
    present = labels["present"].to_numpy().reshape(-1, 71)
    names = labels["label"].to_numpy()[:71]
    for row, cell in zip(present, part["scp_codes"], strict=False):
        assert set(names[row]) == set(json.loads(cell.replace("'", '"')))
