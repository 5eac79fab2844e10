"""The explorer as one HTML file that needs nothing but itself."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from html import escape
from importlib.resources import files
from pathlib import Path

import smixup
from smixup.lab.figures import style
from smixup.lab.figures.graph_drawing import FAINTEST
from smixup.lab.pages.explorer.pairs import ExplorerPair
from smixup.lab.pages.report import COLOURS, DARK, LIGHT, write_page
from smixup.lab.studies.mixed_pair import LAM
from smixup.ranges import NotNegative, RangedFields, Share

ASSETS = files("smixup.lab.pages.explorer")
SCRIPTS = ("mixing.js", "colours.js", "drawing.js", "page.js")
THEMES = f"""
:root[data-theme="light"] {{ color-scheme: light; {LIGHT} }}
:root[data-theme="dark"] {{ color-scheme: dark; {DARK} }}
"""


@dataclass(frozen=True)
class Palette:
    """Colours of nodes and classes, those of all pictures."""

    motif: str = style.MOTIF
    base: str = style.BASE
    other: str = style.PALETTE[0]
    kinds: tuple[str, ...] = style.PALETTE[1:]


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
        lam: lambda when the page opens.
        threshold: weights below this are hidden when the page opens.
    """

    title: str
    subtitle: str
    class_names: Sequence[str]
    feature: str
    pairs: Sequence[ExplorerPair]
    lam: Share = LAM
    threshold: NotNegative = FAINTEST
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
