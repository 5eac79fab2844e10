"""The page is what the records say: written anew, the committed page stays as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from smixup.app.pages.results.committed_records import CommittedRecords
from smixup.app.pages.results.page import BLOCKS, MARKED, missing_blocks, write_results, written
from smixup.app.pages.results.selection import FILE
from smixup.app.tables.export import to_csv
from smixup.errors import SmixupError
from smixup.files import write_whole

ROOT = Path(__file__).parents[4]
PAGE, RECORDS = ROOT / "docs" / "results.md", ROOT / "docs" / "results"
README = ROOT / "README.md"


@pytest.fixture
def records(committed: CommittedRecords, tmp_path: Path) -> Path:
    """The runs of the fixture as exports in a folder."""
    folder = tmp_path / "records"
    runs = to_csv(committed.table("few-labels"), committed.records, committed.kept)
    write_whole(folder / "few_labels.csv.gz", runs, "the runs")
    write_whole(folder / FILE, (RECORDS / FILE).read_bytes(), "the runs")
    return folder


def test_parts_are_written_between_their_marks(records: Path, tmp_path: Path) -> None:
    page = tmp_path / "results.md"
    page.write_text(
        "# By hand\n<!-- records: few labels, accuracy -->\nold\n<!-- end of records -->\nthe end\n"
    )
    write_results([page], records)
    text = page.read_text()
    assert text.startswith("# By hand\n<!-- records: few labels, accuracy -->\n\n| GCN | n |")
    assert text.endswith("<!-- end of records -->\nthe end\n")
    assert "old" not in text
    row = next(line for line in text.splitlines() if line.startswith("| MUTAG-25 | 3 | 60"))
    assert "**+10.00 [" in row
    assert "| 25 labels | 2 | " in text, "pooled over two datasets"
    assert (tmp_path / "images" / "few-labels.svg").is_file()
    write_results([page], records)
    assert page.read_text() == text, "nothing changes without new records"


def test_every_part_can_be_written_from_some_of_the_records(records: Path) -> None:
    committed = CommittedRecords.of_folder(records)
    for name, write in BLOCKS.items():
        assert write(committed), name


def test_unknown_parts_and_empty_folders_are_refused(records: Path, tmp_path: Path) -> None:
    page = "<!-- records: gossip -->\n<!-- end of records -->"
    with pytest.raises(SmixupError, match="asks for 'gossip', which nobody writes"):
        written(page, CommittedRecords.of_folder(records))
    with pytest.raises(SmixupError, match="no records"):
        CommittedRecords.of_folder(tmp_path)


def test_the_committed_page_shows_every_part_and_is_what_the_records_say() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert list(missing_blocks(text)) == []
    assert len(MARKED.findall(text)) == len(BLOCKS)
    committed = CommittedRecords.of_folder(RECORDS)
    assert written(text, committed) == text, "make results"
    first = README.read_text(encoding="utf-8")
    assert MARKED.search(first), "what to expect stands on the first page"
    assert written(first, committed) == first, "make results"
