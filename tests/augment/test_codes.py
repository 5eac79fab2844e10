"""Molecules whose atoms and bonds are codes, in a loop with `nn.Embedding`: codes in, codes out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from tiny_methods import METHODS, matcher, method
from torch_geometric.data import Batch, Data
from torch_geometric.nn import global_mean_pool

from smixup import AlignedCut, Codes, Compose, DropEdge, GraphMatcher, SMixup, Until
from smixup.augment import Augmentation, GraphTransplant, IfMixup
from smixup.errors import SmixupError
from smixup.graphs import Graphs
from smixup.graphs.codes import OGB
from smixup.matching import RRWM, Identity, Uniform

ATOMS, BONDS = OGB().known.nodes, OGB().known.edges
COMPUTE = ("s-mixup", "s-cut", "if-mixup", "g-mixup", "fgw-mixup", "geomix")
"""Methods that compute with features, and cannot do so with codes."""


def molecule(n: int, label: int, **changes: Any) -> Data:
    """A ring of atoms with one tail; its class is told by its atoms."""
    first = torch.cat([torch.arange(n), torch.tensor([0])])
    second = torch.cat([(torch.arange(n) + 1) % n, torch.tensor([n])])
    bonds = torch.stack([torch.randint(count, (n + 1,)) for count in BONDS], 1)
    atoms = torch.stack([torch.randint(count, (n + 1,)) for count in ATOMS], 1)
    atoms[:, 0] = 5 + 2 * label
    edges = torch.stack([torch.cat([first, second]), torch.cat([second, first])])
    fields = {"x": atoms, "edge_attr": torch.cat([bonds, bonds]), "y": torch.tensor([label])}
    return Data(edge_index=edges, **(fields | changes))


def molecules(number: int = 24) -> list[Data]:
    torch.manual_seed(0)
    return [molecule(3 + i % 6, i % 2) for i in range(number)]


def rows(batch: Batch) -> set[tuple[int, ...]]:
    return {tuple(row) for row in batch.x.tolist()}


WAYS: dict[str, Callable[[], Augmentation]] = {
    "by name": lambda: SMixup(matcher(), encode="ogb", seed=0),
    "learnt": lambda: SMixup(matcher(), encode="one-hot", seed=0),
    "by numbers": lambda: SMixup(Identity(), encode=Codes(ATOMS, BONDS), seed=0),
    "learnt by the matcher": lambda: SMixup(matcher(encode="one-hot"), seed=0),
    "sampled": lambda: SMixup(RRWM(steps=5), encode="ogb", edges="sampled", seed=0),
    "soft": lambda: SMixup(Uniform(), encode="one-hot", transport="paper", seed=0),
    "in place": lambda: SMixup(Identity(), encode="ogb", amount=None, seed=0),
    "cut": lambda: AlignedCut(matcher(), encode="ogb", seed=0),
    "after another": lambda: Compose([DropEdge(seed=0), SMixup(Identity(), encode="ogb", seed=0)]),
    "until": lambda: Until(SMixup(Identity(), encode="one-hot", seed=0)),
}


@pytest.mark.parametrize("way", WAYS)
def test_codes_come_out_as_codes(way: str) -> None:
    batch = Batch.from_data_list(molecules()[:8])
    before = batch.clone()
    found = WAYS[way]().fit(molecules())(batch)
    for field, counts in (("x", ATOMS), ("edge_attr", BONDS)):
        assert torch.equal(batch[field], before[field]), "the input has changed"
        assert found[field].dtype == torch.long
        assert found[field].shape[1:] == batch[field].shape[1:]
        assert ((found[field] >= 0) & (found[field] < torch.tensor(counts))).all()
    if found.num_graphs > 8:
        assert torch.equal(found.x[: batch.num_nodes], batch.x)
    parts = found.to_data_list()
    assert torch.equal(Batch.from_data_list(parts).x, found.x)
    if way in ("by name", "learnt", "learnt by the matcher", "cut"):
        assert rows(found) <= rows(Batch.from_data_list(molecules())), "atoms of training graphs"
        assert {5, 7} <= set(Batch.from_data_list(parts[8:]).x[:, 0].tolist())


def test_the_share_of_a_class_in_the_atoms_is_its_share_in_the_label() -> None:
    """Graphs of one atom kind each, aligned in order: nodes are drawn as the label says."""
    data = [molecule(30, i % 2) for i in range(40)]
    mix = SMixup(Identity(), encode="ogb", amount=None, alpha=5.0, seed=0).fit(data)
    found = mix(Batch.from_data_list(data))
    second = (found.x[:, 0] == 7).float()
    share = global_mean_pool(second.unsqueeze(1), found.batch).squeeze(1)
    assert (found.y.max(1).values < 0.9).sum() > 10
    torch.testing.assert_close(share, found.y[:, 1], atol=0.35, rtol=0)
    assert float((share - found.y[:, 1]).mean()) == pytest.approx(0, abs=0.05)


def test_bonds_of_a_mix_are_those_of_the_heavier_edge() -> None:
    """Two triangles of one bond each: an edge of their mix has the bond of the larger share."""
    data = [molecule(3, kind, edge_attr=torch.tensor([[kind, 0, 1]] * 8)) for kind in (0, 1)]
    mix = SMixup(Identity(), encode="ogb", amount=None, ratio="unfolded", seed=0).fit(data * 4)
    for part in mix(Batch.from_data_list(data * 20)).to_data_list():
        assert part.edge_attr[:, 0].unique().tolist() == [int(part.y.argmax())]


@pytest.mark.parametrize("name", METHODS)
def test_every_method_takes_codes_as_they_are_or_refuses(name: str) -> None:
    data = molecules()
    if name == "graph-transplant":
        for each in data:
            del each.edge_attr
    if name in COMPUTE:
        with pytest.raises(SmixupError, match="'x' holds integers from 0 to 11, as codes of"):
            method(name).fit(data)
        return
    batch = Batch.from_data_list(data)
    augmentation = method(name)
    assert augmentation.fit_extend(data) == data
    found = augmentation(batch)
    assert found.x.dtype == torch.long and rows(found) <= rows(batch)
    assert name == "graph-transplant" or found.edge_attr.dtype == torch.long


def test_who_computes_with_codes_is_refused() -> None:
    class Noise(Augmentation):
        def on_batch(self, batch: Graphs) -> Graphs:
            return batch.replace(x=batch.x + 0.5)

    with pytest.raises(SmixupError, match="'x' holds integers"):
        Noise()(Batch.from_data_list(molecules()))
    data = molecules()
    for each in data:
        each.x = each.x.float()
    batch = Batch.from_data_list(data)
    for refusing in (SMixup(Identity()), IfMixup(), GraphTransplant()):
        with pytest.raises(SmixupError, match=r"'edge_attr' holds integers from 0 to 5.*\"ogb\""):
            refusing.fit(data)(batch)
    found = SMixup(Identity(), encode="ogb", seed=0).fit(data)(batch)
    assert found.edge_attr.dtype == torch.long
    assert len(found.x[:, 0].unique()) > 2, "atoms that are float are averaged as ever"


def test_codes_are_learnt_anew_at_every_fit() -> None:
    few = molecules()
    for each in few:
        each.x = each.x.clamp(max=7)
    mix = SMixup(Identity(), encode="one-hot", num_classes=2).fit(few)
    batch = Batch.from_data_list(molecules())
    assert int(mix.fit(molecules())(batch).x.max()) == 11
    with pytest.raises(SmixupError, match=r"encode=\"one-hot\" learns from the training graphs"):
        SMixup(Identity(), encode="one-hot", num_classes=2)(batch)
    assert SMixup(Identity(), encode="ogb", num_classes=2)(batch).x.dtype == torch.long


@pytest.mark.parametrize("way", ["learnt", "learnt by the matcher"])
def test_codes_are_saved_with_the_matcher(way: str, tmp_path: Path) -> None:
    data = molecules()
    mix = WAYS[way]().fit(data)
    mix.matcher.save(tmp_path / "matcher")
    loaded = GraphMatcher.load(tmp_path / "matcher")
    assert loaded.codes == mix.codes is not None
    batch = Batch.from_data_list(data[:6])
    found = SMixup(loaded, seed=0)(batch)
    assert found.x.dtype == torch.long and rows(found) <= rows(batch)
