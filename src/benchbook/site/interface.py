"""What programs read on the site: the JSON below ``v1/``, written before a page is rendered."""

from __future__ import annotations

from pathlib import Path

from .project import write_atomically

OWN_FOLDERS = ("tasks", "leaderboard", "schema")


def write_interface(root: Path, folder: Path) -> list[Path]:
    """Write a project's specifications and leaderboards as JSON below ``v1/`` of a folder.

    Parameters
    ----------
    root : Path
        The project.
    folder : Path
        The sources of the site, or the project itself for whoever runs plain Quarto.

    Returns
    -------
    list of Path
        The files, sorted; none for a project without a full benchmark task. The same content
        always gives the same bytes.

    Raises
    ------
    DataError
        A specification or a results file that cannot be used; nothing is written then.
    """
    # Pydantic and the schema are loaded only where there is something to read.
    if not any(root.glob("data/*/spec.yml")):
        return []
    from benchbook.specs.canonical import pretty_json
    from benchbook.specs.documents import FOLDER, documents

    target = folder / FOLDER
    made = {target / name: content for name, content in sorted(documents(root).items())}
    for path, content in made.items():
        write_atomically(path, pretty_json(content).encode())
    for name in OWN_FOLDERS if made else ():
        for path in (target / name).glob("*.json"):
            if path not in made:
                path.unlink()
    return list(made)
