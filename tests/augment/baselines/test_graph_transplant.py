"""Graph Transplant plants what matters, and asks the classifier what that is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import networkx as nx
import pytest
import torch

from smixup.augment.baselines.graph_transplant import GraphTransplant, grow
from smixup.classifiers import GCN
from smixup.datasets.features import encode_features
from smixup.errors import UsageError
from smixup.graphs import Graphs


class FirstNodesMatter:
    """A classifier that sees only the first node of every graph."""

    training = False

    def train(self, mode: bool = True) -> None:
        pass

    def nodes(self, batch: Graphs) -> torch.Tensor:
        return batch.x

    def __call__(self, batch: Graphs) -> torch.Tensor:
        return batch.x[batch.ptr[:-1]] * torch.arange(batch.y.size(1))


@pytest.fixture
def paths(from_networkx: Callable[..., Graphs]) -> Graphs:
    graphs = from_networkx([nx.path_graph(10)] * 6, labels=[0, 1] * 3)
    return graphs.replace(x=(torch.arange(60.0) % 10).unsqueeze(1) / 10)


def test_salient_nodes_are_planted_and_their_labels_follow(paths: Graphs) -> None:
    """All saliency is in the first node, whose feature is zero: a label comes and goes with it."""
    method, batch = (
        GraphTransplant(anchors=0.1, keep_originals=False),
        paths[range(6)].replace(y=torch.eye(6)),
    )
    method.bind(FirstNodesMatter())
    seen = []
    for _ in range(100):
        mixed = method.on_batch(batch)
        first = torch.bincount(mixed.batch[mixed.x.squeeze(1) == 0], minlength=6)
        for number, y in zip(first.tolist(), mixed.y, strict=True):
            assert number == 0 or y[y > 0].tolist() in ([1 / number] * number, [1.0])
        seen.append(first)
    assert float(torch.stack(seen).float().mean()) > 1.2, "without saliency, one on average"


def test_originals_stay_beside_the_mixes_unless_told_otherwise(paths: Graphs) -> None:
    batch = paths[range(6)]
    found = GraphTransplant(seed=0).on_batch(batch)
    assert len(found) == 12
    assert torch.equal(found.x[:60], batch.x)
    assert found.ids.tolist() == [0, 1, 2, 3, 4, 5] * 2
    assert len(GraphTransplant(keep_originals=False).on_batch(batch)) == 6


def test_neighbourhoods_grow_as_far_and_as_fully_as_asked(paths: Graphs) -> None:
    batch = paths[range(6)]
    start = torch.arange(60) % 10 == 4
    hops, join = torch.tensor([1, 2, 3, 3, 1, 2]), torch.tensor([1.0, 1, 1, 0, 1, 1])
    part = grow(batch, start, hops, join, torch.Generator().manual_seed(0))
    assert part.view(6, 10).sum(1).tolist() == [3, 5, 7, 1, 3, 5]
    assert part.view(6, 10)[1].nonzero().squeeze(1).tolist() == [2, 3, 4, 5, 6]


@pytest.mark.slow
def test_sizes_are_preserved_on_average(paths: Graphs) -> None:
    method = GraphTransplant(keep_originals=False, seed=0)
    sizes = torch.cat([method.on_batch(paths[range(6)]).sizes for _ in range(200)])
    assert float(sizes.float().mean()) == pytest.approx(10, abs=0.3)


def test_features_made_from_degrees_follow_the_degrees_if_they_are_to(
    from_networkx: Callable[..., Graphs],
) -> None:
    graphs = encode_features(
        from_networkx([nx.complete_graph(9), nx.path_graph(9)], width=0), torch.arange(2)
    )
    method = GraphTransplant(keep_originals=False, encode_degrees=True, seed=0)
    method.fit_extend(graphs)
    method.bind(GCN(graphs.num_features, 1, 4, 2))
    found = method.on_batch(graphs[range(2)])
    highest = graphs.num_features - 1
    assert torch.equal(found.x.argmax(1), found.adj.row_sums().round().long().clamp(max=highest))


def test_no_hops_are_refused() -> None:
    with pytest.raises(UsageError, match="hops must be 1 or more"):
        GraphTransplant(hops=0)
    assert replace(GraphTransplant(hops=1)).hops == 1
