"""The paper's numbers, read once more: by hand, and all of them from its source where that is at
hand.
"""

from __future__ import annotations

import pytest
from app.tables.paper import Row, columns, numbered, rows, source

from smixup.app.tables import published
from smixup.app.tables.cell import Published
from smixup.app.tables.published import PublishedTable, read_rows
from smixup.datasets.catalogue import canonical_name

BY_HAND = [
    (published.TABLE_2, "gcn", "S-Mixup", "NCI1", 75.47, 1.49),
    (published.TABLE_2, "gcn", "SubMix", "ogbg-molhiv", 69.94, 0.48),
    (published.TABLE_2, "gin", "Subgraph", "IMDB-MULTI", 43.74, 5.74),
    (published.TABLE_2, "gin", "DropNode", "PROTEINS", 69.64, 2.98),
    (published.TABLE_3, "gcn", "G-Mixup", "IMDB-MULTI, 60%", 39.27, 5.12),
    (published.TABLE_3, "gcn", "Vanilla", "IMDB-BINARY, 40%", 62.70, 7.93),
    (published.TABLE_4, "gcn", "S-Mixup, lambda in [0, 1]", "REDDIT-BINARY", 88.70, 2.18),
    (published.TABLE_4, "gcn", "S-Mixup, same class only", "PROTEINS", 72.23, 3.56),
    (published.TABLE_5, "gin", "S-Mixup with RRWM", "IMDB-MULTI", 50.11, 3.37),
    (published.TABLE_6, "gin", "Sinkhorn", "REDDIT-BINARY", 91.25, 1.70),
    (published.TABLE_6, "gcn", "Softmax", "REDDIT-MULTI-5K", 53.29, 1.97),
    (published.TABLE_7, "gcn", "alpha 2", "REDDIT-BINARY", 81.40, 8.01),
]


def check(
    table: PublishedTable, backbone: str, names: list[str], columns: list[str], lines: list[Row]
) -> None:
    """Compare a block of lines, one per name, with our cells; every cell must be met."""
    found = {
        (backbone, name, column): Published(*pair)
        for name, (_, numbers) in zip(names, lines, strict=True)
        for column, pair in zip(columns, numbers, strict=True)
    }
    assert found == {key: cell for key, cell in table.items() if key[0] == backbone}


@pytest.mark.parametrize(("table", "backbone", "row", "column", "mean", "deviation"), BY_HAND)
def test_numbers_by_hand(
    table: PublishedTable, backbone: str, row: str, column: str, mean: float, deviation: float
) -> None:
    assert table[backbone, row, column] == Published(mean, deviation)


def test_tables_have_the_size_of_the_papers() -> None:
    numbers = {2: 16 * 7, 3: 5 * 6, 4: 4 * 4, 5: 3 * 2, 6: 4 * 6, 7: 7 * 2}
    assert {number: len(getattr(published, f"TABLE_{number}")) for number in numbers} == numbers


def test_table_2_is_that_of_the_paper() -> None:
    lines, names = numbered("tab:results"), list(published.TABLE_2_GCN)
    assert [text.split("&")[1].strip() for text, _ in lines] == names * 2
    for backbone, block in (("gcn", lines[:8]), ("gin", lines[8:])):
        assert backbone.upper() in block[-1][0]
        check(published.TABLE_2, backbone, names, columns("tab:results"), block)


def test_table_3_is_that_of_the_paper() -> None:
    lines = numbered("tab:Robustness")
    assert ["IMDB-B" in lines[4][0], "IMDB-M" in lines[9][0], len(lines)] == [True, True, 10]
    names = ["Vanilla", "M-Mixup", "SubMix", "G-Mixup", "S-Mixup"]
    assert [text.split("&")[1].strip().lower() for text, _ in lines] == [
        name.lower() for name in names
    ] * 2
    both = [("", one + two) for (_, one), (_, two) in zip(lines[:5], lines[5:], strict=True)]
    shares = [
        f"{dataset}, {share}%"
        for dataset in ("IMDB-BINARY", "IMDB-MULTI")
        for share in (20, 40, 60)
    ]
    check(published.TABLE_3, "gcn", names, shares, both)


def test_table_4_is_that_of_the_paper() -> None:
    lines = numbered("tab:ablation")
    words = ["Vanilla", "different classes", r"\lambda", "S-Mixup"]
    assert all(word in text for word, (text, _) in zip(words, lines, strict=True))
    names = ["Vanilla", "S-Mixup, same class only", "S-Mixup, lambda in [0, 1]", "S-Mixup"]
    check(published.TABLE_4, "gcn", names, columns("tab:ablation"), lines)


def test_table_5_is_that_of_the_paper() -> None:
    names = ["Vanilla", "S-Mixup", "S-Mixup with RRWM"]
    check(published.TABLE_5, "gin", names, columns("tab:RRWM"), numbered("tab:RRWM"))


def test_table_6_is_that_of_the_paper() -> None:
    lines = numbered("tab:normalization")
    for backbone, block in (("gcn", lines[:2]), ("gin", lines[2:])):
        assert backbone.upper() in block[-1][0]
        check(
            published.TABLE_6,
            backbone,
            ["Sinkhorn", "Softmax"],
            columns("tab:normalization"),
            block,
        )


def test_table_7_is_that_of_the_paper() -> None:
    lines = numbered("tab:sensitivity")
    assert [canonical_name(text.split("&")[0].split()[-1]) for text, _ in lines] == [
        "REDDIT-BINARY",
        "IMDB-MULTI",
    ]
    head = next(
        text for text, numbers in rows("tab:sensitivity") if "Vanilla" in text and not numbers
    )
    cells = [cell.strip() for cell in head.split("&")][1:]
    names = [cell if cell == "Vanilla" else f"alpha {cell}" for cell in cells]
    turned = [("", list(pairs)) for pairs in zip(*(numbers for _, numbers in lines), strict=True)]
    check(published.TABLE_7, "gcn", names, ["REDDIT-BINARY", "IMDB-MULTI"], turned)


def test_section_5_1_says_so() -> None:
    for cell in published.SECTION_5_1.values():
        assert f"{cell.mean:.2f}" in source()
        assert cell.deviation is None


def test_a_row_with_a_number_too_few_is_an_error() -> None:
    cells = read_rows(["a", "b"], gin={"x": "1.0 0.5, 2 1"})
    assert cells["gin", "x", "b"] == Published(2.0, 1.0)
    with pytest.raises(ValueError, match="shorter"):
        read_rows(["a", "b"], gin={"x": "1.0 0.5"})
