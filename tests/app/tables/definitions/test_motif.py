"""Section 5.1: graphs of its own at every seed, and a random order beside the alignment."""

from __future__ import annotations

import torch

from smixup.app.runs.config import RunConfig
from smixup.app.tables.definitions.motif import EXPERIMENT, drawn
from smixup.app.tables.scope import Scope
from smixup.datasets.motif import motif_dataset


def runs(seed: int = 0, column: str = "20 graphs") -> dict[str, RunConfig]:
    """The run of every row at its defaults."""
    scope = Scope((column,), ("gin",), seeds=1, first_seed=seed, search=False)
    return {cell.row: cell.configs[0] for cell in EXPERIMENT.grid(scope)}


def test_the_changes_of_a_condition() -> None:
    options = {"num_graphs": 1500, "label_noise": 0.1, "seed": 1007}
    expected = {"dataset_options": options, "train_graphs": 20, "epochs": 5}
    assert drawn(20, 0.1, epochs=5)(7) == expected


def test_columns_have_the_graphs_and_the_noise_of_their_names() -> None:
    found = {}
    for column in EXPERIMENT.columns:
        run = runs(column=column.name)["Vanilla"]
        noise = run.dataset_options["label_noise"]
        found[column.name] = (run.train_graphs, noise, run.dataset_options["num_graphs"])
    assert found == {
        "20 graphs": (20, 0.0, 1500),
        "100 graphs, 10 % noise": (100, 0.1, 1500),
        "1500 graphs": (None, 0.1, 1500),
    }


def test_seeds_have_other_graphs_and_rows_the_same() -> None:
    first, second = runs(0), runs(1)
    seeds = {run.dataset_options["seed"] for run in first.values()}
    assert len(seeds) == 1
    assert seeds != {run.dataset_options["seed"] for run in second.values()}


def test_each_way_to_mix_has_its_random_order() -> None:
    settings = {row: dict(run.method_settings) for row, run in runs().items()}
    for way in ("", ", mixes only"):
        ours, control = settings[f"S-Mixup{way}"], settings[f"random order{way}"]
        assert control == {**ours, "matcher": "random-order"}
    assert settings["S-Mixup"] == {}
    assert settings["S-Mixup, mixes only"] == {"amount": None}
    assert settings["uniform assignment"] == {"matcher": "uniform"}
    mixed = [arm for arm in EXPERIMENT.arms if arm.name != "Vanilla"]
    assert all(arm.search == {"alpha": (0.2, 1.0)} for arm in mixed), "equal budgets"


def test_noise_leaves_the_ceiling_that_the_note_tells() -> None:
    """A label that is drawn anew among three is right by chance in a third of cases."""
    clean, noisy = (motif_dataset(600, label_noise=noise, seed=0).graphs for noise in (0.0, 0.5))
    right = float((clean.labels == noisy.labels).float().mean())
    torch.testing.assert_close(right, 1 - 0.5 * 2 / 3, atol=0.06, rtol=0)
    assert f"{100 * (1 - 0.1 * 2 / 3):.1f} % is the ceiling" in EXPERIMENT.note
