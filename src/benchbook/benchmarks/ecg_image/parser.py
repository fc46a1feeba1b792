"""The answer parser ``labels-json-v0``: class names from what a language model wrote.

An answer may hold anything: reasoning, code fences, several attempts. What counts is the *last*
JSON object that has a list under the key ``labels``:

- Every ``{`` is tried as the start of an object, wherever it stands. Objects inside an object are
  objects too; braces inside a string of an object are text.
- Last means: the one whose closing brace comes last. Of an object inside another, both with
  ``labels``, the outer one therefore counts; of two in a row the second, whatever surrounds them.
- JSON is that of RFC 8259, and beside it ``NaN``, ``Infinity`` and ``-Infinity``, which many
  programs write. Single quotes, comments, trailing commas and raw line breaks in a string are not
  JSON. Where one object has the key twice, the last one counts.
- Entries of ``labels`` are compared with the class names without regard to case and surrounding
  white space. A name that is no class, and an entry that is no text, is ignored and counted; a
  class named twice counts once.
- An object whose ``labels`` is not a list is no such object. ``[]`` says that no class applies. An
  answer without such an object (one that was cut off, for instance) is *unparsed*: it names no
  class, and is never dropped.

The time is linear in the length of the answer, whatever it holds.
"""

from __future__ import annotations

import heapq
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from benchbook.errors import ParameterError

PARSER_VERSION = "labels-json-v0"
KEY = "labels"

_SPACE = re.compile(r"[ \t\n\r]*")
# A string of JSON. The chunks cannot be split in two ways, so a failed match takes linear time.
_STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"')
_SCALAR = re.compile(
    r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|true|false|null|NaN|-?Infinity"
)
_NOT_TEXT = object()


@dataclass(frozen=True)
class Parsed:
    """What an answer says.

    Attributes
    ----------
    labels : tuple of str
        The classes named, in the order of the classes.
    parsed : bool
        Whether the answer holds a JSON object with a list of labels.
    n_unknown, n_not_text, n_repeated : int
        Entries that name no class, that are no text, and that repeat a class.
    """

    labels: tuple[str, ...] = ()
    parsed: bool = False
    n_unknown: int = 0
    n_not_text: int = 0
    n_repeated: int = 0


class LabelParser:
    """Reads class names out of answers.

    Parameters
    ----------
    classes : sequence of str
        The names, in the order in which they are returned; ``index`` maps a name to its place.

    Raises
    ------
    ParameterError
        When two names differ only in case or white space, or one is empty.
    """

    def __init__(self, classes: Sequence[str]) -> None:
        self.classes = tuple(classes)
        self.index = {name: place for place, name in enumerate(self.classes)}
        self._known: dict[str, str] = {}
        for name in self.classes:
            key = _folded(name)
            if not key or key in self._known:
                raise ParameterError(
                    f"The class name '{name}' is empty, or differs from another one only in case "
                    "or white space."
                )
            self._known[key] = name

    def __call__(self, answer: str | None) -> Parsed:
        """Return what an answer says; None (no text) is unparsed."""
        found = None if answer is None else last_labels(answer)
        return Parsed() if found is None else self.names(found)

    def names(self, entries: Iterable[Any]) -> Parsed:
        """Return which of the entries of a list are classes."""
        named: set[str] = set()
        unknown = not_text = repeated = 0
        for entry in entries:
            if not isinstance(entry, str):
                not_text += 1
                continue
            name = self._known.get(_folded(entry))
            if name is None:
                unknown += 1
            elif name in named:
                repeated += 1
            else:
                named.add(name)
        ordered = tuple(name for name in self.classes if name in named)
        return Parsed(ordered, True, unknown, not_text, repeated)


def _folded(name: str) -> str:
    return name.strip().casefold()


def last_labels(text: str) -> list[Any] | None:
    """Return the ``labels`` list of the last JSON object that has one.

    Parameters
    ----------
    text : str
        The whole answer.

    Returns
    -------
    list or None
        The entries: texts, and an object that is no text for every entry of another kind. None
        when there is no such object.
    """
    last: list[Any] | None = None
    tried: set[int] = set()
    valid: list[_Valid] = []  # a heap: objects whose turn, by where they start, is still to come
    inside = -1  # end of the last object taken: braces before it are part of it
    start = text.find("{")
    while start >= 0:
        if start not in tried:
            for found in _objects(text, start, tried):
                heapq.heappush(valid, found)
        start = text.find("{", start + 1)
        while valid and (start < 0 or valid[0].start < start):
            one = heapq.heappop(valid)
            if one.start >= inside:
                inside, last = one.end, last if one.labels is None else one.labels
        start = text.find("{", inside) if 0 <= start < inside else start
    return last


class _Valid(NamedTuple):
    """A valid object that is part of no other: its extent, and the labels that count in it."""

    start: int
    end: int
    labels: list[Any] | None


class _Frame:
    """An object or array that is open."""

    __slots__ = ("entries", "is_object", "key", "labels", "start")

    def __init__(self, start: int, is_object: bool, entries: list[Any] | None) -> None:
        self.start, self.is_object = start, is_object
        self.key: str | None = None  # of an object: the key whose value comes next
        self.labels: list[Any] | None = None  # of an object: last value of the key, if a list
        self.entries = entries  # of an array under the key: what it holds so far


def _objects(text: str, start: int, tried: set[int]) -> list[_Valid]:
    """Read one value from a brace on, until it ends or breaks a rule of JSON.

    An object is valid or not whatever stands around it. So one that ended on the way is valid, and
    one that was open when a rule was broken is not: neither needs to be tried again. There is no
    recursion, so nesting may be as deep as the text is long.
    """
    stack: list[_Frame] = []
    valid: list[_Valid] = []
    place = start
    while True:
        # A key with its colon, where an object waits for one.
        if stack and stack[-1].is_object:
            key = _STRING.match(text, place)
            colon = _skip(text, key.end()) if key else place
            if key is None or text[colon : colon + 1] != ":":
                return valid
            stack[-1].key = json.loads(key.group())
            place = _skip(text, colon + 1)
        # A value, or the beginning of one.
        first = text[place : place + 1]
        if first == "{" or first == "[":
            place = _open(text, place, stack, tried)
            if text[place : place + 1] != ("}" if first == "{" else "]"):
                continue
        else:
            token = _STRING.match(text, place) or _SCALAR.match(text, place)
            if token is None:
                return valid
            _take(stack[-1], token)
            place = _skip(text, token.end())
        # Whatever ends here, and the comma after it.
        while stack and text[place : place + 1] == ("}" if stack[-1].is_object else "]"):
            _close(stack, valid, place + 1)
            place = _skip(text, place + 1) if stack else place
        if not stack or text[place : place + 1] != ",":
            return valid
        place = _skip(text, place + 1)


def _skip(text: str, place: int) -> int:
    """Return where white space ends."""
    return _SPACE.match(text, place).end()  # type: ignore[union-attr]


def _open(text: str, place: int, stack: list[_Frame], tried: set[int]) -> int:
    """Open an object or array and return where its content begins."""
    is_object = text[place] == "{"
    if is_object:
        tried.add(place)
    listed = not is_object and bool(stack) and stack[-1].is_object and stack[-1].key == KEY
    stack.append(_Frame(place, is_object, [] if listed else None))
    return _skip(text, place + 1)


def _take(frame: _Frame, token: re.Match[str]) -> None:
    """Give a text or another simple value to what it stands in."""
    if frame.entries is not None:
        is_text = token.group().startswith('"')
        frame.entries.append(json.loads(token.group()) if is_text else _NOT_TEXT)
    elif frame.is_object and frame.key == KEY:
        frame.labels = None


def _close(stack: list[_Frame], valid: list[_Valid], end: int) -> None:
    """Close what was opened last, and give it to what it stands in."""
    frame = stack.pop()
    if frame.is_object:
        # Objects inside it are part of it; the last one counts unless it has labels of its own.
        labels = frame.labels
        while valid and valid[-1].start > frame.start:
            inner = valid.pop()
            labels = inner.labels if labels is None else labels
        valid.append(_Valid(frame.start, end, labels))
    if not stack:
        return
    if stack[-1].entries is not None:
        stack[-1].entries.append(_NOT_TEXT)
    elif stack[-1].is_object and stack[-1].key == KEY:
        stack[-1].labels = frame.entries
