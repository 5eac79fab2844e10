"""`smixup audit`: what the mixes of any method look like."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from smixup.app.cli import options
from smixup.app.cli.options import dataset_options, option
from smixup.app.cli.printing import print_table
from smixup.app.cli.progress import ProgressDisplay
from smixup.app.cli.threads import set_threads
from smixup.app.runs.registry import BACKBONES, METHODS
from smixup.memory import set_budget

FORMATS = ("text", "markdown", "json")


def audit(
    dataset: options.Dataset = "MOTIF",
    method: Annotated[
        list[str] | None,
        option(
            f"Method to audit: {', '.join(METHODS)}, or the title of a row. May be repeated; by "
            "default all that mix, and S-Mixup with several matchers."
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        option(
            "Setting of the one method named, such as matcher.top_k=3. May be repeated.", "--set"
        ),
    ] = None,
    ratios: Annotated[
        str,
        option(
            "Ratios: uniform over the range of each method, half (near one half), or own (each "
            "method's defaults). Uniform tells most: at one half a mix that is far from both of "
            "its graphs is as good as right."
        ),
    ] = "uniform",
    backbone: Annotated[str, option(f"Backbone of the judge: {' or '.join(BACKBONES)}.")] = "gin",
    mixes: Annotated[int, option("Number of mixes of every method.")] = 200,
    distances: Annotated[
        int, option("Number of mixes whose distances to their graphs are taken.")
    ] = 60,
    small_nodes: Annotated[
        int, option("Edit distances are taken of graphs up to this size.", "--small-nodes")
    ] = 16,
    max_nodes: Annotated[int, option("Larger graphs are left out.", "--max-nodes")] = 150,
    epochs: Annotated[int, option("The judge is trained for so many epochs at most.")] = 100,
    seed: options.Seed = 0,
    root: options.Root = None,
    data: options.Data = None,
    threads: options.Threads = None,
    memory: options.Memory = None,
    format_: Annotated[
        str, option("Format of the tables: text, markdown or json.", "--format")
    ] = "text",
) -> None:
    """Measure what methods make of held-out graphs: interpolation error, label fidelity, drift,
    duplicates, batch norm, alignments, and the properties of Table 1.

    Takes a minute or two of one core on MOTIF and on MUTAG. What learns, judge and matchers, learns
    from the training split. A dash stands for what a method does not have: G-Mixup mixes no pairs,
    M-Mixup makes no graphs. docs/analysis.md says what the numbers mean.
    """
    set_threads(threads, dataset, root=root)
    set_budget(memory)
    from smixup.app.pages.audit_tables import markdown, tables
    from smixup.app.runs.options import split_pairs
    from smixup.app.runs.words import finite
    from smixup.app.studies import audit as study
    from smixup.app.studies.audit_report import Effort
    from smixup.app.studies.audit_rows import rows_named
    from smixup.errors import unknown_name

    if format_ not in FORMATS:
        raise unknown_name("format", format_, FORMATS)
    rows = rows_named(method or (), split_pairs(set_ or []))
    effort = Effort(
        mixes=mixes,
        distances=distances,
        small_nodes=small_nodes,
        max_nodes=max_nodes,
        judge_epochs=epochs,
    )
    with ProgressDisplay() as report:
        found = study.audit(
            dataset, rows, ratios, backbone, seed, root, dataset_options(data), effort, report
        )
    if format_ == "json":
        typer.echo(json.dumps(finite(found.to_dict())))
        return
    if format_ == "markdown":
        typer.echo(markdown(found))
        return
    for table in tables(found):
        print_table(
            table.columns, table.rows, narrow=True, title=table.title, caption=table.caption
        )
