"""Molecules whose atoms and bonds are codes, in a loop with `nn.Embedding`: codes in, codes out."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch_geometric.data import Batch, Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import global_mean_pool

from smixup import AlignedCut, Codes, Compose, DropEdge, GraphMatcher, SMixup, SubMix, Until
from smixup.app.runs.registry import METHODS, SAME_NODES, make_method
from smixup.augment import Augmentation, GraphTransplant, IfMixup
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs
from smixup.graphs.codes import OGB
from smixup.graphs.pyg import from_pyg
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
    fields = {
        "x": atoms,
        "edge_index": torch.stack([torch.cat([first, second]), torch.cat([second, first])]),
        "edge_attr": torch.cat([bonds, bonds]),
        "y": torch.tensor([label]),
    }
    return Data(**(fields | changes))


def molecules(number: int = 24) -> list[Data]:
    torch.manual_seed(0)
    return [molecule(3 + i % 6, i % 2) for i in range(number)]


def small(**settings: Any) -> GraphMatcher:
    return GraphMatcher(num_layers=1, hidden_channels=8, max_steps=2, batch_size=8, **settings)


def rows(batch: Batch) -> set[tuple[int, ...]]:
    return {tuple(row) for row in batch.x.tolist()}


WAYS: dict[str, Callable[[], Augmentation]] = {
    "by name": lambda: SMixup(small(), encode="ogb", seed=0),
    "learnt": lambda: SMixup(small(), encode="one-hot", seed=0),
    "by numbers": lambda: SMixup(small(), encode=Codes(ATOMS, BONDS), seed=0),
    "by the matcher": lambda: SMixup(small(encode="ogb"), seed=0),
    "learnt by the matcher": lambda: SMixup(small(encode="one-hot"), seed=0),
    "nothing to learn": lambda: SMixup(RRWM(steps=5), encode="ogb", seed=0),
    "sampled": lambda: SMixup(small(), encode="ogb", edges="sampled", seed=0),
    "soft": lambda: SMixup(Uniform(), encode="one-hot", transport="paper", seed=0),
    "in place": lambda: SMixup(Identity(), encode="ogb", amount=None, seed=0),
    "cut": lambda: AlignedCut(small(), encode="ogb", seed=0),
    "after another": lambda: Compose([DropEdge(seed=0), SMixup(small(), encode="ogb", seed=0)]),
    "until": lambda: Until(SMixup(small(), encode="one-hot", seed=0)),
}


@pytest.fixture(params=WAYS)
def method(request: pytest.FixtureRequest) -> Augmentation:
    return WAYS[request.param]().fit(molecules())


def test_codes_come_out_as_codes(method: Augmentation) -> None:
    batch = Batch.from_data_list(molecules()[:8])
    before = batch.clone()
    found = method(batch)
    for field, counts in (("x", ATOMS), ("edge_attr", BONDS)):
        assert torch.equal(batch[field], before[field]), "the input has changed"
        assert found[field].dtype == torch.long
        assert found[field].shape[1:] == batch[field].shape[1:]
        assert (found[field] >= 0).all()
        assert (found[field] < torch.tensor(counts)).all()
    if found.num_graphs > 8:
        assert torch.equal(found.x[: batch.num_nodes], batch.x)
    parts = found.to_data_list()
    assert [part.x.size(0) for part in parts] == [part.num_nodes for part in parts]
    assert torch.equal(Batch.from_data_list(parts).x, found.x)


@pytest.mark.parametrize("way", ["by name", "learnt", "by the matcher", "cut", "sampled"])
def test_atoms_of_a_mix_are_atoms_of_its_graphs(way: str) -> None:
    batch = Batch.from_data_list(molecules()[:8])
    found = WAYS[way]().fit(molecules())(batch)
    assert rows(found) <= rows(Batch.from_data_list(molecules())), "partners are training graphs"
    mixed = Batch.from_data_list(found.to_data_list()[8:])
    assert (mixed.x[:, 0] == 5).any()
    assert (mixed.x[:, 0] == 7).any()


def test_the_share_of_a_class_in_the_atoms_is_its_share_in_the_label() -> None:
    """Graphs of one atom kind each, aligned in order: nodes are drawn as the label says."""
    data = [molecule(30, i % 2) for i in range(40)]
    mix = SMixup(Identity(), encode="ogb", amount=None, alpha=5.0, seed=0).fit(data)
    found = mix(Batch.from_data_list(data))
    second = (found.x[:, 0] == 7).float()
    share = global_mean_pool(second.unsqueeze(1), found.batch).squeeze(1)
    mixed = (found.y.max(1).values < 0.9).nonzero().squeeze(1)
    assert len(mixed) > 10
    torch.testing.assert_close(share, found.y[:, 1], atol=0.35, rtol=0)
    assert float((share - found.y[:, 1]).mean()) == pytest.approx(0, abs=0.05)


def test_bonds_of_a_mix_are_those_of_the_heavier_edge() -> None:
    """Two triangles of one bond each: an edge of their mix has the bond of the larger share."""
    data = [molecule(3, kind, edge_attr=torch.tensor([[kind, 0, 1]] * 8)) for kind in (0, 1)]
    mix = SMixup(Identity(), encode="ogb", amount=None, fold_ratio=False, seed=0).fit(data * 4)
    for part in mix(Batch.from_data_list(data * 20)).to_data_list():
        assert part.edge_attr[:, 0].unique().tolist() == [int(part.y.argmax())]


@pytest.mark.parametrize("name", [*(each for each in METHODS if each not in SAME_NODES), "compose"])
def test_every_method_takes_codes_as_they_are_or_refuses(name: str) -> None:
    method = Compose([DropEdge(), SubMix()]) if name == "compose" else make_method(name, 0, {})
    data = molecules()
    if name == "graph-transplant":
        for each in data:
            del each.edge_attr
    batch = Batch.from_data_list(data)
    if name in COMPUTE:
        with pytest.raises(SmixupError, match="'x' holds integers from 0 to 11, as codes of"):
            method.fit(data)
        return
    found = method.fit_extend(data)
    assert found == data
    out = method(batch)
    assert out.x.dtype == torch.long
    assert rows(out) <= rows(batch)
    if name != "graph-transplant":
        assert out.edge_attr.dtype == torch.long
    assert out.to_data_list()[0].x.shape[1] == 9


def test_methods_that_average_edges_refuse_bonds() -> None:
    data = molecules()
    for each in data:
        each.x = each.x.float()
    batch = Batch.from_data_list(data)
    for method in (SMixup(Identity()), IfMixup(), GraphTransplant()):
        with pytest.raises(SmixupError, match=r"'edge_attr' holds integers from 0 to 5.*\"ogb\""):
            method.fit(data)(batch)
    mix = SMixup(Identity(), encode="ogb", seed=0).fit(data)
    found = mix(batch)
    assert found.edge_attr.dtype == torch.long
    assert found.x.is_floating_point()
    assert len(found.x[:, 0].unique()) > 2, "atoms that are float are averaged as ever"


def test_a_model_that_asks_for_gradients_of_codes_is_refused() -> None:
    data = molecules()
    for each in data:
        del each.edge_attr
    method = GraphTransplant().fit(data)
    method.bind(nn.Linear(1, 1), lambda batch: batch.y)
    with pytest.raises(SmixupError, match="'x' holds integers"):
        method(Batch.from_data_list(data))


def test_an_own_method_that_computes_with_codes_is_refused() -> None:
    class Noise(Augmentation):
        def on_batch(self, batch: Graphs) -> Graphs:
            return batch.replace(x=batch.x + 0.5)

    with pytest.raises(SmixupError, match="'x' holds integers"):
        Noise()(Batch.from_data_list(molecules()))


def test_flat_codes_and_a_generator_of_graphs() -> None:
    data = [molecule(5, i % 2) for i in range(8)]
    for each in data:
        each.x, each.edge_attr = each.x[:, 2].to(torch.int32), each.edge_attr[:, 0]
    mix = SMixup(small(), encode="one-hot").fit(each for each in data)
    found = mix(Batch.from_data_list(data))
    assert found.x.shape == (found.num_nodes,)
    assert found.edge_attr.shape == (found.num_edges,)
    assert (found.x.dtype, found.edge_attr.dtype) == (torch.int32, torch.long)


def test_a_mix_without_a_fitted_matcher_learns_the_codes_anew() -> None:
    few, all_of_them = molecules(), molecules()
    for each in few:
        each.x = each.x.clamp(max=7)
    for matcher in (Identity(), RRWM(steps=2, encode="one-hot")):
        mix = SMixup(matcher, encode="one-hot", num_classes=2).fit(few)
        assert mix.codes is not None
        assert max(mix.codes.nodes) == 8
        found = mix.fit(all_of_them)(Batch.from_data_list(all_of_them))
        assert int(found.x.max()) == 11


def test_what_was_never_seen_is_refused() -> None:
    data = molecules()
    for each in data:
        each.x[:, 0] = each.x[:, 0].clamp(max=6)
    mix = SMixup(small(), encode="one-hot").fit(data)
    strange = molecule(4, 0)
    strange.x[2, 0] = 53
    with pytest.raises(
        SmixupError, match="'x' holds 53 in column 0, where the encoding has 0 to 6"
    ):
        mix(Batch.from_data_list([*data[:3], strange]))


def test_who_has_not_learnt_the_codes_says_so() -> None:
    batch = Batch.from_data_list(molecules())
    with pytest.raises(SmixupError, match=r"encode=\"one-hot\" learns from the training graphs"):
        SMixup(Identity(), encode="one-hot", num_classes=2)(batch)
    found = SMixup(Identity(), encode="ogb", num_classes=2)(batch)
    assert found.x.dtype == torch.long


def test_two_encodings_are_one_too_many() -> None:
    for matcher, own in (("ogb", "from-smiles"), ("one-hot", "ogb")):
        with pytest.raises(UsageError, match=f"the matcher reads them by .{matcher}"):
            SMixup(small(encode=matcher), encode=own)
    for matcher, own in (("ogb", "ogb"), ("ogb", "one-hot"), ("one-hot", "one-hot")):
        SMixup(small(encode=matcher), encode=own)
    fitted = small(encode="one-hot").fit(molecules())
    assert SMixup(fitted, encode="one-hot").codes == SMixup(fitted).codes == fitted.codes
    with pytest.raises(UsageError, match=r"unknown encoding 'obg'\. Did you mean 'ogb'"):
        SMixup(encode="obg")


@pytest.mark.parametrize("how", ["by the mix", "by the matcher"])
def test_codes_are_saved_with_the_matcher(how: str, tmp_path: Path) -> None:
    data = molecules()
    inner = small(encode="one-hot") if how == "by the matcher" else small()
    mix = SMixup(inner, encode="one-hot" if how == "by the mix" else None, seed=0).fit(data)
    assert isinstance(mix.matcher, GraphMatcher)
    mix.matcher.save(tmp_path / "matcher")
    loaded = GraphMatcher.load(tmp_path / "matcher")
    assert loaded.codes == mix.codes is not None
    batch = Batch.from_data_list(data[:6])
    found = SMixup(loaded, seed=0)(batch)
    assert found.x.dtype == torch.long
    assert rows(found) <= rows(batch)
    assert loaded.match(data[0], data[1]).shape == (data[0].num_nodes, data[1].num_nodes)


def test_converted_graphs_are_drawn_too() -> None:
    train = from_pyg(molecules(), encode="ogb").renumbered()
    mix = SMixup(Identity(), encode="ogb", partners=2, seed=0).fit(train)
    found = mix.on_batch(train[:8])
    assert set(found.x.unique().tolist()) == {0.0, 1.0}
    plain = SMixup(Identity(), partners=2, seed=0).fit(train).on_batch(train[:8])
    assert len(plain.x.unique()) > 2, "without codes, features are averaged"


def test_a_fitted_mix_travels() -> None:
    mix = SMixup(small(), encode="one-hot", seed=0).fit(molecules())
    again = pickle.loads(pickle.dumps(mix))
    batch = Batch.from_data_list(molecules()[:6])
    assert torch.equal(again(batch).x, mix(batch).x)


class Embedded(nn.Module):
    """Atoms and bonds by `nn.Embedding`, as OGB's encoders do it; `.long()` is nowhere."""

    def __init__(self, width: int = 16) -> None:
        super().__init__()
        self.atoms = nn.ModuleList(nn.Embedding(count, width) for count in ATOMS)
        self.bonds = nn.ModuleList(nn.Embedding(count, width) for count in BONDS)
        self.head = nn.Linear(width, 2)

    def forward(self, batch: Batch) -> Tensor:
        h = sum(layer(code) for layer, code in zip(self.atoms, batch.x.T, strict=True))
        e = sum(layer(code) for layer, code in zip(self.bonds, batch.edge_attr.T, strict=True))
        weight = getattr(batch, "edge_weight", None)
        message = (h[batch.edge_index[0]] + e).relu()
        message = message if weight is None else message * weight.unsqueeze(1)
        h = h + torch.zeros_like(h).index_add(0, batch.edge_index[1], message)
        logits: Tensor = self.head(global_mean_pool(h, batch.batch))
        return logits


@pytest.mark.parametrize("way", ["by name", "learnt", "sampled", "cut"])
def test_a_model_with_embeddings_learns(way: str) -> None:
    data = molecules(60)
    train, test = data[:40], Batch.from_data_list(data[40:])
    mix = WAYS[way]().fit(train)
    torch.manual_seed(0)
    model = Embedded()
    optimizer = torch.optim.Adam(model.parameters(), 0.02)
    for _ in range(12):
        for batch in DataLoader(train, 20, shuffle=True):
            batch = mix(batch)
            loss = F.cross_entropy(model(batch), batch.y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    accuracy = (model(test).argmax(1) == test.y).float().mean()
    assert accuracy > 0.9
