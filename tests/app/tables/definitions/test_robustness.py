"""Table 3: the methods, datasets and shares of wrong labels of the paper, and nothing else."""

from __future__ import annotations

import re
from dataclasses import replace

from app.tables.paper import numbered, rows, source

from smixup.app.runs.config import configure
from smixup.app.tables.definitions import performance
from smixup.app.tables.definitions.robustness import EXPERIMENT
from smixup.app.tables.scope import Scope
from smixup.datasets.catalogue import canonical_name

LABEL = "tab:Robustness"


def test_rows_are_those_of_table_3() -> None:
    names = [text.split("&")[1].strip().lower() for text, _ in numbered(LABEL)]
    assert [arm.name.lower() for arm in EXPERIMENT.arms] * 2 == names


def test_columns_are_its_datasets_and_shares() -> None:
    head = next(text for text, _ in rows(LABEL) if "Methods" in text)
    shares = [int(share) for share in re.findall(r"(\d+)\\%", head)]
    datasets = [
        canonical_name(found[1])
        for text, _ in numbered(LABEL)
        if (found := re.search(r"multirow\{-\d\}\{\*\}\{\s*([\w-]+)\}", text))
    ]
    assert len(datasets) == 2
    cells = EXPERIMENT.grid(Scope(seeds=1, search=False, methods=("M-Mixup",)))
    runs = [cell.configs[0] for cell in cells if cell.row == "Vanilla"]
    assert [(run.dataset, round(100 * run.label_corruption)) for run in runs] == [
        (dataset, share) for dataset in datasets for share in shares
    ]
    for cell in cells:
        assert cell.column == f"{cell.configs[0].dataset}, {cell.configs[0].label_corruption:.0%}"


def test_the_backbone_is_that_of_the_paper() -> None:
    text = source().split(r"\label{subsec:robustness}")[1].split(r"\subsection")[0]
    assert "We adopt GCN as the classification backbone" in text
    assert EXPERIMENT.backbones == ("gcn",)


def test_runs_are_those_of_table_2_but_for_the_wrong_labels() -> None:
    for cell in EXPERIMENT.grid(Scope(seeds=1, search=False)):
        (run,) = cell.configs
        clean = configure(run.dataset, "gcn", performance.METHODS[cell.row])
        assert run == replace(clean, label_corruption=run.label_corruption)
        assert run.label_corruption > 0


def test_the_grids_are_those_of_table_2() -> None:
    theirs = {arm.name: arm.search for arm in performance.EXPERIMENT.arms}
    assert all(arm.search == theirs[arm.name] for arm in EXPERIMENT.arms)
