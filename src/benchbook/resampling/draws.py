"""Drawing resamples in blocks that do not depend on how many workers draw them."""

from __future__ import annotations

import numpy as np

from .kinds import Sampler
from .studentised import Contrast


def draw(sampler: Sampler, n_resamples: int, seed: int, n_jobs: int | None) -> np.ndarray:
    """Return the replicates of every statistic, shape (n_resamples, n_statistics).

    Block number ``i`` draws from child ``i`` of ``numpy.random.SeedSequence(seed)``, so the
    result is the same for any number of workers and any joblib backend.
    """
    return _blocks(sampler, n_resamples, seed, n_jobs, None)


def draw_errors(
    sampler: Sampler, contrast: Contrast, n_resamples: int, seed: int, n_jobs: int | None
) -> np.ndarray:
    """Return the standard error of a contrast on each of the same resamples, (n_resamples,)."""
    return _blocks(sampler, n_resamples, seed, n_jobs, contrast)


def _blocks(
    sampler: Sampler, n_resamples: int, seed: int, n_jobs: int | None, contrast: Contrast | None
) -> np.ndarray:
    from joblib import Parallel, delayed

    size = sampler.block_size
    tasks = (
        delayed(_block)(sampler, seed, number, min(size, n_resamples - start), contrast)
        for number, start in enumerate(range(0, n_resamples, size))
    )
    return np.concatenate(Parallel(n_jobs=n_jobs, prefer=sampler.prefer)(tasks))


def _block(
    sampler: Sampler, seed: int, number: int, keep: int, contrast: Contrast | None
) -> np.ndarray:
    child = np.random.SeedSequence(seed, spawn_key=(number,))
    generator = np.random.Generator(np.random.PCG64(child))
    if contrast is None:
        return sampler.replicates(generator, keep)
    return sampler.standard_errors(contrast, generator, keep)


def fresh_seed() -> int:
    """Return a seed from the operating system's entropy, exact in JSON and spreadsheets."""
    state = np.random.SeedSequence().generate_state(1, np.uint64)[0]
    return int(state >> np.uint64(11))  # 53 bits: what a float64 holds exactly
