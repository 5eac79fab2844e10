"""Codes of categories: read and written again without loss, or refused with what to do."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from small_graphs import path
from torch import Tensor
from torch_geometric.data import Batch, Data
from torch_geometric.utils.smiles import e_map, x_map

from smixup.datasets.molecules import ATOM_VALUES
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Codes, Graphs
from smixup.graphs.codes import (
    LAYOUTS,
    OGB,
    FromSmiles,
    OneHot,
    features,
    holds_codes,
    learn_codes,
    require_learnt,
    restored,
)
from smixup.graphs.pyg import from_pyg, from_pyg_batch, require_mixable

ZINC = Codes(nodes=(28,), edges=(4,))
counts = st.lists(st.integers(1, 6), min_size=1, max_size=4).map(tuple)


def graph(x: object, edge_attr: object = None, n: int = 2) -> Data:
    x, edge_attr = (
        value if value is None or isinstance(value, Tensor) else torch.tensor(value)
        for value in (x, edge_attr)
    )
    return path(n, x=x, edge_attr=edge_attr, num_nodes=n)


def batch_of(codes: Codes, dtype: torch.dtype = torch.long, flat: bool = False) -> Batch:
    torch.manual_seed(0)

    def drawn(number: int, values: tuple[int, ...]) -> Tensor:
        columns = torch.stack([torch.randint(k, (number,)) for k in values], 1).to(dtype)
        return columns[:, 0] if flat else columns

    return Batch.from_data_list(
        [graph(drawn(n, codes.nodes), drawn(2 * n - 2, codes.edges), n) for n in (3, 1, 5)]
    )


@given(st.builds(Codes, counts, counts), st.sampled_from([torch.long, torch.int32, torch.uint8]))
@settings(max_examples=20, deadline=None)
def test_codes_are_one_hot_columns_and_come_back(codes: Codes, dtype: torch.dtype) -> None:
    batch = batch_of(codes, dtype)
    encoded = codes.encode(batch)
    again = codes.decode(encoded, like=batch)
    for field in ("x", "edge_attr"):
        columns = zip(batch[field].T, codes.of(field), strict=True)
        blocks = [F.one_hot(column.long(), count) for column, count in columns]
        assert torch.equal(encoded[field], torch.cat(blocks, 1).float())
        assert torch.equal(again[field], batch[field])
        assert again[field].dtype == dtype


@pytest.mark.parametrize("flat", [True, False])
def test_batches_can_be_taken_apart_and_inputs_stay(flat: bool) -> None:
    batch = batch_of(ZINC, flat=flat)
    before = batch.clone()
    encoded = ZINC.encode(batch)
    decoded = ZINC.decode(encoded, like=batch)
    assert [part.x.shape for part in encoded.to_data_list()] == [(3, 28), (1, 28), (5, 28)]
    assert [part.num_nodes for part in decoded.to_data_list()] == [3, 1, 5]
    for field in ("x", "edge_attr"):
        assert torch.equal(batch[field], before[field])
        assert torch.equal(decoded[field], before[field])
    alone = batch.to_data_list()[0]
    assert torch.equal(ZINC.decode(ZINC.encode(alone), like=alone).x, alone.x)
    graphs = from_pyg_batch(batch, encode=ZINC)
    assert (graphs.x.shape, graphs.num_edge_features) == ((9, 28), 4)
    assert ZINC.are_features_of(graphs) and not Codes().are_features_of(graphs)


def test_a_soft_row_is_its_heaviest_category_and_what_is_no_integer_is_left_alone() -> None:
    soft = torch.tensor([[0.4, 0.6, 0.2, 0.3, 0.5], [0.6, 0.4, 0.1, 0.9, 0.0]])
    like = graph(torch.zeros(2, 2, dtype=torch.long))
    assert Codes(nodes=(2, 3)).decode(graph(soft), like).x.tolist() == [[1, 2], [0, 1]]
    data = graph(torch.rand(2, 1), [True, False])
    encoded = ZINC.encode(data)
    assert torch.equal(encoded.x, data.x) and torch.equal(encoded.edge_attr, data.edge_attr)
    assert torch.equal(ZINC.decode(encoded, like=data).x, data.x)
    assert Codes(nodes=(28,)).encode(batch_of(ZINC)).edge_attr.dtype == torch.long
    assert ZINC.encode(graph(None)).x is None


def test_known_layouts_and_their_texts() -> None:
    ogb, smiles = OGB().known, FromSmiles().known
    assert (ogb.nodes, ogb.edges) == (ATOM_VALUES, (5, 6, 2))
    assert smiles.nodes == tuple(len(values) for values in x_map.values())
    assert smiles.edges == tuple(len(values) for values in e_map.values())
    texts = {
        "one-hot": OneHot(),
        "ogb": OGB(),
        "from-smiles": FromSmiles(),
        "codes(nodes=28, edges=4)": ZINC,
        "codes(nodes=119 5 12 12 10 6 6 2 2, edges=5 6 2)": ogb,
    }
    for text, layout in texts.items():
        assert str(layout) == text and LAYOUTS.of(text) == layout
    assert Codes(nodes=[28]) == Codes(nodes=(28,))  # type: ignore[arg-type]


def test_one_hot_learns_the_largest_codes(graphs: Graphs) -> None:
    data = [graph([[3, 0], [1, 0]], [2, 0]), graph([[0, 7]], n=1)]
    assert learn_codes("one-hot", data) == Codes((4, 8), (3,))
    assert learn_codes("one-hot", Batch.from_data_list(data[:1])) == Codes((4, 1), (3,))
    assert learn_codes("one-hot", data[0]) == Codes((4, 1), (3,))
    assert learn_codes("one-hot", [graph(torch.rand(2, 3), [2, 0])]) == Codes((), (3,))
    assert learn_codes("one-hot", [graph([0, 1])]) == Codes((2,))
    assert learn_codes("ogb", data) == OGB().known
    assert learn_codes(ZINC, data) is ZINC
    assert learn_codes(None, data) is None
    converted = from_pyg([batch_of(OGB().known)[0]], encode="ogb")
    assert learn_codes("ogb", converted) == OGB().known
    assert require_learnt("ogb", ZINC) is ZINC and require_learnt(None, None) is None
    assert sum(learn_codes("one-hot", [graph([0, 9999])]).nodes) == 10_000  # type: ignore[union-attr]


def test_codes_are_integers_beside_zero_and_one() -> None:
    codes = [[0, 2], torch.tensor([-1, 0], dtype=torch.int8), torch.tensor([7], dtype=torch.uint8)]
    others = [[0, 1, 1], [True, False], [0.0, 2.0], [2j], torch.zeros(0, dtype=torch.long)]
    assert all(holds_codes(torch.as_tensor(values)) for values in codes)
    assert not any(holds_codes(torch.as_tensor(values)) for values in others)
    assert not holds_codes([0, 2]) and not holds_codes(None)


def test_features_are_rows_to_compute_with() -> None:
    flat = Batch.from_data_list([graph([0, 1])])
    assert features(flat, keep_codes=False).tolist() == [[0.0], [1.0]]
    deep = features(Batch.from_data_list([graph(torch.arange(8.0).view(2, 2, 2).double())]), True)
    assert (deep.dtype, deep.tolist()) == (torch.float, [[0, 1, 2, 3], [4, 5, 6, 7]])
    codes = Batch.from_data_list([graph(torch.tensor([5, 1], dtype=torch.int16))])
    kept = features(codes, keep_codes=True)
    assert (kept.dtype, kept.tolist()) == (torch.int16, [[5], [1]])
    with pytest.raises(SmixupError, match="x is complex: make real columns"):
        features(Batch.from_data_list([graph([1j, 2j])]), keep_codes=False)


def test_what_fits_a_known_layout_is_named() -> None:
    atoms = torch.tensor([[5, 0, 4, 5, 3, 0, 2, 0, 0], [118, 4, 11, 11, 9, 5, 5, 1, 1]])
    several = 'by encode="ogb" or encode="from-smiles" or encode="one-hot", which'
    for x, names in ((atoms[:1], several), (atoms[:, :3], 'by encode="one-hot", which')):
        with pytest.raises(SmixupError, match=names):
            from_pyg([graph(x, n=len(x))])
    with pytest.raises(SmixupError, match=r'0 to 118, .* encode="ogb" or encode="one-hot", which'):
        from_pyg([graph(atoms)])
    assert from_pyg([graph(atoms)], encode="ogb").num_features == 174


def test_moved_integers_keep_their_shape_and_averaged_ones_are_refused() -> None:
    def batch(x: object) -> Batch:
        return Batch.from_data_list([graph(x)])

    like, averaged = batch([4, 6]), batch([[5.5], [4.0]])
    assert restored(batch([[6], [4]]), like, None).x.tolist() == [6, 4]
    for x in ([0, 1], [True, False], [0.5, 0.1], [[0.5, 0.1, 0.2]] * 2):
        assert restored(batch([[5.5], [4.0]]), batch(x), None).x.flatten().tolist() == [5.5, 4.0]
    assert restored(batch([[5.5], [4.0]]), batch([0.5, 0.1]), None).x.shape == (2,)
    assert restored(averaged, batch(torch.rand(2, 3)), None).x.shape == (2, 1)
    zinc = Batch.from_data_list([graph([[3], [4]])])
    assert restored(ZINC.encode(zinc), zinc, ZINC).x.tolist() == [[3], [4]]
    assert restored(batch(None), like, None).x is None
    with pytest.raises(SmixupError, match="a mix would average"):
        restored(averaged, like, None)


def test_codes_that_cannot_be_read_are_refused(graphs: Graphs) -> None:
    bonds = Batch.from_data_list([graph(torch.rand(2, 1), [[3, 0, 1]] * 2)])
    bond = Batch.from_data_list([graph(torch.rand(3, 1), None, 3)])
    bond.bond = torch.tensor([3, 0, 1, 1])
    cases = [
        (lambda: ZINC.encode(graph([[0], [28]])), r"'x' holds 28 in column 0, .*0 to 27.*nodes=\("),
        (lambda: ZINC.encode(graph([[0], [-1]])), "'x' holds -1 in column 0"),
        (lambda: ZINC.encode(graph([[0, 1]] * 2)), "'x' has 2 columns of codes, .* knows 1"),
        (lambda: ZINC.encode(graph(None, [1, 9])), r"'edge_attr' holds 9 .* 0 to 3.*edges=\("),
        (
            lambda: learn_codes("one-hot", [graph([0, -2])]),
            "'x' holds integers from -2 to 0",
        ),
        (
            lambda: learn_codes("one-hot", [graph([0, 10_000])]),
            "from 0 to 10000, and codes",
        ),
        (lambda: learn_codes("one-hot", [graph(torch.ones(2, 1))]), 'encode="one-hot" reads integ'),
        (lambda: learn_codes("ogb", graphs), '"ogb" .* converted before, to 3 features: leave'),
        (lambda: learn_codes("one-hot", graphs), "converted before, to 3 features: leave encode"),
        (lambda: require_learnt("one-hot", None), r"call fit\(train\) before"),
        (lambda: from_pyg([graph([-1, 2])]), r"from -1 to 2, .*: number categories from 0 on"),
        (lambda: from_pyg([graph([5, 1])]), "'x' holds integers from 1 to 5"),
        (lambda: require_mixable(bonds), r"'edge_attr' holds integers from 0 to 3.*=\"ogb\""),
        (lambda: require_mixable(bond), "the edge attribute 'bond' holds whole numbers, which"),
    ]
    for call, message in cases:
        with pytest.raises(SmixupError, match=message):
            call()
    for wrong in ({"nodes": (0,)}, {"edges": (3, -1)}, {"nodes": (1.5,)}):
        with pytest.raises(UsageError, match=r"a number in .* must be .*1 or more"):
            Codes(**wrong)
    require_mixable(OGB().known.encode(bonds))
    from_pyg_batch(bonds)
    bond.bond = torch.tensor([1, 0, 1, 1])
    require_mixable(bond)
