"""A rehearsal: short runs on molecules with bonds, by the backbones that hear them."""

from __future__ import annotations

from dataclasses import replace

from smixup.app.runs.config import configure
from smixup.app.runs.registry import BACKBONES
from smixup.app.tables.definitions.bonds import EXPERIMENT, REHEARSAL
from smixup.app.tables.scope import Scope

GRAPHS = 32901
"""To train on, in OGB's split of ogbg-molhiv."""

RUNS = EXPERIMENT.runs(Scope())


def test_two_backbones_two_methods_and_three_seeds() -> None:
    places = [(run.backbone, run.method, run.seed) for run in RUNS]
    assert set(EXPERIMENT.backbones) < set(BACKBONES)
    assert sorted(places) == sorted(
        (backbone, method, seed)
        for backbone in ("gine", "gcn-edge")
        for method in ("vanilla", "s-mixup")
        for seed in range(3)
    )


def test_what_is_not_rehearsed_is_the_preset_and_the_default() -> None:
    for run in RUNS:
        whole = configure("ogbg-molhiv", run.backbone, run.method, run.seed)
        assert run == replace(whole, **REHEARSAL)
        assert run.split == "official"
        assert run.dataset_options["bonds"] is True


def test_the_note_tells_how_short_it_is() -> None:
    run, preset = RUNS[0], configure("ogbg-molhiv", "gine")
    short = f"{run.hidden_channels} channels, batches of {run.batch_size} and {run.epochs} epochs"
    long = f"{preset.hidden_channels}, {preset.batch_size} and {preset.epochs}"
    assert f"{short}, where the preset has {long}: a rehearsal" in EXPERIMENT.note


def test_three_epochs_have_774_steps() -> None:
    run = RUNS[0]
    assert run.epochs * -(-GRAPHS // run.batch_size) == 774
