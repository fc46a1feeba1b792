"""Versions of the programs whose numbers are frozen."""

from __future__ import annotations

from .reference import frozen_folder


def made_with() -> dict[str, str]:
    """Return the versions of R and its packages, as the chapter's specification has them."""
    import yaml

    path = frozen_folder().parents[1] / "data" / "validation" / "spec.yml"
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    return {str(name): str(version) for name, version in content["made_with"].items()}
