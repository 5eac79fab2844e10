"""The explorer's switch, its address, its picture and its keys, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlparse

import pytest
import torch
from app.pages.browsing import IN_A_BROWSER, Visit
from matplotlib.image import imread

from smixup.app.pages.explorer.page import ExplorerPage
from smixup.app.pages.explorer.pairs import ExplorerPair
from smixup.app.pages.explorer.source import page_of
from smixup.app.studies.pair_source import PairSource
from smixup.graphs import Graphs
from smixup.matching import Identity

pytestmark = IN_A_BROWSER
WAYS = ("aligned", "random", "uniform")


@pytest.fixture
def page(motif_graphs: Graphs) -> ExplorerPage:
    """Two pairs, the second of one class, and three alignments."""
    labels = motif_graphs.labels.tolist()
    same = next(place for place in range(1, 12) if labels[place] == labels[0])
    other = next(place for place in range(1, 12) if labels[place] != labels[0])
    source = PairSource("MOTIF", motif_graphs, torch.arange(len(motif_graphs)))
    return page_of(source, [(0, other), (0, same)], Identity(partial=True), "graph-matcher")


def address(open_: Visit) -> dict[str, str]:
    """What stands behind the #, once it was written: a later timer of the page itself fires after
    the one that writes, however busy the machine is.
    """
    open_.page.evaluate("() => new Promise((done) => setTimeout(done, 300))")
    found = parse_qs(urlparse(open_.page.url).fragment)
    return {name: values[0] for name, values in found.items()}


def pressed(open_: Visit) -> list[str]:
    buttons = open_.page.locator("#switch button[aria-pressed=true]")
    return [str(each) for each in buttons.all_inner_texts()]


def figures(open_: Visit) -> dict[str, str]:
    rows = open_.page.locator("#figures div").all()
    return {row.locator("dt").inner_text(): row.locator("dd").inner_text() for row in rows}


def test_the_switch_changes_the_alignment_and_what_follows(
    visit: Callable[..., Visit], page: ExplorerPage
) -> None:
    open_ = visit(page)
    assert open_.page.input_value("#pair") == "1", "the pair of one class"
    seen = []
    for title in ("aligned", "random order", "uniform"):
        open_.page.click(f"#switch button:has-text('{title}')")
        assert pressed(open_) == [title]
        seen.append((open_.pixels("mix"), open_.pixels("map"), str(figures(open_))))
    for column in zip(*seen, strict=True):
        assert len(set(column)) == 3
    assert open_.page.get_attribute("#links", "data-drawn") == "0", "a soft alignment has no links"
    open_.page.click("#switch button:has-text('aligned')")
    links = page.pairs[1].ways[0].links
    assert open_.page.get_attribute("#links", "data-drawn") == str(len(links))


def test_figures_are_those_of_the_pair_and_the_alignment(
    visit: Callable[..., Visit], page: ExplorerPage
) -> None:
    open_ = visit(page)
    for place in range(3):
        open_.page.keyboard.press(str(place + 1))
        wanted, shown = page.pairs[1].ways[place].figures, figures(open_)
        assert wanted.motif_kept is not None and wanted.error is not None
        assert shown["motif kept"] == f"{100 * wanted.motif_kept:.0f} %"
        assert shown["distortion"] == f"{wanted.distortion:.2f}"
        assert shown["interpolation error"].startswith(f"{wanted.error:.2f}")
    open_.page.select_option("#pair", "0")
    assert figures(open_)["motif kept"] == "only for two graphs of one class"


def test_edges_have_the_colour_of_where_they_are_from(
    visit: Callable[..., Visit], page: ExplorerPage
) -> None:
    open_ = visit(page)
    for name in ("edge of G1", "edge of G2", "edge of both"):
        assert name in open_.text("key")
    origins = open_.page.evaluate(
        """() => {
            const canvas = document.getElementById("mix");
            const { width, height } = canvas;
            const pixels = canvas.getContext("2d").getImageData(0, 0, width, height).data;
            const style = getComputedStyle(document.documentElement);
            const near = (name) => {
                const text = style.getPropertyValue(name).trim();
                const wanted = [1, 3, 5].map((start) => parseInt(text.slice(start, start + 2), 16));
                let found = 0;
                for (let place = 0; place < pixels.length; place += 4) {
                    const off = wanted.map((value, part) => Math.abs(pixels[place + part] - value));
                    if (pixels[place + 3] > 100 && Math.max(...off) < 12) found += 1;
                }
                return found;
            };
            return ["--of-first", "--of-second", "--of-both"].map(near);
        }"""
    )
    assert min(origins) > 10, origins


def test_heavy_edges_are_wider_and_in_the_key(
    visit: Callable[..., Visit], motif_graphs: Graphs
) -> None:
    order = motif_graphs.sizes.argsort()
    small, large = motif_graphs[order[:1]], motif_graphs[order[-1:]]
    piled = ExplorerPair.of(Identity(), small, large, "paper")
    heaviest = max(piled.ways[0].edges.values)
    assert heaviest > 2
    open_ = visit(ExplorerPage("t", "t", ("cycle", "house", "crane"), "", [piled]))
    assert f"weight {heaviest:.3g}, the heaviest" in open_.text("key")
    heights = open_.page.locator("#key i.line").evaluate_all(
        "all => all.slice(-3).map((each) => each.offsetHeight)"
    )
    assert heights[0] < heights[1] < heights[2]


def test_the_range_that_training_draws_is_marked(
    visit: Callable[..., Visit], page: ExplorerPage
) -> None:
    open_ = visit(page)
    band, slider = (open_.page.locator(f"#{name}").bounding_box() for name in ("drawn", "lam"))
    middle = slider["x"] + slider["width"] / 2
    assert band["x"] == pytest.approx(middle, abs=2)
    assert band["x"] + band["width"] == pytest.approx(slider["x"] + slider["width"], abs=10)
    assert "0.5 to 1" in open_.text("drawn-note")


def test_the_address_holds_the_state_and_gives_it_back(
    visit: Callable[..., Visit], page: ExplorerPage
) -> None:
    open_ = visit(page)
    assert address(open_)["pair"] == "2"
    for key in ("p", "2", "ArrowRight", "c", "l", "t"):
        open_.page.keyboard.press(key)
    open_.slide("threshold", 0.2)
    wanted = {"pair": "1", "way": "random", "lam": "0.61", "hide": "0.20", "colour": "alignment"}
    assert address(open_) == wanted | {"links": "off", "theme": "dark"}
    again = visit(page, at=f"#{urlparse(open_.page.url).fragment}")
    assert address(again) == address(open_)
    assert again.pixels("mix") == open_.pixels("mix")
    assert pressed(again) == ["random order"]
    assert again.page.input_value("#pair") == "0"
    again.page.evaluate("location.hash = '#pair=2&way=uniform'")
    again.page.wait_for_function("document.getElementById('pair').value === '1'")
    assert pressed(again) == ["uniform"]


def test_an_address_that_makes_no_sense_is_told(
    visit: Callable[..., Visit], page: ExplorerPage
) -> None:
    open_ = visit(page, at="#pair=99&way=cosine&lam=0.8&lam2=1&hide=")
    words = open_.text("notice")
    assert all(each in words for each in ("pair=99", "way=cosine", "lam2=1", "hide="))
    assert open_.text("lam-value") == "0.80", "what makes sense is taken"
    assert open_.page.input_value("#pair") == "1"


def test_a_picture_is_saved(
    visit: Callable[..., Visit], page: ExplorerPage, tmp_path: Path
) -> None:
    open_ = visit(page)
    sizes = []
    for way in (1, 3):
        open_.page.keyboard.press(str(way))
        with open_.page.expect_download() as download:
            open_.page.click("#export")
        left, right = page.pairs[1].left.graph, page.pairs[1].right.graph
        name = download.value.suggested_filename
        assert name == f"MOTIF-{left}-{right}-{WAYS[way - 1]}-lambda-0.60.png"
        path = tmp_path / name
        download.value.save_as(path)
        picture = imread(path)
        assert picture.shape[1] > 3000 and picture.shape[0] > 1000, "twice as fine as the screen"
        assert picture[..., :3].std() > 0.02, "something is drawn"
        sizes.append(path.read_bytes())
    assert sizes[0] != sizes[1]


def test_keys_work_after_a_list_had_the_focus(
    visit: Callable[..., Visit], page: ExplorerPage
) -> None:
    open_ = visit(page)
    press = open_.page.keyboard.press
    for name in ("pair", "colouring"):
        open_.page.focus(f"#{name}")
        before = open_.page.input_value("#pair")
        press("n")
        assert open_.page.input_value("#pair") != before
        lam = float(open_.text("lam-value"))
        press("ArrowRight")
        assert float(open_.text("lam-value")) == pytest.approx(lam + 0.01)
        assert open_.page.evaluate("document.activeElement.id") == name
    open_.page.focus("#pair")
    open_.page.select_option("#pair", "0")
    press("ArrowDown")
    assert open_.page.input_value("#pair") == "1", "arrows up and down are the list's"
    press("a")
    assert pressed(open_) == ["random order"]


def test_no_width_cuts_or_scrolls(visit: Callable[..., Visit], page: ExplorerPage) -> None:
    for size in ((1400, 900), (820, 1180), (390, 844), (320, 700)):
        for scheme in ("light", "dark"):
            open_ = visit(page, scheme, size)
            assert open_.page.evaluate("document.documentElement.scrollWidth") == size[0]
            cut = open_.page.evaluate(
                """() => [...document.querySelectorAll("button, dd, dt, figcaption, label")]
                    .filter((each) => getComputedStyle(each).display !== "inline")
                    .filter((each) => each.scrollWidth > each.clientWidth + 1)
                    .map((each) => each.textContent)"""
            )
            assert cut == []
