"""What a model says of graphs, in words and numbers, and written to a file."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import compress, count
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from torch import Tensor

from smixup.datasets.molecules import MoleculeTable
from smixup.errors import UsageError
from smixup.files import require_writable, write_whole
from smixup.models.calibration import Calibration, class_scores, label_scores
from smixup.tasks import Classes, Labels, Task

if TYPE_CHECKING:
    from numpy.typing import NDArray

Columns: TypeAlias = Mapping[str, Sequence[Any]]

BETWEEN = " | "
TRUTHS = {(False, False): "", (True, False): "0", (False, True): "1", (True, True): "0 | 1"}
"""How a set of a label is written: whether it may not hold, and may."""
STDOUT = "-"


@dataclass(frozen=True)
class Predictions:
    """Predictions for G graphs, calibrated.

    Example::

        predictions = model.predict("new.csv", level=0.9)
        predictions.predicted, predictions.probabilities, predictions.sets
        predictions.write("predictions.csv")

    Attributes:
        outputs: of the model `[G, C]`, logits divided by the temperature.
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
        return self.task.predicted(self.outputs).numpy()

    @property
    def predicted(self) -> NDArray[Any]:
        """The most likely class of each graph by its name `[G]`, whether each label is likely to
        hold (0 or 1) `[G, T]`, or values `[G, T]`.
        """
        if isinstance(self.task, Classes):
            names = self.task.names
            plain = len({*map(type, names)}) == 1  # all of them numbers, or text
            named = np.array(names, dtype=None if plain else object)
            return named[self.outputs.argmax(1).numpy()]  # type: ignore[no-any-return]
        if isinstance(self.task, Labels):
            return (self.outputs > 0).long().numpy()
        return self.probabilities

    @property
    def inside(self) -> Tensor:
        """Which classes belong to each set `[G, C]`; of labels, whether 0 and 1 do `[G, T, 2]`."""
        assert self.level is not None, "ask for predictions with a level"
        limit = self.calibration.thresholds(self.level)
        if isinstance(self.task, Classes):
            return class_scores(self.outputs) <= limit
        return label_scores(self.outputs) <= limit.unsqueeze(1)

    @property
    def intervals(self) -> tuple[Tensor, Tensor]:
        """Of values: lower and upper end of each, `[G, T]`."""
        assert self.level is not None, "ask for predictions with a level"
        values = self.task.predicted(self.outputs).double()
        half = self.calibration.thresholds(self.level)
        return values - half, values + half

    @property
    def sets(self) -> list[tuple[Any, ...]]:
        """Of classes: the names in each set."""
        names = self.task.names
        return [tuple(compress(names, row)) for row in self.inside.tolist()]

    @property
    def left_out(self) -> Mapping[int, Mapping[str, str]]:
        """Rows of the table that hold no graph, by their place; they are written, too."""
        return self.table.left_out if isinstance(self.table, MoleculeTable) else {}

    def columns(self) -> dict[str, list[Any]]:
        """Return everything by column: the table, the predictions, and the sets."""
        columns: dict[str, list[Any]] = {name: [*cells] for name, cells in self.table.items()}
        columns = columns or {"graph": [*range(len(self))]}
        for name, column in self._own_columns():
            free = (f"{name} ({number})" if number > 1 else name for number in count(1))
            columns[next(name for name in free if name not in columns)] = column
        for place, cells in sorted(self.left_out.items()):
            for name, column in columns.items():
                column.insert(place, cells.get(name))
        return columns

    def write(self, path: Path | str) -> Path | None:
        """Write all columns to a file, `.csv`, `.tsv` or `.parquet`; `-` prints CSV."""
        return write_columns(self.columns(), str(path))

    def _own_columns(self) -> Iterator[tuple[str, list[Any]]]:
        names, predicted, probabilities = self.task.names, self.predicted, self.probabilities
        if isinstance(self.task, Classes):
            yield "prediction", predicted.tolist()
            yield from ((f"p_{name}", [*probabilities[:, k]]) for k, name in enumerate(names))
            if self.level is not None:
                yield f"set_{self.level:g}", [BETWEEN.join(map(str, held)) for held in self.sets]
        elif isinstance(self.task, Labels):
            inside = [] if self.level is None else self.inside.tolist()
            for place, name in enumerate(names):
                yield f"prediction_{name}", predicted[:, place].tolist()
                yield f"p_{name}", [*probabilities[:, place]]
                if self.level is not None:
                    words = [TRUTHS[tuple(row[place])] for row in inside]
                    yield f"set_{self.level:g}_{name}", words
        else:
            ends = () if self.level is None else self.intervals
            for place, name in enumerate(names):
                behind = "" if len(names) == 1 else f"_{name}"
                yield f"prediction{behind}", [*predicted[:, place]]
                for word, end in zip(("low", "high"), ends, strict=False):
                    yield f"{word}_{self.level:g}{behind}", [*end[:, place].float().numpy()]


def require_place(path: str, source: str) -> None:
    """Refuse a file of a kind that cannot be written, a place where nothing can be written, and
    the data that predictions are made for.
    """
    if path == STDOUT:
        return
    _ending(path)
    require_writable(Path(path), "the predictions")
    written, read = Path(path).resolve(), Path(source).expanduser().resolve()
    if written.exists() and (written == read or read in written.parents):
        raise UsageError(f"{path} is data that is read: name another file for the predictions.")


def write_columns(columns: Columns, path: str) -> Path | None:
    """Write columns of one length to a file of the kind that its ending says, or print them as CSV
    if the path is `-`.
    """
    if path == STDOUT:
        sys.stdout.write(_separated(columns, ","))
        return None
    return write_whole(Path(path), WRITERS[_ending(path)](columns), "the predictions")


def _ending(path: str) -> str:
    ending = Path(path).suffix.lower()
    if ending not in WRITERS:
        raise UsageError(f"predictions are written to {', '.join(WRITERS)} or -, not to {path}.")
    return ending


def _separated(columns: Columns, separator: str) -> str:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerow(columns)
    # str of single precision: as many digits as tell a number from all others; None is empty
    cells = (["" if value is None else str(value) for value in col] for col in columns.values())
    writer.writerows(zip(*cells, strict=True))
    return text.getvalue()


def _parquet(columns: Columns) -> bytes:
    import pyarrow as arrow
    from pyarrow import parquet

    stream, uniform = io.BytesIO(), dict(columns)
    for name, column in columns.items():  # names of classes may be numbers and text
        if len({type(value) for value in column if value is not None}) > 1:
            uniform[name] = [value if value is None else str(value) for value in column]
    parquet.write_table(arrow.table(uniform), stream)
    return stream.getvalue()


WRITERS: dict[str, Callable[[Columns], str | bytes]] = {
    ".csv": partial(_separated, separator=","),
    ".tsv": partial(_separated, separator="\t"),
    ".parquet": _parquet,
}
