"""The folds of the ICML 2026 study once more; every arm may choose among the same settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from smixup.app.tables.definitions.icml2026 import (
    AS_IN_THE_STUDY,
    COLUMNS_2026,
    FOLDS,
    PROTOCOL,
    PUBLISHED,
    RANDOM_ONE_TO_ONE,
    ROUNDS,
    SMIXUP,
    SUBMIX,
    VANILLA,
)
from smixup.app.tables.experiment import Experiment

NORMALISED = {"batch_norm": True, "dropout": 0.5}
CANDIDATES: tuple[Mapping[str, Any], ...] = (
    {},
    {"learning_rate": 0.003},
    {"num_layers": 2},
    NORMALISED,
    NORMALISED | {"hidden_channels": 128},
)
"""The preset, and what differs from it; the study searches rate, depth, width, dropout and norm."""

ARMS = [VANILLA, AS_IN_THE_STUDY, replace(SMIXUP, name="S-Mixup"), SUBMIX, RANDOM_ONE_TO_ONE]
NAMES = {arm.name for arm in ARMS}

EXPERIMENT = Experiment(
    name="icml2026-search",
    title="The folds of the ICML 2026 study, five settings for every method",
    backbones=("gcn", "gin"),
    arms=ARMS,
    columns=COLUMNS_2026,
    published={place: each for place, each in PUBLISHED.items() if place[1] in NAMES},
    published_by="study",
    seeds=FOLDS * ROUNDS,
    note=(
        f"{PROTOCOL} Every method, Vanilla included, has the same five settings to choose among; "
        "each outer fold chooses by itself, by the validation scores of its three rounds."
    ),
    settings=CANDIDATES,
    choose_by_fold=True,
)
