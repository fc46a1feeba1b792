"""The project's own promises: environments agree, the lock is complete, sources hold no outputs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).resolve().parent.parent
# Where conda-forge calls a package otherwise; the plain matplotlib there also brings a GUI toolkit.
CONDA_NAMES = {"matplotlib-base": "matplotlib"}
# Not Python packages, or the interpreter.
ONLY_CONDA = {"python", "quarto", "pip"}
SUPPORTED = ("3.11", "3.12", "3.13", "3.14")
PLATFORMS = ("linux", "darwin", "win32")


def pyproject() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def wanted(environment: dict[str, str] | None = None) -> dict[str, str]:
    project = pyproject()["project"]
    listed = list(project["dependencies"])
    for extra in project["optional-dependencies"].values():
        listed += extra
    needed = [Requirement(text) for text in listed]
    if environment is not None:
        needed = [r for r in needed if r.marker is None or r.marker.evaluate(environment)]
    return {r.name.lower(): str(r.specifier) for r in needed}


def locked() -> list[tuple[Requirement, list[str]]]:
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8").replace("\\\n", " ")
    rows = [line for line in text.splitlines() if line and not line.startswith(("#", " "))]
    return [
        (Requirement(row.split("--hash")[0].strip()), re.findall(r"--hash=sha256:([0-9a-f]+)", row))
        for row in rows
    ]


def test_conda_and_pip_list_the_same_packages():
    listed = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
    conda = [entry for entry in listed if isinstance(entry, str)]
    by_pip = next(entry["pip"] for entry in listed if isinstance(entry, dict))
    found = {}
    for text in [*conda, *by_pip]:
        requirement = Requirement(text.replace(" ", ""))
        name = CONDA_NAMES.get(requirement.name, requirement.name).lower()
        if name not in ONLY_CONDA:
            found[name] = str(requirement.specifier)
    assert found == wanted()
    assert {"python", "quarto"} <= {Requirement(text.replace(" ", "")).name for text in conda}


def test_python_version_is_one_fact():
    listed = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
    assert f"python {pyproject()['project']['requires-python']}" in listed


@pytest.mark.parametrize("python", SUPPORTED)
@pytest.mark.parametrize("platform", PLATFORMS)
def test_lock_holds_one_exact_hashed_version_for_every_platform(python, platform):
    environment = {
        "python_version": python,
        "python_full_version": f"{python}.0",
        "sys_platform": platform,
        "platform_system": {"linux": "Linux", "darwin": "Darwin", "win32": "Windows"}[platform],
        "os_name": "nt" if platform == "win32" else "posix",
        "platform_machine": "AMD64" if platform == "win32" else "x86_64",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
    }
    chosen: dict[str, Version] = {}
    for requirement, hashes in locked():
        assert hashes, f"{requirement.name} has no hash"
        if requirement.marker is None or requirement.marker.evaluate(environment):
            (pin,) = requirement.specifier
            assert pin.operator == "=="
            assert requirement.name not in chosen, f"{requirement.name} is locked twice"
            chosen[requirement.name] = Version(pin.version)
    for name, specifier in wanted(environment).items():
        assert name in chosen, f"{name} is not locked"
        assert chosen[name] in Requirement(f"{name}{specifier}").specifier


def test_lock_names_no_host():
    assert "://" not in (ROOT / "requirements.lock").read_text(encoding="utf-8")


def test_version_is_one_fact():
    import benchbook

    version = pyproject()["project"]["version"]
    assert benchbook.__version__ == version
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"## {version} " in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_sources_of_notebooks_hold_no_outputs():
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "code":
                assert cell["outputs"] == []
                assert cell["execution_count"] is None


def test_every_chapter_is_on_the_first_page_and_in_the_navigation():
    overview = (ROOT / "index.qmd").read_text(encoding="utf-8")
    navigation = (ROOT / "_quarto.yml").read_text(encoding="utf-8")
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        assert f"report/{path.name}" in overview
        assert f"report/{path.name}" in navigation


def test_importing_the_package_brings_in_nothing_heavy():
    code = "import benchbook, sys; print(*(m for m in sys.modules if '.' not in m))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"numpy", "scipy", "pandas", "matplotlib", "statsmodels", "papermill", "pydantic"}
    assert not heavy & set(out.stdout.split())
