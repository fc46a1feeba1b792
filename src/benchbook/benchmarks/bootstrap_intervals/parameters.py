"""Parameters of the chapter, typed and checked before anything runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from benchbook.parameters import DataFile

Key = Literal["auroc_apart", "auroc_shared", "macro_f", "kappa", "wer", "accuracy"]
Value = str | int | float | bool
OF_A_FILE = ("score", "label", "positive", "cluster", "higher_is_positive")


@dataclass(frozen=True)
class Size:
    """How large a simulation is."""

    n_replications: int
    n_resamples: int
    sweep_step: int  # every how many-th correlation of a sweep is simulated


PRESETS = {"quick": Size(200, 400, 10), "full": Size(3000, 1000, 1)}


class Parameters(BaseModel):
    """What a run of the chapter can be told."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    data: DataFile | None = Field(None, description="file of scores; none: simulation only")
    score: str = Field("score", description="column of the score")
    label: str = Field("label", description="column of the label")
    positive: Value = Field(1, description="label of the positives; every other one is negative")
    cluster: str | None = Field(None, description="column of the cluster that is resampled")
    higher_is_positive: bool | None = Field(
        None, description="whether high scores speak for the condition (stated, never inferred)"
    )
    study: Literal["quick", "full"] = Field("quick", description="size of the simulation")
    designs: list[Key] | None = Field(None, min_length=1, description="designs; none: all")
    n_replications: int | None = Field(
        None, ge=20, le=100_000, description="data sets per design; none: as the study says"
    )
    n_resamples: int | None = Field(
        None, ge=100, le=100_000, description="resamples per interval; none: as the study says"
    )
    level: float = Field(0.95, ge=0.8, le=0.99, description="confidence level")
    seed: int = Field(20261130, ge=0, description="seed of data and resamples")

    @property
    def size(self) -> Size:
        """Size of this run's simulation."""
        preset = PRESETS[self.study]
        return Size(
            self.n_replications or preset.n_replications,
            self.n_resamples or preset.n_resamples,
            preset.sweep_step,
        )

    @model_validator(mode="after")
    def _together(self) -> Parameters:
        if self.designs is not None and len(set(self.designs)) < len(self.designs):
            raise ValueError(f"a design is named twice in {', '.join(self.designs)}")
        if self.data is not None and self.higher_is_positive is None:
            raise ValueError(
                "higher_is_positive must be stated with a file: true when high scores speak for "
                "the condition, false when low ones do"
            )
        fields = Parameters.model_fields
        changed = [name for name in OF_A_FILE if getattr(self, name) != fields[name].default]
        if self.data is None and changed:
            raise ValueError(f"{', '.join(changed)} describe a file, and no data file is given")
        return self
