"""What a model says of graphs, in words and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from torch import Tensor

from smixup.datasets.molecules import MoleculeTable
from smixup.models.calibration import Calibration, class_scores, label_scores
from smixup.models.prediction_files import Column, write_columns
from smixup.tasks import Classes, Labels, Task, Values

if TYPE_CHECKING:
    from numpy.typing import NDArray

BETWEEN = " | "
NUMBER = "graph"


@dataclass(frozen=True)
class Predictions:
    """Predictions for G graphs, calibrated.

    Example::

        found = model.predict("new.csv", level=0.9)
        found.predicted, found.probabilities, found.sets
        found.write("predictions.csv")

    Attributes:
        task: what was asked.
        outputs: of the model `[G, C]`, logits divided by the temperature.
        calibration: of the model.
        level: of sets and intervals; None for none.
        table: what else is known of each graph, by the name of the column; it is written first.
    """

    task: Task
    outputs: Tensor
    calibration: Calibration
    level: float | None = None
    table: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.outputs)

    @property
    def probabilities(self) -> NDArray[Any]:
        """Of every class, or of every label to hold `[G, C]`; of values, the values."""
        found: NDArray[Any] = self.task.predicted(self.outputs).numpy()
        return found

    @property
    def predicted(self) -> NDArray[Any]:
        """The most likely class of each graph by its name `[G]`, whether each label is likely to
        hold (0 or 1) `[G, T]`, or values `[G, T]`.
        """
        if isinstance(self.task, Classes):
            found: NDArray[Any] = named(self.task)[self.outputs.argmax(1).numpy()]
            return found
        if isinstance(self.task, Labels):
            return (self.outputs > 0).long().numpy()
        return self.probabilities

    @property
    def inside(self) -> Tensor:
        """Which classes belong to each set `[G, C]`; of labels, whether 0 and 1 do `[G, T, 2]`."""
        limit = self.calibration.thresholds(self._level())
        if isinstance(self.task, Classes):
            return class_scores(self.outputs) <= limit
        return label_scores(self.outputs) <= limit.unsqueeze(1)

    @property
    def intervals(self) -> tuple[Tensor, Tensor]:
        """Of values: lower and upper end of each, `[G, T]`."""
        values = self.task.predicted(self.outputs).double()
        half = self.calibration.thresholds(self._level())
        return values - half, values + half

    @property
    def sets(self) -> list[tuple[Any, ...]]:
        """Of classes: the names in each set."""
        names = self.task.names
        return [
            tuple(name for name, held in zip(names, row, strict=True) if held)
            for row in self.inside.tolist()
        ]

    def columns(self) -> dict[str, Column]:
        """Return everything by column: the table, the predictions, and the sets."""
        given: dict[str, Column] = {name: list(cells) for name, cells in self.table.items()}
        given = given or {NUMBER: list(range(len(self)))}
        for name, column in self._own_columns().items():
            given[_free(name, given)] = column
        return _with_rows(given, self.left_out)

    @property
    def left_out(self) -> Mapping[int, Mapping[str, str]]:
        """Rows of the table that hold no graph, by their place: they are written with nothing
        predicted, so that rows stay where they were.
        """
        return self.table.left_out if isinstance(self.table, MoleculeTable) else {}

    def write(self, path: Path | str) -> Path | None:
        """Write all columns to a file, `.csv`, `.tsv`, `.jsonl` or `.parquet`; `-` prints CSV."""
        return write_columns(self.columns(), str(path))

    def _level(self) -> float:
        assert self.level is not None, "ask for predictions with a level"
        return self.level

    def _own_columns(self) -> dict[str, Column]:
        if isinstance(self.task, Classes):
            return self._of_classes(self.task)
        return self._of_labels(self.task) if isinstance(self.task, Labels) else self._of_values()

    def _of_classes(self, task: Classes) -> dict[str, Column]:
        found: dict[str, Column] = {"prediction": self.predicted.tolist()}
        for name, column in zip(task.names, self.probabilities.T, strict=True):
            found[f"p_{name}"] = list(column)
        if self.level is not None:
            found[f"set_{self.level:g}"] = [BETWEEN.join(map(str, names)) for names in self.sets]
        return found

    def _of_labels(self, task: Labels) -> dict[str, Column]:
        found: dict[str, Column] = {}
        rows = zip(task.names, self.predicted.T, self.probabilities.T, strict=True)
        inside = None if self.level is None else self.inside
        for place, (name, predicted, probability) in enumerate(rows):
            found[f"prediction_{name}"] = predicted.tolist()
            found[f"p_{name}"] = list(probability)
            if inside is not None:
                found[f"set_{self.level:g}_{name}"] = [
                    BETWEEN.join(str(each) for each in (0, 1) if row[each])
                    for row in inside[:, place].tolist()
                ]
        return found

    def _of_values(self) -> dict[str, Column]:
        assert isinstance(self.task, Values)
        found: dict[str, Column] = {}
        single = len(self.task.names) == 1
        ends = () if self.level is None else self.intervals
        for place, name in enumerate(self.task.names):
            behind = "" if single else f"_{name}"
            found[f"prediction{behind}"] = list(self.probabilities[:, place])
            for word, end in zip(("low", "high"), ends, strict=False):
                column = end[:, place].float().numpy()
                found[f"{word}_{self.level:g}{behind}"] = list(column)
        return found


def _with_rows(columns: dict[str, Column], rows: Mapping[int, Mapping[str, str]]) -> dict[str, Any]:
    """Put rows back to their places; a column that they do not have is None there."""
    found = {name: list(column) for name, column in columns.items()} if rows else columns
    for place in sorted(rows):
        for name, column in found.items():
            column.insert(place, rows[place].get(name))  # type: ignore[attr-defined]
    return found


def named(task: Classes) -> NDArray[Any]:
    """Return the names of classes as an array, of numbers where all are."""
    names = list(task.names)
    kinds = {type(name) for name in names}
    return np.array(names) if len(kinds) == 1 else np.array(names, dtype=object)


def _free(name: str, taken: Mapping[str, object]) -> str:
    """Return a name that no column has yet."""
    number, free = 2, name
    while free in taken:
        free, number = f"{name} ({number})", number + 1
    return free
