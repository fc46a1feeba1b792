"""The chapter: what a run says of its comparisons."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np

from benchbook.display import counted
from benchbook.records import Record as RunRecord
from benchbook.records import save_record

from .compare import agree, difference
from .evaluation import NAME, counts_by
from .exhibits import Exhibits
from .names import joined, number, shortened, size


class Chapter(Exhibits):
    """One run of the chapter; see :class:`Evaluation` for the parameters."""

    def say_data_statement(self) -> str:
        """State at the top what is compared with what."""
        if self.own:
            records = self.files[0][2]
            return (
                f"**Your records.** This page compares {counted(len(records), 'record')} of "
                f"`{self.files[0][0].name}`, a file given to this run, with Benchbook."
            )
        tables = {record.table for _, _, records in self.files for record in records}
        kept = [name for name in tables if name in self.tables]
        made = [name for name in kept if self.tables.made(name)]
        return (
            f"**Published data.** {len(kept) - len(made)} of the {len(kept)} tables are published, "
            f"entered as facts with their source; the other {len(made)}, whose names begin with "
            "`made_` or that serve as a worked example, were invented for the purpose and are "
            "labelled *made*. The tables serve to compare programs; nothing is concluded from them "
            "about raters or patients."
        )

    def by_hand(self, ours: float, program: str, statistic: str, table: str) -> str:
        """Say how one of our numbers compares with a frozen one, step by step."""
        rows = [
            record
            for _, _, records in self.files
            for record in records
            if (record.package, record.statistic, record.table) == (program, statistic, table)
            and record.weights == "unweighted"
        ]
        theirs = rows[0].numbers["value"]
        tolerance = self.parameters.tolerance
        word = "matches" if agree(ours, theirs, tolerance) else "does not match"
        return (
            f"{program} has {theirs:.15g}, the package gives {ours:.15g}; the difference of "
            f"{size(difference(ours, theirs))} is held against {size(tolerance)}: it {word}."
        )

    # ---- outcome -------------------------------------------------------------------------

    def say_outcome(self) -> str:
        """Say how many numbers match, and what the others are."""
        counts = {verdict: len(self.of(verdict)) for verdict in VERDICT_WORDS}
        total = len(self.comparisons)
        lines = [
            f"{counts[verdict]:,} ({100 * counts[verdict] / total:.1f} %) {words}"
            for verdict, words in VERDICT_WORDS.items()
            if counts[verdict] or verdict == "differs"
        ]
        records = sum(len(records) for _, _, records in self.files)
        asked = sum(len(witness.records) for witness in self.witnesses)
        tables = len({row.table for row in self.comparisons if row.table in self.tables})
        text = (
            f"{counted(total, 'number')} of {counted(records + asked, 'call')} "
            f"were compared on {counted(tables, 'table')}.\n\n"
        )
        return text + "\n".join(f"- {line}" for line in lines)

    def say_support(self) -> str:
        """Say what supports our side where a program deviates."""
        rows = self.of("other deviates")
        also = [row for row in rows if row.also]
        shown = [row for row in rows if row.reproduced]
        alone = [row for row in rows if not row.also and not row.reproduced]
        text = (
            f"{counted(len(rows), 'number')} of {joined(self._programs(rows))} "
            f"{'is' if len(rows) == 1 else 'are'} not what the definition gives. "
            f"For {len(also):,} of them another program gives our number; {len(shown):,} come out "
            "here to the tolerance when the same mistake is made on purpose"
        )
        if not alone:
            return text + "; one or the other holds for every one."
        reasons = Counter((row.program, shortened(row.named)) for row in alone)
        lines = [f"- {program}: {why} ({n})" for (program, why), n in reasons.most_common()]
        return (
            text + f". Neither holds for {len(alone)}, where the definition alone speaks for "
            "ours:\n\n" + "\n".join(lines)
        )

    @staticmethod
    def _programs(rows: list[Any]) -> list[str]:
        return sorted({row.program for row in rows})

    def say_published(self) -> str:
        """Say how the printed numbers came out."""
        frame = self.frame[self.frame["source"] == "published"]
        good = int((frame["verdict"] == "matches").sum())
        papers = frame["program"].nunique()
        return (
            f"{good} of {counted(len(frame), 'printed number')} from {papers} sources come out, "
            "to the rounding of what is printed."
        )

    def say_witnesses(self) -> str:
        """Say which Python packages were asked, and which are not installed."""
        there = [w for w in self.witnesses if w.version is not None]
        absent = [w.name for w in self.witnesses if w.version is None]
        frame = self.frame[self.frame["source"] == "Python"]
        parts = []
        if there:
            names = joined([f"{w.name} {w.version}" for w in there])
            good = int((frame["verdict"] == "matches").sum())
            parts.append(
                f"Asked during this run: {names}. {good:,} of their "
                f"{counted(len(frame), 'number')} match."
            )
        if absent:
            verb = "is" if len(absent) == 1 else "are"
            parts.append(f"{joined(absent)} {verb} not installed here and could not be asked.")
        return " ".join(parts) or "No Python package was asked."

    # ---- surprises -----------------------------------------------------------------------

    def say_surprises(self) -> str:
        """Say the deviations that cost most, each with its numbers."""
        made = (
            self._alphabet(),
            self._null_error(),
            self._ordinal(),
            self._complete_alpha(),
            self._listwise(),
            self._average_interval(),
            self._wrong_df(),
        )
        return "\n".join(f"- {line}" for line in made if line)

    def _two(
        self, program: str, statistic: str, table: str, setting: str = ""
    ) -> dict[str, tuple[float, float]]:
        """Return theirs and ours by quantity for one case."""
        return {
            row.quantity: (row.theirs, row.ours)
            for row in self.comparisons
            if (row.program, row.statistic, row.table) == (program, statistic, table)
            and row.setting == setting
        }

    def _alphabet(self) -> str:
        found = self._two("irr", "Cohen kappa", "made_ordered_words", "quadratic weights")
        if "coefficient" not in found:
            return ""
        theirs, ours = found["coefficient"]
        return (
            "*Labels in alphabetical order.* `irr::kappa2` sorts text, and the levels of an "
            "ordered factor too: low, medium, high become high, low, medium. Quadratic κ of a made "
            f"table is {theirs:.3f} then, and {ours:.3f} on the declared scale."
        )

    def _null_error(self) -> str:
        found = self._two("DescTools", "Fleiss kappa", "fleiss_1971")
        if "lower bound" not in found:
            return ""
        (low, our_low), (high, our_high) = found["lower bound"], found["upper bound"]
        ratio = (our_high - our_low) / (high - low)
        return (
            "*A standard error under κ = 0 in an interval.* `DescTools::KappaM` gives Fleiss' κ of "
            f"the 1971 diagnoses an interval of {low:.3f}–{high:.3f}; the general standard error "
            f"makes it {our_low:.3f}–{our_high:.3f}, {ratio:.1f} times as wide. "
            "`epiR::epi.kappa` does the same to Cohen's κ."
        )

    def _ordinal(self) -> str:
        case = ("Krippendorff alpha", "krippendorff_2011", "ordinal")
        interval = self._two("krippendorffsalpha", *case).get("coefficient")
        weights = [
            row.theirs
            for row in self.of("other deviates")
            if (row.program, row.statistic, row.table, row.setting) == ("irrCAC", *case)
            and row.quantity == "coefficient"
        ]
        if interval is None or not weights:
            return ""
        return (
            "*Ordinal α that is not ordinal.* On Krippendorff's own example the ordinal α is "
            f"{interval[1]:.3f}, as he prints it. `irrCAC` with its ordinal weights gives "
            f"{weights[0]:.3f}, since they ignore how often a level is used; `krippendorffsalpha` "
            f"computes the interval metric under that name, {interval[0]:.3f}."
        )

    def _complete_alpha(self) -> str:
        found = self._two("irr", "Krippendorff alpha", "shrout_fleiss_1979", "interval")
        if "coefficient" not in found:
            return ""
        theirs, ours = found["coefficient"]
        return (
            "*α that falls when nothing is missing.* `irr::kripp.alpha` and its copy in DescTools "
            "divide the pairs of an item by the number of raters less one only when some cell is "
            f"empty. On the complete scores of Shrout and Fleiss interval α is {theirs:.3f} there "
            f"and {ours:.3f} by definition."
        )

    def _listwise(self) -> str:
        name = "krippendorff_2011"
        theirs = self._two("irr", "Fleiss kappa", name, "complete items only").get("coefficient")
        ours = self._two("irrCAC", "Fleiss kappa", name).get("coefficient")
        if theirs is None or ours is None:
            return ""
        ratings = self.tables.ratings(name)
        complete = int((~np.isnan(ratings.values)).all(axis=1).sum())
        return (
            "*Items that vanish.* `irr` and `DescTools` leave out every item with an empty cell, "
            f"without a word. Of {ratings.n_items} units {complete} remain, and Fleiss' κ is "
            f"{theirs[0]:.3f} instead of {ours[1]:.3f}."
        )

    def _average_interval(self) -> str:
        found = self._two("irr", "ICC(2,k)", "shrout_fleiss_1979")
        if "lower bound" not in found:
            return ""
        (low, our_low), (high, our_high) = found["lower bound"], found["upper bound"]
        return (
            "*An interval of the mean of k ratings.* `irr::icc` puts the average's coefficient "
            "into the degrees of freedom of the single form: ICC(2,k) of Shrout and Fleiss has "
            f"{low:.3f}–{high:.3f} there, and {our_low:.3f}–{our_high:.3f} by the Spearman–Brown "
            "step of the single form's bounds."
        )

    def _wrong_df(self) -> str:
        found = self._two("irr", "ICC(2,1)", "shrout_fleiss_1979")
        if "df2" not in found:
            return ""
        (df, our_df), (p, our_p) = found["df2"], found["p"]
        return (
            "*A test with the degrees of freedom of an interval.* For ICC(2,1) = 0 the F of the "
            f"items has (n − 1)(k − 1) = {our_df:.0f} denominator df, p = {number(our_p)}; "
            f"`irr::icc` takes {df:.2f}, p = {number(p)}."
        )

    # ---- sensitivity ---------------------------------------------------------------------

    def say_sensitivity(self) -> str:
        """Say how the outcome depends on the tolerance and on the conventions."""
        full = self.full_precision
        if not len(full):
            return "No number of this run was given to full precision."
        worst = full.loc[full["difference"].idxmax()]
        lost = int((full["difference"] > 1e-12).sum())
        text = (
            f"The outcome hardly depends on the tolerance: of {len(full):,} matches to full "
            f"precision {lost} would be lost at 1e-12. The largest difference, "
            f"{size(worst['difference'])}, is that of {worst['statistic']} "
            f"({worst['quantity']}) by {worst['program']} on `{worst['table']}`."
        )
        count = len(self.of("convention"))
        if count:
            text += (
                f" It depends on conventions: {counted(count, 'number')} differ for no other "
                "reason, and each comes out under the other convention."
            )
        return text

    def numbers(self) -> dict[str, Any]:
        """Return the numbers of the record; Python packages, which a machine may lack, left out."""
        frame = self.frame[self.frame["source"] != "Python"]
        out: dict[str, Any] = {
            row["statistic"]: {key: int(row[key]) for key in row.index if key != "statistic"}
            for _, row in counts_by(frame, "statistic").iterrows()
        }
        for _, row in frame[frame["source"].isin(["published", "your file"])].iterrows():
            words = (row["statistic"], row["table"], row["setting"], row["quantity"])
            value = row["ours"]
            out[", ".join(filter(None, words))] = None if math.isnan(value) else value
        return out

    def save_record(self) -> RunRecord:
        """Write and return the record of the run."""
        data = [
            {"file": path, "records": len(records), "source": source}
            for path, source, records in self.files
        ]
        return save_record(NAME, self.parameters, self.numbers(), data)


VERDICT_WORDS = {
    "matches": "match within the tolerance, or to the digits that were written.",
    "convention": "follow another convention, which is named and, applied to ours, gives theirs.",
    "other deviates": "belong to a program that deviates there from the definition, for a reason "
    "that is named.",
    "differs": "differ without a known reason.",
}
