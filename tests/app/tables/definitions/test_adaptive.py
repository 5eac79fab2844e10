"""Rows differ in the range of lambda alone, and have the same values of alpha to choose from."""

from __future__ import annotations

from smixup.app.runs.config import configure
from smixup.app.runs.presets import ALPHAS
from smixup.app.tables.definitions import motif
from smixup.app.tables.definitions.adaptive import EXPERIMENT
from smixup.app.tables.scope import Scope
from smixup.augment import SMixup

PLAIN, ADAPTIVE = "S-Mixup", "S-Mixup, adaptive"


def test_both_rows_choose_among_the_papers_alphas_and_one_adapts() -> None:
    cells = EXPERIMENT.grid(Scope(("PROTEINS",), ("gin",), seeds=1))
    settings = {cell.row: [dict(each.method_settings) for each in cell.configs] for cell in cells}
    assert list(settings) == ["Vanilla", PLAIN, ADAPTIVE]
    assert settings["Vanilla"] == [{}]
    alphas = [each.get("alpha", SMixup.alpha) for each in settings[PLAIN]]
    assert sorted(alphas) == sorted(ALPHAS)
    assert settings[ADAPTIVE] == [{**each, "adaptive": True} for each in settings[PLAIN]]
    assert not SMixup.adaptive, "which is not the default"


def test_real_sets_are_trained_on_as_in_table_2_and_motif_as_in_its_own_table() -> None:
    (few,) = (each for each in motif.EXPERIMENT.columns if each.name.startswith("100 graphs"))
    scope = Scope(seeds=1, first_seed=4, search=False)
    for cell in EXPERIMENT.grid(scope):
        (run,) = cell.configs
        changes = few.changes(4) if run.dataset == "MOTIF" else {}
        expected = configure(run.dataset, cell.backbone, run.method, 4, **changes)
        assert run.to_dict() | {"method_settings": {}} == expected.to_dict()
    names = [column.name for column in EXPERIMENT.columns]
    assert names == ["MOTIF, 100 graphs", "IMDB-BINARY", "PROTEINS"]
    assert EXPERIMENT.backbones == ("gcn", "gin")
