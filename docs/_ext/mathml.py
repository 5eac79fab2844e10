r"""Equations as MathML, which browsers draw by themselves: no script, no network.

Sphinx knows MathJax and pictures alone. The converter is the one that docutils brings.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

if TYPE_CHECKING:
    from sphinx.application import Sphinx

log = logging.getLogger(__name__)
STROKE, PRIME = "<mo>'</mo>", '<mo lspace="0" rspace="0">&#8242;</mo>'


def to_mathml(tex: str, block: bool = False) -> str:
    """Return an equation as a `<math>` element; a stroke is a prime close to its letter."""
    return str(tex2mathml(tex.strip(), as_block=block)).replace(STROKE, PRIME)


def readable(node: nodes.Element, block: bool = False) -> str:
    """Return the equation of a node; one that cannot be read is a warning of the build."""
    try:
        return to_mathml(node.astext(), block)
    except MathError as error:
        log.warning("equation %r: %s", node.astext(), error, location=node)
        return escape(node.astext())


def visit_inline(translator: Any, node: nodes.Element) -> None:
    """Write an equation within a line."""
    translator.body.append(readable(node))
    raise nodes.SkipNode


def visit_block(translator: Any, node: nodes.Element) -> None:
    """Write an equation on a line of its own, which scrolls where it is too wide."""
    translator.body.append(translator.starttag(node, "div", CLASS="equation"))
    translator.body.append(readable(node, block=True) + "</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer as `mathml`."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
