"""Table 7: S-Mixup at every alpha of the paper, under the backbone of the paper."""

from __future__ import annotations

from app.tables.paper import numbered, rows, source

from smixup.app.runs.config import configure
from smixup.app.tables.definitions.alpha import EXPERIMENT
from smixup.app.tables.scope import Scope
from smixup.datasets.catalogue import canonical_name

LABEL = "tab:sensitivity"


def test_rows_and_columns_are_those_of_table_7_turned_and_one_alpha_more() -> None:
    head = next(text for text, numbers in rows(LABEL) if "Vanilla" in text and not numbers)
    *alphas, last = [cell.strip() for cell in head.split("&")][1:]
    assert last == "Vanilla"
    published = ["Vanilla", *(f"alpha {alpha}" for alpha in alphas)]
    assert [arm.name for arm in EXPERIMENT.arms] == [*published, "alpha 10"]
    datasets = [canonical_name(text.split("&")[0].split()[-1]) for text, _ in numbered(LABEL)]
    assert [column.dataset for column in EXPERIMENT.columns] == datasets


def test_the_backbone_is_that_of_the_paper() -> None:
    text = source().split("Sensitivity Analysis to Mixup Hyperparameter")[1].split("subsection")[0]
    assert "GCN" in text
    assert "GIN" not in text
    assert EXPERIMENT.backbones == ("gcn",)


def test_a_row_is_s_mixup_at_its_alpha_and_otherwise_as_by_default() -> None:
    cells = EXPERIMENT.grid(Scope(seeds=1))
    assert len(cells) == 16
    for cell in cells:
        (config,) = cell.configs
        if cell.row == "Vanilla":
            assert config == configure(cell.column, "gcn", "vanilla")
            continue
        changed = {"alpha": float(cell.row.removeprefix("alpha "))}
        assert config == configure(cell.column, "gcn", "s-mixup", method_settings=changed)
