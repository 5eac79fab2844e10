"""`smixup report`: a store, or a model, as one page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from smixup.app.cli import options
from smixup.app.cli.opening import Open, show_page
from smixup.app.cli.options import option
from smixup.app.cli.scope import DEFAULT_STORE, AnyCode, StoreFile
from smixup.app.cli.stored import existing, last_scope, records_of

if TYPE_CHECKING:
    from smixup.app.pages.report import Section
    from smixup.app.pictures.stored_curves import Curves
    from smixup.app.tables.result import ResultTable

PAGE = Path("runs") / "report.html"


def report(
    names: Annotated[
        list[str] | None, typer.Argument(help="Experiments to show. By default all that were run.")
    ] = None,
    store: StoreFile = DEFAULT_STORE,
    out: Annotated[Path, option("Page to write.")] = PAGE,
    any_code: AnyCode = False,
    model: Annotated[
        Path | None,
        option(
            "Folder that `smixup train --out` wrote: the page tells of this model, too, and what "
            "its predictions rest on. Then no store is needed.",
        ),
    ] = None,
    root: options.Root = None,
    open_: Open = False,
) -> None:
    """Write one self-contained HTML page: tables, learning curves, settings, and how to repeat each
    cell; with --model, what a kept model is, and what its predictions rest on.
    """
    from smixup.app.pages.report import Report
    from smixup.app.pages.sweep_report import sweep_report

    asked = model is None or names or store.exists()
    tables, curves = _of_store(names, store, any_code, model is None) if asked else ([], {})
    told = [] if model is None else _of_model(model, root, "" if tables else "What it is")
    if tables:
        found = sweep_report(tables, curves)
        found = replace(found, sections=[*told, *found.sections])
    else:
        subtitle = "What it is, and what its predictions rest on."
        found = Report(f"The model in the folder {model}", subtitle, told)
    page = found.write(out)
    typer.echo(f"report: {page}", err=True)
    show_page(page, open_)


def _of_store(
    names: list[str] | None, store: Path, any_code: bool, needed: bool
) -> tuple[list[ResultTable], Curves]:
    """Return the tables of a store and the curves of its runs; nothing, if nothing was run and none
    is needed.
    """
    from smixup.app.tables.registry import experiment_named
    from smixup.errors import SmixupError

    kept = existing(store)
    chosen = names or list(kept.scopes())
    if not chosen and needed:
        raise SmixupError(
            f"there are no experiments in {store}: `smixup sweep run quick --store {store}` runs "
            "one."
        )
    records = records_of(kept, any_code)
    tables = [experiment_named(name).render(last_scope(kept, name), records) for name in chosen]
    return tables, kept.curves() if tables else {}


def _of_model(folder: Path, root: Path | None, heading: str) -> list[Section]:
    from smixup.app.pages.model_sections import model_sections
    from smixup.models import load_model

    return model_sections(load_model(folder), str(folder), root, heading)
