"""Simulated records and answers, in exactly the input format.

The numbers of records, groups and positives are those of the published test part; everything else
is invented: who has which class together with which other, and what the models answer.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from benchbook.specs import TaskSpecification

# Latent standard normals: share of the variance that repeats of one recording have in common.
SHARED = 0.7
# How strongly a class loads on one factor, "a diseased heart".
LOADINGS = {"CD": 0.3, "HYP": 0.5, "Old MI": 0.5, "PVC": 0.4, "STTC": 0.5, "Acute MI": 0.4}
# Classes that exclude each other, and those that go together seldom (a lower latent score).
EXCLUDED = {
    "NORM": ("AFIB/AFL",),
    "TACHY": ("AFIB/AFL",),
    "BRADY": ("AFIB/AFL", "TACHY"),
    "PAC": ("AFIB/AFL",),
    "HYP": ("NORM",),
    "Old MI": ("NORM",),
    "Acute MI": ("NORM", "Old MI"),
    "STTC": ("NORM",),
    "CD": ("NORM",),
    "PVC": ("NORM",),
}
SELDOM = {"BRADY": ("NORM",), "TACHY": ("NORM",), "PAC": ("NORM",)}
PENALTY = 1.0
# The order in which classes are given out; the last one takes every record still without any.
ORDER = (
    "AFIB/AFL",
    "NORM",
    "TACHY",
    "BRADY",
    "PAC",
    "PVC",
    "Old MI",
    "Acute MI",
    "HYP",
    "STTC",
    "CD",
)

NETWORK, SECOND, LANGUAGE, ALWAYS = (
    "simulated network A",
    "simulated network B",
    "simulated language model",
    "simulated always-NORM",
)
# Sensitivity and positive predictive value of a class. Invented, but for the F of Acute MI.
NETWORK_SKILL = {
    "AFIB/AFL": (0.95, 0.93), "Acute MI": (0.22, 0.17), "BRADY": (0.88, 0.86), "CD": (0.84, 0.86),
    "HYP": (0.55, 0.52), "NORM": (0.76, 0.68), "Old MI": (0.57, 0.55), "PAC": (0.55, 0.52),
    "PVC": (0.82, 0.80), "STTC": (0.75, 0.71), "TACHY": (0.84, 0.79),
}  # fmt: skip
LANGUAGE_SKILL = {
    "AFIB/AFL": (0.12, 0.60), "Acute MI": (0.30, 0.03), "BRADY": (0.60, 0.30), "CD": (0.25, 0.55),
    "HYP": (0.45, 0.10), "NORM": (0.70, 0.18), "Old MI": (0.20, 0.14), "PAC": (0.15, 0.10),
    "PVC": (0.40, 0.45), "STTC": (0.45, 0.50), "TACHY": (0.65, 0.22),
}  # fmt: skip
BLUNT = 0.04  # by how much network B is less able than A, in both
CUT_OFF, NO_ROUTE = 0.08, 0.01  # shares of answers that end before the labels, or never come


@dataclass(frozen=True)
class Simulated:
    """Both tables of a simulated study.

    Attributes
    ----------
    reference : DataFrame
        ``record_id``, ``group_id``, ``labels``.
    answers : DataFrame
        ``record_id``, ``model``, ``answer``, ``labels``, ``error``.
    """

    reference: pd.DataFrame
    answers: pd.DataFrame

    def write(self, folder: Path) -> tuple[Path, Path]:
        """Write ``answers.csv`` and ``reference.csv`` and return their paths."""
        folder.mkdir(parents=True, exist_ok=True)
        paths = folder / "answers.csv", folder / "reference.csv"
        for path, table in zip(paths, (self.answers, self.reference), strict=True):
            table.to_csv(path, index=False, lineterminator="\n")
        return paths


def simulate(spec: TaskSpecification, seed: int, part: str = "test") -> Simulated:
    """Draw records with the published counts of a part of the split, and answers to them.

    Parameters
    ----------
    spec : TaskSpecification
        Gives classes and counts.
    seed : int
    part : str
        Part of the split.

    Returns
    -------
    Simulated
    """
    counts = spec.counts.parts[part]
    generator = np.random.default_rng(seed)
    groups = _groups(generator, counts.records, counts.groups)
    truth = _labels(generator, groups, list(spec.classes), dict(counts.positives), counts.scored)
    width = len(str(counts.records))
    records = np.array([f"simulated-{n:0{width}d}" for n in generator.permutation(counts.records)])
    reference = pd.DataFrame(
        {
            "record_id": records,
            "group_id": [f"simulated-group-{n:0{width}d}" for n in groups],
            "labels": [";".join(_names(row, list(spec.classes))) for row in truth],
        }
    )
    answers = _answers(generator, groups, truth, list(spec.classes))
    answers.insert(0, "record_id", np.tile(records, len(answers) // records.size))
    return Simulated(reference, answers[~answers.pop("missing")].reset_index(drop=True))


def _groups(generator: np.random.Generator, n_records: int, n_groups: int) -> np.ndarray:
    """Return the group of each record: every group has one, a few have many."""
    popular = generator.dirichlet(np.full(n_groups, 0.5))
    more = generator.choice(n_groups, n_records - n_groups, p=popular)
    return np.sort(np.concatenate([np.arange(n_groups), more]))


def _shared_normal(generator: np.random.Generator, groups: np.ndarray) -> np.ndarray:
    """Return standard normals that the records of a group have in common in part."""
    common = generator.standard_normal(groups.max() + 1)[groups]
    return np.sqrt(SHARED) * common + np.sqrt(1 - SHARED) * generator.standard_normal(groups.size)


def _labels(
    generator: np.random.Generator,
    groups: np.ndarray,
    classes: list[str],
    positives: dict[str, int],
    n_scored: int,
) -> np.ndarray:
    """Return a table of bool with exactly the given positives and scored records."""
    labels = {name: np.zeros(groups.size, dtype=bool) for name in classes}
    ranked = np.argsort(_shared_normal(generator, groups))
    scored = np.zeros(groups.size, dtype=bool)
    scored[ranked[:n_scored]] = True
    disease = _shared_normal(generator, groups)
    for name in ORDER:
        weight = LOADINGS.get(name, 0.0)
        latent = weight * disease + np.sqrt(1 - weight**2) * _shared_normal(generator, groups)
        for other in SELDOM.get(name, ()):
            latent -= PENALTY * labels[other]
        for other in EXCLUDED.get(name, ()):
            latent[labels[other]] = -np.inf
        if name == ORDER[-1]:
            latent[~np.any([*labels.values()], axis=0)] = np.inf
        latent[~scored] = -np.inf
        chosen = np.argsort(-latent, kind="stable")[: positives[name]]
        labels[name][chosen] = True
    return np.column_stack([labels[name] for name in classes])


def _names(row: np.ndarray, classes: list[str]) -> list[str]:
    return [name for name, has in zip(classes, row, strict=True) if has]


def _answers(
    generator: np.random.Generator, groups: np.ndarray, truth: np.ndarray, classes: list[str]
) -> pd.DataFrame:
    """Return the answers of all models, with a column of those that never came."""
    weaker = {name: (s - BLUNT, p - BLUNT) for name, (s, p) in NETWORK_SKILL.items()}
    tables = []
    for model, skill in ((NETWORK, NETWORK_SKILL), (SECOND, weaker)):
        given = _predicted(generator, groups, truth, [skill[name] for name in classes])
        cells = [json.dumps(_names(row, classes)) for row in given]
        tables.append(pd.DataFrame({"model": model, "answer": "", "labels": cells}))
    given = _predicted(generator, groups, truth, [LANGUAGE_SKILL[name] for name in classes])
    texts = [_written(generator, _names(row, classes)) for row in given]
    tables.append(pd.DataFrame({"model": LANGUAGE, "answer": texts, "labels": ""}))
    always = '{"labels": ["NORM"]}'
    tables.append(pd.DataFrame({"model": ALWAYS, "answer": [always] * len(truth), "labels": ""}))
    found = pd.concat(tables, ignore_index=True)
    language = (found["model"] == LANGUAGE).to_numpy()
    lost = generator.random(len(found)) < NO_ROUTE
    failed = generator.random(len(found)) < 0.5
    found["error"] = (language & lost & failed).astype(int)
    found["missing"] = language & lost & ~failed
    found.loc[found["error"] == 1, "answer"] = ""
    return found


def _predicted(
    generator: np.random.Generator,
    groups: np.ndarray,
    truth: np.ndarray,
    skill: list[tuple[float, float]],
) -> np.ndarray:
    """Return predictions with given sensitivity and predictive value on average.

    Repeats of one recording are more likely to be judged alike.
    """
    from scipy.special import ndtr

    given = np.zeros_like(truth)
    for place, (sensitivity, predictive) in enumerate(skill):
        has = truth[:, place]
        false = has.sum() * sensitivity * (1 - predictive) / predictive / (~has).sum()
        chance = ndtr(_shared_normal(generator, groups))
        given[:, place] = chance < np.where(has, sensitivity, false)
    return given


OPENINGS = (
    "The rhythm strip shows the following. ",
    "Looking at lead II first, then the precordial leads.\n\n",
    'A first guess would be {"labels": ["NORM"]}, but the ST segments speak against it.\n',
    "",
)
CLOSINGS = ("\n\nA cardiologist should confirm this {not for clinical use}.", "", "\n")


def _written(generator: np.random.Generator, names: list[str]) -> str:
    """Return an answer as a language model might write it: with chatter, now and then cut off."""
    opening = OPENINGS[generator.integers(len(OPENINGS))]
    spelt = [name.lower() if generator.random() < 0.2 else name for name in names]
    if generator.random() < 0.1:
        spelt.append("LVH")
    content: dict[str, object] = {"labels": spelt}
    if generator.random() < 0.3:
        content = {"reasoning": 'wide QRS } in V1, "rSR\'" {typical}', **content}
    text = json.dumps(content, indent=2 if generator.random() < 0.5 else None)
    if generator.random() < 0.6:
        text = f"```json\n{text}\n```"
    if generator.random() < CUT_OFF:
        # Cut off before the object ends; the first guess, where there is one, is not written then.
        return "The rhythm is hard to see. " * 3 + text[: text.rindex("[") + 1]
    return opening + text + CLOSINGS[generator.integers(len(CLOSINGS))]
