"""One notebook of a build, run in a process of its own: ``python -m benchbook.site.worker``.

The request comes as a line of JSON on standard input. Progress and result go to standard output,
one line each, behind a mark that tells them from whatever else a notebook's libraries print there.
So do the files of the run: whoever asked may be on another machine.
"""

from __future__ import annotations

import _thread
import base64
import json
import signal
import sys
import tempfile
import threading
import time
import traceback
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from benchbook.records import RECORD_FILE

from .project import Project

MARK = "@benchbook "


@dataclass(frozen=True)
class Request:
    """What a worker is asked to do.

    Parameters
    ----------
    root, benchmarks : str
        The project, see `Project`.
    name : str
        The benchmark, run with its defaults.
    origin : str
        The process that asks; another one checks that it has the same inputs.
    inputs : dict of str to str
        Hashes of what goes into the run, see `benchbook.site.build.inputs`.
    """

    root: str
    benchmarks: str
    name: str
    origin: str = ""
    inputs: dict[str, str] = field(default_factory=dict)

    @property
    def project(self) -> Project:
        """The project."""
        return Project(Path(self.root), self.benchmarks)


def tell(kind: str, **content: Any) -> None:
    """Send one message to the process that waits for this one."""
    print(MARK + json.dumps({"kind": kind, **content}), flush=True)


def work(request: Request) -> dict[str, Any]:
    """Run the notebook in a folder of its own and tell the files it left.

    Returns
    -------
    dict
        ``status`` (``built`` or ``failed``), ``seconds``, ``problem`` and ``traceback``.
    """
    # Imported here, so that a fault in these modules is reported like one in the notebook.
    from .run import Inputs, NotebookError, files_in, run_notebook

    began = time.perf_counter()
    outcome = {"status": "built", "problem": "", "traceback": ""}
    try:
        with tempfile.TemporaryDirectory(prefix="benchbook-", ignore_cleanup_errors=True) as folder:
            finished = run_notebook(
                request.project,
                request.name,
                Inputs(),
                Path(folder),
                progress=lambda done, total: tell("cell", done=done, total=total),
            )
            for path, content in files_in(Path(folder)).items():
                tell("file", path=path, content=base64.b64encode(content).decode())
            if finished.record is None:
                outcome["problem"] = f"no {RECORD_FILE}: the notebook does not call save_record"
    except NotebookError as error:
        outcome = {"status": "failed", "problem": error.problem, "traceback": error.traceback}
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
        outcome = {"status": "failed", "problem": problem, "traceback": traceback.format_exc()}
    return {**outcome, "seconds": time.perf_counter() - began}


def _watch_parent() -> None:
    """Stop this process when the one that asked for it is gone, even if that was killed."""
    sys.stdin.read()
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)
    else:
        _thread.interrupt_main()


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def main() -> int:
    """Read a request, do it, tell the result."""
    # A build that is stopped ends its workers politely: they stop their kernel and tidy up.
    signal.signal(signal.SIGTERM, _interrupt)
    request = Request(**json.loads(sys.stdin.readline()))
    threading.Thread(target=_watch_parent, daemon=True).start()
    try:
        tell("result", **work(request))
    except KeyboardInterrupt:
        return 130
    return 0


def as_json(request: Request) -> str:
    """Write a request for a worker's standard input."""
    return json.dumps(asdict(request))


if __name__ == "__main__":
    sys.exit(main())
