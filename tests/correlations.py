"""Matrices as of connectomes, for tests that read them."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch


def correlations(graphs: int = 6, nodes: int = 5, seed: int = 0) -> np.ndarray:
    """Correlations of random signals, in double precision; their diagonal is one."""
    random = np.random.default_rng(seed)
    return np.stack([np.corrcoef(random.normal(size=(nodes, 9))) for _ in range(graphs)])


def dense(graphs: Any, place: int) -> np.ndarray:
    one = graphs[[place]]
    return (one.adj @ torch.eye(one.num_nodes)).numpy()
