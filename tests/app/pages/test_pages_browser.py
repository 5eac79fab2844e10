"""Reports in a real browser: the answer on the first screen, no column out of sight, colours that
can be read, commands that can be copied.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from app.contrast import contrast
from app.pages.browsing import IN_A_BROWSER, Visit
from matplotlib.colors import to_hex

from smixup.app.pages.report import (
    Code,
    Folded,
    Link,
    Picture,
    Prose,
    Report,
    Section,
    Table,
)
from smixup.app.pictures.paired_dots import DotRow, draw_dots

pytestmark = IN_A_BROWSER
SIZES = [(1400, 900), (390, 844)]
COMMAND = "smixup train MOTIF --backbone gin --method s-mixup --seed 0 --data num_graphs=120"
HEADER = ("method", "test accuracy, %", "difference, points", "95 % interval", "test loss", "n")


@pytest.fixture
def report() -> Report:
    rows = [
        DotRow("s-mixup", [1.0, 2.0, 3.0], 2.0, 0.5, 3.5),
        DotRow("random order", [-1.0, 0.5, 1.0], 0.2, -2.0, 2.4),
    ]
    table = Table(
        HEADER, [("S-Mixup", "89.7 ± 9.5", "+29.7", "+28.2 to +31.1", "0.2", "3")], "What"
    )
    blocks = [
        Prose("Words."),
        table,
        Code(COMMAND),
        Folded("more", COMMAND),
        Link("there", "x.html"),
    ]
    lead = [Prose("S-Mixup is better."), Picture({"dots": draw_dots(rows, "points", 1.0)}, "Dots.")]
    return Report("An answer", "What it is about.", [Section("Scores", blocks)], lead)


@pytest.mark.parametrize("size", SIZES)
def test_headline_and_dots_are_on_the_first_screen(
    visit: Callable[..., Visit], report: Report, size: tuple[int, int]
) -> None:
    for page in (report,):
        open_ = visit(page, size=size)
        for part in ("h1", ".lead p", ".lead svg"):
            box = open_.page.locator(part).first.bounding_box()
            assert box["y"] >= 0 and box["y"] + box["height"] <= size[1], part
            assert box["x"] >= 0 and box["x"] + box["width"] <= size[0], part


@pytest.mark.parametrize("size", [*SIZES, (820, 1180), (320, 700)])
def test_no_column_is_out_of_sight(
    visit: Callable[..., Visit], report: Report, size: tuple[int, int]
) -> None:
    for page in (report,):
        open_ = visit(page, size=size)
        assert open_.page.evaluate("document.documentElement.scrollWidth") <= size[0]
        hidden = open_.page.evaluate(
            """() => [...document.querySelectorAll(".wide")]
                .filter((each) => each.scrollWidth > each.clientWidth + 1)
                .map((each) => each.innerText)"""
        )
        assert hidden == []
        for cell in open_.page.locator(".wide tbody td").all():
            box = cell.bounding_box()
            assert box is None or box["x"] + box["width"] <= size[0] + 1


def test_cells_name_their_columns_on_a_phone(visit: Callable[..., Visit], report: Report) -> None:
    open_ = visit(report, size=(390, 844))
    label = "getComputedStyle(document.querySelectorAll('.wide td')[2], '::before').content"
    assert open_.page.evaluate(label) == '"difference, points"'
    wide = visit(report, size=(1400, 900))
    assert wide.page.evaluate(label) in ("none", "normal")


def test_commands_wrap_and_are_copied(visit: Callable[..., Visit], report: Report) -> None:
    open_ = visit(report, size=(390, 844))
    open_.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    block = open_.page.locator("pre").first
    assert block.evaluate("each => each.scrollWidth <= each.clientWidth + 1")
    open_.page.locator(".copy").first.click()
    open_.page.wait_for_function("document.querySelector('.copy').textContent !== 'Copy'")
    assert open_.page.locator(".copy").first.inner_text() == "Copied"
    assert open_.page.evaluate("navigator.clipboard.readText()") == COMMAND


def colour(text: str) -> str:
    return to_hex([float(part) / 255 for part in re.findall(r"[\d.]+", text)[:3]])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_is_read_on_its_ground(
    visit: Callable[..., Visit], report: Report, scheme: str
) -> None:
    """4.5 : 1, as computed by the browser, writing in pictures included."""
    for page in (report,):
        open_ = visit(page, scheme)
        found = open_.page.evaluate(
            """() => {
                const ground = (each) => {
                    for (; each; each = each.parentElement) {
                        const colour = getComputedStyle(each).backgroundColor;
                        if (!colour.endsWith(", 0)")) return colour;
                    }
                };
                const all = (choice) => [...document.querySelectorAll(choice)];
                const isText = (node) => node.nodeType === 3 && node.textContent.trim();
                const texts = all("body *").filter(
                    (each) => [...each.childNodes].some(isText) && !each.closest("svg, script"),
                );
                const written = all("svg [id^=text] g").filter((each) => each.style.fill);
                const styleOf = getComputedStyle;
                const look = (each, kind, what) => [styleOf(each)[kind], ground(each), what];
                return [
                    ...texts.map((each) => look(each, "color", each.textContent)),
                    ...written.map((each) => look(each, "fill", "picture")),
                ];
            }"""
        )
        assert len(found) > 10
        assert any(what == "picture" for *_, what in found)
        for ink, ground, what in found:
            assert contrast(colour(ink), colour(ground)) >= 4.5, (what, ink, ground)
