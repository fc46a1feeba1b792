"""Every number of a record beside ours, with a verdict."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

from benchbook.errors import BenchbookError, DataError, nearest

from . import answers_agreement, answers_alpha, answers_scores
from .answer import Answer
from .reference import Record, Tables

Source = Literal["R", "published", "Python", "your file"]
Verdict = Literal["matches", "convention", "other deviates", "differs"]
VERDICTS: tuple[Verdict, ...] = ("matches", "convention", "other deviates", "differs")

ANSWERS = {
    **answers_agreement.ANSWERS,
    "Krippendorff alpha": answers_alpha.alpha,
    **answers_scores.ANSWERS,
}

# lme4 was written to six significant digits; its optimiser settles four or five of them.
DIGITS_OF_LME4 = 5e-6
# psych::ICC(lmer = TRUE) was written to five.
DIGITS_OF_PSYCH_LMER = 1e-4
# irrCAC rounds errors and bounds; they were recovered from an inflated variance, to about 3e-8.
DIGITS_OF_IRRCAC = 3e-8
# An offset of 1e8 leaves eight of sixteen digits, and squares of differences lose some of those.
DIGITS_BELOW_AN_OFFSET = 1e-6
# A printed decimal is not exact in binary.
SLACK = 1e-9

DECIMAL = re.compile(r"[-+]?\d*\.?(\d*)")
# Options that say which statistic is meant, and not how a program is asked for it.
MEANING = (
    "level",
    "weights",
    "matrix",
    "r0",
    "category",
    "columns",
    "first",
    "missing",
    "interval",
)
FIELD_WORDS = {
    "value": "coefficient",
    "se": "standard error",
    "se_h0": "SE under H₀",
    "lower": "lower bound",
    "upper": "upper bound",
    "z_h0": "z under H₀",
    "p_h0": "p under H₀",
    "f": "F",
    "n0": "n₀",
    "icc_1_1": "ICC(1,1)",
    "icc_2_1": "ICC(2,1)",
    "icc_3_1": "ICC(3,1)",
    "minus_two_log_likelihood": "−2 log-likelihood",
    "mean_se": "SE of the mean",
    "sd": "standard deviation",
    "ms_items": "mean square, items",
    "ms_raters": "mean square, raters",
    "ms_error": "mean square, error",
    "ms_within": "mean square, within items",
    "within_first": "variance within the first method",
    "within_second": "variance within the second method",
}
INTERVAL_WORDS = {
    "exact, noncentral t": "exact interval",
    "Bland and Altman 1999": "interval of 1999",
    "Bland and Altman 1986, sqrt(3 s^2 / n)": "interval of 1986",
    "asymptotic": "",
    "z-transform": "",
    "Clopper-Pearson on Po": "",
}


@dataclass(frozen=True)
class Comparison:
    """One number of another program beside ours.

    Attributes
    ----------
    source : {"R", "published", "Python", "your file"}
        Where the other number comes from.
    program, function : str
        What computed it; the paper where it is a printed number.
    ours_by : str
        The function of Benchbook.
    table, statistic, setting, quantity : str
        What was computed from what: weights, level and the like in words, and which number of it.
    ours, theirs : float
        The two numbers; NaN is undefined.
    tolerance : float
        Largest difference that matches, in the measure of `difference`.
    verdict : {"matches", "convention", "other deviates", "differs"}
    named : str
        The convention, or what the other program does.
    reproduced : bool
        True when ours, taken to that convention or made with that mistake, gives their number.
    also : tuple of str
        Other sources of the same number that match ours.
    made : bool
        True when the table was made up for the tests.
    written : str
        The other number as it is written, where it was given as text.
    """

    source: Source
    program: str
    function: str
    ours_by: str
    table: str
    statistic: str
    setting: str
    quantity: str
    ours: float
    theirs: float
    tolerance: float
    verdict: Verdict
    named: str = ""
    reproduced: bool = False
    also: tuple[str, ...] = ()
    made: bool = False
    written: str = ""

    @property
    def difference(self) -> float:
        """Difference by :func:`difference`; NaN where one side is undefined."""
        return difference(self.ours, self.theirs)

    @property
    def case(self) -> tuple[str, str, str, str]:
        """What must be equal for two programs to have computed the same number."""
        return (self.table, self.statistic, self.setting, self.quantity)


@dataclass(frozen=True)
class NotCompared:
    """A number that has no counterpart here, and why."""

    source: Source
    program: str
    statistic: str
    quantity: str
    why: str


def difference(ours: float, theirs: float) -> float:
    """Return |ours - theirs| over the larger of 1 and |theirs|.

    Zero where both are undefined or the same infinity, NaN where one only is undefined.
    """
    if math.isnan(ours) and math.isnan(theirs):
        return 0.0
    if ours == theirs:
        return 0.0
    if math.isinf(theirs):
        return math.inf
    return abs(ours - theirs) / max(1.0, abs(theirs))


def agree(ours: float, theirs: float, tolerance: float) -> bool:
    """Tell whether two numbers match; undefined matches undefined only."""
    return difference(ours, theirs) <= tolerance


def tolerance_of(record: Record, quantity: str, default: float) -> float:
    """Return the largest difference that matches, by the digits the other number has."""
    if "within" in record.described:
        return _relative(record, quantity, float(record.described["within"]))
    text = record.printed.get(quantity, "")
    digits = DECIMAL.fullmatch(text)
    if digits and any(sign.isdigit() for sign in text):
        return _relative(record, quantity, 0.5 * 10.0 ** -len(digits[1]) + SLACK)
    floors = [default]
    if record.package == "lme4":
        floors.append(DIGITS_OF_LME4)
    if record.options.get("lmer"):
        floors.append(DIGITS_OF_PSYCH_LMER)
    if record.package == "irrCAC":
        floors.append(DIGITS_OF_IRRCAC)
    if record.table == "made_large_offset":
        floors.append(DIGITS_BELOW_AN_OFFSET)
    return max(floors)


def _relative(record: Record, quantity: str, absolute: float) -> float:
    return absolute / max(1.0, abs(record.numbers[quantity]))


# ---- one record --------------------------------------------------------------------------


def compare_records(
    records: Iterable[Record], tables: Tables, source: Source, tolerance: float
) -> tuple[list[Comparison], list[NotCompared]]:
    """Compare every number of every record with ours.

    Raises
    ------
    DataError
        A record of your own names a statistic or a table that is not known.
    BenchbookError
        A record could not be computed here, with its place.
    """
    compared: list[Comparison] = []
    left: list[NotCompared] = []
    for record in records:
        why_not = _why_not(record, tables, source)
        if why_not:
            names = list(record.numbers) or ["all"]
            left += [_left(record, name, why_not, source) for name in names]
            continue
        answer = _answer(record, tables)
        for quantity in record.numbers:
            if quantity in answer.numbers:
                compared.append(_judge(record, answer, quantity, tables, source, tolerance))
            else:
                why = answer.why_not or "not given by Benchbook"
                left.append(_left(record, quantity, why, source))
    return compared, left


def _why_not(record: Record, tables: Tables, source: Source) -> str:
    if record.statistic not in ANSWERS and not record.error:
        if source == "your file":
            raise DataError(
                f"unknown statistic; {nearest(record.statistic, ANSWERS)}",
                file=record.file,
                found=record.statistic,
            )
        return "not among Benchbook's statistics"
    if record.error:
        return f"the program stopped: {record.error}"
    if record.table != "standard" and record.table not in tables:
        if source == "your file":
            tables.about(record.table)  # raises, with the names that are known
        return f"its table, {record.table}, is not kept here"
    return ""


def _left(record: Record, quantity: str, why: str, source: Source) -> NotCompared:
    return NotCompared(source, record.package, record.statistic, words(record, quantity), why)


def _answer(record: Record, tables: Tables) -> Answer:
    try:
        return ANSWERS[record.statistic](record, tables)
    except BenchbookError:
        raise
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise DataError(
            f"the record of {record.statistic} by {record.package} on {record.table} cannot be "
            f"computed here ({type(error).__name__}: {error})",
            file=record.file,
        ) from error


def _judge(
    record: Record,
    answer: Answer,
    quantity: str,
    tables: Tables,
    source: Source,
    tolerance: float,
) -> Comparison:
    ours, theirs = float(answer.numbers[quantity]), record.numbers[quantity]
    allowed = tolerance_of(record, quantity, tolerance)
    verdict, named, reproduced = _verdict(record, answer, quantity, allowed)
    return Comparison(
        source=source,
        program=record.package,
        function=record.function,
        ours_by=answer.function,
        table=record.table,
        statistic=record.statistic,
        setting=setting(record),
        quantity=words(record, quantity),
        ours=ours,
        theirs=theirs,
        tolerance=allowed,
        verdict=verdict,
        named=named,
        reproduced=reproduced,
        made=record.table == "standard" or tables.made(record.table),
        written=record.printed.get(quantity, ""),
    )


def _verdict(
    record: Record, answer: Answer, quantity: str, allowed: float
) -> tuple[Verdict, str, bool]:
    theirs = record.numbers[quantity]
    if agree(answer.numbers[quantity], theirs, allowed):
        return "matches", "", False
    found = [
        other
        for other in answer.others
        if quantity in other.numbers and agree(other.numbers[quantity], theirs, allowed)
    ]
    if quantity in record.deviates:
        # Of several reasons, the one that gives this number.
        several = "; " in record.why and found
        return "other deviates", found[0].name if several else record.why, bool(found)
    for other in sorted(found, key=lambda other: not other.convention):
        return "convention" if other.convention else "other deviates", other.name, True
    return "differs", "", False


def words(record: Record, quantity: str) -> str:
    """Return a field of a record in words."""
    name = FIELD_WORDS.get(quantity, quantity.replace("_", " "))
    side = record.statistic.split(" ")[0]
    if side not in ("lower", "upper"):
        return name
    return f"{side} limit" if quantity == "value" else f"{name} of the {side} limit"


def setting(record: Record) -> str:
    """Return the options that say which statistic is meant, in words."""
    options = dict(record.options)
    if "level" in options:
        options.pop("weights", None)
    if options.get("weights") == "unweighted":
        options.pop("weights")
    if not options.get("r0"):
        options.pop("r0", None)
    if record.statistic != "variance components":
        options.pop("model", None)
    parts = [_option(name, options[name]) for name in MEANING if name in options]
    if {"lower", "upper"} & record.numbers.keys() and record.level != 0.95:
        parts.append(f"{100 * record.level:g} %")
    return ", ".join(part for part in parts if part)


def _option(name: str, value: Any) -> str:
    if name == "matrix":
        return ""
    if name == "r0":
        return f"null {value:g}"
    if name == "category":
        return f"category {value}"
    if name == "missing":
        return "complete items only"
    if name == "weights":
        return "the paper's own weights" if value == "matrix" else f"{value} weights"
    if name == "interval":
        return INTERVAL_WORDS.get(value, str(value))
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


# ---- all of them -------------------------------------------------------------------------


def with_company(compared: Iterable[Comparison]) -> list[Comparison]:
    """Return the comparisons with the names of other programs that give our number."""
    rows = list(compared)
    company: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for row in rows:
        if row.verdict == "matches":
            company[row.case].add(program_name(row.program))
    return [
        replace(row, also=tuple(sorted(company[row.case] - {program_name(row.program)})))
        if row.verdict == "other deviates"
        else row
        for row in rows
    ]


def program_name(package: str) -> str:
    """Return the name a page shows for a package."""
    return "R, by formula" if package in ("base", "stats") else package


def require_no_surprise(compared: Iterable[Comparison]) -> None:
    """Refuse differences that nobody declared.

    Raises
    ------
    BenchbookError
        Names the first few of them.
    """
    wrong = [row for row in compared if row.verdict == "differs"]
    if not wrong:
        return
    shown = "; ".join(_sentence(row) for row in wrong[:5])
    more = f"; and {len(wrong) - 5} more" if len(wrong) > 5 else ""
    number = "1 number differs" if len(wrong) == 1 else f"{len(wrong)} numbers differ"
    raise BenchbookError(
        f"{number} beyond the tolerance, and no convention or deviation is declared for it: "
        f"{shown}{more}."
    )


def _sentence(row: Comparison) -> str:
    case = ", ".join(part for part in (row.setting, row.quantity) if part)
    return (
        f"{row.statistic} ({case}) of {row.table}: {row.program} {row.theirs:.12g}, "
        f"ours {row.ours:.12g}"
    )
