"""Label smoothing (Szegedy et al. 2016): soft targets without any mixing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from smixup.augment.base import Augmentation
from smixup.graphs import Graphs
from smixup.ranges import Share, Width


@dataclass
class LabelSmoothing(Augmentation):
    """Trains on `(1 - epsilon) y + epsilon / C`, a control: whatever mixes targets also softens
    them.

    Attributes:
        epsilon: share of every target that goes to all C classes alike.
        num_classes: how wide integer labels become in a PyG loop; learnt by `fit`.
    """

    epsilon: Share = 0.1
    num_classes: Width | None = field(default=None, kw_only=True)

    needs_classes: ClassVar[str] = "gives a share of every target to all classes alike"

    def on_batch(self, batch: Graphs) -> Graphs:
        """Smooth the targets; graphs stay."""
        return batch.replace(y=(1 - self.epsilon) * batch.y + self.epsilon / batch.num_classes)
