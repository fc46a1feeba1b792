"""Open data sets: listed with licence and checksum, fetched on request, in the input format.

The list is ``data/sources.yml`` of the project. ``benchbook data get NAME`` fetches the original
files (or takes them from a mirror folder), verifies them, and converts them into
``data/open/NAME``: ``scores``, ``labels``, ``readers`` and ``mapping`` as CSV, and
``dataset.json``, which says what they are. Nothing of it enters version control.
"""

from .catalogue import Licence, MirrorFile, Source, SourceFile, source, sources
from .fetch import MIRROR_VARIABLE
from .store import FOLDER_VARIABLE, State, dataset_folder, get, state

__all__ = [
    "FOLDER_VARIABLE",
    "MIRROR_VARIABLE",
    "Licence",
    "MirrorFile",
    "Source",
    "SourceFile",
    "State",
    "dataset_folder",
    "get",
    "source",
    "sources",
    "state",
]
