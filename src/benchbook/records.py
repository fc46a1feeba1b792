"""Run records: which inputs a run had, which numbers it gave, and whether they come again.

A notebook ends with :func:`save_record`. The record holds no time and no machine path, so the
same run on the same machine writes the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import platform
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard

from . import __version__
from .errors import BenchbookError, ParameterError
from .estimate import Estimate

OUTPUT_VARIABLE = "BENCHBOOK_OUTPUT"
"""Environment variable of a run: the folder it writes into."""

PROJECT_VARIABLE = "BENCHBOOK_PROJECT"
"""Environment variable: the project's folder."""

NOTEBOOK_VARIABLE = "BENCHBOOK_NOTEBOOK"
"""Environment variable of a run: hash of the notebook's source."""

PROJECT_FILE = "_quarto.yml"
RECORD_FILE = "record.json"

SIGNIFICANT_DIGITS = 12
# The order in which a library adds numbers differs between machines, which moves the last few of
# the 16 digits of a double; a bound of a bootstrap interval is one such sum, or close to one.
RELATIVE_TOLERANCE = 1e-8
# For numbers that are zero up to such differences, such as a mean difference of equal raters.
ABSOLUTE_TOLERANCE = 1e-12

# What numbers and figures are made with; the rest of the environment only carries them.
LIBRARIES = ("numpy", "scipy", "pandas", "statsmodels", "matplotlib")

REPRODUCED = ("equal", "agrees")

Scalar = float | int | str | bool | None


@dataclass(frozen=True, repr=False)
class Record:
    """What went into a run of a benchmark and what came out.

    Parameters
    ----------
    name : str
        The benchmark.
    parameters : dict
        Every parameter of the run, defaults included.
    data : tuple of dict
        One entry per file: ``file`` (a name, no folder outside the project), ``sha256``, ``bytes``
        and what the notebook adds, such as the rows read.
    notebook : str or None
        Hash of the notebook's source (its cells, not its outputs or ids).
    package : str
        Hash of the source of the benchbook modules that the run loaded.
    environment : dict
        Versions of Python and of the libraries, and the platform.
    numbers : dict
        Every headline number by name; an undefined one is None.
    """

    name: str
    parameters: dict[str, Any]
    data: tuple[dict[str, Any], ...]
    notebook: str | None
    package: str
    environment: dict[str, str]
    numbers: dict[str, Scalar] = field(default_factory=dict)

    def to_json(self) -> str:
        """Return the record as JSON text, one number a line."""
        return json.dumps(asdict(self), indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    @classmethod
    def read(cls, path: Path) -> Record:
        """Read a record file.

        Raises
        ------
        BenchbookError
            When the file is missing or is not a record.
        """
        try:
            return cls.from_bytes(path.read_bytes(), path.name)
        except FileNotFoundError:
            raise BenchbookError(f"record {path.name}: no such file.") from None

    @classmethod
    def from_bytes(cls, content: bytes | None, name: str) -> Record:
        """Read a record from the content of a file of that name; None when there is none.

        Raises
        ------
        BenchbookError
            When it is missing or is not a record.
        """
        if content is None:
            raise BenchbookError(f"record {name}: no such file.")
        try:
            told = json.loads(content.decode("utf-8"))
            told["data"] = tuple(told["data"])
            return cls(**{entry.name: told[entry.name] for entry in fields(cls)})
        except (ValueError, KeyError, TypeError):
            raise BenchbookError(f"record {name}: not a record of a run.") from None

    @property
    def link(self) -> str:
        """Where the run's own copy lies, relative to its page."""
        return file_link(self.name, RECORD_FILE)

    def same_inputs(self, other: Record) -> bool:
        """Tell whether both runs had the same parameters, data, notebook and package source."""
        names = ("parameters", "data", "notebook", "package")
        return all(getattr(self, name) == getattr(other, name) for name in names)

    def __repr__(self) -> str:
        return f"<record of {self.name}, {len(self.numbers)} numbers>"

    def _repr_markdown_(self) -> str:
        """Show the record as the table at the end of a page."""
        rows = [(f"`{name}`", f"`{_plain(value)}`") for name, value in self.parameters.items()]
        rows += [(f"data: {entry.get('file', '')}", _details(entry)) for entry in self.data]
        rows.append(("notebook", f"SHA-256 `{_short(self.notebook)}`"))
        rows.append(("package", f"benchbook {__version__}, SHA-256 `{_short(self.package)}`"))
        versions = ", ".join(f"{name} {value}" for name, value in self.environment.items())
        rows.append(("environment", versions))
        rows.append(("numbers", f"{len(self.numbers)}, in [{RECORD_FILE}]({self.link})"))
        lines = [f"| {left} | {_cell(right)} |" for left, right in rows]
        return "\n".join(["| This run | |", "|:--|:--|", *lines])


def _plain(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _short(digest: str | None) -> str:
    return digest[:12] if digest else "unknown"


def _details(entry: Mapping[str, Any]) -> str:
    parts = [f"SHA-256 `{_short(entry['sha256'])}`"] if "sha256" in entry else []
    rest = {key: value for key, value in entry.items() if key not in ("file", "sha256")}
    parts += [f"{key.replace('_', ' ')}: {value}" for key, value in rest.items()]
    return ", ".join(parts)


# --- where a run reads and writes --------------------------------------------------------------


def project_root(start: Path | None = None) -> Path | None:
    """Return the project's folder: told by the environment, else the nearest with _quarto.yml.

    Parameters
    ----------
    start : Path, optional
        Where the search begins; the current folder when not given.

    Returns
    -------
    Path or None
        None when there is no project here.
    """
    told = os.environ.get(PROJECT_VARIABLE)
    if told:
        return Path(told).absolute()
    here = (start or Path.cwd()).absolute()
    for folder in (here, *here.parents):
        if (folder / PROJECT_FILE).is_file():
            return folder
    return None


def output_folder(name: str) -> Path:
    """Return the folder for this run's figure and table files; it is made when missing.

    Outside the command line (a notebook opened in Jupyter) it lies below ``out/`` in the project.

    Parameters
    ----------
    name : str
        The benchmark.

    Returns
    -------
    Path
        Absolute.
    """
    told = os.environ.get(OUTPUT_VARIABLE)
    base = Path(told) if told else (project_root() or Path.cwd()) / "out"
    folder = (base / "files" / name).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def file_link(name: str, file: str) -> str:
    """Return the address of a file in `output_folder`, relative to the benchmark's page."""
    return f"files/{name}/{file}"


# --- making a record ---------------------------------------------------------------------------


def save_record(
    name: str,
    parameters: Any,
    numbers: Mapping[str, Any] | Iterable[Estimate],
    data: Iterable[str | os.PathLike[str] | Mapping[str, Any]] = (),
) -> Record:
    """Write this run's record beside its figures and return it; shown last, it is a table.

    Parameters
    ----------
    name : str
        The benchmark.
    parameters : pydantic.BaseModel or mapping
        The checked parameters of the run.
    numbers : mapping or iterable of Estimate
        Headline numbers by name: numbers, texts, estimates, or mappings of those (names are then
        joined by a colon). Estimates may also come as a list and are named by themselves.
    data : iterable of path or mapping
        Files the run read: a path, or a mapping with ``file`` (a path or a name) and anything
        worth telling, such as ``rows`` or ``source``.

    Returns
    -------
    Record

    Raises
    ------
    ParameterError
        When two numbers have one name, or one is neither number, text nor estimate.
    """
    dump = getattr(parameters, "model_dump", None)
    entries = [_data_entry(entry) for entry in data]
    record = Record(
        name=name,
        parameters=_through_json(dump(mode="json") if dump else dict(parameters)),
        data=tuple(_through_json(entry) for entry in entries),
        notebook=_notebook_of_this_run(name),
        package=loaded_package_hash(),
        environment=environment(),
        numbers=flatten(numbers),
    )
    text = record.to_json()
    (output_folder(name) / RECORD_FILE).write_bytes(text.encode())
    return record


def _through_json(value: Any) -> Any:
    """Return what reading the record back will give, so that records compare in memory too."""

    def plain(item: Any) -> Any:
        return item.item() if getattr(item, "shape", None) == () else str(item)

    return json.loads(json.dumps(value, default=plain))


def flatten(numbers: Mapping[str, Any] | Iterable[Estimate]) -> dict[str, Scalar]:
    """Spread estimates and nested mappings over one flat mapping; see `save_record`."""
    flat: dict[str, Scalar] = {}
    for name, value in _pairs(numbers, ""):
        if name in flat:
            raise ParameterError(f"two numbers of the record are called '{name}'.")
        flat[name] = _scalar(name, value)
    return flat


def _pairs(numbers: Any, prefix: str) -> Iterable[tuple[str, Any]]:
    if not isinstance(numbers, Mapping):
        numbers = list(numbers)
        if any(not isinstance(value, Estimate) or not value.name for value in numbers):
            raise ParameterError("numbers of a record without names; expected a mapping.")
        numbers = [(value.name, value) for value in numbers]
    else:
        numbers = list(numbers.items())
    for name, value in numbers:
        full = f"{prefix}{name}"
        if isinstance(value, Mapping) or (isinstance(value, list | tuple) and value):
            yield from _pairs(value, f"{full}: ")
        elif isinstance(value, Estimate):
            yield from _estimate_pairs(full, value)
        else:
            yield full, value


def _estimate_pairs(name: str, estimate: Estimate) -> Iterable[tuple[str, Any]]:
    yield name, estimate.value
    if estimate.reason:
        yield f"{name} [reason]", estimate.reason
    if estimate.has_interval:
        yield f"{name} [low]", estimate.low
        yield f"{name} [high]", estimate.high
    if estimate.n_items:
        yield f"{name} [n_items]", estimate.n_items
    if estimate.n_resamples:
        yield f"{name} [n_undefined]", estimate.n_undefined


def _scalar(name: str, value: Any) -> Scalar:
    """Return a value that JSON can hold: NaN as None, infinities as text, 12 digits."""
    if getattr(value, "shape", None) == ():  # a NumPy scalar
        value = value.item()
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        if math.isnan(value):
            return None
        return float(f"{value:.{SIGNIFICANT_DIGITS}g}") if math.isfinite(value) else str(value)
    raise ParameterError(
        f"the number '{name}' of the record is a {type(value).__name__}; "
        "expected a number, a text or an Estimate."
    )


def _data_entry(entry: str | os.PathLike[str] | Mapping[str, Any]) -> dict[str, Any]:
    """Describe one data file: its name without a folder of this machine, its hash, its size."""
    told: dict[str, Any] = dict(entry) if isinstance(entry, Mapping) else {"file": entry}
    file = told.get("file")
    if file is None:
        return told
    from .parameters import data_path

    path = data_path(file)
    told["file"] = shown_name(path) if path.exists() else Path(file).name
    if path.is_file():
        with path.open("rb") as stream:
            told.setdefault("sha256", hashlib.file_digest(stream, "sha256").hexdigest())
        told.setdefault("bytes", path.stat().st_size)
    return told


def shown_name(path: Path) -> str:
    """Return a file's name as a page may show it: relative to the project, else bare."""
    from .parameters import known_files

    for shown, given in known_files().items():
        if given == path:
            return shown
    root = project_root()
    if root is not None and path.absolute().is_relative_to(root):
        return path.absolute().relative_to(root).as_posix()
    return path.name


def _notebook_of_this_run(name: str) -> str | None:
    told = os.environ.get(NOTEBOOK_VARIABLE)
    if told:
        return told
    root = project_root()
    path = root / "notebooks" / f"{name}.ipynb" if root else None
    if path is None or not path.is_file():
        return None
    return notebook_hash(json.loads(path.read_text(encoding="utf-8-sig")))


def notebook_hash(notebook: Mapping[str, Any]) -> str:
    """Hash a notebook's source: kind, text and tags of its cells, nothing a re-save changes."""
    cells = [
        [cell["cell_type"], "".join(cell["source"]), cell["metadata"].get("tags", [])]
        for cell in notebook["cells"]
    ]
    text = json.dumps(cells, ensure_ascii=False).replace("\\r\\n", "\\n")
    return hashlib.sha256(text.encode()).hexdigest()


def source_hash(path: Path) -> str:
    """Hash a text file, the same whether its lines end the Unix or the Windows way."""
    return hashlib.sha256(path.read_bytes().replace(b"\r\n", b"\n")).hexdigest()


def loaded_package_hash() -> str:
    """Hash the source of the benchbook modules loaded so far, the running of notebooks left out."""
    hashes = []
    for name, module in sorted(sys.modules.items()):
        file = getattr(module, "__file__", None)
        about_running = name.startswith(("benchbook.site", "benchbook.cli", "benchbook.__main__"))
        if name.split(".")[0] == "benchbook" and file and not about_running:
            hashes.append([name, source_hash(Path(file))])
    return hashlib.sha256(json.dumps(hashes).encode()).hexdigest()


def environment() -> dict[str, str]:
    """Return the versions that can move a number: Python, the libraries, the platform."""
    from importlib import metadata

    versions = {"Python": platform.python_version()}
    for name in LIBRARIES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    versions["platform"] = f"{platform.system()} {platform.machine()}".strip()
    return versions


# --- comparing ---------------------------------------------------------------------------------


class Comparison(NamedTuple):
    """One line of a comparison of two records.

    Parameters
    ----------
    name : str
        The number.
    recorded, found : float, int, str, bool or None
        Its two values; None is undefined.
    difference : float or None
        found - recorded; None unless both are numbers.
    verdict : str
        ``equal``; ``agrees`` (within the tolerance); ``differs``; ``missing`` (recorded, not found
        again); ``new`` (found, not recorded).
    """

    name: str
    recorded: Scalar
    found: Scalar
    difference: float | None
    verdict: str

    @property
    def reproduced(self) -> bool:
        """True when the number came again."""
        return self.verdict in REPRODUCED


def compare(
    recorded: Record, found: Record, tolerance: float = RELATIVE_TOLERANCE
) -> list[Comparison]:
    """Compare two records number by number.

    Parameters
    ----------
    recorded, found : Record
        The earlier run and the later one.
    tolerance : float
        Largest difference that agrees, relative to the larger of the two numbers, at least 0.
        Whole numbers and texts must be equal.

    Returns
    -------
    list of Comparison
        In the order of ``recorded``, then what only ``found`` has.
    """
    if not tolerance >= 0:
        raise ParameterError(f"tolerance is {tolerance}; expected a number at least 0.")
    rows = [
        _compare_one(name, value, found.numbers[name], tolerance)
        if name in found.numbers
        else Comparison(name, value, None, None, "missing")
        for name, value in recorded.numbers.items()
    ]
    rows += [
        Comparison(name, None, value, None, "new")
        for name, value in found.numbers.items()
        if name not in recorded.numbers
    ]
    return rows


def _compare_one(name: str, recorded: Scalar, found: Scalar, tolerance: float) -> Comparison:
    if not (_is_number(recorded) and _is_number(found)):
        same = recorded == found and isinstance(recorded, bool) == isinstance(found, bool)
        return Comparison(name, recorded, found, None, "equal" if same else "differs")
    difference = found - recorded
    if difference == 0:
        verdict = "equal"
    elif tolerance == 0 or (isinstance(recorded, int) and isinstance(found, int)):
        verdict = "differs"
    else:
        allowed = max(tolerance * max(abs(recorded), abs(found)), ABSOLUTE_TOLERANCE)
        verdict = "agrees" if abs(difference) <= allowed else "differs"
    return Comparison(name, recorded, found, difference, verdict)


def _is_number(value: Scalar) -> TypeGuard[float | int]:
    return isinstance(value, int | float) and not isinstance(value, bool)
