"""Does the code at hand give the numbers of the code before? Every method, both backbones, a few
epochs each.
"""

from __future__ import annotations

from dataclasses import replace

from smixup.app.runs.presets import of_matcher
from smixup.app.tables.arm import Arm
from smixup.app.tables.definitions.few_labels import EXPERIMENT as FEW_LABELS
from smixup.app.tables.definitions.ladder import EXPERIMENT as LADDER
from smixup.app.tables.definitions.ladder import few
from smixup.app.tables.definitions.performance import METHODS
from smixup.app.tables.experiment import Column, Experiment, always
from smixup.app.tables.published import IMDB_B, NCI1, PROTEINS

TRAIN_GRAPHS, BATCH_SIZE, EPOCHS = 40, 20, 4
SHORT = few(TRAIN_GRAPHS, BATCH_SIZE, EPOCHS)
MOTIF_OPTIONS = {"num_graphs": 160, "seed": 2000}
SHORT_MATCHER = of_matcher({"max_steps": 10})

PUBLISHED = next(arm for arm in LADDER.arms if arm.name == "as published")

EXPERIMENT = Experiment(
    name="probe",
    title="Short runs of every method, to compare versions of the code",
    backbones=("gcn", "gin"),
    arms=[
        *(Arm(name, method) for name, method in METHODS.items()),
        *(arm for arm in FEW_LABELS.arms if arm.name not in METHODS),
        Arm("S-Mixup, short matcher", "s-mixup", SHORT_MATCHER),
        replace(PUBLISHED, settings={**PUBLISHED.settings, **SHORT_MATCHER}),
    ],
    columns=[
        Column("MOTIF", "MOTIF", always(**SHORT, dataset_options=MOTIF_OPTIONS)),
        Column("MUTAG", "MUTAG", always(**SHORT)),
        Column(PROTEINS, PROTEINS, always(**SHORT)),
        Column(NCI1, NCI1, always(**SHORT)),
        Column(IMDB_B, IMDB_B, always(**SHORT)),
    ],
    seeds=1,
    note=(
        "Four epochs on forty graphs: numbers to compare to the bit (`smixup sweep agree`), not "
        "scores to read. Fitting matchers takes nearly all of the time; short ones take ten steps."
    ),
)
