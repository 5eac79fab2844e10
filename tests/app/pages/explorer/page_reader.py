"""A page as a browser reads it: its tags, its scripts, and the data in them."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Any

from smixup.app.pages.explorer.page import ExplorerPage
from smixup.app.pages.explorer.pairs import ExplorerPair


class Reader(HTMLParser):
    """Collects tags with their attributes, and the text of every script."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.title = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1][0] == "script" and data.strip():
            self.scripts.append(data)
        if self.tags and self.tags[-1][0] == "title":
            self.title += data


def data_of(page: ExplorerPage) -> dict[str, Any]:
    """What the browser will parse."""
    data: dict[str, Any] = json.loads(Reader(page.html()).scripts[0])
    return data


def plain_page(
    *pairs: ExplorerPair, names: tuple[str, ...] = ("a", "b"), title: str = "t"
) -> ExplorerPage:
    return ExplorerPage(title, title, names, "feature", pairs)
