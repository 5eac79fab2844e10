"""The probe has a short run of everything whose records are to be trusted."""

from __future__ import annotations

from smixup.app.tables.definitions.probe import EXPERIMENT
from smixup.app.tables.registry import experiment_named
from smixup.app.tables.scope import Scope

RUNS = EXPERIMENT.runs(Scope())


def test_every_method_and_backbone_on_every_dataset() -> None:
    methods = {arm.method for arm in experiment_named("performance").arms}
    places = {(run.dataset, run.backbone, run.method) for run in RUNS}
    datasets = ("MOTIF", "MUTAG", "PROTEINS", "NCI1", "IMDB-BINARY")
    assert places == {
        (dataset, backbone, method)
        for dataset in datasets
        for backbone in ("gcn", "gin")
        for method in methods
    }


def test_the_arms_of_few_labels_are_there() -> None:
    ours = {(arm.method, str(arm.settings)) for arm in EXPERIMENT.arms}
    theirs = experiment_named("few-labels").arms
    assert {(arm.method, str(arm.settings)) for arm in theirs} <= ours


def test_runs_are_short() -> None:
    assert len(RUNS) == 160
    assert {(run.epochs, run.split, run.train_graphs) for run in RUNS} == {(4, "few", 40)}
    fitted = [run for run in RUNS if run.method == "s-mixup" and not run.method_settings]
    assert len(fitted) == 10, "default matchers are fitted once per dataset, for both backbones"
