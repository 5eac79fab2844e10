"""Codes that would be averaged are refused with what to do; what is no code is computed with."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Batch, Data

from smixup.errors import SmixupError
from smixup.graphs.attributes import require_mixable
from smixup.graphs.codes import OGB
from smixup.graphs.pyg import from_pyg, from_pyg_batch
from smixup.graphs.refused_codes import features, fitting, holds_codes, restored


def graph(n: int, x: Tensor | None = None, edge_attr: Tensor | None = None) -> Data:
    """A path of n nodes."""
    path = torch.stack([torch.arange(n - 1), torch.arange(1, n)])
    return Data(x, torch.cat([path, path.flip(0)], 1), edge_attr, y=torch.tensor([0]), num_nodes=n)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (torch.tensor([0, 1, 1]), False),
        (torch.tensor([0, 2]), True),
        (torch.tensor([-1, 0], dtype=torch.int8), True),
        (torch.tensor([7], dtype=torch.uint8), True),
        (torch.tensor([True, False]), False),
        (torch.tensor([0.0, 2.0]), False),
        (torch.tensor([2j]), False),
        (torch.zeros(0, dtype=torch.long), False),
        ([0, 2], False),
        (None, False),
    ],
)
def test_codes_are_integers_beside_zero_and_one(values: object, expected: bool) -> None:
    assert holds_codes(values) is expected


def test_features_are_rows_to_compute_with() -> None:
    flat = Batch.from_data_list([graph(2, torch.tensor([0, 1]))])
    assert features(flat, keep_codes=False).tolist() == [[0.0], [1.0]]
    deep = Batch.from_data_list([graph(2, torch.arange(8.0).view(2, 2, 2).double())])
    found = features(deep, keep_codes=True)
    assert (found.dtype, found.tolist()) == (torch.float, [[0, 1, 2, 3], [4, 5, 6, 7]])
    codes = Batch.from_data_list([graph(2, torch.tensor([5, 1], dtype=torch.int16))])
    kept = features(codes, keep_codes=True)
    assert (kept.dtype, kept.tolist()) == (torch.int16, [[5], [1]])
    with pytest.raises(SmixupError, match="'x' holds integers from 1 to 5"):
        features(codes, keep_codes=False)


def test_the_sentence_names_what_fits() -> None:
    atoms = torch.tensor([[5, 0, 4, 5, 3, 0, 2, 0, 0], [118, 4, 11, 11, 9, 5, 5, 1, 1]])
    assert list(fitting("x", atoms)) == ["ogb"]
    assert list(fitting("x", atoms[:1])) == ["ogb", "from-smiles"]
    assert list(fitting("x", atoms[:, :3])) == []
    assert list(fitting("edge_attr", torch.tensor([[12, 0, 1]]))) == ["from-smiles"]
    with pytest.raises(SmixupError) as caught:
        from_pyg([graph(2, atoms)])
    assert str(caught.value) == (
        "'x' holds integers from 0 to 118, as codes of categories do, and a mix would average the "
        'categories: read them by encode="ogb" or encode="one-hot", which SMixup, the matchers and '
        "from_pyg take, or make them float, `data.x = data.x.float()`, if they are quantities."
    )
    assert from_pyg([graph(2, atoms)], encode="ogb").num_features == 174


def test_categories_below_zero_are_to_be_numbered() -> None:
    with pytest.raises(
        SmixupError, match=r"from -1 to 2, .*: number categories from 0 on, or make"
    ):
        from_pyg([graph(2, torch.tensor([-1, 2]))])


def test_bonds_are_refused_where_they_would_be_averaged() -> None:
    batch = Batch.from_data_list([graph(2, edge_attr=torch.tensor([[3, 0, 1]] * 2))])
    with pytest.raises(SmixupError, match=r"'edge_attr' holds integers from 0 to 3.*=\"ogb\""):
        require_mixable(batch)
    require_mixable(OGB().known.encode(batch))
    from_pyg_batch(batch)


def test_moved_integers_keep_their_shape_and_averaged_ones_are_refused() -> None:
    like = Batch.from_data_list([graph(3, torch.tensor([4, 5, 6]))])
    moved = Batch.from_data_list([graph(2, torch.tensor([[6], [4]]))])
    assert restored(moved, like, None).x.tolist() == [6, 4]
    averaged = Batch.from_data_list([graph(2, torch.tensor([[5.5], [4.0]]))])
    with pytest.raises(SmixupError, match="a mix would average"):
        restored(averaged, like, None)
    for x in (torch.tensor([0, 1]), torch.tensor([True, False]), torch.rand(2)):
        flat = Batch.from_data_list([graph(2, x)])
        assert restored(averaged, flat, None).x.tolist() == [5.5, 4.0]
    other = Batch.from_data_list([graph(2, torch.rand(2, 3))])
    assert restored(averaged, other, None).x.tolist() == [5.5, 4.0], "features of another kind"
