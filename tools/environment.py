"""Set up the virtual environment of the project; needs nothing but Python's standard library.

- ``python tools/environment.py`` makes ``.venv`` from ``requirements.lock`` when it is needed;
- ``--quarto`` tries again to bring the real Quarto;
- ``--clean`` removes what the commands made; the environment stays.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / ".venv"
BIN = ENVIRONMENT / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
READY = ENVIRONMENT / "ready"
QUARTO_TRIED = ENVIRONMENT / "quarto-tried"
QUARTO_VERSION = "1.10.19"
QUARTO_SECONDS = 300
OLDEST = (3, 11)


def fingerprint() -> str:
    """Return a hash of everything the environment is made from."""
    digest = hashlib.sha256(f"{ROOT} {sys.version_info[:2]}".encode())
    for name in ("requirements.lock", "pyproject.toml"):
        digest.update((ROOT / name).read_bytes())
    return digest.hexdigest()


def pip(*arguments: str, **options: object) -> None:
    """Run the environment's pip, quietly."""
    command = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "install", "-qq"]
    subprocess.run([*command, *arguments], check=True, cwd=ROOT, **options)  # type: ignore[call-overload]


def make() -> None:
    """Make the environment, or bring it up to date; a half-made one is made anew."""
    key = fingerprint()
    if READY.exists() and READY.read_text() == key and PYTHON.exists():
        return
    print("Setting up the environment in .venv (about a minute) …", flush=True)
    # A folder without the mark of a finished set-up was interrupted or is outdated.
    venv.EnvBuilder(with_pip=True, clear=True).create(ENVIRONMENT)
    pip("--require-hashes", "-r", "requirements.lock")
    pip("--no-deps", "--no-build-isolation", "--editable", ".")
    READY.write_text(key)


def bring_quarto(*, again: bool) -> None:
    """Try once to install Quarto from its package, which downloads a release when it is built."""
    search = os.pathsep.join([str(BIN), os.environ.get("PATH", "")])
    if shutil.which("quarto", path=search) or (QUARTO_TRIED.exists() and not again):
        return
    print(f"No quarto found: trying to install quarto-cli {QUARTO_VERSION} …", flush=True)
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    try:
        # Built in isolation: its set-up script needs setuptools, and nothing else does.
        pip("--no-deps", f"quarto-cli=={QUARTO_VERSION}", timeout=QUARTO_SECONDS, **quiet)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        print("Quarto cannot be downloaded here: the embedded preview draws the website.")
    QUARTO_TRIED.write_text(QUARTO_VERSION)


def clean() -> None:
    """Remove everything the commands made, except the environment and the records in git."""
    for name in ("_site", ".quarto", "report/.build", "report/files", ".pytest_cache"):
        shutil.rmtree(ROOT / name, ignore_errors=True)
    for page in (ROOT / "report").glob("*.ipynb"):
        page.unlink()


def main() -> int:
    """Do what the command line asks."""
    parser = argparse.ArgumentParser(description="Set up the environment of the project.")
    parser.add_argument("--quarto", action="store_true", help="try again to bring Quarto")
    parser.add_argument("--clean", action="store_true", help="remove what the commands made")
    arguments = parser.parse_args()
    if arguments.clean:
        clean()
        return 0
    if sys.version_info < OLDEST:
        this = sys.version.split()[0]
        print(f"Python {OLDEST[0]}.{OLDEST[1]} or newer is needed; this is {this}.")
        return 2
    try:
        make()
    except subprocess.CalledProcessError as problem:
        print(f"The environment could not be set up: {' '.join(problem.cmd[2:])} failed.")
        return problem.returncode or 1
    bring_quarto(again=arguments.quarto)
    return 0


if __name__ == "__main__":
    sys.exit(main())
