"""Features made from degrees follow the graph if they are to; given features stay."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
import torch

from smixup.augment import DropEdge, DropNode, GraphTransplant, Subgraph, SubMix
from smixup.augment.structural import GivenNodes, StructuralAugmentation
from smixup.datasets.features import StandardisedDegree
from smixup.graphs import Graphs


class Nothing(StructuralAugmentation):
    purpose = "nothing"


def test_only_features_made_from_degrees_are_made_again(graphs: Graphs) -> None:
    method, batch = Nothing(), graphs[range(7)]
    method.fit_extend(graphs)
    assert method.encoded(batch) is batch
    method.fit_extend(graphs.replace(degree_encoding=StandardisedDegree(1.0, 2.0)))
    expected = (batch.adj.to_dense().sum(1) - 1) / 2
    torch.testing.assert_close(method.encoded(batch).x, expected.unsqueeze(1))


GIVEN_NODES: list[Callable[..., GivenNodes]] = [
    DropEdge,
    DropNode,
    Subgraph,
    SubMix,
    partial(GraphTransplant, keep_originals=False),
]


@pytest.mark.parametrize("method", GIVEN_NODES)
def test_given_nodes_bring_their_features_along(
    method: Callable[..., GivenNodes], graphs: Graphs
) -> None:
    """As published; degrees of what is left are other features than those of whole graphs."""
    encode = StandardisedDegree(1.0, 2.0)
    degrees = graphs.adj.row_sizes()
    by_degree = graphs.replace(x=encode(degrees), degree_encoding=encode)
    marked = by_degree.replace(node_attrs={"before": degrees})
    kept, anew = method(seed=0), method(seed=0, encode_degrees=True)
    for each in (kept, anew):
        each.fit_extend(marked)
    left, follows = kept.on_batch(marked), anew.on_batch(marked)
    torch.testing.assert_close(left.x, encode(left.node_attrs["before"]))
    torch.testing.assert_close(follows.x, encode(follows.adj.row_sizes()))
    assert not torch.equal(left.x, follows.x)
