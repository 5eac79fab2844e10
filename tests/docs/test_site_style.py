"""The style of the site in a real browser: on a phone, what is wide scrolls in a box of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from app.pages.browsing import IN_A_BROWSER, started_browser

pytestmark = IN_A_BROWSER
STYLE = Path(__file__).parents[2] / "docs" / "_static" / "site.css"
PICTURE = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="860" height="100"><style>'
    "rect { fill: #ff0000; } @media (prefers-color-scheme: dark) { rect { fill: #0000ff; } }"
    '</style><rect width="860" height="100"/></svg>'
)
CELLS = "".join(f"<td>[+{number}.00, +9.99]</td>" for number in range(9))
PAGE = f"""
<meta name="viewport" content="width=device-width">
<style>body {{ margin: 0; --color-background-primary: white; }} td {{ white-space: nowrap; }}
{STYLE.read_text(encoding="utf-8")}</style>
<body data-theme="auto"><article>
<p><img id="picture" src="data:image/svg+xml,{quote(PICTURE)}"></p>
<div class="card"><p><img id="card" src="data:image/svg+xml,{quote(PICTURE)}"></p></div>
<div class="table-wrapper"><table class="docutils"><tr><td id="name">MUTAG</td>{CELLS}</tr></table>
</div></article></body>
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with started_browser() as started:
        yield started


def opened(browser: Any, width: int, scheme: str = "light") -> Any:
    page = browser.new_page(viewport={"width": width, "height": 700}, color_scheme=scheme)
    page.set_content(PAGE)
    return page


def test_pictures_keep_their_size_on_a_phone(browser: Any) -> None:
    page = opened(browser, 390)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    wide = page.evaluate("picture.getBoundingClientRect().width")
    assert wide == pytest.approx(46 * 16, abs=1), "as on a wide page"
    assert page.evaluate("picture.parentElement.scrollWidth") >= wide - 1
    assert page.evaluate("card.getBoundingClientRect().width") <= 390, "cards hold small pictures"
    assert page.evaluate("getComputedStyle(card.parentElement).backgroundImage") == "none"
    page.close()


def test_pictures_fit_the_page_elsewhere(browser: Any) -> None:
    page = opened(browser, 800)
    assert page.evaluate("picture.getBoundingClientRect().width") <= 800
    page.close()


def test_the_names_of_rows_stay_in_sight(browser: Any) -> None:
    page = opened(browser, 390)
    page.evaluate("document.querySelector('.table-wrapper').scrollLeft = 300")
    assert -5 <= page.evaluate("document.getElementById('name').getBoundingClientRect().left") <= 5
    page.close()


@pytest.mark.parametrize(("scheme", "theme"), [("dark", "light"), ("light", "dark")])
def test_pictures_follow_the_choice_of_the_reader(browser: Any, scheme: str, theme: str) -> None:
    """The writing of a picture is lighter on a dark page, whatever the system is set to."""
    seen = {}
    for chosen in ("auto", theme):
        page = opened(browser, 800, scheme)
        page.evaluate(f"document.body.dataset.theme = '{chosen}'")
        seen[chosen] = page.locator("#picture").screenshot()
        page.close()
    assert seen["auto"] != seen[theme]
