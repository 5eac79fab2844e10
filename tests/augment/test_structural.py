"""Features made from degrees follow the graph; given features stay."""

from __future__ import annotations

import torch

from smixup.augment.structural import StructuralAugmentation
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
