"""A page shows what was run, and names what was not."""

from __future__ import annotations

from collections.abc import Callable

from smixup.app.sweeps.store import Store
from smixup.app.tables.experiment import Experiment
from smixup.app.tables.ran_part import not_run, ran_parts
from smixup.app.tables.scope import Scope

SCOPE = Scope(seeds=1, epochs=2)


def test_one_cell_was_run(toy: Experiment, keep: Callable[..., str], store: Store) -> None:
    ran = next(cell for cell in toy.grid(SCOPE) if cell.backbone == "gin")
    keep(ran.configs[0], test=0.5)
    table = toy.render(SCOPE, store.records())
    (part,) = ran_parts(table)
    assert (part.backbone, part.columns, part.rows) == ("gin", [ran.column], [ran.row])
    others = [each for each in table.columns("gin") if each != ran.column]
    assert part.missing == [*others, *(each for each in table.rows if each != ran.row)]
    told = not_run(table, [part])
    assert told.startswith("Not run yet: ")
    assert told.endswith(f"with GIN: {', '.join(part.missing)}.")
    assert all(each.upper() in told for each in table.backbones)


def test_nothing_was_run(toy: Experiment) -> None:
    table = toy.render(SCOPE, {})
    parts = ran_parts(table)
    assert [part.backbone for part in parts] == list(table.backbones)
    assert all(part.columns == list(table.columns(part.backbone)) for part in parts)
    assert all(part.rows == list(table.rows) and not part.missing for part in parts)
    assert not_run(table, parts) == ""
