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
    "bootstrap_peers.py": (
        "Any statistic, over items",
        (),
        "The same percentile interval from every package that makes one. For a mean a loop is as "
        "good or better: one resample costs no more than drawing it. The gain comes with "
        "statistics that cost more than their resample, and with many of them.",
    ),
    "macro_f.py": (
        "Macro F-measure",
        (),
        "Counts per class are sums, and equal records are drawn together, so all resamples are "
        "one product of counts and sums. The loops call scikit-learn.",
    ),
    "kappa_bootstrap.py": (
        "Agreement",
        ("--loop-resamples", "200"),
        "Coefficients of agreement are functions of sums, too.",
    ),
    "auroc_bootstrap.py": (
        "AUROC, average precision and an operating point, by cluster",
        (),
        "Rows are sorted once; a resample changes only how often a cluster counts, and one pass "
        "over the rows serves 64 resamples and all measures. The loop draws clusters and calls "
        "scikit-learn for the AUROC alone; none of the packages above resamples clusters.",
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

Made by `make perf`, which runs everything here in one go and writes this page.

- *seconds*: the fastest run, data preparation included; other work on a machine only adds time.
  Contenders that would take too long are run for fewer resamples and their times scaled up, as
  the tables say.
- *times benchbook*: the ratio to benchbook's time in the same run.
- *peak MB*: what Python and numpy allocated above the data.
- *bounds apart*: the larger distance between the bounds of two intervals, in Monte-Carlo standard
  errors of that distance. The random numbers differ, so 0 is not expected; above 3 would mean
  that two programs disagree.

Other packages are compared where they are installed; none is needed to use Benchbook.
One that fails says so in its row.

Machine: {machine}.
"""


def load() -> str:
    """Return how many processes wanted a processor in the last minute."""
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"


def machine(at_start: str) -> str:
    """Describe the machine and the libraries of the run."""
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "scikit-learn"))
    return (
        f"{platform.machine()}, {os.cpu_count()} cores, load {at_start} at the start and {load()} "
        f"at the end, {platform.system()}, Python {platform.python_version()}, {libraries}"
    )


def with_captions(text: str, label: str, title: str) -> str:
    """Give each table a caption: the line before it when that ends in a colon, else the title."""
    out: list[str] = []
    caption, number = title, 0
    lines = text.strip().splitlines()
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        if line.endswith(":") and not line.startswith("|"):
            caption = line.removesuffix(":")
            continue
        out.append(line)
        if line.startswith("|") and not after.startswith("|"):
            number += 1
            out += ["", f": {caption}. {{#tbl-{label}-{number}}}"]
            caption = title
    return "\n".join(out)


def main() -> int:
    """Run the scripts and write the page."""
    at_start, parts = load(), []
    for name, (title, options, words) in SCRIPTS.items():
        print(f"{name} …", flush=True)
        command = [sys.executable, str(HERE / name), *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            print(done.stderr[-2000:], file=sys.stderr)
            return done.returncode
        print(done.stdout, flush=True)
        label = name.removesuffix(".py").replace("_", "-")
        parts.append(f"## {title}\n\n{words}\n\n{with_captions(done.stdout, label, title)}\n")
    PAGE.write_text("\n".join([HEAD.format(machine=machine(at_start)), *parts]), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
