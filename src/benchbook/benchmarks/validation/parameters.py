"""Parameters of the chapter, typed and checked before anything runs."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from benchbook.parameters import DataFile

Witness = Literal["krippendorff", "pingouin", "scikit-learn", "statsmodels"]


class Parameters(BaseModel):
    """What a run of the chapter can be told."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    data: DataFile | None = Field(
        None, description="file of records of your own (JSON); none: the frozen ones"
    )
    witnesses: list[Witness] = Field(
        ["krippendorff", "pingouin", "scikit-learn", "statsmodels"],
        description="Python packages asked during the run; those not installed are named",
    )
    tolerance: float = Field(
        1e-8,
        gt=0,
        le=1e-3,
        description="largest difference that matches, relative above 1 and absolute below",
    )
    stop: bool = Field(True, description="stop at a difference that nobody declared")

    @field_validator("witnesses")
    @classmethod
    def _each_once(cls, names: list[str]) -> list[str]:
        if len(set(names)) < len(names):
            raise ValueError("a witness is named twice")
        return names
