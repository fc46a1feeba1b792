"""Write the simulated reading study as files in the input format: ``python -m … FOLDER``."""

from __future__ import annotations

import sys
from pathlib import Path

from .parameters import Parameters
from .simulate import simulated


def main(arguments: list[str]) -> None:
    """Write the four tables into a folder, an example to start one's own files from."""
    if len(arguments) != 1:
        raise SystemExit("usage: python -m benchbook.benchmarks.ecg_rhythm FOLDER")
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    for name, frame in simulated(Parameters.model_validate({}).seed).items():
        frame.to_csv(folder / f"{name}.csv", index=False)


if __name__ == "__main__":
    main(sys.argv[1:])
