"""Whatever could help but the alignment stands beside S-Mixup, and has its values of alpha."""

from __future__ import annotations

from smixup.app.runs.build import make_method
from smixup.app.runs.presets import ALPHAS
from smixup.app.tables.definitions.controls import EXPERIMENT, PAPERS_COSINE
from smixup.app.tables.scope import Scope
from smixup.augment import SMixup
from smixup.matching import GraphMatcher

MATCHERS = {
    "uniform assignment": "uniform",
    "random order": "random-order",
    "no alignment": "identity",
}
SIZE = ("num_layers", "hidden_channels", "batch_size", "learning_rate", "max_steps")


def test_controls_differ_from_s_mixup_in_the_matcher_alone() -> None:
    cells = EXPERIMENT.grid(Scope(("NCI1",), ("gin",), seeds=1))
    settings = {cell.row: [dict(each.method_settings) for each in cell.configs] for cell in cells}
    ours = settings["S-Mixup"]
    assert sorted(each.get("alpha", SMixup.alpha) for each in ours) == sorted(ALPHAS)
    for row, matcher in MATCHERS.items():
        assert settings[row] == [{**each, "matcher": matcher} for each in ours]
    assert settings["paper's cosine"] == [{**each, **PAPERS_COSINE} for each in ours]
    assert {name.partition(".")[0] for name in PAPERS_COSINE} == {"matcher"}


def test_the_papers_cosine_has_the_size_and_length_of_our_matcher() -> None:
    matcher = make_method("s-mixup", 0, dict(PAPERS_COSINE)).matcher
    ours, papers = GraphMatcher(), GraphMatcher.as_published()
    for name, value in matcher.settings.items():
        if name != "seed":
            assert value == (ours if name in SIZE else papers).settings[name], name
    assert not matcher.correspondences, "taught by triplets alone"


def test_softer_labels_alone_are_a_control_too() -> None:
    assert [arm.name for arm in EXPERIMENT.arms] == [
        "Vanilla",
        "label smoothing",
        *MATCHERS,
        "paper's cosine",
        "S-Mixup",
    ]
    (arm,) = (arm for arm in EXPERIMENT.arms if arm.method == "label-smoothing")
    assert not arm.settings
    assert arm.search, "its amount is searched as alpha is"


def test_columns_are_whole_datasets_under_both_backbones() -> None:
    names = ["MOTIF", "IMDB-BINARY", "PROTEINS", "NCI1"]
    assert [(column.name, column.dataset) for column in EXPERIMENT.columns] == [
        (name, name) for name in names
    ]
    assert not any(column.changes(0) for column in EXPERIMENT.columns), "at the presets"
    assert EXPERIMENT.backbones == ("gcn", "gin")
