"""Pages in a real browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
FLAGS = (
    "no-sandbox",
    "disable-gpu",
    "disable-background-networking",
    "disable-component-update",
    "disable-sync",
)
IN_A_BROWSER = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the path"),
]


@contextmanager
def started_browser() -> Iterator[Any]:
    """Start Chromium, and close it at the end."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(
            executable_path=CHROMIUM, args=[f"--{flag}" for flag in FLAGS]
        )
        yield opened
        opened.close()


@dataclass
class Visit:
    """An open page, and what it did that it should not."""

    page: Any
    console: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def text(self, name: str) -> str:
        found: str = self.page.inner_text(f"#{name}")
        return found

    def pixels(self, name: str) -> str:
        found: str = self.page.evaluate(f"document.getElementById('{name}').toDataURL()")
        return found

    def lit(self, name: str) -> str | None:
        found: str | None = self.page.get_attribute(f"#{name}", "data-lit")
        return found

    def slide(self, name: str, value: float) -> None:
        """Move a slider as a hand does: the value changes, then the page is told."""
        self.page.locator(f"#{name}").fill(f"{value:g}")
