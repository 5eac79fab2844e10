"""What every backbone of the registry must do, whatever its layers are."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch_geometric.data import Data

from smixup.app.runs.registry import BACKBONES, takes_edge_features
from smixup.classifiers import Classifier
from smixup.graphs import BlockOperator, Graphs, SparseOperator, padding_of
from smixup.graphs.pyg import from_pyg, to_pyg

NORMS = pytest.mark.parametrize("batch_norm", [False, True], ids=["plain", "batch norm"])


@pytest.fixture
def graphs(graphs: Graphs, device: torch.device) -> Graphs:
    return graphs.to(device)


@pytest.fixture(params=BACKBONES)
def make(request: pytest.FixtureRequest, device: torch.device) -> Callable[..., Classifier]:
    """A small classifier of every kind, the same at every call."""

    def build(**settings: int | float | bool) -> Classifier:
        torch.manual_seed(0)
        options = {"hidden_channels": 8, "num_layers": 3} | settings
        kind = BACKBONES.factory(request.param)
        if not takes_edge_features(request.param):
            return kind(3, 2, **options).to(device)
        return featured(kind)(3, 2, num_edge_features=2, **options).to(device)

    return build


def featured(kind: Callable[..., Classifier]) -> Callable[..., Classifier]:
    """A backbone that takes features of edges, which get them from their weights here."""

    class Featured(kind):  # type: ignore[misc, valid-type]
        def nodes(self, batch: Graphs) -> Tensor:
            ones = batch.adj  # an entry is weight times feature
            twos = batch.x.new_full((batch.num_nodes,), 2.0) * batch.adj
            return super().nodes(batch.replace(edge_attrs={"edge_attr": (ones, twos)}))

    return Featured


def in_blocks(batch: Graphs, waste: int) -> Graphs:
    padding = padding_of(batch.ptr, waste=waste)
    return batch.replace(adj=BlockOperator.from_sparse(batch.adj.to_sparse(), padding, padding))


def variants(batch: Graphs) -> dict[str, Graphs]:
    """The same graphs with adjacencies of every make."""
    halves = batch.x.new_full((batch.num_nodes,), 0.5)
    blocks = {f"blocks of {budget}": in_blocks(batch, budget) for budget in (1, 40, 2**17)}
    split = halves * batch.adj + halves * blocks["blocks of 40"].adj
    return {"sparse": batch, **blocks, "sum": batch.replace(adj=split)}


def outcome(model: Classifier, batch: Graphs) -> tuple[Tensor, ...]:
    """Logits and the gradients of all parameters."""
    logits = model(batch)
    return (logits, *torch.autograd.grad(logits.pow(2).sum(), list(model.parameters())))


@NORMS
def test_all_operators_agree_in_values_and_gradients(
    make, graphs: Graphs, batch_norm: bool
) -> None:  # type: ignore[no-untyped-def]
    batch = graphs[[4, 0, 1, 2, 5]]
    expected = outcome(make(batch_norm=batch_norm), batch)
    for name, variant in variants(batch).items():
        found = outcome(make(batch_norm=batch_norm), variant)
        torch.testing.assert_close(
            found, expected, rtol=1e-4, atol=1e-5, msg=lambda text, name=name: f"{name}: {text}"
        )


@NORMS
def test_a_device_gives_the_logits_of_another(make, graphs: Graphs, batch_norm: bool) -> None:  # type: ignore[no-untyped-def]
    model = make(batch_norm=batch_norm)
    found, expected = outcome(model, graphs), outcome(model.to("cpu"), graphs.to("cpu"))
    assert {each.device for each in found} == {graphs.device}
    torch.testing.assert_close(tuple(each.cpu() for each in found), expected, rtol=1e-4, atol=1e-5)


@NORMS
def test_originals_and_mixes_side_by_side(make, graphs: Graphs, batch_norm: bool) -> None:  # type: ignore[no-untyped-def]
    stacked = Graphs.cat([graphs[[4, 0]], in_blocks(graphs[[1, 2, 5]], 40)])
    expected, found = (
        outcome(make(batch_norm=batch_norm), b) for b in (graphs[[4, 0, 1, 2, 5]], stacked)
    )
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)


def permuted(batch: Graphs, seed: int) -> Graphs:
    """Shuffle the nodes within each graph."""
    generator = torch.Generator().manual_seed(seed)
    order = torch.cat(
        [
            b + torch.randperm(int(n), generator=generator).to(batch.device)
            for b, n in zip(batch.ptr, batch.sizes, strict=False)
        ]
    )
    adj = batch.adj.to_dense()[order][:, order]
    target, source = adj.nonzero(as_tuple=True)
    moved = SparseOperator.from_edges(
        torch.stack([source, target]), adj[target, source], batch.num_nodes
    )
    return batch.replace(x=batch.x[order], adj=moved)


@settings(
    deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(sizes=st.lists(st.integers(1, 8), min_size=1, max_size=6), seed=st.integers(0, 1000))
def test_any_graphs_in_any_order_of_nodes(  # type: ignore[no-untyped-def]
    make, make_graphs, device: torch.device, sizes: list[int], seed: int
) -> None:
    graphs: Graphs = make_graphs(sizes, seed=seed).to(device)
    model, batch = make().eval(), graphs[range(len(sizes))]
    expected = model(batch)
    assert expected.shape == (len(sizes), 2)
    assert expected.isfinite().all()
    torch.testing.assert_close(model(permuted(batch, seed)), expected, rtol=1e-4, atol=1e-5)
    for variant in variants(batch).values():
        torch.testing.assert_close(model(variant), expected, rtol=1e-4, atol=1e-5)


def test_graphs_do_not_see_each_other(make, graphs: Graphs) -> None:  # type: ignore[no-untyped-def]
    model = make().eval()
    together = model(graphs[range(7)])
    torch.testing.assert_close(together, torch.cat([model(graphs[[i]]) for i in range(7)]))


def test_weights_on_edges_matter_and_weight_zero_is_no_edge(make, graphs: Graphs) -> None:  # type: ignore[no-untyped-def]
    model, batch = make().eval(), graphs[[4]]
    none = batch.replace(adj=batch.x.new_zeros(9) * batch.adj)
    edgeless = SparseOperator.from_edges(batch.ptr.new_zeros(2, 0), batch.x.new_zeros(0), 9)
    torch.testing.assert_close(model(none), model(batch.replace(adj=edgeless)))
    assert not torch.allclose(model(none), model(batch))
    assert not torch.allclose(
        model(batch.replace(adj=batch.x.new_full((9,), 0.5) * batch.adj)), model(batch)
    )


def test_unit_weights_equal_no_weights(make, graphs: Graphs) -> None:  # type: ignore[no-untyped-def]
    parts = to_pyg(graphs[[0, 4]]).to_data_list()
    plain = [Data(x=part.x, edge_index=part.edge_index, y=part.y) for part in parts]
    ones = [Data(**each.to_dict(), edge_weight=each.x.new_ones(each.num_edges)) for each in plain]
    model = make().eval()
    torch.testing.assert_close(*(model(from_pyg(data)[[0, 1]]) for data in (plain, ones)))


def test_training_step_without_any_edge(make, make_graphs, device: torch.device) -> None:  # type: ignore[no-untyped-def]
    batch = make_graphs([1, 1, 3]).to(device)
    assert all(each.isfinite().all() for each in outcome(make(), batch))


def test_gradients_by_finite_differences(make, graphs: Graphs) -> None:  # type: ignore[no-untyped-def]
    model = make(hidden_channels=4, num_layers=2).double()
    for batch in variants(graphs[[0, 1, 3]]).values():
        x = batch.x.double().requires_grad_()
        fast = batch.device.type != "cpu"  # one direction: there, all goes through Python
        assert torch.autograd.gradcheck(
            lambda x, batch=batch: model(batch.replace(x=x)), x, fast_mode=fast
        )


def test_features_and_batch_are_left_alone(make, graphs: Graphs) -> None:  # type: ignore[no-untyped-def]
    batch = graphs[[0, 4]]
    before = [batch.x.clone(), batch.adj.to_dense(), batch.y.clone()]
    outcome(make(), batch)
    torch.testing.assert_close([batch.x, batch.adj.to_dense(), batch.y], before)
