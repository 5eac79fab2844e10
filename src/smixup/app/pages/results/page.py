"""`docs/results.md`: prose by hand, and between its marks whatever the records say."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from matplotlib.figure import Figure

from smixup.app.pages.results import (
    bonds,
    calibration,
    cost,
    coverage,
    expectations,
    few_labels,
    icml2026,
    icml2026_search,
    in_short,
    noisy_labels,
    paper_tables,
    rule_of_thumb,
    selection,
)
from smixup.app.pages.results.committed_records import CommittedRecords
from smixup.app.pictures.picture_file import write_picture
from smixup.errors import SmixupError
from smixup.files import write_whole

BLOCKS: dict[str, Callable[[CommittedRecords], str]] = {
    "in short": in_short.in_short,
    "what to expect": expectations.expectations,
    "few labels, accuracy": few_labels.accuracy,
    "few labels, alignment": few_labels.alignment,
    "few labels, log loss": few_labels.scaled_loss,
    "few labels, later peers": few_labels.later_peers,
    "noisy labels": noisy_labels.accuracy,
    "icml2026, differences": icml2026.differences,
    "icml2026, steps": icml2026.rungs,
    "icml2026, published": icml2026.theirs,
    "icml2026, search": icml2026_search.searched,
    "paper's tables": paper_tables.paper_tables,
    "calibration": calibration.calibration,
    "cost": cost.cost,
    "bonds": bonds.rehearsal,
    "rule of thumb": rule_of_thumb.rule_of_thumb,
    "selection": selection.selection,
    "coverage": coverage.coverage,
}
PICTURES: dict[str, Callable[[CommittedRecords], Figure]] = {"few-labels.svg": few_labels.gains}
BEGIN, END = "<!-- records: {} -->", "<!-- end of records -->"
MARKED = re.compile(r"<!-- records: (?P<name>[^>]+) -->\n.*?<!-- end of records -->", re.DOTALL)


def written(page: str, committed: CommittedRecords) -> str:
    """Return the page with every marked part written anew.

    A part stands between `<!-- records: NAME -->` and `<!-- end of records -->`; `BLOCKS` has the
    names.
    """

    def anew(found: re.Match[str]) -> str:
        name = found["name"]
        if name not in BLOCKS:
            raise SmixupError(
                f"the page asks for '{name}', which nobody writes; there are: {', '.join(BLOCKS)}."
            )
        return f"{BEGIN.format(name)}\n\n{BLOCKS[name](committed)}\n\n{END}"

    return MARKED.sub(anew, page)


def missing_blocks(page: str) -> Iterator[str]:
    """Yield the parts that a page does not show: arms that lose are shown, too."""
    shown = {found["name"] for found in MARKED.finditer(page)}
    return (name for name in BLOCKS if name not in shown)


def write_results(pages: Sequence[Path], records: Path) -> None:
    """Write pages anew from the records in a folder, and the pictures in `images` beside the
    first.
    """
    committed = CommittedRecords.of_folder(records)
    texts = [written(page.read_text(encoding="utf-8"), committed) for page in pages]
    for name, draw in PICTURES.items():
        write_picture(draw(committed), pages[0].parent / "images" / name)
    for page, text in zip(pages, texts, strict=True):
        write_whole(page, text, "the page")
