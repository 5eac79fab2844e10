"""Table 4: S-Mixup, and what differs from it in one respect."""

from __future__ import annotations

import torch
from app.tables.paper import columns, numbered, source

from smixup.app.runs.build import make_method
from smixup.app.tables.definitions.strategies import EXPERIMENT
from smixup.app.tables.scope import Scope
from smixup.augment.ratio import draw_ratio
from smixup.graphs import Graphs

LABEL = "tab:ablation"
SAME, RANGE = "S-Mixup, same class only", "S-Mixup, lambda in [0, 1]"


def test_rows_and_columns_are_those_of_table_4() -> None:
    words = {
        "Vanilla": "Vanilla",
        SAME: "different classes",
        RANGE: r"\lambda \in [0,1]",
        "S-Mixup": "S-Mixup",
    }
    assert [arm.name for arm in EXPERIMENT.arms] == list(words)
    for word, (text, _) in zip(words.values(), numbered(LABEL), strict=True):
        assert word in text
    assert [column.dataset for column in EXPERIMENT.columns] == columns(LABEL)


def test_the_backbone_is_that_of_the_paper() -> None:
    text = source().split(r"\textbf{Mixup Strategies.}")[1].split(r"\begin{table}")[0]
    assert "we adopt GCN" in text
    assert EXPERIMENT.backbones == ("gcn",)


def test_each_row_differs_from_s_mixup_in_one_setting_and_has_its_grid() -> None:
    cells = EXPERIMENT.grid(Scope(("PROTEINS",), seeds=1))
    by_row = {cell.row: cell for cell in cells}
    plain = [run.method_settings for run in by_row["S-Mixup"].configs]
    assert len(plain) == 14
    for row, name in ((SAME, "pairing"), (RANGE, "fold_ratio")):
        changed = [run.method_settings for run in by_row[row].configs]
        assert [{k: v for k, v in each.items() if k != name} for each in changed] == plain
        assert all(name in each for each in changed)


def test_same_class_only_pairs_graphs_of_one_class(graphs: Graphs) -> None:
    (arm,) = (arm for arm in EXPERIMENT.arms if arm.name == SAME)
    pairing = make_method(arm.method, 0, dict(arm.settings)).pairing
    partner = pairing.draw(graphs, graphs, torch.Generator().manual_seed(0))
    assert torch.equal(graphs.labels[partner], graphs.labels)


def test_the_range_of_lambda_is_the_whole_one() -> None:
    """By default it is [0.5, 1], Sec. 5.2."""
    whole = {arm.name: arm for arm in EXPERIMENT.arms}
    for row, least in ((RANGE, 0.0), ("S-Mixup", 0.5)):
        made = make_method("s-mixup", 0, dict(whole[row].settings))
        random = torch.Generator().manual_seed(0)
        lam = draw_ratio(1000, made.alpha, made.fold_ratio, random)
        assert least <= float(lam.min()) < least + 0.05
        assert 0.95 < float(lam.max()) <= 1
