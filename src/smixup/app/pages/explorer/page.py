"""The explorer as one HTML file that needs nothing but itself."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from html import escape
from importlib.resources import files
from pathlib import Path

from scipy.special import betaincinv

import smixup
from smixup.app.pages.explorer.pairs import ExplorerPair
from smixup.app.pages.explorer.ways import ALIGNED, WayKind
from smixup.app.pages.page_style import COLOURS, DARK, LIGHT
from smixup.app.pages.report import write_page
from smixup.app.pictures import style
from smixup.app.studies.mixed_pair import LAM
from smixup.augment.smixup import SMixup
from smixup.ranges import Natural, NotNegative, RangedFields, Share

ASSETS = files("smixup.app.pages.explorer")
SCRIPTS = ("mixing.js", "colours.js", "drawing.js", "words.js", "picture.js", "page.js")
ORIGINS_LIGHT = "--of-first: #7335a8; --of-second: #8a6100; --of-both: #3a4048;"
ORIGINS_DARK = "--of-first: #c79bf2; --of-second: #e0ae3f; --of-both: #c9ced5;"
"""Of edges by the graph that they are from: purple and gold, which all can tell apart."""
THEMES = f"""
:root {{ {ORIGINS_LIGHT} }}
@media (prefers-color-scheme: dark) {{ :root {{ {ORIGINS_DARK} }} }}
:root[data-theme="light"] {{ color-scheme: light; {LIGHT} {ORIGINS_LIGHT} }}
:root[data-theme="dark"] {{ color-scheme: dark; {DARK} {ORIGINS_DARK} }}
"""
THRESHOLD = 0.05
ONE_WAY = (WayKind.named(ALIGNED, ""),)


@dataclass(frozen=True)
class Palette:
    """Colours of nodes and classes, those of all pictures."""

    motif: str = style.MOTIF
    base: str = style.BASE
    other: str = style.PALETTE[0]
    kinds: tuple[str, ...] = style.PALETTE[1:]
    against: str = style.AGAINST
    neither: str = style.NEITHER


@dataclass(frozen=True)
class DrawnRatio:
    """What training draws lambda from, by default (Sec. 3.1).

    Attributes:
        low, high: the ends of its range.
        median: half of the draws lie above.
        words: how it is drawn.
    """

    low: float
    high: float
    median: float
    words: str

    @classmethod
    def by(cls, alpha: float, fold: bool) -> DrawnRatio:
        """Describe `draw_ratio`; half of the folded draws are beyond the quartiles of Beta."""
        if alpha == 0:
            return cls(1.0, 1.0, 1.0, "always 1")
        median = float(betaincinv(alpha, alpha, 0.75 if fold else 0.5))
        drawn = f"from Beta({alpha:g}, {alpha:g})"
        words = f"the larger of a and 1 - a, with a {drawn}" if fold else drawn
        return cls(0.5 if fold else 0.0, 1.0, round(median, 2), words)


@dataclass(frozen=True)
class ExplorerPage(RangedFields):
    """The page's data.

    Attributes:
        title: of the page.
        subtitle: what the pairs are and who matched them.
        class_names: one per class.
        feature: what a column of X stands for, in one word; empty where there is too little of it
            to colour by.
        pairs: in the order of the list on the page.
        ways: positions of the switch; every pair has these alignments, in this order.
        first: place of the pair that the page opens with.
        lam: lambda when the page opens.
        drawn: what training draws lambda from.
        threshold: weights below this are hidden when the page opens.
    """

    title: str
    subtitle: str
    class_names: Sequence[str]
    feature: str
    pairs: Sequence[ExplorerPair]
    ways: Sequence[WayKind] = ONE_WAY
    first: Natural = 0
    lam: Share = LAM
    drawn: DrawnRatio = field(
        default_factory=lambda: DrawnRatio.by(SMixup.alpha, SMixup.fold_ratio)
    )
    threshold: NotNegative = THRESHOLD
    palette: Palette = field(default_factory=Palette)

    def html(self) -> str:
        """Return the whole page."""
        parts = {
            "title": escape(self.title),
            "subtitle": escape(self.subtitle),
            "version": escape(smixup.__version__),
            "style": COLOURS + THEMES + asset("page.css"),
            "data": script_json(asdict(self)),
            "script": "\n".join(map(asset, SCRIPTS)),
        }
        return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], asset("page.html"))

    def write(self, path: Path) -> Path:
        """Write the page; it appears at `path` whole or not at all."""
        return write_page(self.html(), path)


def asset(name: str) -> str:
    """Return one of the files that the page is made of."""
    return (ASSETS / name).read_text(encoding="utf-8")


def script_json(data: object) -> str:
    """Return JSON that can stand in a `<script>` element whatever text is in it: no `<` is left to
    end the element.
    """
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
