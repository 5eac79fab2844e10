"""A page is opened if that is wanted; a missing browser is told, and no failure."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from smixup.app.cli import opening
from smixup.app.cli.main import app
from smixup.errors import UsageError


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that a browser was asked to open."""
    addresses: list[str] = []

    def browse(address: str) -> bool:
        addresses.append(address)
        return "missing" not in address

    monkeypatch.setattr(opening.webbrowser, "open", browse)
    return addresses


def test_only_if_wanted(asked: list[str], tmp_path: Path) -> None:
    opening.show_page(tmp_path / "a page.html", wanted=False)
    assert asked == []
    opening.show_page(tmp_path / "a page.html", wanted=True)
    assert asked == [f"{tmp_path.as_uri()}/a%20page.html"]


def test_no_browser_is_told(asked: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    opening.show_page(Path("missing.html"), wanted=True)
    assert capsys.readouterr().err == "no browser was found to open missing.html with.\n"


def test_what_is_not_written_cannot_be_opened() -> None:
    opening.require_page(wanted=False, written=False, name="compare.html")
    opening.require_page(wanted=True, written=True, name="compare.html")
    with pytest.raises(UsageError, match="name one by --out compare"):
        opening.require_page(wanted=True, written=False, name="compare.html")


@pytest.mark.parametrize("verb", ["compare", "explain", "demo", "explore"])
def test_every_verb_that_writes_a_page_has_it(verb: str) -> None:
    shown = CliRunner().invoke(app, [verb, "-h"])
    assert shown.exit_code == 0
    assert "--open" in shown.stdout


@pytest.mark.parametrize("words", [["compare", "MOTIF"], ["explain", "model", "MOTIF"]])
def test_nothing_is_begun_without_a_page_to_open(words: list[str]) -> None:
    done = CliRunner().invoke(app, [*words, "--open"])
    assert done.exit_code == 2
    assert "--open shows a page: name one by --out" in done.stderr
