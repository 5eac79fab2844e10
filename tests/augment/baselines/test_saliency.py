"""Saliency is the slope of the loss, graph by graph, and asking for it leaves no trace."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from smixup.augment.baselines.saliency import node_saliency
from smixup.classifiers import GCN, GIN, Classifier
from smixup.graphs import Graphs
from smixup.tasks import Values


@pytest.mark.parametrize("kind", [GCN, GIN])
def test_it_equals_finite_differences(graphs: Graphs, kind: type[Classifier]) -> None:
    torch.manual_seed(0)
    model, batch = kind(3, 2, 8, 2).double().eval(), graphs[range(7)]
    batch = batch.replace(x=batch.x.double(), y=batch.y.double())
    found, step = node_saliency(model, batch), 1e-6
    for node in range(30):
        slopes = []
        for feature in range(3):
            ends = []
            for sign in (1, -1):
                x = batch.x.clone()
                x[node, feature] += sign * step
                logits = model(batch.replace(x=x)).detach()
                ends.append(
                    float(F.cross_entropy(logits, batch.y, reduction="none")[batch.batch[node]])
                )
            slopes.append((ends[0] - ends[1]) / (2 * step))
        assert float(found[node]) == pytest.approx(
            float(torch.tensor(slopes).norm()), rel=1e-4, abs=1e-8
        )


def test_the_model_is_left_as_it_was(graphs: Graphs) -> None:
    model = GIN(3, 2, 8, 2, dropout=0.5).train()
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    random = torch.get_rng_state()
    batch = graphs[range(7)]
    with torch.no_grad():
        node_saliency(model, batch)
    assert model.training
    assert all(parameter.grad is None for parameter in model.parameters())
    assert all(torch.equal(tensor, before[name]) for name, tensor in model.state_dict().items())
    assert torch.equal(torch.get_rng_state(), random)
    assert not batch.x.requires_grad


def test_the_loss_of_values_is_asked_where_they_are_known(graphs: Graphs) -> None:
    """The model says twice the sum over nodes; of a squared error the slope is the error's."""
    batch = graphs[range(7)]
    y = torch.arange(7.0).unsqueeze(1)
    y[3] = torch.nan
    batch = batch.replace(y=y, has_classes=False)

    class Sums(torch.nn.Module):
        def forward(self, batch: Graphs) -> torch.Tensor:
            return 2 * batch.totals(batch.x.sum(1)).unsqueeze(1)

    task = Values(("v",)).fitted(y)
    found = node_saliency(Sums(), batch, loss=task.loss)
    scaled = (y - task.mean[0]) / task.deviation[0]
    error = (2 * batch.totals(batch.x.sum(1)) - scaled.squeeze(1)).nan_to_num(0)
    expected = (2 * error * 2 / 6).abs() * 3**0.5  # six known, three features
    torch.testing.assert_close(found, expected[batch.batch])
