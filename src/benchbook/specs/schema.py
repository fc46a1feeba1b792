"""What every specification says, and what makes it the same measurement.

A field enters the hash unless it is marked :data:`Told`: what only tells *about* the benchmark
(titles, status, limitations, reasons for decisions, where things came from). Everything that
changes what is measured is hashed; a field added to the schema is hashed unless somebody decides
otherwise. Fields left out, and fields given their default, which is always empty, are the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, model_validator

from .canonical import LARGEST_WHOLE, canonical_json, short_hash

Content = TypeVar("Content")
_NOT_HASHED = {"x-hashed": False}

Told = Annotated[Content, Field(json_schema_extra=_NOT_HASHED)]
"""Type of a field that tells about a benchmark and does not enter its hash."""

Text = Annotated[str, Field(min_length=1)]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
Count = Annotated[int, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]
Commit = Annotated[str, Field(pattern=r"^[0-9a-f]{40}$", description="Commit, 40 hex digits.")]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$", description="SHA-256, 64 hex digits.")]
ShortHash = Annotated[str, Field(pattern=r"^[0-9a-f]{12}$", description="Id of a specification.")]
Doi = Annotated[str, Field(pattern=r"^10\.\d{4,9}/\S+$", description="DOI without an address.")]
Address = Annotated[str, Field(pattern=r"^https?://\S+$")]
Plain = str | bool | int | float | None
"""A single value in a free list of facts."""

CHECKED = "Checked: "
"""Words after which a deviation says how it was checked."""


class Part(BaseModel):
    """Base of everything in a specification: no unknown field, nothing changed after reading."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Deviation(Part):
    """One deviation from an adopted protocol, taken apart.

    Parameters
    ----------
    part : str
        The part that it starts with, as the deviation writes it.
    text : str
        What is different.
    checked : str
        How that was checked; empty when it does not say.
    """

    part: str
    text: str
    checked: str

    @classmethod
    def of(cls, text: str) -> Deviation:
        """Take a deviation apart at its first colon and at ``Checked:``."""
        told, _, checked = text.partition(CHECKED)
        part, _, rest = told.partition(":")
        return cls(part=part.strip(), text=rest.strip(), checked=checked.strip())


class Specification(Part):
    """What every benchmark's ``spec.yml`` says.

    Attributes
    ----------
    made_here : tuple of str
        The parts that were made by ourselves. Each has exactly one deviation, which starts with
        its name and a colon and says ``Checked: how``.
    replaced : tuple of str
        Parts of the protocol that were exchanged for something existing, such as the data set:
        one deviation each, with nothing of ours to check.
    """

    name: Annotated[Name, Field(description="As in data/NAME and notebooks/NAME.ipynb.")]
    title: Told[Text]
    made_here: tuple[Text, ...] = ()
    replaced: tuple[Text, ...] = ()
    deviations: tuple[Text, ...] = ()
    limitations: Told[tuple[Text, ...]] = ()
    decisions: Told[tuple[Text, ...]] = ()
    files: Told[
        Annotated[tuple[Text, ...], Field(description="Files elsewhere that the page depends on.")]
    ] = ()

    @property
    def hash(self) -> str:
        """The id of the measurement: 12 hexadecimal digits of the SHA-256 of `canonical`."""
        return short_hash(hashed_content(self))

    @property
    def canonical(self) -> str:
        """The canonical JSON (RFC 8785) of everything that enters the hash."""
        return canonical_json(hashed_content(self))

    @property
    def deviation_parts(self) -> tuple[Deviation, ...]:
        """The deviations, taken apart."""
        return tuple(Deviation.of(text) for text in self.deviations)

    def json(self) -> dict[str, Any]:  # type: ignore[override]
        """Return the whole specification as plain data for JSON, fields with defaults left out."""
        return plain_content(self)

    @model_validator(mode="after")
    def _parts_and_deviations_agree(self) -> Specification:
        problems = list(deviation_problems(self))
        if problems:
            raise ValueError("; ".join(problems))
        return self


class ChapterSpecification(Specification):
    """The specification of a chapter that explains or compares, rather than ranks models.

    Every field but the first ones is optional: a chapter says what it has.
    """

    form: Literal["chapter"] = "chapter"
    data_statement: Literal["published", "real", "simulated"]
    unit_of_resampling: Text
    primary_metric: Text
    secondary_metrics: tuple[Text, ...] = ()
    resamples: Annotated[int, Field(ge=1)] | None = None
    tables: dict[str, dict[str, Plain | tuple[Plain, ...]]] = Field({})
    data_sets: dict[str, dict[str, Plain | tuple[Plain, ...]]] = Field({})
    labels: dict[str, Text] = Field({})
    models: dict[str, dict[str, Plain | tuple[Plain, ...]]] = Field({})
    rules: dict[str, Text] = Field({})
    verdict: dict[str, float] = Field({})
    designs: dict[str, dict[str, Plain]] = Field({})
    sweeps: dict[str, tuple[float, ...]] = Field({})
    studies: dict[str, dict[str, Plain]] = Field({})
    made_with: dict[str, Text] = Field({})


# --- the rule on parts made by ourselves ---------------------------------------------------------


def deviation_problems(spec: Specification) -> Iterator[str]:
    """Yield what is wrong between the parts made here and the deviations.

    Each part in ``made_here`` has exactly one deviation, which starts with its name (in any case)
    and says how it was checked; each part in ``replaced`` has exactly one deviation; no deviation
    names another part.
    """
    listed = [*spec.made_here, *spec.replaced]
    keys = [part.casefold() for part in listed]
    for part, key in zip(listed, keys, strict=True):
        if keys.count(key) > 1:
            yield f"part '{part}' is listed twice"
            return
    found: dict[str, list[Deviation]] = {key: [] for key in keys}
    for number, deviation in enumerate(spec.deviation_parts, 1):
        if deviation.part.casefold() not in found:
            known = ", ".join(listed) or "none"
            yield (
                f"deviation {number} starts with '{deviation.part[:40]}', which is no part in "
                f"made_here or replaced ({known})"
            )
        found.setdefault(deviation.part.casefold(), []).append(deviation)
    made = {part.casefold() for part in spec.made_here}
    for part, key in zip(listed, keys, strict=True):
        if len(found[key]) != 1:
            yield f"part '{part}' has {len(found[key])} deviations; expected one with its name"
        elif key in made and not found[key][0].checked:
            yield f"the deviation of '{part}' does not say '{CHECKED}how'"


# --- the content that counts ---------------------------------------------------------------------


def plain_content(part: BaseModel) -> dict[str, Any]:
    """Return a model as plain data, fields that hold their default left out."""
    content = part.model_dump(mode="json", exclude_defaults=True)
    if isinstance(part, Specification):
        form = type(part).model_fields["form"]
        content = {"form": getattr(part, "form", form.default), **content}
    return _with_whole_numbers(content)


def _with_whole_numbers(value: Any) -> Any:
    """Write 1.0 as 1, which JSON takes for the same number."""
    if isinstance(value, dict):
        return {name: _with_whole_numbers(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_with_whole_numbers(inner) for inner in value]
    if isinstance(value, float) and value.is_integer() and abs(value) <= LARGEST_WHOLE:
        return int(value)
    return value


def hashed_content(part: Any) -> Any:
    """Return the plain data that enters the hash: without fields that only tell about it."""
    content = plain_content(part)
    for place in not_hashed(type(part)):
        _remove(content, place.split("."))
    return content


def _remove(content: Any, place: list[str]) -> None:
    for name in place[:-1]:
        content = content.get(name) if isinstance(content, dict) else None
    if isinstance(content, dict):
        content.pop(place[-1], None)


def not_hashed(model: type[BaseModel], prefix: str = "") -> list[str]:
    """Name the fields of a model, and of the models it holds, that do not enter the hash."""
    found: list[str] = []
    for name, field in model.model_fields.items():
        if field.json_schema_extra == _NOT_HASHED:
            found.append(prefix + name)
            continue
        options = [field.annotation]
        if get_origin(field.annotation) in (Union, UnionType):
            options = list(get_args(field.annotation))
        for option in options:
            if isinstance(option, type) and issubclass(option, Part):
                found += not_hashed(option, f"{prefix}{name}.")
    return found
