"""A learned matcher: its settings, what it was fitted on, and that it is kept as it is."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from oracles import one_to_one, representations
from safetensors.torch import load_file, save_file
from torch_geometric.data import Batch, Data

from smixup.datasets.motif import motif_dataset
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Codes, Graphs
from smixup.matching import RRWM, GraphMatcher, Identity, SiameseMatcher, storage
from smixup.matching.assign import NORMALIZATIONS
from smixup.matching.classical import SpectralMatching
from smixup.matching.fgw import FusedGromovWasserstein
from smixup.matching.learned import EMBEDDING, PUBLISHED, LearnedMatcher
from smixup.matching.pairs import Pairs
from smixup.progress import Progress
from smixup.saved import seal

LEFT, RIGHT = [0, 4, 3, 1], [5, 2, 4, 4]
Tiny = Callable[..., GraphMatcher]


def assigned(matcher: GraphMatcher, graphs: Graphs) -> torch.Tensor:
    return matcher(graphs[LEFT], graphs[RIGHT]).to_dense()


def test_the_seed_decides_and_a_fit_forgets_the_one_before(
    tiny: Tiny, graphs: Graphs, make_graphs: Callable[..., Graphs]
) -> None:
    torch.manual_seed(5)
    before, matcher = torch.get_rng_state(), tiny()
    settings = repr(matcher), matcher.settings
    assert not matcher.fitted and matcher.num_classes is None
    one = assigned(matcher.fit(graphs), graphs)
    assert torch.equal(torch.get_rng_state(), before), "torch's own state is left alone"
    assert (repr(matcher), matcher.settings) == settings
    assert matcher.fitted and matcher.num_classes == 2
    torch.manual_seed(6)
    other = tiny().fit(make_graphs([5, 6, 7, 4], num_features=4, num_classes=3, seed=3))
    assert other.num_classes == 3
    assert torch.equal(assigned(other.fit(graphs), graphs), one)
    assert not torch.equal(assigned(tiny(seed=1).fit(graphs), graphs), one)


def test_epochs_and_labels_decide_what_is_learnt(tiny: Tiny, graphs: Graphs) -> None:
    seen: list[Progress] = []
    tiny(epochs=3, batch_size=4, evaluate_every=1, patience=100).fit(graphs, seen.append)
    assert (seen[-1].done, seen[-1].total) == (6, 6), "three times two steps of four"
    same = graphs.replace(y=torch.tensor([[1.0, 0.0]]).expand(7, 2))
    assert set(tiny().fit(same).fit_scores) == {"copies found"}
    unlabelled = tiny(triplets=False).fit(graphs.replace(y=torch.zeros(7, 0)))
    assert (set(unlabelled.fit_scores), unlabelled.num_classes) == ({"copies found"}, None)
    for labels in ([0, 0, 0, 0, 0, 0, 1], [0, 1, 2, 3, 4, 5, 6]):
        y = torch.nn.functional.one_hot(torch.tensor(labels)).float()
        matcher = tiny(correspondences=False).fit(graphs.replace(y=y))
        assert matcher.num_classes == max(labels) + 1
        assert set(matcher.fit_scores) == {"triplet accuracy"}


@pytest.mark.parametrize("kind", [GraphMatcher, SiameseMatcher])
@pytest.mark.parametrize("way", ["one-to-one", "one-to-one(rounds=3, noise=0.2, bin=-2)"])
def test_one_to_one_matches(kind: type[LearnedMatcher], way: str) -> None:
    graphs = motif_dataset(num_graphs=40).graphs
    matcher = kind(max_steps=3, normalization=way).fit(graphs)
    prepared = matcher.prepare(graphs)
    left, right = torch.randint(40, (2, 24), generator=torch.Generator().manual_seed(0))
    plain = []
    for i, j in zip(left.tolist(), right.tolist(), strict=True):
        one, other = prepared[[i]], prepared[[j]]
        network, inputs = matcher.ready_for(one)
        with torch.no_grad():
            if kind is SiameseMatcher:
                h1, h2 = one.node_attrs[EMBEDDING], other.node_attrs[EMBEDDING]
            else:
                h1, h2 = representations(network, inputs(one), inputs(other))
            S = network.scores(h1[None], h2[None])[0]
        plain.append(one_to_one(S, one.adj.to_dense(), other.adj.to_dense(), matcher.normalize))
    found = matcher.assign(prepared, left, right).to_dense()
    assert torch.equal(found, torch.block_diag(*plain))


def ring(n: int) -> Data:
    ends = torch.stack([torch.arange(n), torch.arange(n).roll(1)])
    return Data(torch.arange(n), torch.cat([ends, ends.flip(0)], 1), y=torch.tensor([n % 2]))


def test_pyg_graphs_of_codes_and_without_features(tiny: Tiny, tmp_path: Path) -> None:
    data = [ring(n) for n in (4, 5, 6, 7)]
    matcher = tiny(encode="one-hot").fit(graph for graph in data)
    assert (matcher.codes, matcher.num_classes) == (Codes(nodes=(7,)), 2)
    assert (str(matcher.encode), matcher.settings["encode"]) == ("one-hot", "one-hot")
    features = [graph.clone() for graph in data]
    for graph in features:
        graph.x = torch.nn.functional.one_hot(graph.x, 7).float()
    expected = tiny().fit(features).match(features[0], features[3])
    assert torch.equal(matcher.match(data[0], data[3]), expected)
    matcher.save(tmp_path / "codes")
    loaded = GraphMatcher.load(tmp_path / "codes")
    assert loaded == matcher and loaded.codes == matcher.codes
    assert torch.equal(loaded.match(data[0], data[3]), expected)
    with pytest.raises(SmixupError, match="'x' holds 7 in column 0"):
        matcher.match(data[0], ring(8))
    for text in ("one-hot", "codes(nodes=-1)", "five", 5):
        change(tmp_path / "codes", codes=text)
        with pytest.raises(SmixupError, match="is damaged"):
            GraphMatcher.load(tmp_path / "codes")
    assert matcher.fit(data[:2]).codes == Codes(nodes=(5,)), "a fit forgets the one before"
    for graph in data:
        graph.num_nodes, graph.x = graph.num_nodes, None
    bare = tiny().fit(Batch.from_data_list(data))
    assert bare.inputs is not None and (bare.inputs.num_features, bare.num_classes) == (0, 2)


def test_the_published_matcher() -> None:
    published = GraphMatcher.as_published(num_layers=6, seed=3)
    ours = GraphMatcher().settings
    assert GraphMatcher(**published.settings) == published
    assert GraphMatcher(**PUBLISHED).settings == GraphMatcher.as_published().settings
    assert (published.num_layers, published.seed, published.correspondences) == (6, 3, False)
    assert (PUBLISHED["hidden_channels"], PUBLISHED["learning_rate"]) == (256, 0.001)
    assert GraphMatcher.as_published(similarity="euclidean").similarity == "euclidean"
    assert [name for name, value in PUBLISHED.items() if ours[name] == value] == []


@pytest.fixture(scope="module")
def saved(
    tiny: Tiny, make_graphs: Callable[..., Graphs], tmp_path_factory: pytest.TempPathFactory
) -> tuple[GraphMatcher, Path]:
    """A matcher and the folder where it was saved; not to be changed."""
    graphs = make_graphs([4, 1, 6, 3, 9, 5, 2])
    matcher = tiny(normalization="columns", similarity="cosine", seed=3).fit(graphs)
    folder = tmp_path_factory.mktemp("saved") / "new" / "matcher"
    matcher.save(folder)
    return matcher, folder


@pytest.fixture
def folder(saved: tuple[GraphMatcher, Path], tmp_path: Path) -> Path:
    """A copy of that folder, to be spoilt."""
    copy = tmp_path / "copy" / "matcher"
    copy.mkdir(parents=True)
    for file in saved[1].iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    return copy


def change(folder: Path, **changes: Any) -> None:
    """Change a matcher as somebody would who knows how digests are made."""
    path = folder / "matcher.json"
    about = json.loads(path.read_text()) | changes
    path.write_text(json.dumps(seal(about, load_file(folder / "matcher.safetensors"))))


def test_a_loaded_matcher_is_the_same_matcher(
    saved: tuple[GraphMatcher, Path], graphs: Graphs, tmp_path: Path
) -> None:
    matcher, folder = saved
    loaded = GraphMatcher.load(str(folder))
    assert torch.equal(assigned(loaded, graphs), assigned(matcher, graphs))
    assert loaded == matcher
    assert (loaded.num_classes, loaded.fit_scores) == (2, matcher.fit_scores)
    assert sorted(path.name for path in folder.iterdir()) == ["matcher.json", "matcher.safetensors"]
    assert [path.name for path in folder.parent.iterdir()] == ["matcher"], "nothing temporary stays"
    assert torch.equal(assigned(loaded.fit(graphs), graphs), assigned(matcher, graphs))
    loaded.temperature = 5.0
    loaded.save(tmp_path / "matcher")
    loaded.save(str(tmp_path / "matcher"))
    assert GraphMatcher.load(tmp_path / "matcher").temperature == 5.0
    siamese = SiameseMatcher(num_layers=1, hidden_channels=4, max_steps=2).fit(graphs)
    siamese.save(tmp_path / "siamese")
    again = GraphMatcher.load(tmp_path / "siamese")
    assert type(again) is SiameseMatcher
    assert torch.equal(assigned(again, graphs), assigned(siamese, graphs))


def test_a_perplexity_of_earlier_versions_is_the_temperature_that_it_led_to(folder: Path) -> None:
    settings = json.loads((folder / "matcher.json").read_text())["settings"]
    change(folder, settings=settings | {"perplexity": None}, calibrated_temperature=None)
    assert GraphMatcher.load(folder).temperature == 1.0
    change(folder, settings=settings | {"perplexity": 2.0}, calibrated_temperature=0.7)
    assert GraphMatcher.load(folder).temperature == 0.7
    for wrong in (None, 0, float("nan"), "x"):
        change(folder, calibrated_temperature=wrong)
        with pytest.raises(SmixupError, match="is damaged"):
            GraphMatcher.load(folder)


WRONG: dict[str, list[Any]] = {"num_features": [4, None, 2**70, [3]], "settings": [[1]]}
WRONG_SETTINGS: list[tuple[str, Any]] = [
    *(("hidden_channels", wrong) for wrong in (16, 10**9, -1, "8")),
    *(("num_layers", 3), ("random_walk", 2), ("similarity", "taste"), ("encode", "taste")),
    *(("temperature", "hot"), ("temperature", 0), ("seed", True), ("colour", 1), ("top_k", 3)),
]


def test_tampered_files_are_refused(folder: Path) -> None:
    about = json.loads((folder / "matcher.json").read_text())
    cases = [{name: value} for name, values in WRONG.items() for value in values]
    cases += [{"settings": about["settings"] | {name: value}} for name, value in WRONG_SETTINGS]
    refusals = [(changes, "is damaged") for changes in cases]
    refusals += [({"version": v}, "by another smixup") for v in (storage.VERSION + 1, 3, None)]
    refusals += [
        ({"kind": kind}, "does not describe a matcher") for kind in ("recipe", [], {}, None)
    ]
    for changes, words in refusals:
        change(folder, **(about | changes))
        with pytest.raises(SmixupError, match=words):
            GraphMatcher.load(folder)
    path = folder / "matcher.json"
    path.write_text(json.dumps(about | {"num_classes": 5}))
    with pytest.raises(SmixupError, match="has changed since it was written"):
        GraphMatcher.load(folder)
    path.write_text(json.dumps(about, indent=7))  # other spaces are no other matcher
    GraphMatcher.load(folder)
    weights = folder / "matcher.safetensors"
    tensors = load_file(weights)
    scale = tensors["network.log_scale"]
    save_file(tensors | {"network.log_scale": scale + 1e-6}, weights)
    with pytest.raises(SmixupError, match="has changed since it was written"):
        GraphMatcher.load(folder)


def test_what_cannot_be_matched_or_kept_is_refused(
    tiny: Tiny,
    saved: tuple[GraphMatcher, Path],
    graphs: Graphs,
    make_graphs: Callable[..., Graphs],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    matcher, one, narrow = saved[0], graphs[[0]], make_graphs([3, 4], num_features=2)
    unlabelled = graphs.replace(y=torch.zeros(7, 0))
    same = graphs.replace(y=torch.tensor([[1.0, 0.0]]).expand(7, 2))
    data = [ring(5), ring(8)]
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").touch()
    state = tmp_path / "state"
    state.touch()
    way = NORMALIZATIONS.of
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: GraphMatcher(similarity="cosin"), "Did you mean 'cosine'"),
        (lambda: GraphMatcher(normalization="column"), "Did you mean 'columns'"),
        (lambda: GraphMatcher(triplets=False, correspondences=False), "both are off"),
        (lambda: way("sinkhom"), "unknown normalization 'sinkhom'. Did you mean 'sinkhorn'"),
        (lambda: way("sinkhorn(round=3)"), "Did you mean 'rounds'"),
        (lambda: way("columns("), r"'columns\(' is no normalization: write name or name\(field"),
        (lambda: way("sinkhorn(rounds=many)"), "rounds of .* must be an integer, not 'many'"),
        (lambda: way("one-to-one(bin=99)"), "must be between -50 and 50"),
        (lambda: GraphMatcher()(one, one), "has not learnt anything yet"),
        (lambda: SiameseMatcher()(one, one), "has not learnt anything yet"),
        (lambda: matcher(one, narrow[[1]]), "have 2 node features.*fitted on graphs with 3"),
        (lambda: GraphMatcher.load(saved[1])(narrow[[0]], one), "have 2 node features"),
        (lambda: tiny(correspondences=False).fit(same), "no graph from another.*; teach corresp"),
        (lambda: tiny().fit(unlabelled), "the graphs have no labels"),
        (lambda: tiny().fit(data), "'x' holds integers from 0 to 7, as codes"),
        (lambda: tiny(encode="one-hot").match(*data), "learns from the training graphs how many"),
        (lambda: RRWM().match(*data), "'x' holds integers from 0 to 4"),
        (lambda: Identity().match([1, 2], [3, 4]), "a list of torch_geometric"),  # type: ignore[list-item]
        (lambda: GraphMatcher().save(tmp_path / "matcher"), "nothing to save"),
        (lambda: matcher.save(tmp_path / "mine"), "exists and holds thesis.tex: name a new folder"),
        (lambda: matcher.save(state), "state exists and is no matcher: name a new folder"),
        (lambda: GraphMatcher.load(tmp_path / "nowhere"), "no matcher in"),
    ]
    for call, words in cases:
        with pytest.raises(SmixupError, match=words):
            call()
    assert issubclass(UsageError, SmixupError) and not (tmp_path / "matcher").exists()
    for any_matcher in (Identity(), RRWM(), matcher):
        with pytest.raises(ValueError, match="2 graphs on the left, 1 on the right"):
            any_matcher(graphs[[0, 1]], graphs[[0]])
    with pytest.raises(ValueError, match="3 graphs on the left, 2 on the right"):
        Pairs.of(graphs[[0, 1, 2]], graphs[[0, 1]])
    for module, solver, extra in (
        ("pygmtools", SpectralMatching(), "needs pygmtools, which is missing: pip install"),
        ("ot.lp.emd_wrap", FusedGromovWasserstein(), "needs POT, which is missing: pip install"),
    ):
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(SmixupError, match=extra):
            solver(one, graphs[[3]])
