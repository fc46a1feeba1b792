"""Write requirements.lock anew: exact versions with hashes for each platform and Python supported.

Needs uv on PATH (a resolver that solves for all platforms at once); the lock itself needs only pip.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMMAND = [
    "uv", "pip", "compile", "pyproject.toml", "--all-extras", "--universal",
    "--python-version", "3.11", "--generate-hashes", "--no-emit-index-url",
    "--constraint", "tools/lock-constraints.txt",
    "--no-annotate", "--no-header", "--quiet", "--output-file", "requirements.lock",
]  # fmt: skip


def main() -> int:
    """Resolve and write the lock."""
    try:
        return subprocess.run(COMMAND, cwd=ROOT, check=False).returncode
    except FileNotFoundError:
        print("uv is not on PATH; install it with: pip install uv")
        return 2


if __name__ == "__main__":
    sys.exit(main())
