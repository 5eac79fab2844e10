"""What `y` means, row by row of the table in `graphs/targets.py`."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Batch, Data

from smixup.errors import SmixupError
from smixup.graphs import Graphs, require_classes, require_labels
from smixup.graphs.pyg import from_pyg
from smixup.graphs.targets import given_back, read_targets, require_finite

NAN = float("nan")


def graphs_with(y: list[Tensor], sizes: tuple[int, ...] = (3, 2, 4)) -> list[Data]:
    nothing = torch.empty(2, 0, dtype=torch.long)
    return [Data(edge_index=nothing, num_nodes=n, y=own) for n, own in zip(sizes, y, strict=False)]


def batch_of(*y: Tensor) -> Batch:
    return Batch.from_data_list(graphs_with(list(y)))


# What y holds, graph by graph; its width as targets; whether these are classes; shape given back.
ROWS = {
    "class numbers": ([[0], [2], [1]], 3, True, (3, 3)),
    "class numbers in columns": ([[[0]], [[2]], [[1]]], 3, True, (3, 3)),
    "two classes in a column": ([[[0]], [[1]], [[1]]], 2, True, (3, 1)),
    "two classes": ([[0], [1], [1]], 2, True, (3, 2)),
    "truth values": ([[True], [False], [True]], 2, True, (3, 2)),
    "rows of shares": ([[[0.5, 0.5]], [[1, 0]], [[0.2, 0.8]]], 2, True, (3, 2)),
    "nearly shares": ([[[0.5, 0.51]], [[1, 0]], [[0.2, 0.8]]], 2, False, (3, 2)),
    "sums of one below zero": ([[[1.5, -0.5]], [[1, 0]], [[0.2, 0.8]]], 2, False, (3, 2)),
    "quantities": ([[0.5], [1.5], [-2.0]], 1, False, (3,)),
    "ones as floats": ([[1.0], [1.0], [1.0]], 1, False, (3,)),
    "quantities in columns": ([[[0.5]], [[2.5]], [[1.0]]], 1, False, (3, 1)),
    "several quantities": ([[[1.5, 2.0]], [[2.5, 0.5]], [[0.1, 7.0]]], 2, False, (3, 2)),
    "several in a flat row": ([[1.5, 2.0], [2.5, 0.5], [0.1, 7.0]], 2, False, (6,)),
    "labels, some unknown": ([[[1, NAN]], [[0, 1.0]], [[1, 1]]], 2, False, (3, 2)),
    "labels as integers": ([[[1, 1]], [[0, 1]], [[0, 0]]], 2, False, (3, 2)),
    "integers below zero": ([[[1, -1]], [[0, 7]], [[0, 0]]], 2, False, (3, 2)),
    "below minus one": ([[[1, -1]], [[0, -2]], [[0, 0]]], 2, False, (3, 2)),
    "a matrix each": ([[[[1.5, 2.0]]], [[[2.5, 0.5]]], [[[0.1, 7.0]]]], 2, False, (3, 1, 2)),
}


@pytest.mark.parametrize("row", ROWS)
def test_targets_are_read_and_given_back(row: str) -> None:
    y, width, has_classes, back = ROWS[row]
    batch = batch_of(*torch.tensor(y))
    targets, are_classes = read_targets(batch)
    assert (tuple(targets.shape), are_classes) == ((3, width), has_classes)
    again = given_back(targets, batch.y, 3)
    assert tuple(again.shape) == back
    assert again.is_floating_point()
    if not has_classes or row == "rows of shares":
        torch.testing.assert_close(again, batch.y.float(), equal_nan=True)
    else:
        assert targets.argmax(1).tolist() == batch.y.long().flatten().tolist()


def test_what_is_known_beside_the_numbers() -> None:
    mixed = torch.tensor([[0.7, 0.3], [0.0, 1.0], [1.0, 0.0], [0.5, 0.5]])
    binary = batch_of(*torch.tensor([[[0]], [[1]], [[1]]]))
    assert given_back(mixed, binary.y, 3).flatten().tolist() == mixed[:, 1].tolist()
    one_each = torch.tensor([[[1.0, 0.0]], [[0.0, 1.0]], [[1.0, 0.0]]])
    assert read_targets(batch_of(*one_each))[1]
    assert not read_targets(batch_of(*one_each), has_classes=False)[1]
    assert read_targets(batch_of(*torch.tensor([[0], [1], [0]])), 4)[0].shape == (3, 4)
    y = torch.rand(3, 1, dtype=torch.double)
    assert given_back(y.float(), y, 3).dtype == torch.double
    without = Batch.from_data_list(graphs_with([None]))  # type: ignore[list-item]
    nothing, has_classes = read_targets(without)
    assert (nothing.shape, has_classes) == ((1, 0), True)
    singles = graphs_with([torch.tensor([k]) for k in (0, 1, 1)], (1, 1, 1))
    assert read_targets(Batch.from_data_list(singles))[0].argmax(1).tolist() == [0, 1, 1]


def test_integers_that_look_like_quantities_are_warned_of() -> None:
    def read(values: list[float], number: int = 30) -> Graphs:
        return from_pyg(graphs_with([torch.tensor([v]) for v in values[:number]], (3,) * number))

    with pytest.warns(UserWarning, match=r"25 of them among 30 graphs.*data\.y\.float\(\)"):
        read([i % 25 for i in range(30)])
    with pytest.warns(UserWarning, match="20 of them among 20"):
        read(list(range(20)), 20)
    read([i % 15 for i in range(30)])
    read(list(range(19)), 19)
    read([float(i) for i in range(30)])


def test_what_is_no_target_is_refused(graphs: Graphs) -> None:
    def read(y: object, num_classes: int | None = None) -> tuple[Tensor, bool]:
        return read_targets(batch_of(*torch.tensor(y)), num_classes)

    texts = graphs_with([torch.zeros(1)] * 3)
    for data in texts:
        data.y = "toxic"
    some = graphs_with([torch.ones(1)] * 3)
    some[1].y = None
    unequal = graphs_with([torch.zeros(1), torch.zeros(2)], (4, 5))
    of_nodes = [
        graphs_with([torch.zeros(n) for n in sizes], sizes) for sizes in ((3, 2, 4), (3, 3))
    ]
    values = graphs.replace(has_classes=False)
    cases = [
        (lambda: read([[0], [3], [1]], 2), r"class 3, but only the classes 0 to 1.*num_classes=4"),
        (lambda: read([[0], [2], [1]], 2), r"class 2, but only .*num_classes=3"),
        (lambda: read([[-1], [1], [1]]), "class numbers 0, 1, 2, .*but y has -1"),
        (lambda: read([[1.0], [torch.inf], [0.5]]), "graph 1 is infinite.*NaN"),
        (lambda: read([[[1, -1]], [[0, 1]], [[0, 0]]]), "-1 beside labels.*NaN"),
        (
            lambda: read([[0], [1], [2**16 - 1]]),
            "but y has 65535.*make y float",
        ),
        (lambda: read([[1j], [2j], [0j]]), "y is a torch.complex64 where"),
        (lambda: read_targets(Batch.from_data_list(of_nodes[0])), "one value per node"),
        (lambda: read_targets(Batch.from_data_list(of_nodes[1])), "one value per node"),
        (lambda: read_targets(Batch.from_data_list(unequal)), "3 target values do not divide amo"),
        (lambda: read_targets(Batch.from_data_list(texts)), "y is a list where a tensor of real"),
        (lambda: from_pyg(some), "graph 1 has no y"),
        (lambda: require_labels(graphs.replace(y=graphs.y[:, :0])), "the graphs have no labels"),
        (lambda: values.labels, "classes are needed here, but the targets are values"),
        (lambda: require_classes(values), "make y integer if they are class numbers"),
    ]
    for call, message in cases:
        with pytest.raises(SmixupError, match=message):
            call()
    require_labels(graphs)
    require_classes(graphs)
    assert read([[0], [1], [2**16 - 2]])[0].shape == (3, 2**16 - 1)


def test_the_first_infinite_target_is_named_and_unknown_ones_are_no_fault() -> None:
    y = torch.tensor([[0.0, 1.0], [NAN, 2.0], [3.0, 4.0], [5.0, 6.0]])
    require_finite(y)
    require_finite(y[:, :0])
    for value in (float("inf"), float("-inf")):
        spoilt = y.clone()
        spoilt[2, 1] = spoilt[3, 0] = value
        with pytest.raises(SmixupError, match="the target of graph 2 is infinite: leave the graph"):
            require_finite(spoilt)
