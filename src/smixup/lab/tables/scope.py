"""Which part of an experiment to run or to show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from smixup.errors import require


@dataclass(frozen=True)
class Scope:
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
    seeds: int | None = None
    epochs: int | None = None
    search: bool = True
    first_seed: int = 0

    def __post_init__(self) -> None:
        require(self.seeds is None or self.seeds >= 1, "seeds", self.seeds, "1 or more")
        require(self.first_seed >= 0, "first seed", self.first_seed, "0 or more")
        require(self.epochs is None or self.epochs >= 1, "epochs", self.epochs, "1 or more")

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
