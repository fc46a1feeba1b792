"""The project's colours and fonts, read from its SCSS files for a renderer without Sass."""

from __future__ import annotations

import re
from pathlib import Path

from benchbook.errors import BenchbookError

_VARIABLE = re.compile(r"^\s*\$([a-z][a-z0-9-]*):\s*(.+?)\s*(?:!default)?\s*;", re.M)
# Names that Sass and Bootstrap's stylesheet do not share.
_NAMES = {
    "font-family-sans-serif": "body-font-family",
    "font-family-monospace": "font-monospace",
    "body-secondary-color": "secondary-color",
    "body-tertiary-bg": "tertiary-bg",
}
_LAYOUT = """
html:root {
  --sd-sidebar-width: 12.5rem;
  --sd-margin-width: 13rem;
  --sd-gap: 1.5rem;
  --sd-body-width: 55rem;
}
#quarto-header .sd-navbar-default {
  background: var(--bs-navbar-bg);
  --bs-navbar-color: var(--bs-navbar-fg);
  --bs-navbar-hover-color: var(--bs-navbar-hl);
  --bs-navbar-active-color: var(--bs-navbar-hl);
  --bs-navbar-brand-color: var(--bs-navbar-hl);
  --bs-navbar-brand-hover-color: var(--bs-navbar-hl);
}
#quarto-header .sd-navbar-default .navbar-toggler-icon { filter: invert(1) grayscale(1); }
"""


def read_variables(path: Path) -> dict[str, str]:
    """Return the ``$name: value;`` lines of a SCSS file.

    Raises
    ------
    BenchbookError
        A value that needs Sass: a function call, or another variable.
    """
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", path.read_text(encoding="utf-8"), flags=re.S)
    variables = dict(_VARIABLE.findall(text))
    for name, value in variables.items():
        if "$" in value or re.search(r"[a-z-]+\(", value):
            raise BenchbookError(
                f"{path.name}: ${name} is {value}; the preview reads plain values only"
            )
    return variables


def preview_css(bootstrap: str, mode: str, scss: list[Path]) -> str:
    """Put a project's theme over Bootstrap's stylesheet.

    Parameters
    ----------
    bootstrap : str
        Bootstrap's compiled stylesheet, which has both modes.
    mode : {"light", "dark"}
        The mode this stylesheet is for.
    scss : list of Path
        The project's files for the mode; each ``$name`` becomes ``--bs-name``.
    """
    variables: dict[str, str] = {}
    for path in scss:
        variables |= read_variables(path)
    declarations = []
    for name, value in variables.items():
        if value == "false":
            continue
        property_name = _NAMES.get(name, name)
        declarations.append(f"--bs-{property_name}: {value};")
        if channels := _channels(value):
            declarations.append(f"--bs-{property_name}-rgb: {channels};")
    if mode == "dark":
        bootstrap = bootstrap.replace("[data-bs-theme=dark]", ":is(:root,[data-bs-theme=dark])")
    rules = f":root {{ color-scheme: {mode}; {' '.join(declarations)} }}"
    return f"{bootstrap}\n{rules}\n{_LAYOUT}"


def _channels(value: str) -> str:
    """Return the red, green and blue of a hexadecimal colour, or nothing."""
    match = re.fullmatch(r"#([0-9a-f]{6})", value.lower())
    if not match:
        return ""
    return ", ".join(str(int(match[1][i : i + 2], 16)) for i in (0, 2, 4))
