"""Threads of hundreds of nodes at the paper's settings, with a random alignment beside."""

from __future__ import annotations

from smixup.app.runs.config import configure
from smixup.app.tables.definitions.reddit import EXPERIMENT
from smixup.app.tables.scope import Scope

RUNS = EXPERIMENT.runs(Scope(seeds=1))


def test_one_dataset_three_rows_and_three_seeds() -> None:
    assert [arm.name for arm in EXPERIMENT.arms] == [
        "Vanilla",
        "S-Mixup",
        "S-Mixup, random one-to-one",
    ]
    assert [column.dataset for column in EXPERIMENT.columns] == ["REDDIT-BINARY"]
    assert (EXPERIMENT.seeds, EXPERIMENT.backbones) == (3, ("gcn", "gin"))
    assert len(RUNS) == 6, "nothing is searched"


def test_training_is_that_of_the_preset_and_of_the_note() -> None:
    for run in RUNS:
        preset = configure("REDDIT-BINARY", run.backbone, run.method, run.seed)
        assert run.to_dict() | {"method_settings": {}} == preset.to_dict()
        note = f"Batches of {run.batch_size} graphs, {run.epochs} epochs."
        assert EXPERIMENT.note.startswith(note)


def test_a_mix_is_in_the_place_of_every_graph_along_one_of_four_alignments() -> None:
    cells = EXPERIMENT.grid(Scope(backbones=("gcn",), seeds=1))
    settings = {cell.row: dict(cell.configs[0].method_settings) for cell in cells}
    ours, control = settings["S-Mixup"], settings["S-Mixup, random one-to-one"]
    assert ours == {"amount": None, "partners": 4}
    assert control == {**ours, "matcher": "random-order", "matcher.partial": True}
