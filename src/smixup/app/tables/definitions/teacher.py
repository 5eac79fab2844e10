"""Do teachers label mixes better than the ratio does, and is it the mixes or the teachers that
help?
"""

from __future__ import annotations

from smixup.app.tables.arm import Arm
from smixup.app.tables.definitions import ladder
from smixup.app.tables.experiment import Experiment

TAUGHT = {"teachers": 3}
RANDOM = {"matcher": "random-order", "matcher.partial": True}

EXPERIMENT = Experiment(
    name="teacher",
    title="Few labels, and labels of mixes from models trained without mixing",
    backbones=("gcn", "gin"),
    arms=[
        Arm("Vanilla", "vanilla"),
        Arm("Vanilla, taught", "vanilla", changes=TAUGHT),
        Arm("S-Mixup", "s-mixup", ladder.DOSE),
        Arm("S-Mixup, taught", "s-mixup", ladder.DOSE, changes=TAUGHT),
        Arm("random one-to-one, taught", "s-mixup", ladder.DOSE | RANDOM, changes=TAUGHT),
    ],
    columns=[column for column in ladder.EXPERIMENT.columns if column.dataset != "MOTIF"],
    note=(
        "Taught: mixes are labelled by the mean of three models trained without mixing on the same "
        "graphs. Vanilla, taught, shows the original graphs once more with the teachers' labels: "
        "what a taught mix gains beyond it, the mixing brings. The columns are those of ladder."
    ),
)
