"""The measured Table 1 in words."""

from __future__ import annotations

from smixup.app.pages.properties_table import markdown
from smixup.app.studies.properties import Properties


def test_the_table_shows_ticks_and_numbers() -> None:
    text = markdown(
        {
            "mine": Properties(True, 0.95, False, True, 0.3),
            "other": Properties(False, None, True, False, 0.0),
        }
    )
    assert text.splitlines()[2:] == [
        "| mine | ✓ | ✓ 95% |  | ✓ | 0.30 |",
        "| other |  |  | ✓ |  | ✓ 0.00 |",
    ]
