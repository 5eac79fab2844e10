"""A foreign PyG loop: targets of every kind, loaders, and training graphs that are found again."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
import torch
from rings import rings
from torch import Tensor, nn
from torch_geometric.data import Batch
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GraphConv, global_add_pool

from smixup import Compose, DropEdge, DropNode, MMixup, SMixup
from smixup.augment.norms import ByOriginals
from smixup.errors import UsageError
from smixup.matching import Identity


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv, self.norm, self.head = GraphConv(3, 8), nn.BatchNorm1d(8), nn.Linear(8, 3)

    def forward(self, data: Batch) -> Tensor:
        h = self.norm(self.conv(data.x, data.edge_index, getattr(data, "edge_weight", None))).relu()
        return self.head(global_add_pool(h, data.batch))


class Asked(Identity):
    """Counts how often it aligns."""

    times = 0

    def __call__(self, *pair: Any) -> Any:
        self.times += 1
        return super().__call__(*pair)


def test_in_a_pipeline_they_are_found_again_unless_nodes_have_changed() -> None:
    data = rings()
    for first, times in ((DropEdge(p=0.3, seed=0), 0), (DropNode(p=0.3, seed=0), 1)):
        pipeline = Compose([first, SMixup(Identity(), seed=0)]).fit(data)
        pipeline.parts[1].matcher = asked = Asked()
        assert pipeline(Batch.from_data_list(data[:6])).num_graphs == 12
        assert asked.times == times


def test_embeddings_are_mixed_with_values_of_any_shape() -> None:
    for shape in ((), (1,), (3,)):
        h = torch.arange(6.0).unsqueeze(1)
        y = torch.arange(6.0).view(-1, *[1] * len(shape)).expand(6, *shape)
        mixed, mixed_y = MMixup(per_pair=True, seed=0).on_embedding(h, y)
        torch.testing.assert_close(mixed_y.reshape(6, -1)[:, :1], mixed)


def test_a_loader_mixes_while_the_model_trains_and_guards_its_norms() -> None:
    data, model = rings(20), Model()
    mix = SMixup(Identity(), seed=0).fit(data)
    loader = mix.loader(DataLoader(data, 8), model)
    assert (len(loader), loader.batch_size) == (3, 8) and loader.dataset is data
    alone = copy.deepcopy(model)
    sizes = []
    for batch, plain in zip(loader, DataLoader(data, 8), strict=True):
        sizes.append(batch.num_graphs)
        model(batch)
        alone(plain)
    assert sizes == [16, 16, 8]
    torch.testing.assert_close(dict(model.state_dict()), dict(alone.state_dict()))
    for each in (loader, copy.deepcopy(loader), pickle.loads(pickle.dumps(loader))):
        several = [*each]  # a trainer that loads ahead calls the model when the loader has ended
        assert [batch.num_graphs for batch in several] == [16, 16, 8]
        norm = each.model.norm.forward
        assert isinstance(norm, ByOriginals)
        assert not isinstance(norm.usual, ByOriginals), (
            "guarded once, however often it is gone through"
        )
        alone = copy.deepcopy(each.model)
        each.model(several[-1])
        alone(next(iter(DataLoader(data[16:], 4))))
        torch.testing.assert_close(dict(each.model.state_dict()), dict(alone.state_dict()))
    with pytest.raises(UsageError, match=r"model must be a torch\.nn\.Module, not DataLoader"):
        mix.loader(Model(), DataLoader(data, 8))
