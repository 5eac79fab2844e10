"""Codes of categories: read and written again without loss, or refused with what to do."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch_geometric.data import Batch, Data
from torch_geometric.utils.smiles import e_map, x_map

from smixup.datasets.atoms import ATOM_VALUES
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Codes, Graphs
from smixup.graphs.codes import LAYOUTS, OGB, FromSmiles, OneHot, learn_codes
from smixup.graphs.pyg import from_pyg, from_pyg_batch

ZINC = Codes(nodes=(28,), edges=(4,))


def graph(n: int, x: Tensor | None = None, edge_attr: Tensor | None = None) -> Data:
    """A path of n nodes."""
    path = torch.stack([torch.arange(n - 1), torch.arange(1, n)])
    return Data(x, torch.cat([path, path.flip(0)], 1), edge_attr, y=torch.tensor([0]), num_nodes=n)


def coded(n: int, codes: Codes, dtype: torch.dtype = torch.long, flat: bool = False) -> Data:
    def drawn(number: int, counts: tuple[int, ...]) -> Tensor:
        columns = torch.stack([torch.randint(count, (number,)) for count in counts], 1).to(dtype)
        return columns[:, 0] if flat else columns

    return graph(n, drawn(n, codes.nodes), drawn(2 * n - 2, codes.edges))


def batch_of(codes: Codes, **how: object) -> Batch:
    torch.manual_seed(0)
    return Batch.from_data_list([coded(n, codes, **how) for n in (3, 1, 5)])  # type: ignore[arg-type]


counts = st.lists(st.integers(1, 6), min_size=1, max_size=4).map(tuple)


@given(st.builds(Codes, counts, counts), st.sampled_from([torch.long, torch.int32, torch.uint8]))
@settings(max_examples=30, deadline=None)
def test_codes_are_one_hot_columns_and_come_back(codes: Codes, dtype: torch.dtype) -> None:
    batch = batch_of(codes, dtype=dtype)
    found = codes.encode(batch)
    for field in ("x", "edge_attr"):
        blocks = [
            F.one_hot(column.long(), count)
            for column, count in zip(batch[field].T, codes.of(field), strict=True)
        ]
        assert torch.equal(found[field], torch.cat(blocks, 1).float())
    again = codes.decode(found, like=batch)
    for field in ("x", "edge_attr"):
        assert torch.equal(again[field], batch[field])
        assert again[field].dtype == dtype


@pytest.mark.parametrize("flat", [True, False])
def test_batches_can_be_taken_apart_and_inputs_stay(flat: bool) -> None:
    batch = batch_of(ZINC, flat=flat)
    before = batch.clone()
    encoded = ZINC.encode(batch)
    decoded = ZINC.decode(encoded, like=batch)
    assert encoded.x.shape == (9, 28)
    assert torch.equal(batch.x, before.x)
    for parts, width in ((encoded.to_data_list(), (28,)), (decoded.to_data_list(), ())):
        assert [part.num_nodes for part in parts] == [3, 1, 5]
        wanted = width or before.x.shape[1:]
        assert [tuple(part.x.shape) for part in parts] == [(n, *wanted) for n in (3, 1, 5)]
    assert decoded.x.shape == before.x.shape
    assert decoded.edge_attr.shape == before.edge_attr.shape


def test_codes_on_every_device(device: torch.device) -> None:
    batch = batch_of(ZINC).to(device)
    found = from_pyg_batch(batch, encode=ZINC)
    assert found.x.device.type == device.type
    again = ZINC.decode(ZINC.encode(batch), like=batch)
    assert torch.equal(again.x, batch.x)


def test_one_graph_that_is_no_batch() -> None:
    data = coded(4, ZINC)
    assert torch.equal(ZINC.decode(ZINC.encode(data), like=data).x, data.x)


def test_a_soft_row_is_its_heaviest_category() -> None:
    codes, like = Codes(nodes=(2, 3)), graph(2, torch.zeros(2, 2, dtype=torch.long))
    soft = torch.tensor([[0.4, 0.6, 0.2, 0.3, 0.5], [0.6, 0.4, 0.1, 0.9, 0.0]])
    assert codes.decode(graph(2, soft), like).x.tolist() == [[1, 2], [0, 1]]


def test_what_is_no_integer_is_left_alone() -> None:
    x, bonds = torch.rand(3, 1), torch.tensor([True, False, True, False])
    data = graph(3, x, bonds)
    found = ZINC.encode(data)
    assert torch.equal(found.x, x)
    assert torch.equal(found.edge_attr, bonds)
    assert torch.equal(ZINC.decode(found, like=data).x, x)
    assert Codes(nodes=(28,)).encode(coded(3, ZINC)).edge_attr.dtype == torch.long
    assert ZINC.encode(graph(3)).x is None


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ([[0], [28]], r"'x' holds 28 in column 0, where the encoding has 0 to 27: .*nodes=\("),
        ([[0], [-1]], "'x' holds -1 in column 0"),
        ([[0, 1], [0, 1]], "'x' has 2 columns of codes, but the encoding knows 1"),
        ([[[0]], [[1]]], r"not from a tensor of shape \[2, 1, 1\]"),
    ],
)
def test_codes_without_a_place_are_refused(x: list[object], message: str) -> None:
    with pytest.raises(SmixupError, match=message):
        ZINC.encode(graph(2, torch.tensor(x)))


def test_bonds_without_a_place_are_refused() -> None:
    with pytest.raises(SmixupError, match=r"'edge_attr' holds 9 in column 0.* 0 to 3.*edges=\("):
        ZINC.encode(graph(2, edge_attr=torch.tensor([1, 9])))


def test_known_layouts() -> None:
    ogb, smiles = OGB().known, FromSmiles().known
    assert ogb.nodes == ATOM_VALUES
    assert ogb.edges == (5, 6, 2)
    assert (len(smiles.nodes), len(smiles.edges)) == (9, 3)
    assert smiles.nodes[0] == len(x_map["atomic_num"]) == 119
    assert smiles.nodes[3] == len(x_map["formal_charge"])
    assert smiles.edges[0] == len(e_map["bond_type"])


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (OneHot(), "one-hot"),
        (OGB(), "ogb"),
        (FromSmiles(), "from-smiles"),
        (ZINC, "codes(nodes=28, edges=4)"),
        (OGB().known, "codes(nodes=119 5 12 12 10 6 6 2 2, edges=5 6 2)"),
    ],
)
def test_every_layout_has_a_text(made: object, text: str) -> None:
    assert str(made) == text
    assert LAYOUTS.of(text) == made


@pytest.mark.parametrize("wrong", [{"nodes": (0,)}, {"edges": (3, -1)}, {"nodes": (1.5,)}])
def test_numbers_that_are_none(wrong: dict[str, tuple[int, ...]]) -> None:
    with pytest.raises(UsageError, match=r"a number in .* must be .*1 or more"):
        Codes(**wrong)
    assert Codes(nodes=[28]) == Codes(nodes=(28,))  # type: ignore[arg-type]


def test_one_hot_learns_the_largest_codes() -> None:
    x = (torch.tensor([[3, 0], [1, 0]]), torch.tensor([[0, 7]]))
    bonds = torch.tensor([2, 0])
    data = [graph(2, x[0], bonds), graph(1, x[1])]
    assert learn_codes("one-hot", data) == Codes((4, 8), (3,))
    assert learn_codes("one-hot", Batch.from_data_list([data[0]])) == Codes((4, 1), (3,))
    assert learn_codes("one-hot", [graph(2, torch.rand(2, 3), bonds)]) == Codes((), (3,))
    assert learn_codes("one-hot", [graph(2, torch.tensor([0, 1]))]) == Codes((2,))
    assert learn_codes("ogb", data) == OGB().known
    assert learn_codes(ZINC, data) is ZINC
    assert learn_codes(None, data) is None


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([graph(2, torch.tensor([0, -2]))], "'x' holds -2, but codes are counted from 0 on"),
        ([graph(2, torch.tensor([0, 10**6]))], "integers up to 1000000, too many to be categories"),
        ([graph(2, torch.ones(2, 1))], 'encode="one-hot" reads integers, but neither x nor edge_a'),
        (
            [graph(1, torch.zeros(1, k, dtype=torch.long)) for k in (1, 2)],
            "some graphs have more columns of codes in 'x'",
        ),
    ],
)
def test_what_cannot_be_learnt(data: list[Data], message: str) -> None:
    with pytest.raises(SmixupError, match=message):
        learn_codes("one-hot", data)


def test_graphs_that_were_converted_before(graphs: Graphs) -> None:
    converted = from_pyg([coded(3, OGB().known)], encode="ogb")
    assert learn_codes("ogb", converted) == OGB().known
    with pytest.raises(SmixupError, match="converted before, to 3 features, not the 174 of its"):
        learn_codes("ogb", graphs)
    with pytest.raises(SmixupError, match="converted before, to 3 features: leave encode out"):
        learn_codes("one-hot", graphs)


def test_codes_of_a_batch_become_features_and_attributes() -> None:
    batch = batch_of(ZINC)
    found = from_pyg_batch(batch, encode=ZINC)
    assert found.x.shape == (9, 28)
    assert found.num_edge_features == 4
    assert ZINC.are_features_of(found)
    assert not Codes().are_features_of(found)
