"""The paper's matcher, written once (App. C): triplets alone, on the data's own features."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

PUBLISHED: MappingProxyType[str, Any] = MappingProxyType(
    {
        "num_layers": 5,
        "hidden_channels": 256,
        "similarity": "cosine",
        "scale": 1.0,
        "normalization": "columns",
        "correspondences": False,
        "random_walk": 0,
        "degree": False,
        "batch_size": 256,
        "learning_rate": 1e-3,
        "max_steps": 200,
    }
)
"""Where it differs from the defaults of `GraphMatcher`. Table 9 adds depth, batch size and epochs,
which depend on the dataset.
"""
