"""The frozen numbers of other programs, and the tables they were made from."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd

from benchbook.errors import BenchbookError, DataError, listed
from benchbook.ratings import Ratings
from benchbook.records import project_root

Made = TypeVar("Made")

# Fields of a record that say how a number was made; every other field is a number to compare.
DESCRIPTION = frozenset(
    (
        "table",
        "statistic",
        "package",
        "function",
        "options",
        "level",
        "mean_level",
        "n_items",
        "n_raters",
        "n_categories",
        "n_ratings",
        "n_pairable_items",
        "n_pairable_ratings",
        "deviates",
        "why",
        "note",
        "error",
        "within",
    )
)
NEEDED = ("table", "statistic", "package", "function")


@dataclass(frozen=True, eq=False)
class Record:
    """One call of another program on one table.

    Attributes
    ----------
    file : str
        Name of the file the record stands in.
    table, statistic, package, function : str
        What was computed, from what, by what.
    options : dict
        Arguments that matter.
    numbers : dict of str to float
        What the call gave, by field (``value``, ``se``, ``lower`` …); NaN where it gave none.
    deviates : frozenset of str
        Fields that are not what the definition gives; ``why`` says it.
    level : float
        Confidence level of its bounds.
    n_items : int or None
        Items that entered.
    error : str or None
        Message of a call that stopped.
    printed : dict of str to str
        Numbers given as text, whose last digit tells how far they were rounded.
    described : dict
        The other fields, as they stand in the file.
    """

    file: str
    table: str
    statistic: str
    package: str
    function: str
    options: dict[str, Any]
    numbers: dict[str, float]
    deviates: frozenset[str] = frozenset()
    why: str = ""
    level: float = 0.95
    n_items: int | None = None
    error: str | None = None
    printed: dict[str, str] = field(default_factory=dict)
    described: dict[str, Any] = field(default_factory=dict)

    @property
    def weights(self) -> Any:
        """The weights of the call: a name, or the matrix given."""
        given = self.options.get("weights", "unweighted")
        return self.options["matrix"] if given == "matrix" else given


def read_records(path: Path) -> list[Record]:
    """Read a file of records.

    Raises
    ------
    DataError
        Not a JSON list of records; a field is missing, or is not a number.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataError("no such file of records", file=path.name) from None
    except ValueError as error:
        raise DataError(f"not JSON ({error})", file=path.name) from None
    if not isinstance(content, list) or not content:
        raise DataError("not a list of records", file=path.name, expected="[{...}, {...}]")
    return [_record(entry, path.name, number) for number, entry in enumerate(content, start=1)]


def _record(entry: Any, file: str, number: int) -> Record:
    place = f"record {number}"
    absent = [name for name in NEEDED if not isinstance(entry, dict) or name not in entry]
    if absent:
        raise DataError("a record lacks a field", file=file, row=place, expected=listed(absent))
    numbers = _numbers(entry, file, place)
    deviates = _deviates(entry, numbers, file, place)
    return Record(
        file=file,
        table=str(entry["table"]),
        statistic=str(entry["statistic"]),
        package=str(entry["package"]),
        function=str(entry["function"]),
        options=dict(entry.get("options") or {}),
        numbers=numbers,
        deviates=deviates,
        why=entry.get("why", ""),
        level=float(entry.get("level", 0.95)),
        n_items=entry.get("n_items"),
        error=entry.get("error"),
        printed={name: entry[name] for name in numbers if isinstance(entry[name], str)},
        described={name: entry[name] for name in DESCRIPTION & entry.keys()},
    )


def _numbers(entry: dict[str, Any], file: str, place: str) -> dict[str, float]:
    numbers = {}
    for name, value in entry.items():
        if name in DESCRIPTION:
            continue
        try:
            numbers[name] = float(value)
        except (TypeError, ValueError):
            raise DataError(
                "not a number", file=file, row=place, column=name, found=value
            ) from None
    return numbers


def _deviates(
    entry: dict[str, Any], numbers: dict[str, float], file: str, place: str
) -> frozenset[str]:
    deviates = frozenset(entry.get("deviates", ()))
    if deviates and not entry.get("why"):
        raise DataError(
            "a deviation without a reason", file=file, row=place, expected="a line in 'why'"
        )
    if unknown := deviates - numbers.keys():
        raise DataError(
            "'deviates' names a field that is not there",
            file=file,
            row=place,
            found=listed(sorted(unknown)),
            expected=listed(numbers),
        )
    return deviates


@dataclass(eq=False)
class Tables:
    """The tables of a folder with an ``index.csv``: layout, scale, levels, source of each.

    Parameters
    ----------
    folder : Path
        Holds ``index.csv`` and ``NAME.csv`` for each table.
    others : Tables, optional
        Where to look for tables that are not there.

    Attributes
    ----------
    kept : dict
        What was made from tables, so that records of several programs ask for it once.
    """

    folder: Path
    others: Tables | None = None
    kept: dict[Any, Any] = field(default_factory=dict, repr=False)
    _ratings: dict[tuple[str, str], Ratings] = field(default_factory=dict, repr=False)
    _frames: dict[str, pd.DataFrame] = field(default_factory=dict, repr=False)

    @cached_property
    def index(self) -> dict[str, dict[str, str]]:
        """The lines of this folder's index by name of table, in their order."""
        path = self.folder / "index.csv"
        if not path.is_file():
            return {}
        lines = pd.read_csv(path, dtype=str, keep_default_na=False).to_dict("records")
        return {str(line["table"]): {str(k): str(v) for k, v in line.items()} for line in lines}

    def _home(self, name: str) -> Tables:
        if name in self.index:
            return self
        if self.others is None:
            raise DataError(
                f"no table '{name}' in index.csv", expected=f"one of {listed(self.index)}"
            )
        return self.others._home(name)

    def __contains__(self, name: str) -> bool:
        return name in self.index or (self.others is not None and name in self.others)

    def about(self, name: str) -> dict[str, str]:
        """Return the line of the index: layout, scale, levels, source."""
        return self._home(name).index[name]

    def path(self, name: str) -> Path:
        """Return the file of a table."""
        return self._home(name).folder / f"{name}.csv"

    def made(self, name: str) -> bool:
        """Tell whether a table was made up for the tests."""
        return self.about(name)["source"].startswith("made")

    def frame(self, name: str) -> pd.DataFrame:
        """Return a table of scores, one row per item; ratings of one item side by side."""
        if name not in self._frames:
            frame = pd.read_csv(self.path(name), index_col=0)
            if self.about(name)["layout"] == "long":
                slot = frame.groupby(level=0).cumcount()
                frame = frame.assign(slot=slot).pivot_table("value", frame.index, "slot")
            self._frames[name] = frame
        return self._frames[name]

    def once(self, key: Any, make: Callable[[], Made]) -> Made:
        """Return what was made under a key, made now when it is not there."""
        if key not in self.kept:
            self.kept[key] = make()
        return self.kept[key]

    def scores(self, name: str) -> Ratings:
        """Return a table as scores, whatever its own scale."""
        return self.ratings(name, "continuous")

    def ratings(self, name: str, kind: str | None = None) -> Ratings:
        """Return a table as ratings, its levels declared; ``kind`` replaces its own scale."""
        scale = kind or self.about(name)["scale"]
        if (name, scale) not in self._ratings:
            self._ratings[name, scale] = self._read(name, scale)
        return self._ratings[name, scale]

    def _read(self, name: str, scale: str) -> Ratings:
        about = self.about(name)
        if scale == "continuous":
            return Ratings.from_table(self.frame(name), scale)
        levels = about["levels"].split("|") if about["levels"] else None
        if about["layout"] == "contingency":
            counts = pd.read_csv(self.path(name), index_col=0).to_numpy()
            return Ratings.from_contingency(counts, scale, categories=levels)
        if about["layout"] == "counts":
            counts = pd.read_csv(self.path(name), index_col=0).to_numpy()
            return Ratings.from_counts(counts, scale, categories=levels)
        table = pd.read_csv(self.path(name), index_col=0, dtype=str)
        return Ratings.from_table(table, scale, categories=levels)


def frozen_folder() -> Path:
    """Return the project's folder of frozen numbers.

    Raises
    ------
    BenchbookError
        Outside a project.
    """
    root = project_root()
    folder = root / "tests" / "reference" if root else None
    if folder is None or not folder.is_dir():
        raise BenchbookError(
            "the frozen numbers lie in tests/reference of the project, and no project was found "
            "here; start within the project."
        )
    return folder


def specification() -> dict[str, Any]:
    """Return the chapter's specification: which files it compares, and how they were made."""
    import yaml

    path = frozen_folder().parents[1] / "data" / "validation" / "spec.yml"
    return dict(yaml.safe_load(path.read_text(encoding="utf-8")))


def frozen_files() -> list[Path]:
    """Return the files of frozen records that the specification names."""
    root = frozen_folder().parents[1]
    return [root / name for name in specification()["files"] if name.endswith(".json")]


def made_with() -> dict[str, str]:
    """Return the versions of R and its packages that the frozen numbers were made with."""
    return {str(name): str(version) for name, version in specification()["made_with"].items()}
