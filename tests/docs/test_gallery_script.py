"""Scripts of the gallery, cut into sections."""

from __future__ import annotations

import re
from pathlib import Path

from gallery_script import Cell, cells_of, first_paragraph, scripts, title_of

DOCS = Path(__file__).parents[2] / "docs"
SCRIPT = '''"""# A title

What it is
about.

More.
"""

import math

# %% First
# Some *text*.
# More text.

x = math.pi
# a comment

# %% Last
print(x)
'''


def test_a_script_is_text_and_code_in_turn() -> None:
    first, second, last = cells_of(SCRIPT)
    assert first == Cell("", "# A title\n\nWhat it is\nabout.\n\nMore.", "import math", 9)
    assert second == Cell("First", "Some *text*.\nMore text.", "x = math.pi\n# a comment", 15)
    assert last == Cell("Last", "", "print(x)", 19)
    assert title_of(SCRIPT) == "A title"
    assert first_paragraph(SCRIPT) == "What it is about."


def test_every_script_is_in_the_overview() -> None:
    assert sorted(scripts(DOCS / "gallery.md")) == sorted((DOCS / "gallery").glob("*.py"))


def test_every_page_has_a_title_a_paragraph_and_sections_with_titles() -> None:
    for script in scripts(DOCS / "gallery.md"):
        source = script.read_text(encoding="utf-8")
        assert title_of(source)
        assert re.search(r"\.$", first_paragraph(source))
        assert all(cell.title for cell in cells_of(source)[1:])
