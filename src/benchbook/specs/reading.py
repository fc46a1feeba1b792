"""Reading YAML so that a message can name the file, the line and the field."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from benchbook.errors import DataError, did_you_mean, quoted

from .canonical import LARGEST_WHOLE, tidy_text

if TYPE_CHECKING:
    from pydantic import BaseModel

    Model = TypeVar("Model", bound=BaseModel)

MOST_PROBLEMS = 5
"""Problems of one file that are told at once."""

# The core schema of YAML 1.2: `no`, `on`, 1:30 and 2026-10-30 are text, 1e0 is a number. PyYAML's
# own rules are those of YAML 1.1, where each of them is something else.
_WHOLE = re.compile(r"[-+]?[0-9]+")
_NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_WORDS: dict[str, bool | None] = {"": None, "~": None, "null": None, "Null": None, "NULL": None}
_WORDS |= {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}

Place = tuple[str | int, ...]


@dataclass(frozen=True)
class Document:
    """A YAML file as plain data, and the line on which each field stands.

    Parameters
    ----------
    file : str
        The file as a message names it.
    content : object
        Mappings, lists, texts (tidied), numbers, bools and None.
    lines : mapping
        Place in the content, as a tuple of names and positions, to line, from 1.
    """

    file: str
    content: Any
    lines: dict[Place, int]

    def refuse(self, place: Place, message: str, **told: Any) -> DataError:
        """Return the error for a field, ready to be raised."""
        field = f"field {field_name(place)}: " if place else ""
        return DataError(f"{field}{message}", file=self.file, row=self.line(place), **told)

    def line(self, place: Place) -> int:
        """Return the line of a field, or of the nearest field around it that is there."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)


def field_name(place: Place) -> str:
    """Return a place as it is written in messages: ``counts.parts.test.positives``."""
    text = "".join(f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in place)
    return text.removeprefix(".")


def read_yaml(path: Path, file: str | None = None) -> Document:
    """Read a YAML file.

    Raises
    ------
    DataError
        No such file, not UTF-8, not YAML, a name given twice, or a name that is not a text.
    """
    import yaml

    shown = file or path.name
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise DataError("no such file", file=shown) from None
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror})", file=shown) from None
    except UnicodeDecodeError:
        raise DataError("not UTF-8 text", file=shown) from None
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or "unreadable"
        row = mark.line + 1 if mark else None
        raise DataError(f"not YAML ({problem})", file=shown, row=row) from None
    document = Document(shown, None, {})
    content = None if node is None else _construct(node, (), document, frozenset())
    return Document(shown, content, document.lines)


def _construct(node: Any, place: Place, document: Document, above: frozenset[int]) -> Any:
    """Turn a node into plain data, and note its line."""
    import yaml

    document.lines[place] = node.start_mark.line + 1
    if id(node) in above:
        raise document.refuse(place, "an alias that holds itself")
    above |= {id(node)}
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, place, document, above)
    if isinstance(node, yaml.SequenceNode):
        return [
            _construct(item, (*place, number), document, above)
            for number, item in enumerate(node.value)
        ]
    value = _scalar(node)
    if isinstance(value, int) and abs(value) > LARGEST_WHOLE:
        told = "a number that JSON does not keep exactly"
        raise document.refuse(place, told, found=node.value, expected="text; put it in quotes")
    return value


def _mapping(node: Any, place: Place, document: Document, above: frozenset[int]) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for key, value in node.value:
        line = key.start_mark.line + 1
        if not isinstance(getattr(key, "value", None), str):
            raise document.refuse(place, "a name that is not a text", expected="name: value")
        name = tidy_text(key.value)
        inner = (*place, name)
        if name in content:
            first = document.lines[inner]
            document.lines[inner] = line
            raise document.refuse(inner, f"given twice, first in row {first}")
        content[name] = _construct(value, inner, document, above)
        document.lines[inner] = line
    return content


def _scalar(node: Any) -> Any:
    text = node.value
    if node.style is not None:  # quoted, or a block
        return tidy_text(text)
    if text in _WORDS:
        return _WORDS[text]
    if _WHOLE.fullmatch(text):
        return int(text)
    if _NUMBER.fullmatch(text) and math.isfinite(float(text)):
        number = float(text)
        exact = number.is_integer() and abs(number) <= LARGEST_WHOLE
        return int(number) if exact else number
    return tidy_text(text)


def check(model: type[Model], document: Document) -> Model:
    """Check a document against a model, strictly: a text is no number and a number no text.

    Raises
    ------
    DataError
        Names the file, the line and the field of each problem, the value found and what is
        expected; of many problems the first few.
    """
    from pydantic import ValidationError

    try:
        # Strict for JSON: as strict as can be, and a list is still taken where a tuple is declared.
        return model.model_validate_json(json.dumps(document.content), strict=True)
    except ValidationError as error:
        problems = [_problem(entry, model, document) for entry in error.errors(include_url=False)]
    problems = list({str(problem): problem for problem in problems}.values())
    if len(problems) == 1:
        raise problems[0]
    told = " ".join(str(problem) for problem in problems[:MOST_PROBLEMS])
    more = len(problems) - MOST_PROBLEMS
    raise DataError(told + (f" And {more} more." if more > 0 else ""))


def _problem(entry: Any, model: type[BaseModel], document: Document) -> DataError:
    """Word one fault that pydantic found."""
    place = _own_place(entry["loc"], document.content)
    kind, message = entry["type"], entry["msg"]
    if kind == "missing":
        return document.refuse(place, "missing")
    if kind == "extra_forbidden":
        known = _known_names(model, place[:-1])
        hint = did_you_mean(place[-1], known) if known else ""
        return document.refuse(place, f"not a field of a specification{hint}")
    if kind in ("value_error", "assertion_error"):
        return document.refuse(place, message.split(", ", 1)[-1])
    found = entry["input"]
    shown = quoted(found) if isinstance(found, str) else str(found)
    expected = message.removeprefix("Input should be ").removeprefix("a valid ")
    if kind == "string_type" and isinstance(found, int | float):
        expected = "text; put it in quotes"
    return document.refuse(place, "cannot be used", found=shown, expected=expected)


def _own_place(place: Place, content: Any) -> Place:
    """Return the part of pydantic's place that is in the file, without its names for unions."""
    kept: list[str | int] = []
    for number, part in enumerate(place):
        inside = isinstance(content, dict | list)
        try:
            content = content[part]
        except (KeyError, IndexError, TypeError):
            if number == len(place) - 1 and inside:
                kept.append(part)  # a field that is missing
            continue
        kept.append(part)
    return tuple(kept)


def _known_names(model: Any, place: Place) -> list[str]:
    """Return the names that a model takes at a place; empty where it cannot be told."""
    for part in place:
        if isinstance(part, int):
            continue
        field = getattr(model, "model_fields", {}).get(part)
        if field is None:
            return []
        model = _inner_model(field.annotation)
    return list(getattr(model, "model_fields", {}))


def _inner_model(annotation: Any) -> Any:
    from typing import get_args

    if hasattr(annotation, "model_fields"):
        return annotation
    found = [_inner_model(argument) for argument in get_args(annotation)]
    return next((inner for inner in found if inner is not None), None)
