"""The study's folds, its S-Mixup beside its numbers, and rungs that change one thing each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from smixup.app.runs.config import RunConfig
from smixup.app.runs.opened import open_run
from smixup.app.tables.definitions.icml2026 import EXPERIMENT, REFERENCE
from smixup.app.tables.published_2026 import CELLS, DATASETS
from smixup.app.tables.scope import Scope

Settings = dict[str, object]


def runs(backbone: str = "gin", dataset: str = "MUTAG") -> dict[str, list[RunConfig]]:
    """The runs of every row."""
    cells = EXPERIMENT.grid(Scope((dataset,), (backbone,)))
    return {cell.row: cell.configs for cell in cells}


def settings(backbone: str) -> dict[str, Settings]:
    return {row: dict(found[0].method_settings) for row, found in runs(backbone).items()}


def test_three_rounds_of_five_folds() -> None:
    for configs in runs().values():
        assert [config.seed for config in configs] == list(range(15))
        assert [config.fold for config in configs] == [0, 1, 2, 3, 4] * 3
        assert {config.seed_of_split for config in configs} == {0}
        assert all(config.refit and config.selection == "score" for config in configs)
        assert {(config.split, config.num_folds) for config in configs} == {("nested", 5)}


def test_the_graphs_are_those_of_scikit_learn(real_data: Callable[[str], Path]) -> None:
    root = real_data("MUTAG.zip")
    for config in runs()["Vanilla"][3], runs()["Vanilla"][8]:
        opened = open_run(config, root)
        labels = opened.graphs.labels.numpy()
        folds = StratifiedKFold(5, shuffle=True, random_state=0)
        _, test = list(folds.split(np.zeros(len(labels)), labels))[3]
        assert opened.split.test.tolist() == test.tolist(), "every round tests the same graphs"


def test_the_attributes_that_the_study_uses_are_there(real_data: Callable[[str], Path]) -> None:
    opened = open_run(runs(dataset="ENZYMES")["Vanilla"][0], real_data("ENZYMES.zip"))
    assert opened.graphs.num_features == 18 + 3


def test_the_studys_s_mixup_is_cut_and_unheard_by_a_gin_alone() -> None:
    gcn, gin = settings("gcn")[REFERENCE], settings("gin")[REFERENCE]
    assert gin == gcn | {"edges": "binary"}
    expected = {"least_weight": 0.1, "amount": None, "transport": "paper"}
    assert expected.items() <= gcn.items()
    assert gcn["matcher.similarity"] == "cosine"
    assert gcn["matcher.scale"] == 1.0
    assert gcn["matcher.normalization"] == "columns"


@pytest.mark.parametrize("backbone", ["gcn", "gin"])
def test_a_rung_changes_what_its_name_says(backbone: str) -> None:
    found = settings(backbone)
    rungs = list(found)[1:8]
    changed = [
        {name for name in {*before, *after} if before.get(name) != after.get(name)}
        for before, after in zip(
            (found[row] for row in rungs), (found[row] for row in rungs[1:]), strict=False
        )
    ]
    cut = {"least_weight"} | ({"edges"} if backbone == "gin" else set())
    assert changed[:2] == [cut, {"amount"}]
    sharp, one_to_one, *last = changed[2:]
    assert {name.split(".")[0] for name in sharp} == {"matcher"}
    assert one_to_one == {"transport", "matcher.normalization"}
    assert last == [{"norm_from_originals"}, {"amount"}]
    assert found[rungs[-1]] == {}, "the last is S-Mixup as it is by default"
    assert found["SubMix"] == {}
    random = found["S-Mixup, random one-to-one"]
    assert set(random) == {"matcher", "matcher.partial"}


def test_the_studys_numbers_stand_beside_ours() -> None:
    cells = {(cell.backbone, cell.row, cell.column): cell for cell in EXPERIMENT.grid(Scope())}
    for backbone in ("gcn", "gin"):
        for dataset in DATASETS:
            for row, theirs in {"Vanilla": "Vanilla", REFERENCE: "S-Mixup"}.items():
                published = cells[backbone, row, dataset].published
                assert published == CELLS[backbone, theirs, dataset]
            assert cells[backbone, "+ one-to-one", dataset].published is None
