"""The readout averages over each graph, as PyG's pooling does."""

from __future__ import annotations

from collections.abc import Callable

import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch_geometric.nn import global_mean_pool

from smixup.graphs import Graphs, MeanReadout
from smixup.graphs.ragged import offsets, row_of


def test_two_graphs_by_hand() -> None:
    h = torch.tensor([[1.0, 2.0], [3.0, 6.0], [5.0, 5.0]])
    assert (MeanReadout(torch.tensor([0, 2, 3])) @ h).tolist() == [[2.0, 4.0], [5.0, 5.0]]


def test_a_graph_without_nodes_reads_zero_and_takes_no_gradient() -> None:
    h = torch.tensor([[4.0], [6.0]], requires_grad=True)
    out = MeanReadout(torch.tensor([0, 0, 2, 2])) @ h
    assert out.tolist() == [[0.0], [5.0], [0.0]]
    out.sum().backward()
    assert h.grad is not None
    assert h.grad.tolist() == [[0.5], [0.5]]


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sizes=st.lists(st.integers(0, 9), min_size=1, max_size=8).filter(any))
def test_any_graphs(
    make_graphs: Callable[..., Graphs], device: torch.device, sizes: list[int]
) -> None:
    h, ptr = make_graphs(sizes).x.to(device), offsets(torch.tensor(sizes, device=device))
    readout = MeanReadout(ptr)
    torch.testing.assert_close(readout @ h, global_mean_pool(h, row_of(ptr), size=len(sizes)))
    torch.testing.assert_close(readout.to_dense(), readout.to_sparse().to_dense())
    torch.testing.assert_close(readout.T.to_dense(), readout.to_dense().T)
    torch.testing.assert_close(readout.T.to_sparse().to_dense(), readout.to_dense().T)
    assert readout.T.shape == readout.shape[::-1]


def test_gradient_by_finite_differences() -> None:
    readout = MeanReadout(torch.tensor([0, 2, 2, 5]))
    h = torch.randn(5, 2, dtype=torch.double, requires_grad=True)
    assert torch.autograd.gradcheck(lambda h: readout @ h, h)
    assert torch.autograd.gradgradcheck(lambda h: (readout @ h).pow(2), h)
