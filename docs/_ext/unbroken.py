"""Where lines end: never within an interval such as `[+0.11, +1.56]`, a mean with its deviation, a
number with its per cent sign, the name of a method or an option; in a long path or name, at its
joints alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from docutils import nodes

if TYPE_CHECKING:
    from sphinx.application import Sphinx

KEPT = re.compile(
    r"\[[^\[\]\n]{0,12}\d, [^\[\]\n]{0,12}\d\]"  # an interval; the number before it may stay behind
    r"|[+-]?\d[\d.,]* ± \d[\d.]*"
    r"|[+-]?\d[\d.,]*(?: %)? / [+-]?\d[\d.,]*(?: %)?"  # a pair of numbers
    r"|[+-]?\d[\d.,]* %"
    r"|\b\d[\d.]*e-\d+\b"
    r"|\(n = \d+\)"
    r"|\b(?:[A-Z]-Mixup|[a-z]-mixup)\b"
    r"|\b[A-Z][A-Z0-9]+(?:-[A-Z0-9]+)+\b"  # a dataset: IMDB-BINARY, PROTEINS-25
    r"|(?<![\w-])--[a-z][\w-]*"  # an option that a message names
)
CLASS = "unbroken"
SHORT = 20
"""Names of so many characters are never broken."""
JOINTS = re.compile(r"(?<=[/_:=,])(?=\w)|(?<=\w\.)(?=\w{4})")  # `.py` stays with its file
MAY_BREAK = "<wbr>"
COMMANDS = re.compile(r'<div class="highlight-(?:sh|bash) .*?</pre>', re.DOTALL)
WHOLE = re.compile(r"(?<![\w-])(?:--)?[a-z]\w*(?:-\w+)+(?![^<>]*>)|--[a-z]\w*(?![^<>]*>)")
"""An option or a name with hyphens in it, not within a tag."""


def kept_together(text: str) -> Iterator[nodes.Node]:
    """Yield a text in parts, those within which no line may end as nodes of their own."""
    end = 0
    for found in KEPT.finditer(text):
        if found.start() > end:
            yield nodes.Text(text[end : found.start()])
        yield nodes.inline("", found.group(), classes=[CLASS])
        end = found.end()
    if end < len(text):
        yield nodes.Text(text[end:])


def jointed(code: str) -> Iterator[nodes.Node]:
    """Yield code in parts, with a place for a line to end at each joint of a long word."""
    for word in re.findall(r"\s+|\S+", code):
        first, *others = JOINTS.split(word) if len(word) > SHORT else (word,)
        yield nodes.Text(first)
        for part in others:
            yield nodes.raw("", MAY_BREAK, format="html")
            yield nodes.Text(part)


def options_kept(body: str) -> str:
    """Return a page on which no line ends within an option or a name of a command."""
    marked = f'<span class="{CLASS}">\\g<0></span>'
    return COMMANDS.sub(lambda block: WHOLE.sub(marked, block.group()), body)


def on_resolved(app: Sphinx, doctree: nodes.document, name: str) -> None:
    """Mark every page as it is written."""
    for text in list(doctree.findall(nodes.Text)):
        parent = text.parent
        if isinstance(parent, nodes.literal):
            parent.replace(text, list(jointed(text.astext())))
        elif not isinstance(parent, nodes.FixedTextElement | nodes.raw | nodes.math):
            parent.replace(text, list(kept_together(text.astext())))


def on_page(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Mark the commands of a page, which are highlighted by now."""
    if "body" in context:
        context["body"] = options_kept(context["body"])


def setup(app: Sphinx) -> dict[str, bool]:
    """Look over every page before it is written."""
    app.connect("doctree-resolved", on_resolved)
    app.connect("html-page-context", on_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
