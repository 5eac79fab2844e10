"""Which model where labels are few, and how much of a partner: the tables `recipe` and `dose`, run
by run.

The rule, written down before these runs: the default dose is that with the highest mean gain over
the sets, among those at which no set's interval lies below -1, here and in foreign loops.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from statistics import fmean

from experiments import judge, records
from experiments.show import Arms, cells_of, interval, markdown
from experiments.tables import DOSE_COLUMNS, DOSES
from smixup.names import CLASSICAL

MOTIFS = tuple(name for name in DOSE_COLUMNS if name.startswith("MOTIF"))
REAL = tuple(name for name in DOSE_COLUMNS if name not in MOTIFS)
NETWORK = "wide"
Where = tuple[str, str]  # a backbone and an arm
ALONE, BEST = (NETWORK, "Vanilla"), (NETWORK, "aligned, alpha 2, beside")
CONTROL = (NETWORK, "random alignment, alpha 2, beside")


@cache
def cells(experiment: str) -> dict[tuple[str, str], Arms]:
    """Return the runs by column and backbone."""
    return cells_of(records.read(), experiment)


def scores(experiment: str, column: str, where: Where) -> dict[int, float]:
    """Return test scores by seed, in per cent."""
    backbone, arm = where
    runs = cells(experiment).get((column, backbone), {}).get(arm, {}).get("{}", {})
    return {seed: run.score("test") for seed, run in runs.items()}


def gains(experiment: str, column: str, ours: Where, theirs: Where) -> list[float]:
    """Return differences at the seeds that both have, in points."""
    first, second = (scores(experiment, column, each) for each in (ours, theirs))
    return [first[seed] - second[seed] for seed in sorted(first.keys() & second.keys())]


def by_networks(column: str, arm: str) -> list[float]:
    """Return what an arm of `dose` gains, the mean of its networks at seeds that all have."""
    places = [(column, "gcn"), (column, "gin"), (f"{column}, norm", "gcn")]
    each = [
        gains("dose", name, (net, arm), (net, "Vanilla"))
        for name, net in places
        if (name, net) in cells("dose")
    ]
    return [fmean(row) for row in zip(*each, strict=False)]


def over_sets(each: Sequence[list[float]]) -> str:
    """Write the mean of the means of datasets, with Student's interval over these."""
    means = [fmean(differences) for differences in each if differences]
    return interval(judge.by_runs(means), 1) if means else ""


def models() -> str:
    """Write what each model scores, and what the others are above the forest."""
    wheres = [*((name, "Vanilla") for name in CLASSICAL), ALONE, BEST, CONTROL]
    rows = []
    for column in DOSE_COLUMNS:
        means = [fmean(scores("recipe", column, where).values()) for where in wheres]
        means.insert(2, fmean(scores("dose", column, ("gin", "Vanilla")).values()))
        number = str(len(gains("recipe", column, ALONE, wheres[0])))
        rows.append([column, number, *(f"{mean:.1f}" for mean in means)])
    beside = [
        over_sets([gains("recipe", column, where, wheres[0]) for column in DOSE_COLUMNS])
        for where in wheres[1:]
    ]
    rows.append(["**less the forest**", "", "", beside[0], "", *beside[1:]])
    return markdown(
        ["", "n", "forest", "WL-SVM", "paper's GIN", "network", "+ S-Mixup", "+ random mixing"],
        rows,
    )


def doses() -> str:
    """Write the mean gain of every dose, over MOTIF and over the real sets, for both kinds of
    networks.
    """
    rows = []
    for arm in DOSES:
        of = {name: gains("recipe", name, (NETWORK, arm), ALONE) for name in DOSE_COLUMNS}
        papers = {name: by_networks(name, arm) for name in DOSE_COLUMNS}
        groups = [
            [each[name] for name in names] for each in (papers, of) for names in (MOTIFS, REAL)
        ]
        rows.append([arm, *map(over_sets, groups)])
    head = ["paper's networks: MOTIF", "real sets", "network for few labels: MOTIF", "real sets"]
    return markdown(["", *head], rows)
