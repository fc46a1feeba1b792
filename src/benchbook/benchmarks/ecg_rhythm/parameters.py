"""Parameters of the chapter, typed and checked before anything runs."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from benchbook.parameters import DataFile

Dataset = Literal["simulated", "code-test", "irhythm-test", "ptbxl-fold9", "ptbxl-fold10"]
OWN_FILES = ("data", "scores", "labels", "readers", "mapping")


class Parameters(BaseModel):
    """What a run of the chapter can be told."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    dataset: Dataset = Field("simulated", description="bundled simulation, or an open data set")
    data: DataFile | None = Field(
        None, description="your folder of scores, labels, readers and mapping (CSV or Parquet)"
    )
    scores: DataFile | None = Field(
        None,
        description="your file of model scores; columns record_id, patient_id, model, output, "
        "window (may be absent), score",
    )
    labels: DataFile | None = Field(
        None,
        description="your file of reference labels; columns record_id, label, present, patient_id "
        "(needed without scores)",
    )
    readers: DataFile | None = Field(
        None,
        description="your file of readers' answers; columns record_id, reader, group, label, "
        "present, independent and kind (may be absent)",
    )
    mapping: DataFile | None = Field(
        None,
        description="your file that says which output stands for which label; columns model, "
        "output, label, approximate and contaminated (may be absent)",
    )
    delimiter: str = Field(
        ",", min_length=1, max_length=3, description="character between the columns, or tab"
    )
    encoding: str = Field("utf-8", description="encoding of the CSV files")
    only_labels: list[str] | None = Field(
        None, min_length=1, description="labels to show, in this order; none: all"
    )
    only_models: list[str] | None = Field(
        None, min_length=1, description="models to show, in this order; none: all"
    )
    people_groups: list[str] | None = Field(
        None, min_length=1, description="groups of readers that models are compared with; none: all"
    )
    match: Literal["at_least", "interpolated"] = Field(
        "at_least",
        description="how the readers' mean sensitivity is met: at the highest threshold that is at "
        "least as sensitive, or between two thresholds",
    )
    n_resamples: int = Field(2000, ge=100, le=100_000, description="bootstrap resamples")
    level: float = Field(0.95, ge=0.8, le=0.99, description="confidence level")
    seed: int = Field(20261129, ge=0, description="seed of the simulation and the resamples")

    @property
    def own(self) -> bool:
        """Whether the run is on the reader's own files."""
        return any(getattr(self, name) is not None for name in OWN_FILES)

    @model_validator(mode="after")
    def _together(self) -> Parameters:
        if self.own and self.dataset != "simulated":
            raise ValueError(f"dataset {self.dataset} is asked for beside files of your own")
        if self.own and self.data is None:
            self._enough_files()
        for name in ("only_labels", "only_models", "people_groups"):
            given = getattr(self, name) or []
            if len(set(given)) < len(given):
                raise ValueError(f"{name} names one thing twice: {', '.join(given)}")
        return self

    def _enough_files(self) -> None:
        if self.labels is None:
            raise ValueError("labels is missing: scores and readers are judged against it")
        if self.scores is None and self.readers is None:
            raise ValueError("neither scores nor readers are given, so there is nothing to judge")
        if (self.scores is None) != (self.mapping is None):
            raise ValueError(
                "scores and mapping go together: the mapping says which output of a model stands "
                "for which label"
            )
