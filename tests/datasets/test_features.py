"""Degrees and attributes are encoded by the statistics of the training split."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import torch
from sklearn.preprocessing import StandardScaler
from torch_geometric.data import Data

from smixup import read_graphs, to_pyg
from smixup.datasets.features import (
    Encoder,
    OneHotDegree,
    StandardisedDegree,
    encode_features,
    encoder_from_dict,
    encoder_to_dict,
    fit_encoder,
)
from smixup.datasets.splits import corrupt_labels
from smixup.errors import SmixupError
from smixup.graphs import Graphs, pack, packed

TRAIN = torch.tensor([4, 0, 2])


@pytest.fixture
def stars(from_networkx):  # type: ignore[no-untyped-def]
    """One star per graph: degrees are the number of leaves once, and one for each leaf."""
    return lambda *leaves: from_networkx([nx.star_graph(n) for n in leaves], width=0)


def test_degrees_are_one_hot_up_to_a_thousand(stars) -> None:  # type: ignore[no-untyped-def]
    graphs = encode_features(stars(2, 3, 5), torch.tensor([0, 1]))
    assert graphs.x.dtype == torch.uint8 and graphs.num_features == 4
    expected = [2, 1, 1, 3, 1, 1, 1, 3, 1, 1, 1, 1, 1]  # 5 is above the training maximum
    assert graphs.x.argmax(1).tolist() == expected
    assert graphs.degree_encoding == OneHotDegree(3)
    for leaves, kind in ((999, OneHotDegree), (1000, StandardisedDegree)):
        encoded = encode_features(stars(2, leaves), torch.tensor([1]))
        assert type(encoded.degree_encoding) is kind
    assert encode_features(stars(2, 1000), torch.tensor([0])).degree_encoding == OneHotDegree(2)
    assert encode_features(stars(0, 0), torch.tensor([0])).x.tolist() == [[1], [1]]


def test_large_degrees_and_attributes_are_standardised_as_by_scikit_learn(stars) -> None:  # type: ignore[no-untyped-def]
    graphs = stars(1200, 7, 30)
    degree = graphs.adj.row_sums().numpy()[:, None]
    train = np.concatenate([degree[:1201], degree[1209:]])
    found = encode_features(graphs, torch.tensor([0, 2])).x.numpy()
    expected = StandardScaler().fit(train).transform(degree)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    own = torch.rand(graphs.num_nodes, 1) * 7 + 100
    kind = (own > 104).float()
    given = graphs.replace(x=torch.cat([own, kind, torch.full_like(own, 7.0)], 1))
    encoded = encode_features(given, torch.tensor([1]))
    expected = StandardScaler().fit(own[1201:1209].numpy()).transform(own.numpy())
    np.testing.assert_allclose(encoded.x[:, :1].numpy(), expected, rtol=1e-3, atol=1e-4)
    assert torch.equal(encoded.x[:, 1:2], kind), "an indicator stays"
    assert (encoded.x[:, 2] == 0).all(), "a constant does not divide by zero"
    assert given.x[0, 0] == own[0, 0], "the input is untouched"


def bonded(place: int, weight: bool) -> Data:
    """A path of four nodes; its edges have a length and a kind, the same in both directions."""
    ends = torch.tensor([[0, 1, 2], [1, 2, 3]])
    length = torch.tensor([0.5, 3.0, 7.0]) * (place + 1)
    rows = torch.stack([length, torch.tensor([1.0, 0.0, 0.0])], 1)
    more = {"edge_weight": torch.tensor([0.5, -2.0, 1.0] * 2)} if weight else {}
    both, rows = torch.cat([ends, ends.flip(0)], 1), torch.cat([rows, rows])
    return Data(torch.rand(4, 2), both, rows, y=torch.tensor([place % 2]), **more)


@pytest.mark.parametrize("weight", [False, True])
def test_features_of_edges_are_standardised_over_training_edges(
    weight: bool, tmp_path: Path
) -> None:
    graphs = read_graphs([bonded(place, weight) for place in range(5)]).graphs
    before = [np.asarray(each.edge_attr) for each in to_pyg(graphs).to_data_list()]
    lengths = np.concatenate([before[place][:, 0] for place in TRAIN])
    encoder = fit_encoder(graphs, TRAIN)
    encoded = encoder(graphs)
    for old, new in zip(before, to_pyg(encoded).to_data_list(), strict=True):
        expected = (old[:, 0] - lengths.mean()) / lengths.std()
        np.testing.assert_allclose(new.edge_attr[:, 0], expected, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(new.edge_attr[:, 1], old[:, 1], atol=1e-6)
    assert torch.equal(encoded.adj.to_dense(), graphs.adj.to_dense())
    assert encoder.edges is not None
    assert encoder_from_dict(json.loads(json.dumps(encoder_to_dict(encoder)))) == encoder
    read = encode_features(pack(graphs, tmp_path / "packed"), TRAIN)[[1, 4]]
    torch.testing.assert_close(read.edge_features()[1], encoded[[1, 4]].edge_features()[1])
    wide = read_graphs([bonded(0, weight)], y=[0]).graphs
    wide = wide.replace(edge_attrs={"edge_attr": wide.edge_attrs["edge_attr"].repeat(1, 2)})
    with pytest.raises(SmixupError, match=r"these graphs have 4 edge features, .* trained on 2"):
        encoder(wide)


def kinds(graphs: Graphs, stars) -> dict[str, Graphs]:  # type: ignore[no-untyped-def]
    random = torch.randn(graphs.num_nodes, 3, generator=torch.Generator().manual_seed(0))
    mixed = torch.cat([random * 7 + 1e4, (graphs.x > 0).float(), graphs.x * 1e-3 + 1e3], 1)
    return {
        "degrees": graphs.replace(x=graphs.x[:, :0]),
        "standardise": graphs.replace(x=mixed),
        "given": graphs.replace(x=torch.ones(graphs.num_nodes, 2, dtype=torch.uint8)),
        "wide": stars(1200, 7, 9, 3, 5),
    }


@pytest.mark.parametrize("kind", ["degrees", "standardise", "given", "wide"])
def test_an_encoder_goes_through_json_and_to_sets_on_disk(  # type: ignore[no-untyped-def]
    kind: str, graphs: Graphs, stars, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = packed.PackedGraphs.parts
    monkeypatch.setattr(packed.PackedGraphs, "parts", lambda self, number=2: parts(self, number))
    given = kinds(graphs, stars)[kind]
    whole, encoder = encode_features(given, TRAIN), fit_encoder(given, TRAIN)
    again = encoder_from_dict(json.loads(json.dumps(encoder_to_dict(encoder))))
    assert again == encoder
    alone = again(given[[1]])
    assert torch.equal(alone.x, whole[[1]].x), "no other graph has a say"
    assert alone.degree_encoding == whole.degree_encoding
    on_disk = encode_features(pack(given, tmp_path / "set"), TRAIN)
    found = pickle.loads(pickle.dumps(on_disk))[[3, 0, 4, 1]]
    assert found.x.dtype == whole.x.dtype and on_disk.num_features == whole.num_features
    torch.testing.assert_close(found.x, whole[[3, 0, 4, 1]].x, rtol=1e-6, atol=1e-6)


def test_other_features_and_other_encoders_are_refused(graphs: Graphs, tmp_path: Path) -> None:
    degrees = fit_encoder(graphs.replace(x=graphs.x[:, :0]), torch.tensor([0]))
    with pytest.raises(SmixupError, match="3 node features, and the model was trained on none"):
        degrees(graphs)
    with pytest.raises(SmixupError, match="have no node features, and the model was trained on 4"):
        Encoder(4)(graphs.replace(x=graphs.x[:, :0]))
    with pytest.raises(SmixupError, match="no encoder that smixup knows"):
        encoder_from_dict({"kind": "pickle"})
    train = pack(graphs, tmp_path / "set").subset(TRAIN)
    assert torch.equal(corrupt_labels(train, 0.6, 1)[:].y, corrupt_labels(graphs[TRAIN], 0.6, 1).y)
