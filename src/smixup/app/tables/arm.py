"""One side of a comparison."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any


@dataclass(frozen=True)
class Arm:
    """One method of a comparison.

    Attributes:
        name: what people call it.
        method: its name in `registry.METHODS`.
        settings: fields that are fixed.
        search: fields to be chosen on validation scores, each with the values to try.
        changes: fields of `RunConfig` that belong to the method, such as `teachers`.
        by_backbone: further fields that are fixed under a backbone.
    """

    name: str
    method: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    search: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    changes: Mapping[str, Any] = field(default_factory=dict)
    by_backbone: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def settings_under(self, backbone: str) -> dict[str, Any]:
        """Return the fields that are fixed in the table of a backbone."""
        return {**self.settings, **self.by_backbone.get(backbone, {})}

    def choices(self) -> Iterator[dict[str, Any]]:
        """Yield every combination of the values to try."""
        for values in product(*self.search.values()):
            yield dict(zip(self.search, values, strict=True))
