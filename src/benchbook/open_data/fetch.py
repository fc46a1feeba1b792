"""Original files: fetched with a checksum, or taken from a mirror folder with the same checksum."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ..errors import DataError, listed
from .catalogue import Source, SourceFile

MIRROR_VARIABLE = "BENCHBOOK_MIRROR"
"""Environment variable: folder that holds the files of the open data sets."""

CACHE_VARIABLE = "BENCHBOOK_CACHE"
"""Environment variable: folder in which downloads are kept; the system's cache when not set."""

_TIMEOUT = (10.0, 60.0)  # seconds to connect, and between two pieces of the answer
_CHUNK = 2**16
_OTHERWISE = "with --mirror DIR the files are taken from a folder instead"


@dataclass(frozen=True)
class Obtained:
    """A file at hand, verified.

    Attributes
    ----------
    path : Path
        Where it is.
    file : SourceFile
        What it stands for.
    sha256 : str
        Hash of its bytes.
    converted : bool
        True for a mirror's mechanical conversion of the original.
    """

    path: Path
    file: SourceFile
    sha256: str
    converted: bool


Tell = Callable[[str], None]


def obtain(
    source: Source,
    mirror: Path | None = None,
    cache: Path | None = None,
    tell: Tell = lambda _: None,
) -> dict[str, Obtained]:
    """Return every file of a source by role, verified.

    Parameters
    ----------
    source : Source
        The data set.
    mirror : Path, optional
        Take the files from this folder; nothing is fetched then.
    cache : Path, optional
        Where downloads are kept.
    tell : callable
        Called with a line about each file that is fetched.

    Raises
    ------
    DataError
        A file that is missing, has other bytes than it should, or cannot be fetched.
    """
    if mirror is not None and not mirror.is_dir():
        raise DataError("there is no such mirror folder", file=str(mirror))
    found: dict[str, Obtained] = {}
    for role, file in source.files.items():
        if mirror is not None:
            taken = _from_mirror(source, file, mirror)
        elif file.optional:
            taken = None
        else:
            taken = _download(source, file, cache or cache_folder(), tell)
        if taken is not None:
            found[role] = taken
    return found


def cache_folder() -> Path:
    """Return the folder in which downloads are kept."""
    import pooch

    told = os.environ.get(CACHE_VARIABLE)
    return Path(told).absolute() if told else Path(pooch.os_cache("benchbook"))


def mirror_folder(given: Path | None = None) -> Path | None:
    """Return the mirror folder: the one given, else the environment's."""
    told = os.environ.get(MIRROR_VARIABLE)
    return given or (Path(told) if told else None)


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


# ---- from a mirror folder ---------------------------------------------------------------------


def _places(source: Source, file: SourceFile) -> Iterator[tuple[str, str | None]]:
    """Yield paths within a mirror and the hash expected there, originals first."""
    for place in file.mirror:
        if place.sha256 is None:
            yield place.path, file.sha256
    folders = dict.fromkeys(os.path.dirname(place.path) for place in file.mirror)
    for folder in dict.fromkeys([source.name, *folders, ""]):
        yield f"{folder}/{file.name}".lstrip("/"), file.sha256
    for place in file.mirror:
        if place.sha256 is not None:
            yield place.path, place.sha256


def _from_mirror(source: Source, file: SourceFile, mirror: Path) -> Obtained | None:
    wrong: DataError | None = None
    places = dict(_places(source, file))
    for place, expected in places.items():
        path = mirror / place
        if not path.is_file():
            continue
        try:
            found = file_hash(path)
        except OSError as problem:
            reason = problem.strerror or problem
            raise DataError(f"the file cannot be read ({reason})", file=str(path)) from None
        if expected is None or found == expected:
            return Obtained(path, file, found, converted=expected not in (None, file.sha256))
        wrong = wrong or _wrong_hash(place, found, expected)
    if wrong is not None:
        raise wrong
    if file.optional:
        return None
    raise DataError(
        f"the mirror folder lacks a file of {source.name}",
        file=str(mirror),
        found="none of " + listed(places),
        expected=f"{file.name}, SHA-256 {file.sha256}",
    )


def _wrong_hash(name: str, found: str, expected: str | None) -> DataError:
    return DataError(
        "the file is not the one that was listed: its checksum differs",
        file=name,
        found=f"SHA-256 {found}",
        expected=f"SHA-256 {expected}",
    )


# ---- from the original address -------------------------------------------------------------------


def _download(source: Source, file: SourceFile, cache: Path, tell: Tell) -> Obtained:
    import pooch
    from requests.exceptions import RequestException

    url, expected = source.url(file), str(file.sha256)
    pooch.get_logger().setLevel("ERROR")  # it greets every file

    def fetch(address: str, target: str, _: object) -> None:
        tell(f"{file.name} ({file.size or 0:,} bytes) from {address}")
        pooch.HTTPDownloader(chunk_size=_CHUNK, timeout=_TIMEOUT)(address, target, None)
        found = file_hash(Path(target))
        if found != expected:
            raise _wrong_hash(file.name, found, expected)

    # Under the name of its bytes, files of one name from different sources do not meet.
    name = f"{expected[:16]}-{file.name}"
    try:
        path = pooch.retrieve(url, f"sha256:{expected}", fname=name, path=cache, downloader=fetch)
    except RequestException as problem:
        raise _not_fetched(file, url, problem) from None
    except OSError as problem:
        reason = problem.strerror or problem
        raise DataError(f"the file cannot be kept ({reason})", file=str(cache / name)) from None
    return Obtained(Path(path), file, expected, converted=False)


def _not_fetched(file: SourceFile, url: str, problem: Exception) -> DataError:
    from requests.exceptions import ChunkedEncodingError, ConnectionError, HTTPError, Timeout

    if isinstance(problem, HTTPError) and problem.response is not None:
        message = f"the address answers {problem.response.status_code} {problem.response.reason}"
    elif isinstance(problem, ChunkedEncodingError):
        message = "the connection broke off before the file was complete"
    elif isinstance(problem, Timeout):
        message = "the address does not answer"
    elif isinstance(problem, ConnectionError):
        message = "the address cannot be reached from here; is there a network?"
    else:
        message = f"the file cannot be fetched ({type(problem).__name__})"
    return DataError(f"{message} ({url}); {_OTHERWISE}", file=file.name)
