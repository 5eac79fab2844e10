"""A page that needs nothing but itself: one HTML file with its pictures inside, light or dark, wide
or narrow.

A report is a title and a list of sections; a section is a heading and a list of blocks: prose,
link, table, picture, code. To show something new, append a section.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Protocol

from matplotlib.figure import Figure

import smixup
from smixup.files import write_whole
from smixup.lab.figures.style import to_svg

LIGHT = (
    "--ground: #fdfdfb; --ink: #22262b; --soft: #5b626b; --line: #d9dce0; --box: #f2f3f1; --mark: "
    "#0b6e4f;"
)
DARK = (
    "--ground: #16191d; --ink: #e4e6e8; --soft: #a0a7b0; --line: #363b42; --box: #1f2329; --mark: "
    "#58c9a0;"
)
COLOURS = f"""
:root {{ color-scheme: light dark; {LIGHT} }}
@media (prefers-color-scheme: dark) {{ :root {{ {DARK} }} }}
"""
STYLE = """
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 52rem; background: var(--ground); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0.5rem 0 0.25rem; }
h2 { font-size: 1.15rem; margin: 2.5rem 0 0.5rem; padding-top: 0.75rem; border-top: 1px solid var(--line); }
p { margin: 0.6rem 0; }
a { color: var(--mark); }
.subtitle, figcaption, caption, footer { color: var(--soft); font-size: 0.9rem; }
.wide { overflow-x: auto; margin: 0.8rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 0.92rem; }
caption { text-align: left; padding-bottom: 0.4rem; }
th, td { padding: 0.35rem 0.9rem 0.35rem 0; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { color: var(--soft); font-weight: 600; vertical-align: bottom; }
th:first-child, td:first-child { text-align: left; white-space: normal; min-width: 8rem; }
figure { margin: 1rem 0; }
.side { display: flex; flex-wrap: wrap; gap: 0.5rem 1.5rem; align-items: flex-end; justify-content: center; }
.side > div { flex: 1 1 19rem; max-width: 30rem; }
.side > div:only-child { max-width: none; }
figure svg { display: block; width: 100%; height: auto; }
figcaption { margin-top: 0.4rem; }
pre { background: var(--box); border: 1px solid var(--line); border-radius: 6px; padding: 0.7rem 0.9rem; white-space: pre-wrap; overflow-wrap: anywhere;
  font: 0.85rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
footer { margin-top: 3rem; }
tbody th, tbody td { vertical-align: top; }
tbody th { color: inherit; }
td small { color: var(--soft); }
.words th, .words td { text-align: left; white-space: normal; vertical-align: top; }
details { margin: 0.3rem 0; }
summary { cursor: pointer; font-size: 0.92rem; }
"""  # noqa: E501


class Block(Protocol):
    """A piece of a section."""

    def html(self) -> str:
        """Return the piece as HTML, everything in it escaped."""
        ...


@dataclass(frozen=True)
class Prose:
    """A paragraph."""

    text: str

    def html(self) -> str:
        return f"<p>{escape(self.text)}</p>"


@dataclass(frozen=True)
class Link:
    """A way to another page, given relative to this one."""

    text: str
    target: str

    def html(self) -> str:
        return f'<p><a href="{escape(self.target)}">{escape(self.text)}</a></p>'


@dataclass(frozen=True)
class Code:
    """Commands or other text to be taken literally."""

    text: str

    def html(self) -> str:
        return f"<pre><code>{escape(self.text)}</code></pre>"


@dataclass(frozen=True)
class Table:
    """Rows under a header, the first column in words, the others in numbers."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""

    def html(self) -> str:
        head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in self.header)
        rows = "".join(
            f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in self.rows
        )
        caption = f"<caption>{escape(self.caption)}</caption>" if self.caption else ""
        body = f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody>"
        return f'<div class="wide"><table>{caption}{body}</table></div>'


@dataclass(frozen=True)
class Words(Table):
    """A table of words: every cell starts on the left and wraps."""

    def html(self) -> str:
        return super().html().replace('class="wide"', 'class="wide words"', 1)


@dataclass(frozen=True)
class Folded:
    """Text that most readers skip, behind a line that opens it."""

    line: str
    text: str

    def html(self) -> str:
        return f"<details><summary>{escape(self.line)}</summary>{Code(self.text).html()}</details>"


@dataclass(frozen=True)
class Picture:
    """Figures side by side, or one below the other where the page is narrow.

    Attributes:
        figures: each with a description for those who cannot see it.
        caption: below all of them.
    """

    figures: Mapping[str, Figure]
    caption: str

    def html(self) -> str:
        drawn = ""
        for name, figure in self.figures.items():
            named = f'<svg role="img" aria-label="{escape(name)}"'  # for screen readers
            drawn += f"<div>{to_svg(figure).replace('<svg', named, 1)}</div>"
        caption = f"<figcaption>{escape(self.caption)}</figcaption>"
        return f'<figure><div class="side">{drawn}</div>{caption}</figure>'


@dataclass(frozen=True)
class Section:
    """A heading and what stands under it."""

    heading: str
    blocks: Sequence[Block]

    def html(self) -> str:
        """Return the section as HTML."""
        blocks = "".join(block.html() for block in self.blocks)
        return f"<section><h2>{escape(self.heading)}</h2>{blocks}</section>"


@dataclass(frozen=True)
class Report:
    """A page."""

    title: str
    subtitle: str = ""
    sections: list[Section] = field(default_factory=list)

    def html(self) -> str:
        """Return the whole page."""
        return (
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{escape(self.title)}</title><style>{COLOURS}{STYLE}</style></head><body><main>"
            f'<h1>{escape(self.title)}</h1><p class="subtitle">{escape(self.subtitle)}</p>'
            f"{''.join(section.html() for section in self.sections)}</main>"
            f"<footer>Written by smixup {escape(smixup.__version__)}.</footer></body></html>\n"
        )

    def write(self, path: Path) -> Path:
        """Write the page; it appears at `path` whole or not at all."""
        return write_page(self.html(), path)


def write_page(html: str, path: Path) -> Path:
    """Write a page; it appears at `path` whole or not at all."""
    return write_whole(path, html, "the page")
