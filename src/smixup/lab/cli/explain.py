"""`smixup explain`: which nodes and edges a prediction rests on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from smixup.lab.cli import options
from smixup.lab.cli.options import dataset_options, option
from smixup.lab.cli.threads import set_threads
from smixup.memory import set_budget

if TYPE_CHECKING:
    from smixup.lab.studies.explained import Explained

SHOWN = 8


def explain(
    folder: Annotated[
        Path, typer.Argument(metavar="MODEL", help="Folder that `smixup train --out` wrote.")
    ],
    source: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="Data with the graph: files like those of the training data, the name of a "
            "dataset, or a packed folder.",
        ),
    ],
    graph: Annotated[int, option("Which graph of the data, counted from 0.")] = 0,
    output: Annotated[
        str,
        option(
            "Class, label or quantity to explain. By default the likeliest class, or the first of "
            "the others."
        ),
    ] = "",
    out: Annotated[Path | None, option("Picture to write, .svg or .png.", dir_okay=False)] = None,
    data: options.Data = None,
    root: options.Root = None,
    as_json: options.AsJson = False,
    threads: options.Threads = None,
    memory: options.Memory = None,
) -> None:
    """Tell which nodes and edges a prediction rests on: each is taken away, and the model is asked
    again.
    """
    set_threads(threads)
    set_budget(memory)
    from smixup.lab.figures.picture_file import require_kind
    from smixup.lab.studies.explained import explain_prediction
    from smixup.models import load_model

    if out is not None:
        require_kind(out)
    model = load_model(folder)
    found = explain_prediction(
        model, model.open(source, root, **dataset_options(data)), graph, output
    )
    if as_json:
        typer.echo(json.dumps(_plain(found)))
    else:
        _print(found)
    if out is not None:
        _draw(found, out)
        typer.echo(f"Picture: {out}", err=as_json)


def _print(found: Explained) -> None:
    from smixup.lab.cli.printing import print_table

    rows = [[name, f"{number:+.3f}"] for name, number in found.most(SHOWN)]
    print_table(
        ["node", f"{found.unit} it adds"],
        rows,
        title=f"Graph {found.place}: what speaks for {found.name} ({found.found.output:+.3f})",
        caption="By so much the output falls without the node and its edges.",
    )


def _draw(found: Explained, out: Path) -> None:
    from smixup.lab.figures.explained_graph import draw_explanation
    from smixup.lab.figures.picture_file import write_picture

    title = f"graph {found.place}: {found.name}"
    write_picture(draw_explanation(found.adj, found.found, found.labels, title), out)


def _plain(found: Explained) -> dict[str, object]:
    return {
        "graph": found.place,
        "output": found.name,
        "unit": found.unit,
        "value": found.found.output,
        "labels": list(found.labels),
        "nodes": found.found.nodes.tolist(),
        "edges": found.found.edges.T.tolist(),
        "edge_scores": found.found.edge_scores.tolist(),
    }
