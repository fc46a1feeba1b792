"""A Dask cluster for the notebooks of a build, named on the command line."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from benchbook.errors import BenchbookError, ParameterError

LOCAL = "local"
CONNECTION_SECONDS = 20


@contextmanager
def on_cluster(
    cluster: str | None, jobs: int | None = None, say: Callable[[str], None] = print
) -> Iterator[None]:
    """Let joblib's calls within the block run on a Dask cluster.

    Parameters
    ----------
    cluster : str or None
        Address of a scheduler (``tcp://host:8786``), path of a scheduler file, or ``local`` for
        worker processes of this machine. None changes nothing.
    jobs : int, optional
        Workers of a ``local`` cluster; the number of processors when None.
    say : callable
        Told when the cluster has no worker yet.

    Raises
    ------
    ParameterError
        ``jobs`` together with a cluster that has its own workers, or a word that is no address.
    BenchbookError
        The extra ``distributed`` is not installed, or no scheduler answers.
    """
    if cluster is None:
        yield
        return
    if jobs is not None and cluster != LOCAL:
        raise ParameterError(
            "--jobs counts the processes of this machine; on a cluster its workers' threads count."
        )
    import joblib

    with ExitStack() as opened:
        client = _connect(cluster, jobs, opened)
        if not client.ncores():
            say(f"The cluster {cluster} has no worker yet; waiting for one.")
        with joblib.parallel_config(backend="dask"):
            yield


def _connect(cluster: str, jobs: int | None, opened: ExitStack) -> Any:
    """Return a client, closed with the stack."""
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise BenchbookError(
            "a cluster needs the packages of the extra 'distributed': "
            "pip install 'benchbook[distributed]'."
        ) from None
    if cluster == LOCAL:
        count = jobs or os.cpu_count() or 1
        workers = opened.enter_context(
            LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address=None)
        )
        return opened.enter_context(Client(workers))
    try:
        return opened.enter_context(Client(_address(cluster), timeout=CONNECTION_SECONDS))
    except (OSError, ValueError) as error:
        told = " ".join(str(error).split())
        raise BenchbookError(f"no Dask scheduler answers at {cluster} ({told}).") from None


def _address(cluster: str) -> str:
    """Return the address of a scheduler, which a scheduler file holds."""
    file = Path(cluster).expanduser()
    if file.is_file():
        try:
            return str(json.loads(file.read_text(encoding="utf-8"))["address"])
        except (OSError, ValueError, KeyError, TypeError):
            raise ParameterError(
                f"--cluster: {file.name} is no scheduler file of Dask, which holds an address."
            ) from None
    if ":" not in cluster:
        raise ParameterError(
            f"--cluster is '{cluster}'; expected a scheduler's address such as "
            "tcp://host:8786, its scheduler file, or local."
        )
    return cluster
