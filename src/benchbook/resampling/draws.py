"""Drawing resamples in blocks that do not depend on how many workers draw them."""

from __future__ import annotations

import numpy as np

from .kinds import Sampler


def draw(sampler: Sampler, n_resamples: int, seed: int, n_jobs: int | None) -> np.ndarray:
    """Return the replicates of every statistic, shape (n_resamples, n_statistics).

    Block number ``i`` draws from child ``i`` of ``numpy.random.SeedSequence(seed)``, so the
    result is the same for any number of workers and any joblib backend.
    """
    from joblib import Parallel, delayed

    size = sampler.block_size
    tasks = (
        delayed(_block)(sampler, seed, number, min(size, n_resamples - start))
        for number, start in enumerate(range(0, n_resamples, size))
    )
    return np.concatenate(Parallel(n_jobs=n_jobs, prefer=sampler.prefer)(tasks))


def _block(sampler: Sampler, seed: int, number: int, keep: int) -> np.ndarray:
    child = np.random.SeedSequence(seed, spawn_key=(number,))
    return sampler.replicates(np.random.Generator(np.random.PCG64(child)), keep)


def fresh_seed() -> int:
    """Return a seed from the operating system's entropy, exact in JSON and spreadsheets."""
    state = np.random.SeedSequence().generate_state(1, np.uint64)[0]
    return int(state >> np.uint64(11))  # 53 bits: what a float64 holds exactly
