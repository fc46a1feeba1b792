"""Parameters of a notebook: read from its cell, typed, and checked before a kernel starts."""

from __future__ import annotations

import ast
import io
import json
import os
import re
import tokenize
import types
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from .errors import ParameterError, nearest

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

    Model = TypeVar("Model", bound=BaseModel)

DATA_VARIABLE = "BENCHBOOK_DATA"
"""Environment variable of a run: JSON that maps a data file's shown name to its real path."""

PARAMETERS_TAG = "parameters"


@dataclass(frozen=True)
class _FileMarker:
    """Marks a parameter as the path of a file (see `DataFile`)."""


DataFile = Annotated[str, _FileMarker()]
"""Type of a parameter that names a file: the page shows the file's name, never its folder."""


@dataclass(frozen=True)
class CellParameter:
    """One assignment of a notebook's parameters cell.

    Parameters
    ----------
    name : str
        The variable.
    value : object
        Its literal value.
    comment : str
        The comment beside it (or directly above), empty when there is none.
    line : int
        Line within the cell, from 1.
    """

    name: str
    value: Any
    comment: str
    line: int


def read_cell(notebook: Path | Mapping[str, Any]) -> dict[str, CellParameter]:
    """Read the assignments of the cell tagged ``parameters``.

    Parameters
    ----------
    notebook : Path or mapping
        A notebook file, or its parsed JSON.

    Returns
    -------
    dict of str to CellParameter
        In the order of the cell; empty when the notebook has no such cell.

    Raises
    ------
    ParameterError
        When the cell holds anything but assignments of literals, or assigns a name twice.
    """
    if isinstance(notebook, Path):
        content = json.loads(notebook.read_text(encoding="utf-8-sig"))
    else:
        content = notebook
    for cell in content.get("cells", []):
        if cell["cell_type"] == "code" and PARAMETERS_TAG in cell["metadata"].get("tags", []):
            return parse_assignments("".join(cell["source"]))
    return {}


def parse_assignments(source: str) -> dict[str, CellParameter]:
    """Read ``name = literal  # comment`` lines; see `read_cell`."""
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        raise ParameterError(f"parameters cell, line {error.lineno}: {error.msg}.") from None
    comments = _comments(source)
    found: dict[str, CellParameter] = {}
    for node in tree.body:
        name, value = _assignment(node)
        if name in found:
            raise ParameterError(f"parameters cell, line {node.lineno}: '{name}' is set twice.")
        comment = _comment_of(node, comments)
        found[name] = CellParameter(name, value, comment, node.lineno)
    return found


def _assignment(node: ast.stmt) -> tuple[str, Any]:
    """Return name and value of ``name = literal`` or ``name: type = literal``."""
    place = f"parameters cell, line {node.lineno}"
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target, value = node.targets[0], node.value
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        target, value = node.target, node.value
    else:
        raise ParameterError(f"{place}: expected 'name = value', one parameter a line.")
    if not isinstance(target, ast.Name):
        raise ParameterError(f"{place}: expected a plain name before '='.")
    try:
        literal = ast.literal_eval(value)
        json.dumps(literal)
    except (ValueError, TypeError, MemoryError):
        raise ParameterError(
            f"{place}: the value of '{target.id}' must be a literal (number, text, True, False, "
            "None, list or mapping of those), nothing computed."
        ) from None
    return target.id, literal


def _comments(source: str) -> dict[int, tuple[str, bool]]:
    """Map line number to comment text, and whether the comment has the line to itself."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return {
        token.start[0]: (token.string.lstrip("#").strip(), token.line.lstrip().startswith("#"))
        for token in tokens
        if token.type == tokenize.COMMENT and not token.string.startswith("#|")
    }


def _comment_of(node: ast.stmt, comments: Mapping[int, tuple[str, bool]]) -> str:
    """Return the comment beside an assignment, else the one alone on the line above."""
    for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
        if line in comments:
            return comments[line][0]
    text, alone = comments.get(node.lineno - 1, ("", False))
    return text if alone else ""


def check_notebook_against_model(
    notebook: Path | Mapping[str, Any], model: type[BaseModel]
) -> list[str]:
    """List how a notebook's parameters cell departs from the benchmark's model.

    Parameters
    ----------
    notebook : Path or mapping
        A notebook file, or its parsed JSON.
    model : type of pydantic.BaseModel
        The benchmark's ``Parameters``.

    Returns
    -------
    list of str
        One sentence per difference of name, order or default; empty when they agree.
    """
    cell, fields = read_cell(notebook), model.model_fields
    problems = [f"'{name}' is not in the model" for name in cell if name not in fields]
    problems += [f"'{name}' is not in the cell" for name in fields if name not in cell]
    shared = [name for name in cell if name in fields]
    if not problems and list(cell) != list(fields):
        problems.append(f"order: the cell has {list(cell)}, the model {list(fields)}")
    for name in shared:
        default = fields[name].get_default(call_default_factory=True)
        # JSON keeps 1, 1.0 and true apart, and a tuple equal to a list, as the kernel will see it.
        if _as_json(cell[name].value) != _as_json(default):
            problems.append(
                f"'{name}' is {cell[name].value!r} in the cell, {default!r} in the model"
            )
        if not fields[name].description:
            problems.append(f"'{name}' has no description in the model")
    return problems


def _as_json(value: Any) -> str:
    def convert(item: Any) -> Any:
        if isinstance(item, Enum):
            return item.value
        if getattr(item, "shape", None) == ():  # a NumPy scalar
            return item.item()
        if isinstance(item, Path):
            return item.as_posix()
        raise TypeError(type(item).__name__)

    return json.dumps(value, default=convert, sort_keys=True)


# --- values given by the user ----------------------------------------------------------------


def parse_command_line(items: Iterable[str], model: type[BaseModel]) -> dict[str, Any]:
    """Turn ``key=value`` texts into typed values; unknown names are left to `validate`.

    The text after the first ``=`` is read as JSON (``false``, ``null``, ``2000``, ``[1, 2]``),
    then as a Python literal (``True``, ``None``, ``['a', 'b']``), else it stays text. A parameter
    declared as text keeps its text. A parameter declared as a list also takes ``a,b,c``.

    Parameters
    ----------
    items : iterable of str
        What followed each ``-p``.
    model : type of pydantic.BaseModel
        Tells which parameters are declared as text or list.

    Returns
    -------
    dict of str to object

    Raises
    ------
    ParameterError
        When an item has no ``=`` or a name is given twice.
    """
    values: dict[str, Any] = {}
    for item in items:
        name, equals, text = item.partition("=")
        name = name.strip()
        if not equals or not name:
            raise ParameterError(f"found '{item}' after -p; expected NAME=VALUE.")
        if name in values:
            raise ParameterError(f"parameter '{name}' is given twice.")
        field = model.model_fields.get(name)
        values[name] = _read_value(text, _kinds_meant(text, field.annotation) if field else set())
    return values


def _kinds_meant(text: str, annotation: Any) -> set[type]:
    """Return a parameter's base types; where text or a list is taken, one bare word is text."""
    kinds = _kinds(annotation)
    one_word = "," not in text and not text.lstrip().startswith(("[", "("))
    return kinds - {list} if one_word and str in _alternatives(annotation) else kinds


def _read_value(text: str, kinds: set[type]) -> Any:
    """Read one value; ``kinds`` are the base types its parameter is declared with."""
    if kinds and kinds <= {str, type(None)}:
        empty = type(None) in kinds and text.strip() in ("null", "None")
        return None if empty else text
    value = _literal(text)
    if list in kinds and value is not None and not text.lstrip().startswith(("[", "(")):
        inner = kinds - {list}
        return [_read_value(part.strip(), inner) for part in text.split(",") if part.strip()]
    return value


def _literal(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        pass
    try:
        value = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text
    # Beyond JSON, ".5" and "+3" are numbers; 1_000, 0x10 and quoted text stay as they are written.
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value if re.fullmatch(r"[-+]?[\d.]+([eE][-+]?\d+)?", text.strip()) else text
    return value if isinstance(value, bool | list | dict | None) else text


def _alternatives(annotation: Any) -> list[Any]:
    """Return the members of a union, unwrapped; one when it is none."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _alternatives(arguments[0])
    if origin in (Union, types.UnionType):
        return [part for argument in arguments for part in _alternatives(argument)]
    return [annotation]


def _kinds(annotation: Any) -> set[type]:
    """Return the base types an annotation allows; a list adds ``list`` and its members' types."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _kinds(arguments[0])
    if origin in (Union, types.UnionType):
        return set().union(*(_kinds(argument) for argument in arguments))
    if origin is Literal:
        return {type(choice) for choice in arguments}
    if annotation in (list, tuple, set, frozenset) or origin in (list, tuple, set, frozenset):
        members = (_kinds(argument) for argument in arguments if argument is not Ellipsis)
        return {list}.union(*members)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return {type(member.value) for member in annotation}
    if isinstance(annotation, type) and issubclass(annotation, Path):
        return {str}
    return {annotation} if isinstance(annotation, type) else {object}


def read_file(path: Path) -> dict[str, Any]:
    """Read a parameters file: a mapping in JSON (``.json``) or YAML.

    Raises
    ------
    ParameterError
        When the file is missing, unreadable, repeats a name, or holds no mapping of names.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ParameterError(f"parameters file {path}: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise ParameterError(f"parameters file {path}: not UTF-8 text.") from None
    values = _parse_json(text, path) if path.suffix.lower() == ".json" else _parse_yaml(text, path)
    if values is None:
        return {}
    if not isinstance(values, dict) or not all(isinstance(name, str) for name in values):
        raise ParameterError(f"parameters file {path}: expected 'name: value' lines.")
    return values


def _refuse_repeats(pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ParameterError(f"parameter '{twice}' is given twice")
    return values


def _parse_json(text: str, path: Path) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_refuse_repeats)
    except ParameterError as error:
        raise ParameterError(f"parameters file {path}: {error}.") from None
    except json.JSONDecodeError as error:
        raise ParameterError(
            f"parameters file {path}, line {error.lineno}: not JSON ({error.msg})."
        ) from None


def _parse_yaml(text: str, path: Path) -> Any:
    import yaml

    class Loader(yaml.SafeLoader):
        """The safe loader, refusing a key that is given twice."""

    def mapping(loader: yaml.SafeLoader, node: yaml.MappingNode) -> dict[Any, Any]:
        loader.flatten_mapping(node)
        return _refuse_repeats(loader.construct_pairs(node, deep=True))

    Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, mapping)
    try:
        return yaml.load(text, Loader=Loader)  # a SafeLoader
    except (ParameterError, TypeError) as error:
        raise ParameterError(f"parameters file {path}: {error}.") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or "unreadable"
        raise ParameterError(f"parameters file {path}{line}: not YAML ({problem}).") from None


# --- checking --------------------------------------------------------------------------------


def validate(model: type[Model], values: Mapping[str, Any]) -> Model:
    """Check values against a benchmark's model, strictly, and return the model filled with them.

    A bool is no number, ``2000.0`` is no whole number, and text is never turned into one. An
    integer is taken where a number is expected. Lists are taken where tuples are declared.

    Parameters
    ----------
    model : type of pydantic.BaseModel
        The benchmark's ``Parameters``.
    values : mapping of str to object
        Some or all of the parameters; the others take their defaults.

    Returns
    -------
    pydantic.BaseModel
        An instance of ``model``.

    Raises
    ------
    ParameterError
        Names every offending parameter, the value given and what is expected, in one paragraph.
    """
    from pydantic import ValidationError

    unknown = [name for name in values if name not in model.model_fields]
    known = {name: value for name, value in values.items() if name not in unknown}
    problems = [
        f"unknown parameter '{name}'; {nearest(name, model.model_fields)}" for name in unknown
    ]
    try:
        # JSON is what the command line, a parameters file and a notebook's literals have in
        # common, and pydantic's strict mode for it is neither lax nor stuck on tuples and enums.
        checked = model.model_validate_json(_as_json(known), strict=True)
    except TypeError as error:
        raise ParameterError(f"a parameter holds {error}; expected plain values.") from None
    except ValidationError as error:
        problems += _sentences(error, model, known)
    if problems:
        raise ParameterError(" ".join(_closed(problem) for problem in problems))
    return checked


def _closed(sentence: str) -> str:
    return sentence if sentence.endswith(("?", ".")) else sentence + "."


def _sentences(error: Any, model: type[BaseModel], values: Mapping[str, Any]) -> list[str]:
    """One sentence per parameter that failed; a rule over several parameters speaks for itself."""
    sentences: dict[str, str] = {}
    for entry in error.errors(include_url=False):
        own_words = entry["type"] in ("value_error", "assertion_error")
        message = entry["msg"].split(", ", 1)[1] if ", " in entry["msg"] else entry["msg"]
        name = str(entry["loc"][0]) if entry["loc"] else ""
        if not name:
            sentences[f" {len(sentences)}"] = message
        elif own_words:
            sentences[name] = f"parameter '{name}' is {_shown(values.get(name))}: {message}"
        elif entry["type"] == "missing" and len(entry["loc"]) == 1:
            sentences[name] = (
                f"parameter '{name}' is required: {expected(model.model_fields[name])}"
            )
        elif name not in sentences:
            wanted = expected(model.model_fields[name])
            sentences[name] = f"parameter '{name}' is {_shown(values[name])}; expected {wanted}"
            sentences[name] += _hint(values[name], model.model_fields[name])
    return list(sentences.values())


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 80 else text[:77] + "..."


def _hint(value: Any, field: FieldInfo) -> str:
    """Say how to write what was probably meant."""
    kinds = _kinds(field.annotation)
    if isinstance(value, float) and value.is_integer() and float not in kinds and int in kinds:
        return f" (write {int(value)})"
    return ""


def _choices(annotation: Any) -> list[Any]:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return list(arguments)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return [member.value for member in annotation]
    return [choice for argument in arguments for choice in _choices(argument)]


def expected(field: FieldInfo) -> str:
    """Say in words what a parameter accepts: type, range, choices."""
    return _words(field.annotation, field.metadata)


_PLAIN = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text",
    type(None): "null",
    list: "a list",
    tuple: "a list",
    dict: "a mapping",
}


def _words(annotation: Any, metadata: Iterable[Any] = ()) -> str:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _words(arguments[0], [*arguments[1:], *metadata])
    if origin in (Union, types.UnionType):
        metadata = list(metadata)
        parts = [_words(part, metadata) for part in arguments if part is not type(None)]
        null = ", or null" if type(None) in arguments else ""
        return " or ".join(dict.fromkeys(parts)) + null
    if origin in (list, tuple, set, frozenset):
        members = [_words(part) for part in arguments if part is not Ellipsis]
        if origin is tuple and Ellipsis not in arguments and len(members) > 1:
            return f"a list of {len(members)}: " + ", ".join(members)
        size = _range(metadata, "items")
        return f"a list{' of' if size else ''}{size}" + (f", each {members[0]}" if members else "")
    choices = _choices(annotation)
    if choices:
        return "one of " + ", ".join(json.dumps(choice) for choice in choices)
    if any(isinstance(mark, _FileMarker) for mark in metadata):
        return "the path of a file"
    if origin is dict:
        return "a mapping"
    text = _PLAIN.get(annotation, getattr(annotation, "__name__", str(annotation)))
    return text + _range(metadata, "characters" if annotation is str else "")


def _range(metadata: Iterable[Any], unit: str) -> str:
    """Put bounds into words; ``unit`` is what a length counts."""
    bounds = {
        key: getattr(mark, key)
        for mark in metadata
        for key in ("ge", "gt", "le", "lt", "multiple_of", "min_length", "max_length", "pattern")
        if getattr(mark, key, None) is not None
    }
    length = bounds.get("min_length")
    if length is not None and length == bounds.get("max_length"):
        return f" {length} {unit}".removesuffix("s" if length == 1 else "") + " long"
    if "ge" in bounds and "le" in bounds:
        return f" from {bounds['ge']} to {bounds['le']}"
    texts = {"ge": "at least {}", "gt": "above {}", "le": "at most {}", "lt": "below {}"}
    texts |= {"min_length": "at least {} " + unit, "max_length": "at most {} " + unit}
    texts |= {"multiple_of": "a multiple of {}", "pattern": "matching {}"}
    parts = [text.format(bounds[key]) for key, text in texts.items() if key in bounds]
    return " " + " and ".join(parts) if parts else ""


def from_namespace(model: type[Model], namespace: Mapping[str, Any]) -> Model:
    """Turn the variables of a notebook into its checked parameters.

    Parameters
    ----------
    model : type of pydantic.BaseModel
        The benchmark's ``Parameters``.
    namespace : mapping
        The notebook's ``globals()``; only the names of the model are looked at.

    Returns
    -------
    pydantic.BaseModel
        An instance of ``model``.

    Raises
    ------
    ParameterError
        See `validate`.
    """
    return validate(
        model, {name: namespace[name] for name in model.model_fields if name in namespace}
    )


# --- data files ------------------------------------------------------------------------------


def is_file_parameter(name: str, model: type[BaseModel]) -> bool:
    """Tell whether a parameter names a file: it is called ``data`` or is a `DataFile`."""
    field = model.model_fields.get(name)
    if field is None:
        return False
    return name == "data" or "_FileMarker" in repr(field.annotation) + repr(field.metadata)


def hide_folders(
    values: Mapping[str, Any], model: type[BaseModel], folder: Path
) -> tuple[dict[str, Any], dict[str, Path]]:
    """Replace paths of existing files by their bare names, so that no page shows a folder.

    Parameters
    ----------
    values : mapping of str to object
        Parameters as the user gave them.
    model : type of pydantic.BaseModel
        Tells which of them name files.
    folder : Path
        What relative paths are relative to: the user's current folder.

    Returns
    -------
    values : dict of str to object
        With file names in place of paths.
    files : dict of str to Path
        File name shown to absolute path; `data_path` looks names up here during the run.
    """
    shown_values, files = dict(values), dict[str, Path]()
    for name, value in values.items():
        if not (is_file_parameter(name, model) and isinstance(value, str) and value):
            continue
        path = Path(os.path.abspath(folder / Path(value).expanduser()))
        if not os.path.exists(path):
            continue  # perhaps the name of a bundled table; the benchmark's own check decides
        shown = path.name
        if files.get(shown, path) != path:
            shown = f"{path.parent.name}/{path.name}"
        files[shown] = path
        shown_values[name] = shown
    return shown_values, files


def known_files() -> dict[str, Path]:
    """Return the data files given for this run, name shown to absolute path."""
    given = json.loads(os.environ.get(DATA_VARIABLE, "{}"))
    return {shown: Path(path) for shown, path in given.items()}


def data_path(value: str | os.PathLike[str]) -> Path:
    """Return where a file parameter's file is.

    Parameters
    ----------
    value : str or path
        The parameter's value: the name of a file given for this run, or a path; relative paths
        start at the project's folder.

    Returns
    -------
    Path
        Absolute. The file need not exist.
    """
    from .records import project_root

    files = known_files()
    if str(value) in files:
        return files[str(value)]
    return (project_root() or Path.cwd()) / Path(value).expanduser()
