"""Tables and the figure of the chapter."""

from __future__ import annotations

import inspect
import math
from functools import cached_property
from typing import Any

import pandas as pd

import benchbook.agreement
import benchbook.icc
from benchbook.display import Drawing, Table

from .evaluation import Evaluation, counts_by
from .names import counted, number, size
from .versions import made_with

# Why a public function is not compared with another program.
NOT_COMPARED = {
    "agreement_difference": "a paired bootstrap; the tests hold it against brute force",
    "coincidence_table": "counts; the tests hold the published table",
    "contingency_table": "counts",
    "custom_weights": "input of the others",
    "resolve_weights": "input of the others",
    "guide": "a rule",
    "landis_koch": "a rule; the tests hold the printed bounds",
    "verdict": "a rule",
    "leave_one_rater_out": "the other coefficients with one rater less",
    "pairwise_kappa": "Cohen's κ of each pair",
    "icc_form": "names",
    "intraclass_correlations": "all forms of icc at once",
    "measurement_error": "no number of another program kept; the tests hold the definition",
    "one_way_icc": "no number of another program kept; the tests hold the definition",
    "replicates_from_long": "another layout of the same data",
}
FOR_THE_BOOTSTRAP = "the coefficient as a function of sums; the tests hold it equal"


class Exhibits(Evaluation):
    """What a run shows in tables and figures."""

    def table_data(self) -> Table:
        """Return the files that were read, and what became of their numbers."""
        rows = []
        for path, source, records in self.files:
            rows.append(
                {
                    "file": path.name,
                    "source": source,
                    "records": len(records),
                    "tables": len({record.table for record in records}),
                    "numbers": sum(len(record.numbers) for record in records),
                }
            )
        caption = "The records of this run: one record is one call of one program on one table."
        return Table(pd.DataFrame(rows), "files", caption)

    def table_programs(self) -> Table:
        """Return who was asked, in which version, and how far they agree with us."""
        counts = counts_by(self.frame.sort_values("source", kind="stable"), "program")
        left = pd.Series([row.program for row in self.left], dtype=object).value_counts()
        versions = self.versions
        counts.insert(1, "version", [versions.get(name, "") for name in counts["program"]])
        counts["not compared"] = [self._left_of(name, left) for name in counts["program"]]
        absent = [witness.name for witness in self.witnesses if witness.version is None]
        rows = [{"program": name, "version": "not installed", "numbers": 0} for name in absent]
        frame = pd.concat([counts, pd.DataFrame(rows)]) if rows else counts
        frame = frame.fillna(0)
        whole = [name for name in frame.columns if name not in ("program", "version")]
        frame[whole] = frame[whole].astype(int)
        caption = (
            "Who was asked. R is frozen in the project with the versions shown, Python packages "
            "were asked during this run, papers are as printed."
        )
        return Table(frame, "programs", caption)

    @staticmethod
    def _left_of(name: str, left: pd.Series) -> int:
        packages = ("base", "stats") if name == "R, by formula" else (name,)
        return int(sum(left.get(package, 0) for package in packages))

    @cached_property
    def versions(self) -> dict[str, str]:
        """Versions of programs by name."""
        found = dict(made_with()) if not self.own else {}
        if "R" in found:
            found["R, by formula"] = found.pop("R")
        found |= {w.name: w.version for w in self.witnesses if w.version is not None}
        return found

    def figure_differences(self) -> Drawing:
        """Draw the difference of every compared number."""
        from benchbook.figures import differences

        table = self.frame[["family", "difference", "verdict", "statistic", "program", "table"]]
        table = table.rename(columns={"family": "name"})
        table["difference"] = table["difference"].where(table["difference"] < math.inf)
        drawn = differences(
            table,
            tolerance=self.parameters.tolerance,
            label="Difference, relative above 1 and absolute below",
        )
        caption = (
            f"**{self._figure_finding()}** Each mark is one number of another program. Numbers "
            "that match to the right of the tolerance were printed or written with fewer digits."
        )
        alt = (
            f"Strip plot on a logarithmic axis, a row for each of {table['name'].nunique()} groups "
            "of statistics. Matching numbers lie left of the tolerance, nearly all below one part "
            "in a hundred billion; other conventions and deviating programs lie right of it."
        )
        return Drawing(drawn, "differences", caption, alt)

    def _figure_finding(self) -> str:
        full = self.full_precision
        low = full["difference"] <= ROUNDING
        return (
            f"{100 * low.mean():.1f} % of the matching numbers that are given to full precision "
            f"lie within {size(ROUNDING)}, which is rounding; the largest difference among them "
            f"is {size(full['difference'].max())}."
        )

    @cached_property
    def full_precision(self) -> pd.DataFrame:
        """Matching numbers that another program gave with all its digits."""
        frame = self.frame
        given = frame["tolerance"] <= max(self.parameters.tolerance, 3e-8)
        return frame[(frame["verdict"] == "matches") & given]

    def table_statistics(self) -> Table:
        """Return how the numbers of every statistic compare."""
        frame = self.frame
        counts = counts_by(frame, "statistic")
        tables, largest, always, sometimes = [], [], [], []
        for name in counts["statistic"]:
            part = frame[frame["statistic"] == name]
            tables.append(part["table"].nunique())
            match = part.loc[part["verdict"] == "matches", "difference"]
            largest.append(float(match.max()) if len(match) else math.nan)
            bad = set(part.loc[part["verdict"] == "other deviates", "program"])
            always.append(", ".join(sorted(set(part["program"]) - bad)))
            sometimes.append(", ".join(sorted(bad)))
        counts.insert(1, "tables", tables)
        counts["largest difference of a match"] = largest
        counts["programs without a deviation"] = always
        counts["with one"] = sometimes
        shown = counts.copy()
        shown["largest difference of a match"] = [size(value) for value in largest]
        caption = (
            "Numbers compared, by statistic: coefficients, standard errors, bounds, tests. The "
            "largest difference of a match includes numbers that were printed with few digits."
        )
        return Table(counts, "statistics", caption, shown)

    def table_side_by_side(self) -> Table:
        """Return one case of every statistic, all programs on it; the file holds every number."""
        rows = []
        for name in dict.fromkeys(self.frame["statistic"]):
            rows += self._one_case(self.frame[self.frame["statistic"] == name])
        caption = (
            "One case of each statistic: the table and setting on which most programs were asked. "
            f"The files hold all {counted(len(self.frame), 'number')}."
        )
        return Table(self.frame, "comparisons", caption, pd.DataFrame(rows))

    def _one_case(self, part: pd.DataFrame) -> list[dict[str, Any]]:
        first = part[part["quantity"] == "coefficient"]
        part = first if len(first) else part
        keys = ["made", "table", "setting", "quantity"]
        asked = part.groupby(keys, sort=True)["program"].nunique()
        made, table, setting, quantity = asked.idxmax()
        chosen = part[
            (part["table"] == table) & (part["setting"] == setting) & (part["quantity"] == quantity)
        ].drop_duplicates("program")
        what = ", ".join(word for word in (setting, quantity) if word and word != "coefficient")
        return [
            {
                "data": row["statistic"],
                "table": f"{table}{' (made)' if made else ''}{', ' if what else ''}{what}",
                "program": row["program"],
                "ours": number(row["ours"]),
                "theirs": number(row["theirs"]),
                "difference": size(row["absolute difference"]),
                "verdict": verdict_text(row),
            }
            for _, row in chosen.iterrows()
        ]

    def table_published(self) -> Table:
        """Return printed numbers beside ours."""
        frame = self.frame[self.frame["source"] == "published"]
        shown = pd.DataFrame(
            {
                "data": frame["program"],
                "statistic": frame["statistic"],
                "number": [
                    ", ".join(filter(None, (row["setting"], row["quantity"])))
                    for _, row in frame.iterrows()
                ],
                "printed": [f"{value:g}" for value in frame["theirs"]],
                "ours": [number(value) for value in frame["ours"]],
                "difference": [size(value) for value in frame["absolute difference"]],
                "verdict": [verdict_text(row) for _, row in frame.iterrows()],
            }
        ).sort_values("data", kind="stable")
        caption = "Printed numbers. They match when they differ by less than their rounding."
        return Table(frame, "published", caption, shown)

    def table_conventions(self) -> Table:
        """Return the conventions on which programs differ, with an example of each."""
        caption = (
            "Conventions on which respectable sources differ. Every number counted here comes out "
            "to the tolerance when ours is taken to that convention."
        )
        return self._named("convention", "conventions", "convention", caption)

    def table_deviations(self) -> Table:
        """Return what programs do that is not the definition, with an example of each."""
        caption = (
            "Where programs deviate from the definition, with the largest case on a published "
            "table. Ours is given there by the programs named, or theirs comes out here when the "
            "same mistake is made."
        )
        return self._named("other deviates", "deviations", "what the program does", caption)

    def _named(self, verdict: str, stem: str, heading: str, caption: str) -> Table:
        frame = self.frame[self.frame["verdict"] == verdict]
        frame = frame.assign(named=frame["named"].str.split("; ").str[0])
        rows = []
        for name in dict.fromkeys(frame["named"]):
            part = frame[frame["named"] == name]
            row = example(part)
            what = ", ".join(
                word for word in (row["statistic"], row["setting"], row["quantity"]) if word
            )
            entry = {
                heading: name,
                "programs": ", ".join(sorted(set(part["program"]))),
                "numbers": len(part),
                "example": f"{row['table']}: {what}",
                "theirs": number(row["theirs"]),
                "ours": number(row["ours"]),
            }
            if verdict == "other deviates":
                entry["support"] = support(row)
            rows.append(entry)
        shown = pd.DataFrame(rows).sort_values("numbers", ascending=False, kind="stable")
        return Table(frame, stem, caption, shown)

    def table_tolerance(self) -> Table:
        """Return how many matches a smaller tolerance would lose."""
        full = self.full_precision["difference"]
        rows = [
            {
                "tolerance": size(10.0**-power),
                "match": int((full <= 10.0**-power).sum()),
                "would not": int((full > 10.0**-power).sum()),
                "share": f"{100 * (full <= 10.0**-power).mean():.1f} %",
            }
            for power in range(6, 17)
        ]
        caption = "Numbers given to full precision that match, by tolerance."
        return Table(pd.DataFrame(rows), "tolerance", caption)

    def table_left(self) -> Table:
        """Return the numbers of other programs that have no counterpart here."""
        frame = pd.DataFrame([vars(row) for row in self.left])
        groups = frame.groupby(["why", "statistic"], sort=False)
        rows = [
            {
                "why": why,
                "statistic": statistic,
                "numbers": len(part),
                "which": ", ".join(dict.fromkeys(part["quantity"])),
                "programs": ", ".join(sorted(set(part["program"]))),
            }
            for (why, statistic), part in groups
        ]
        shown = pd.DataFrame(rows).sort_values(
            ["why", "numbers"], ascending=[True, False], kind="stable"
        )
        shown = shown.rename(columns={"why": "data"})
        caption = "Numbers in the records that are not compared, and why."
        return Table(frame, "not-compared", caption, shown)

    def table_coverage(self) -> Table:
        """Return every public function with the numbers it was compared on."""
        counts = self.frame["ours by"].value_counts()
        rows = [
            {
                "data": module.__name__.removeprefix("benchbook."),
                "function": name,
                "numbers": int(counts.get(name, 0)),
                "why none": "" if name in counts else reason_of(name),
            }
            for module in (benchbook.agreement, benchbook.icc)
            for name in public_functions(module)
        ]
        frame = pd.DataFrame(rows).sort_values(
            ["data", "numbers"], ascending=[True, False], kind="stable"
        )
        caption = "Every public function of the two modules, and how many numbers stand beside it."
        return Table(frame, "coverage", caption)


# Sixteen digits, a few of them lost in sums and in quantiles.
ROUNDING = 1e-11


def public_functions(module: Any) -> list[str]:
    """Return the names of a module's public functions."""
    return [name for name in module.__all__ if inspect.isfunction(getattr(module, name))]


def reason_of(name: str) -> str:
    """Return why a function is not compared; empty when nobody has said."""
    return NOT_COMPARED.get(name, FOR_THE_BOOTSTRAP if name.endswith("_statistic") else "")


def verdict_text(row: Any) -> str:
    """Return a verdict in words, with the convention or the reason."""
    named = row["named"].split("; ")[0]
    return {
        "matches": "matches",
        "convention": f"other convention: {named}",
        "other deviates": f"deviates: {named}",
        "differs": "differs",
    }[row["verdict"]]


def example(part: pd.DataFrame) -> Any:
    """Return the row that shows a difference best: published, both defined, and largest."""
    known = part[part["difference"] < math.inf]
    for chosen in (known[~known["made"]], known, part[~part["made"]]):
        if len(chosen):
            return chosen.loc[chosen["difference"].fillna(-1).idxmax()]
    return part.iloc[0]


def support(row: Any) -> str:
    """Return who else gives our number, and whether theirs comes out by the same mistake."""
    parts = [row["also"]] if row["also"] else []
    parts += ["theirs reproduced"] if row["reproduced"] else []
    return "; ".join(parts) or "none"
