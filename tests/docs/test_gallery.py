"""Pages of the gallery."""

from __future__ import annotations

from pathlib import Path

import pytest
from gallery_run import Shown
from gallery_script import Cell

pytest.importorskip("sphinx", reason="the extra docs is not installed")
pytest.importorskip("myst_parser", reason="the extra docs is not installed")

import gallery


def test_a_section_shows_text_code_output_and_pictures() -> None:
    text = gallery.markdown(Cell("Title", "Text.", "print(1)", 1), Shown("1\n", ("a-0-0.svg",)))
    assert text == (
        "## Title\n\nText.\n\n```python\nprint(1)\n```\n\n"
        "```{code-block} text\n:class: output\n\n1\n```\n\n![Title](../_gallery/a-0-0.svg)"
    )
    assert gallery.markdown(Cell("", "# Page\n\nText.", "", 1), Shown("", ())) == "# Page\n\nText."


def test_a_script_that_fails_is_told_and_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[object, ...]] = []
    monkeypatch.setattr(gallery, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(gallery.log, "warning", lambda *words: told.append(words))
    script = tmp_path / "thing.py"
    script.write_text('"""# Thing"""\n\n1 / 0\n')
    assert gallery.page(script) == "# Thing\n\nThis page could not be made.\n"
    assert told[0][1:] == ("thing.py", "ZeroDivisionError", told[0][3])
    assert gallery.outcome_of(script) == []
