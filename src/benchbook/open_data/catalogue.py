"""The list of open data sets: ``data/sources.yml``, read and checked."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal
from urllib.parse import quote, urljoin

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from ..errors import DataError, nearest, quoted
from ..records import PROJECT_VARIABLE, project_root

SOURCES_FILE = "data/sources.yml"

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Name = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]


def _inside(path: str) -> str:
    if not path or path.startswith("/") or ".." in path.split("/") or set(path) & set("\\:"):
        raise ValueError("a path stays below its folder, and its folders are divided by /")
    return path


Inside = Annotated[str, AfterValidator(_inside)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Licence(_Strict):
    """What may be done with the files of a source.

    Attributes
    ----------
    name, url : str
        The licence as its owner calls it, and its text.
    use : {"redistributable", "local-only"}
        ``redistributable``: the files may be passed on, with attribution. ``local-only``: no
        licence is stated; the files are fetched by each user and never passed on.
    note : str
        What else a user should know.
    """

    name: str
    url: str | None = None
    use: Literal["redistributable", "local-only"]
    note: str = ""


class MirrorFile(_Strict):
    """Where a mirror folder may hold a file: unchanged, or mechanically converted.

    Attributes
    ----------
    path : str
        Path within the mirror folder.
    sha256 : str or None
        Hash of a conversion; None when the bytes are those of the original.
    """

    path: Inside
    sha256: Sha256 | None = None


class SourceFile(_Strict):
    """One original file.

    Attributes
    ----------
    path : str
        Path below the source's ``base`` address, or the plain file name when there is none.
    sha256 : str or None
        Hash of the original's bytes; None only for a file that is never fetched.
    size : int or None
        Bytes.
    mirror : tuple of MirrorFile
        Where a mirror folder may hold it, beside its own name.
    optional : bool
        The conversion also works without it. Such a file is only ever taken from a mirror.
    """

    path: Inside
    sha256: Sha256 | None = None
    size: int | None = Field(default=None, gt=0)
    mirror: tuple[MirrorFile, ...] = ()
    optional: bool = False

    @property
    def name(self) -> str:
        """The file name without folders."""
        return PurePosixPath(self.path).name

    @model_validator(mode="after")
    def _pinned(self) -> SourceFile:
        if not self.optional and (self.sha256 is None or self.size is None):
            raise ValueError("a file that is fetched needs sha256 and size")
        return self


class Source(_Strict):
    """One open data set.

    Attributes
    ----------
    name : str
        Name in commands and parameters.
    title, description, rows : str
        What it is, in a few words, in a sentence, and how much of it there is.
    licence : Licence
        Terms of the original files.
    citation, doi : str
        The work to cite.
    homepage : str
        Where a reader finds out more.
    base : str
        Address of the originals, at a fixed commit or version; ends in a slash.
    converter : str
        Module of this package that turns the originals into the input format.
    options : dict
        What the converter is told.
    files : dict of str to SourceFile
        The originals by role.
    notes : tuple of str
        What a reader of results must know; shown on the page.
    """

    name: Name
    title: str
    description: str
    rows: str
    licence: Licence
    citation: str
    doi: str
    homepage: str
    base: Annotated[str, Field(pattern=r"^https?://.+/$")]
    converter: Annotated[str, Field(pattern=r"^[a-z_]+$")]
    options: dict[str, str | int] = {}
    files: dict[str, SourceFile]
    notes: tuple[str, ...] = ()

    def url(self, file: SourceFile) -> str:
        """Return the original address of a file."""
        return urljoin(self.base, quote(file.path))

    @property
    def fingerprint(self) -> str:
        """Twelve hex digits that change with anything that could change the converted files."""
        told = self.model_dump(include={"name", "converter", "options", "files", "base", "notes"})
        text = json.dumps(told, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def project_folder(root: Path | None = None) -> Path:
    """Return the project's folder, or refuse when there is none here."""
    found = root or project_root()
    if found is None:
        raise DataError(
            "there is no project here, and so no list of open data sets",
            expected=f"a current folder inside the project, --project, or {PROJECT_VARIABLE}",
        )
    return found


def sources(root: Path | None = None) -> dict[str, Source]:
    """Return the open data sets of a project by name, in the order of its list.

    Parameters
    ----------
    root : Path, optional
        The project's folder; found from the current folder upwards when not given.

    Raises
    ------
    DataError
        There is no list, or it breaks its rules.
    """
    file = project_folder(root) / SOURCES_FILE
    try:
        told = yaml.safe_load(file.read_text(encoding="utf-8"))
    except OSError as problem:
        reason = problem.strerror or problem
        raise DataError(
            f"the list of open data sets cannot be read ({reason})", file=SOURCES_FILE
        ) from None
    except (yaml.YAMLError, UnicodeDecodeError) as problem:
        raise DataError(f"this is no YAML ({problem})", file=SOURCES_FILE) from None
    if not isinstance(told, dict) or not told:
        raise DataError("the list is empty", file=SOURCES_FILE, expected="a name per data set")
    return {str(name): _source(str(name), entry) for name, entry in told.items()}


def _source(name: str, entry: object) -> Source:
    if not isinstance(entry, dict):
        raise DataError("this is no entry", file=SOURCES_FILE, row=name, found=quoted(entry))
    try:
        return Source.model_validate({**entry, "name": name})
    except ValidationError as problem:
        first = problem.errors()[0]
        place = ".".join(map(str, first["loc"])) or None
        raise DataError(
            first["msg"], file=SOURCES_FILE, row=name, column=place, found=quoted(first["input"])
        ) from None


def source(name: str, root: Path | None = None) -> Source:
    """Return one open data set.

    Raises
    ------
    DataError
        Naming the nearest known name.
    """
    known = sources(root)
    if name not in known:
        raise DataError(
            f"there is no open data set {quoted(name)}; {nearest(name, known)}", file=SOURCES_FILE
        )
    return known[name]
