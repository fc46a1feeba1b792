"""The scale of the ratings: scores, declared categories, or the categories that occur."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..errors import ParameterError, listed, quoted
from .cells import SPREADSHEET_ERROR, Column, Origin, codes, scores
from .labels import Kind, canonical, check_categories, natural_order

# Hardly ever a category; unless it was declared, it is asked about.
_HARDLY_A_LABEL = frozenset(("nan", "n/a", "<na>", "null", "."))


def measured(
    columns: Sequence[Column],
    names: Sequence[str],
    kind: Kind,
    categories: Iterable[Any] | None,
    origin: Origin,
) -> tuple[np.ndarray, tuple[Any, ...] | None, bool]:
    """Return the values, the categories (None for scores), and whether they were declared."""
    if kind == "continuous":
        return scores(columns, names, origin), None, False
    labels, declared = _scale(columns, names, kind, categories, origin)
    return codes(columns, labels, names, origin), labels, declared


def _scale(
    columns: Sequence[Column],
    names: Sequence[str],
    kind: Kind,
    categories: Iterable[Any] | None,
    origin: Origin,
) -> tuple[tuple[Any, ...], bool]:
    if categories is not None:
        return check_categories(categories), True
    levels = _shared_levels(columns, names, kind, origin)
    if levels is not None and len(levels) > 1:
        return check_categories(levels), True
    if kind == "ordinal":
        raise _undeclared(columns, origin)
    if origin.is_file:
        _no_missing_word(columns, names, origin)
    return natural_order({canonical(label) for column in columns for label in column.used}), False


def _shared_levels(
    columns: Sequence[Column], names: Sequence[str], kind: Kind, origin: Origin
) -> tuple[Any, ...] | None:
    """Return the levels that all columns, as pandas categoricals, declare."""
    if any(column.ordered is None for column in columns):
        return None
    levels = [tuple(column.labels) for column in columns]
    if kind == "nominal":
        # Levels that differ between columns are those each rater happened to use.
        return levels[0] if len({frozenset(one) for one in levels}) == 1 else None
    if not all(column.ordered for column in columns):
        return None
    for position, one in enumerate(levels):
        if one != levels[0]:
            raise origin.error(
                "the raters' categorical columns declare different levels",
                column=names[position],
                found=listed(one),
                expected=f"those of {names[0]}, in one order: {listed(levels[0])}",
            )
    return levels[0]


def _undeclared(columns: Sequence[Column], origin: Origin) -> ParameterError:
    seen = natural_order({canonical(label) for column in columns for label in column.used})
    example = ", ".join(f'"{label}"' for label in seen[:5]) + (", …" if len(seen) > 5 else "")
    return ParameterError(
        f"{origin.source + ': ' if origin.source else ''}ordinal ratings need their categories "
        f"declared, lowest to highest, unused ones included; found the labels {listed(seen)}; "
        f"expected for instance categories=[{example}] in the order of the scale."
    )


def _no_missing_word(columns: Sequence[Column], names: Sequence[str], origin: Origin) -> None:
    """Refuse a label that nearly always means "not rated", unless it was declared."""
    for position, column in enumerate(columns):
        for label in column.used:
            word = str(label).strip()
            if word.lower() not in _HARDLY_A_LABEL and not SPREADSHEET_ERROR.fullmatch(word):
                continue
            raise origin.error(
                "this cell often means 'not rated'",
                row=int((column.codes == column.labels.index(label)).argmax()),
                column=names[position],
                found=quoted(label),
                expected=f"missing=[{quoted(label)}], or categories=[…] when it is one of them",
            )
