"""What backbones share that take features of edges."""

from __future__ import annotations

from typing import Annotated, ClassVar

from torch import Tensor

from smixup.classifiers.base import Classifier
from smixup.classifiers.edge_messages import EdgeMessages
from smixup.errors import SmixupError
from smixup.graphs import Graphs
from smixup.ranges import Dropout, Natural, Range, Width, in_range


class EdgeClassifier(Classifier):
    """A message-passing network that takes features of edges, `edge_attr` of PyG.

    Its layers are called as `layer(h, edges)` with the `EdgeMessages` of the batch.

    Args:
        num_features: width of the node features, d.
        num_classes: width of the targets, C.
        num_edge_features: width of the features of edges, k, one at least.
        hidden_channels: width of every layer, H.
        num_layers: message-passing layers, L.
        dropout: share of the head's hidden units dropped in training.
        batch_norm: see `Classifier`.
    """

    plain: ClassVar[str]
    """The backbone of the same kind that needs no features of edges."""

    @in_range
    def __init__(
        self,
        num_features: Natural,
        num_classes: Width,
        num_edge_features: Natural = 0,
        hidden_channels: Width = 32,
        num_layers: Annotated[int, Range(0, limit=1000)] = 4,
        dropout: Dropout = 0.0,
        batch_norm: bool | None = None,
    ) -> None:
        self._require(num_edge_features > 0)
        self.num_edge_features = num_edge_features  # before the layers are made
        super().__init__(
            num_features, num_classes, hidden_channels, num_layers, dropout, batch_norm
        )

    def edges(self, batch: Graphs) -> EdgeMessages:
        """Return the edges of a batch; refuse one without features, or with others than these."""
        found = batch.num_edge_features
        self._require(found > 0)
        if found != self.num_edge_features:
            raise SmixupError(
                f"the edges of these graphs have {found} features, and {type(self).__name__} was "
                f"made for {self.num_edge_features}: encode them as those it was trained on."
            )
        return EdgeMessages.of(batch)

    def nodes(self, batch: Graphs) -> Tensor:
        """Return node representations `H^(L) [n, H]`."""
        h, edges = self.encoded(batch.floating().x), self.edges(batch)
        for layer in self.layers:
            h = layer(h, edges)
        return h

    def encoded(self, x: Tensor) -> Tensor:
        """Return what the first layer is given for features of nodes."""
        return x

    @classmethod
    def _require(cls, featured: bool) -> None:
        if not featured:
            raise SmixupError(
                f"{cls.__name__} takes features of edges (edge_attr), and these graphs have none: "
                f"use the backbone {cls.plain}."
            )
