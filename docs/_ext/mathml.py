r"""Equations as MathML, which browsers draw by themselves: no script, no network.

Sphinx knows MathJax and pictures alone. The converter is the one that docutils brings.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

if TYPE_CHECKING:
    from sphinx.application import Sphinx

log = logging.getLogger(__name__)
PRIMES = re.compile(r"'+")


def with_primes(tex: str) -> str:
    """Return TeX in which a stroke is an exponent, as TeX itself reads it."""
    return PRIMES.sub(lambda found: "^{" + r"\prime" * len(found.group()) + "}", tex)


def to_mathml(tex: str, block: bool = False) -> str:
    """Return an equation as a `<math>` element."""
    return str(tex2mathml(with_primes(tex.strip()), as_block=block))


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
