"""The siamese matcher: no message between graphs, hence every graph embedded once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
import torch
from torch import Tensor

from smixup.analysis.colour_refinement import stable_colours
from smixup.analysis.matcher_quality import self_match
from smixup.errors import SmixupError
from smixup.graphs import GraphBatch, GraphSet, SparseOperator
from smixup.matching import GraphMatcher
from smixup.matching.correspondence import shuffled_copy
from smixup.matching.siamese import SiameseMatcher, SiameseNetwork, distinct, graph_hashes

SMALL: dict[str, Any] = {
    "num_layers": 2,
    "hidden_channels": 8,
    "batch_size": 8,
    "max_steps": 4,
    "evaluate_every": 2,
}


@pytest.fixture
def fitted(graphs: GraphSet) -> SiameseMatcher:
    return SiameseMatcher(**SMALL, random_walk=4).fit(graphs)


def changed(batch: GraphBatch, place: int, weight: float) -> GraphBatch:
    adj = batch.adj.to_sparse()
    weights = adj.weight.clone()
    weights[place] += weight
    return batch.replace(adj=SparseOperator.from_entries(adj.row, adj.column, weights, adj.shape))


def test_flat_and_padded_graphs_have_the_same_embeddings(
    fitted: SiameseMatcher, graphs: GraphSet
) -> None:
    left, right = graphs[[0, 4, 3, 1]], graphs[[5, 2, 4, 4]]
    padded = GraphMatcher.__call__(fitted, left, right)
    torch.testing.assert_close(
        fitted(left, right).to_dense(), padded.to_dense(), atol=1e-5, rtol=1e-4
    )


def test_a_graph_is_embedded_without_its_partner(fitted: SiameseMatcher, graphs: GraphSet) -> None:
    (one,), (two,) = (list(fitted.pairs(graphs[[4]], graphs[[other]]).blocks()) for other in (0, 5))
    network = fitted.network
    assert isinstance(network, SiameseNetwork)
    assert torch.equal(network(one)[0], network(two)[0])


def test_every_graph_is_embedded_once(
    fitted: SiameseMatcher, graphs: GraphSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert isinstance(fitted.network, SiameseNetwork)
    embed, seen = fitted.network.embed, []

    def spy(x: Tensor, A: Any) -> Tensor:
        seen.append(x.size(0))
        return embed(x, A)

    left, right = graphs[[0, 0, 4, 5, 4]], graphs[[4, 0, 5, 4, 3]]
    pairs = [
        fitted(graphs[[i]], graphs[[j]]).to_dense()
        for i, j in zip([0, 0, 4, 5, 4], [4, 0, 5, 4, 3], strict=True)
    ]
    monkeypatch.setattr(fitted.network, "embed", spy)
    M = fitted(left, right).to_dense()
    assert seen == [int(graphs.sizes[[0, 3, 4, 5]].sum())]
    torch.testing.assert_close(M, torch.block_diag(*pairs), atol=1e-5, rtol=1e-4)


def test_distinct_graphs_and_where_their_nodes_are(graphs: GraphSet) -> None:
    batch = graphs[[4, 1, 4, 2, 0, 2]]
    once, nodes = distinct(batch)
    assert len(once) == 4
    assert torch.equal(once.x[nodes], batch.x)
    assert torch.equal(once.batch[nodes].unique(), torch.arange(4))
    torch.testing.assert_close(once.adj.row_sums()[nodes], batch.adj.row_sums())
    same, everything = distinct(graphs[[3, 2, 0]])
    assert len(same) == 3
    assert torch.equal(everything, torch.arange(13))


def test_hashes_tell_graphs_apart_that_differ_in_anything(
    graphs: GraphSet, permuted: Callable[..., Any]
) -> None:
    batch = graphs[[4]]
    elsewhere = graph_hashes(graphs[[1, 5, 4, 0]])[2]
    x = batch.x.clone()
    x[3, 1] += 1e-5
    swapped = batch.x.clone()
    swapped[[0, 1]] = batch.x[[1, 0]]
    others = [
        changed(batch, 0, 1e-5),
        batch.replace(x=x),
        batch.replace(x=swapped),
        permuted(batch, 1)[0],
        batch.replace(x=batch.x[:, :2]),
        graphs[[2]],
    ]
    assert int(graph_hashes(batch)) == int(elsewhere)
    assert len({int(graph_hashes(each)) for each in [batch, *others]}) == 7


@pytest.mark.slow
def test_it_learns_to_find_nodes(from_networkx: Callable[..., GraphSet]) -> None:
    graphs = from_networkx(
        [nx.gnp_random_graph(10, 0.4, seed=seed) for seed in range(24)], [0, 1] * 12
    )
    settings = SMALL | {
        "hidden_channels": 32,
        "max_steps": 60,
        "evaluate_every": 20,
        "batch_size": 16,
    }
    matcher = SiameseMatcher(**settings).fit(graphs)
    unseen = from_networkx([nx.gnp_random_graph(10, 0.4, seed=seed) for seed in range(100, 110)])[
        torch.arange(10)
    ]
    copy, origin = shuffled_copy(unseen, torch.Generator().manual_seed(0))
    assert self_match(matcher(unseen, copy), stable_colours(unseen), origin) > 0.9


def test_saved_and_loaded_it_is_still_siamese(
    fitted: SiameseMatcher, graphs: GraphSet, tmp_path: Path
) -> None:
    fitted.save(tmp_path / "m")
    loaded = GraphMatcher.load(tmp_path / "m")
    assert type(loaded) is SiameseMatcher
    left, right = graphs[[0, 4]], graphs[[5, 2]]
    assert torch.equal(loaded(left, right).to_dense(), fitted(left, right).to_dense())


def test_a_checkpoint_of_the_other_network_is_refused(graphs: GraphSet, tmp_path: Path) -> None:
    GraphMatcher(**SMALL).fit(graphs, checkpoint=tmp_path / "state")
    with pytest.raises(SmixupError):
        SiameseMatcher(**SMALL).fit(graphs, checkpoint=tmp_path / "state")


def test_wrong_graphs(fitted: SiameseMatcher, graphs: GraphSet) -> None:
    narrow = graphs[[0]].replace(x=graphs[[0]].x[:, :2])
    with pytest.raises(SmixupError, match="the right graphs have 2 node features"):
        fitted(graphs[[0]], narrow)
    with pytest.raises(SmixupError, match="has not learnt anything yet"):
        SiameseMatcher()(graphs[[0]], graphs[[0]])
