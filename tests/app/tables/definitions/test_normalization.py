"""Table 6: both normalisations of the paper, along its own transport, and our default beside."""

from __future__ import annotations

from app.tables.paper import columns, numbered

from smixup.app.runs.build import make_method
from smixup.app.tables.definitions.normalization import EXPERIMENT
from smixup.app.tables.scope import Scope
from smixup.matching import GraphMatcher
from smixup.matching.normalization import Columns, Sinkhorn

LABEL = "tab:normalization"


def test_rows_and_columns_are_those_of_table_6_between_vanilla_and_our_default() -> None:
    names = [text.split("&")[1].strip() for text, _ in numbered(LABEL)]
    ours = [arm.name for arm in EXPERIMENT.arms]
    assert ours == ["Vanilla", *names[:2], "one-to-one"]
    assert names[:2] == names[2:], "the same rows under both backbones"
    assert EXPERIMENT.backbones == ("gcn", "gin")
    assert [column.dataset for column in EXPERIMENT.columns] == columns(LABEL)


def test_the_papers_rows_differ_in_the_normalisation_alone() -> None:
    made = {
        arm.name: make_method("s-mixup", 0, dict(arm.settings))
        for arm in EXPERIMENT.arms
        if arm.method == "s-mixup"
    }
    assert str(made["Sinkhorn"].transport) == str(made["Softmax"].transport) == "paper"
    assert isinstance(made["Sinkhorn"].matcher.normalize, Sinkhorn)
    assert isinstance(made["Softmax"].matcher.normalize, Columns), "Eq. (8): columns sum to one"
    assert made["one-to-one"].matcher.normalization == GraphMatcher().normalization
    searched = {
        cell.row: len(cell.candidates) for cell in EXPERIMENT.grid(Scope(("NCI1",), ("gin",)))
    }
    assert searched == {"Vanilla": 1, "Sinkhorn": 14, "Softmax": 14, "one-to-one": 14}
