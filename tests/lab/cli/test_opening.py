"""A page is opened if that is wanted; a missing browser is told, and no failure."""

from __future__ import annotations

from pathlib import Path

import pytest

from smixup.lab.cli import opening


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
