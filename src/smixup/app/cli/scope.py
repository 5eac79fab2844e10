"""The options by which `sweep`, `table`, `figure curves` and `report` choose a part of an
experiment.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from smixup.app.cli.options import option
from smixup.app.runs.registry import BACKBONES

if TYPE_CHECKING:
    from smixup.app.tables.scope import Scope

part_option = partial(option, panel="Which part")
Name = Annotated[str, typer.Argument(help="Experiment; `smixup sweep list` names them all.")]
StoreFile = Annotated[Path, option("File that keeps the finished runs.", "--store")]
AnyCode = Annotated[
    bool, part_option("Count runs of other versions of the code, too.", "--any-code")
]
DEFAULT_STORE = Path("runs") / "sweeps.db"


@dataclass(frozen=True)
class Part:
    """The options that choose a part of an experiment; `with_options` gives them to a command."""

    datasets: Annotated[
        list[str] | None,
        part_option("Only this dataset or column of the table. May be repeated.", "--dataset"),
    ] = None
    backbones: Annotated[
        list[str] | None,
        part_option(f"Only this backbone: {' or '.join(BACKBONES)}.", "--backbone"),
    ] = None
    methods: Annotated[
        list[str] | None,
        part_option(
            "Only this method or row of the table, beside the reference. May be repeated.",
            "--method",
        ),
    ] = None
    seeds: Annotated[
        int | None,
        part_option("Number of paired runs per cell. By default the experiment's, mostly 10."),
    ] = None
    epochs: Annotated[
        int | None, part_option("Number of epochs instead of the preset's: a rehearsal.")
    ] = None
    search: Annotated[
        bool | None,
        part_option("Search each method's settings, or take its defaults.", "--grid/--no-grid"),
    ] = None
    first_seed: Annotated[
        int | None,
        part_option("First seed of the paired runs. By default 0; 100 keeps a table's own unseen."),
    ] = None

    def scope(self, before: Scope | None = None) -> Scope:
        """Return the scope that the options describe; what they leave open is as it was before, or
        all of it.
        """
        from smixup.app.tables.scope import Scope

        given = {name: value for name, value in vars(self).items() if value not in (None, [])}
        return Scope.from_dict((before or Scope()).to_dict() | given)
