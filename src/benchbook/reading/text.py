"""From a file to text: what is no text is named, and no encoding is guessed."""

from __future__ import annotations

import codecs
import csv
import io
import unicodedata
from pathlib import Path

from ..errors import DataError, ParameterError, did_you_mean, quoted

# What a file starts with when somebody gives another format for a table of text.
_SIGNATURES = (
    (b"PK\x03\x04", "a zip archive or a spreadsheet (Excel, OpenDocument)"),
    (b"\xd0\xcf\x11\xe0", "a spreadsheet of an older Excel"),
    (b"PAR1", "a Parquet file"),
    (b"ARROW1", "an Arrow file"),
    (b"FEA1", "a Feather file"),
    (b"\x1f\x8b", "a gzip archive or an R data file"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"%PDF", "a PDF document"),
    (b"\x89HDF", "an HDF5 file"),
    (b"SQLite format 3", "an SQLite database"),
    (b"$FL2", "an SPSS file"),
    (b"<stata_dta>", "a Stata file"),
    (b"\x93NUMPY", "a NumPy file"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
)
_CANDIDATES = {"utf-8": "Unicode", "cp949": "Korean Windows", "cp1252": "Western Windows"}
_CSV = "a table as delimited text (CSV, saved as UTF-8)"


def read_bytes(file: Path) -> bytes:
    """Return what a file holds, refusing what is not there or is empty."""
    try:
        found = existing_file(file)
        if found.is_dir():
            raise DataError("this is a folder", file=str(file), expected="a file: " + _CSV)
        raw = found.read_bytes()
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise DataError(f"the file cannot be read ({reason})", file=str(file)) from None
    if not raw.removeprefix(codecs.BOM_UTF8).strip():
        raise DataError(
            "the file is empty",
            file=file.name,
            found=f"{len(raw)} bytes, none of them a visible character" if raw else "0 bytes",
            expected="a header line and one row per item",
        )
    return raw


def existing_file(file: Path) -> Path:
    """Return the file under the name it has on the disk, or refuse one that is not there."""
    if file.exists():
        return file
    names = [other.name for other in file.parent.iterdir()] if file.parent.is_dir() else []
    # Some systems store a Korean name as letters in parts, which no keyboard types.
    same = [name for name in names if _composed(name) == _composed(file.name)]
    if same:
        return file.parent / same[0]
    raise DataError("there is no such file" + did_you_mean(file.name, names), file=str(file))


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def decode(raw: bytes, name: str, encoding: str, delimiter: str) -> str:
    """Return the text of a file.

    Raises
    ------
    DataError
        Another format, or another encoding: naming the byte and where it stands.
    ParameterError
        An encoding that does not exist.
    """
    codec = _codec(encoding)
    _check_format(raw, name)
    _check_marks(raw, name, codec)
    try:
        text = raw.decode("utf-8-sig" if codec == "utf-8" else codec)
    except UnicodeDecodeError as problem:
        raise _undecodable(raw, problem, name, codec, delimiter) from None
    text = _composed(text.removeprefix("\ufeff"))
    if "\x00" in text:
        line = text[: text.index("\x00")].count("\n") + 1
        raise DataError(
            "this is no text, or text in another encoding",
            file=name,
            row=line,
            found="a null character",
            expected=_CSV + "; a file saved as 'Unicode text' needs encoding=utf-16",
        )
    return text


def _codec(encoding: str) -> str:
    try:
        known = codecs.lookup(encoding)
        "a".encode(encoding)  # refuses codecs that are no encodings of text, such as hex
    except (LookupError, UnicodeError, TypeError, ValueError):
        raise ParameterError(
            f"unknown encoding {quoted(encoding)}; expected for instance utf-8, cp949, cp1252 or "
            "utf-16."
        ) from None
    return "utf-8" if known.name == "utf-8-sig" else known.name


def _check_format(raw: bytes, name: str) -> None:
    kind = next((kind for start, kind in _SIGNATURES if raw.startswith(start)), None)
    if raw[:200].lstrip().lower().startswith((b"<!doctype", b"<html", b"<?xml")):
        kind = "a web page or an XML file"
    if kind is not None:
        raise DataError(f"this is {kind}, not text in columns", file=name, expected=_CSV)


def _check_marks(raw: bytes, name: str, codec: str) -> None:
    """Refuse a file whose byte-order mark says another encoding."""
    marked = None
    if raw.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        marked = "utf-32"
    elif raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        marked = "utf-16"
    elif raw.startswith(codecs.BOM_UTF8):
        marked = "utf-8"
    if marked is not None and not codec.startswith(marked):
        raise DataError(
            f"the text is not {codec}",
            file=name,
            row=1,
            found=f"the byte-order mark of {marked.upper()}",
            expected=f"encoding={marked}",
        )


def _undecodable(
    raw: bytes, problem: UnicodeDecodeError, name: str, codec: str, delimiter: str
) -> DataError:
    row, column = _place(raw[: problem.start].decode(codec, errors="replace"), delimiter)
    fitting = [other for other in _CANDIDATES if other != codec and _decodes(raw, other)]
    hint = " or ".join(f"encoding={other} ({_CANDIDATES[other]})" for other in fitting)
    return DataError(
        f"the text is not {codec}",
        file=name,
        row=row,
        column=column,
        found=f"the byte 0x{raw[problem.start]:02x}",
        expected=f"{codec} text, or the file's own encoding named"
        + (f", for instance {hint}" if hint else ""),
    )


def _decodes(raw: bytes, codec: str) -> bool:
    try:
        raw.decode(codec)
    except UnicodeDecodeError:
        return False
    return True


def _place(before: str, delimiter: str) -> tuple[int, str]:
    """Return the line and the column where a text stops."""
    lines = io.StringIO(before + "x", newline="").readlines()
    records = list(csv.reader(lines, delimiter=delimiter))
    number, header = len(records[-1]), records[0]
    known = len(records) > 1 and number <= len(header) and header[number - 1].strip()
    return len(lines), header[number - 1].strip() if known else f"number {number}"
