"""The paper's way to mix, written once (Alg. 2, App. C)."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

PUBLISHED_METHOD: MappingProxyType[str, Any] = MappingProxyType(
    {
        "alpha": 0.2,
        "per_pair": False,
        "transport": "paper",
        "partners": None,
        "amount": None,
        "norm_from_originals": False,
    }
)
"""Where it differs from the defaults of `SMixup`, and alpha, which is the same: the paper searches
it. The matcher is apart, see `smixup.matching.learned`.
"""
