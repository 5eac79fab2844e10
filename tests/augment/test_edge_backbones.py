"""Every method trains a backbone that takes features of edges, or refuses in one sentence."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F

from smixup.app.runs.registry import METHODS, SAME_NODES, make_backbone, make_method
from smixup.errors import SmixupError
from smixup.graphs import Graphs
from smixup.training import Splits, TrainSettings, fit
from smixup.training.settings import Precision

TINY = {"num_layers": 1, "hidden_channels": 8, "max_steps": 2, "batch_size": 4}
OF_MATCHER = {f"matcher.{name}": value for name, value in TINY.items()}
REFUSE = {"g-mixup": r"^G-Mixup draws graphs whose edges have no features, and GINE .* as gin\.$"}


@pytest.fixture
def bonded(graphs: Graphs) -> Graphs:
    adj = graphs.adj.to_sparse()
    kinds = F.one_hot((adj.row * adj.column) % 4, 4).float()
    entries = replace(adj, weight=adj.weight.unsqueeze(1) * kinds)
    return graphs.replace(edge_attrs={"edge_attr": (entries,)})


def trained(
    name: str,
    backbone: str,
    graphs: Graphs,
    precision: Precision = "32-true",
    **settings: object,
) -> float:
    torch.manual_seed(0)
    model = make_backbone(backbone, graphs, hidden_channels=8, num_layers=2)
    before = [layer.edge_encoder.weight.clone() for layer in model.layers]
    small = OF_MATCHER if name in ("s-mixup", "s-cut") else {}
    method = make_method(name, 0, small | settings)
    data = Splits(graphs, graphs, graphs, "accuracy")
    how = TrainSettings(epochs=1, batch_size=4, learning_rate=0.01, precision=precision)
    result = fit(model, data, method, how)
    changed = [layer.edge_encoder.weight for layer in model.layers]
    assert not any(map(torch.equal, before, changed)), "features of edges take no part"
    return result.history.curves["train_loss"][0]


@pytest.mark.parametrize("backbone", ["gine", "gcn-edge"])
@pytest.mark.parametrize("name", [each for each in METHODS if each not in {*REFUSE, *SAME_NODES}])
def test_one_epoch_of_training(name: str, backbone: str, bonded: Graphs) -> None:
    assert 0 < trained(name, backbone, bonded) < 10


@pytest.mark.parametrize("backbone", ["gine", "gcn-edge"])
def test_half_width_products(backbone: str, bonded: Graphs) -> None:
    assert 0 < trained("s-mixup", backbone, bonded, precision="bf16-mixed") < 10


@pytest.mark.parametrize("settings", [{"matcher.normalization": "columns"}, {"partners": None}])
def test_other_ways_to_mix(settings: dict[str, object], bonded: Graphs) -> None:
    assert 0 < trained("s-mixup", "gine", bonded, **settings) < 10


@pytest.mark.parametrize("name", REFUSE)
def test_those_that_cannot_refuse(name: str, bonded: Graphs) -> None:
    with pytest.raises(SmixupError, match=REFUSE[name]):
        trained(name, "gine", bonded)
