"""Running one notebook: parameters checked, this interpreter as kernel, nothing half written."""

from __future__ import annotations

import copy
import json
import os
import re
import shutil
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import benchbook
from benchbook.errors import BenchbookError, DataError, ParameterError
from benchbook.parameters import (
    DATA_VARIABLE,
    PARAMETERS_TAG,
    hide_folders,
    is_file_parameter,
    validate,
)
from benchbook.records import (
    NOTEBOOK_VARIABLE,
    OUTPUT_VARIABLE,
    PROJECT_VARIABLE,
    RECORD_FILE,
    Record,
    notebook_hash,
)

from .captions import keep_cells, named_conditions, write_captions, write_front_matter
from .contract import (
    INJECTED_TAG,
    Notebook,
    code_cells,
    errors_and_warnings,
    first_line,
    machine_paths,
    unexecuted,
)
from .notebook import text_of
from .project import Project, read_notebook, write_atomically

Progress = Callable[[int, int], None]

# A start-up script or a warning filter of the user's must not change a page.
DROPPED_VARIABLES = ("PYTHONSTARTUP", "PYTHONWARNINGS", "PYTHONINSPECT")
FIXED_VARIABLES = {
    "PYTHONHASHSEED": "0",
    "PYTHONUTF8": "1",
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    "PYDEVD_DISABLE_FILE_VALIDATION": "1",  # else the debugger warns on the error stream
    "TQDM_DISABLE": "1",
}
# One thread for linear algebra: sums are then added in one order, and runs do not crowd each other.
DEFAULT_VARIABLES = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "SOURCE_DATE_EPOCH": "315532800",  # 1980: the earliest date that every file format can hold
}
# Told once on a fresh machine, and nothing to do with the page.
HARMLESS = re.compile(
    r"Matplotlib is building the font cache|Matplotlib created a temporary cache directory"
    r"|is not a writable directory|mkdir -p failed for path"
    r"|Proactor event loop does not implement add_reader"
)
_CODED = re.compile(r"\\u([0-9a-f]{4})")
ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class NotebookError(BenchbookError):
    """A notebook that failed while it ran.

    Parameters
    ----------
    name : str
        The notebook.
    problem : str
        What went wrong, and in which cell.
    traceback : str
        The traceback, without colours; may be empty.
    told : str or None
        When the cause is an expected failure (bad data), its own paragraph.
    """

    def __init__(
        self, name: str, problem: str, traceback: str = "", told: str | None = None
    ) -> None:
        self.name, self.problem, self.traceback, self.told = name, problem, traceback, told
        super().__init__(f"{name}: {problem}")


@dataclass(frozen=True)
class Inputs:
    """What a run is given, checked.

    Parameters
    ----------
    values : dict of str to object
        Parameters to inject; file parameters hold the file's name only.
    files : dict of str to Path
        Those names and where the files are.
    """

    values: dict[str, Any] = field(default_factory=dict)
    files: dict[str, Path] = field(default_factory=dict)


@dataclass(frozen=True)
class Finished:
    """What a run left in its folder.

    Parameters
    ----------
    page : Path
        The executed notebook.
    files : tuple of Path
        Figures, tables and the record.
    record : Record or None
        None when the notebook saved none.
    messages : tuple of str
        What cells wrote on the error stream; it is not on the page.
    """

    page: Path
    files: tuple[Path, ...]
    record: Record | None
    messages: tuple[str, ...] = ()


# --- before the kernel ---------------------------------------------------------------------------


def prepare(
    project: Project,
    name: str,
    given: Mapping[str, Any] | None = None,
    data: Path | None = None,
    folder: Path | None = None,
    *,
    defaults: bool = False,
) -> Inputs:
    """Check parameters and data of a run before a kernel starts.

    Parameters
    ----------
    project : Project
        Where the benchmark is.
    name : str
        The benchmark.
    given : mapping of str to object, optional
        Parameters that the user set; the others take their defaults.
    data : Path, optional
        Shorthand for the parameter ``data``; the file must exist.
    folder : Path, optional
        What relative paths are relative to; the current folder when not given.
    defaults : bool
        Check a run with nothing but defaults, too; its data are the project's own.

    Returns
    -------
    Inputs

    Raises
    ------
    ParameterError
        See `benchbook.parameters.validate`.
    DataError
        No such data file, or the benchmark's own check refuses it.
    """
    given = dict(given or {})
    if not given and data is None and not defaults:
        return Inputs()
    model, folder = project.model(name), folder or Path.cwd()
    if data is not None:
        if not is_file_parameter("data", model):
            raise ParameterError(f"benchmark '{name}' takes no data file.")
        if "data" in given:
            raise ParameterError("the data file is given twice, by --data and as a parameter.")
        if not os.path.exists(folder / data.expanduser()):  # also for a name too long to exist
            raise DataError("no such file", file=str(data))
        given["data"] = str(data)
    values, files = hide_folders(given, model, folder)
    checked = validate(model, values)
    check = getattr(project.module(name), "check", None)
    if check is not None:
        with _variables(_run_variables(project, files)):
            check(checked)
    plain = checked.model_dump(mode="json")
    return Inputs({key: plain[key] for key in plain if key in values}, files)


def _run_variables(project: Project, files: Mapping[str, Path]) -> dict[str, str]:
    places = {shown: str(path) for shown, path in files.items()}
    return {PROJECT_VARIABLE: str(project.root), DATA_VARIABLE: json.dumps(places)}


@contextmanager
def _variables(variables: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables while the block runs."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def run_variables(project: Project, inputs: Inputs) -> AbstractContextManager[None]:
    """Set, while a block runs, the environment in which the benchmark finds its files."""
    return _variables(_run_variables(project, inputs.files))


def kernel_environment(
    project: Project, inputs: Inputs, folder: Path, scratch: Path, digest: str
) -> dict[str, str]:
    """Return the environment a kernel runs in: the user's, without what would change a page."""
    kept = {key: value for key, value in os.environ.items() if key not in DROPPED_VARIABLES}
    environment = DEFAULT_VARIABLES | kept | FIXED_VARIABLES
    environment |= _run_variables(project, inputs.files)
    environment |= {
        OUTPUT_VARIABLE: str(folder),
        NOTEBOOK_VARIABLE: digest,
        # The user's IPython profile and start-up files stay out, and his folders unwritten.
        "IPYTHONDIR": str(scratch / "ipython"),
        "JUPYTER_RUNTIME_DIR": str(scratch),
    }
    home = Path(benchbook.__file__).parents[1]
    if home.name not in ("site-packages", "dist-packages"):
        paths = [str(home), environment.get("PYTHONPATH", "")]
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    return environment


# --- the run -------------------------------------------------------------------------------------


def run_notebook(
    project: Project,
    name: str,
    inputs: Inputs,
    folder: Path,
    *,
    progress: Progress | None = None,
    lenient: bool = False,
) -> Finished:
    """Run a notebook into an empty folder.

    Parameters
    ----------
    project : Project
        Where the notebook is; its root is the working folder of the kernel.
    name : str
        The benchmark.
    inputs : Inputs
        From `prepare`.
    folder : Path
        Absolute; gets ``NAME.ipynb`` and ``files/NAME/``.
    progress : callable, optional
        Called with the number of code cells done and the number there are.
    lenient : bool
        Take what cells write on the error stream off the page and return it, instead of failing.

    Returns
    -------
    Finished

    Raises
    ------
    NotebookError
        A cell failed, was not run, warned, or the page names a folder of this machine.
    """
    import nbformat

    source = read_notebook(project.source(name))
    digest = notebook_hash(source)
    _adapt(project, name, source, inputs)
    with tempfile.TemporaryDirectory(prefix="benchbook-", ignore_cleanup_errors=True) as scratch:
        environment = kernel_environment(project, inputs, folder, Path(scratch), digest)
        executed = _execute(project, name, source, inputs, environment, progress)
        messages = tuple(_take_warnings(executed)) if lenient else ()
        _drop_harmless(executed)
        folders: list[str | Path] = [project.root, folder, scratch, Path.home(), sys.prefix]
        folders += inputs.files.values()
        _refuse_faults(name, executed, folders)
    _strip(executed)
    write_captions(executed)
    page = folder / f"{name}.ipynb"
    # Written with sources as lists of lines: Quarto loses the line breaks of one long string.
    write_atomically(page, (nbformat.writes(executed) + "\n").encode())
    saved = sorted(path for path in (folder / "files" / name).rglob("*") if path.is_file())
    record = folder / "files" / name / RECORD_FILE
    return Finished(page, tuple(saved), Record.read(record) if record in saved else None, messages)


def _adapt(project: Project, name: str, source: Notebook, inputs: Inputs) -> None:
    """Keep the cells that fit this run, and let the page's head speak of this run's data."""
    if not named_conditions(source):
        return
    module = project.module(name)
    with _variables(_run_variables(project, inputs.files)):
        parameters = validate(project.model(name), inputs.values)
        keep_cells(source, module.conditions(parameters))
        write_front_matter(source, getattr(module, "front_matter", lambda _: {})(parameters))


def _execute(
    project: Project,
    name: str,
    source: Notebook,
    inputs: Inputs,
    environment: dict[str, str],
    progress: Progress | None,
) -> Notebook:
    """Run the cells through papermill."""
    import nbformat
    import papermill
    from nbclient.exceptions import DeadKernelError
    from papermill.exceptions import PapermillExecutionError

    place: dict[str, Any] = {"index": None, "cell": None, "done": 0}
    total = sum(bool(entry.code.strip()) for entry in code_cells(source)) + bool(inputs.values)

    def start(cell: Any, cell_index: int) -> None:
        place.update(index=cell_index, cell=cell)

    def executed(**_: Any) -> None:
        place["done"] += 1
        if progress is not None:
            progress(place["done"], total)

    options = {
        "parameters": inputs.values or None,
        "kernel_name": "python3",
        "language": "python",
        "progress_bar": False,
        "kernel_manager_class": this_interpreter(environment, project.root),
        "record_timing": False,
        "shutdown_kernel": "immediate",  # all is said by then; a polite end costs a second
        "on_cell_start": start,
        "on_cell_executed": executed,
    }
    try:
        for attempt in (1, 2):
            # papermill changes the notebook it is given.
            node = nbformat.from_dict(copy.deepcopy(source))
            try:
                return papermill.execute_notebook(node, None, **options)
            except RuntimeError as error:
                # Free ports are found, then bound by the kernel; another program may be faster.
                if place["index"] is None and attempt == 1 and "Kernel died" in str(error):
                    continue
                raise
    except PapermillExecutionError as error:
        where = _where(source, error.source, error.cell_index, bool(inputs.values))
        raise _cell_failure(project, name, error, inputs, where) from None
    except DeadKernelError:
        where = "the start"
        if place["cell"]:
            where = _where(source, place["cell"].source, place["index"], bool(inputs.values))
        raise NotebookError(
            name, f"the kernel died at {where}; perhaps it ran out of memory"
        ) from None
    raise AssertionError("unreachable")


def this_interpreter(environment: dict[str, str], root: Path) -> type:
    """Return a kernel manager that starts this very Python, whatever kernels are installed."""
    from jupyter_client.kernelspec import KernelSpec
    from jupyter_client.manager import AsyncKernelManager

    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    command.append("--IPKernelApp.log_level=40")  # errors only: what it warns of is not the page's
    spec = KernelSpec(argv=command, display_name="Python 3", language="python")
    connection = str(Path(environment["JUPYTER_RUNTIME_DIR"]) / "kernel.json")
    # Sockets in a folder of our own, which nobody else on the machine can open and where no two
    # kernels meet; Windows has none, and their path is limited to about 100 characters.
    local = os.name == "posix" and len(connection) < 90

    class ThisInterpreter(AsyncKernelManager):
        """Starts the interpreter that runs benchbook."""

        def __init__(self, **options: Any) -> None:
            options |= {"connection_file": connection, "transport": "ipc" if local else "tcp"}
            super().__init__(**options)

        @property
        def kernel_spec(self) -> KernelSpec:
            return spec

        async def start_kernel(self, *args: Any, **options: Any) -> None:  # type: ignore[override]
            options |= {"env": environment, "cwd": str(root)}
            await super().start_kernel(*args, **options)

    return ThisInterpreter


def _where(notebook: Notebook, source: str, index: int, injected: bool) -> str:
    """Name a running cell by its number among the notebook's own code cells and its first line."""
    tags = [cell["metadata"].get("tags", []) for cell in notebook["cells"][:index]]
    # papermill puts its cell behind the parameters, so later ones stand one place further down.
    index -= injected and any(PARAMETERS_TAG in found for found in tags)
    earlier = notebook["cells"][:index]
    number = 1 + sum(cell["cell_type"] == "code" for cell in earlier)
    return f"code cell {number} ({first_line(source)!r})"


def _cell_failure(
    project: Project, name: str, error: Any, inputs: Inputs, where: str
) -> NotebookError:
    """Turn papermill's error into ours."""
    traceback = ANSI.sub("", "\n".join(error.traceback))
    message = ANSI.sub("", error.evalue)
    told = _as_given(message, inputs) if error.ename in _expected_errors(project, name) else None
    return NotebookError(name, f"{where} failed: {error.ename}: {message}", traceback, told)


def _expected_errors(project: Project, name: str) -> set[str]:
    """Name the errors that tell a user what to do, those of the benchmark's module included."""
    with suppress(Exception):  # a module that cannot be imported adds no names
        project.module(name)
    found, waiting = set(), [BenchbookError]
    while waiting:
        kind = waiting.pop()
        found.add(kind.__name__)
        waiting += kind.__subclasses__()
    return found


def _as_given(message: str, inputs: Inputs) -> str:
    """Name files as the user did, not by the path that the kernel read."""
    for shown, path in inputs.files.items():
        message = message.replace(str(path), shown)
    return message


# --- after the kernel ----------------------------------------------------------------------------


def _drop_harmless(notebook: Notebook) -> None:
    """Take lines off the error stream that only a machine's first run writes."""
    for entry in code_cells(notebook):
        kept = []
        for output in entry.cell["outputs"]:
            if output["output_type"] == "stream" and output["name"] == "stderr":
                lines = text_of(output["text"]).splitlines(keepends=True)
                output["text"] = "".join(line for line in lines if not HARMLESS.search(line))
                if not output["text"].strip():
                    continue
            kept.append(output)
        entry.cell["outputs"] = kept


def _take_warnings(notebook: Notebook) -> Iterator[str]:
    """Take the error stream off the page and yield what it said."""
    _drop_harmless(notebook)
    for entry in code_cells(notebook):
        kept = []
        for output in entry.cell["outputs"]:
            if output["output_type"] == "stream" and output["name"] == "stderr":
                yield f"{entry.place}: {text_of(output['text']).strip()}"
            else:
                kept.append(output)
        entry.cell["outputs"] = kept


def _refuse_faults(name: str, notebook: Notebook, folders: Iterable[str | Path]) -> None:
    for fault in unexecuted(notebook):
        raise NotebookError(name, f"{fault}; did an earlier cell end the run?")
    for place, text in errors_and_warnings(notebook):
        raise NotebookError(name, f"{place} wrote {text}")
    for fault in machine_paths(notebook, folders):
        raise NotebookError(name, fault)


def _strip(notebook: Notebook) -> None:
    """Remove what differs between two equal runs: times, ids, state of widgets."""
    for key in ("papermill", "widgets"):
        notebook["metadata"].pop(key, None)
    for cell in notebook["cells"]:
        for key in ("papermill", "execution"):
            cell["metadata"].pop(key, None)
        tags = cell["metadata"].get("tags")
        if not tags:
            cell["metadata"].pop("tags", None)
        elif INJECTED_TAG in tags:
            cell["id"] = INJECTED_TAG
            # papermill writes letters beyond ASCII as codes, which nobody can read.
            cell["source"] = _CODED.sub(lambda code: chr(int(code[1], 16)), cell["source"])


# --- into a folder of the user's -----------------------------------------------------------------


def check_out(project: Project, out: Path) -> Path:
    """Return the absolute folder for results; the project's own folders are refused."""
    out = Path(os.path.abspath(out.expanduser()))
    own = (project.notebooks, project.report)
    if out == project.root or any(out == path or path in out.parents for path in own):
        raise ParameterError(f"--out {out.name} is a folder of the project; name another.")
    if out.exists() and not out.is_dir():
        raise ParameterError(f"--out {out.name} is a file; expected a folder.")
    standing = next(path for path in (out, *out.parents) if os.path.exists(path))
    if not standing.is_dir():
        raise ParameterError(f"--out: {standing.name} is a file; expected a folder.")
    if not os.access(standing, os.W_OK | os.X_OK):
        raise ParameterError(f"--out: nothing can be written in the folder {standing.name}.")
    return out


def run_to_folder(
    project: Project, name: str, inputs: Inputs, out: Path, progress: Progress | None = None
) -> tuple[list[Path], list[str]]:
    """Run a notebook and put page, record, figures and tables into a folder, all or nothing.

    Parameters
    ----------
    project : Project
        Where the notebook is; nothing is written there.
    name : str
        The benchmark.
    inputs : Inputs
        From `prepare`.
    out : Path
        From `check_out`. ``NAME.ipynb``, ``NAME.html``, ``record.json`` and the folder
        ``files/NAME`` in it are replaced, the rest is left alone.
    progress : callable, optional
        See `run_notebook`.

    Returns
    -------
    written : list of Path
        Page first.
    messages : list of str
        What the reader should know, such as warnings of a cell.

    Raises
    ------
    NotebookError
        Nothing was written.
    """
    with tempfile.TemporaryDirectory(prefix="benchbook-", ignore_cleanup_errors=True) as temporary:
        staged = Path(temporary) / "run"
        staged.mkdir()
        finished = run_notebook(project, name, inputs, staged, progress=progress, lenient=True)
        messages = [f"{name}, {message}" for message in finished.messages]
        draw_page(project, finished.page)
        if finished.record is None:
            messages.append(f"{name} saved no record, so this run cannot be compared.")
        else:
            shutil.copyfile(staged / "files" / name / RECORD_FILE, staged / RECORD_FILE)
        try:
            return publish(files_in(staged), out, out / "files" / name), messages
        except OSError as problem:
            raise BenchbookError(
                f"the results cannot be written to {out.name}: {problem.strerror}."
            ) from None


def draw_page(project: Project, page: Path) -> None:
    """Write a self-contained HTML page beside an executed notebook.

    A run without its page would leave an older page standing beside newer results, so a page
    that cannot be drawn fails the run.
    """
    from .page import render_page

    bibliography = project.report / "references.bib"
    render_page(page, page.with_suffix(".html"), bibliography if bibliography.is_file() else None)


def files_in(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder by their path below it, those directly in it first."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    names = {path.relative_to(folder).as_posix(): path for path in paths}
    return {name: names[name].read_bytes() for name in sorted(names, key=lambda n: n.count("/"))}


def publish(files: Mapping[str, bytes], target: Path, owned: Path) -> list[Path]:
    """Write the files of a finished run to their place, all or none, each one whole.

    Parameters
    ----------
    files : mapping of str to bytes
        By their path below the target.
    target : Path
        The folder they go to.
    owned : Path
        Folder whose other files are leftovers of earlier runs, and are removed.

    Returns
    -------
    list of Path
        The files written, in the order given.
    """
    written = [target / name for name in files]
    mark = uuid.uuid4().hex[:8]
    parts = [place.with_name(f".{place.name}.{mark}.part") for place in written]
    new = [folder for folder in (owned, owned.parent, target) if not folder.exists()]
    try:
        # All are on the disk before the first takes its place: a full disk leaves what was there.
        for part, content in zip(parts, files.values(), strict=True):
            write_atomically(part, content)
        for part, place in zip(parts, written, strict=True):
            os.replace(part, place)
    finally:
        for part in parts:
            part.unlink(missing_ok=True)
        for folder in new:
            with suppress(OSError):  # it holds something, or never came to be
                folder.rmdir()
    for leftover in owned.rglob("*"):
        if leftover.is_file() and leftover not in written:
            leftover.unlink()
    return written
