"""New graphs get the labels of teachers, originals keep their own."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch_geometric.data import Batch

from smixup import Augmentation, DropEdge, GraphMatcher, MMixup, SMixup, Taught, Until
from smixup.classifiers import GCN
from smixup.errors import UsageError
from smixup.graphs import Graphs
from smixup.graphs.pyg import to_pyg
from smixup.matching import Identity


def counts_nodes(graphs: Graphs) -> Tensor:
    """A teacher whose logits are the number of nodes and zero."""
    sizes = graphs.sizes.float()
    return torch.stack([sizes, torch.zeros_like(sizes)], 1)


def by_odds(odds: float) -> Callable[[Graphs], Tensor]:
    """A teacher who finds class 0 so many times as likely as class 1."""
    row = torch.tensor([[odds, 1.0]]).log()
    return lambda graphs: row.to(graphs.device).expand(len(graphs), 2)


def mixing(**settings: Any) -> SMixup:
    return SMixup(Identity(partial=True), partners=None, seed=0, **settings)


def test_the_label_of_a_mix_is_the_mean_of_probabilities(graphs: Graphs) -> None:
    """By hand: odds of 3 and of 1 are probabilities of 3/4 and 1/2, their mean is 5/8."""
    batch = graphs[range(7)]
    found = Taught(mixing(), [by_odds(3.0), by_odds(1.0)]).on_batch(batch)
    assert len(found) == 14
    assert torch.equal(found.y[:7], batch.y)
    torch.testing.assert_close(found.y[7:], torch.tensor([[5 / 8, 3 / 8]]).expand(7, 2))


def test_teachers_see_the_mix_and_nothing_but_labels_changes(graphs: Graphs) -> None:
    batch = graphs[range(7)]
    plain = mixing(amount=0.5).on_batch(batch)
    found = Taught(mixing(amount=0.5), [counts_nodes]).on_batch(batch)
    assert torch.equal(found.x, plain.x)
    assert torch.equal(found.adj.to_dense(), plain.adj.to_dense())
    assert torch.equal(found.ids, plain.ids)
    expected = plain.sizes[7:].float().sigmoid()
    torch.testing.assert_close(found.y[7:, 0], expected)
    assert not torch.equal(found.y[7:], plain.y[7:])


@pytest.mark.parametrize("method", [Augmentation(), MMixup(seed=0)])
def test_without_new_graphs_the_originals_are_repeated(
    method: Augmentation, graphs: Graphs
) -> None:
    batch = graphs[[4, 0, 2]]
    found = Taught(method, [by_odds(3.0)]).on_batch(batch)
    assert found.ids.tolist() == [4, 0, 2, 4, 0, 2]
    for half in (found[:3], found[3:]):
        assert torch.equal(half.x, batch.x)
        assert torch.equal(half.adj.to_dense(), batch.adj.to_dense())
    assert torch.equal(found.y[:3], batch.y)
    torch.testing.assert_close(found.y[3:], torch.tensor([[0.75, 0.25]]).expand(3, 2))


@pytest.mark.parametrize("method", [mixing(amount=None), DropEdge(seed=0)])
def test_graphs_in_the_place_of_originals_are_all_new(method: Augmentation, graphs: Graphs) -> None:
    found = Taught(method, [by_odds(3.0)]).on_batch(graphs[range(7)])
    assert len(found) == 7
    torch.testing.assert_close(found.y, torch.tensor([[0.75, 0.25]]).expand(7, 2))


@pytest.mark.parametrize("method", [mixing(until=0.5), Until(mixing(), share=0.5)])
def test_a_method_that_rests_is_left_to_rest(method: Augmentation, graphs: Graphs) -> None:
    taught, batch = Taught(method, [by_odds(3.0)]), graphs[range(7)]
    taught.set_epoch(1, 2)
    assert len(taught.on_batch(batch)) == 14
    taught.set_epoch(2, 2)
    assert taught.on_batch(batch) is batch


class Dropping(nn.Module):
    """A module that answers another way in training, and tells how it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.weight, self.modes = nn.Parameter(torch.ones(2)), list[tuple[bool, bool]]()

    def forward(self, graphs: Graphs) -> Tensor:
        self.modes.append((self.training, torch.is_grad_enabled()))
        return self.weight.expand(len(graphs), 2)


def test_modules_are_asked_as_in_evaluation_and_left_as_they_were(graphs: Graphs) -> None:
    teacher = Dropping()
    found = Taught(Augmentation(), [teacher]).on_batch(graphs[range(3)])
    assert teacher.modes == [(False, False)]
    assert teacher.training
    assert not found.y.requires_grad
    teacher.eval()
    Taught(Augmentation(), [teacher]).on_batch(graphs[range(3)])
    assert not teacher.training


def test_what_the_method_hears_and_keeps(graphs: Graphs) -> None:
    small = GraphMatcher(num_layers=1, hidden_channels=4, max_steps=2, batch_size=4)
    method = SMixup(small, seed=0)
    taught = Taught(method, [by_odds(3.0)])
    taught.fit_extend(graphs)
    assert small.network is not None
    batch, state = graphs[range(7)], taught.state_dict()
    first = taught.on_batch(batch).x
    taught.load_state_dict(state)
    assert torch.equal(taught.on_batch(batch).x, first)
    assert taught.averages_edges
    assert taught.norm_from_originals
    assert not Taught(Augmentation(), [by_odds(3.0)]).norm_from_originals


def test_in_a_loop_of_pyg(graphs: Graphs) -> None:
    model = GCN(3, 2, hidden_channels=4, num_layers=1).eval()
    batch = to_pyg(graphs[range(6)])
    batch.y = graphs.labels[:6]
    asked = []

    def teacher(made: Graphs) -> Tensor:
        asked.append(to_pyg(made))
        return model(made)

    found = Taught(mixing(num_classes=2), [teacher])(batch)
    assert isinstance(asked[0], Batch)
    assert (asked[0].num_graphs, found.num_graphs) == (6, 12)
    assert torch.equal(found.y[:6].argmax(1), batch.y)
    torch.testing.assert_close(found.y[6:], model(graphs_of(found)[6:]).softmax(1).detach())


def graphs_of(batch: Batch) -> Graphs:
    from smixup.graphs.pyg import from_pyg_batch

    return from_pyg_batch(batch)


def test_it_can_be_sent_to_another_process(graphs: Graphs) -> None:
    taught = Taught(Augmentation(), [GCN(3, 2, hidden_channels=4, num_layers=1)])
    again = pickle.loads(pickle.dumps(taught))
    assert torch.equal(again.on_batch(graphs[[0]]).y, taught.on_batch(graphs[[0]]).y)


def test_the_same_on_every_device(graphs: Graphs, device: torch.device) -> None:
    model = GCN(3, 2, hidden_channels=4, num_layers=1)
    expected = Taught(mixing(), [model]).on_batch(graphs[range(7)]).y
    found = Taught(mixing(), [model]).on_batch(graphs.to(device)[range(7)]).y
    torch.testing.assert_close(found.cpu(), expected, rtol=1e-4, atol=1e-5)


def test_a_class_without_teachers() -> None:
    with pytest.raises(UsageError, match="teachers must be one at least"):
        Taught(Augmentation(), [])
