"""Write ecg_image_challenge.json: what the Challenge's own scorer says about seeded studies.

    python make_ecg_image_challenge.py FOLDER

FOLDER holds ``evaluate_model.py`` and ``helper_code.py`` of
https://github.com/physionetchallenges/evaluation-2024 at the commit below. They read headers with
labels, which are written to a temporary folder here; ``wfdb``, which they import, is not needed for
labels and may be an empty module.
"""

from __future__ import annotations

import json
import math
import sys
import tempfile
from pathlib import Path

COMMIT = "9af7dfbc3a8af209638d982b344cce28c67abe4e"
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "benchmarks"))

from ecg_image_inputs import DESIGNS, study_of  # noqa: E402


def write(folder: Path, labels: list[list[str] | None]) -> None:
    """Write one header per record; None writes no file."""
    folder.mkdir(parents=True)
    for number, names in enumerate(labels):
        if names is not None:
            text = f"r{number:04d} 0 500 0\n# Labels: {', '.join(names)}\n"
            (folder / f"r{number:04d}.hea").write_text(text, encoding="utf-8")


def plain(value: float) -> float | str:
    """Return a number that JSON can hold."""
    return "nan" if math.isnan(value) else float(value)


def main() -> None:
    """Score every design and write the file."""
    sys.path.insert(0, sys.argv[1])
    from evaluate_model import evaluate_model

    found = []
    for name, design in DESIGNS.items():
        reference, answers = study_of(design)
        with tempfile.TemporaryDirectory() as place:
            folders = Path(place) / "reference", Path(place) / "answers"
            for folder, labels in zip(folders, (reference, answers), strict=True):
                write(folder, labels)
            scored = evaluate_model(str(folders[0]), str(folders[1]))
        macro, per_class, classes = scored[5], scored[7], scored[8]
        values = {label: plain(value) for label, value in zip(classes, per_class, strict=True)}
        found.append({"study": name, "macro": plain(macro), "classes": values})
    content = {
        "scorer": "evaluate_model.py",
        "repository": "https://github.com/physionetchallenges/evaluation-2024",
        "commit": COMMIT,
        "studies": found,
    }
    text = json.dumps(content, indent=1) + "\n"
    (HERE / "ecg_image_challenge.json").write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
