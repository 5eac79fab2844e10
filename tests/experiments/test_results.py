"""The records, and the page that is made of them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from experiments import records, results, show
from experiments.tables import TABLES

COUNTS = {"few-labels": 2304, "noisy-labels": 600, "icml2026": 517, "ladder": 48}
COUNTS |= {"table2": 95, "table3": 17, "table4": 42, "table5": 25, "table6": 52, "table7": 12}


@pytest.fixture(scope="module")
def known() -> list[records.Record]:
    return records.read()


def test_every_record_is_accounted_for(known: list[records.Record]) -> None:
    assert Counter(each.experiment for each in known) >= Counter(COUNTS)
    assert len({each.place for each in known}) == len(known)
    silent = [each for each in known if TABLES[each.experiment].by_graph and not each.predictions]
    assert len(silent) == COUNTS["ladder"], "from earlier files"
    for each in known:
        table = TABLES[each.experiment]
        assert each.column in table.columns
        assert each.backbone in table.backbones
        assert each.arm in table.arms
        assert 0 <= each.test <= 1


def test_predictions_are_those_of_the_scores(known: list[records.Record]) -> None:
    for each in known[::97]:
        if each.said is not None:
            correct = each.said.correct
            assert correct[each.said.tested].mean() == pytest.approx(each.accuracy, abs=1e-6)


def test_records_come_back_as_they_were(known: list[records.Record], tmp_path: Path) -> None:
    some = known[::200]
    records.write(some, tmp_path / "some.parquet", level=1)
    again = records.read(tmp_path / "some.parquet")
    assert {repr(each) for each in again} == {repr(each) for each in some}
    assert [each.name for each in tmp_path.iterdir()] == ["some.parquet"]


def test_a_table_stands_beside_the_published_one(known: list[records.Record]) -> None:
    title, text, *others = show.tables(known, "table5")
    assert title == "table5, IMDB-BINARY, GIN"
    assert "| S-Mixup with RRWM | 5 | 74.40 ± 5.77 | +3.80 [-0.16, +7.76] | 72.80 | +1.50 |" in text
    assert not others
    (_, searched) = show.tables(known, "icml2026", search=True)
    assert "| Vanilla | 15 | 83.52 ± 4.55 |" in searched


@pytest.mark.nightly
def test_the_page_is_what_the_records_say() -> None:
    """`make results` changes nothing."""
    for path, content in results.files().items():
        assert path.read_text(encoding="utf-8") == content, path.name
