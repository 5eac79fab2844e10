"""Table 2: the methods, datasets and settings of the paper, and methods that it does not have."""

from __future__ import annotations

import re

from app.tables.paper import columns, numbered, source

from smixup.app.tables.cell import Cell
from smixup.app.tables.definitions.performance import EXPERIMENT
from smixup.app.tables.scope import Scope
from smixup.datasets.catalogue import canonical_name

LABEL = "tab:results"
NOT_RUN = ["ifMixup", "Graph Transplant"]
LATER = ["FGWMixup", "GeoMix", "GED-Mixup"]


def cells(**scope: object) -> list[Cell]:
    return EXPERIMENT.grid(Scope(seeds=1, **scope))  # type: ignore[arg-type]


def test_rows_are_those_of_the_paper_in_its_order_and_five_more() -> None:
    names = [text.split("&")[1].strip() for text, _ in numbered(LABEL)]
    paper = list(dict.fromkeys(names))
    assert len(names) == 2 * len(paper) == 16, "a block for each backbone"
    ours = [arm.name for arm in EXPERIMENT.arms]
    assert [name for name in ours if name in paper] == paper
    assert [name for name in ours if name not in paper] == [*NOT_RUN, *LATER]
    assert ours[-1] == "S-Mixup", "last, as in the paper"
    for name in (*NOT_RUN, *LATER):
        assert name in EXPERIMENT.note, "the reader is told"


def test_columns_are_those_of_the_paper_under_both_backbones() -> None:
    assert [column.name for column in EXPERIMENT.columns] == columns(LABEL)
    assert EXPERIMENT.backbones == ("gcn", "gin")
    assert len(cells(search=False)) == 13 * 7 * 2


def test_training_is_that_of_table_8() -> None:
    body = source().split(r"\label{tab:hyperparameter}")[0].rsplit(r"\begin{tabular}", 1)[1]
    line = re.compile(r"^\s*([\w-]+)\s*&\s*([\d.]+)\s*&\s*(\d+)\s*&\s*(\d+)", re.MULTILINE)
    paper = {
        canonical_name(name): (float(rate), int(epochs), int(size))
        for name, rate, epochs, size in line.findall(body)
    }
    assert len(paper) == 7
    for cell in cells(search=False):
        (run,) = cell.configs
        assert (run.learning_rate, run.epochs, run.batch_size) == paper[run.dataset], cell.row


def test_all_methods_but_later_ones_are_searched() -> None:
    found = cells(datasets=("NCI1",), backbones=("gcn",))
    tried = {cell.row: len(cell.candidates) for cell in found}
    assert {name for name, number in tried.items() if number == 1} == {"Vanilla", *LATER}
    assert tried["S-Mixup"] == 7 * 2, "seven alphas and two similarities"
    assert tried["M-Mixup"] == 7


def test_scores_are_accuracies_but_for_molecules() -> None:
    caption = re.search(r"\\caption\{Comparisons between our method and baselines.*", source())
    assert caption is not None
    assert "testing accuracy" in caption[0]
    assert "ROC-AUC" in caption[0]
    assert EXPERIMENT.note.startswith("Accuracy, for ogbg-molhiv ROC-AUC.")
