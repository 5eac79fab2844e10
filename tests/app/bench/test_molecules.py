"""Both sides train on molecules with features of bonds; how fast is not tested."""

from __future__ import annotations

import pytest
import torch

from smixup.app.bench import molecules
from smixup.app.bench.molecules import compare_molecules, random_molecules
from smixup.app.bench.settings import Settings
from smixup.errors import SmixupError


@pytest.fixture
def no_molhiv(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object, **__: object) -> None:
        raise SmixupError("ogbg-molhiv is not here.")

    monkeypatch.setattr(molecules, "load_dataset", missing)


def test_random_molecules_have_the_features_of_ogb() -> None:
    graphs = random_molecules(20, torch.Generator().manual_seed(0))
    assert (graphs.num_features, graphs.num_edge_features, graphs.num_classes) == (174, 13, 2)
    assert (graphs.x.sum(1) == 9).all()
    adj, features = graphs.edge_features()
    assert (features.sum(1) == 3).all()
    A = adj.to_dense()
    assert torch.equal(A, A.T)
    assert set(A.unique().tolist()) == {0.0, 1.0}
    graph = graphs.batch
    assert (graph[adj.row] == graph[adj.column]).all()
    assert (graphs.totals(adj.weight, adj.row) == 2 * graphs.sizes).all()  # a chain and a ring


def test_every_width_is_compared_with_pyg_and_with_mixes(
    monkeypatch: pytest.MonkeyPatch, no_molhiv: None
) -> None:
    monkeypatch.setattr(molecules, "CHANNELS", (4, 8))
    monkeypatch.setattr(molecules, "STEPS", 1)
    notes: list[str] = []
    found = list(compare_molecules(Settings((), 1, None, 8, notes.append)))
    assert [each.case for each in found] == [
        f"gine, {channels} channels, {case}"
        for channels in (4, 8)
        for case in ("vanilla : PyG", "s-mixup : vanilla")
    ]
    assert all(each.ours > 0 and each.reference > 0 for each in found)
    assert notes == ["ogbg-molhiv is not here. Random molecules take its place."]
