"""Pages in a real browser: they answer hands and keys, stay silent, fetch nothing, hide no column,
and can be read.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import torch

from smixup.app.explorer import page_of
from smixup.app.pages.page import templates
from smixup.app.pictures.methods import DotRow, draw_dots
from smixup.app.runs.data import Opened
from smixup.datasets import Split
from smixup.graphs import Graphs
from smixup.matching import Identity, Matcher, Uniform

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
FLAGS = ("no-sandbox", "disable-gpu", "disable-background-networking", "disable-component-update")
pytestmark = [
    pytest.mark.nightly,
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the path"),
]
Visit = Callable[..., Any]
COMMAND = "smixup train MOTIF --backbone gin --method s-mixup --seed 0 --data num_graphs=120"
MATCHERS: Mapping[str, Matcher] = {"graph-matcher": Identity(partial=True), "uniform": Uniform()}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as started:
        flags = [f"--{flag}" for flag in FLAGS]
        opened = started.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield opened
        opened.close()


@pytest.fixture
def visit(browser: Any, tmp_path: Path) -> Iterator[Visit]:
    """Open a page, which must write nothing on the console and fetch nothing."""
    contexts, console, requests = [], list[str](), list[str]()
    path = tmp_path / "page.html"

    def open_page(html: str, width: int = 1400, scheme: str = "light", at: str = "") -> Any:
        path.write_text(html, encoding="utf-8")
        context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: console.append(message.text))
        page.on("pageerror", lambda error: console.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri() + at)
        return page

    yield open_page
    assert console == []
    fetched = {url.partition("#")[0] for url in requests if not url.startswith("data:")}
    assert fetched == {path.as_uri()}
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def explorer(motif_graphs: Graphs) -> str:
    numbers = torch.arange(len(motif_graphs))
    opened = Opened("MOTIF", 0, motif_graphs, Split(numbers, numbers, numbers))
    different = int((motif_graphs.labels != motif_graphs.labels[0]).nonzero()[0])
    pairs = [(0, different), (1, 2), (2, 3)]
    return page_of(opened, pairs, MATCHERS, "identity", first=0)


@pytest.fixture(scope="session")
def report() -> str:
    """A page with a picture, a table of many columns and a command."""
    rows = [DotRow("s-mixup", [1.0, 2.0, 3.0], 2.0, 0.5, 3.5)]
    template = (
        '{% extends "pages/base.html" %}'
        '{% from "pages/blocks.html" import table, picture, command %}'
        "{% block body %}{{ picture(dots, 'Dots.') }}{{ table(header, rows, 'What') }}"
        "{{ command(text) }}{% endblock %}"
    )
    return (
        templates()
        .from_string(template)
        .render(
            title="S-Mixup is better",
            subtitle="What it is about.",
            dots={"dots": draw_dots(rows, "points", 1.0)},
            header=(
                "method",
                "test accuracy, %",
                "difference, points",
                "95 % interval",
                "loss",
                "n",
            ),
            rows=[("S-Mixup", "89.7 ± 9.5", "+29.7", "+28.2 to +31.1", "0.2", "3")],
            text=COMMAND,
        )
    )


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"\d+(?:\.\d+)?", text)]


def test_the_slider_mixes_edges_and_label(visit: Visit, explorer: str) -> None:
    page = visit(explorer)
    totals = {}
    for lam in ("0", "0.5", "1"):
        page.locator("#lam").fill(lam)
        totals[lam] = numbers(page.inner_text("#mix-about"))[1]
        if lam == "0.5":
            assert re.match(r"Label: 0\.50 \w+ \+ 0\.50 \w+", page.inner_text("#label"))
    assert totals["0.5"] == pytest.approx((totals["0"] + totals["1"]) / 2, abs=0.11)
    assert totals["0"] == numbers(page.inner_text("#carried-about"))[1]
    assert totals["1"] == numbers(page.inner_text("#first-about"))[-1]


def test_keys_move_lambda_pairs_alignments_and_theme(visit: Visit, explorer: str) -> None:
    page = visit(explorer)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowLeft")
    assert page.inner_text("#ratio") == "0.51"
    page.keyboard.press("n")
    assert page.input_value("#pair") == "1"
    page.keyboard.press("p")
    page.keyboard.press("p")
    assert page.input_value("#pair") == "2", "before the first comes the last"
    page.keyboard.press("a")
    pressed = page.locator('#switch [aria-pressed="true"]')
    assert pressed.inner_text() == "uniform"
    assert page.inner_text("#kind") == "soft"
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.keyboard.press("t")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before
    page.keyboard.press("c")
    assert page.input_value("#colouring") == "alignment"


def test_the_map_is_walked_with_arrow_keys(visit: Visit, explorer: str) -> None:
    page = visit(explorer)
    page.focus("#map")
    page.keyboard.press("ArrowDown")
    assert "are matched" in page.inner_text("#readout")
    page.keyboard.press("ArrowRight")
    assert "are not matched" in page.inner_text("#readout")
    page.keyboard.press("Escape")
    assert page.inner_text("#readout").startswith("Point at a cell")


def test_pointing_at_a_node_marks_its_counterpart(visit: Visit, explorer: str) -> None:
    page = visit(explorer)
    page.locator("#originals circle").first.hover()
    assert page.locator("#originals circle.lit").count() == 2
    assert page.locator("#originals .link.lit").count() == 1
    assert page.inner_text("#readout") == "Node 0 of G1 is matched with node 0 of G2."


def test_the_address_says_what_is_shown(visit: Visit, explorer: str) -> None:
    page = visit(explorer, at="#pair=2&way=uniform&lam=0.25")
    assert page.input_value("#pair") == "1"
    assert page.inner_text("#ratio") == "0.25"
    assert page.inner_text("#kind") == "soft"
    assert visit(explorer, at="#pair=99&lam=x").input_value("#pair") == "0", "nonsense is ignored"


@pytest.mark.parametrize("width", [1400, 820, 390, 320])
def test_nothing_is_out_of_sight(visit: Visit, explorer: str, report: str, width: int) -> None:
    for html in (explorer, report):
        page = visit(html, width)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        for cell in page.locator(".table td").all():
            box = cell.bounding_box()
            assert box is None or box["x"] + box["width"] <= width + 1


def test_cells_name_their_columns_on_a_phone(visit: Visit, report: str) -> None:
    label = "getComputedStyle(document.querySelectorAll('.table td')[2], '::before').content"
    assert visit(report, 390).evaluate(label) == '"difference, points"'
    assert visit(report).evaluate(label) in ("none", "normal")


def test_commands_are_copied(visit: Visit, report: str) -> None:
    page = visit(report, 390)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator(".copy").click()
    page.wait_for_function("document.querySelector('.copy').textContent !== 'Copy'")
    assert page.evaluate("navigator.clipboard.readText()") == COMMAND
