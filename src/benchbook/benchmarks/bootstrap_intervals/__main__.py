"""Run the full study and keep it: ``python -m benchbook.benchmarks.bootstrap_intervals``."""

from __future__ import annotations

from benchbook.errors import BenchbookError
from benchbook.parameters import validate

from . import record, study
from .parameters import Parameters


def main() -> None:
    """Simulate every design at the size of the full study and write ``report/records``."""
    path = record.path_of_record()
    if path is None:
        raise BenchbookError("no project was found here; start inside one.")
    parameters = validate(Parameters, {"study": "full"})
    size = parameters.size
    results = study.run(
        study.cells(sweep_step=size.sweep_step),
        n_replications=size.n_replications,
        n_resamples=size.n_resamples,
        level=parameters.level,
        seed=parameters.seed,
    )
    record.write(results, path)
    print(f"{path.name}: {len(results.coverage)} rows")


if __name__ == "__main__":
    main()
