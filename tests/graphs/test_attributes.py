"""Of every attribute it is known what it speaks of, or it is refused by name."""

from __future__ import annotations

import pytest
import torch
from torch_geometric.data import Batch, Data

from smixup.errors import SmixupError
from smixup.graphs.attributes import attribute_kinds, edge_ptr, followed, require_mixable


def graph(n: int, **attributes: object) -> Data:
    line = torch.stack([torch.arange(n - 1), torch.arange(1, n)])
    return Data(x=torch.rand(n, 2), edge_index=line, y=torch.tensor([0]), **attributes)


def batch_of(*attributes: dict[str, object], **settings: object) -> Batch:
    return Batch.from_data_list(
        [graph(3 + place, **each) for place, each in enumerate(attributes)], **settings
    )


def test_what_attributes_speak_of() -> None:
    batch = batch_of(
        *(
            {
                "pos": torch.rand(n, 2),
                "length": torch.rand(n - 1),
                "u": torch.rand(1, 4),
                "two": torch.rand(2),
                "name": "a graph",
            }
            for n in (3, 4)
        )
    )
    assert attribute_kinds(batch) == {
        "pos": "node",
        "length": "edge",
        "u": "graph",
        "two": "graph",
        "name": "list",
    }


def test_a_name_decides_where_numbers_of_rows_do_not() -> None:
    """Rings have as many nodes as edges."""
    edges = torch.tensor([[0, 1, 2], [1, 2, 0]])
    rings = [Data(edge_index=edges, num_nodes=3, edge_kind=torch.rand(3), size=torch.rand(3))] * 2
    assert attribute_kinds(Batch.from_data_list(rings)) == {"edge_kind": "edge", "size": "node"}


def test_what_a_loader_adds_follows_something() -> None:
    batch = batch_of({}, {}, follow_batch=["x"])
    assert followed(batch, "x_batch") == followed(batch, "x_ptr") == "x"
    assert followed(batch, "x") is None
    assert attribute_kinds(batch) == {"x_batch": "follows", "x_ptr": "follows"}


def test_edges_begin_where_slices_say_and_where_nodes_say() -> None:
    batch = batch_of({}, {}, {})
    expected = [0, 2, 5, 9]
    assert edge_ptr(batch).tolist() == expected
    del batch._slice_dict["edge_index"]
    assert edge_ptr(batch).tolist() == expected


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"foo_index": torch.tensor([0, 1])}, r"'foo_index' \(Tensor\) cannot be carried"),
        ({"about": {"mass": torch.rand(1)}}, r"'about' \(dict\) cannot be carried"),
        ({"odd": None}, "'odd' with 3 rows has neither one per node"),
    ],
)
def test_what_cannot_come_along_is_refused(attributes: dict[str, object], message: str) -> None:
    own = [dict(attributes), dict(attributes)]
    if "odd" in attributes:
        own = [{"odd": torch.rand(1)}, {"odd": torch.rand(2)}]
    with pytest.raises(SmixupError, match=message):
        attribute_kinds(batch_of(*own))


def test_codes_of_edges_cannot_be_averaged_and_indicators_can() -> None:
    codes = batch_of({"bond": torch.tensor([1, 3])}, {"bond": torch.tensor([0, 1, 2])})
    with pytest.raises(SmixupError, match="the edge attribute 'bond' holds whole numbers"):
        require_mixable(codes)
    require_mixable(batch_of({"bond": torch.tensor([1, 0])}, {"bond": torch.tensor([0, 1, 1])}))
    require_mixable(batch_of({"bond": torch.rand(2)}, {"bond": torch.rand(3)}))
