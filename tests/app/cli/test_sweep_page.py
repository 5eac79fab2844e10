"""`smixup sweep page` writes a page anew, or says why it cannot."""

from __future__ import annotations

import shutil
from pathlib import Path

from typer.testing import CliRunner, Result

from smixup.app.cli.main import app

DOCS = Path(__file__).parents[3] / "docs"


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["sweep", "page", *map(str, arguments)])


def test_a_page_and_its_pictures(tmp_path: Path) -> None:
    page = tmp_path / "mine.md"
    page.write_text("<!-- records: coverage -->\n<!-- end of records -->\n")
    shutil.copytree(DOCS / "results", tmp_path / "records")
    result = invoke("--page", page, "--records", tmp_path / "records")
    assert result.exit_code == 0, result.output
    assert f"page: {page}" in result.stderr
    assert "| `few-labels` | MUTAG-50 | 180 | 240 |" in page.read_text()
    assert (tmp_path / "images" / "few-labels.svg").read_text().startswith("<?xml")


def test_what_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    missing = invoke("--page", tmp_path / "no.md")
    assert missing.exit_code == 2
    assert "there is no page" in missing.stderr
    page = tmp_path / "page.md"
    page.write_text("nothing marked")
    empty = invoke("--page", page, "--records", tmp_path)
    assert empty.exit_code == 1
    assert "there are no records" in empty.stderr
    assert page.read_text() == "nothing marked"
