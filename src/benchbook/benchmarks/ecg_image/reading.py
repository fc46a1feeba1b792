"""Reading answers and reference labels from files, and refusing what cannot be scored."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from benchbook.errors import DataError, did_you_mean, listed, quoted
from benchbook.reading import Column, InputTable, read_input

from .parser import LabelParser, Parsed
from .study import PRIOR, Answers, Study

SEPARATOR = ";"
REFERENCE_COLUMNS = (
    Column("record_id", "id"),
    Column("group_id", "id", required=False),
    Column("labels", "text", empty=True),
)
ANSWER_COLUMNS = (
    Column("record_id", "id"),
    Column("model", "text"),
    Column("answer", "text", required=False, empty=True),
    Column("labels", "text", required=False, empty=True),
    Column("error", "flag", required=False, empty=True, default=False),
)
ENDINGS = (".csv", ".csv.gz", ".parquet")
A_LIST = f'a JSON list such as ["NORM"], or names separated by "{SEPARATOR}"'
OTHER_SEPARATORS = re.compile(r"[,|\t\n]")
MOST_ENTRIES = 1000  # of a cell of labels; more is no list of classes


def files_in(folder: Path) -> tuple[Path, Path]:
    """Return the files of answers and of reference labels in a folder.

    Raises
    ------
    DataError
        When one is missing, or there in two forms.
    """
    if not folder.is_dir():
        raise DataError(
            "this is no folder",
            file=folder.name,
            expected="a folder with answers.csv and reference.csv (or .csv.gz, .parquet)",
        )
    found = []
    for stem in ("answers", "reference"):
        here = [folder / f"{stem}{end}" for end in ENDINGS if (folder / f"{stem}{end}").is_file()]
        if len(here) != 1:
            names = listed(path.name for path in here) or "none"
            raise DataError(
                f"the folder must hold one file of {stem}",
                file=folder.name,
                found=names,
                expected=" or ".join(f"{stem}{end}" for end in ENDINGS),
            )
        found.append(here[0])
    return found[0], found[1]


def read_study(
    answers: Path,
    reference: Path,
    classes: Sequence[str],
    *,
    delimiter: str = ",",
    encoding: str = "utf-8",
) -> Study:
    """Read both files.

    Parameters
    ----------
    answers : Path
        ``record_id``, ``model``, and ``answer`` (text, parsed here) or ``labels`` (a JSON list,
        or names separated by semicolons) or both; ``error`` where the route failed.
    reference : Path
        ``record_id``, ``labels`` (as above; empty: unlabelled, not scored) and ``group_id``; a
        file without that column makes every record its own group.
    classes : sequence of str
        The class names.
    delimiter, encoding : str
        Of CSV files; stated, never guessed.

    Returns
    -------
    Study

    Raises
    ------
    DataError
        Naming file, line, column, what was found and what was expected.
    """
    parser = LabelParser(classes)
    form = {"delimiter": delimiter, "encoding": encoding}
    truth = read_input(reference, REFERENCE_COLUMNS, key=("record_id",), **form)
    labels = _reference_labels(truth, parser)
    given = truth.frame["group_id"]
    grouped = bool(given.notna().any())
    groups = np.arange(len(given)) if not grouped else pd.factorize(given)[0]
    if grouped and len(given) > 1 and groups.max() == 0:
        raise DataError(
            "all records are in one group, so nothing can be resampled",
            file=truth.name,
            column="group_id",
            found=quoted(given.iloc[0]),
            expected="at least two groups, or no such column",
        )
    table = read_input(answers, ANSWER_COLUMNS, key=("record_id", "model"), **form)
    found = _answers(table, truth, parser)
    remarks = (*truth.warnings, *table.warnings)
    return Study(
        classes=parser.classes,
        reference=labels,
        groups=np.asarray(groups, dtype=np.int64),
        answers=found,
        name=f"{table.name} and {truth.name}",
        grouped=grouped,
        files=((answers, table.n_read), (reference, truth.n_read)),
        remarks=remarks,
    )


def _reference_labels(truth: InputTable, parser: LabelParser) -> np.ndarray:
    """Return the reference as a table of bool; every name must be a class."""
    table = np.zeros((truth.n_read, len(parser.classes)), dtype=bool)
    for row, cell in enumerate(truth.frame["labels"]):
        entries = _entries(truth, row, cell)
        parsed = parser.names(entries)
        if parsed.n_unknown or parsed.n_not_text:
            raise _no_class(truth, row, entries, parser)
        table[row, [parser.index[name] for name in parsed.labels]] = True
    if not table.any():
        raise DataError(
            "no record has a label, so nothing can be scored",
            file=truth.name,
            column="labels",
            found=f"{truth.n_read:,} unlabelled records",
            expected="at least one record with a class",
        )
    return table


def _no_class(
    truth: InputTable, row: int, entries: Sequence[object], parser: LabelParser
) -> DataError:
    odd = next(
        entry for entry in entries if not isinstance(entry, str) or not parser.names([entry]).labels
    )
    expected = f"a class, one of {listed(parser.classes)}{did_you_mean(odd, parser.classes)}"
    return truth.refuse(row, "labels", quoted(odd), expected, "the label is no class")


def _entries(table: InputTable, row: int, cell: str | None) -> list[object]:
    """Return the entries of a cell of labels: a JSON list, or names between semicolons."""
    if cell is None or pd.isna(cell):
        return []
    if not cell.startswith(("[", "{")):
        return [name for name in map(str.strip, cell.split(SEPARATOR)) if name]
    try:
        entries = json.loads(cell)
    except (ValueError, RecursionError):
        entries = None
    if not isinstance(entries, list) or len(entries) > MOST_ENTRIES:
        raise table.refuse(row, "labels", quoted(cell), A_LIST, "the list of labels cannot be read")
    return entries


def _given(table: InputTable, row: int, cell: str | None, parser: LabelParser) -> Parsed:
    """Return a model's list of labels.

    A name that is no class is a model's fault and is counted. Classes that another character
    separates are a fault of the file: unnoticed they would score as no class.
    """
    entries = _entries(table, row, cell)
    parsed = parser.names(entries)
    for entry in entries if parsed.n_unknown else ():
        parts = OTHER_SEPARATORS.split(entry) if isinstance(entry, str) else []
        if len(parts) > 1 and not (read := parser.names(parts)).n_unknown and read.labels:
            told = "the classes of a cell are not separated as declared"
            raise table.refuse(row, "labels", quoted(entry), A_LIST, told)
    return parsed


def _answers(table: InputTable, truth: InputTable, parser: LabelParser) -> tuple[Answers, ...]:
    frame = table.frame
    present = [name for name in ("answer", "labels") if frame[name].notna().any()]
    if not present and not (frame["error"] == 1).any():
        raise DataError(
            "no row holds an answer",
            file=table.name,
            found="neither a column 'answer' nor a column 'labels' with anything in it",
            expected="one of the two",
        )
    records = pd.Index(truth.frame["record_id"])
    places = records.get_indexer(pd.Index(frame["record_id"]))
    if (places < 0).any():
        row = int((places < 0).argmax())
        n = int((places < 0).sum())
        raise table.refuse(
            row,
            "record_id",
            quoted(frame["record_id"].iloc[row]) + (f" ({n:,} such rows)" if n > 1 else ""),
            f"a record of {truth.name}",
            "an answer to a record that is not in the reference",
        )
    both = (frame["answer"].notna() & frame["labels"].notna()).to_numpy()
    if both.any():
        raise table.refuse(
            int(both.argmax()), "labels", "answer and labels", "one of the two in a row",
            "a row has both an answer and labels",
        )  # fmt: skip
    only_labels = present == ["labels"]
    names = frame["model"].to_numpy()
    taken = names == PRIOR
    if taken.any():
        raise table.refuse(
            int(taken.argmax()), "model", quoted(PRIOR),
            "another name: the baseline of that name is computed and stands beside the models",
            "the name of a model is taken",
        )  # fmt: skip
    return tuple(
        _of_model(str(model), table, np.flatnonzero(names == model), places, parser, only_labels,
                  truth.n_read)
        for model in dict.fromkeys(names)
    )  # fmt: skip


def _of_model(
    model: str,
    table: InputTable,
    rows: np.ndarray,
    places: np.ndarray,
    parser: LabelParser,
    only_labels: bool,
    n_records: int,
) -> Answers:
    """Read the rows of one model; records without a row keep no class."""
    predicted = np.zeros((n_records, len(parser.classes)), dtype=bool)
    received, as_text, read = (np.zeros(n_records, dtype=bool) for _ in range(3))
    texts, lists = table.frame["answer"].to_numpy(), table.frame["labels"].to_numpy()
    failed = table.frame["error"].to_numpy() == 1  # an empty cell is no error
    counted = np.zeros(3, dtype=np.int64)
    for row in rows[~failed[rows]]:
        record = places[row]
        # A file of labels alone has no texts: there an empty cell names no class. Elsewhere it is
        # an empty answer.
        is_list = only_labels or not pd.isna(lists[row])
        if is_list:
            parsed = _given(table, int(row), lists[row], parser)
        else:
            parsed = parser(None if pd.isna(texts[row]) else texts[row])
        predicted[record, [parser.index[name] for name in parsed.labels]] = True
        received[record], as_text[record] = True, not is_list
        read[record] = parsed.parsed and not is_list
        counted += (parsed.n_unknown, parsed.n_not_text, parsed.n_repeated)
    return Answers(
        model,
        predicted,
        received,
        as_text,
        read,
        n_missing=n_records - int(rows.size),
        n_failed=int(failed[rows].sum()),
        n_unknown=int(counted[0]),
        n_not_text=int(counted[1]),
        n_repeated=int(counted[2]),
    )
