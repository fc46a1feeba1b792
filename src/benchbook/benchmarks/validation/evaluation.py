"""One run: what is compared with what, read and judged once."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from benchbook.parameters import data_path

from .compare import (
    VERDICTS,
    Comparison,
    NotCompared,
    Source,
    compare_records,
    program_name,
    require_no_surprise,
    with_company,
)
from .names import FAMILY_OF, ORDER, shown_name
from .parameters import Parameters
from .reference import Record, Tables, frozen_files, frozen_folder, read_records
from .witnesses import Witness, ask

NAME = "validation"
COLUMNS = {
    "matches": "match",
    "convention": "other convention",
    "other deviates": "deviate",
    "differs": "differ",
}


def published_file() -> Path:
    """Return the file of printed numbers."""
    return frozen_folder().parents[1] / "data" / NAME / "published.json"


class Evaluation:
    """The numbers of one run.

    Parameters
    ----------
    parameters : Parameters
        Checked parameters; the files they name are read at once.
    """

    def __init__(self, parameters: Parameters) -> None:
        self.parameters = parameters
        frozen = Tables(frozen_folder() / "tables")
        if parameters.data is None:
            self.tables = frozen
            files: list[tuple[Path, Source]] = [(path, "R") for path in frozen_files()]
            files.append((published_file(), "published"))
        else:
            own = data_path(str(parameters.data))
            self.tables = Tables(own.parent / "tables", frozen)
            files = [(own, "your file")]
        self.files = [(path, source, read_records(path)) for path, source in files]

    @property
    def own(self) -> bool:
        """True when the reader's own records are compared."""
        return self.parameters.data is not None

    @cached_property
    def witnesses(self) -> list[Witness]:
        """Python packages asked during this run, those that are not installed among them."""
        if self.own:
            return []
        return [ask(name, self.tables) for name in self.parameters.witnesses]

    @cached_property
    def _judged(self) -> tuple[list[Comparison], list[NotCompared]]:
        compared: list[Comparison] = []
        left: list[NotCompared] = []
        groups = [(records, source) for _, source, records in self.files]
        groups += [(witness.records, "Python") for witness in self.witnesses]
        for records, source in groups:
            found = compare_records(records, self.tables, source, self.parameters.tolerance)
            compared += found[0]
            left += found[1]
        return with_company(compared), left

    @cached_property
    def comparisons(self) -> list[Comparison]:
        """Every compared number; a difference that nobody declared is refused here."""
        compared = self._judged[0]
        if self.parameters.stop:
            require_no_surprise(compared)
        return compared

    @property
    def left(self) -> list[NotCompared]:
        """Numbers without a counterpart."""
        return self._judged[1]

    @cached_property
    def frame(self) -> pd.DataFrame:
        """Every compared number as a tidy table."""
        return tidy(self.comparisons)

    def of(self, verdict: str) -> list[Comparison]:
        """Return the comparisons with a verdict."""
        return [row for row in self.comparisons if row.verdict == verdict]

    def records_of(self, source: Source) -> list[Record]:
        """Return the records of a source."""
        return [record for _, name, records in self.files if name == source for record in records]


def tidy(compared: Iterable[Comparison]) -> pd.DataFrame:
    """Return comparisons as a table, one row a number, statistics in the order of the page."""
    rows = [_row(row) for row in compared]
    frame = pd.DataFrame(rows)
    places = frame["statistic"].map(lambda name: ORDER.get(name, len(ORDER)))
    return frame.iloc[places.argsort(kind="stable")].reset_index(drop=True)


def _row(row: Comparison) -> dict[str, Any]:
    name = shown_name(row.statistic, row.setting)
    return {
        "statistic": name,
        "family": FAMILY_OF.get(name, name),
        "table": row.table,
        "setting": row.setting,
        "quantity": row.quantity,
        "ours by": row.ours_by,
        "source": row.source,
        "program": program_name(row.program),
        "function": row.function,
        "ours": row.ours,
        "theirs": row.theirs,
        "absolute difference": abs(row.ours - row.theirs) if row.difference else 0.0,
        "difference": row.difference,
        "tolerance": row.tolerance,
        "verdict": row.verdict,
        "named": row.named,
        "reproduced": row.reproduced,
        "also": ", ".join(row.also),
        "made": row.made,
        "written": row.written,
    }


def counts_by(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return how many numbers have each verdict, by a column, in the order of first standing."""
    groups = list(dict.fromkeys(frame[column]))
    counts = pd.crosstab(frame[column], frame["verdict"]).reindex(groups)
    counts = counts.reindex(columns=list(VERDICTS), fill_value=0).rename(columns=COLUMNS)
    if not counts["differ"].any():
        counts = counts.drop(columns="differ")
    counts.insert(0, "numbers", counts.sum(axis=1))
    return counts.rename_axis(index=column, columns=None).reset_index()
