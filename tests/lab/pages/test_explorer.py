"""The explorer's page holds the numbers of Eq. (4) and (5), whatever the text around them, and
needs nothing else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from smixup.analysis.explanation import Explanation
from smixup.augment.mixing import interpolate
from smixup.augment.ratio import draw_ratio
from smixup.augment.transport import TRANSPORTS
from smixup.datasets.atoms import ATOM_VALUES
from smixup.datasets.one_hot import one_hot_columns
from smixup.graphs import Graphs
from smixup.lab.figures.graph_drawing import turned
from smixup.lab.pages.explorer.page import DrawnRatio, ExplorerPage
from smixup.lab.pages.explorer.pairs import ExplorerPair, framed
from smixup.lab.pages.explorer.source import controls, explore_dataset, page_of
from smixup.lab.pages.explorer.ways import WayKind
from smixup.lab.studies.alignment import Alignment
from smixup.lab.studies.explained import Explained
from smixup.lab.studies.pair_source import PairSource
from smixup.matching import Identity, Matcher, RandomOrder, Uniform

EVIL = "</script><script>document.title = 'x'</script>{{data}}&amp;\u2028<!--"


class Reader(HTMLParser):
    """Collects tags with their attributes, and the text of every script."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.title = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1][0] == "script" and data.strip():
            self.scripts.append(data)
        if self.tags and self.tags[-1][0] == "title":
            self.title += data


def data_of(page: ExplorerPage) -> dict[str, Any]:
    """What the browser will parse."""
    data: dict[str, Any] = json.loads(Reader(page.html()).scripts[0])
    return data


def dense(entries: dict[str, Any], shape: tuple[int, int]) -> torch.Tensor:
    matrix = torch.zeros(shape)
    for row, column, value in zip(
        entries["row"], entries["column"], entries["values"], strict=True
    ):
        matrix[row, column] = value
    return matrix


def assignment(way: dict[str, Any], shape: tuple[int, int]) -> torch.Tensor:
    """M as the page builds it: from links, or row by row."""
    if way["assignment"] is not None:
        return torch.tensor(way["assignment"])
    matrix = torch.zeros(shape)
    for row, column in way["links"]:
        matrix[row, column] = 1
    return matrix


def soft(share: np.ndarray) -> Alignment:
    return Alignment(torch.from_numpy(share))


def plain_page(
    *pairs: ExplorerPair, names: tuple[str, ...] = ("a", "b"), title: str = "t"
) -> ExplorerPage:
    return ExplorerPage(title, title, names, "feature", pairs)


@pytest.mark.parametrize("lam", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("transport", ["partial", "partial(edges=true)", "paper"])
@pytest.mark.parametrize("places", [(3, 4), (4, 3)])
@pytest.mark.parametrize("matcher", [Uniform(), Identity(partial=True)])
def test_the_numbers_on_the_page_give_the_mix_of_eq_5(
    graphs: Graphs, lam: float, transport: str, places: tuple[int, int], matcher: Matcher
) -> None:
    left, right = graphs[[places[0]]], graphs[[places[1]]]
    pair = data_of(plain_page(ExplorerPair.of(matcher, left, right, transport)))["pairs"][0]
    n, d = left.x.shape
    carried = TRANSPORTS.of(transport)(matcher(left, right), left, right)
    mix = interpolate(left, carried, torch.tensor([lam]))

    def mixed(name: str, shape: tuple[int, int]) -> torch.Tensor:
        first, second = dense(pair["left"][name], shape), dense(pair["ways"][0][name], shape)
        return lam * first + (1 - lam) * second

    upper = mixed("edges", (n, n))
    torch.testing.assert_close(upper + upper.T, mix.adj.to_dense(), atol=1e-4, rtol=0)
    torch.testing.assert_close(mixed("features", (n, d)), mix.x, atol=1e-4, rtol=0)
    y1, y2 = torch.tensor(pair["left"]["y"]), torch.tensor(pair["right"]["y"])
    torch.testing.assert_close(lam * y1 + (1 - lam) * y2, mix.y[0])


def test_the_second_graph_and_the_assignment_are_there_too(graphs: Graphs) -> None:
    left, right = graphs[[3]], graphs[[4]]
    pair = data_of(plain_page(ExplorerPair.of(Uniform(), left, right)))["pairs"][0]
    assert (pair["left"]["graph"], pair["right"]["graph"]) == (3, 4)
    n2, d = right.x.shape
    upper = dense(pair["right"]["edges"], (n2, n2))
    torch.testing.assert_close(upper + upper.T, right.adj.to_dense(), atol=1e-4, rtol=0)
    features, way = pair["right"]["features"], pair["ways"][0]
    torch.testing.assert_close(dense(features, (n2, d)), right.x, atol=1e-4, rtol=0)
    even = torch.full((3, n2), 1 / 3)
    torch.testing.assert_close(assignment(way, (3, n2)), even, atol=1e-3, rtol=0)
    assert [sorted(each) for each in way["orders"]] == [[0, 1, 2], list(range(n2))]


def explained(graphs: Graphs) -> Callable[[int], Explained]:
    """Every node speaks for the graph as much as its number says."""

    def explain(place: int) -> Explained:
        n = int(graphs.sizes[place])
        found = Explanation(0, 1.0, torch.arange(n) / 8, torch.zeros(2, 0), torch.zeros(0))
        return Explained(place, f"kind {place}", "log odds", torch.zeros(n, n), found, ("C",) * n)

    return explain


def test_what_a_model_rests_on_is_there_if_one_is_given(graphs: Graphs) -> None:
    left, right, alone = graphs[[3]], graphs[[4]], graphs[[1]]
    assert alone.num_nodes == 1
    given = [
        ExplorerPair.of(Uniform(), left, other, explain=explained(graphs))
        for other in (right, alone)
    ]
    first, second = data_of(plain_page(*given))["pairs"]
    assert first["left"]["importance"] == [0, 0.125, 0.25]
    assert first["left"]["predicted"] == "kind 3"
    assert len(first["right"]["importance"]) == right.num_nodes
    assert second["right"]["importance"] is None  # nothing could be taken away
    without = data_of(plain_page(ExplorerPair.of(Uniform(), left, right)))["pairs"][0]
    assert without["left"]["importance"] is None
    assert without["left"]["symbols"] is None


def test_atoms_have_their_symbols(graphs: Graphs) -> None:
    values = np.zeros((graphs.num_nodes, 9), dtype=np.int64)
    values[:, 0] = 5 + np.arange(graphs.num_nodes) % 2
    molecules = graphs.replace(x=one_hot_columns(values, ATOM_VALUES))
    pair = ExplorerPair.of(Uniform(), molecules[[3]], molecules[[4]])
    first = int(graphs.ptr[3]) % 2
    assert pair.left.symbols == [("C", "N")[(first + node) % 2] for node in range(3)]


@pytest.mark.parametrize("places", [(1, 1), (1, 4), (2, 1), (5, 2)])
def test_odd_graphs_have_a_page(graphs: Graphs, places: tuple[int, int]) -> None:
    """One node, no edges, one node with many: finite numbers between -1 and 1."""
    pair = data_of(
        plain_page(ExplorerPair.of(RandomOrder(), graphs[[places[0]]], graphs[[places[1]]]))
    )["pairs"][0]
    for side in ("left", "right"):
        assert np.abs(pair[side]["places"]).max() <= 1


def test_a_dozen_pairs_of_sixty_nodes_stay_below_two_megabytes(
    make_graphs: Callable[..., Graphs],
) -> None:
    """The worst there is: dense graphs, dense features, an assignment that spreads everything."""
    graphs = make_graphs([60, 59], num_features=20)
    pair = ExplorerPair.of(Uniform(), graphs[[0]], graphs[[1]])
    assert len(plain_page(*[pair] * 12).html().encode()) < 2e6


@pytest.mark.slow
def test_a_usual_page_with_all_its_alignments_stays_below_half_a_megabyte() -> None:
    page = explore_dataset("motif", "uniform", 12, options={"num_graphs": 60}, paper=False)
    assert [each.name for each in page.ways] == ["aligned", "random"]
    assert len(page.html().encode()) < 5e5


def test_text_cannot_break_the_page(graphs: Graphs) -> None:
    pair = ExplorerPair.of(Uniform(), graphs[[3]], graphs[[4]])
    page = plain_page(pair, names=(EVIL, "b"), title=EVIL)
    reader = Reader(page.html())
    assert [tag for tag, _ in reader.tags].count("script") == 2
    assert json.loads(reader.scripts[0])["class_names"][0] == EVIL
    assert reader.title.strip() == EVIL
    assert "<script>document" not in page.html()


def test_nothing_is_fetched(graphs: Graphs) -> None:
    text = plain_page(ExplorerPair.of(Uniform(), graphs[[3]], graphs[[4]])).html()
    assert not re.findall(r"https?://(?!www\.w3\.org/2000/svg)", text)
    assert not re.findall(
        r"\burl\(|@import|\bfetch\(|XMLHttpRequest|\bimport\b\s*[({\"']|\{\{", text
    )
    for tag, attributes in Reader(text).tags:
        assert "src" not in attributes
        assert attributes.get("href", "data:,") == "data:,", tag


def test_every_control_has_a_name(graphs: Graphs) -> None:
    reader = Reader(plain_page(ExplorerPair.of(Uniform(), graphs[[3]], graphs[[4]])).html())
    named = {attributes["for"] for tag, attributes in reader.tags if tag == "label"}
    for tag, attributes in reader.tags:
        if tag in ("input", "select"):
            assert attributes["id"] in named
        if tag == "canvas":
            assert {"role", "aria-hidden"} & set(attributes)


def test_layouts_are_turned_towards_each_other() -> None:
    places = np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 1.0]])
    mirrored = np.array([[0.0, 0.0], [0.0, 4.0], [1.0, 4.0]])
    assert np.allclose(turned(places, mirrored), mirrored - mirrored.mean(0))
    wide = np.array([[-1, -0.25], [1, -0.25], [1, 0.25]])
    for half, scale in ((places / 1.6, 1 / 1.6), (places / 8, 0.5)):
        first, second = framed(places, half)
        assert np.allclose(first, wide)
        assert np.allclose(second, wide * scale), "as large as it is, but half the frame at least"
    assert all(not each.any() for each in framed(np.zeros((1, 2)), np.zeros((1, 2))))
    assert framed(np.zeros((0, 2)), places)[0].shape == (0, 2)


def test_a_page_knows_who_is_matched(graphs: Graphs) -> None:
    small, large = graphs[[3]], graphs[[0]]
    n = small.num_nodes
    assert n < large.num_nodes

    def pair_of(matcher: Matcher, left: Graphs, right: Graphs) -> dict[str, Any]:
        [pair] = data_of(plain_page(ExplorerPair.of(matcher, left, right)))["pairs"]
        [way] = pair["ways"]
        return dict(way)

    first = pair_of(Identity(partial=True), large, small)
    rest = large.num_nodes - n
    assert first["kind"] == "one-to-one"
    assert first["links"] == [[node, node] for node in range(n)]
    assert first["matched"] == [[1] * n + [0] * rest, [1] * n]
    assert first["transport"] == {
        "name": "partial",
        "keeps_features": True,
        "keeps_edges": True,
    }
    dropped = pair_of(Identity(partial=True), small, large)
    assert dropped["matched"][1] == [1] * n + [0] * rest
    piled = pair_of(Identity(), small, large)
    assert piled["kind"] == "many-to-one"
    assert piled["links"] == [[node % n, node] for node in range(large.num_nodes)]
    assert pair_of(Uniform(), small, large)["links"] == []


@pytest.mark.parametrize(
    ("matcher", "words"),
    [
        (Identity(partial=True), "along one-to-one alignments. Transport: paper."),
        (Identity(), "along one-to-one and many-to-one alignments."),
        (Uniform(), "along soft alignments."),
    ],
)
def test_the_page_says_what_kind_of_alignments_it_shows(
    make_graphs: Callable[..., Graphs], matcher: Matcher, words: str
) -> None:
    source = PairSource("SET", make_graphs([5, 6]), torch.arange(2))
    page = page_of(source, [(1, 0), (0, 1)], matcher, "m", "paper")
    assert words in page.subtitle


def test_every_pair_has_the_alignments_of_the_switch(motif_graphs: Graphs) -> None:
    source = PairSource("MOTIF", motif_graphs, torch.arange(len(motif_graphs)))
    page = page_of(source, [(0, 1), (0, 3)], Identity(partial=True), "graph-matcher")
    data = data_of(page)
    names = ["aligned", "random", "uniform"]
    assert [each["name"] for each in data["ways"]] == names
    assert [each["title"] for each in data["ways"]] == ["aligned", "random order", "uniform"]
    for pair in data["pairs"]:
        assert [way["way"] for way in pair["ways"]] == names
        assert [way["kind"] for way in pair["ways"]][::2] == ["one-to-one", "soft"]
        assert pair["ways"][2]["figures"]["distortion"] == pytest.approx(1, abs=1e-3)
        assert pair["ways"][1]["figures"]["error"] is not None
    assert list(controls(0, "uniform")) == ["random"], "what is shown anyway is not shown twice"
    assert WayKind.named("aligned", "identity").title == "no alignment"


@pytest.mark.parametrize(("alpha", "fold"), [(0.2, True), (1.0, True), (1.0, False), (0.0, True)])
def test_the_page_knows_what_training_draws_lambda_from(alpha: float, fold: bool) -> None:
    drawn = DrawnRatio.by(alpha, fold)
    lam = draw_ratio(4000, alpha, fold, torch.Generator().manual_seed(0))
    assert drawn.low <= float(lam.min()) and float(lam.max()) <= drawn.high
    assert float(lam.median()) == pytest.approx(drawn.median, abs=0.03)


def test_the_page_is_written_whole(tmp_path: Path, graphs: Graphs) -> None:
    path = plain_page(ExplorerPair.of(Uniform(), graphs[[3]], graphs[[4]])).write(
        tmp_path / "deep" / "explore.html"
    )
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert list(path.parent.iterdir()) == [path]
