"""Write simulated files: ``python -m benchbook.benchmarks.ecg_image FOLDER``."""

from __future__ import annotations

import sys
from pathlib import Path

from benchbook.errors import BenchbookError
from benchbook.parameters import validate

from .own import specification
from .parameters import Parameters
from .simulate import simulate


def main(arguments: list[str]) -> None:
    """Write ``answers.csv`` and ``reference.csv`` into the folder named."""
    if len(arguments) != 1:
        raise BenchbookError("expected one argument: the folder to write the simulated files to.")
    seed = validate(Parameters, {}).seed
    for path in simulate(specification(), seed).write(Path(arguments[0])):
        print(path.name)


if __name__ == "__main__":
    main(sys.argv[1:])
