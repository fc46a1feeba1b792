"""Converters on small files of our own: what they make, and what they refuse."""

from __future__ import annotations

import hashlib
import io
import json
import pickle
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import MultiLabelBinarizer
from toy_sources import entry

from benchbook.errors import DataError
from benchbook.open_data import Source, SourceFile, code_test, irhythm_test, ptbxl
from benchbook.open_data.fetch import Obtained

Files = Callable[[str, str, bytes], Obtained]


@pytest.fixture
def obtained(tmp_path: Path) -> Files:
    def obtained_(name: str, original: str, content: bytes) -> Obtained:
        path = tmp_path / name
        path.write_bytes(content)
        file = SourceFile(path=original, optional=True)
        digest = hashlib.sha256(content).hexdigest()
        return Obtained(path, file, digest, converted=name != original)

    return obtained_


def a_source(**options: Any) -> Source:
    return Source.model_validate({**entry("http://127.0.0.1/", options=options), "name": "toy"})


# ---- CODE-test -----------------------------------------------------------------------------------


def code_files(obtained: Files, **changes: bytes) -> dict[str, Obtained]:
    rng = np.random.default_rng(5)
    roles = ["gold_standard", *code_test.READERS]
    files = {}
    for role in roles:
        flags = rng.integers(0, 2, (code_test.N_EXAMS, 6))
        frame = pd.DataFrame(flags, columns=list(code_test.LABELS))
        content = frame.to_csv(index=role == "dnn").encode()
        files[role] = obtained(f"{role}.csv", f"{role}.csv", changes.get(role, content))
    for role in code_test.MODELS:
        buffer = io.BytesIO()
        np.save(buffer, rng.random((code_test.N_EXAMS, 6), dtype=np.float32))
        content = changes.get(role, buffer.getvalue())
        files[role] = obtained(f"{role}.npy", f"{role}.npy", content)
    return files


def test_code_test(obtained: Files) -> None:
    files = code_files(obtained)
    made = code_test.convert(a_source(), files)
    scores, labels, readers = (made.tables[name] for name in ("scores", "labels", "readers"))
    assert made.unit == "patient"
    assert list(scores) == ["record_id", "patient_id", "model", "output", "score"]
    assert list(labels) == ["record_id", "patient_id", "label", "present"]
    assert list(readers) == [
        "record_id", "reader", "group", "label", "present", "independent", "kind",
    ]  # fmt: skip
    truth = pd.read_csv(files["gold_standard"].path)
    assert labels["label"].tolist() == list(truth) * code_test.N_EXAMS
    np.testing.assert_array_equal(labels["present"].to_numpy().reshape(-1, 6), truth)
    main = scores[scores["model"] == "Ribeiro 2020"]["score"].to_numpy().reshape(-1, 6)
    np.testing.assert_array_equal(main, np.load(files["seed_1"].path).astype(float))
    alone = readers.groupby("reader")[["independent", "kind"]].first()
    assert alone.index[alone["independent"] == 0].tolist() == ["cardiologist 1", "cardiologist 2"]
    assert alone.index[alone["kind"] == "network"].tolist() == ["network"]
    network = readers[readers["reader"] == "network"]["present"].to_numpy().reshape(-1, 6)
    np.testing.assert_array_equal(network, pd.read_csv(files["dnn"].path, index_col=0))
    mapping = made.tables["mapping"]
    assert (mapping["output"] == mapping["label"]).all()
    assert mapping["contaminated"].all()
    assert not mapping["approximate"].any()


def saved(array: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=True)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("role", "content", "words"),
    [
        ("gold_standard", b"1dAVb,RBBB,LBBB,SB,AF,ST\n0,0,0,0,0,1\n", ["1 x 6", "827 x 6"]),
        ("gold_standard", b"1dAVb,RBBB,LBBB,SB,AF\n0,0,0,0,0\n", ["no column 'ST'"]),
        ("dnn", b"1dAVb,RBBB,LBBB,SB,AF,ST\n0,0,0,0,0,2\n", ["row 2", "column ST", "'2'"]),
        ("model", b"no array", ["no NumPy array"]),
        ("model", saved(np.array([1, "a"], dtype=object)), ["no NumPy array"]),
        ("model", saved(np.zeros((826, 6))), ["826 x 6"]),
        ("model", saved(np.full((827, 6), 1.5)), ["row 1", "1.5", "from 0 to 1"]),
        ("model", saved(np.full((827, 6), np.nan)), ["no probability", "nan"]),
    ],
)
def test_code_test_refuses(obtained: Files, role: str, content: bytes, words: list[str]) -> None:
    with pytest.raises(DataError) as caught:
        code_test.convert(a_source(), code_files(obtained, **{role: content}))
    for word in [role, *words]:
        assert word in str(caught.value)


# ---- iRhythm -------------------------------------------------------------------------------------


def irhythm_members() -> dict[str, Any]:
    """Return annotations with the structure of the archive and rhythms of our own."""
    rng = np.random.default_rng(6)
    rhythms = list(irhythm_test.CLASSES)
    members: dict[str, Any] = {}
    for number in range(irhythm_test.N_RECORDS):
        committee = irhythm_test.COMMITTEES[number % 3]
        others = [person for person in range(1, 10) if person not in committee]
        for name, reviewer in [(f"grp{number % 3}", list(committee))] + [
            (f"rev{place}", person) for place, person in enumerate(rng.permutation(others).tolist())
        ]:
            chosen = rng.choice(rhythms, size=rng.integers(1, 4))
            members[f"SET/{number:032x}_0001_{name}.episodes.json"] = {
                "ECG_ID": f"{number:032x}",
                "reviewer_id": reviewer,
                "episodes": [{"rhythm_name": str(rhythm)} for rhythm in chosen],
            }
    return members


def archive(members: Mapping[str, Any]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as target:
        target.writestr("SET/", "")
        target.writestr("SET/something.ecg", b"\x00\x01")
        for name, told in members.items():
            target.writestr(name, told if isinstance(told, str) else json.dumps(told))
    return buffer.getvalue()


def test_irhythm_test(obtained: Files) -> None:
    members = irhythm_members()
    made = irhythm_test.convert(
        a_source(), {"archive": obtained("a.zip", "a.zip", archive(members))}
    )
    assert sorted(made.tables) == ["labels", "readers"]
    labels, readers = made.tables["labels"], made.tables["readers"]
    assert len(labels) == 328 * 12
    assert len(readers) == 328 * 6 * 12
    assert list(readers["reader"].unique()) == [f"cardiologist {n}" for n in range(1, 10)]
    assert set(readers["group"]) == {"cardiologists"}
    # Every cell again, straight from the members.
    found = {(row.record_id, row.reader, row.label): row.present for row in readers.itertuples()}
    truth = {(row.record_id, row.label): row.present for row in labels.itertuples()}
    for name, told in members.items():
        record = name.split("/")[1][: 32 + 5]
        classes = {irhythm_test.CLASSES[one["rhythm_name"]] for one in told["episodes"]}
        for label in irhythm_test.LABELS:
            if "grp" in name:
                assert truth[record, label] == (label in classes)
            else:
                reader = f"cardiologist {told['reviewer_id']}"
                assert found[record, reader, label] == (label in classes)


def first(members: Mapping[str, Any], kind: str) -> str:
    return next(name for name in members if kind in name)


def without_a_read(members: dict[str, Any]) -> None:
    del members[first(members, "rev3")]


def a_reader_of_the_committee(members: dict[str, Any]) -> None:
    members[first(members, "rev0")]["reviewer_id"] = 1


def an_unknown_rhythm(members: dict[str, Any]) -> None:
    members[first(members, "rev0")]["episodes"][0]["rhythm_name"] = "AFBI"


def no_episodes(members: dict[str, Any]) -> None:
    members[first(members, "rev0")]["episodes"] = []


def no_list(members: dict[str, Any]) -> None:
    members[first(members, "rev0")] = {"reviewer_id": 4}


def no_json(members: dict[str, Any]) -> None:
    members[first(members, "rev0")] = "{"


def a_patient_twice(members: dict[str, Any]) -> None:
    for name, told in members.items():
        if f"{1:032x}" in name:
            told["ECG_ID"] = f"{0:032x}"


def a_record_less(members: dict[str, Any]) -> None:
    for name in [name for name in members if f"{1:032x}" in name]:
        del members[name]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (without_a_read, ["not the six outside its committee", "readers"]),
        (a_reader_of_the_committee, ["not the six outside its committee"]),
        (an_unknown_rhythm, ["rev0", "AFBI", "AFIB"]),
        (no_episodes, ["rev0", "no episode"]),
        (no_list, ["rev0", "no list of episodes"]),
        (no_json, ["a.zip", "cannot be read"]),
        (a_patient_twice, ["one patient"]),
        (a_record_less, ["327", "328"]),
    ],
)
def test_irhythm_test_refuses(
    obtained: Files, change: Callable[[dict[str, Any]], None], words: list[str]
) -> None:
    members = irhythm_members()
    change(members)
    with pytest.raises(DataError) as caught:
        irhythm_test.convert(a_source(), {"archive": obtained("a.zip", "a.zip", archive(members))})
    for word in words:
        assert word in str(caught.value)


def test_irhythm_test_refuses_what_is_no_archive(obtained: Files) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        irhythm_test.convert(a_source(), {"archive": obtained("a.zip", "a.zip", b"PK no")})


# ---- PTB-XL --------------------------------------------------------------------------------------

NAMES = [f"S{number:02d}" for number in range(ptbxl.N_STATEMENTS)]
N = 5


def statements() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    present = rng.integers(0, 2, (N, ptbxl.N_STATEMENTS))
    return present, rng.random((N, ptbxl.N_STATEMENTS)).astype(np.float32)


def ptbxl_files(obtained: Files, **changes: bytes) -> dict[str, Obtained]:
    present, scores = statements()
    binariser = MultiLabelBinarizer().fit([NAMES])
    told = {
        "classes": ("mlb.pkl", pickle.dumps(binariser)),
        "labels": ("y_test.npy", pickle.dumps(present, 2)),
        "predictions": ("y_test_pred.npy", pickle.dumps(scores, 2)),
    }
    return {
        role: obtained(name, name, changes.get(role, content))
        for role, (name, content) in told.items()
    }


def as_csv(values: np.ndarray, names: list[str] = NAMES) -> bytes:
    return pd.DataFrame(values, columns=names).to_csv(index=False).encode()


def database(ids: list[int], fold: int = 10) -> pd.DataFrame:
    present, _ = statements()
    codes = [{NAMES[place]: 50.0 for place in np.flatnonzero(row)} for row in present]
    rows = [
        {"ecg_id": ecg, "patient_id": 100.0 + ecg // 2, "strat_fold": fold, "scp_codes": str(told)}
        for ecg, told in zip(ids, codes, strict=False)
    ]
    other = {"ecg_id": 1, "patient_id": 9.0, "strat_fold": 3, "scp_codes": "{}"}
    return pd.DataFrame([*reversed(rows), other])


SOURCE = {"fold": 10, "records": N}


def test_ptbxl_from_originals_and_from_tables(obtained: Files) -> None:
    present, scores = statements()
    one = ptbxl.convert(a_source(**SOURCE), ptbxl_files(obtained))
    tables = {
        "classes": obtained("labels.csv", "mlb.pkl", as_csv(present)),
        "labels": obtained("labels.csv", "y_test.npy", as_csv(present)),
        "predictions": obtained("scores.csv", "y_pred.npy", as_csv(scores.astype(float))),
    }
    other = ptbxl.convert(a_source(**SOURCE), tables)
    for name in ("scores", "labels", "mapping"):
        pd.testing.assert_frame_equal(one.tables[name], other.tables[name])
    assert one.unit == other.unit == "record"
    assert "the record is the unit" in one.notes[0]
    assert one.tables["labels"]["record_id"].iloc[-1] == "ptbxl-fold10-0005"
    got = one.tables["scores"]["score"].to_numpy().reshape(N, -1)
    np.testing.assert_array_equal(got, scores.astype(float))
    assert one.tables["mapping"]["contaminated"].all()


def test_ptbxl_with_its_database(obtained: Files) -> None:
    files = ptbxl_files(obtained)
    content = database([12, 13, 20, 30, 31]).to_csv(index=False).encode()
    files["database"] = obtained("ptbxl_database.csv", "ptbxl_database.csv", content)
    made = ptbxl.convert(a_source(**SOURCE), files)
    assert made.unit == "patient"
    labels = made.tables["labels"].drop_duplicates("record_id")
    assert labels["record_id"].tolist() == [f"ptbxl-{n}" for n in (12, 13, 20, 30, 31)]
    assert labels["patient_id"].nunique() == 3
    plain = ptbxl.convert(a_source(**SOURCE), ptbxl_files(obtained)).tables
    for name, column in (("scores", "score"), ("labels", "present")):
        assert made.tables[name][column].equals(plain[name][column])


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (database([12, 13, 20, 30]), ["found 4", "expected 5", "v1.0.1"]),
        (database([12, 13, 20, 30, 31], fold=9), ["found 0"]),
        (database([13, 12, 20, 30, 31]), ["row", "scp_codes", "not the labels of this row"]),
        (database([12, 12, 20, 30, 31]), ["two rows name the same thing", "'12'"]),
        (
            database([12, 13, 20, 30, 31]).assign(scp_codes="__import__('os')"),
            ["not the labels of this row"],
        ),
        (database([12, 13, 20, 30, 31]).drop(columns="patient_id"), ["no column 'patient_id'"]),
    ],
)
def test_ptbxl_refuses_another_database(
    obtained: Files, frame: pd.DataFrame, words: list[str]
) -> None:
    files = ptbxl_files(obtained)
    content = frame.to_csv(index=False).encode()
    files["database"] = obtained("ptbxl_database.csv", "ptbxl_database.csv", content)
    with pytest.raises(DataError) as caught:
        ptbxl.convert(a_source(**SOURCE), files)
    for word in ["ptbxl_database.csv", *words]:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("role", "content", "words"),
    [
        ("classes", pickle.dumps(MultiLabelBinarizer().fit([["A", "B"]])), ["mlb.pkl", "71"]),
        ("labels", pickle.dumps(np.zeros((4, 71)), 2), ["4 x 71", "5 x 71"]),
        ("labels", pickle.dumps(np.full((5, 71), 2), 2), ["neither 0 nor 1"]),
        ("predictions", pickle.dumps(np.full((5, 71), -0.5), 2), ["-0.5", "from 0 to 1"]),
        ("predictions", b"cos\nsystem\n(S'true'\ntR.", ["os.system"]),
    ],
)
def test_ptbxl_refuses(obtained: Files, role: str, content: bytes, words: list[str]) -> None:
    with pytest.raises(DataError) as caught:
        ptbxl.convert(a_source(**SOURCE), ptbxl_files(obtained, **{role: content}))
    for word in words:
        assert word in str(caught.value)


def test_ptbxl_refuses_a_table_of_other_labels(obtained: Files) -> None:
    files = ptbxl_files(obtained)
    _, scores = statements()
    content = as_csv(scores, [*NAMES[1:], "other"])
    files["predictions"] = obtained("p.csv", "y_test_pred.npy", content)
    with pytest.raises(DataError, match="the labels are not those of the data set"):
        ptbxl.convert(a_source(**SOURCE), files)
