"""Input of the chapter: the four tables, what is refused and what is left out and counted."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from ecg_rhythm_examples import LABELS, frames, parameters, study, write

from benchbook.benchmarks import ecg_rhythm as er
from benchbook.benchmarks.ecg_rhythm import inputs, simulate
from benchbook.errors import DataError, ParameterError


def refused(tmp_path, name: str, change) -> str:
    """The message when one table of the study is spoiled on disk."""
    tables = frames()
    tables[name] = change(tables[name])
    folder = write(tmp_path / "own", tables)
    with pytest.raises(DataError) as told:
        er.check(parameters(data=str(folder)))
    return str(told.value)


def set_cell(row: int, column: str, value):
    def change(frame: pd.DataFrame) -> pd.DataFrame:
        frame = frame.astype({column: object})
        frame.loc[row, column] = value
        return frame

    return change


# ---- the format ---------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet"])
def test_a_folder_is_read_whatever_the_files_are(tmp_path, ending):
    folder = write(tmp_path / "own", frames(), ending)
    on_disk = study(data=str(folder))
    in_memory = study(frames())
    assert on_disk.labels == LABELS
    for key, column in in_memory.scores.items():
        np.testing.assert_allclose(on_disk.scores[key], column, rtol=1e-12)
    np.testing.assert_array_equal(on_disk.reads, in_memory.reads)
    np.testing.assert_array_equal(on_disk.patients, in_memory.patients)


def test_single_files_override_those_of_the_folder(tmp_path):
    folder = write(tmp_path / "own", frames())
    other = write(tmp_path / "other", frames(seed=5))
    mixed = study(data=str(folder), readers=str(other / "readers.csv"))
    np.testing.assert_array_equal(mixed.reads, study(frames(seed=5)).reads)
    np.testing.assert_array_equal(mixed.truth, study(frames()).truth)


def test_the_simulation_is_exactly_in_the_input_format(tmp_path):
    tables = simulate.simulated(3, n_patients=60)
    folder = write(tmp_path / "sim", tables)
    read = inputs.load(parameters(data=str(folder)))
    made = inputs.from_frames(tables, "simulated")
    for name, table in made.tables().items():
        assert read.tables()[name].warnings == ()
        declared = [column.name for column in inputs.COLUMNS[name]]
        for column in table.frame:
            assert column in declared
            pd.testing.assert_series_equal(table.frame[column], read.tables()[name].frame[column])


def test_order_of_rows_changes_nothing():
    tables = frames()
    shuffled = {name: frame.sample(frac=1, random_state=1) for name, frame in tables.items()}
    shuffled["mapping"] = tables["mapping"]
    first, second = study(tables, only_labels=["AF"]), study(shuffled, only_labels=["AF"])
    np.testing.assert_array_equal(first.records, second.records)
    np.testing.assert_array_equal(first.truth, second.truth)
    for key in first.scores:
        np.testing.assert_array_equal(first.scores[key], second.scores[key])


# ---- windows and outputs ------------------------------------------------------------------------


def test_the_record_score_is_the_largest_over_windows_and_outputs():
    tables = frames()
    scores = tables["scores"]
    three = pd.concat(
        [scores.assign(window=str(k), score=scores["score"] * factor)
         for k, factor in enumerate((0.5, 1.0, 0.9))]
    )  # fmt: skip
    found = study(tables | {"scores": three})
    by_hand = scores.pivot_table(index="record_id", columns=["model", "output"], values="score")
    np.testing.assert_array_equal(found.scores["one", "AF"], by_hand["one", "af"])
    both = by_hand["two"].max(axis=1)
    np.testing.assert_array_equal(found.scores["two", "AF"], both)
    assert found.windows["most"].tolist() == [3, 3]
    assert found.mark("two", "AF") == "†"
    assert found.mark("one", "RBBB") == "*"
    assert ("two", "RBBB") not in found.scores


def test_a_record_without_one_of_the_outputs_has_no_score_and_is_left_out_for_all():
    tables = frames()
    scores = tables["scores"]
    gone = (scores["record_id"] == "R003") & (scores["output"] == "flut")
    found = study(tables | {"scores": scores[~gone]})
    place = list(found.records).index("R003")
    assert np.isnan(found.scores["two", "AF"][place])
    assert not found.compared("AF")[place]
    assert found.compared("RBBB")[place]
    told = [one for one in found.left if one.why.startswith("two did not score")]
    assert [one.count for one in told] == [1]


def test_a_window_beside_none_is_refused(tmp_path):
    message = refused(tmp_path, "scores", lambda f: pd.concat([f, f.head(1).assign(window="1")]))
    assert "scores.csv, row 2, column window" in message
    assert "expected a window" in message


# ---- refused ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("mapping", set_cell(1, "label", "RBB"),
         ["mapping.csv, row 3, column label", "'RBB'", "did you mean 'RBBB'"]),
        ("readers", set_cell(5, "label", "afib"), ["readers.csv, row 7, column label", "'afib'"]),
        ("mapping", set_cell(2, "output", "fibb"),
         ["mapping.csv, row 4, column output", "did you mean 'fib'", "has no scores"]),
        ("mapping", set_cell(2, "model", "three"), ["mapping.csv, row 4", "'three'", "no scores"]),
        ("scores", set_cell(9, "score", "inf"), ["scores.csv, row 11, column score", "'inf'"]),
        ("scores", set_cell(9, "score", None), ["scores.csv, row 11, column score", "empty"]),
        ("scores", set_cell(4, "patient_id", "P99"),
         ["scores.csv, row 7, column patient_id", "'P99'", "'P01'", "two patients"]),
        ("labels", lambda f: pd.concat([f, f.head(1)]), ["labels.csv", "lines 2 and 82"]),
        ("readers", lambda f: pd.concat([f, f.head(1)]), ["readers.csv", "two rows"]),
        ("scores", lambda f: pd.concat([f, f.head(1)]), ["scores.csv", "two rows"]),
        ("readers", set_cell(8, "group", "nurses"),
         ["readers.csv, row 10, column group", "'net' has two values of group"]),
        ("readers", set_cell(3, "present", 2), ["readers.csv, row 5, column present", "'2'"]),
        ("labels", lambda f: f.assign(present=None), ["no label is known"]),
        ("scores", lambda f: f.drop(columns="patient_id"),
         ["40 records have no patient", "patient_id"]),
        ("mapping", lambda f: f[f["model"] == "none"], ["mapping.csv"]),
    ],
)  # fmt: skip
def test_bad_input_is_told_with_its_place(tmp_path, name, change, words):
    message = refused(tmp_path, name, change)
    for word in words:
        assert word in message, message


def test_missing_and_doubled_tables_are_told(tmp_path):
    tables = frames()
    for left_out, words in (("labels", "no table of labels"), ("mapping", "go together")):
        folder = write(tmp_path / left_out, {k: v for k, v in tables.items() if k != left_out})
        with pytest.raises(DataError, match=words):
            er.check(parameters(data=str(folder)))
    folder = write(tmp_path / "twice", tables)
    write(folder, {"labels": tables["labels"]}, "csv.gz")
    with pytest.raises(DataError, match="more than once"):
        er.check(parameters(data=str(folder)))
    alone = write(tmp_path / "alone", {"labels": tables["labels"]})
    with pytest.raises(DataError, match="nothing to judge"):
        er.check(parameters(data=str(alone)))
    with pytest.raises(DataError, match="data must be a folder"):
        er.check(parameters(data=str(folder / "scores.csv")))
    with pytest.raises(DataError, match="no such file"):
        er.check(parameters(labels=str(tmp_path / "x.csv"), readers=str(folder / "readers.csv")))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"dataset": "code-test", "data": "x"}, "beside files of your own"),
        ({"scores": "x"}, "labels is missing"),
        ({"labels": "x"}, "nothing to judge"),
        ({"labels": "x", "scores": "y"}, "go together"),
        ({"only_labels": ["AF", "AF"]}, "names one thing twice"),
        ({"dataset": "code"}, "dataset"),
        ({"match": "exactly"}, "match"),
    ],
)
def test_parameters_that_contradict_each_other_are_refused(values, words):
    with pytest.raises(ParameterError, match=words):
        parameters(**values)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"only_labels": ["AFib"]}, "no label 'AFib'; did you mean 'AF'"),
        ({"only_models": ["model X"]}, "no model 'model X'"),
        ({"people_groups": ["resident"]}, "did you mean 'residents'"),
        ({"people_groups": ["network"]}, "nobody in 'network' is a person"),
        ({"people_groups": ["reference committee"]}, "nobody in"),
    ],
)
def test_unknown_choices_are_told(values, words):
    with pytest.raises(ParameterError, match=words):
        er.check(parameters(**values))


def test_an_open_set_that_is_not_here_names_the_command(tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHBOOK_OPEN_DATA", str(tmp_path))
    with pytest.raises(DataError, match="benchbook data get code-test"):
        er.check(parameters(dataset="code-test"))


# ---- left out, and counted ----------------------------------------------------------------------


def left(found) -> dict[str, int]:
    return {f"{one.table}: {one.what}, {one.why}": one.count for one in found.left}


def test_what_has_no_partner_is_left_out_and_counted():
    tables = frames()
    labels, scores, readers = tables["labels"], tables["scores"], tables["readers"]
    tables["labels"] = labels[labels["record_id"] != "R000"]
    tables["scores"] = scores[scores["record_id"] != "R001"]
    tables["readers"] = readers.assign(
        present=readers["present"].where(
            (readers["record_id"] != "R002") | (readers["reader"] != "ann")
        )
    )
    tables["labels"] = tables["labels"].assign(patient_id=[
        f"P{int(record[1:]) % 30:02d}" for record in tables["labels"]["record_id"]
    ])  # fmt: skip
    found = study(tables)
    assert found.records.size == 39
    assert left(found) == {
        "scores: records, they have no label": 1,
        "labels: records, no model scored them": 1,
        "readers: records, no label is known": 1,
    }
    ann = np.isnan(found.reads[:, 0, 0])
    assert list(found.records[ann]) == ["R002"]
    assert found.compared("AF").sum() == 38


def test_outputs_and_models_without_a_label_are_left_out():
    tables = frames()
    mapping = tables["mapping"]
    only_one = study(tables | {"mapping": mapping[mapping["model"] == "one"].head(1)})
    assert only_one.models == ("one",)
    assert only_one.unmapped == ("two",)
    assert left(only_one)["scores: outputs, no label is mapped to them"] >= 1
    with pytest.raises(DataError, match="no model has an output that stands for a label shown"):
        study(tables, only_labels=["RBBB"], only_models=["two"])


def test_scores_outside_0_to_1_are_only_warned_of():
    tables = frames()
    tables["scores"] = tables["scores"].assign(score=tables["scores"]["score"] * 10 - 5)
    found = study(tables)
    assert len([w for w in found.warnings if "outside 0 to 1" in w]) == 2


def test_labels_that_state_no_absent_ones_are_warned_of():
    tables = frames()
    labels = tables["labels"]
    found = study(tables | {"labels": labels[labels["present"] == 1]})
    assert any("holds no absent label" in warning for warning in found.warnings)


def test_a_label_not_assessed_is_never_negative():
    tables = frames()
    labels = tables["labels"]
    gone = (labels["record_id"] == "R004") & (labels["label"] == "AF")
    empty = study(tables | {"labels": labels.assign(present=labels["present"].mask(gone))})
    without = study(tables | {"labels": labels[~gone]})
    for found in (empty, without):
        assert not found.assessed("AF")[list(found.records).index("R004")]
        assert found.assessed("RBBB").all()


def test_readers_of_a_group_are_independent_persons_only():
    tables = frames()
    readers = tables["readers"]
    tables["readers"] = readers.assign(independent=readers["reader"] != "ben")
    found = study(tables)
    assert found.groups == ("doctors",)
    assert [found.readers["reader"].iloc[k] for k in found.readers_of("doctors")] == ["ann"]
    assert found.readers_of("machines").size == 0
