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
from smixup.files import write_whole
from smixup.lab.figures.style import ink_rules, to_svg

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
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 74rem; background: var(--ground); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0.5rem 0 0.25rem; }
h2 { font-size: 1.15rem; margin: 2.5rem 0 0.5rem; padding-top: 0.75rem; border-top: 1px solid var(--line); }
p { margin: 0.6rem 0; }
p, pre, nav, figcaption, caption { max-width: 52rem; }
a { color: var(--mark); }
.subtitle, figcaption, caption, footer { color: var(--soft); font-size: 0.9rem; }
.lead > p { font-size: 1.1rem; }
.lead > figure { margin: 0.6rem 0; }
nav { font-size: 0.92rem; margin: 1rem 0; }
nav ul { margin: 0.3rem 0; padding-left: 1.2rem; columns: 2; column-gap: 2rem; }
.wide { overflow-x: auto; margin: 0.8rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 0.92rem; }
caption { text-align: left; padding-bottom: 0.4rem; }
th, td { padding: 0.35rem 0.9rem 0.35rem 0; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { color: var(--soft); font-weight: 600; vertical-align: bottom; }
th:first-child, td:first-child { text-align: left; white-space: normal; min-width: 8rem; }
figure { margin: 1rem 0; }
.side { display: flex; flex-wrap: wrap; gap: 0.5rem 1.5rem; align-items: flex-start; }
.side > div { flex: 1 1 19rem; max-width: 30rem; }
.side > div:only-child { max-width: none; }
.lead .side > div:only-child { max-width: 34rem; }
figure svg { display: block; width: 100%; height: auto; }
figcaption { margin-top: 0.4rem; }
pre { background: var(--box); border: 1px solid var(--line); border-radius: 6px; padding: 0.7rem 0.9rem; white-space: pre-wrap; overflow-wrap: anywhere;
  font: 0.85rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; position: relative; }
pre.copied-from { padding-right: 4.6rem; }
.copy { position: absolute; top: 0.35rem; right: 0.35rem; font: 0.85rem/1.4 system-ui, sans-serif; color: var(--ink); background: var(--ground);
  border: 1px solid var(--line); border-radius: 6px; padding: 0.25rem 0.6rem; cursor: pointer; min-height: 1.9rem; }
.copy:hover { border-color: var(--soft); }
:focus-visible { outline: 3px solid var(--mark); outline-offset: 2px; border-radius: 4px; }
footer { margin-top: 3rem; }
tbody th, tbody td { vertical-align: top; }
tbody th { color: inherit; }
td small { color: var(--soft); }
.words th, .words td { text-align: left; white-space: normal; vertical-align: top; }
details { margin: 0.3rem 0; }
summary { cursor: pointer; font-size: 0.92rem; }
@media (max-width: 40rem) {
  nav ul { columns: 1; }
  .wide { overflow-x: visible; }
  .wide table, .wide caption, .wide tbody, .wide tr, .wide th, .wide td { display: block; text-align: left; white-space: normal; min-width: 0; }
  .wide thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .wide tr { border-bottom: 1px solid var(--line); padding: 0.45rem 0; }
  .wide tbody :is(th, td) { border: 0; padding: 0.08rem 0; }
  .wide tbody :is(th, td):first-child { font-weight: 600; color: var(--ink); }
  .wide td[data-label] { display: grid; grid-template-columns: minmax(6rem, 9rem) minmax(0, 1fr); gap: 0.8rem; }
  .wide td[data-label]:empty { display: none; }
  .wide td[data-label]::before { content: attr(data-label); color: var(--soft); }
  .wide.two tr { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0.8rem; }
  .wide.two td[data-label] { display: block; }
  .wide.two td[data-label]::before { display: none; }
}
"""  # noqa: E501
INK = f"figure svg {{ color: var(--soft); }} {ink_rules('var(--soft)')}"
"""Pictures are written in the colour that the page has for it, light or dark."""
COPY = """
for (const block of document.querySelectorAll("pre")) {
  const button = document.createElement("button");
  const words = block.innerText;
  Object.assign(button, { type: "button", className: "copy", textContent: "Copy" });
  button.setAttribute("aria-label", "Copy the command");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(words);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(block.querySelector("code"));
      button.textContent = "Selected";
    }
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
  block.classList.add("copied-from");
  block.append(button);
}
"""
"""Adds a button to every command; where the browser does not let a page copy, the text is
selected.
"""


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
        rows = "".join(f"<tr>{''.join(self._cells(row))}</tr>" for row in self.rows)
        caption = f"<caption>{escape(self.caption)}</caption>" if self.caption else ""
        body = f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody>"
        kind = "wide two" if len(self.header) == 2 else "wide"
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
            drawn += f"<div>{to_svg(figure, themed=True).replace('<svg', named, 1)}</div>"
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
        return f'<section id="{self.anchor}"><h2>{escape(self.heading)}</h2>{blocks}</section>'

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
        return (
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{escape(self.title)}</title><style>{COLOURS}{STYLE}{INK}</style></head>"
            f"<body><main><h1>{escape(self.title)}</h1>"
            f'<p class="subtitle">{escape(self.subtitle)}</p>{self._first()}'
            f"{''.join(section.html() for section in self.sections)}</main>"
            f"<footer>Written by smixup {escape(smixup.__version__)}.</footer>"
            f"<script>{COPY}</script></body></html>\n"
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
