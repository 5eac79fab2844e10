"""A GIN whose first layer sees one node of each colour against the ordinary way, and PyG's."""

from __future__ import annotations

from copy import deepcopy

import pytest
import torch
from torch import nn

from smixup.augment import SMixup
from smixup.augment.batch_norm import OriginalNorms
from smixup.classifiers import GIN
from smixup.classifiers import gin as module
from smixup.datasets.motif import motif_dataset
from smixup.graphs import Graphs
from smixup.matching import Uniform
from smixup.progress import silent


@pytest.fixture
def batch() -> Graphs:
    return motif_dataset(num_graphs=60).graphs.floating()


def logits_and_gradients(model: nn.Module, batch: object, y: torch.Tensor) -> list[torch.Tensor]:
    model.zero_grad()
    logits = model(batch)
    nn.functional.cross_entropy(logits, y).backward()
    return [logits.detach(), *(each.grad.clone() for each in model.parameters())]


def ordinary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FEWEST", 10**9)


def uses_colours(model: GIN, batch: Graphs) -> bool:
    return model._colours(batch) is not None


@pytest.mark.parametrize("num_layers", [1, 2, 4])
@pytest.mark.parametrize("batch_norm", [True, False])
def test_equal_to_the_ordinary_way(
    monkeypatch: pytest.MonkeyPatch, batch: Graphs, num_layers: int, batch_norm: bool
) -> None:
    torch.manual_seed(0)
    model = GIN(batch.num_features, batch.num_classes, 8, num_layers, batch_norm=batch_norm)
    model = model.double()
    batch = batch.replace(x=batch.x.double())
    other = deepcopy(model)
    assert uses_colours(model, batch)
    ours = logits_and_gradients(model, batch, batch.labels)
    tested = model.eval()(batch)
    ordinary(monkeypatch)
    assert not uses_colours(other, batch)
    plain = logits_and_gradients(other, batch, batch.labels)
    for mine, theirs in zip(ours, plain, strict=True):
        torch.testing.assert_close(mine, theirs)
    for mine, theirs in zip(model.buffers(), other.buffers(), strict=True):
        torch.testing.assert_close(mine, theirs)
    torch.testing.assert_close(tested, other.eval()(batch))


@pytest.mark.parametrize(
    "case", ["hook", "gradient", "autocast", "few nodes", "continuous", "half"]
)
def test_where_it_goes_the_ordinary_way(batch: Graphs, case: str) -> None:
    model = GIN(batch.num_features, batch.num_classes)
    assert uses_colours(model, batch)
    if case == "hook":
        model.layers[0].inner_norm.register_forward_hook(lambda *_: None)
    if case == "gradient":
        batch = batch.replace(x=batch.x.requires_grad_())
    if case == "few nodes":
        batch = batch[[0, 1]]
    if case == "continuous":
        batch = batch.replace(x=torch.randn(batch.x.shape))
    if case == "half":
        batch, model = batch.replace(x=batch.x.bfloat16()), model.bfloat16()
    with torch.autocast("cpu", torch.bfloat16, enabled=case == "autocast"):
        assert not uses_colours(model, batch)
        assert model(batch).isfinite().all()


def test_mixes_in_the_batch_go_the_ordinary_way(
    monkeypatch: pytest.MonkeyPatch, batch: Graphs
) -> None:
    """Norms by originals see all nodes; without mixes they leave the model as fast as it is."""
    model = GIN(batch.num_features, batch.num_classes)
    norms, train = OriginalNorms(model), batch.renumbered()
    mix = SMixup(Uniform(normalization="one-to-one"), amount=1.0, seed=0)
    mixed = mix.fit_extend(train, silent) and mix.on_batch(train)
    assert len(mixed) > len(train)
    with norms.of_first(len(train), train):
        assert uses_colours(model, train)
    with norms.of_first(len(train), mixed):
        assert not uses_colours(model, mixed)
        found = model(mixed)
    ordinary(monkeypatch)
    with norms.of_first(len(train), mixed):
        torch.testing.assert_close(model(mixed), found)
    assert "forward" not in vars(model.layers[0].inner_norm)


def test_weighted_edges(monkeypatch: pytest.MonkeyPatch, batch: Graphs) -> None:
    adj = batch.adj.to_sparse()
    weight = torch.where(adj.column % 2 == 0, 0.5, 2.0)
    adj = type(adj)(adj.row_ptr, adj.column, weight, adj.num_columns)
    batch = batch.replace(adj=adj, x=batch.x.double())
    model = GIN(batch.num_features, batch.num_classes).double()
    assert uses_colours(model, batch)
    ours = logits_and_gradients(model, batch, batch.labels)
    ordinary(monkeypatch)
    for mine, theirs in zip(ours, logits_and_gradients(model, batch, batch.labels), strict=True):
        torch.testing.assert_close(mine, theirs)
