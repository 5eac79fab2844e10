"""`smixup report`: a store as one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from smixup.lab.cli.opening import Open, show_page
from smixup.lab.cli.options import option
from smixup.lab.cli.scope import DEFAULT_STORE, AnyCode, StoreFile
from smixup.lab.cli.stored import existing, last_scope, records_of

PAGE = Path("runs") / "report.html"


def report(
    names: Annotated[
        list[str] | None, typer.Argument(help="Experiments to show. By default all that were run.")
    ] = None,
    store: StoreFile = DEFAULT_STORE,
    out: Annotated[Path, option("Page to write.")] = PAGE,
    any_code: AnyCode = False,
    open_: Open = False,
) -> None:
    """Write one self-contained HTML page: tables, learning curves, settings, and how to repeat each
    cell.
    """
    from smixup.errors import SmixupError
    from smixup.lab.pages.sweep_report import sweep_report
    from smixup.lab.tables.registry import experiment_named

    kept = existing(store)
    chosen = names or list(kept.scopes())
    if not chosen:
        raise SmixupError(
            f"there are no experiments in {store}: `smixup sweep run quick --store {store}` runs "
            "one."
        )
    records = records_of(kept, any_code)
    tables = [experiment_named(name).render(last_scope(kept, name), records) for name in chosen]
    page = sweep_report(tables, kept.curves()).write(out)
    typer.echo(f"report: {page}", err=True)
    show_page(page, open_)
