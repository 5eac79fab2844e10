"""What every backbone inherits: depth, widths, readout and head."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from smixup.classifiers import Classifier
from smixup.graphs import Graphs, Operator


class Doubling(Classifier):
    """A backbone as short as can be: every layer doubles and sums over neighbours."""

    def make_layer(self, in_channels: int, out_channels: int, batch_norm: bool) -> nn.Module:
        class Layer(nn.Module):
            widths = (in_channels, out_channels, batch_norm)

            def forward(self, h: Tensor, operator: Operator) -> Tensor:
                return operator @ (2 * h)

        return Layer()


def test_a_backbone_is_a_layer_and_nothing_more(graphs: Graphs) -> None:
    model = Doubling(3, 2, hidden_channels=3, num_layers=2)
    batch = graphs[[0, 4]]
    A = batch.adj.to_dense()
    torch.testing.assert_close(model.nodes(batch), 4 * A @ A @ batch.x)
    means = torch.stack([part.mean(0) for part in model.nodes(batch).split(batch.sizes.tolist())])
    torch.testing.assert_close(model.embed(batch), means)
    torch.testing.assert_close(model(batch), model.head(means))


def test_widths_and_depth() -> None:
    model = Doubling(7, 5, hidden_channels=16, num_layers=3, batch_norm=True)
    assert [layer.widths for layer in model.layers] == [
        (7, 16, True),
        (16, 16, True),
        (16, 16, True),
    ]
    assert [(m.in_features, m.out_features) for m in model.head if isinstance(m, nn.Linear)] == [
        (16, 16),
        (16, 5),
    ]


def test_dropout_acts_in_training_only(make_graphs: Callable[..., Graphs]) -> None:
    torch.manual_seed(0)
    batch = make_graphs([9], num_features=64)[[0]]
    model = Doubling(64, 2, hidden_channels=64, num_layers=1, dropout=0.5)
    model.eval()
    torch.testing.assert_close(model(batch), model(batch))
    model.train()
    assert not torch.equal(model(batch), model(batch))


def test_only_the_layer_is_left_to_a_backbone(graphs: Graphs) -> None:
    with pytest.raises(TypeError, match=r"abstract method '?make_layer"):
        Classifier(3, 2)  # type: ignore[abstract]
    batch = graphs[[0, 4]]
    model = Doubling(3, 2, hidden_channels=3, num_layers=0)
    means = torch.stack([part.mean(0) for part in batch.x.split(batch.sizes.tolist())])
    torch.testing.assert_close(model(batch), model.head(means))
