"""Parameters of the chapter, typed and checked before anything runs."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from benchbook.parameters import DataFile
from benchbook.reading import MISSING

Label = str | int | float | bool


class Parameters(BaseModel):
    """What a run of the chapter can be told."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    data: DataFile | None = Field(None, description="file of ratings; none: published tables")
    kind: Literal["nominal", "ordinal", "continuous"] | None = Field(
        None, description="level of measurement of your file"
    )
    layout: Literal["auto", "wide", "long", "counts", "contingency"] = Field(
        "auto", description="shape of the file"
    )
    categories: list[Label] | None = Field(
        None, min_length=2, description="the whole scale, lowest to highest when ordinal"
    )
    raters: list[str] | None = Field(None, min_length=2, description="raters to use")
    item: str | list[str] | None = Field(None, description="column(s) of the item")
    rater: str | None = Field(None, description="column of the rater (long layout)")
    rating: str | None = Field(None, description="column of the rating (long layout)")
    cluster: str | None = Field(None, description="column of the cluster that is resampled")
    frequency: str | None = Field(None, description="column with the number of items of a row")
    where: dict[str, Label | list[Label]] | None = Field(
        None, description="keep only rows with these values"
    )
    header: bool = Field(True, description="whether the first line names the columns")
    delimiter: str = Field(
        ",", min_length=1, max_length=3, description="character between the columns, or tab"
    )
    encoding: str = Field("utf-8", description="encoding of the file")
    missing: list[str] = Field(list(MISSING), description="cells that mean 'not rated'")
    weights: Literal["linear", "quadratic"] = Field(
        "quadratic", description="weights for ordinal data, on ranks"
    )
    need: Literal["absolute", "relative"] = Field(
        "absolute", description="same answer (absolute) or only the same order (relative)"
    )
    model: str | None = Field(None, description="the rater that is a model")
    n_resamples: int = Field(2000, ge=100, le=100_000, description="bootstrap resamples")
    level: float = Field(0.95, gt=0.5, lt=1, description="confidence level")
    seed: int = Field(20261129, ge=0, description="seed of the resamples")
    accept: float = Field(0.70, ge=-1, le=1, description="verdict: accepted from here")
    conditional: float = Field(0.61, ge=-1, le=1, description="verdict: conditional from here")

    @model_validator(mode="after")
    def _together(self) -> Parameters:
        if self.data is not None and self.kind is None:
            raise ValueError(
                "kind must be stated with a file: nominal (unordered categories), ordinal "
                "(ordered categories) or continuous (scores)"
            )
        if self.conditional > self.accept:
            raise ValueError(
                f"conditional ({self.conditional:g}) must not exceed accept ({self.accept:g})"
            )
        described = sorted(self.model_fields_set & set(OF_A_FILE))
        changed = [name for name in described if getattr(self, name) != _default(name)]
        if self.data is None and changed:
            raise ValueError(f"{', '.join(changed)} describe a file, and no data file is given")
        return self


OF_A_FILE = (
    "kind",
    "layout",
    "categories",
    "raters",
    "item",
    "rater",
    "rating",
    "cluster",
    "frequency",
    "where",
    "header",
    "delimiter",
    "encoding",
    "missing",
    "model",
)


def _default(name: str) -> Any:
    return Parameters.model_fields[name].default
