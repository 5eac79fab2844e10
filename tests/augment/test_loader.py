"""A loader that mixes while the model trains: what a script sees of it."""

from __future__ import annotations

import copy
import gc
import pickle

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch_geometric.data import Batch, Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GraphConv, global_add_pool

from smixup import Compose, DropEdge, GraphMatcher, SMixup
from smixup.augment.batch_norm import is_guarded
from smixup.errors import UsageError


def graph(n: int) -> Data:
    ring = torch.stack([torch.arange(n), (torch.arange(n) + 1) % n])
    edge_index = torch.cat([ring, ring.flip(0)], dim=1)
    return Data(x=torch.rand(n, 3), edge_index=edge_index, y=torch.tensor([n % 2]))


@pytest.fixture(scope="module")
def dataset() -> list[Data]:
    torch.manual_seed(0)
    return [graph(4 + i % 5) for i in range(20)]


@pytest.fixture(scope="module")
def mix(dataset: list[Data]) -> SMixup:
    return SMixup(GraphMatcher(hidden_channels=8, num_layers=2, max_steps=4)).fit(dataset)


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv, self.norm, self.head = GraphConv(3, 8), nn.BatchNorm1d(8), nn.Linear(8, 2)

    def forward(self, data: Batch) -> Tensor:
        x = self.norm(self.conv(data.x, data.edge_index, data.edge_weight)).relu()
        return F.log_softmax(self.head(global_add_pool(x, data.batch)), dim=-1)


def test_mixes_while_the_model_trains_and_not_while_it_is_tested(
    dataset: list[Data], mix: SMixup
) -> None:
    model = Model()
    loader = mix.loader(DataLoader(dataset, 8), model)
    assert [batch.num_graphs for batch in loader] == [16, 16, 8]
    model.eval()
    tested = list(loader)
    assert [batch.num_graphs for batch in tested] == [8, 8, 4]
    assert not tested[0].y.is_floating_point()
    model.train()
    assert next(iter(loader)).y.shape == (16, 2)


def test_a_model_is_looked_at_before_every_batch(dataset: list[Data], mix: SMixup) -> None:
    model = Model()
    batches = iter(mix.loader(DataLoader(dataset, 8), model))
    assert next(batches).num_graphs == 16
    model.eval()
    assert next(batches).num_graphs == 8


def test_everything_else_is_the_loaders_own(dataset: list[Data], mix: SMixup) -> None:
    inner = DataLoader(dataset, 8)
    loader = mix.loader(inner, Model())
    assert len(loader) == 3
    assert loader.dataset is dataset
    assert loader.batch_size == 8
    with pytest.raises(AttributeError, match="nothing_such"):
        _ = loader.nothing_such


def test_norms_are_guarded_as_long_as_the_loader_lives(dataset: list[Data], mix: SMixup) -> None:
    model = Model()
    loader = mix.loader(DataLoader(dataset, 8), model)
    loader = mix.loader(DataLoader(dataset, 8), model)  # of the next fold; the first one dies
    gc.collect()
    assert is_guarded(model.norm)
    for batch in loader:
        model(batch)
    alone, whole = Model(), model.norm
    alone.load_state_dict(model.state_dict())
    alone.norm.reset_running_stats()
    for data in DataLoader(dataset, 8):
        data.edge_weight = None
        alone(data)
    assert torch.allclose(whole.running_mean, alone.norm.running_mean, atol=1e-5)
    assert torch.allclose(whole.running_var, alone.norm.running_var, atol=1e-5)
    del loader
    gc.collect()
    assert not is_guarded(model.norm)


def test_cross_entropy_is_what_nll_loss_was_of_hard_and_of_soft_targets() -> None:
    torch.manual_seed(0)
    log_p, y = torch.randn(6, 3).log_softmax(-1), torch.tensor([0, 2, 1, 1, 0, 2])
    assert F.cross_entropy(log_p, y).allclose(F.nll_loss(log_p, y))
    soft = torch.rand(6, 3).softmax(-1)
    assert F.cross_entropy(log_p, soft).allclose(-(soft * log_p).sum(1).mean())


def test_any_method_has_one(dataset: list[Data], mix: SMixup) -> None:
    for method in (DropEdge(0.5), Compose([DropEdge(0.5), mix]).fit(dataset)):
        model = Model()
        loader = method.loader(DataLoader(dataset, 20), model)
        trained = next(iter(loader)).num_edges
        model.eval()
        assert next(iter(loader)).num_edges != trained


def test_copies_and_pickles(dataset: list[Data], mix: SMixup) -> None:
    loader = mix.loader(DataLoader(dataset, 8), Model())
    for twin in (copy.deepcopy(loader), pickle.loads(pickle.dumps(loader))):
        assert [batch.num_graphs for batch in twin] == [16, 16, 8]
        assert is_guarded(twin.model.norm)


def test_what_is_no_loader_or_no_model_is_refused(dataset: list[Data], mix: SMixup) -> None:
    with pytest.raises(UsageError, match=r"model must be a torch\.nn\.Module, not DataLoader"):
        mix.loader(Model(), DataLoader(dataset, 8))  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="loader must be a loader of batches, not DataBatch"):
        mix.loader(Batch.from_data_list(dataset), Model())
