"""The records of all runs in one file: `records.parquet`, a row for every run of a table."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from smixup.app.runs.predictions import HEADER, Predictions, from_bytes

if TYPE_CHECKING:
    from smixup.app.store import Finished

HERE = Path(__file__).parent
FILE = HERE / "records.parquet"
LEVEL = 19  # twenty seconds, a tenth smaller than at 9
SCORES = (
    *("test", "validation", "test_loss", "accuracy", "rocauc", "brier", "calibration_error"),
    *("temperature", "scaled_loss", "scaled_brier", "scaled_calibration_error"),
)


class Place(NamedTuple):
    """Where a run stands: a row of `TABLES[experiment]`, with what was searched as JSON."""

    experiment: str
    column: str
    backbone: str
    arm: str
    setting: str
    seed: int


@dataclass(frozen=True)
class Record:
    """One run, a row of the file.

    Attributes:
        labels: graphs to train on, None if all of the split.
        config: what was run, JSON of the fields of a `RunConfig` at that time.
        test: the score of `metric` on the test split.
        seconds: in all; `training_seconds` are without data and matcher.
        version: of smixup and, where it is known, the commit.
        predictions: see `smixup.app.runs.predictions`; None where they were not kept. They are not
            compressed one by one, as the file is smaller if they are compressed together.
    """

    experiment: str
    column: str
    dataset: str
    labels: int | None
    backbone: str
    arm: str
    setting: str
    seed: int
    config: str
    metric: str
    test: float
    validation: float
    test_loss: float
    accuracy: float
    rocauc: float
    brier: float
    calibration_error: float
    temperature: float
    scaled_loss: float
    scaled_brier: float
    scaled_calibration_error: float
    best_epoch: int
    epochs: int | None
    training_seconds: float
    seconds: float
    version: str
    predictions: bytes | None = None

    @property
    def place(self) -> Place:
        """Where it stands."""
        return Place(*(getattr(self, name) for name in Place._fields))

    @cached_property
    def split(self) -> tuple[Any, ...]:
        """What tells its split from others of its column."""
        config = json.loads(self.config)
        own = config.get("split_seed")
        return config.get("fold", 0), self.seed if own is None else own

    @property
    def random_split(self) -> bool:
        """Whether its split is one of 80/10/10 at random."""
        return bool(json.loads(self.config).get("split") == "random")

    @cached_property
    def said(self) -> Predictions | None:
        """The predictions of every held-out graph."""
        if not self.predictions:
            return None
        head, body = self.predictions[: HEADER.size], self.predictions[HEADER.size :]
        return from_bytes(head + zlib.compress(body, 1))

    def score(self, name: str) -> float:
        """Return a share in per cent."""
        return 100 * float(getattr(self, name))


KINDS = {"str": pa.string(), "int": pa.int32(), "float": pa.float64(), "bytes": pa.binary()}
SCHEMA = pa.schema(
    [(each.name, KINDS[str(each.type).removesuffix(" | None")]) for each in fields(Record)]
)


def record(place: Place, run: Finished) -> Record:
    """Return the record of a finished run."""
    config, result = run.config, run.result
    said, commit = result.predictions, result.versions.get("commit")
    scores: dict[str, Any] = {name: float(getattr(result, name)) for name in SCORES}
    return Record(
        **place._asdict(),
        dataset=config["dataset"],
        labels=config.get("train_graphs"),
        config=json.dumps(config, sort_keys=True),
        metric=result.metric,
        **scores,
        best_epoch=result.best_epoch,
        epochs=result.epochs,
        training_seconds=result.seconds,
        seconds=run.seconds,
        version=f"{run.version} {commit}" if commit else run.version,
        predictions=said[: HEADER.size] + zlib.decompress(said[HEADER.size :]) if said else None,
    )


def read(file: Path | None = None) -> list[Record]:
    """Return all records, of `FILE` if no other is named."""
    return [Record(**row) for row in pq.read_table(file or FILE, schema=SCHEMA).to_pylist()]


def configurations(version: str) -> dict[Place, Any]:
    """Return what was run by a version, at its place."""
    rows = pq.read_table(FILE, columns=[*Place._fields, "config", "version"]).to_pylist()
    return {
        Place(*(row[name] for name in Place._fields)): json.loads(row["config"])
        for row in rows
        if row["version"].split()[0] == version
    }


def write(records: Iterable[Record], file: Path | None = None, level: int = LEVEL) -> None:
    """Write records, whole or not at all. Those of one split stand together, as they compress
    better so.
    """
    rows = sorted(records, key=lambda each: (each.experiment, each.column, each.seed, each.place))
    columns = {name: [getattr(row, name) for row in rows] for name in SCHEMA.names}
    numbers = [name for name in SCHEMA.names if name != "predictions"]
    file = file or FILE
    new = file.with_suffix(".new")
    pq.write_table(
        pa.table(columns, schema=SCHEMA),
        new,
        row_group_size=len(rows) or 1,
        data_page_size=1 << 30,
        use_dictionary=numbers,
        compression="zstd",
        compression_level=level,
    )
    new.replace(file)
