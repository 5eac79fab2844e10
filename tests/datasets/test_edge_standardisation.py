"""Features of edges are standardised by the training split, as those of nodes are."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from smixup import read_graphs, to_pyg
from smixup.datasets.edge_standardisation import StandardiseEdges, fit_edges
from smixup.datasets.features import (
    EncodeBoth,
    encode_new,
    encoder_from_dict,
    encoder_to_dict,
    fit_encoder,
)
from smixup.datasets.packed_features import encode_packed, fit_packed_encoder
from smixup.errors import SmixupError
from smixup.graphs import Graphs
from smixup.graphs.packing import pack

TRAIN = torch.tensor([0, 1, 3])
SIGNED = [0.5, -2.0, 1.0]


def data(place: int, weight: bool) -> Data:
    """A path of four nodes; its edges have a length and a kind, the same in both directions."""
    ends = torch.tensor([[0, 1, 2], [1, 2, 3]])
    length = torch.tensor([0.5, 3.0, 7.0]) * (place + 1)
    kind = torch.tensor([1.0, 0.0, 0.0])
    rows = torch.stack([length, kind], 1)
    given = {"edge_weight": torch.tensor(SIGNED * 2)} if weight else {}
    return Data(
        x=torch.rand(4, 2),
        edge_index=torch.cat([ends, ends.flip(0)], 1),
        edge_attr=torch.cat([rows, rows]),
        y=torch.tensor([place % 2]),
        **given,
    )


@pytest.fixture(params=[False, True], ids=["plain", "signed"])
def graphs(request: pytest.FixtureRequest) -> Graphs:
    torch.manual_seed(0)
    return read_graphs([data(place, request.param) for place in range(5)]).graphs


def test_columns_have_mean_zero_and_deviation_one_over_training_edges(graphs: Graphs) -> None:
    before = [np.asarray(each.edge_attr) for each in to_pyg(graphs).to_data_list()]
    lengths = np.concatenate([before[place][:, 0] for place in TRAIN])
    encoded = fit_encoder(graphs, TRAIN)(graphs)
    after = [np.asarray(each.edge_attr) for each in to_pyg(encoded).to_data_list()]
    for old, new in zip(before, after, strict=True):
        expected = (old[:, 0] - lengths.mean()) / lengths.std()
        np.testing.assert_allclose(new[:, 0], expected, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(new[:, 1], old[:, 1], atol=1e-6)  # an indicator stays
    assert torch.equal(encoded.adj.to_dense(), graphs.adj.to_dense())
    assert encoded.edge_attrs["edge_attr"][0].to_sparse().symmetric


def test_indicators_alone_and_no_features_need_nothing(graphs: Graphs) -> None:
    bare = graphs.replace(edge_attrs={})
    assert fit_edges(lambda: [bare], lambda: [bare]) is None
    found = [data(place, weight=False) for place in range(5)]
    for each in found:
        each.edge_attr = each.edge_attr[:, 1:]
    ones = read_graphs(found)
    assert fit_edges(lambda: [ones.graphs], lambda: [ones.graphs]) is None
    encoder = fit_encoder(ones.graphs, TRAIN)
    assert not isinstance(encoder, EncodeBoth)
    assert encoder(ones.graphs).edge_attrs is ones.graphs.edge_attrs


def test_an_encoder_survives_json_to_the_bit(graphs: Graphs) -> None:
    encoder = fit_encoder(graphs, TRAIN)
    assert isinstance(encoder, EncodeBoth)
    again = encoder_from_dict(json.loads(json.dumps(encoder_to_dict(encoder))))
    assert again == encoder
    one, two = (encode_new(graphs, each).edge_features()[1] for each in (encoder, again))
    assert torch.equal(one, two)


def test_other_features_and_damaged_files_are_refused(graphs: Graphs) -> None:
    encoder = fit_encoder(graphs, TRAIN)
    wide = StandardiseEdges((0.0,) * 3, (1.0,) * 3, (False,) * 3)
    with pytest.raises(
        SmixupError, match=r"these graphs have 2 features of edges, .* trained on 3"
    ):
        wide(graphs)
    assert wide(graphs.replace(edge_attrs={})).edge_attrs == {}
    told = encoder_to_dict(encoder)
    for broken in (
        told | {"edges": {"mean": [0.0]}},
        told | {"edges": told["edges"] | {"mean": [0.0]}},
        told | {"nodes": told},
    ):
        with pytest.raises(SmixupError, match="no encoder that smixup knows"):
            encoder_from_dict(broken)


def test_graphs_on_disk_are_encoded_alike(graphs: Graphs, tmp_path: Path) -> None:
    packed = pack(graphs, tmp_path / "packed")
    ours, theirs = fit_packed_encoder(packed, TRAIN), fit_encoder(graphs, TRAIN)
    assert isinstance(ours, EncodeBoth) and isinstance(theirs, EncodeBoth)
    assert ours.edges == theirs.edges
    read, whole = encode_packed(packed, TRAIN)[[1, 4]], theirs(graphs)[[1, 4]]
    torch.testing.assert_close(read.edge_features()[1], whole.edge_features()[1])
