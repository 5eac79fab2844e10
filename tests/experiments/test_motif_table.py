"""Cells say mean, deviation and the paired difference; only a decided difference is bold."""

from __future__ import annotations

from smixup.experiments.motif_table import markdown


def record(arm: str, seed: int, test: float) -> dict[str, object]:
    return {"arm": arm, "backbone": "gin", "train_graphs": 20, "label_noise": 0.0, "seed": seed, "test": test}


def test_cells_by_hand() -> None:
    records = [record("Vanilla", seed, 0.5 + 0.01 * seed) for seed in range(3)]
    records += [record("S-Mixup, alpha 0.2", seed, 0.6 + 0.01 * seed + 0.001 * (seed - 1)) for seed in range(3)]
    records += [record("uniform, alpha 0.2", seed, value) for seed, value in enumerate((0.4, 0.6, 0.55))]
    table = markdown(records)
    rows = {line.split("|")[1].strip(): line for line in table.splitlines() if line.startswith("| ")}
    assert "51.00 ± 1.00 (n = 3)" in table
    assert "**+10.00 [+9.75, +10.25]**" in table
    assert "not run" in rows["random order, alpha 1"]
    undecided = next(line for line in table.splitlines() if "uniform, alpha 0.2" in line and "51.67" in line)
    assert "**" not in undecided
