"""Files of one's own as they come: encodings, near names, ids that do not meet, little to judge."""

from __future__ import annotations

import numpy as np
import pytest
from ecg_rhythm_examples import frames, parameters, study, write

from benchbook.benchmarks import ecg_rhythm as er
from benchbook.benchmarks.ecg_rhythm import calibration, performance, reading_agreement
from benchbook.benchmarks.ecg_rhythm.study import NOT_COMPARED
from benchbook.errors import DataError

FEW = {"n_resamples": 100, "level": 0.95, "seed": 1}


def refused(tmp_path, tables, **values) -> str:
    folder = write(tmp_path / "own", tables)
    with pytest.raises(DataError) as told:
        er.check(parameters(data=str(folder), **values))
    return str(told.value)


def chapter(tmp_path, tables, **values) -> tuple[set[str], er.Chapter]:
    made = parameters(data=str(write(tmp_path / "own", tables)), **values)
    return er.conditions(made), er.Chapter(made)


# ---- files ---------------------------------------------------------------------------------------


def test_another_separator_and_encoding_are_stated(tmp_path):
    korean = {"ann": "김의사", "AF": "심방세동"}
    for name, frame in frames().items():
        path = tmp_path / f"{name}.csv"
        frame.replace(korean).to_csv(path, index=False, sep=";", encoding="cp949")
    with pytest.raises(DataError, match="delimiter=';'"):
        er.check(parameters(data=str(tmp_path), encoding="cp949"))
    with pytest.raises(DataError, match="encoding=cp949"):
        er.check(parameters(data=str(tmp_path), delimiter=";"))
    found = study(data=str(tmp_path), encoding="cp949", delimiter=";")
    expected = study({name: frame.replace(korean) for name, frame in frames().items()})
    assert found.labels == expected.labels == ("심방세동", "RBBB")
    np.testing.assert_array_equal(found.reads, expected.reads)
    assert list(found.readers["reader"]) == list(expected.readers["reader"])


@pytest.mark.parametrize("name", ["Readers.csv", "readers.xlsx", "readers.CSV", "readers.csv.zip"])
def test_a_file_that_is_almost_a_table_is_not_left_out_in_silence(tmp_path, name):
    folder = write(tmp_path / "own", frames())
    (folder / "readers.csv").rename(folder / name)
    with pytest.raises(DataError, match="almost the table of readers") as told:
        er.check(parameters(data=str(folder)))
    assert told.value.file == name
    (folder / name).rename(folder / "notes on readers.xlsx")
    er.check(parameters(data=str(folder)))


# ---- ids -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["scores", "readers"])
def test_tables_that_share_no_record_are_refused_with_an_id_of_each(tmp_path, name):
    tables = {
        key: frame.assign(record_id=frame["record_id"].str.replace("R", "0"))
        if "record_id" in frame
        else frame
        for key, frame in frames().items()
    }
    # A spreadsheet took the ids for numbers.
    tables[name] = tables[name].assign(record_id=tables[name]["record_id"].astype(int))
    message = refused(tmp_path, tables)
    for word in (f"{name}.csv, row 2, column record_id", f"no record of the table of {name}",
                 "found '0'", "such as '0000'", "7, 007 and 7.0 are three records"):  # fmt: skip
        assert word in message, message


def test_ids_that_became_decimal_numbers_say_what_an_id_is(tmp_path):
    tables = frames()
    tables["labels"] = tables["labels"].assign(record_id=1.0)
    folder = write(tmp_path / "own", tables, "parquet")
    with pytest.raises(DataError, match="found double; expected an identifier as text or whole"):
        er.check(parameters(data=str(folder)))


@pytest.mark.parametrize("records", [["R000"], ["R000", "R030"]])
def test_one_patient_is_told_before_anything_runs(tmp_path, records):
    tables = {
        name: frame[frame["record_id"].isin(records)] if "record_id" in frame else frame
        for name, frame in frames().items()
    }
    message = refused(tmp_path, tables)
    assert "all records are of one patient" in message
    assert f"found {len(records)} record{'s' * (len(records) > 1)};" in message


# ---- little to judge -----------------------------------------------------------------------------


def test_readers_without_an_answer_are_refused(tmp_path):
    tables = frames()
    tables["readers"] = tables["readers"].assign(present=None)
    assert "readers.csv, column present: nobody read; found" in refused(tmp_path, tables)


@pytest.mark.parametrize("present", [0.0, 1.0])
def test_scores_alone_need_a_label_with_both_values(tmp_path, present):
    tables = frames()
    tables.pop("readers")
    tables["labels"] = tables["labels"].assign(present=present)
    assert "so nothing can be ranked" in refused(tmp_path, tables)
    tables["labels"].loc[0, "present"] = 1 - present  # of a label that is mapped
    er.check(parameters(data=str(write(tmp_path / "own", tables))))


def test_a_reader_of_some_labels_only_agrees_on_those():
    tables = frames()
    readers = tables["readers"]
    never = (readers["reader"] == "ann") & (readers["label"] == "RBBB")
    for left_out in (readers[~never], readers.assign(present=readers["present"].mask(never))):
        made = study(tables | {"readers": left_out})
        people = reading_agreement.among_people(made, **FEW).set_index(["label", "coefficient"])
        assert people.loc[("AF", "AC1"), "n_readers"] == 2
        assert people.loc[("RBBB", "AC1"), "n_readers"] == 1
        assert people.loc[("RBBB", "AC1"), "reason"] == reading_agreement.NOBODY
        pairs = reading_agreement.pairs(made, 0.95).groupby("label").size()
        assert pairs.to_dict() == {"AF": 3, "RBBB": 1}


def test_readers_who_share_no_record_have_no_pairs(tmp_path):
    tables = frames()
    readers = tables["readers"]
    early = readers["record_id"] < "R020"
    tables["readers"] = readers[(readers["reader"] == "ann") == early]
    tables["readers"] = tables["readers"][tables["readers"]["reader"] != "net"]
    conditions, _ = chapter(tmp_path, tables)
    assert "readers" in conditions
    assert not conditions & {"pairs", "several"}


def test_readers_who_never_say_present_are_drawn_and_worded(tmp_path):
    tables = frames()
    tables["readers"] = tables["readers"].assign(present=0.0)
    conditions, made = chapter(tmp_path, tables)
    assert "pairs" in conditions
    assert "no pair has a value on any label" in made.figure_agreement().caption
    assert made.say_readers() == "Readers do not differ in sensitivity on any label."


def test_a_label_that_nobody_answers_has_no_panel(tmp_path):
    tables = frames()
    tables.pop("readers")
    tables["mapping"] = tables["mapping"].head(1)  # nobody answers RBBB
    _, made = chapter(tmp_path, tables)
    drawing = made.figure_roc()
    assert set(drawing.figure.benchbook_data["label"]) == {"AF"}
    assert drawing.caption.count("AF") == 1  # one AUROC is no range
    over = performance.evaluate(made.study, **FEW).macro["over"]
    assert set(over) == {"own labels"}


def test_models_that_share_no_record_say_so():
    tables = frames()
    scores = tables["scores"]
    tables["scores"] = scores[(scores["model"] == "one") == (scores["record_id"] < "R020")]
    made = study(tables)
    ranked = performance.evaluate(made, **FEW).table.set_index("label")
    calibrated = calibration.measures(made, **FEW).set_index("label")
    for table in (ranked, calibrated):
        assert set(table.loc["AF", "reason"]) == {NOT_COMPARED}
        assert table.loc["AF", "value"].isna().all()
        assert NOT_COMPARED not in set(table.loc["RBBB", "reason"])


def test_a_reliability_curve_without_a_full_bin_is_not_promised(tmp_path):
    few = ["R000", "R001", "R002", "R003"]
    tables = {
        name: frame[frame["record_id"].isin(few)] if "record_id" in frame else frame
        for name, frame in frames().items()
    }
    conditions, made = chapter(tmp_path, tables)
    assert "scores" in conditions
    assert "probabilities" not in conditions
    assert made.figure_reliability() is None


# ---- what the check tells ------------------------------------------------------------------------


def test_the_check_tells_what_was_read_and_what_is_odd(tmp_path):
    tables = frames()
    tables["readers"] = tables["readers"].rename(columns={"independent": "independant"})
    tables["mapping"] = tables["mapping"][tables["mapping"]["model"] == "one"]
    scores = tables["scores"]
    tables["scores"] = scores[scores["record_id"] != "R007"]
    tables["labels"] = tables["labels"].assign(patient_id=tables["labels"]["record_id"])
    tables["scores"] = tables["scores"].drop(columns="patient_id")
    size, remarks = er.describe(parameters(data=str(write(tmp_path / "own", tables))))
    assert size == "40 records of 40 patients, 2 labels, 1 model, 3 readers"
    assert (
        "readers.csv: the column 'independant' is not used, did you mean 'independent'?" in remarks
    )
    assert "two: no output stands for a label, so it is left out" in remarks
    assert "labels: 1 record left out, no model scored them." in remarks
    assert not any("R007" in remark for remark in remarks)


def test_the_record_names_the_tables_of_data_that_are_no_files(monkeypatch, tmp_path):
    monkeypatch.setenv("BENCHBOOK_OUTPUT", str(tmp_path))
    told = er.Chapter(parameters(only_labels=["AF"])).save_record()
    assert "| data: simulated, scores | SHA-256 `" in told._repr_markdown_()
    assert "| data:  |" not in told._repr_markdown_()
