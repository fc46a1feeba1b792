"""The command ``benchbook``.

Exit status: 0 done; 1 a notebook failed, or numbers did not come again; 2 the command, a parameter
or the data cannot be used; 130 interrupted.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from . import __version__
from .errors import BenchbookError

if TYPE_CHECKING:
    from .records import Comparison
    from .site.build import Outcome, Verification, Watcher
    from .site.inspect import Inspection
    from .site.project import Project


class Commands(click.Group):
    """Tells an expected failure in one paragraph; only a notebook's failure has a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command and turn failures into messages and exit statuses."""
        try:
            return super().invoke(ctx)
        except BenchbookError as error:
            traceback = getattr(error, "traceback", None)
            if traceback:
                click.echo(traceback, err=True)
            click.echo(f"Error: {error}", err=True)
            # Only an error of a running notebook has a traceback of its own, even an empty one.
            ctx.exit(2 if traceback is None else 1)
        except KeyboardInterrupt:
            click.echo("Interrupted; nothing is half written. Run the command again.", err=True)
            ctx.exit(130)


def _project(ctx: click.Context, own: Path | None) -> Project:
    from .site.project import find_project

    return find_project(own or ctx.obj)


_FOLDER = click.Path(path_type=Path, file_okay=False)
_FILE = click.Path(path_type=Path)


def _project_option(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option(
        "--project",
        type=_FOLDER,
        help="Folder with _quarto.yml; found from here upwards, or by BENCHBOOK_PROJECT.",
    )(command)


_jobs_option = click.option(
    "--jobs", "-j", type=click.IntRange(min=1), help="Notebooks run at once (one per processor)."
)
_cluster_option = click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Run on a Dask cluster: its scheduler's address or scheduler file, or 'local'.",
)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="benchbook")
@_project_option
@click.pass_context
def cli(ctx: click.Context, project: Path | None) -> None:
    """Benchmarks of medical AI as notebooks: list, run, build, render and verify them."""
    ctx.obj = project


def _interrupt(number: int, frame: Any) -> None:
    raise KeyboardInterrupt


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A Windows console's own encoding has neither kappa nor en dash.
            stream.reconfigure(encoding="utf-8", errors="replace")
    signal.signal(signal.SIGTERM, _interrupt)  # a polite end stops notebooks, as Ctrl-C does
    cli(prog_name="benchbook")


# --- list ----------------------------------------------------------------------------------------


@cli.command("list")
@click.argument("name", required=False)
@_project_option
@click.pass_context
def list_(ctx: click.Context, name: str | None, project: Path | None) -> None:
    """List the benchmarks, or one benchmark's parameters with their defaults."""
    from .site.project import describe

    here = _project(ctx, project)
    if name is not None:
        _show_benchmark(here, here.select([name])[0])
        return
    rows = [describe(here, known) for known in here.select([])]
    widths = [max(len(getattr(row, key)) for row in rows) for key in ("name", "data_statement")]
    for row in rows:
        click.echo(f"{row.name:{widths[0]}}  {row.data_statement:{widths[1]}}  {row.title}")


def _show_benchmark(project: Project, name: str) -> None:
    import json

    from .parameters import expected
    from .site.project import describe

    about = describe(project, name)
    click.echo(about.title)
    if about.description:
        click.echo(about.description)
    click.echo(f"Data: {about.data_statement or 'not stated'}")
    for key, field in project.model(name).model_fields.items():
        default = "required"
        if not field.is_required():
            value = field.get_default(call_default_factory=True)
            default = json.dumps(value, ensure_ascii=False, default=str)
        click.echo(f"\n  {key} = {default}")
        click.echo(f"      {field.description or ''} [{expected(field)}]".replace("  [", " ["))


# --- check ---------------------------------------------------------------------------------------


@cli.command()
@click.argument("names", nargs=-1)
@click.option("-p", "given", multiple=True, metavar="KEY=VALUE", help="Set a parameter.")
@click.option("--data", type=_FILE, help="Your own file or folder, in place of the bundled data.")
@_project_option
@click.pass_context
def check(
    ctx: click.Context,
    names: tuple[str, ...],
    given: tuple[str, ...],
    data: Path | None,
    project: Path | None,
) -> None:
    """Check specification, data and parameters of benchmarks without running them.

    With -p or --data, one benchmark is checked as 'benchbook run' would run it.
    """
    from .parameters import parse_command_line
    from .site.inspect import Inspection, inspect, inspect_all

    here = _project(ctx, project)
    if given or data:
        if len(names) != 1:
            raise click.UsageError("-p and --data need the name of one benchmark.")
        name = here.select(names)[0]
        values = parse_command_line(given, here.model(name)) if given else {}
        found: list[Inspection | BenchbookError] = [inspect(here, name, values, data)]
    else:
        found = inspect_all(here, list(names))
    for inspection in found:
        if isinstance(inspection, Inspection):
            _show_inspection(inspection)
        else:
            click.echo(f"Error: {inspection}", err=True)
    if any(isinstance(inspection, BenchbookError) for inspection in found):
        ctx.exit(2)


def _show_inspection(found: Inspection) -> None:
    counts = (("parameter", found.n_parameters), ("data file", found.n_files))
    parts = [f"{n} {word}{'' if n == 1 else 's'}" for word, n in counts]
    if found.specification:
        parts.insert(0, f"specification {found.specification}")
    click.echo(f"{found.name}: sound; {', '.join([*parts, *found.notes])}")
    for remark in found.remarks:
        _note(f"Note: {remark}")


# --- run -----------------------------------------------------------------------------------------


@cli.command()
@click.argument("name")
@click.option("-p", "given", multiple=True, metavar="KEY=VALUE", help="Set a parameter.")
@click.option(
    "--parameters", "file", type=_FILE, help="Parameters in a YAML or JSON file; -p overrides it."
)
@click.option("--data", type=_FILE, help="Your own file or folder, in place of the bundled data.")
@click.option("--out", type=_FILE, help="Folder for the results; NAME-results when not given.")
@_project_option
@click.pass_context
def run(
    ctx: click.Context,
    name: str,
    given: tuple[str, ...],
    file: Path | None,
    data: Path | None,
    out: Path | None,
    project: Path | None,
) -> None:
    """Run one benchmark, for instance on your own data; the project is left as it is.

    The folder of the results gets the executed notebook, the page (HTML, one file), record.json,
    and the figures and tables in files/NAME. A run that fails writes nothing.
    """
    from .parameters import parse_command_line, read_file
    from .site.run import NotebookError, check_out, prepare, run_to_folder

    here = _project(ctx, project)
    name = here.select([name])[0]
    target = check_out(here, out or Path(f"{name}-results"))
    values = read_file(file) if file else {}
    if given:
        values |= parse_command_line(given, here.model(name))
    inputs = prepare(here, name, values, data)
    watcher = _watcher()
    watcher.begin([name])
    try:
        written, messages = run_to_folder(
            here, name, inputs, target, lambda done, total: watcher.cell(name, done, total)
        )
    except NotebookError as error:
        if error.told is not None:
            raise BenchbookError(error.told) from None
        raise
    finally:
        watcher.close()
    for message in messages:
        click.echo(f"Note: {message}", err=True)
    main = [path for path in written if path.parent == target]
    for path in main:
        click.echo(_relative(path))
    count = len(written) - len(main)
    click.echo(f"{_relative(target / 'files' / name)}: {count} figures, tables and their data")


def _relative(path: Path) -> str:
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


# --- build, verify, render -----------------------------------------------------------------------


@cli.command()
@click.argument("names", nargs=-1)
@_jobs_option
@_cluster_option
@click.option("--force", is_flag=True, help="Run notebooks whose inputs have not changed, too.")
@_project_option
@click.pass_context
def build(
    ctx: click.Context,
    names: tuple[str, ...],
    jobs: int | None,
    cluster: str | None,
    force: bool,
    project: Path | None,
) -> None:
    """Run the notebooks with their defaults into the report folder.

    Those whose notebook, data, package and libraries have not changed are skipped. The workers of
    a cluster need this environment and the project's folder, under the same path.
    """
    from .site.build import build as build_
    from .site.cluster import on_cluster

    here = _project(ctx, project)
    watcher = _watcher()
    try:
        with on_cluster(cluster, jobs, _note):
            outcomes = build_(here, names, jobs=jobs, force=force, watcher=watcher)
    finally:
        watcher.close()
    for outcome in outcomes:
        _show_outcome(outcome)
    failed = sum(outcome.status == "failed" for outcome in outcomes)
    if failed:
        click.echo(f"{failed} of {len(outcomes)} notebooks failed.", err=True)
        ctx.exit(1)


def _note(text: str) -> None:
    click.echo(text, err=True)


def _show_outcome(outcome: Outcome) -> None:
    if outcome.status == "failed":
        if outcome.traceback:
            click.echo(outcome.traceback, err=True)
        click.echo(f"{outcome.name}: {outcome.problem}", err=True)
        return
    if outcome.status == "fresh":
        click.echo(f"{outcome.name}: unchanged")
    else:
        click.echo(f"{outcome.name}: built in {outcome.seconds:.1f} s")
    if outcome.problem:
        click.echo(f"{outcome.name}: {outcome.problem}", err=True)


@cli.command()
@click.argument("names", nargs=-1)
@_jobs_option
@_cluster_option
@click.option(
    "--tolerance",
    type=click.FloatRange(min=0),
    help="Largest relative difference that agrees (1e-8).",
)
@click.option("--verbose", "-v", is_flag=True, help="Show the numbers that came again, too.")
@_project_option
@click.pass_context
def verify(
    ctx: click.Context,
    names: tuple[str, ...],
    jobs: int | None,
    cluster: str | None,
    tolerance: float | None,
    verbose: bool,
    project: Path | None,
) -> None:
    """Run notebooks again with their defaults and compare every number with the record.

    Shows the numbers that did not come again. Nothing is written in the project. Exit status 1
    when a number did not come again.
    """
    from .records import RELATIVE_TOLERANCE
    from .site.build import verify as verify_
    from .site.cluster import on_cluster

    here = _project(ctx, project)
    allowed = RELATIVE_TOLERANCE if tolerance is None else tolerance
    watcher = _watcher()
    try:
        with on_cluster(cluster, jobs, _note):
            found = verify_(here, names, jobs=jobs, tolerance=allowed, watcher=watcher)
    finally:
        watcher.close()
    for verification in found:
        _show_verification(verification, verbose)
    if not all(verification.reproduced for verification in found):
        ctx.exit(1)


def _show_verification(verification: Verification, verbose: bool) -> None:
    """Show one line of counts, and under it what did not come again, or everything."""
    outcome, rows = verification.outcome, verification.rows
    if outcome.status == "failed":
        _show_outcome(outcome)
        return
    click.echo(f"{outcome.name}: {_counts(rows)}")
    shown = [row for row in rows if verbose or not row.reproduced]
    width = max((len(row.name) for row in shown), default=0)
    for row in shown:
        click.echo(f"  {row.verdict:7}  {row.name:{width}}  {_two_values(row)}")
    for note in verification.notes:
        click.echo(f"  note: {note}")


def _counts(rows: tuple[Comparison, ...]) -> str:
    """Return ``2 of 3 numbers reproduced: 1 equal, 1 agrees, 1 differs``."""
    from collections import Counter

    good = sum(row.reproduced for row in rows)
    verdicts = Counter(row.verdict for row in rows)
    text = f"{good} of {len(rows)} numbers reproduced"
    parts = ", ".join(f"{number} {verdict}" for verdict, number in verdicts.items())
    return f"{text}: {parts}" if len(verdicts) > 1 else text


def _two_values(row: Comparison) -> str:
    recorded, found = ("undefined" if value is None else value for value in row[1:3])
    if row.verdict == "missing":
        return f"{recorded}, not found again"
    if row.verdict == "new":
        return f"{found}, not in the record"
    if row.verdict == "equal":
        return f"{recorded}"
    difference = "" if row.difference is None else f" (difference {row.difference:.3g})"
    return f"recorded {recorded}, found {found}{difference}"


@cli.command()
@click.option(
    "--renderer",
    type=click.Choice(["auto", "quarto", "preview"]),
    default="auto",
    show_default=True,
    help="auto takes Quarto where it is installed, else the embedded preview.",
)
@click.option("--output", type=_FOLDER, help="Folder for the site; _site when not given.")
@click.option("--open", "show", is_flag=True, help="Open the site in the browser.")
@_project_option
@click.pass_context
def render(
    ctx: click.Context, renderer: str, output: Path | None, show: bool, project: Path | None
) -> None:
    """Draw the website from the executed notebooks; nothing is run."""
    from .site.render import render as render_

    here = _project(ctx, project)
    site = render_(here, output.absolute() if output else None, renderer)
    done = "unchanged" if site.unchanged else f"{site.n_pages} pages in {site.seconds:.1f} s"
    for warning in site.warnings:
        _note(f"Note: {warning}")
    click.echo(f"Site by {site.renderer}: {done}")
    click.echo(site.address)
    if show:
        click.launch(site.address)


# --- data ----------------------------------------------------------------------------------------


@cli.group()
def data() -> None:
    """Open data sets: list them, fetch and convert them."""


@data.command("list")
@_project_option
@click.pass_context
def data_list(ctx: click.Context, project: Path | None) -> None:
    """List the open data sets: name, size, terms, and whether they are here."""
    from .open_data import sources, state

    here = _project(ctx, project)
    rows = [
        (entry.name, entry.rows, f"{entry.licence.name} [{entry.licence.use}]", _state(found))
        for entry in sources(here.root).values()
        for found in [state(entry, here.root)]
    ]
    widths = [max((len(row[number]) for row in rows), default=0) for number in range(3)]
    for row in rows:
        cells = [f"{cell:{width}}" for cell, width in zip(row, widths, strict=False)]
        click.echo("  ".join([*cells, row[-1]]))


def _state(found: Any) -> str:
    return _relative(found.folder) if found.present else found.reason


@data.command("get")
@click.argument("names", nargs=-1, required=True)
@click.option(
    "--mirror",
    type=_FOLDER,
    help="Take the files from this folder, and fetch none; or set BENCHBOOK_MIRROR.",
)
@click.option("--force", is_flag=True, help="Convert again what is here.")
@_project_option
@click.pass_context
def data_get(
    ctx: click.Context,
    names: tuple[str, ...],
    mirror: Path | None,
    force: bool,
    project: Path | None,
) -> None:
    """Fetch open data sets, verify them, and convert them into data/open.

    A data set that cannot be had or converted leaves nothing.
    """
    from .open_data import get, source

    here = _project(ctx, project)
    entries = [source(name, here.root) for name in names]
    for entry in entries:
        folder, made = get(
            entry.name,
            root=here.root,
            mirror=mirror,
            force=force,
            tell=lambda line: click.echo(line, err=True),
        )
        terms = f"{entry.licence.name} [{entry.licence.use}]"
        done = _relative(folder) if made else f"{_relative(folder)} (unchanged)"
        click.echo(f"{entry.name}: {done}; licence: {terms}")


# --- progress ------------------------------------------------------------------------------------


def _watcher() -> Any:
    """Return a progress bar on a terminal, plain lines elsewhere."""
    from .site.build import Watcher

    class Lines(Watcher):
        """Says what begins; results are told by the command itself."""

        def begin(self, names: list[str]) -> None:
            click.echo(f"Running {', '.join(names)}", err=True)

    return _bar(Watcher) if sys.stderr.isatty() else Lines()


def _bar(base: type[Watcher]) -> Any:
    from tqdm import tqdm

    class Bar(base):  # type: ignore[valid-type,misc]
        """One bar over the code cells of all notebooks that run."""

        def __init__(self) -> None:
            self.bar: Any = None
            self.done: dict[str, tuple[int, int]] = {}

        def begin(self, names: list[str]) -> None:
            self.done = dict.fromkeys(names, (0, 0))
            form = "{desc}: {n_fmt} of {total_fmt} cells |{bar}| {elapsed} {postfix}"
            self.bar = tqdm(total=0, desc=self._running(), bar_format=form, leave=False)

        def _running(self) -> str:
            return ", ".join(name for name, (n, total) in self.done.items() if n < (total or 1))

        def cell(self, name: str, done: int, total: int) -> None:
            self.done[name] = (done, total)
            self.bar.n = sum(n for n, _ in self.done.values())
            self.bar.total = sum(total for _, total in self.done.values())
            self.bar.set_description_str(self._running(), refresh=True)

        def end(self, outcome: Outcome) -> None:
            # A notebook that failed, or ran where its progress is not heard, is no longer running.
            total = self.done[outcome.name][1] or 1
            self.cell(outcome.name, total, total)

        def close(self) -> None:
            if self.bar is not None:
                self.bar.close()

    return Bar()
