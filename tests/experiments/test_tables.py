"""Every table can be run: its configurations can be made, and are paired."""

from __future__ import annotations

import csv
from collections import Counter

import pytest

from experiments.run import Part, configurations, shard
from experiments.show import PUBLISHED
from experiments.tables import STUDY, TABLES
from smixup.errors import UsageError

RUNS = {"table2": 1820, "few-labels": 5520, "noisy-labels": 600, "icml2026": 1800}


@pytest.mark.parametrize("name", TABLES)
def test_every_configuration_can_be_made_and_none_is_there_twice(name: str) -> None:
    runs = configurations(name, Part(seeds=1, search=name not in ("table2", "table3")))
    for place, config in runs.items():
        assert (place.seed, place.backbone) == (config.seed, config.backbone)
    cells = Counter((p.column, p.backbone, p.arm, repr(c)) for p, c in runs.items())
    assert set(cells.values()) == {1}
    assert next(iter(TABLES[name].arms)) == "Vanilla"


def test_tables_have_as_many_runs_as_ever() -> None:
    seeds = {name: TABLES[name].seeds for name in RUNS}
    one = {name: len(configurations(name, Part(seeds=1))) for name in RUNS}
    assert {name: seeds[name] * one[name] for name in RUNS} == RUNS


def test_a_search_has_the_default_once_and_every_other_setting() -> None:
    part = Part(columns=["MUTAG"], backbones=["gcn"], arms=["S-Mixup"], seeds=1, search=True)
    settings = [place.setting for place in configurations("icml2026", part)]
    assert settings[:5] == settings[5:]
    assert settings[0] == "{}"
    assert '{"learning_rate": 0.003}' in settings
    alphas = Part(columns=["IMDB-MULTI"], arms=["S-Mixup"], seeds=1, search=True)
    assert len(configurations("table4", alphas)) == 1 + 14


def test_a_part_is_named_in_any_case_and_keeps_what_arms_are_compared_with() -> None:
    part = Part(
        columns=["imdb-binary"], arms=["submix"], backbones=["GIN"], seeds=3, first_seed=100
    )
    places = set(configurations("table2", part))
    assert {place.arm for place in places} == {"Vanilla", "SubMix"}
    assert {place.seed for place in places} == {100, 101, 102}
    assert {(place.column, place.backbone) for place in places} == {("IMDB-BINARY", "gin")}
    for wrong in (Part(columns=["IMDB"]), Part(arms=["SMixup"]), Part(backbones=["gat"])):
        with pytest.raises(UsageError):
            configurations("table2", wrong)


def test_pairs_share_split_and_training() -> None:
    study = configurations("icml2026", Part(columns=["ENZYMES"], backbones=["gin"], seeds=7))
    folds = {(place.seed, config.fold) for place, config in study.items()}
    assert folds == {(seed, seed % 5) for seed in range(7)}
    assert all(config.dataset_options == {"attributes": True} for config in study.values())
    theirs = next(config for place, config in study.items() if place.arm == STUDY)
    assert theirs.method_settings["whole"] is True
    norm = {p.backbone for p in configurations("dose", Part(columns=["MUTAG-50, norm"], seeds=1))}
    assert norm == {"gcn"}
    few = configurations("few-labels", Part(columns=["MUTAG-100"], seeds=1)).values()
    assert {(c.train_graphs, c.validation_graphs, c.batch_size) for c in few} == {(100, 30, 25)}


def test_parts_of_a_table_are_all_of_it() -> None:
    runs = configurations("noisy-labels", Part(seeds=3))
    parts = [shard(runs, f"{number}/4") for number in range(4)]
    assert sum(map(len, parts)) == len(runs)
    assert {place for part in parts for place in part} == set(runs)
    together = [{(p.column, p.seed) for p in part} for part in parts]
    assert all(not a & b for i, a in enumerate(together) for b in together[:i])
    with pytest.raises(UsageError):
        shard(runs, "4/4")


def test_published_values_belong_to_tables() -> None:
    with (PUBLISHED / "icml2023.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == 204
    for row in rows:
        table = TABLES[row["experiment"]]
        assert row["arm"] in table.arms
        assert row["column"] in table.columns
        assert row["backbone"] in table.backbones
    with (PUBLISHED / "icml2026.csv").open(encoding="utf-8", newline="") as lines:
        study = {(r["backbone"], r["method"], r["dataset"]): r for r in csv.DictReader(lines)}
    ours = [float(r["mean"]) for place, r in study.items() if place[1] == "S-Mixup"]
    plain = [float(r["mean"]) for place, r in study.items() if place[1] == "Vanilla"]
    assert (round(sum(ours) / 12, 1), round(sum(plain) / 12, 1)) == (68.1, 70.3)
