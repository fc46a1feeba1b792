"""The chapter: what a run simulates, shows and keeps."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from benchbook.display import Drawing, Table
from benchbook.records import Record, output_folder, save_record

from . import exhibits, own, record, study, theory
from .convergence import EXAMPLE, Convergence
from .designs import DESIGNS
from .parameters import Parameters
from .recommend import advise, headline_rows, least_coverage, right_unit

NAME = "bootstrap_intervals"
EXAMPLE_RESAMPLES = 2000


class Chapter:
    """One run of the chapter.

    Parameters
    ----------
    parameters : Parameters
        Checked parameters; the file they name is read at once.
    """

    def __init__(self, parameters: Parameters) -> None:
        self.parameters = parameters
        self.keys: list[str] = list(parameters.designs or DESIGNS)
        self.own = own.load(parameters)

    # ---- what was simulated ----------------------------------------------------------------

    @cached_property
    def run(self) -> study.Results:
        """The simulation of this run."""
        size = self.parameters.size
        return study.run(
            study.cells(self.keys, size.sweep_step),
            n_replications=size.n_replications,
            n_resamples=size.n_resamples,
            level=self.parameters.level,
            seed=self.parameters.seed,
        )

    @cached_property
    def kept(self) -> record.Kept | None:
        """The full study kept with the source; None when it is of another level or a part."""
        found = record.read()
        if found is None or found.results.level != self.parameters.level:
            return None
        return found if set(self.keys) <= set(found.results.coverage["design"]) else None

    @property
    def main(self) -> study.Results:
        """The larger of the two studies: what figures and advice rest on."""
        if self.kept is None or self.parameters.study == "full":
            return self.run
        return self.kept.results

    @property
    def other(self) -> study.Results | None:
        """The study shown beside it, if there are two."""
        return None if self.main is self.run else self.run

    def say_data_statement(self) -> str:
        """State at the top that data are simulated, and how much of them."""
        size = exhibits.size_words(self.run)
        text = (
            "**Simulated data.** Every number of the simulation comes from seeded random numbers "
            f"(seed {self.parameters.seed}), drawn for this run: {size}, at nominal "
            f"{100 * self.parameters.level:g} %. No patient's data are used."
        )
        text += f" {self._say_kept()}"
        if self.own is not None:
            text = f"{self.own.statement()}\n\n{text}"
        return text

    def _say_kept(self) -> str:
        if self.parameters.study == "full":
            return "This run is the full study."
        if self.kept is None:
            return "No full study of this level is kept here, so this run stands alone."
        same = (
            "from the same source as this run"
            if self.kept.current
            else "from an earlier state of the statistics' source than this run's"
        )
        return (
            f"Beside it stands a larger run of the same simulation, kept as `{record.FILE}`: "
            f"{exhibits.size_words(self.kept.results)}, made by benchbook {self.kept.version} "
            f"(source `{self.kept.source[:12]}`), {same}. Figures and advice rest on the larger "
            "one, and each caption says so."
        )

    def table_designs(self) -> Table:
        """Return the designs with their true values."""
        return exhibits.table_designs(self.keys)

    # ---- method ------------------------------------------------------------------------------

    @cached_property
    def convergence(self) -> Convergence:
        """Bounds of one data set on many sets of resamples."""
        return Convergence(self.parameters.seed, self.parameters.level)

    def figure_example(self) -> Drawing:
        """Draw one bootstrap distribution with its intervals."""
        from benchbook.resampling import resample

        design, seed = DESIGNS[EXAMPLE], self.parameters.seed
        point = study.Cell(design, design.headline, True)
        sample = design.draw(point.generator(seed, 0), design.headline)
        drawn = resample(
            sample.statistic, cluster=sample.cluster, n_resamples=EXAMPLE_RESAMPLES, seed=seed
        )
        return theory.figure_example(drawn, self.parameters.level, design.truth)

    def table_few_clusters(self) -> Table:
        """Return the closed form of few clusters."""
        return theory.table_few_clusters(self.parameters.level)

    def surprises(self) -> Table:
        """Return correct intervals that look wrong."""
        return theory.surprises(self.parameters.level, 2000, self.parameters.seed)

    # ---- results -----------------------------------------------------------------------------

    def say_coverage(self) -> str:
        """Say what the simulation shows."""
        lines = [
            line for key in self.keys if (line := _finding(self.main, key, self.parameters.level))
        ]
        return "\n".join(f"- {line}" for line in lines)

    def figure_coverage(self) -> Drawing:
        """Draw coverage by design and method."""
        return exhibits.figure_coverage(self.main, self.other, self.keys)

    def table_coverage(self) -> Table:
        """Return every coverage with its Monte-Carlo error."""
        return exhibits.table_coverage(self.main, self.other, self.keys)

    def say_bias(self) -> str:
        """Say how far the estimates themselves lie from the truth on average."""
        return exhibits.say_bias(self.main, self.keys)

    def figure_widths(self) -> Drawing:
        """Draw mean widths relative to what is needed."""
        return exhibits.figure_widths(self.main, self.keys)

    def figure_correlation(self) -> Drawing:
        """Draw coverage against the intracluster correlation."""
        return exhibits.figure_correlation(self.main, self.keys)

    def table_correlation(self) -> Table:
        """Return design effects."""
        return exhibits.table_correlation(self.main, self.keys)

    def say_correlation(self) -> str:
        """Say what surprises about clusters."""
        return exhibits.say_correlation(self.main, self.keys)

    def say_rule(self) -> str:
        """Say the rule of the recommendation."""
        return exhibits.say_rule(self.parameters.level)

    def table_advice(self) -> Table:
        """Return the recommended interval per situation."""
        return exhibits.table_advice(self.main, self.keys)

    def figure_convergence(self) -> Drawing:
        """Draw the Monte-Carlo error of the bounds."""
        return exhibits.figure_convergence(self.convergence)

    def table_needed(self) -> Table:
        """Return the resamples needed."""
        return exhibits.table_needed(self.convergence)

    def say_two_runs(self) -> str:
        """Say how far this run and the kept study lie apart, in their own errors."""
        if self.other is None:
            return ""
        inside, total, worst = 0, 0, 0.0
        # With one seed the kept study holds this run's data sets, and the errors are not apart.
        nested = -1 if self.main.seed == self.other.seed else 1
        for key in self.keys:
            first = headline_rows(self.main, key).set_index(["unit", "method"])
            second = headline_rows(self.other, key).set_index(["unit", "method"])
            both = first.join(second, rsuffix="_run", how="inner")
            spread = (both["error_run"] ** 2 + nested * both["error"] ** 2).clip(lower=1e-12)
            errors = (both["coverage_run"] - both["coverage"]).abs() / spread**0.5
            inside += int((errors <= 2).sum())
            total += len(errors)
            worst = max(worst, float(errors.max()))
        return (
            f"The number of data sets: {inside} of {total} coverages of this run lie within two "
            "standard errors of the difference from the kept study, the farthest "
            f"{worst:.1f} of them away. The methods of one design share their data sets, so their "
            "differences stand together: a run of this size ranks methods better than it measures "
            "them."
        )

    # ---- own file ------------------------------------------------------------------------------

    def table_own(self) -> Table:
        """Return the AUROC of the reader's scores with every interval."""
        assert self.own is not None
        return self.own.table()

    def figure_own(self) -> Drawing:
        """Draw the bootstrap distribution of the reader's AUROC."""
        assert self.own is not None
        return self.own.figure()

    # ---- record --------------------------------------------------------------------------------

    def numbers(self) -> dict[str, Any]:
        """Return every headline number of the run."""
        out: dict[str, Any] = {}
        for key in self.keys:
            rows = headline_rows(self.run, key)
            out[key] = {
                f"{row['method']}, {row['unit']}": {
                    "coverage": row["coverage"],
                    "mean width": row["mean_width"],
                }
                for _, row in rows.iterrows()
            }
            out[key]["recommended"] = advise(self.main, key).chosen["method"]
        if self.own is not None:
            out["own file"] = dict(self.own.intervals)
        return out

    def save_record(self) -> Record:
        """Write and return the record of the run; a full study is written beside it."""
        if self.parameters.study == "full":
            record.write(self.run, output_folder(NAME) / record.FILE)
        data: list[Any] = []
        if self.own is not None:
            data.append({"file": self.own.path, "rows": self.own.scores.size})
        if self.other is not None:
            data.append({"file": record.path_of_record(), "source": "kept study"})
        return save_record(NAME, self.parameters, self.numbers(), data)


def _finding(results: study.Results, key: str, level: float) -> str:
    """Say what one design shows: items, percentile, and the methods that are good enough."""
    design, rows = DESIGNS[key], headline_rows(results, key)
    by_name = rows.set_index(["unit", "method"])
    unit = right_unit(design)
    plain = by_name.loc[(unit, "percentile")]
    text = f"*{design.title}* ({design.size}): "
    if design.clustered:
        items = by_name.loc[("item", "percentile")]
        text += (
            f"resampling {design.item}s covers {exhibits.with_error(items)} %, resampling "
            f"{design.cluster_word}s {exhibits.with_error(plain)} % (percentile)"
        )
    else:
        text += f"the percentile interval covers {exhibits.with_error(plain)} %"
    found = advise(results, key)
    enough = exhibits.percent(least_coverage(level))
    if not found.met:
        return f"{text}; no method clearly reaches {enough}."
    names = [
        f"{row['method']} ({exhibits.with_error(row)})" for _, row in found.adequate.iterrows()
    ]
    return f"{text}; clearly above {enough}: {', '.join(names)}."
