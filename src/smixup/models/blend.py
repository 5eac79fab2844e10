"""Several kinds of models as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from torch import Tensor, nn

from smixup.graphs import Graphs
from smixup.models.model import Backbone, together
from smixup.tasks import task_from_dict


class Blend(nn.Module):
    """Averages the probabilities, or values, of models by weights.

    Args:
        parts: of each its `class` and `settings`, as of a `Backbone`, its `weight`, and the
            `temperature` by which its outputs are divided.
        task: what they predict, as `Task.to_dict` writes it.
        num_edge_features: width of the features of edges that they take.
    """

    def __init__(
        self,
        parts: Sequence[Mapping[str, Any]],
        task: Mapping[str, Any],
        num_edge_features: int = 0,
    ) -> None:
        super().__init__()
        self.task, self.about = task_from_dict(task), parts
        self.parts = nn.ModuleList(Backbone(p["class"], p["settings"]).build() for p in parts)

    def forward(self, batch: Graphs) -> Tensor:
        """Return outputs `[B, C]`."""
        outputs = [
            part(batch) / about["temperature"]
            for part, about in zip(self.parts, self.about, strict=True)
        ]
        return together(self.task, outputs, [about["weight"] for about in self.about])
