"""Norms of batches of one node, and of rows that stand for several nodes of a colour."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy

import pytest
import torch
from torch import Tensor, nn

from smixup.augment.norms import NormGuard, rows_of
from smixup.classifiers import GIN, gin
from smixup.classifiers.counted_norm import CountedNorm, can_count, counted_norm
from smixup.classifiers.node_norm import NodeNorm
from smixup.datasets.motif import motif_dataset
from smixup.graphs import Graphs

close = torch.testing.assert_close


def test_one_node_is_normalised_as_at_test_and_several_as_ever(
    make_graphs: Callable[..., Graphs],
) -> None:
    ours, plain = NodeNorm(3), nn.BatchNorm1d(3)
    nn.init.constant_(ours.weight, 2.0)
    nn.init.constant_(ours.bias, 0.5)
    plain.load_state_dict(ours.state_dict())
    x = torch.randn(5, 3)
    assert torch.equal(ours(x), plain(x))
    close(list(ours.buffers()), list(plain.buffers()))
    assert torch.equal(ours.eval()(x[:1]), plain.eval()(x[:1]))
    alone, before = ours.train()(x[:1]), [buffer.clone() for buffer in plain.buffers()]
    close(alone, plain(x[:1]))
    assert torch.equal(counted_norm(ours, x[:1], torch.tensor([1.0])), alone) and can_count(ours)
    assert ours(torch.zeros(0, 3)).shape == (0, 3)
    close(list(ours.buffers()), before)
    model = GIN(3, 2, hidden_channels=4, num_layers=2, batch_norm=True)
    model(make_graphs([1])).sum().backward()
    assert all(parameter.grad is not None for parameter in model.parameters())


@pytest.mark.parametrize("momentum", [0.1, None])
def test_counted_rows_are_normalised_as_if_all_nodes_were_there(momentum: float | None) -> None:
    random = torch.Generator().manual_seed(0)
    colour = torch.randint(5, (40,), generator=random)
    rows, g = (torch.randn(n, 3, generator=random, dtype=torch.double) for n in (5, 40))
    ours, plain = (nn.BatchNorm1d(3, momentum=momentum).double() for _ in range(2))
    for norm in (ours, plain):
        nn.init.constant_(norm.weight, 1.5)
        nn.init.constant_(norm.bias, 0.5)
    for _ in range(2):  # running statistics follow twice
        x1, x2 = rows.clone().requires_grad_(), rows.clone().requires_grad_()
        few = counted_norm(ours, x1, torch.bincount(colour, minlength=5).double())
        every = plain(x2[colour])
        close(few[colour], every)
        (few[colour] * g).sum().backward()
        (every * g).sum().backward()
        close(x1.grad, x2.grad)
    for mine, theirs in zip(ours.parameters(), plain.parameters(), strict=True):
        close(mine.grad, theirs.grad)
    close(list(ours.buffers()), list(plain.buffers()))
    close(counted_norm(ours.eval(), rows, torch.ones(5)), plain.eval()(rows))
    share = torch.tensor([0.1, 0.2, 0.3, 0.15, 0.25], dtype=torch.double)
    inputs = [t.clone().requires_grad_() for t in (rows, rows[0], rows[1])]
    norm = lambda x, w, b: CountedNorm.apply(x, share, w, b, 1e-5)[0]  # noqa: E731
    assert torch.autograd.gradcheck(norm, inputs)


@pytest.fixture
def batch() -> Graphs:
    return motif_dataset(num_graphs=60).graphs.floating()


def outcome(model: GIN, batch: Graphs) -> list[Tensor]:
    logits = model(batch)
    loss = nn.functional.cross_entropy(logits, batch.labels)
    gradients = torch.autograd.grad(loss, list(model.parameters()))
    return [logits.detach(), *gradients, *(buffer.clone() for buffer in model.buffers())]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("batch_norm", [True, False])
@pytest.mark.parametrize("num_layers", [1, 3])
def test_a_first_layer_by_colours_is_the_ordinary_one(
    batch: Graphs,
    num_layers: int,
    batch_norm: bool,
    weighted: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    adj = batch.adj.to_sparse()
    adj = adj.scaled(torch.where((adj.row + adj.column) % 2 == 0, 0.5, 2.0)) if weighted else adj
    batch = batch.replace(x=batch.x.double(), adj=adj)
    model = GIN(
        batch.num_features, batch.num_classes, 8, num_layers, batch_norm=batch_norm
    ).double()
    other = deepcopy(model)
    assert model._colours(batch) is not None
    ours, tested = outcome(model, batch), deepcopy(model).eval()(batch)
    monkeypatch.setattr(gin, "FEWEST", 10**9)
    assert other._colours(batch) is None
    close(ours, outcome(other, batch))
    close(tested, other.eval()(batch))


def test_who_looks_on_or_mixes_sees_all_nodes(batch: Graphs) -> None:
    def by_colours(given: Graphs) -> bool:
        return model._colours(given) is not None

    model = GIN(batch.num_features, batch.num_classes)
    assert by_colours(batch) and not by_colours(batch[[0, 1]])
    assert not by_colours(batch.replace(x=torch.randn(batch.x.shape)))
    hook = model.layers[0].inner_norm.register_forward_hook(lambda *_: None)
    assert not by_colours(batch)
    hook.remove()
    hook = nn.modules.module.register_module_forward_hook(lambda *_: None)
    assert not can_count(model)
    hook.remove()
    norms, train = NormGuard(model, listens=False), batch.renumbered()
    norms.rows = rows_of(train, 30)
    with norms:
        assert not by_colours(train)
    others = nn.BatchNorm1d(3, affine=False), nn.BatchNorm1d(3, track_running_stats=False)
    assert not any(map(can_count, (*others, nn.SyncBatchNorm(3))))
