"""A page that needs nothing but itself: one HTML file with its pictures inside, light or dark, wide
or narrow.

A report is a title, what is seen first, and a list of sections; a section is a heading and a list
of blocks: prose, link, table, picture, code. To show something new, append a section. Where a page
is narrow, the rows of a table stand as lists, so that no column is out of sight.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Protocol

from matplotlib.figure import Figure

import smixup
from smixup.app.pages.page_style import COLOURS, COPY, INK, MANY, NARROW, STYLE
from smixup.app.pictures.style import to_svg
from smixup.files import write_whole

GROWN = 130  # pixels per inch of a figure: beyond, its writing outgrows that of the page
READABLE = 64  # pixels per inch below which its writing is too small
WHOLE = re.compile(r"\b[A-Z]+-Mixup\b|\[[+-]?[\d.]+, [+-]?[\d.]+\]")
WIDE = 7.5  # inches; a narrower figure can be read on a phone as it is


class Block(Protocol):
    """A piece of a section."""

    def html(self) -> str:
        """Return the piece as HTML, everything in it escaped."""
        ...


def running(text: str) -> str:
    """Escape text whose lines do not end within the name of a method or within an interval."""
    return WHOLE.sub(r'<span class="whole">\g<0></span>', escape(text))


@dataclass(frozen=True)
class Prose:
    """A paragraph."""

    text: str

    def html(self) -> str:
        return f"<p>{running(self.text)}</p>"


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
        rows = "".join(f"<tr>{''.join(self._cells(row))}</tr>" for row in self.rows)
        caption = f"<caption>{running(self.caption)}</caption>" if self.caption else ""
        body = f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody>"
        number = len(self.header)
        kind = "wide two" if number == 2 else "wide many" if number > MANY else "wide"
        return f'<div class="{kind}"><table>{caption}{body}</table></div>'

    def _cells(self, row: Sequence[str]) -> Iterator[str]:
        """Yield the cells of a row; all but the first name their column, for narrow pages."""
        first, *others = row
        yield f"<td>{escape(first)}</td>"
        for name, cell in zip(self.header[1:], others, strict=True):
            yield labelled(name, escape(cell))


def labelled(column: str, html: str) -> str:
    """Return a cell that names its column where the header is out of sight."""
    return f'<td data-label="{escape(column)}">{html}</td>'


@dataclass(frozen=True)
class Words(Table):
    """A table of words: every cell starts on the left and wraps."""

    def html(self) -> str:
        return super().html().replace('class="wide', 'class="words wide', 1)


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
            svg = to_svg(figure, themed=True).replace("<svg", named, 1)
            drawn += f'<div style="{_bounds(figure.get_figwidth())}">{svg}</div>'
        caption = f"<figcaption>{running(self.caption)}</figcaption>"
        return f'<figure><div class="side">{drawn}</div>{caption}</figure>'


def _bounds(inches: float) -> str:
    """Say between which widths a picture is drawn; a wide one scrolls on a phone, where its words
    could not be read otherwise.
    """
    least = f"; --least: {READABLE * inches:.0f}px" if inches > WIDE else ""
    return f"--most: {GROWN * inches:.0f}px{least}"


@dataclass(frozen=True)
class Section:
    """A heading and what stands under it."""

    heading: str
    blocks: Sequence[Block]

    def html(self) -> str:
        """Return the section as HTML."""
        blocks = "".join(block.html() for block in self.blocks)
        return f'<section id="{self.anchor}"><h2>{running(self.heading)}</h2>{blocks}</section>'

    @property
    def anchor(self) -> str:
        """Where the contents lead to."""
        return re.sub(r"[^a-z0-9]+", "-", self.heading.lower()).strip("-") or "section"


@dataclass(frozen=True)
class Report:
    """A page.

    Attributes:
        title: the answer, where there is one.
        subtitle: what it is about.
        sections: in their order.
        lead: what is seen before anything else: the answer in words and as a picture.
        contents: whether to list the sections below that.
    """

    title: str
    subtitle: str = ""
    sections: list[Section] = field(default_factory=list)
    lead: Sequence[Block] = ()
    contents: bool = False

    def html(self) -> str:
        """Return the whole page."""
        body = "".join(section.html() for section in self.sections)
        script = f"<script>{COPY}</script>" if "<pre>" in body else ""
        return (
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{escape(self.title)}</title><style>{COLOURS}{STYLE}{NARROW}{INK}</style></head>"
            f"<body><main><h1>{running(self.title)}</h1>"
            f'<p class="subtitle">{running(self.subtitle)}</p>{self._first()}{body}</main>'
            f"<footer>Written by smixup {escape(smixup.__version__)}.</footer>{script}</body>"
            "</html>\n"
        )

    def _first(self) -> str:
        lead = "".join(block.html() for block in self.lead)
        lead = f'<div class="lead">{lead}</div>' if lead else ""
        if not self.contents:
            return lead
        items = "".join(
            f'<li><a href="#{each.anchor}">{escape(each.heading)}</a></li>'
            for each in self.sections
        )
        return f'{lead}<nav aria-label="Contents"><ul>{items}</ul></nav>'

    def write(self, path: Path) -> Path:
        """Write the page; it appears at `path` whole or not at all."""
        return write_page(self.html(), path)


def write_page(html: str, path: Path) -> Path:
    """Write a page; it appears at `path` whole or not at all."""
    return write_whole(path, html, "the page")
