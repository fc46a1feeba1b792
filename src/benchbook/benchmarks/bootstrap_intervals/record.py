"""The full study as a file: written once, kept with the source, shown beside every quick run."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

import benchbook
from benchbook.errors import BenchbookError
from benchbook.records import environment, project_root, source_hash

from .study import Results

FILE = "bootstrap_intervals_coverage.json"
_DIGITS = 8
# What a number of the study depends on; the hash of these sources is kept with it.
_SOURCES = ("resampling", "metrics", "agreement")
_OWN = ("designs.py", "study.py")


@dataclass(frozen=True, eq=False)
class Kept:
    """A study read from its file.

    Attributes
    ----------
    results : Results
    version : str
        Version of benchbook that made it.
    source : str
        Hash of the statistics and of the simulation's source, then.
    """

    results: Results
    version: str
    source: str

    @property
    def current(self) -> bool:
        """Whether the source that made it is the source at hand."""
        return self.source == source_of_statistics()


def path_of_record() -> Path | None:
    """Return where the full study is kept; None outside a project."""
    root = project_root()
    return None if root is None else root / "report" / "records" / FILE


def source_of_statistics() -> str:
    """Hash the sources that a number of the study depends on."""
    package, here = Path(benchbook.__file__).parent, Path(__file__).parent
    files = [file for folder in _SOURCES for file in sorted((package / folder).rglob("*.py"))]
    files += [here / name for name in _OWN]
    hashes = [[file.relative_to(package).as_posix(), source_hash(file)] for file in files]
    return hashlib.sha256(json.dumps(hashes).encode()).hexdigest()


def write(results: Results, path: Path) -> None:
    """Write a study, one row a line, the same bytes for the same numbers."""
    head = {
        "n_replications": results.n_replications,
        "n_resamples": results.n_resamples,
        "level": results.level,
        "seed": results.seed,
        "version": benchbook.__version__,
        "source": source_of_statistics(),
        "environment": environment(),
    }
    parts = [f" {json.dumps(name)}: {json.dumps(value)}" for name, value in head.items()]
    for name in ("coverage", "estimates"):
        rows = getattr(results, name).to_dict("records")
        lines = ",\n".join(f"  {json.dumps(_rounded(row), ensure_ascii=False)}" for row in rows)
        parts.append(f' "{name}": [\n{lines}\n ]')
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8", newline="\n")


def _rounded(row: dict[Any, Any]) -> dict[str, Any]:
    """Return a row whose floats have eight digits, NaN as None."""
    made: dict[str, Any] = {}
    for name, value in row.items():
        plain = value.item() if hasattr(value, "item") else value
        if isinstance(plain, float):
            plain = None if plain != plain else float(f"{plain:.{_DIGITS}g}")
        made[str(name)] = plain
    return made


def read(path: Path | None = None) -> Kept | None:
    """Read the kept study; None when there is none.

    Raises
    ------
    BenchbookError
        When the file is there and is not such a study.
    """
    path = path or path_of_record()
    if path is None or not path.is_file():
        return None
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        results = Results(
            coverage=pd.DataFrame(told["coverage"]).astype({"mean_width": float}),
            estimates=pd.DataFrame(told["estimates"]),
            **{name: told[name] for name in ("n_replications", "n_resamples", "level", "seed")},
        )
        return Kept(results, told["version"], told["source"])
    except (ValueError, KeyError, TypeError):
        raise BenchbookError(f"{path.name}: not a kept coverage study.") from None
