"""Parameters of the chapter, typed and checked before anything runs."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, model_validator

from benchbook.parameters import DataFile


class Parameters(BaseModel):
    """What a run of the chapter can be told."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    data: DataFile | None = Field(
        None, description="folder with the files answers and reference; none: simulated"
    )
    answers: DataFile | None = Field(None, description="file of answers (CSV or Parquet)")
    reference: DataFile | None = Field(None, description="file of reference labels")
    models: list[str] | None = Field(None, min_length=1, description="models to score; none: all")
    classes: list[str] | None = Field(
        None, min_length=1, description="class names; none: those of the specification"
    )
    delimiter: str = Field(
        ",", min_length=1, max_length=3, description="character between the columns, or tab"
    )
    encoding: str = Field("utf-8", description="encoding of the CSV files")
    n_resamples: int = Field(1000, ge=100, le=100_000, description="bootstrap resamples")
    level: float = Field(0.95, ge=0.8, le=0.99, description="confidence level")
    seed: int = Field(20261130, ge=0, description="seed of the simulation and the resamples")

    @property
    def own(self) -> bool:
        """Whether the run reads files of the reader's own."""
        return self.data is not None or self.answers is not None

    @model_validator(mode="after")
    def _together(self) -> Parameters:
        if self.data is not None and (self.answers is not None or self.reference is not None):
            raise ValueError("data is a folder with both files; do not name answers or reference")
        if (self.answers is None) != (self.reference is None):
            missing = "answers" if self.answers is None else "reference"
            raise ValueError(f"answers and reference go together, and {missing} is not given")
        for name in ("models", "classes"):
            given = getattr(self, name)
            if given is not None and len(set(given)) < len(given):
                raise ValueError(f"{name}: a name is given twice in {', '.join(given)}")
        if not self.own and self.classes is not None:
            raise ValueError("classes describes files, and none are given")
        return self
