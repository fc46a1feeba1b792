"""The iRhythm test set (Hannun et al. 2019): 328 single-lead records, nine cardiologists."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import pandas as pd

from ..errors import DataError, listed, nearest
from .catalogue import Source
from .converted import Converted
from .fetch import Obtained

# Rhythm as the readers named it: the class of the paper.
CLASSES = {
    "AFIB": "AF",
    "AFL": "AF",
    "AVB_TYPE2": "AVB",
    "SUDDEN_BRADY": "AVB",
    "BIGEMINY": "BIGEMINY",
    "EAR": "EAR",
    "IVR": "IVR",
    "JUNCTIONAL": "JUNCTIONAL",
    "NOISE": "NOISE",
    "NSR": "SINUS",
    "SVT": "SVT",
    "TRIGEMINY": "TRIGEMINY",
    "VT": "VT",
    "WENCKEBACH": "WENCKEBACH",
}
LABELS = tuple(dict.fromkeys(sorted(CLASSES.values())))
N_RECORDS = 328
N_READS = 6  # people who read a record, beside its committee
COMMITTEES = ((1, 2, 3), (4, 5, 6), (7, 8, 9))

_MEMBER = re.compile(
    r"(?:.*/)?(?P<record>[0-9a-f]+_[0-9]+)_(?P<kind>grp|rev)(?P<place>[0-9])\.episodes\.json"
)


class Read(NamedTuple):
    """What one person, or one committee, saw in one record."""

    record: str
    patient: str
    reviewers: tuple[int, ...]
    committee: bool
    rhythms: frozenset[str]


def convert(source: Source, files: Mapping[str, Obtained]) -> Converted:
    """Bring the iRhythm test set into the input format.

    Decisions
    ---------
    - The original archive is read, not a table made from it.
    - ``rev0`` … ``rev5`` in a file name is a place, not a person. The person is the file's
      ``reviewer_id``, 1 to 9. A record's consensus was made by one committee of three, and its
      six reads by the six others, so each person reads about two thirds of the records, never
      one whose consensus is in part his own.
    - Fourteen rhythm names become the twelve classes of the paper: fibrillation and flutter are
      AF, second-degree block of type 2 and sudden bradycardia are AVB, NSR is called SINUS.
    - A label is present when the rhythm occurs anywhere in the 30 seconds, however short. NOISE
      is one of the twelve classes.
    - Every record is of another patient (``ECG_ID``), and patients are resampled.
    - The network's predictions were never published: there are no scores and no mapping.
    """
    reads = list(read_archive(files["archive"]))
    _check(reads, files["archive"].path.name)
    consensus = [read for read in reads if read.committee]
    people = sorted((read for read in reads if not read.committee), key=_by_person)
    readers = _presence(people).drop(columns="patient_id")
    readers.insert(1, "reader", _repeated(f"cardiologist {read.reviewers[0]}" for read in people))
    readers.insert(2, "group", "cardiologists")
    return Converted({"labels": _presence(consensus), "readers": readers}, unit="patient")


def _by_person(read: Read) -> tuple[tuple[int, ...], str]:
    return read.reviewers, read.record


def _repeated(values: Iterable[str]) -> list[str]:
    return [value for value in values for _ in LABELS]


def _presence(reads: list[Read]) -> pd.DataFrame:
    seen = [{CLASSES[rhythm] for rhythm in read.rhythms} for read in reads]
    return pd.DataFrame(
        {
            "record_id": _repeated(read.record for read in reads),
            "patient_id": _repeated(read.patient for read in reads),
            "label": [label for _ in reads for label in LABELS],
            "present": [int(label in classes) for classes in seen for label in LABELS],
        }
    )


def read_archive(file: Obtained) -> Iterable[Read]:
    """Yield every annotation of the archive in the order of its names.

    Raises
    ------
    DataError
        No archive, or an annotation that cannot be read, naming it.
    """
    try:
        with zipfile.ZipFile(file.path) as archive:
            for name in sorted(archive.namelist()):
                match = _MEMBER.fullmatch(name)
                if match is not None:
                    yield _read(json.loads(archive.read(name)), match, name)
    except (zipfile.BadZipFile, json.JSONDecodeError, UnicodeDecodeError) as problem:
        raise DataError(f"the archive cannot be read ({problem})", file=file.path.name) from None


def _read(told: Any, match: re.Match[str], name: str) -> Read:
    try:
        reviewers, patient = told["reviewer_id"], str(told["ECG_ID"])
        rhythms = frozenset(str(episode["rhythm_name"]) for episode in told["episodes"])
        people = tuple(map(int, reviewers if isinstance(reviewers, list) else [reviewers]))
    except (KeyError, TypeError, ValueError) as problem:
        raise DataError(f"this is no list of episodes ({problem!r})", file=name) from None
    for rhythm in rhythms:
        if rhythm not in CLASSES:
            raise DataError(
                "a rhythm is not known", file=name, found=rhythm, expected=nearest(rhythm, CLASSES)
            )
    if not rhythms:
        raise DataError("no episode is named", file=name)
    return Read(match["record"], patient, people, match["kind"] == "grp", rhythms)


def _check(reads: list[Read], name: str) -> None:
    """Refuse an archive in which the readers of a record are not the six who did not decide it."""
    by_record: dict[str, list[Read]] = {}
    for read in reads:
        by_record.setdefault(read.record, []).append(read)
    if len(by_record) != N_RECORDS:
        raise DataError(
            "the archive has another number of records",
            file=name,
            found=f"{len(by_record)}",
            expected=f"{N_RECORDS}",
        )
    if len({read.patient for read in reads}) != N_RECORDS:
        raise DataError("two records are of one patient", file=name)
    for record, group in by_record.items():
        committees = [read.reviewers for read in group if read.committee]
        people = sorted(read.reviewers[0] for read in group if not read.committee)
        others = sorted(
            person for three in COMMITTEES if three not in committees for person in three
        )
        if len(committees) != 1 or committees[0] not in COMMITTEES or people != others:
            raise DataError(
                "the readers of a record are not the six outside its committee",
                file=name,
                row=record,
                found=f"committee {listed(committees)}, readers {listed(people)}",
                expected=f"one of {listed(COMMITTEES)}, and the {N_READS} others",
            )
