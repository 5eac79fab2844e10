"""A browser for all pages of a module, and visits that are watched: nothing on the console, nothing
fetched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest
from app.pages.browsing import Visit, started_browser


class Written(Protocol):
    """A page that can be written to a file."""

    def write(self, path: Path) -> Path: ...


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with started_browser() as started:
        yield started


@pytest.fixture
def visit(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Visit]]:
    contexts, visits = [], list[tuple[Visit, Path]]()

    def open_page(
        page: Written, scheme: str = "light", size: tuple[int, int] = (1280, 800), at: str = ""
    ) -> Visit:
        path = page.write(tmp_path / "page.html")
        viewport = {"width": size[0], "height": size[1]}
        context = browser.new_context(viewport=viewport, color_scheme=scheme)
        contexts.append(context)
        found = Visit(context.new_page())
        found.page.on("console", lambda message: found.console.append(message.text))
        found.page.on("pageerror", lambda error: found.console.append(str(error)))
        found.page.on("request", lambda request: found.requests.append(request.url))
        found.page.goto(path.as_uri() + at)
        visits.append((found, path))
        return found

    yield open_page
    for found, path in visits:
        assert found.console == []
        fetched = [url for url in found.requests if not url.startswith(("data:", "blob:"))]
        assert [url.partition("#")[0] for url in fetched] == [path.as_uri()]
    for context in contexts:
        context.close()
