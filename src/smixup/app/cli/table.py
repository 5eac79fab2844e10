"""`smixup table`: what a store says, as a table."""

from __future__ import annotations

from typing import Annotated

import typer

from smixup.app.cli.options import option, with_options
from smixup.app.cli.scope import DEFAULT_STORE, AnyCode, Name, Part, StoreFile
from smixup.app.cli.stored import read

PROPERTIES = "properties"


@with_options(part=Part)
def table(
    name: Name,
    store: StoreFile = DEFAULT_STORE,
    format_: Annotated[
        str, option("Format of the table: text, markdown, latex, json or csv.", "--format")
    ] = "text",
    score: Annotated[
        str,
        option(
            "Score to show: test, validation, test_loss, calibration_error, accuracy, rocauc or "
            "brier; after temperature scaling scaled_loss, scaled_brier or "
            "scaled_calibration_error."
        ),
    ] = "test",
    *,
    part: Part,
    any_code: AnyCode = False,
) -> None:
    """Show the table of an experiment, as far as it was run: our scores, the paper's, and paired
    differences with intervals.

    It shows the part that was run last; options change that part. `smixup table properties`
    measures Table 1; it needs no store.
    """
    if name == PROPERTIES:
        _print_properties(format_)
        return
    from smixup.app.pages.formats import FORMATS
    from smixup.app.tables.score import SCORES
    from smixup.errors import unknown_name

    for kind, value, known in (("format", format_, FORMATS), ("score", score, SCORES)):
        if value not in known:
            raise unknown_name(kind, value, known)
    typer.echo(FORMATS[format_](read(name, store, part, any_code).table, score))


def _print_properties(format_: str) -> None:
    """Measure Table 1 of the paper on MOTIF; takes a minute."""
    import json
    from dataclasses import asdict

    from smixup.app.cli.threads import set_threads
    from smixup.app.pages.properties_table import markdown
    from smixup.app.studies.properties import motif_graphs, table_1, trained_judge
    from smixup.errors import UsageError

    if format_ not in ("text", "markdown", "json"):
        raise UsageError(f"Table 1 is shown as text, markdown or json, not {format_}.")
    set_threads(1)
    graphs = motif_graphs()
    found = table_1(graphs, trained_judge(graphs), {})
    as_json = {name: asdict(properties) for name, properties in found.items()}
    typer.echo(json.dumps(as_json) if format_ == "json" else markdown(found))
