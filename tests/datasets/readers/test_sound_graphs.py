"""What does not fit together in a list of PyG graphs is named by the graph in which it stands."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch_geometric.data import Data

from smixup.datasets.readers.sound_graphs import require_sound
from smixup.errors import SmixupError

EDGES = torch.tensor([[0, 1], [1, 0]])


def data(**fields: Any) -> Data:
    return Data(**({"x": torch.ones(2, 1), "edge_index": EDGES} | fields))


def test_usual_graphs_pass() -> None:
    require_sound([])
    require_sound([data(), data(edge_index=EDGES[:, :0])])
    require_sound([Data(num_nodes=3), Data(edge_index=EDGES, num_nodes=2)])
    require_sound([data(x=torch.ones(2, 1, dtype=torch.long), edge_attr=torch.ones(2, 3))])
    require_sound([data(edge_attr=torch.ones(2)), data(edge_attr=torch.zeros(2))])
    require_sound([data(x=torch.ones(0, 1), edge_index=EDGES[:, :0])])
    require_sound([data(y=torch.tensor([[1.0, torch.nan]])), data(y=torch.tensor(2.0))])
    require_sound([data(y=torch.tensor([torch.inf]))], targets=False)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"edge_index": EDGES + 1}, "graph 1 has an edge at node 2, and its 2 nodes are numbered"),
        ({"edge_index": EDGES - 1}, "graph 1 has an edge at node -1"),
        ({"edge_index": EDGES.float()}, r"edge_index of graph 1 is float32 \[2, 2\]"),
        ({"edge_index": EDGES.reshape(4)}, r"is int64 \[4\], where integer \[2, m\] is needed"),
        (
            {"x": torch.ones(2, 3)},
            r"has x with rows of shape \[3\], and graph 0 has x with .* \[1\]",
        ),
        ({"x": None, "num_nodes": 2}, "graph 1 has no x, and graph 0 has x with rows of shape"),
        ({"edge_attr": torch.ones(2, 1)}, "graph 1 has edge_attr .*, and graph 0 has no edge_attr"),
        ({"edge_weight": torch.ones(3)}, "graph 1 has 3 rows of edge_weight, and 2 edges"),
        ({"x": torch.tensor([[1.0], [torch.nan]])}, "x of graph 1 holds .* finite .* in row 1"),
        ({"x": torch.full((2, 1), 1e39, dtype=torch.float64)}, "not finite in single precision"),
        ({"x": torch.ones(2, 1, dtype=torch.cfloat)}, "x of graph 1 is complex"),
        ({"x": torch.full((2, 1), -torch.inf)}, "x of graph 1 holds a number that is not finite"),
        ({"y": torch.tensor([torch.inf])}, "y of graph 1 holds a number that is not finite"),
        ({"y": torch.tensor(torch.inf)}, "y of graph 1 holds a number that is not finite"),
    ],
)
def test_what_does_not_fit_is_refused(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(SmixupError, match=words):
        require_sound([data(), data(**fields)])


@pytest.mark.parametrize("name", ["edge_attr", "edge_weight"])
@pytest.mark.parametrize("odd", [torch.nan, torch.inf, 1e39])
def test_so_are_numbers_of_edges_that_are_not_finite(name: str, odd: float) -> None:
    numbers = torch.tensor([1.0, odd], dtype=torch.float64)
    told = f"{name} of graph 1 holds a number that is not finite in single precision in row 1"
    with pytest.raises(SmixupError, match=told):
        require_sound([data(**{name: torch.ones(2)}), data(**{name: numbers})])
