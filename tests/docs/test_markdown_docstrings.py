"""Docstrings as autodoc reads them."""

from __future__ import annotations

from inspect import cleandoc

import pytest
from markdown_docstrings import converted, process, readable_defaults, spaced

DOCSTRING = """
    What it does:

        a = b
          c

    ```python
    x = 1

    y = 2
    ```

    | one | two |
    |---|---|
    | `a` | b |

    Args:
        x: a number.
            It goes on.

    Attributes:
        y: a thing

            with a gap.
"""
EXPECTED = """
What it does:

.. code-block:: text

       a = b
         c

.. code-block:: python

   x = 1

   y = 2

.. list-table::
   :header-rows: 1

   * - one
     - two
   * - `a`
     - b

Args:
    x: a number.
        It goes on.

Attributes:
    y: a thing

        with a gap.
"""


def without_empty(lines: list[str]) -> list[str]:
    return [line for line in lines if line.strip()]


def test_code_and_tables_become_directives_and_sections_stay() -> None:
    found = list(converted(cleandoc(DOCSTRING).splitlines()))
    assert without_empty(found) == without_empty(EXPECTED.splitlines())


def test_blocks_stand_between_empty_lines() -> None:
    found = list(converted(["Text.", "```", "x", "```", "More."]))
    assert found == ["Text.", "", ".. code-block:: text", "", "   x", "", "More."]


def test_lines_are_changed_in_place() -> None:
    lines = ["```sh", "ls", "```"]
    process(None, "", "", None, None, lines)
    assert ".. code-block:: sh" in lines


def test_fields_that_are_told_of_together_are_one_name() -> None:
    lines = ["Attributes:", "    low, high: ends of an interval, in order.", "    mean: a number."]
    assert list(converted(lines)) == [
        "Attributes:",
        "    low,high: ends of an interval, in order.",
        "    mean: a number.",
    ]


def test_on_the_page_they_stand_apart() -> None:
    pytest.importorskip("sphinx", reason="the extra docs is not installed")
    from docutils.utils import new_document
    from sphinx.addnodes import literal_strong

    page = new_document("page")
    page += literal_strong("", "low,high")
    spaced(None, page)
    assert page.astext() == "low, high"


def test_a_colon_about_a_property_names_no_type() -> None:
    napoleon = pytest.importorskip("sphinx.ext.napoleon", reason="the extra docs is not installed")
    lines = ["The graphs: G1 and G2."]
    process(None, "property", "graphs", None, None, lines)
    assert lines == ["..", "", "The graphs: G1 and G2."]
    read = str(napoleon.GoogleDocstring(lines, what="property"))
    assert ":type:" not in read
    assert "The graphs: G1 and G2." in read
    process(None, "class", "Graphs", None, None, others := ["The graphs: G1 and G2."])
    assert others == ["The graphs: G1 and G2."]


def test_defaults_that_are_made_do_not_tear_a_signature() -> None:
    told = "(matcher: Matcher = <factory>, amount: int = 1)"
    found = readable_defaults(None, "class", "SMixup", None, None, told, "None")
    assert found == ("(matcher: Matcher = ..., amount: int = 1)", "None")
    told = "(seed: Annotated[int, Range(at_least=0, limit=9)] = 0, p: float = 1.0)"
    found = readable_defaults(None, "class", "SMixup", None, None, told, "")
    assert found == ("(seed: int = 0, p: float = 1.0)", "")
    assert readable_defaults(None, "module", "smixup", None, None, None, "") == (None, "")
