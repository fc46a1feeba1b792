"""The JSON below v1/ of the site: there by both renderers, valid, and enough to check the hash."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from toy import REPOSITORY, write_project

from benchbook.errors import BenchbookError, DataError
from benchbook.site import build as building
from benchbook.site.interface import write_interface
from benchbook.site.project import Project
from benchbook.site.render import Rendered, find_quarto, render
from benchbook.site.stage import stage
from benchbook.specs import read_leaderboard, read_task

TASK, BOARD = "tasks/ecg_image.json", "leaderboard/ecg_image.json"
FILES = {TASK, BOARD, "tasks/index.json", "schema/task.json", "schema/leaderboard.json"}
DOCUMENTS = [
    ("schema/task.json", TASK),
    ("schema/leaderboard.json", BOARD),
]
LINKS = "[Task](../v1/tasks/ecg_image.json), [results](../v1/leaderboard/ecg_image.json).\n"


def project_with_task(root: Path) -> Project:
    """Write the toy project with the specification of ecg_image and a page that links to it."""
    write_project(root)
    shutil.copytree(REPOSITORY / "data/ecg_image", root / "data/ecg_image")
    with (root / "report/data.qmd").open("a", encoding="utf-8") as page:
        page.write(f"\n{LINKS}")
    return Project(root)


@pytest.fixture(scope="module")
def task_project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return project_with_task(tmp_path_factory.mktemp("task") / "project")


@pytest.fixture(scope="module")
def by_preview(task_project: Project) -> Rendered:
    return render(task_project, renderer="preview")


@pytest.fixture(scope="module")
def by_quarto(task_project: Project, tmp_path_factory: pytest.TempPathFactory) -> Rendered:
    if find_quarto() is None:
        pytest.skip("Quarto is not installed: only the embedded preview can be tested")
    return render(task_project, tmp_path_factory.mktemp("quarto") / "_site", renderer="quarto")


@pytest.fixture
def v1(task_project: Project, tmp_path: Path) -> Path:
    """The documents, written to a folder of their own."""
    write_interface(task_project.root, tmp_path)
    return tmp_path / "v1"


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


# ---- on the site ------------------------------------------------------------------------------


@pytest.mark.site
@pytest.mark.parametrize("renderer", ["by_preview", "by_quarto"])
def test_site_has_the_documents_and_pages_link_to_them(
    request: pytest.FixtureRequest, renderer: str, v1: Path
) -> None:
    """Rendering passed its own check of links, so the page's two links lead somewhere."""
    site = request.getfixturevalue(renderer).path
    assert files(site / "v1") == files(v1)
    page = (site / "report/data.html").read_text(encoding="utf-8")
    assert "../v1/tasks/ecg_image.json" in page
    assert "../v1/leaderboard/ecg_image.json" in page


@pytest.mark.site
def test_a_link_to_a_task_that_is_not_there_stops_the_site(tmp_path: Path) -> None:
    project = project_with_task(tmp_path / "project")
    shutil.rmtree(project.root / "data")
    with pytest.raises(BenchbookError, match=r"broken link: \.\./v1/tasks/ecg_image\.json"):
        render(project, renderer="preview")


@pytest.mark.site
def test_a_new_result_makes_a_new_site(tmp_path: Path) -> None:
    project = project_with_task(tmp_path / "project")
    assert not render(project, renderer="preview").unchanged
    assert render(project, renderer="preview").unchanged
    path = project.data("ecg_image") / "results.yml"
    text = path.read_text(encoding="utf-8").replace("value: 0.252", "value: 0.253")
    path.write_text(text, encoding="utf-8")
    site = render(project, renderer="preview")
    assert not site.unchanged
    ranked = read(site.path / "v1" / BOARD)["ranked"]
    assert ranked[0]["metrics"]["macro_f_measure"]["value"] == 0.253


def test_staged_sources_hold_the_documents_and_the_project_stays_as_it_is(
    task_project: Project, tmp_path: Path, v1: Path
) -> None:
    before = sorted(task_project.root.rglob("*"))
    stage(task_project, tmp_path / "source")
    assert files(tmp_path / "source/v1") == files(v1)
    assert sorted(task_project.root.rglob("*")) == before


def test_a_faulty_specification_stops_before_anything_is_written(tmp_path: Path) -> None:
    project = project_with_task(tmp_path / "project")
    with (project.data("ecg_image") / "spec.yml").open("a", encoding="utf-8") as file:
        file.write("colour: blue\n")
    with pytest.raises(DataError, match=r"data/ecg_image/spec\.yml, row \d+: field colour"):
        write_interface(project.root, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_build_leaves_the_documents_for_plain_quarto(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, v1: Path
) -> None:
    project = project_with_task(tmp_path / "project")
    monkeypatch.setattr(building, "is_fresh", lambda *_: True)
    monkeypatch.setattr(building, "inputs", lambda _, names: {name: {} for name in names})
    assert [outcome.status for outcome in building.build(project, ["toy"])] == ["fresh"]
    assert files(project.root / "v1") == files(v1)


# ---- what is written --------------------------------------------------------------------------


def test_same_content_same_bytes_and_nothing_stale(task_project: Project, tmp_path: Path) -> None:
    first = write_interface(task_project.root, tmp_path)
    assert {path.relative_to(tmp_path / "v1").as_posix() for path in first} == FILES
    before = files(tmp_path)
    (tmp_path / "v1/tasks/gone.json").write_text("{}", encoding="utf-8")
    (tmp_path / "v1/notes.txt").write_text("mine", encoding="utf-8")
    write_interface(task_project.root, tmp_path)
    assert files(tmp_path) == before | {"v1/notes.txt": b"mine"}


def test_a_project_without_a_task_has_no_documents(tmp_path: Path) -> None:
    assert write_interface(tmp_path, tmp_path / "out") == []
    chapter = tmp_path / "data/toy/spec.yml"
    chapter.parent.mkdir(parents=True)
    chapter.write_text("files: [a.csv]\n", encoding="utf-8")
    assert write_interface(tmp_path, tmp_path / "out") == []
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("schema", "document"), DOCUMENTS)
def test_documents_are_valid(v1: Path, schema: str, document: str) -> None:
    rules = read(v1 / schema)
    Draft202012Validator.check_schema(rules)
    content = read(v1 / document)
    Draft202012Validator(rules).validate(content)
    assert (v1 / document).parent.joinpath(content["$schema"]).resolve() == v1 / schema


@pytest.mark.parametrize(
    ("document", "place", "value"),
    [
        (TASK, ("hash",), "abc"),
        (TASK, ("colour",), "blue"),
        (TASK, ("specification", "colour"), "blue"),
        (TASK, ("specification", "metrics", "bootstrap", "n"), "1000"),
        (TASK, ("specification", "protocol", "scorer", "commit"), "9af7dfb"),
        (TASK, ("specification", "counts", "parts", "test", "records"), -1),
        (BOARD, ("metric",), None),
        (BOARD, ("ranked", 0, "rank"), 0),
        (BOARD, ("pending", 0, "reason"), ""),
    ],
)
def test_the_schema_refuses_what_is_wrong(
    v1: Path, document: str, place: tuple, value: Any
) -> None:
    rules = read(v1 / ("schema/task.json" if document == TASK else "schema/leaderboard.json"))
    content = read(v1 / document)
    inner = content
    for part in place[:-1]:
        inner = inner[part]
    inner[place[-1]] = value
    with pytest.raises(ValidationError):
        Draft202012Validator(rules).validate(content)


def test_anybody_can_compute_the_hash_from_the_document(v1: Path) -> None:
    """By the statement in the document and the standard library alone."""
    document = read(v1 / TASK)
    content = document["specification"]
    for place in document["not_hashed"]:
        *above, last = place.split(".")
        inner = content
        for name in above:
            inner = inner.get(name) or {}
        inner.pop(last, None)
    # Python sorts and escapes as RFC 8785 does for this content; numbers are short decimals.
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert hashlib.sha256(text.encode()).hexdigest()[:12] == document["hash"]


def test_documents_say_what_the_files_say(v1: Path) -> None:
    spec = read_task("ecg_image", REPOSITORY)
    task, board = read(v1 / TASK), read(v1 / BOARD)
    assert task["hash"] == board["specification"] == spec.hash
    assert task["specification"] == json.loads(json.dumps(spec.json()))
    assert [row["model"] for row in board["ranked"]] == ["medbench/prior"]
    assert [row["rank"] for row in board["ranked"]] == [1]
    assert len(board["pending"]) == len(board["not_ranked"]) == 1
    (listed,) = read(v1 / "tasks/index.json")["tasks"]
    assert (listed["name"], listed["hash"]) == ("ecg_image", spec.hash)
    for link in ("task", "leaderboard"):
        assert (v1 / "tasks" / listed[link]).is_file()


def test_a_published_specification_reads_back_as_the_same(v1: Path, tmp_path: Path) -> None:
    """JSON is YAML too: the document's specification, saved as spec.yml, has the same hash."""
    folder = tmp_path / "again/data/ecg_image"
    folder.mkdir(parents=True)
    text = yaml.safe_dump(read(v1 / TASK)["specification"], allow_unicode=True)
    (folder / "spec.yml").write_text(text, encoding="utf-8")
    shutil.copy(REPOSITORY / "data/ecg_image/results.yml", folder)
    again = read_task("ecg_image", tmp_path / "again")
    assert again == read_task("ecg_image", REPOSITORY)
    board = read_leaderboard("ecg_image", tmp_path / "again")
    assert board == read_leaderboard("ecg_image", REPOSITORY)
