"""Tables and the figure of the chapter."""

from __future__ import annotations

import inspect
import math
from functools import cached_property
from typing import Any

import pandas as pd

import benchbook.agreement
import benchbook.icc
from benchbook.display import Drawing, Table, counted

from .compare import VERDICTS, program_name
from .evaluation import Evaluation, counts_by
from .names import blanked, brief, number, shortened, shown_name, size
from .reference import made_with

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
SOURCES = ["R", "published", "Python", "your file"]
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
        order = self.frame.assign(place=self.frame["source"].map(SOURCES.index))
        counts = counts_by(order.sort_values(["place", "program"], kind="stable"), "program")
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
        caption = "Who was asked."
        if not self.own:
            caption += (
                " R is frozen in the project with the versions shown, Python packages were asked "
                "during this run, papers are as printed."
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
        few = (table["verdict"] == "matches") & ~self.frame.index.isin(self.full_precision.index)
        table["verdict"] = table["verdict"].mask(few, "matches its digits")
        drawn = differences(
            table,
            tolerance=self.parameters.tolerance,
            label="Difference, relative above 1 and absolute below",
        )
        caption = (
            f"**{self._figure_finding()}** Each mark is one number of another program; the "
            "tolerance holds for those given with all their digits."
        )
        alt = (
            f"Strip plot on a logarithmic axis, a row for each of {table['name'].nunique()} groups "
            "of statistics. Numbers that match to full precision lie far left of the tolerance; "
            "other conventions and deviating programs lie right of it."
        )
        return Drawing(drawn, "differences", caption, alt)

    def _figure_finding(self) -> str:
        full = self.full_precision
        if not len(full):
            match = len(self.of("matches"))
            return f"{match} of {counted(len(self.frame), 'number')} match to the digits written."
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
        full = self.full_precision
        tables, largest, always, sometimes = [], [], [], []
        for name in counts["statistic"]:
            part = frame[frame["statistic"] == name]
            tables.append(part["table"].nunique())
            largest.append(float(full.loc[full["statistic"] == name, "difference"].max()))
            asked = set(part.loc[part["source"] != "published", "program"])
            bad = set(part.loc[part["verdict"] == "other deviates", "program"])
            always.append(", ".join(sorted(asked - bad)))
            sometimes.append(", ".join(sorted(bad)))
        counts.insert(1, "tables", tables)
        counts["largest difference"] = largest
        counts["never deviate"] = always
        counts["deviate somewhere"] = sometimes
        shown = counts.assign(**{"largest difference": [size(value) for value in largest]})
        caption = (
            "Numbers compared, by statistic: coefficients, standard errors, bounds, tests. The "
            "largest difference is that of a match given to full precision."
        )
        return Table(counts, "statistics", caption, shown)

    def table_side_by_side(self) -> Table:
        """Return one case of every statistic, all programs on it; the file holds every number."""
        rows: list[dict[str, Any]] = []
        for name in dict.fromkeys(self.frame["statistic"]):
            rows += self._one_case(self.frame[self.frame["statistic"] == name])
        shown = pd.DataFrame(blanked(rows, "statistic", "table"))
        caption = (
            "One case of each statistic: the published table and setting on which most programs "
            "were asked, and of those one on which they part. "
            f"The files hold all {counted(len(self.frame), 'number')}."
        )
        return Table(self.frame, "comparisons", caption, shown)

    def _one_case(self, part: pd.DataFrame) -> list[dict[str, Any]]:
        first = part[part["quantity"].isin(["coefficient", "upper limit"])]
        case = self._most_asked(first if len(first) else part)
        made, table, setting, quantity = case
        keys = ["made", "table", "setting", "quantity"]
        chosen = part[(part[keys] == list(case)).all(axis=1)]
        rank = chosen["verdict"].map(VERDICTS.index)
        chosen = chosen.assign(rank=rank).sort_values(["rank", "difference"], kind="stable")
        # Of several calls of one program the one that says most; of matches, the closest.
        worst = chosen.groupby("program")["rank"].transform("max")
        chosen = chosen[chosen["rank"] == worst].drop_duplicates("program")
        parts = [setting, "" if quantity == "coefficient" else quantity, "made" if made else ""]
        what = ", ".join(filter(None, [table, *parts]))
        return [
            {
                "statistic": row["statistic"],
                "table": what,
                "program": row["program"],
                "ours": number(row["ours"]),
                "theirs": number(row["theirs"]),
                "difference": size(row["absolute difference"]),
                "verdict": verdict_text(row),
            }
            for _, row in chosen.sort_values("program", key=lambda s: s.str.lower()).iterrows()
        ]

    def _most_asked(self, part: pd.DataFrame) -> tuple[bool, str, str, str]:
        """Return the case to show: published, asked most, parting most, on the longest scale."""
        keys = ["made", "table", "setting", "quantity"]
        cases = part.assign(parts=part["verdict"] != "matches").groupby(keys, sort=True)
        found = cases.agg(asked=("program", "nunique"), parts=("parts", "sum")).reset_index()
        levels = [
            self._levels(name, "weights" in setting)
            for name, setting in zip(found["table"], found["setting"], strict=True)
        ]
        found = found.assign(levels=levels, length=found["setting"].str.len())
        order = ["made", "asked", "parts", "levels", "length"]
        found = found.sort_values(order, ascending=[True, False, False, False, True], kind="stable")
        made, table, setting, quantity = found[keys].iloc[0]
        return bool(made), str(table), str(setting), str(quantity)

    def _levels(self, table: str, weighted: bool) -> int:
        """Return how many levels a table's scale has; 0 where weights suit no nominal scale."""
        if table not in self.tables:
            return 0
        about = self.tables.about(table)
        return 0 if weighted and about["scale"] == "nominal" else about["levels"].count("|")

    def table_published(self) -> Table:
        """Return printed numbers beside ours."""
        frame = self.frame[self.frame["source"] == "published"]
        rows = [
            {
                "source": row["program"],
                "statistic": row["statistic"],
                "number": ", ".join(filter(None, (row["setting"], row["quantity"]))),
                "printed": row["written"],
                "ours": number(row["ours"]),
                "difference": size(row["absolute difference"]),
                "allowed": f"{row['tolerance'] * max(1.0, abs(row['theirs'])):.2g}",
                "verdict": verdict_text(row),
            }
            for _, row in frame.sort_values("program", kind="stable").iterrows()
        ]
        caption = (
            "Printed numbers. Allowed is half a unit of the last printed digit, and more where a "
            "paper computed from rounded numbers."
        )
        shown = pd.DataFrame(blanked(rows, "source", "statistic"))
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
            "Where programs deviate from the definition, with the largest case, on a published "
            "table if there is one. Support: how many other programs give our number there, and "
            "whether theirs is remade here by the same mistake; the files name the programs."
        )
        return self._named("other deviates", "deviations", "what the program does", caption)

    def _named(self, verdict: str, stem: str, heading: str, caption: str) -> Table:
        frame = self.frame[self.frame["verdict"] == verdict]
        frame = frame.assign(named=frame["named"].map(shortened))
        rows = []
        for name in dict.fromkeys(frame["named"]):
            part = frame[frame["named"] == name]
            row = example(part)
            what = ", ".join(
                word for word in (row["statistic"], row["setting"], row["quantity"]) if word
            )
            entry = {
                heading: name,
                "programs (numbers)": tally(part["program"]),
                "numbers": len(part),
                "example": f"{row['table']}: {what}",
                "theirs": brief(row["theirs"]),
                "ours": brief(row["ours"]),
            }
            if verdict == "other deviates":
                entry["support"] = support(row)
            rows.append(entry)
        shown = pd.DataFrame(rows).sort_values("numbers", ascending=False, kind="stable")
        return Table(frame, stem, caption, shown.drop(columns="numbers"))

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
        rows = [
            {
                "why": why,
                "statistics": shown_name(str(statistic)),
                "numbers": len(part),
                "which": ", ".join(dict.fromkeys(part["quantity"])),
                "programs": ", ".join(sorted(set(part["program"].map(program_name)))),
            }
            for (why, statistic), part in frame.groupby(["why", "statistic"], sort=False)
        ]
        alike = pd.DataFrame(rows).groupby(["why", "which", "programs"], sort=False)
        shown = alike.agg(
            statistics=("statistics", ", ".join), numbers=("numbers", "sum")
        ).reset_index()
        shown = shown.sort_values(["why", "numbers"], ascending=[True, False], kind="stable")
        shown = shown[["why", "statistics", "which", "programs", "numbers"]]
        shown = pd.DataFrame(blanked(shown.to_dict("records"), "why"))
        caption = "Numbers in the records that are not compared, and why."
        return Table(frame, "not-compared", caption, shown)

    def table_coverage(self) -> Table:
        """Return every public function with the numbers it was compared on."""
        counts = self.frame["ours by"].value_counts()
        rows = [
            {
                "module": module.__name__.removeprefix("benchbook."),
                "function": name,
                "numbers": int(counts.get(name, 0)),
                "why none": "" if name in counts else reason_of(name),
            }
            for module in (benchbook.agreement, benchbook.icc)
            for name in public_functions(module)
        ]
        frame = pd.DataFrame(rows).sort_values(
            ["module", "numbers"], ascending=[True, False], kind="stable"
        )
        shown = pd.DataFrame(blanked(frame.to_dict("records"), "module"))
        caption = "Every public function of the two modules, and how many numbers stand beside it."
        return Table(frame, "coverage", caption, shown)


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
    named = shortened(row["named"])
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


def tally(programs: pd.Series) -> str:
    """Return programs with how many numbers are theirs, ``irr (20), psych (1)``."""
    counts = programs.value_counts()
    return ", ".join(f"{name} ({counts[name]})" for name in sorted(counts.index))


def support(row: Any) -> str:
    """Return who else gives our number, and whether theirs comes out by the same mistake."""
    others = len(row["also"].split(", ")) if row["also"] else 0
    parts = [f"{others} other" + "s" * (others > 1)] if others else []
    parts += ["remade"] if row["reproduced"] else []
    return ", ".join(parts) or "none"
