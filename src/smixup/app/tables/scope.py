"""Which part of an experiment to run or to show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from smixup.ranges import Range, RangedFields, Seed, Steps


@dataclass(frozen=True)
class Scope(RangedFields):
    """A part of an experiment; by default all of it, at the paper's size.

    Attributes:
        datasets: datasets or columns to keep, all if empty.
        backbones: those to keep, all if empty.
        methods: rows, spelled as they are, or methods with all their rows to keep, all if empty;
            what the others are compared with always stays.
        seeds: paired runs per cell; the experiment's own number if None.
        first_seed: of these runs; others than the table's, such as 100, are for trying things out.
        epochs: of every classifier instead of the preset's: a rehearsal.
        search: try the whole grid of every method; otherwise only its defaults.
    """

    datasets: tuple[str, ...] = ()
    backbones: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    seeds: Annotated[int, Range(1, limit=10_000)] | None = None
    epochs: Steps | None = None
    search: bool = True
    first_seed: Seed = 0

    @property
    def rehearsal(self) -> bool:
        """Whether classifiers are trained for another time than they should be."""
        return self.epochs is not None

    def to_dict(self) -> dict[str, Any]:
        """Return all fields, ready for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Scope:
        """Make a scope again of what `to_dict` returned."""
        lists = {name: tuple(each) for name, each in fields.items() if isinstance(each, list)}
        return cls(**(dict(fields) | lists))
