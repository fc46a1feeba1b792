"""Invented data: a toy to follow with a pencil, and results that surprise people."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchbook.agreement import cohen_kappa, gwet_ac
from benchbook.display import Table, interval_text
from benchbook.metrics import auroc
from benchbook.ratings import Ratings
from benchbook.resampling import RankingStatistic, ranks, resample_many

from .inputs import from_frames
from .matched import Comparison, PatientSums
from .parameters import Parameters
from .study import Study, build

TOY_LABEL, TOY_MODEL = "AF", "toy"
# Ten records, two outputs of the model, two windows of each.
TOY_WINDOWS = np.array(
    [
        [[0.91, 0.40], [0.10, 0.05]], [[0.22, 0.75], [0.30, 0.12]], [[0.15, 0.20], [0.55, 0.60]],
        [[0.35, 0.18], [0.08, 0.31]], [[0.52, 0.60], [0.20, 0.11]], [[0.28, 0.33], [0.14, 0.09]],
        [[0.05, 0.12], [0.02, 0.10]], [[0.44, 0.30], [0.21, 0.35]], [[0.09, 0.07], [0.11, 0.03]],
        [[0.19, 0.25], [0.16, 0.23]],
    ]
)  # fmt: skip
TOY_TRUTH = np.array([1, 1, 1, 1, 0, 0, 0, 0, 0, 0])
TOY_READS = np.array(
    [[1, 1, 0, 0, 0, 1, 0, 1, 0, 0], [1, 1, 0, 0, 0, 0, 0, 0, 0, np.nan],
     [1, np.nan, 1, 1, 1, 0, 0, 1, 0, 0]]
)  # fmt: skip


def toy() -> Study:
    """Return ten invented records read by three people and scored by one model."""
    ids = np.array([f"TOY-{k:02d}" for k in range(1, 11)], dtype=object)
    scores = [
        {
            "record_id": one, "patient_id": one, "model": TOY_MODEL, "output": output,
            "window": str(window + 1), "score": TOY_WINDOWS[at, place, window],
        }
        for at, one in enumerate(ids)
        for place, output in enumerate(("fibrillation", "flutter"))
        for window in range(2)
    ]  # fmt: skip
    labels = pd.DataFrame(
        {"record_id": ids, "label": TOY_LABEL, "present": TOY_TRUTH.astype(float)}
    ).assign(patient_id=None)
    readers = [
        pd.DataFrame({"record_id": ids, "present": said}).assign(
            reader=f"reader {number}", group="readers", label=TOY_LABEL, independent=True,
            kind="person",
        )
        for number, said in enumerate(TOY_READS, 1)
    ]  # fmt: skip
    mapping = pd.DataFrame(
        {"model": TOY_MODEL, "output": ["fibrillation", "flutter"], "label": TOY_LABEL}
    ).assign(approximate=False, contaminated=False)
    frames = {
        "scores": pd.DataFrame(scores),
        "labels": labels,
        "readers": pd.concat(readers, ignore_index=True),
        "mapping": mapping,
    }
    return build(from_frames(frames, "toy"), Parameters.model_validate({}))


def beside(
    truth: np.ndarray, reads: np.ndarray, scores: np.ndarray, match: str = "at_least"
) -> dict[str, float]:
    """Return every measure of a model beside readers, each record of its own patient."""
    truth = np.asarray(truth, dtype=bool)
    n = truth.size
    one = Comparison(truth, reads, np.ones(n, bool), np.asarray(scores, float), match)  # type: ignore[arg-type]
    found = PatientSums.of(one, np.arange(n), n).measures(np.ones((n, 1)))
    return {name: float(values[0]) for name, values in found.items()}


# ---- results that surprise people ---------------------------------------------------------------


def surprises(level: float, n_resamples: int, seed: int) -> Table:
    """Return correct results that look wrong, each computed from invented data."""
    rows = [
        _backwards(), _crossing(), _averaged(), _paradox(),
        _uncertain_rank(level, n_resamples, seed),
        _rare_precision(level, n_resamples, seed),
    ]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["what is seen", "in numbers", "why it is right"])
    caption = "Correct results that look wrong; the data of this table are invented."
    return Table(frame, "surprises", caption)


def _backwards() -> tuple[str, str, str]:
    truth = np.array([1] * 4 + [0] * 6, dtype=bool)
    score = np.array([0.1, 0.2, 0.3, 0.6, 0.4, 0.5, 0.7, 0.8, 0.9, 0.25])
    value = auroc(truth, score, higher_is_positive=True).value
    return (
        "An AUROC below one half is left as it is",
        f"AUROC {value:.3f}; turned round it would be {1 - value:.3f}",
        "The direction of an output is a statement about the model and is fixed beforehand. Taking "
        "the better of two directions after looking favours useless models.",
    )


def _crossing() -> tuple[str, str, str]:
    """Two curves that cross: the one with the larger area is the less specific at the readers."""
    truth = np.array([1] * 10 + [0] * 40, dtype=bool)
    # First: all but three positives on top, those three at the very bottom.
    first = np.r_[np.full(7, 0.9), np.full(3, 0.05), np.linspace(0.1, 0.8, 40)]
    # Second: every positive above four fifths of the negatives, none above the rest.
    second = np.r_[np.full(10, 0.7), np.full(6, 0.9), np.linspace(0.1, 0.6, 34)]
    reads = np.r_[np.ones(7), np.zeros(3), np.ones(2), np.zeros(38)]
    areas = [auroc(truth, s, higher_is_positive=True).value for s in (second, first)]
    found = [beside(truth, reads, s)["model_specificity"] for s in (second, first)]
    return (
        "The model with the higher AUROC is less specific where it is as sensitive as people",
        f"AUROC {areas[0]:.3f} against {areas[1]:.3f}; specificity at the readers' sensitivity "
        f"{found[0]:.3f} against {found[1]:.3f}",
        "The area averages over all thresholds, the comparison with people is at one. Curves that "
        "cross are ranked differently by the two.",
    )


def _averaged() -> tuple[str, str, str]:
    """Readers who lie on the model's own curve: their mean lies below it."""
    truth = np.array([1] * 20 + [0] * 60, dtype=bool)
    rng = np.random.default_rng(4)
    score = rng.normal(size=80) + 1.8 * truth
    strict, lenient = (np.quantile(score[truth], q) for q in (0.55, 0.05))
    reads = np.column_stack([score >= strict, score >= lenient]).astype(float)
    each = [beside(truth, reads[:, [k]], score)["difference"] for k in range(2)]
    both = beside(truth, reads, score)["difference"]
    return (
        "A model is better than the mean of two readers who are that very model at two thresholds",
        f"difference of specificity to each reader {each[0]:.3f} and {each[1]:.3f}, to their mean "
        f"{both:+.3f}",
        "The mean of two points of a curve that bends downwards lies below the curve. Readers who "
        "differ in how readily they say yes are therefore underestimated by their mean.",
    )


def _paradox() -> tuple[str, str, str]:
    cells = np.array([[990, 5], [5, 0]])  # absent, present
    table = Ratings.from_contingency(cells, "nominal")
    kappa, ac1 = cohen_kappa(table).estimate.value, gwet_ac(table).estimate.value
    agreed = np.trace(cells) / cells.sum()
    return (
        "Two readers agree almost always, and their κ is about 0",
        f"percent agreement {agreed:.3f}, κ {kappa:.3f}, AC1 {ac1:.3f}",
        "The label is so rare that two readers who never find it together agree as often as "
        "chance would have it. κ asks whether they find the same records, agreement does not.",
    )


def _uncertain_rank(level: float, n_resamples: int, seed: int) -> tuple[str, str, str]:
    """Four models of about the same quality, and twenty positives."""
    rng = np.random.default_rng(11)
    truth = np.arange(300) < 20
    shift = (1.5, 1.45, 1.4, 1.35)
    family = [
        RankingStatistic(
            f"model {k}", rng.normal(size=300) + s * truth, truth, higher_is_positive=True
        )
        for k, s in enumerate(shift, 1)
    ]
    found = ranks(
        resample_many(family, n_resamples=n_resamples, seed=seed),
        higher_is_better=True,
        level=level,
    )
    best = min(found, key=lambda one: one.rank)
    return (
        "The best of four models may be the worst",
        f"rank {best.rank:.0f} with the interval {best.low:.0f} to {best.high:.0f}",
        "With few positives the order of similar models is mostly chance. A rank without its "
        "interval says who was lucky.",
    )


def _rare_precision(level: float, n_resamples: int, seed: int) -> tuple[str, str, str]:
    """Three positives among many, at ranks 10, 20 and 30: resamples repeat some of them."""
    score = np.arange(600, 0, -1)
    truth = np.isin(np.arange(1, 601), (10, 20, 30))
    one = RankingStatistic("AUPRC", score, truth, "average_precision", higher_is_positive=True)
    drawn = resample_many([one], n_resamples=n_resamples, seed=seed)[0]
    made = drawn.interval("percentile", level)
    mean = float(np.nanmean(drawn.replicates))
    return (
        "The resamples of an AUPRC lie above the AUPRC",
        f"AUPRC {interval_text(made.value, made.low, made.high)}, mean of its resamples {mean:.3f}",
        "A positive that is drawn twice has itself for company, which raises the precision at its "
        "score. With few positives the percentile interval of an AUPRC is moved upwards; over many "
        "rare labels their mean can even lie below its interval.",
    )
