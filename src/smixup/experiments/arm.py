"""One side of a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Arm:
    """One method of a comparison: what people call it, its name in `registry.METHODS`, and its settings."""

    name: str
    method: str
    settings: Mapping[str, Any] = field(default_factory=dict)
