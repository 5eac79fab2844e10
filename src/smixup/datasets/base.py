"""What every source of data returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor

    from smixup.graphs import Graphs
    from smixup.tasks import Task


@dataclass(frozen=True)
class Split:
    """Positions of the graphs to train on, to choose the model by, and to report."""

    train: Tensor
    validation: Tensor
    test: Tensor


@dataclass(frozen=True)
class Reading:
    """How files were read, in plain values, so that new files are read alike.

    Attributes:
        reader: its name in `readers.registry`.
        options: what it was given besides the path.
        vocabulary: what it learned from the files: names of features, values of categories.
    """

    reader: str
    options: Mapping[str, Any] = field(default_factory=dict)
    vocabulary: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Dataset:
    """Graphs as their publisher gives them.

    Attributes:
        name: the publisher's name.
        graphs: all graphs; `x` has width zero where the publisher gives no node features.
        metric: what is reported; a name of `training.metrics`.
        split: the publisher's own split, where there is one.
        task: what is asked of a graph; None stands for classes without names, or for values.
        table: what else is known of each graph, as text, by the name of the column `[G]`: names,
            groups, dates.
        reading: how to read new files alike, if these graphs come from somebody's own.
        notes: sentences for whoever reads the data: what was left out, and what was taken for what.
        node_names: what the nodes of each graph are called, if anything.
    """

    name: str
    graphs: Graphs
    metric: str = "accuracy"
    split: Split | None = None
    task: Task | None = None
    table: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    reading: Reading | None = None
    notes: tuple[str, ...] = ()
    node_names: Sequence[Sequence[str]] | None = None
