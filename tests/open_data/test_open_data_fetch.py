"""Fetching open data: verified, converted whole or not at all, from a network or a mirror."""

from __future__ import annotations

import json
import logging
import os
import socket
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner
from pooch import get_logger
from toy_sources import CONTENT, EXTRA, Server, digest, entry, write_sources

from benchbook.cli import cli
from benchbook.errors import DataError
from benchbook.open_data import dataset_folder, get, source, sources, state


def left(root: Path) -> list[str]:
    """Return everything in the folder of open data."""
    folder = root / "data" / "open"
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def refused(name: str = "toy-set", **options: Any) -> str:
    with pytest.raises(DataError) as caught:
        get(name, **options)
    return str(caught.value)


# ---- from the original address -----------------------------------------------------------------


def test_a_data_set_is_fetched_verified_and_converted(root: Path, server: Server) -> None:
    told: list[str] = []
    folder, made = get("toy-set", tell=told.append)
    assert made
    assert folder == root / "data" / "open" / "toy-set" == dataset_folder("toy-set")
    assert left(root) == ["toy-set"]
    assert server.asked == ["/v1/table%20one.csv", "/v1/deep/extra.txt"]
    assert told == [
        f"table one.csv ({len(CONTENT)} bytes) from {server.base}table%20one.csv",
        f"extra.txt ({len(EXTRA)} bytes) from {server.base}deep/extra.txt",
    ]
    assert pd.read_csv(folder / "labels.csv")["present"].tolist() == [1, 0]
    about = json.loads((folder / "dataset.json").read_text(encoding="utf-8"))
    assert about["data_statement"] == "real"
    assert about["unit"] == "patient"
    assert about["notes"] == ["of the converter"]
    assert about["counts"] == {"records": 2, "patients": 2, "positives": {"AF": 1}}
    assert about["tables"]["labels"]["sha256"] == digest((folder / "labels.csv").read_bytes())
    assert about["sources"]["table"] == {
        "file": "table one.csv",
        "url": server.base + "table%20one.csv",
        "sha256": digest(CONTENT),
        "original": True,
    }
    assert str(root) not in (folder / "dataset.json").read_text(encoding="utf-8")


def test_what_is_here_is_not_made_again_but_on_demand(root: Path, server: Server) -> None:
    folder, _ = get("toy-set")
    server.asked.clear()
    (folder / "mark").touch()
    assert get("toy-set") == (folder, False)
    assert (folder / "mark").exists()
    assert get("toy-set", force=True) == (folder, True)
    assert not (folder / "mark").exists()
    assert server.asked == []  # the downloads were kept
    assert left(root) == ["toy-set"]


def test_a_changed_list_makes_a_data_set_outdated(root: Path, server: Server) -> None:
    get("toy-set")
    write_sources(root, {"toy-set": entry(server.base, notes=["new"])})
    assert state(source("toy-set")).reason == "outdated"
    with pytest.raises(DataError, match="is outdated; run: benchbook data get toy-set"):
        dataset_folder("toy-set")
    assert get("toy-set")[1]
    assert state(source("toy-set")).present


@pytest.mark.parametrize("damage", ["missing", "altered", "dataset.json"])
def test_a_damaged_data_set_is_made_again(root: Path, damage: str) -> None:
    folder, _ = get("toy-set")
    labels = folder / "labels.csv"
    if damage == "missing":
        labels.unlink()
    elif damage == "altered":
        labels.write_bytes(labels.read_bytes()[:-2] + b"9\n")
    else:
        (folder / damage).write_text("{", encoding="utf-8")
    assert state(source("toy-set")).reason == "damaged"
    with pytest.raises(DataError, match="is damaged; run: benchbook data get toy-set"):
        dataset_folder("toy-set")
    assert get("toy-set")[1]
    assert state(source("toy-set")).present


def test_wrong_bytes_are_refused_with_both_checksums(root: Path, server: Server) -> None:
    server.files["/v1/table%20one.csv"] = b"other"
    told = refused()
    for word in ("table one.csv", "checksum", digest(b"other"), digest(CONTENT)):
        assert word in told
    assert left(root) == []
    assert not any((root.parent / "cache").iterdir())
    server.files["/v1/table%20one.csv"] = CONTENT
    assert get("toy-set")[1]


def test_a_download_that_stops_half_way(root: Path, server: Server) -> None:
    server.cut.add("/v1/deep/extra.txt")
    told = refused()
    assert "extra.txt" in told
    assert "broke off before the file was complete" in told
    assert "--mirror DIR" in told
    assert left(root) == []
    assert [path.name for path in (root.parent / "cache").iterdir()] == [
        f"{digest(CONTENT)[:16]}-table one.csv"
    ]
    server.cut.clear()
    server.asked.clear()
    assert get("toy-set")[1]
    assert server.asked == ["/v1/deep/extra.txt"]  # what was complete is not fetched again


def test_a_file_in_the_cache_that_was_changed_is_fetched_again(root: Path, server: Server) -> None:
    get("toy-set")
    kept = root.parent / "cache" / f"{digest(EXTRA)[:16]}-extra.txt"
    kept.write_bytes(b"changed")
    server.asked.clear()
    get("toy-set", force=True)
    assert server.asked == ["/v1/deep/extra.txt"]
    assert kept.read_bytes() == EXTRA


def test_an_address_without_the_file(root: Path, server: Server) -> None:
    del server.files["/v1/deep/extra.txt"]
    told = refused()
    assert "answers 404" in told
    assert server.base + "deep/extra.txt" in told
    assert left(root) == []


def test_no_network(root: Path) -> None:
    with socket.socket() as held:  # a port where nobody listens
        held.bind(("127.0.0.1", 0))
        base = f"http://127.0.0.1:{held.getsockname()[1]}/"
        write_sources(root, {"toy-set": entry(base)})
        told = refused()
    assert "cannot be reached from here; is there a network?" in told
    assert "with --mirror DIR the files are taken from a folder instead" in told
    assert told.count("\n") == 0
    assert left(root) == []


def test_a_converter_that_fails_leaves_the_former_data_set(root: Path, toy: ModuleType) -> None:
    folder, _ = get("toy-set")
    before = (folder / "labels.csv").read_bytes()
    for problem in (DataError("bad"), KeyboardInterrupt(), ZeroDivisionError()):
        toy.fail = problem
        with pytest.raises(type(problem)):
            get("toy-set", force=True)
        assert left(root) == ["toy-set"]
        assert (folder / "labels.csv").read_bytes() == before


def test_what_a_killed_run_left_is_cleared_a_day_later(root: Path, server: Server) -> None:
    old, new = (root / "data" / "open" / f".toy-set.{name}.part" for name in ("old", "new"))
    for folder in (old, new):
        folder.mkdir(parents=True)
    two_days_ago = time.time() - 2 * 86_400
    os.utime(old, (two_days_ago, two_days_ago))
    get("toy-set")
    assert left(root) == [".toy-set.new.part", "toy-set"]  # perhaps of a run that is under way


@pytest.mark.parametrize("problem", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_write_that_fails_leaves_nothing(
    root: Path, monkeypatch: pytest.MonkeyPatch, problem: BaseException
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise problem

    monkeypatch.setattr(pd.DataFrame, "to_csv", fail)
    expected = DataError if isinstance(problem, OSError) else KeyboardInterrupt
    with pytest.raises(expected, match="cannot be written" if expected is DataError else None):
        get("toy-set")
    assert left(root) == []


def test_the_logger_of_pooch_is_quiet(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    get("toy-set")
    assert get_logger().level >= logging.WARNING
    assert capsys.readouterr() == ("", "")


# ---- from a mirror folder ----------------------------------------------------------------------


def mirror_at(folder: Path, **files: bytes) -> Path:
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("_csv", ".csv").replace("_txt", ".txt")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


@pytest.mark.parametrize("place", ["toys/renamed.csv", "toy-set/table one.csv", "table one.csv"])
def test_a_mirror_may_hold_an_original_in_several_places(
    root: Path, server: Server, toy: ModuleType, place: str
) -> None:
    mirror = mirror_at(root.parent / "mirror", extra_txt=EXTRA)
    (mirror / place).parent.mkdir(exist_ok=True)
    (mirror / place).write_bytes(CONTENT)
    (mirror / "toys").mkdir(exist_ok=True)
    (mirror / "toys" / "converted.csv").write_bytes(EXTRA)  # the original comes first
    get("toy-set", mirror=mirror)
    assert server.asked == []
    assert toy.seen["table"].path == mirror / place
    assert not toy.seen["table"].converted


def test_a_conversion_is_taken_where_there_is_no_original(root: Path, server: Server) -> None:
    mirror = mirror_at(root.parent / "mirror", toys__converted_csv=EXTRA, extra_txt=EXTRA)
    assert "a conversion" in refused(mirror=mirror)
    assert server.asked == []


def test_the_mirror_of_the_environment_and_optional_files(
    root: Path, server: Server, toy: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    mirror = mirror_at(root.parent / "mirror", toys__renamed_csv=CONTENT, extra_txt=EXTRA)
    monkeypatch.setenv("BENCHBOOK_MIRROR", str(mirror))
    get("toy-set")
    assert sorted(toy.seen) == ["extra", "table"]
    mirror_at(mirror, more_csv=b"whatever")
    folder, _ = get("toy-set", force=True)
    assert sorted(toy.seen) == ["extra", "more", "table"]
    about = json.loads((folder / "dataset.json").read_text(encoding="utf-8"))
    assert about["sources"]["more"]["sha256"] == digest(b"whatever")
    assert server.asked == []


def test_a_mirror_with_wrong_or_missing_files(root: Path) -> None:
    mirror = mirror_at(root.parent / "mirror", toys__renamed_csv=b"other", extra_txt=EXTRA)
    told = refused(mirror=mirror)
    for word in ("toys/renamed.csv", "checksum", digest(b"other"), digest(CONTENT)):
        assert word in told
    (mirror / "toys" / "renamed.csv").unlink()
    told = refused(mirror=mirror)
    for word in ("lacks a file of toy-set", "toys/renamed.csv", "table one.csv", digest(CONTENT)):
        assert word in told
    assert "no such mirror folder" in refused(mirror=root / "nowhere")
    assert left(root) == []


# ---- the list ------------------------------------------------------------------------------------


def test_an_unknown_name_and_a_data_set_that_is_not_here(root: Path) -> None:
    with pytest.raises(DataError, match="no open data set 'toy'; did you mean 'toy-set'"):
        dataset_folder("toy")
    with pytest.raises(DataError, match="'toy-set' is not here; run: benchbook data get toy-set"):
        dataset_folder("toy-set")


def test_another_folder_for_the_converted_files(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCHBOOK_OPEN_DATA", str(root.parent / "elsewhere"))
    folder, _ = get("toy-set")
    assert folder == root.parent / "elsewhere" / "toy-set" == dataset_folder("toy-set")
    assert left(root) == []


def changed(**changes: Any) -> dict[str, Any]:
    return {"toy-set": entry(**{"base": "http://127.0.0.1/", **changes})}


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ({}, ["empty"]),
        ({"toy-set": 3}, ["no entry", "'3'"]),
        ({"Toy set": entry("http://127.0.0.1/")}, ["name"]),
        (changed(base="http://127.0.0.1/no-slash"), ["base"]),
        (changed(base="file:///etc/"), ["base"]),
        (changed(licence={"name": "x", "use": "perhaps"}), ["licence.use", "local-only"]),
        (changed(colour="red"), ["colour", "Extra"]),
        (changed(converter="../x"), ["converter"]),
        (changed(files={"a": {"path": "x"}}), ["needs sha256 and size"]),
        (changed(files={"a": {"path": "x", "size": 1, "sha256": "12"}}), ["sha256"]),
        (changed(files={"a": {"path": "../x", "optional": True}}), ["stays below"]),
        (changed(files={"a": {"path": "/x", "optional": True}}), ["stays below"]),
        (changed(files={"a": {"path": "C:x", "optional": True}}), ["stays below"]),
    ],
)
def test_a_list_that_breaks_its_rules(
    root: Path, entries: dict[str, Any], words: list[str]
) -> None:
    write_sources(root, entries)
    with pytest.raises(DataError) as caught:
        sources()
    for word in ["data/sources.yml", *words]:
        assert word in str(caught.value)


def test_no_list_no_yaml_and_no_project(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = root / "data" / "sources.yml"
    file.write_text("a: [", encoding="utf-8")
    with pytest.raises(DataError, match="no YAML"):
        sources()
    file.unlink()
    with pytest.raises(DataError, match="cannot be read"):
        sources()
    monkeypatch.chdir(root.parent)
    with pytest.raises(DataError, match="no project here"):
        sources()


# ---- the commands --------------------------------------------------------------------------------


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(cli, arguments)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def test_the_commands(root: Path, server: Server) -> None:
    line = "toy-set  2 exams  CC0 [redistributable]  "
    assert run("data", "list") == (0, line + "not here\n", "")
    status, out, told = run("data", "get", "toy-set")
    place = str(Path("data", "open", "toy-set"))
    assert (status, out) == (0, f"toy-set: {place}; licence: CC0 [redistributable]\n")
    assert told.splitlines()[0].startswith("table one.csv (")
    assert run("data", "list") == (0, line + place + "\n", "")
    assert "(unchanged)" in run("data", "get", "toy-set")[1]
    status, out, told = run("data", "get", "toy-set", "tay-set")
    assert (status, out) == (2, "")
    assert "did you mean 'toy-set'?" in told
    status, out, told = run("data", "get", "toy-set", "--force", "--mirror", str(root / "none"))
    assert (status, out) == (2, "")
    assert told.startswith("Error: ")


# ---- the project's own list ----------------------------------------------------------------------


def test_the_list_of_the_project() -> None:
    own = sources(Path(__file__).parents[2])
    assert list(own) == ["code-test", "irhythm-test", "ptbxl-fold9", "ptbxl-fold10"]
    for entry_ in own.values():
        assert entry_.base.startswith("https://")
        assert any(part and len(part) == 40 for part in entry_.base.split("/"))  # a commit
        assert entry_.citation
        assert entry_.doi.startswith("10.")
    assert own["irhythm-test"].licence.use == "local-only"
