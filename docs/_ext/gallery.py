"""Pages made of scripts: Sphinx reads `gallery/*.py`, runs them, and shows what they print and
draw.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gallery_run import Shown, outcome, package_digest
from gallery_script import Cell, first_paragraph, scripts, title_of
from myst_parser.parsers.sphinx_ import MystParser
from sphinx.util import logging

import smixup

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

HERE = Path(__file__).parents[1]
OVERVIEW = HERE / "gallery.md"
KEPT = HERE / "_gallery"
PACKAGE = Path(smixup.__file__).parent
FROM_SOURCE = ("gallery", "api/", "reference", "errors", "fields")
log = logging.getLogger(__name__)


def markdown(cell: Cell, shown: Shown) -> str:
    """Return a section as Markdown: heading, text, code, what was printed, pictures."""
    parts = [f"## {cell.title}" if cell.title else "", cell.text]
    parts += [f"```python\n{cell.code}\n```"] if cell.code else []
    printed = shown.printed.rstrip()
    parts += [f"```{{code-block}} text\n:class: output\n\n{printed}\n```"] if printed else []
    alternative = cell.title or cell.text.partition("\n")[0].removeprefix("# ")
    parts += [f"![{alternative}](../{KEPT.name}/{picture})" for picture in shown.pictures]
    return "\n\n".join(filter(None, parts))


def page(script: Path) -> str:
    """Return the page of a script as Markdown; a script that fails is a warning of the build."""
    try:
        found = outcome(script, KEPT, package_digest(PACKAGE))
    except Exception as error:
        log.warning("%s failed: %s: %s", script.name, type(error).__name__, error)
        return f"# {title_of(script.read_text(encoding='utf-8'))}\n\nThis page could not be made.\n"
    download = f"The script of this page: {{download}}`{script.name}`"
    return "\n\n".join([*(markdown(cell, shown) for cell, shown in found), "---", download]) + "\n"


def cards() -> str:
    """Return a card for every script: its first picture, title and first sentence, in Markdown."""
    found = []
    for script in scripts(OVERVIEW):
        source, shown = script.read_text(encoding="utf-8"), outcome_of(script)
        picture = next((each for one in shown for each in one.pictures), None)
        image = f"![{title_of(source)}]({KEPT.name}/{picture})\n\n" if picture else ""
        link = f"[{title_of(source)}](gallery/{script.name})"
        text = first_paragraph(source)
        found.append(f":::{{container}} card\n{image}**{link}**\n\n{text}\n:::\n")
    return "::::{container} cards\n" + "\n".join(found) + "::::\n"


def outcome_of(script: Path) -> list[Shown]:
    """Return what a script shows; nothing if it failed, of which its own page tells."""
    try:
        return [shown for _, shown in outcome(script, KEPT, package_digest(PACKAGE))]
    except Exception:
        return []


class GalleryParser(MystParser):
    """Reads a script as the page that it makes."""

    supported: tuple[str, ...] = ("gallery",)

    def parse(self, inputstring: str, document: nodes.document) -> None:
        """Run the script, and parse the Markdown that came out."""
        super().parse(page(Path(document["source"])), document)


def outdated(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> list[str]:
    """Name the pages that are made from the package, if it has changed since they were made."""
    digest = package_digest(PACKAGE)
    if getattr(env, "smixup_digest", None) == digest:
        return []
    env.smixup_digest = digest  # type: ignore[attr-defined]
    return [name for name in env.found_docs if name.startswith(FROM_SOURCE)]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register scripts as sources."""
    app.add_source_suffix(".py", "gallery")
    app.add_source_parser(GalleryParser)
    app.connect("env-get-outdated", outdated)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
