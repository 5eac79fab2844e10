"""What a model says of graphs, in words and numbers, and written to a file."""

from __future__ import annotations

import csv
import io
import json
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from torch import Tensor

from smixup.datasets.molecules import MoleculeTable
from smixup.errors import UsageError
from smixup.files import require_writable, write_whole
from smixup.models.calibration import Calibration, class_scores, label_scores
from smixup.tasks import Classes, Labels, Task, Values

if TYPE_CHECKING:
    from numpy.typing import NDArray

Column: TypeAlias = Sequence[Any]
Columns: TypeAlias = Mapping[str, Column]

BETWEEN = " | "
NUMBER = "graph"
STDOUT = "-"
ENDINGS = (".csv", ".tsv", ".jsonl", ".parquet")


@dataclass(frozen=True)
class Predictions:
    """Predictions for G graphs, calibrated.

    Example::

        predictions = model.predict("new.csv", level=0.9)
        predictions.predicted, predictions.probabilities, predictions.sets
        predictions.write("predictions.csv")

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
        probabilities: NDArray[Any] = self.task.predicted(self.outputs).numpy()
        return probabilities

    @property
    def predicted(self) -> NDArray[Any]:
        """The most likely class of each graph by its name `[G]`, whether each label is likely to
        hold (0 or 1) `[G, T]`, or values `[G, T]`.
        """
        if isinstance(self.task, Classes):
            names: NDArray[Any] = named(self.task)[self.outputs.argmax(1).numpy()]
            return names
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
        columns: dict[str, Column] = {"prediction": self.predicted.tolist()}
        for name, column in zip(task.names, self.probabilities.T, strict=True):
            columns[f"p_{name}"] = list(column)
        if self.level is not None:
            columns[f"set_{self.level:g}"] = [BETWEEN.join(map(str, names)) for names in self.sets]
        return columns

    def _of_labels(self, task: Labels) -> dict[str, Column]:
        columns: dict[str, Column] = {}
        rows = zip(task.names, self.predicted.T, self.probabilities.T, strict=True)
        inside = None if self.level is None else self.inside
        for place, (name, predicted, probability) in enumerate(rows):
            columns[f"prediction_{name}"] = predicted.tolist()
            columns[f"p_{name}"] = list(probability)
            if inside is not None:
                columns[f"set_{self.level:g}_{name}"] = [
                    BETWEEN.join(str(each) for each in (0, 1) if row[each])
                    for row in inside[:, place].tolist()
                ]
        return columns

    def _of_values(self) -> dict[str, Column]:
        assert isinstance(self.task, Values)
        columns: dict[str, Column] = {}
        single = len(self.task.names) == 1
        ends = () if self.level is None else self.intervals
        for place, name in enumerate(self.task.names):
            behind = "" if single else f"_{name}"
            columns[f"prediction{behind}"] = list(self.probabilities[:, place])
            for word, end in zip(("low", "high"), ends, strict=False):
                column = end[:, place].float().numpy()
                columns[f"{word}_{self.level:g}{behind}"] = list(column)
        return columns


def _with_rows(columns: dict[str, Column], rows: Mapping[int, Mapping[str, str]]) -> dict[str, Any]:
    """Put rows back to their places; a column that they do not have is None there."""
    padded = {name: list(column) for name, column in columns.items()} if rows else columns
    for place in sorted(rows):
        for name, column in padded.items():
            column.insert(place, rows[place].get(name))  # type: ignore[attr-defined]
    return padded


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


def _require_ending(path: str) -> None:
    if Path(path).suffix.lower() not in ENDINGS:
        raise UsageError(f"predictions are written to {', '.join(ENDINGS)} or -, not to {path}.")


def require_place(path: str, source: str) -> None:
    """Refuse, before there is anything to write, a file of a kind that cannot be written, a place
    where nothing can be written, and the data that predictions are made for.
    """
    if path == STDOUT:
        return
    _require_ending(path)
    require_writable(Path(path), "the predictions")
    if not Path(path).exists():
        return
    written, read = Path(path).resolve(), Path(source).expanduser().resolve()
    if written == read or read in written.parents:
        raise UsageError(f"{path} is data that is read: name another file for the predictions.")


def write_columns(columns: Columns, path: str) -> Path | None:
    """Write columns of one length to a file of the kind that its ending says, or print them as CSV
    if the path is `-`.
    """
    if path == STDOUT:
        sys.stdout.write(_separated(columns, ","))
        return None
    _require_ending(path)
    ending = Path(path).suffix.lower()
    if ending == ".parquet":
        content: str | bytes = _parquet(columns)
    elif ending == ".jsonl":
        content = _json_lines(columns)
    else:
        content = _separated(columns, "\t" if ending == ".tsv" else ",")
    return write_whole(Path(path), content, "the predictions")


def _separated(columns: Columns, separator: str) -> str:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerow(columns)
    # str of single precision: as many digits as tell a number from all others; None is empty
    cells = (["" if value is None else str(value) for value in col] for col in columns.values())
    writer.writerows(zip(*cells, strict=True))
    return text.getvalue()


def _json_lines(columns: Columns) -> str:
    rows = zip(*columns.values(), strict=True)
    return "".join(
        json.dumps(dict(zip(columns, map(_plain, row), strict=True)), ensure_ascii=False) + "\n"
        for row in rows
    )


def _parquet(columns: Columns) -> bytes:
    import pyarrow as arrow
    from pyarrow import parquet

    table = arrow.table({name: _uniform(column) for name, column in columns.items()})
    stream = io.BytesIO()
    parquet.write_table(table, stream)
    return stream.getvalue()


def _uniform(column: Column) -> Column:
    """Return a column of one type: names of classes may be numbers and text."""
    kinds = {type(value) for value in column if value is not None}
    if len(kinds) < 2:
        return column
    return [value if value is None else str(value) for value in column]


def _plain(value: Any) -> Any:
    """Return a value as JSON has it; infinite ends of intervals are text."""
    if isinstance(value, np.floating):
        value = float(str(value))  # the same few digits as in CSV
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value.item() if isinstance(value, np.generic) else value
