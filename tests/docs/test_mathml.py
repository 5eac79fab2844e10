"""Equations as MathML."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

pytest.importorskip("sphinx", reason="the extra docs is not installed")

from mathml import to_mathml

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^\$\$\n(.*?)^\$\$$", re.MULTILINE | re.DOTALL)


def test_strokes_are_primes_close_to_their_letters() -> None:
    assert to_mathml("y''").count('<mo lspace="0" rspace="0">&#8242;</mo>') == 2


def test_an_equation_is_an_element_that_browsers_draw() -> None:
    tree = ElementTree.fromstring(to_mathml(r"A' = \lambda A_1", block=True))
    assert tree.tag.endswith("math")
    assert tree.get("display") == "block"
    assert "".join("".join(tree.itertext()).split()) == "A\N{PRIME}=λA1"


def test_every_equation_of_the_pages_can_be_read() -> None:
    equations = [text for path in DOCS.glob("*.md") for text in BLOCK.findall(path.read_text())]
    assert len(equations) >= 5
    for equation in equations:
        assert to_mathml(equation, block=True)
