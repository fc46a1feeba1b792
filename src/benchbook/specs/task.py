"""The specification of a full benchmark task: data, protocol, input, scoring, split and counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field, model_validator

from .schema import (
    Address,
    Commit,
    Count,
    Digest,
    Doi,
    Name,
    Part,
    Plain,
    ShortHash,
    Specification,
    Text,
    Told,
)


class DataSet(Part):
    """The data that the benchmark runs on, at one release."""

    name: Text
    title: Text
    release: Text
    publisher: Told[Text]
    doi: Doi
    licence: Text
    citation: Told[Text]
    subjects: Told[Text | None] = None


class Statements(Part):
    """Statements of the electrocardiograph that a class is made from, besides codes."""

    numbers: Text
    text: Text


class ClassRule(Part):
    """One class: what it is and what in the data makes it."""

    definition: Text
    system: Annotated[
        Text | None, Field(description="The code system, for instance SNOMED CT.")
    ] = None
    codes: tuple[Text, ...] = ()
    n_codes: Annotated[Count | None, Field(description="Number of codes where not listed.")] = None
    statements: tuple[Statements, ...] = ()
    considered: Annotated[
        Text | None, Field(description="Statement numbers the rule was drawn from.")
    ] = None


class LabelRules(Part):
    """How the data become classes."""

    source: Text
    definite_only: bool
    hedges: tuple[Text, ...] = ()
    no_class: Text


class Program(Part):
    """A repository at one commit."""

    repository: Address
    commit: Commit
    date: Text | None = None
    file: Text | None = None
    use: Text | None = None
    note: Told[Text | None] = None
    paper: Told[Text | None] = None
    doi: Told[Doi | None] = None


class Rejected(Part):
    """A commit that is not used, and why."""

    commit: Text
    date: Text
    message: Text
    reason: Text


class Protocol(Part):
    """What was adopted from others, and where it lies."""

    adopted: Text
    source: Text
    address: Address
    transfer: bool
    basis: Told[Text | None] = None
    scorer: Program
    not_used: Told[Rejected | None] = None
    label_rules: Program | None = None
    renderer: Program | None = None


class Exclusion(Part):
    """Records left out, and how many."""

    rule: Text
    n_records: Count
    parts: dict[str, Count]

    @model_validator(mode="after")
    def _adds_up(self) -> Exclusion:
        total = sum(self.parts.values())
        if total != self.n_records:
            raise ValueError(f"the parts hold {total} of {self.n_records} records")
        return self


class Input(Part):
    """What a model sees, and what it never sees."""

    image: dict[str, Plain]
    leads: dict[str, Plain]
    never: tuple[Text, ...]
    render: dict[str, Plain]
    per_record: Text
    gain: Text


class Parser(Part):
    """How an answer becomes labels."""

    version: Text
    rule: Text
    unparsed: Text


class Prompt(Part):
    """What a language model is asked, and its limits."""

    id: Text
    content: Text
    temperature: Annotated[float, Field(ge=0)]
    max_tokens: Annotated[int, Field(ge=1)]


class Resampling(Part):
    """The bootstrap of the intervals."""

    by: Text
    n: Annotated[int, Field(ge=1)]


class Metrics(Part):
    """What is computed, and how intervals are made."""

    primary: Name
    higher_is_better: bool = True
    secondary: tuple[Name, ...] = ()
    by_class: tuple[Name, ...] = ()
    bootstrap: Resampling


class SplitPart(Part):
    """One part of the split: how many records were drawn, of how many."""

    draws: Count
    of: Count
    stream: Count


class Split(Part):
    """Which records are in which part."""

    by: Text
    source: Text
    sha256: Digest
    seed: int
    rule: Text
    parts: dict[str, SplitPart]


class PartCounts(Part):
    """Records and positives of one part."""

    records: Count
    scored: Count
    groups: Count
    positives: dict[str, Count]


class Sources(Part):
    """Where the positives of one class come from; each part's numbers add up to its positives."""

    label: Annotated[Text, Field(description="The class.")]
    kinds: tuple[Text, ...]
    parts: dict[str, tuple[Count, ...]]


class Hedged(Part):
    """Positives that hedged statements would add, were they labels."""

    part: Text
    would_add: dict[str, Count]


class Counts(Part):
    """The numbers of the split, after exclusions."""

    parts: dict[str, PartCounts]
    sources: tuple[Sources, ...] = ()
    hedged: Hedged | None = None


class Baseline(Part):
    """A model that is there to be compared with; what it scored is in ``results.yml``."""

    output: Text | None = None
    training: Text | None = None
    status: Text | None = None
    note: Text | None = None


class Origin(Part):
    """The specification that this one restates.

    Results made on it count as made on this one while ``ours`` is the hash of this specification:
    whoever changes what is measured breaks the link, without having to think of it.
    """

    task: Text
    hash: ShortHash
    earlier_hash: ShortHash | None = None
    earlier_difference: Text | None = None
    address: Text | None = None
    equivalent_to: Annotated[
        ShortHash | None, Field(description="The origin's hash that this text restates.")
    ] = None
    ours: Annotated[
        ShortHash | None, Field(description="Our hash for which that was confirmed.")
    ] = None
    provenance: dict[str, Text] = Field({})

    @model_validator(mode="after")
    def _both_or_none(self) -> Origin:
        if (self.equivalent_to is None) != (self.ours is None):
            raise ValueError("equivalent_to and ours go together")
        if self.equivalent_to not in (None, self.hash):
            raise ValueError(f"equivalent_to is not the origin's hash {self.hash}")
        return self


class TaskSpecification(Specification):
    """A full benchmark task: models answer, answers are scored, results are ranked."""

    form: Literal["task"]
    version: Count
    preview: Told[bool]
    visibility: Told[Literal["open", "hidden"]]
    kind: Literal["multilabel", "multiclass", "binary"]
    dataset: DataSet
    classes: Annotated[dict[str, ClassRule], Field(min_length=1)]
    labels: LabelRules
    protocol: Protocol
    exclusions: dict[str, Exclusion] = Field({})
    input: Input
    prediction: Text
    parser: Parser
    prompt: Prompt | None = None
    metrics: Metrics
    split: Split
    counts: Counts
    baselines: Told[dict[str, Baseline]] = Field({})
    leakage_checks: Told[dict[str, Text]] = Field({})
    checks: Told[dict[str, Text]] = Field({})
    pilot: Told[dict[str, Text]] = Field({})
    origin: Told[Origin | None] = None

    @property
    def unit_of_resampling(self) -> str:
        """What the bootstrap draws."""
        return self.metrics.bootstrap.by

    @property
    def primary_metric(self) -> str:
        """The metric that results are ranked by."""
        return self.metrics.primary

    def is_current(self, specification: str) -> bool:
        """Tell whether a result made on a specification of this hash counts as made on this one."""
        if specification == self.hash:
            return True
        origin = self.origin
        return (
            origin is not None
            and specification == origin.equivalent_to
            and origin.ours == self.hash
        )

    @model_validator(mode="after")
    def _counts_fit(self) -> TaskSpecification:
        problems = list(count_problems(self))
        if problems:
            raise ValueError("; ".join(problems))
        return self


def count_problems(spec: TaskSpecification) -> Iterator[str]:
    """Yield what is wrong with the counts: other classes, other parts, sums that do not add up."""
    parts, classes = spec.counts.parts, set(spec.classes)
    if set(spec.split.parts) != set(parts):
        yield f"counts.parts has {sorted(parts)}, split.parts {sorted(spec.split.parts)}"
    for name, part in parts.items():
        yield from _part_problems(f"counts.parts.{name}", part, classes)
    yield from _missing_problems(spec)
    for source in spec.counts.sources:
        yield from _source_problems(source, parts)
    if spec.counts.hedged:
        unknown = set(spec.counts.hedged.would_add) - classes
        if unknown:
            yield f"counts.hedged names {', '.join(sorted(unknown))}, which is no class"


def _part_problems(place: str, part: PartCounts, classes: set[str]) -> Iterator[str]:
    different = sorted(classes ^ set(part.positives))
    if different:
        yield f"{place}.positives does not count the classes: {', '.join(different)}"
    if not part.groups <= part.records or not part.scored <= part.records:
        yield f"{place} has more groups or scored records than {part.records} records"
    many = [name for name, n in part.positives.items() if n > part.scored]
    if many:
        yield f"{place}.positives: more {', '.join(many)} than {part.scored} scored records"


def _missing_problems(spec: TaskSpecification) -> Iterator[str]:
    """Yield parts that lack other records than the exclusions can have taken."""
    for name in sorted(set(spec.split.parts) & set(spec.counts.parts)):
        missing = spec.split.parts[name].draws - spec.counts.parts[name].records
        taken = [rule.parts.get(name, 0) for rule in spec.exclusions.values()]
        # A record may fall under several rules.
        if not max(taken, default=0) <= missing <= sum(taken):
            told = f"lacks {missing} of the records drawn; exclusions say {taken}"
            yield f"counts.parts.{name} {told}"


def _source_problems(source: Sources, parts: dict[str, PartCounts]) -> Iterator[str]:
    for name, numbers in source.parts.items():
        place = f"counts.sources of {source.label}, {name}"
        if name not in parts or source.label not in parts[name].positives:
            yield f"{place}: no such class or part"
        elif len(numbers) != len(source.kinds):
            yield f"{place}: {len(numbers)} numbers for {len(source.kinds)} kinds"
        elif sum(numbers) != parts[name].positives[source.label]:
            total = parts[name].positives[source.label]
            yield f"{place}: {' + '.join(map(str, numbers))} is not the {total} positives"
