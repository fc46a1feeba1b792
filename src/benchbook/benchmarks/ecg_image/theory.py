"""What needs no data of a run: a toy for the definitions, and right results that look wrong."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from benchbook.display import Drawing, Table
from benchbook.metrics import (
    Memberships,
    accuracy,
    class_counts,
    macro_f,
    multilabel_memberships,
)
from benchbook.specs import TaskSpecification

from .parser import LabelParser
from .published import prior_macro_f
from .study import Answers, Study

TOY_CLASSES = ("AFIB/AFL", "CD", "NORM")
# One row per record: has AFIB/AFL, CD, NORM. The last record is unlabelled.
TOY_REFERENCE = ((1, 1, 0), (0, 1, 0), (0, 0, 1), (0, 0, 1), (0, 0, 1), (0, 0, 0))
TOY_ANSWERS = (
    'Irregular, no P waves: {"labels": ["AFIB/AFL"]}',
    '```json\n{"labels": ["cd", "LVH"]}\n```',
    '{"labels": ["NORM", "norm"]}',
    'First {"labels": ["NORM"]}, but the QRS is wide, so {"labels": ["CD"]}.',
    "The tracing shows sinus rhythm with",
    None,
)


def toy_study() -> Study:
    """Return six invented records with the answers of one invented model."""
    parser = LabelParser(TOY_CLASSES)
    parsed = [parser(text) for text in TOY_ANSWERS]
    received = np.array([text is not None for text in TOY_ANSWERS])
    answers = Answers(
        "toy",
        np.array([[name in one.labels for name in TOY_CLASSES] for one in parsed]),
        received=received,
        as_text=received,
        parsed=np.array([one.parsed for one in parsed]),
        n_missing=int((~received).sum()),
    )
    reference = np.array(TOY_REFERENCE, dtype=bool)
    return Study(TOY_CLASSES, reference, np.array([0, 0, 1, 2, 3, 4]), (answers,), "toy")


def table_toy() -> Table:
    """Return the toy: what each answer says and what the parser makes of it."""
    parser = LabelParser(TOY_CLASSES)
    rows = []
    for has, text in zip(TOY_REFERENCE, TOY_ANSWERS, strict=True):
        parsed = parser(text)
        labels = [name for name, flag in zip(TOY_CLASSES, has, strict=True) if flag]
        rows.append(
            {
                "reference": ", ".join(labels) or "none: not scored",
                "answer": "no answer" if text is None else " ".join(text.split()),
                "classes named": ", ".join(parsed.labels) or "none",
                "parsed": "–" if text is None else ("yes" if parsed.parsed else "no"),
                "ignored": parsed.n_unknown + parsed.n_repeated,
            }
        )
    caption = (
        "Six invented records and answers. The last object with a list of labels counts, names "
        "that are no class and repeated ones are ignored, and an answer without such an object "
        "names no class."
    )
    return Table(pd.DataFrame(rows), "toy", caption)


# ---- results that surprise ---------------------------------------------------------------------


def macro_of(reference: np.ndarray, predicted: np.ndarray) -> float:
    """Return the macro F of tables of bool, by the package."""
    return macro_f(class_counts(_items(reference, predicted))).value


def _items(reference: np.ndarray, predicted: np.ndarray) -> Memberships:
    return multilabel_memberships(reference, predicted, classes=range(reference.shape[1]))


def mostly_right() -> tuple[float, float]:
    """Return exact-match accuracy and macro F where only the common class is ever named.

    100 records: 90 have the first class, 2 each of five others.
    """
    classes = np.repeat(np.arange(6), [90, 2, 2, 2, 2, 2])
    reference = classes[:, np.newaxis] == np.arange(6)
    predicted = np.zeros_like(reference)
    predicted[:, 0] = True
    return accuracy(_items(reference, predicted)).value, macro_of(reference, predicted)


def ten_more_found(spec: TaskSpecification, name: str, part: str = "test") -> float:
    """Return how much macro F gains when 10 more records of a class are found.

    From half of them found, with as many false positives as records found.
    """
    counts = spec.counts.parts[part]
    n = counts.positives[name]
    found = n // 2
    false = found

    def f(true: int) -> float:
        return 2 * true / (true + false + n)

    occurring = sum(1 for number in counts.positives.values() if number)
    return (f(found + 10) - f(found)) / occurring


def unread_or_wrong() -> tuple[float, float]:
    """Return macro F when 10 of 40 answers are unparsed, and when they name a wrong class."""
    reference = np.zeros((40, 2), dtype=bool)
    reference[:20, 0] = True
    reference[20:, 1] = True
    unread, wrong = reference.copy(), reference.copy()
    unread[:10] = False
    wrong[:10] = reference[20:30]
    return macro_of(reference, unread), macro_of(reference, wrong)


def left_out(n_positive: int) -> float:
    """Return the chance that a resample holds none of n positives that stand alone.

    Of many groups, (1 - 1/G) ** (G n) tends to exp(-n).
    """
    return math.exp(-n_positive)


def surprises(spec: TaskSpecification, part: str = "test") -> Table:
    """Return right results that look wrong; computed from invented tables or published counts."""
    counts = spec.counts.parts[part]
    exact, macro = mostly_right()
    prior = prior_macro_f(counts.positives, counts.scored).value
    ordered = sorted(counts.positives, key=counts.positives.__getitem__)
    rare, common = ordered[0], "AFIB/AFL" if "AFIB/AFL" in ordered else ordered[-1]
    gains = ten_more_found(spec, rare), ten_more_found(spec, common)
    unread, wrong = unread_or_wrong()
    normal = counts.positives.get("NORM", counts.positives[common])
    only_norm = 2 * normal / (normal + counts.scored) / len(counts.positives)
    rows = [
        (
            f"{100 * exact:.0f} % of records exactly right, macro F {macro:.2f}",
            "five of six classes, 2 records each, are never found; each counts as much as the "
            "class of the other 90",
            macro,
        ),
        (
            f"naming every class always: macro F {prior:.3f}; naming NORM always: {only_norm:.3f}",
            "every positive is found, so a common class reaches a high F; a class never named has "
            "F 0, however few records have it",
            prior,
        ),
        (
            f"ten more records of {rare} found move macro F {gains[0] / gains[1]:.0f} times as "
            f"much as ten more of {common}",
            f"one class in {len(counts.positives)} each, but {counts.positives[rare]} records "
            f"against {counts.positives[common]}; half of either found before, with as many false",
            gains[0],
        ),
        (
            f"ten unreadable answers of 40: macro F {unread:.3f}; ten wrong ones: {wrong:.3f}",
            "an unreadable answer misses a class; a wrong one misses it and is a false positive "
            "of another",
            unread,
        ),
        (
            f"a class with one positive is left out of {100 * left_out(1):.0f} % of the resamples "
            f"when it is not named; with {counts.positives[rare]}, each in a group of its own, of "
            "practically none",
            "not drawn and not named, its F is 0/0; the mean is then over the other classes",
            left_out(1),
        ),
    ]
    frame = pd.DataFrame(rows, columns=["result", "why it is right", "value"])
    caption = "Right results that look wrong, from invented tables and the published counts."
    return Table(frame, "surprises", caption, frame[["result", "why it is right"]])


# ---- what a model sees -------------------------------------------------------------------------

PAGE_SEED = 20261130


def figure_page() -> Drawing:
    """Draw a simulated 12-lead page as a model would see it, without the noise of the renderer."""
    from benchbook.ecg import simulated_ecg, twelve_leads
    from benchbook.figures import ecg_page

    record = simulated_ecg("afib", seed=PAGE_SEED)
    drawn = ecg_page(twelve_leads(record.leads), record.sampling_rate, simulated=True)
    apart = np.diff(record.r_peaks)
    caption = (
        "**What a model sees.** A simulated recording with atrial fibrillation: no P waves before "
        f"the QRS complexes, and distances of {apart.min():.2f} to {apart.max():.2f} s between "
        "these without a pattern. Twelve leads of 2.5 s in "
        "three rows of four and lead II for the full 10 s below, at 25 mm/s and 10 mm/mV, with "
        "lead names and calibration pulses. Beside scale and mark nothing else is on the page: no "
        "age, no measurement, no statement."
    )
    alt = (
        "Electrocardiogram on millimetre paper: three rows of four leads and below them a rhythm "
        "strip of lead II, with narrow complexes at irregular distances."
    )
    return Drawing(drawn, "page", caption, alt)
