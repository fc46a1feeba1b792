"""Run every measurement and put the tables on the page *Speed and memory* of the website.

Run it with ``make perf``. The scripts run one after the other, each in its own process, so that
the page shows one machine in one run.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "report" / "performance.qmd"
SCRIPTS = {
    "kappa_bootstrap.py": (
        "Agreement: sums over items",
        ("--loop-resamples", "200"),
        "The loop that is usually written draws item indices, calls a library's function and "
        "repeats. Here all resamples are one product of counts and sums.",
    ),
    "macro_f.py": (
        "Macro F-measure",
        (),
        "Counts per class are sums, too.",
    ),
    "auroc_bootstrap.py": (
        "AUROC, average precision and an operating point, by cluster",
        ("--quick",),
        "Rows are sorted once; a resample changes only how often a cluster counts, and one pass "
        "over the rows serves 64 resamples and all measures.",
    ),
    "delong.py": (
        "DeLong's variance",
        (),
        "Mid-ranks give the variance in one sort.",
    ),
}
HEAD = """---
title: "Speed and memory"
description: "What the bootstrap costs beside the usual loops, measured in one run on one machine."
---

Made by `make perf`, which writes this page.
Loops that would take too long are run for fewer resamples and their times scaled up; each table
says for how many.
Other packages are compared where they are installed.

Machine: {machine}.
"""


def machine() -> str:
    """Describe the machine and the libraries of the run."""
    load = f", load {os.getloadavg()[0]:.1f} at the start" if hasattr(os, "getloadavg") else ""
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "scikit-learn"))
    return (
        f"{platform.machine()}, {os.cpu_count()} cores{load}, {platform.system()}, Python "
        f"{platform.python_version()}, {libraries}"
    )


def with_caption(text: str, label: str, caption: str) -> str:
    """Give the first table of a script's output a caption, and captions of its kind to others."""
    lines, out, number = text.strip().splitlines(), [], 0
    for place, line in enumerate(lines):
        out.append(line)
        last = line.startswith("|") and (
            place + 1 == len(lines) or not lines[place + 1].startswith("|")
        )
        if last:
            number += 1
            out += ["", f": {caption}. {{#tbl-{label}-{number}}}"]
    return "\n".join(out)


def main() -> int:
    """Run the scripts and write the page."""
    parts = [HEAD.format(machine=machine())]
    for name, (title, options, words) in SCRIPTS.items():
        print(f"{name} …", flush=True)
        command = [sys.executable, str(HERE / name), *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            print(done.stderr[-2000:], file=sys.stderr)
            return done.returncode
        print(done.stdout)
        label = name.removesuffix(".py").replace("_", "-")
        parts.append(f"## {title}\n\n{words}\n\n{with_caption(done.stdout, label, title)}\n")
    PAGE.write_text("\n".join(parts), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
