"""Graph Transplant plants what matters; parts are joined whole, and what was cut is given back."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import pytest
import torch
import torch.nn.functional as F

from smixup.augment.baselines.transplant import Cutting, GraphTransplant, graft, node_saliency
from smixup.classifiers import GCN, GIN, Classifier
from smixup.graphs import Graphs


def random_source(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def cutting(graphs: Graphs, index: list[int], part: list[int]) -> Cutting:
    batch = graphs[index]
    chosen = torch.zeros(batch.num_nodes, dtype=torch.bool)
    chosen[part] = True
    return Cutting(batch, chosen, torch.arange(1.0, batch.num_nodes + 1))


def test_both_parts_are_in_the_result_and_tied(from_networkx: Callable[..., Graphs]) -> None:
    graphs = from_networkx([nx.cycle_graph(6), nx.complete_graph(5)], labels=[0, 1])
    graphs = graphs.replace(
        x=torch.arange(11.0).unsqueeze(1), node_attrs={"motif": torch.arange(11) > 5}
    )
    host, giver = cutting(graphs, [0], [2, 3, 4]), cutting(graphs, [1], [0, 4])
    mixed = graft(host, giver, random_source())
    assert mixed.x.squeeze(1).tolist() == [2, 3, 4, 6, 10]
    assert mixed.motif is not None
    assert mixed.motif.tolist() == [False, False, False, True, True]
    dense = mixed.adj.to_dense()
    assert torch.equal(dense, dense.T)
    assert dense[:3, :3].tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    assert dense[3:, 3:].tolist() == [[0, 1], [1, 0]]
    assert float(dense[:3, 3:].sum()) == (2 + 6) / 2, "half of the loose ends"
    mine, given = 12 / 21, 6 / 15
    torch.testing.assert_close(mixed.y, torch.tensor([[mine, given]]) / (mine + given))


class FirstNodesMatter(torch.nn.Module):
    """A classifier that sees only the first node of every graph."""

    def forward(self, batch: Graphs) -> torch.Tensor:
        return batch.x[batch.ptr[:-1]] * torch.arange(batch.y.size(1))


@pytest.fixture
def paths(from_networkx: Callable[..., Graphs]) -> Graphs:
    graphs = from_networkx([nx.path_graph(10)] * 6, labels=[0, 1] * 3)
    return graphs.replace(x=(torch.arange(60.0) % 10).unsqueeze(1) / 10)


def test_salient_nodes_are_planted_and_their_labels_follow(paths: Graphs) -> None:
    """All saliency is in the first node, whose feature is zero: a label comes and goes with it."""
    batch = paths.replace(y=torch.eye(6))
    method = GraphTransplant(anchors=0.1, seed=0)
    method.bind(FirstNodesMatter())
    seen = []
    for _ in range(100):
        mixed = method.beside(batch)
        first = torch.bincount(mixed.batch[mixed.x.squeeze(1) == 0], minlength=6)
        for number, y in zip(first.tolist(), mixed.y, strict=True):
            assert number == 0 or y[y > 1e-6].tolist() in ([1 / number] * number, [1.0])
        seen.append(first)
    assert float(torch.stack(seen).float().mean()) > 1.2, "without saliency, one on average"


def test_originals_stay_beside_the_mixes(paths: Graphs) -> None:
    batch = paths[range(6)]
    found = GraphTransplant(seed=0).on_batch(batch)
    assert len(found) == 12
    assert torch.equal(found.x[:60], batch.x)
    assert found.ids.tolist() == [0, 1, 2, 3, 4, 5] * 2


@pytest.mark.parametrize("kind", [GCN, GIN])
def test_it_equals_finite_differences(graphs: Graphs, kind: type[Classifier]) -> None:
    torch.manual_seed(0)
    model, batch = kind(3, 2, 8, 2).double().eval(), graphs[range(7)]
    batch = batch.replace(x=batch.x.double(), y=batch.y.double())
    found, step = node_saliency(model, batch), 1e-6

    def loss(x: torch.Tensor, node: int) -> float:
        logits = model(batch.replace(x=x)).detach()
        return float(F.cross_entropy(logits, batch.y, reduction="none")[batch.batch[node]])

    for node in range(30):
        slopes = []
        for feature in range(3):
            change = torch.zeros_like(batch.x)
            change[node, feature] = step
            slopes.append((loss(batch.x + change, node) - loss(batch.x - change, node)) / step / 2)
        slope = float(torch.tensor(slopes).norm())
        assert float(found[node]) == pytest.approx(slope, rel=1e-4, abs=1e-8)


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
