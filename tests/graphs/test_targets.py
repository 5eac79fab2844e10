"""What `y` means, row by row of the table in `graphs/targets.py`."""

from __future__ import annotations

import warnings

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Batch, Data

from smixup.errors import SmixupError
from smixup.graphs.pyg import from_pyg
from smixup.graphs.targets import given_back, read_targets

NAN = float("nan")


def graphs(y: list[Tensor], sizes: tuple[int, ...] = (3, 2, 4)) -> list[Data]:
    nothing = torch.empty(2, 0, dtype=torch.long)
    return [
        Data(edge_index=nothing, num_nodes=n, y=each) for n, each in zip(sizes, y, strict=False)
    ]


def batch_of(*y: Tensor) -> Batch:
    return Batch.from_data_list(graphs(list(y)))


ROWS = {
    "class numbers": (torch.tensor([[0], [2], [1]]), (3, 3), True, (3, 3)),
    "class numbers in columns": (torch.tensor([[[0]], [[2]], [[1]]]), (3, 3), True, (3, 3)),
    "two classes in a column": (torch.tensor([[[0]], [[1]], [[1]]]), (3, 2), True, (3, 1)),
    "two classes": (torch.tensor([[0], [1], [1]]), (3, 2), True, (3, 2)),
    "truth values": (torch.tensor([[True], [False], [True]]), (3, 2), True, (3, 2)),
    "rows of shares": (torch.tensor([[[0.5, 0.5]], [[1, 0]], [[0.2, 0.8]]]), (3, 2), True, None),
    "quantities": (torch.tensor([[0.5], [1.5], [-2.0]]), (3, 1), False, (3,)),
    "zeros and ones as floats": (torch.tensor([[0.0], [1.0], [1.0]]), (3, 1), False, (3,)),
    "quantities in columns": (torch.rand(3, 1, 1), (3, 1), False, (3, 1)),
    "several quantities": (torch.rand(3, 1, 4) + 1, (3, 4), False, (3, 4)),
    "several in a flat row": (torch.rand(3, 4) + 1, (3, 4), False, (12,)),
    "labels, some unknown": (torch.tensor([[[1, NAN]], [[0, 1.0]], [[1, 1]]]), (3, 2), False, None),
    "labels as integers": (torch.tensor([[[1, 1]], [[0, 1]], [[0, 0]]]), (3, 2), False, (3, 2)),
    "a matrix each": (torch.rand(3, 1, 2, 2) + 1, (3, 4), False, (3, 2, 2)),
}


@pytest.mark.parametrize("row", ROWS)
def test_targets_are_read_and_given_back(row: str) -> None:
    y, shape, has_classes, back = ROWS[row]
    batch = batch_of(*y)
    found = read_targets(batch)
    assert (tuple(found.y.shape), found.has_classes) == (shape, has_classes)
    again = given_back(found.y, batch.y, 3)
    assert tuple(again.shape) == (back or shape)
    assert again.is_floating_point()
    if not has_classes or row == "rows of shares":
        torch.testing.assert_close(again, batch.y.float(), equal_nan=True)


def test_the_share_of_class_one_is_what_a_binary_loss_expects() -> None:
    batch = batch_of(*torch.tensor([[[0]], [[1]], [[1]]]))
    mixed = torch.tensor([[0.7, 0.3], [0.0, 1.0], [1.0, 0.0], [0.5, 0.5]])
    expected = torch.tensor([[0.3], [1.0], [0.0], [0.5]])
    torch.testing.assert_close(given_back(mixed, batch.y, 3), expected)


def test_what_fit_has_seen_counts_more_than_one_batch() -> None:
    one_each = torch.tensor([[[1.0, 0.0]], [[0.0, 1.0]], [[1.0, 0.0]]])
    assert read_targets(batch_of(*one_each)).has_classes
    assert not read_targets(batch_of(*one_each), has_classes=False).has_classes


def test_the_width_is_the_number_of_classes_if_known() -> None:
    assert read_targets(batch_of(*torch.tensor([[0], [1], [0]])), 4).y.shape == (3, 4)


def test_no_targets() -> None:
    batch = Batch.from_data_list([Data(x=torch.rand(2, 1), edge_index=torch.empty(2, 0).long())])
    found = read_targets(batch)
    assert found.y.shape == (1, 0)
    assert found.has_classes, "what asks for labels then says that there are none"


def test_double_stays_double() -> None:
    y = torch.rand(3, 1, dtype=torch.double)
    assert given_back(y.float(), y, 3).dtype == torch.double


@pytest.mark.parametrize(
    ("y", "num_classes", "message"),
    [
        (torch.tensor([[0], [3], [1]]), 2, r"class 3, but only the classes 0 to 1.*num_classes=4"),
        (torch.tensor([[0], [2], [1]]), 2, r"class 2, but only the classes 0 to 1.*num_classes=3"),
        (torch.tensor([[-1], [1], [1]]), None, "class numbers 0, 1, 2, .*but y has -1"),
        (torch.tensor([[-3], [-1], [-2]]), None, "y has -3"),
    ],
)
def test_labels_that_are_no_class_numbers(y: Tensor, num_classes: int | None, message: str) -> None:
    with pytest.raises(SmixupError, match=message):
        read_targets(batch_of(*y), num_classes)


def test_targets_of_nodes_are_refused_whatever_the_sizes() -> None:
    for sizes in ((3, 2, 4), (3, 3, 3)):
        data = graphs([torch.zeros(n) for n in sizes], sizes)
        with pytest.raises(SmixupError, match="one value per node"):
            read_targets(Batch.from_data_list(data))


def test_graphs_of_one_node_have_targets_of_their_own() -> None:
    found = read_targets(
        Batch.from_data_list(graphs([torch.tensor([k]) for k in (0, 1, 1)], (1, 1, 1)))
    )
    assert found.has_classes and found.y.argmax(1).tolist() == [0, 1, 1]


def test_targets_that_do_not_divide_among_the_graphs() -> None:
    with pytest.raises(SmixupError, match="3 target values do not divide among 2 graphs"):
        read_targets(Batch.from_data_list(graphs([torch.zeros(1), torch.zeros(2)], (4, 5))))


def test_names_are_no_targets() -> None:
    data = graphs([torch.zeros(1)] * 3)
    for each in data:
        each.y = "toxic"
    with pytest.raises(SmixupError, match="y is a list where a tensor is needed"):
        read_targets(Batch.from_data_list(data))


def test_integers_that_look_like_quantities_are_warned_of() -> None:
    sizes = (3,) * 30
    with pytest.warns(UserWarning, match=r"25 of them among 30 graphs.*data\.y\.float\(\)"):
        from_pyg(graphs([torch.tensor([i % 25]) for i in range(30)], sizes))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        from_pyg(graphs([torch.tensor([i % 10]) for i in range(30)], sizes))
        from_pyg(graphs([torch.tensor([float(i)]) for i in range(30)], sizes))


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (torch.tensor([[1.0], [torch.inf], [0.5]]), "graph 1 is infinite.*NaN"),
        (torch.tensor([[[1, -1]], [[0, 1]], [[0, 0]]]), "-1 beside labels.*NaN"),
        (torch.tensor([[0], [1], [70_000]]), "70000 is no number of a class.*make y float"),
        (torch.tensor([[1j], [2j], [0j]]), "complex"),
    ],
    ids=["infinite", "minus one", "huge", "complex"],
)
def test_what_is_no_target(y: Tensor, message: str) -> None:
    with pytest.raises(SmixupError, match=message):
        read_targets(batch_of(*y))


def test_quantities_below_zero_are_no_unknown_labels() -> None:
    assert not read_targets(batch_of(*torch.tensor([[[1, -1]], [[0, 7]], [[0, 0]]]))).has_classes


def test_all_graphs_have_a_target_or_none() -> None:
    graphs = [Data(x=torch.rand(2, 1), edge_index=torch.empty(2, 0).long()) for _ in range(3)]
    graphs[0].y = graphs[2].y = torch.tensor([1.0])
    with pytest.raises(SmixupError, match="graph 1 has no y"):
        from_pyg(graphs)
