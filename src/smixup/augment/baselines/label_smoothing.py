"""Label smoothing (Szegedy et al. 2016): soft targets without any mixing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from smixup.augment.base import Augmentation
from smixup.errors import require_number
from smixup.graphs import Graphs


@dataclass
class LabelSmoothing(Augmentation):
    """Trains on `(1 - epsilon) y + epsilon / C`, a control: whatever mixes targets also softens
    them.

    Attributes:
        epsilon: share of every target that goes to all C classes alike.
        num_classes: how wide integer labels become in a PyG loop; learnt by `fit`.
    """

    epsilon: float = 0.1
    num_classes: int | None = field(default=None, kw_only=True)

    needs_classes: ClassVar[str] = "gives a share of every target to all classes alike"

    def __post_init__(self) -> None:
        require_number("epsilon", self.epsilon, at_least=0, at_most=1)

    def on_batch(self, batch: Graphs) -> Graphs:
        """Smooth the targets; graphs stay."""
        return batch.replace(y=(1 - self.epsilon) * batch.y + self.epsilon / batch.num_classes)
