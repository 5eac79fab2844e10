"""How long work tells whoever waits for it where it stands; the library itself prints nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Progress:
    """One step of some stage is done.

    Attributes:
        stage: what is going on, in a word or two.
        done: steps done so far.
        total: steps in all.
        metrics: what to show beside, by name.
    """

    stage: str
    done: int
    total: int
    metrics: Mapping[str, float] = field(default_factory=dict)


Report = Callable[[Progress], None]


def silent(progress: Progress) -> None:
    """Tell nobody."""
