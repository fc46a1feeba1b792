"""Errors a user can act on: each one says where, what was found and what was expected."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

LONGEST_CELL = 60  # characters of a cell quoted in a message
LONGEST_FOUND = 240  # characters of everything that was found
MOST_NAMES = 20  # names listed in a message


class BenchbookError(Exception):
    """An expected failure, told in one paragraph; the command line exits with status 2."""


class DataError(BenchbookError):
    """Input data that cannot be used.

    Parameters
    ----------
    message : str
        What is wrong, one sentence without a final full stop.
    file : str, optional
        Name of the file as the user gave it.
    row : int or str, optional
        Line of the file (the first line is 1), or a row label where there is no file.
    column : str, optional
        Name of the column.
    found, expected : str, optional
        The offending value, and what would have been accepted.

    Notes
    -----
    The attributes keep what was passed; the text is one line, whatever a cell held.
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        row: int | str | None = None,
        column: str | None = None,
        found: object = None,
        expected: str | None = None,
    ) -> None:
        self.message = message
        self.file, self.row, self.column = file, row, column
        self.found, self.expected = found, expected
        # A column without a name is called "column 3".
        told = column.removeprefix("column ") if isinstance(column, str) else column
        place = [
            f"{name} {clipped(value, length)}"
            for name, value, length in (
                ("file", file, LONGEST_FOUND),
                ("row", row, LONGEST_CELL),
                ("column", told, LONGEST_CELL),
            )
            if value is not None
        ]
        parts = [f"{', '.join(place)}: {message}" if place else message]
        if found is not None:
            parts.append(f"found {clipped(found, LONGEST_FOUND)}")
        if expected is not None:
            parts.append(f"expected {expected}")
        # Pickle rebuilds an exception from its text, which must pass through here unchanged.
        text = " ".join("; ".join(parts).split())
        super().__init__(text if text.endswith((".", "!", "?", "…")) else text + ".")


class ParameterError(BenchbookError):
    """A notebook or function parameter that is unknown, of the wrong type, or out of range."""


def clipped(value: object, length: int) -> str:
    """Return a text on one line, cut to ``length`` characters."""
    line = " ".join(str(value).split())
    return line if len(line) <= length else line[: length - 2].rstrip() + " …"


def quoted(cell: object) -> str:
    """Return a cell as it is shown in a message: on one line, clipped, between quotes."""
    return f"'{clipped(cell, LONGEST_CELL)}'"


def listed(names: Iterable[object], most: int = MOST_NAMES) -> str:
    """Return names in a row, the first few only when there are many."""
    shown = [clipped(name, LONGEST_CELL) for name in names]
    more = f", … ({len(shown)} in all)" if len(shown) > most else ""
    return ", ".join(shown[:most]) + more


def closest(name: object, known: Iterable[object]) -> str | None:
    """Return the known word closest to a misspelt one, or None when none is close."""
    # Of several spellings that differ in case only, the first.
    spelling = {str(choice).lower(): str(choice) for choice in reversed([*known])}
    close = get_close_matches(str(name).lower(), spelling, n=1, cutoff=0.5)
    return spelling[close[0]] if close else None


def did_you_mean(name: object, known: Iterable[object]) -> str:
    """Return the end of a sentence about an unknown name; "" when no known one is close."""
    close = closest(name, known)
    return "" if close is None else f", did you mean '{close}'?"


def nearest(name: object, known: Iterable[object]) -> str:
    """Return a hint that names the closest known word, or lists them all when none is close."""
    choices = list(known)
    close = closest(name, choices)
    if close is not None:
        return f"did you mean '{close}'?"
    return "known: " + (listed(choices, most=50) or "none")
