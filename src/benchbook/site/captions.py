"""Cells that depend on the run: which are kept, and captions that state what came out.

A cell tagged ``when:x`` is kept only if the chapter names the condition ``x`` for the run's
parameters, one tagged ``unless:x`` only if it does not; several tags must all hold. This is how a
reader's own file gets a chapter without a trace of the bundled data.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from typing import Any

from benchbook.display import CAPTION_KEY

WHEN, UNLESS = "when:", "unless:"


def keep_cells(notebook: dict[str, Any], conditions: Collection[str]) -> None:
    """Remove, in place, the cells whose conditions do not hold."""
    notebook["cells"] = [cell for cell in notebook["cells"] if holds(cell, conditions)]


def holds(cell: dict[str, Any], conditions: Collection[str]) -> bool:
    """Tell whether all ``when:`` and ``unless:`` tags of a cell hold."""
    tags = cell["metadata"].get("tags", [])
    wanted = [tag.removeprefix(WHEN) for tag in tags if tag.startswith(WHEN)]
    unwanted = [tag.removeprefix(UNLESS) for tag in tags if tag.startswith(UNLESS)]
    return all(tag in conditions for tag in wanted) and not any(
        tag in conditions for tag in unwanted
    )


def named_conditions(notebook: dict[str, Any]) -> set[str]:
    """Return every condition that a tag of the notebook names."""
    tags = [tag for cell in notebook["cells"] for tag in cell["metadata"].get("tags", [])]
    return {tag.split(":", 1)[1] for tag in tags if tag.startswith((WHEN, UNLESS))}


def write_front_matter(notebook: dict[str, Any], changes: Mapping[str, Any]) -> None:
    """Change, in place, entries of the page's head (the first raw cell)."""
    if not changes:
        return
    import yaml

    cell = next(cell for cell in notebook["cells"] if cell["cell_type"] == "raw")
    head = yaml.safe_load("".join(cell["source"]).strip().strip("-")) | dict(changes)
    text = yaml.safe_dump(head, allow_unicode=True, sort_keys=False, width=10_000)
    cell["source"] = f"---\n{text}---"


def write_captions(notebook: dict[str, Any]) -> None:
    """Put, in place, the captions that came with the outputs into their cells' options."""
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            told = output.get("metadata", {}).pop(CAPTION_KEY, None)
            if told:
                cell["source"] = _with_options("".join(cell["source"]), told)


def _with_options(source: str, options: dict[str, str]) -> str:
    """Return the source with ``#| name: value`` lines replaced; JSON strings are YAML strings."""
    for name, value in options.items():
        line = f"#| {name}: {json.dumps(value, ensure_ascii=False)}"
        old = re.compile(rf"^#\|\s*{re.escape(name)}:.*$", re.MULTILINE)
        # Cut and joined rather than substituted: a caption may hold backslashes.
        parts = old.split(source, maxsplit=1)
        source = line.join(parts) if len(parts) == 2 else f"{line}\n{source}"
    return source
