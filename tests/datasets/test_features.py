"""Degrees and attributes are encoded by the statistics of the training split."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.preprocessing import StandardScaler

from smixup.datasets.archives import import_archive
from smixup.datasets.features import (
    GivenFeatures,
    OneHotDegree,
    StandardisedDegree,
    encode_features,
    encode_new,
    encoder_from_dict,
    encoder_to_dict,
    fit_degree_encoding,
    fit_encoder,
)
from smixup.datasets.tu import tu_dataset
from smixup.errors import SmixupError
from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.ragged import offsets


def stars(*leaves: int) -> Graphs:
    """One star per graph: degrees are the number of leaves once, and one for each leaf."""
    sizes = torch.tensor(leaves) + 1
    ptr = offsets(sizes)
    hub = ptr[:-1].repeat_interleave(torch.tensor(leaves))
    leaf = torch.cat(
        [torch.arange(a + 1, b) for a, b in zip(ptr[:-1].tolist(), ptr[1:].tolist(), strict=True)]
    )
    edges = torch.cat([torch.stack([hub, leaf]), torch.stack([leaf, hub])], 1)
    n = int(ptr[-1])
    adj = SparseOperator.from_edges(edges, torch.ones(edges.size(1)), n)
    return Graphs(torch.zeros(n, 0), adj, torch.ones(len(leaves), 1), ptr)


def test_one_hot_degree_with_the_training_maximum() -> None:
    graphs = encode_features(stars(2, 3, 5), torch.tensor([0, 1]))
    assert graphs.x.dtype == torch.uint8
    assert graphs.x.argmax(1).tolist() == [2, 1, 1, 3, 1, 1, 1, 3, 1, 1, 1, 1, 1], (
        "5 is above the training maximum"
    )
    assert graphs.num_features == 4
    assert (graphs.x.sum(1) == 1).all()
    assert graphs.degree_encoding == OneHotDegree(3)


@pytest.mark.parametrize(("leaves", "kind"), [(999, OneHotDegree), (1000, StandardisedDegree)])
def test_a_thousand_is_where_one_hot_ends(leaves: int, kind: type) -> None:
    graphs = encode_features(stars(2, leaves), torch.tensor([1]))
    assert type(graphs.degree_encoding) is kind
    only_in_test = encode_features(stars(2, leaves), torch.tensor([0]))
    assert only_in_test.degree_encoding == OneHotDegree(2)


def test_standardised_degree_agrees_with_scikit_learn() -> None:
    graphs = stars(1200, 7, 30)
    degree = graphs.adj.row_sums().numpy()[:, None]
    encoded = encode_features(graphs, torch.tensor([0, 2]))
    train = np.concatenate([degree[:1201], degree[1209:]])
    expected = StandardScaler().fit(train).transform(degree)
    np.testing.assert_allclose(encoded.x.numpy(), expected, rtol=1e-4, atol=1e-5)


def test_encodings_can_be_called_compared_and_pickled() -> None:
    degree = torch.tensor([0.0, 1.4, 1.6, 9.0])
    one_hot, standardised = OneHotDegree(2), StandardisedDegree(1.0, 2.0)
    assert one_hot(degree).tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]]
    assert one_hot(degree).dtype == torch.float32
    torch.testing.assert_close(standardised(degree), torch.tensor([[-0.5], [0.2], [0.3], [4.0]]))
    for encoding in (one_hot, standardised):
        assert pickle.loads(pickle.dumps(encoding)) == encoding
    assert OneHotDegree(2) != OneHotDegree(3)


def test_the_encoding_reproduces_the_features() -> None:
    for graphs in (
        encode_features(stars(2, 3), torch.tensor([0])),
        encode_features(stars(1500), torch.tensor([0])),
    ):
        assert graphs.degree_encoding is not None
        torch.testing.assert_close(
            graphs.degree_encoding(graphs.adj.row_sums()), graphs.floating().x
        )


def test_no_nodes_or_no_edges_to_learn_from() -> None:
    assert fit_degree_encoding(torch.zeros(0)) == OneHotDegree(0)
    assert encode_features(stars(0, 0), torch.tensor([0])).x.tolist() == [[1], [1]]


def test_one_hot_features_stay(graphs: Graphs) -> None:
    given = graphs.replace(x=torch.ones(graphs.x.shape, dtype=torch.uint8))
    assert encode_features(given, torch.tensor([0])) is given


def test_attributes_are_standardised_by_the_training_split_and_indicators_stay(
    tiny: Path, root: Path
) -> None:
    import_archive(tiny, root)
    graphs = tu_dataset("TINY", root, attributes=True).graphs
    encoded = encode_features(graphs, torch.tensor([0]))
    expected = StandardScaler().fit([[0.5], [1.5], [2.5]]).transform(graphs.x[:, :1].numpy())
    np.testing.assert_allclose(encoded.x[:, :1].numpy(), expected, rtol=1e-5)
    assert torch.equal(encoded.x[:, 1:], graphs.x[:, 1:])
    assert graphs.x[0, 0] == 0.5, "the input is untouched"
    assert encoded.degree_encoding is None


def test_a_constant_attribute_does_not_divide_by_zero(graphs: Graphs) -> None:
    given = graphs.replace(x=torch.full((graphs.x.size(0), 1), 7.0))
    assert (encode_features(given, torch.tensor([0, 1])).x == 0).all()


def test_real_degrees(real_data: Callable[[str], Path]) -> None:
    dataset = tu_dataset("IMDB-BINARY", real_data("IMDB-BINARY.zip"))
    encoded = encode_features(dataset.graphs, torch.arange(1000))
    assert encoded.num_features == 136
    assert encoded.x.dtype == torch.uint8


def test_an_encoder_goes_through_json_and_does_to_new_graphs_what_it_did(graphs: Graphs) -> None:
    random = torch.randn(graphs.num_nodes, 3, generator=torch.Generator().manual_seed(0))
    kinds = {
        "degrees": graphs.replace(x=graphs.x[:, :0]),
        "standardise": graphs.replace(x=torch.cat([random * 7 + 1e4, graphs.x.float()], 1)),
        "given": graphs.replace(x=torch.ones(graphs.num_nodes, 2, dtype=torch.uint8)),
        "wide": stars(1200, 7),
    }
    for kind, given in kinds.items():
        encoder = fit_encoder(given, torch.tensor([0]))
        again = encoder_from_dict(json.loads(json.dumps(encoder_to_dict(encoder))))
        assert again == encoder, kind
        whole = encode_features(given, torch.tensor([0]))
        assert torch.equal(encode_new(given, again).x, whole.x)
        alone = encode_new(given[[1]], again)
        assert torch.equal(alone.x, whole[[1]].x), "no other graph has a say"
        assert alone.degree_encoding == whole.degree_encoding


def test_other_features_are_refused(graphs: Graphs) -> None:
    degrees = fit_encoder(graphs.replace(x=graphs.x[:, :0]), torch.tensor([0]))
    with pytest.raises(SmixupError, match="without any, by their degrees: leave the features out"):
        encode_new(graphs, degrees)
    with pytest.raises(SmixupError, match="have no node features, and the model was trained on 4"):
        encode_new(graphs.replace(x=graphs.x[:, :0]), GivenFeatures(4))


@pytest.mark.parametrize(
    "found",
    [
        {},
        {"kind": "pickle"},
        {"kind": "given"},
        {"kind": "degrees", "encoding": {"kind": "one-hot"}},
        {"kind": "standardise", "mean": [1.0], "deviation": [1.0, 2.0], "indicator": [True]},
        {"kind": "standardise", "mean": ["a"], "deviation": [1.0], "indicator": [True]},
    ],
)
def test_what_is_no_encoder_is_refused(found: dict[str, object]) -> None:
    with pytest.raises(SmixupError, match="no encoder that smixup knows"):
        encoder_from_dict(found)
