"""Table 5: S-Mixup with RRWM, and with two matchers that the paper does not have."""

from __future__ import annotations

from app.tables.paper import columns, numbered, rows

from smixup.app.tables.definitions.matchers import EXPERIMENT
from smixup.app.tables.scope import Scope

LABEL = "tab:RRWM"


def test_rows_and_columns_are_those_of_table_5_and_two_matchers_more() -> None:
    cells = [text.split("&")[0].replace(r"\hline", "").strip() for text, _ in numbered(LABEL)]
    names = [cell.replace(" w ", " with ") for cell in cells]
    ours = [arm.name for arm in EXPERIMENT.arms]
    assert ours[: len(names)] == names
    assert len(ours) == len(names) + 2
    assert EXPERIMENT.note == "The paper compares with RRWM alone."
    assert [column.dataset for column in EXPERIMENT.columns] == columns(LABEL)
    head = next(text for text, numbers in rows(LABEL) if "IMDB-B" in text and not numbers)
    assert "GIN" in head
    assert EXPERIMENT.backbones == ("gin",)


def test_rows_differ_in_the_matcher_alone() -> None:
    cells = EXPERIMENT.grid(Scope(("IMDB-MULTI",), seeds=1, search=False))
    settings = {cell.row: cell.configs[0].method_settings for cell in cells}
    assert settings.pop("Vanilla") == settings.pop("S-Mixup") == {}
    assert [*settings.values()] == [{"matcher": name} for name in ("rrwm", "fgw", "siamese")]


def test_a_similarity_is_searched_where_a_matcher_has_one_to_choose() -> None:
    cells = EXPERIMENT.grid(Scope(("IMDB-MULTI",), seeds=1))
    assert [len(cell.candidates) for cell in cells] == [1, 14, 7, 7, 7]
