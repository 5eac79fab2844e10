"""`smixup explain`: which nodes and edges a prediction rests on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from smixup.app.cli import options
from smixup.app.cli.opening import Open, require_page, show_page
from smixup.app.cli.options import dataset_options, option
from smixup.app.cli.threads import set_threads
from smixup.errors import UsageError
from smixup.memory import set_budget

if TYPE_CHECKING:
    from smixup.app.studies.explained import Explained
    from smixup.models import Model
    from smixup.models.new_data import NewData

SHOWN = 8
PAGE = ".html"


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
    graph: Annotated[
        list[int] | None,
        option(
            "Which graph of the data, counted from 0. May be repeated for a page. By default the "
            "first; on a page, those that the model is most and least sure of."
        ),
    ] = None,
    output: Annotated[
        str,
        option(
            "Class, label or quantity to explain. By default the likeliest class, or the first of "
            "the others."
        ),
    ] = "",
    out: Annotated[
        Path | None,
        option("Picture to write, .svg or .png, or .html for a page of graphs.", dir_okay=False),
    ] = None,
    shown: Annotated[
        int,
        option(
            "Number of graphs that a page shows of each kind: most and least sure, or highest and "
            "lowest values.",
            min=1,
        ),
    ] = 3,
    data: options.Data = None,
    root: options.Root = None,
    as_json: options.AsJson = False,
    threads: options.Threads = None,
    memory: options.Memory = None,
    open_: Open = False,
) -> None:
    """Show which nodes and edges a prediction rests on: each is taken away, and the model is asked
    again.
    """
    page = out is not None and out.suffix.lower() == PAGE
    require_page(open_, page, f"why{PAGE}")
    set_threads(threads)
    set_budget(memory)
    from smixup.datasets.readers.label_table import UNKNOWN
    from smixup.models import load_model

    _check(graph, out)
    model = load_model(folder)
    read = model.open(source, root, **dataset_options(data))
    for note in read.notes:
        if note != UNKNOWN:  # nobody asks for a score here
            typer.echo(note, err=True)
    if out is not None and page:
        _page(model, read, graph or [], output, shown, out, (str(folder), source), as_json)
        show_page(out, open_)
        return
    from smixup.app.studies.explained import explain_prediction

    found = explain_prediction(model, read, graph[0] if graph else 0, output)
    if as_json:
        typer.echo(json.dumps(_plain(found)))
    else:
        _print(found)
    if out is not None:
        _draw(found, out)
        typer.echo(f"Picture: {out}", err=as_json)


def _check(graphs: list[int] | None, out: Path | None) -> None:
    """Refuse what could only fail after reading model and data."""
    from smixup.app.pictures.picture_file import KINDS

    if out is not None and out.suffix.lower() not in (*KINDS, PAGE):
        raise UsageError(
            f"the file must end with {', '.join(KINDS)} or {PAGE}, and {out} does not."
        )
    if graphs and len(graphs) > 1 and (out is None or out.suffix.lower() != PAGE):
        raise UsageError("several graphs are explained on a page: name one by --out why.html.")


def _page(
    model: Model,
    read: NewData,
    graphs: list[int],
    output: str,
    shown: int,
    out: Path,
    names: tuple[str, str],
    as_json: bool,
) -> None:
    from smixup.app.pages.explanation import explanation_page
    from smixup.app.pages.page import write
    from smixup.app.studies.explained_graphs import explain_graphs

    found = explain_graphs(model, read, graphs, output, shown)
    write(out, explanation_page(found, *names))
    if as_json:
        each = [_plain(one.explained) for group in found.groups.values() for one in group]
        typer.echo(json.dumps(each))
        return
    number = sum(map(len, found.groups.values()))
    typer.echo(f"{out} shows what the predictions for {number} of {found.total} graphs rest on.")


def _print(found: Explained) -> None:
    from smixup.app.cli.printing import print_table
    from smixup.app.runs.words import signed

    output = signed(found.found.output, 3)
    rows = [[name, signed(number, 3)] for name, number in found.most(SHOWN)]
    print_table(
        ["node", f"{found.unit} it adds"],
        rows,
        title=f"Graph {found.place}: what speaks for {found.title} ({output})",
        caption="How much the output falls without the node and its edges.",
    )
    typer.echo(found.sentence())


def _draw(found: Explained, out: Path) -> None:
    from smixup.app.pictures.explained_graph import draw_explanation
    from smixup.app.pictures.picture_file import write_picture

    title = f"graph {found.place}: what speaks for {found.title}"
    numbered = found.to_number(SHOWN)
    figure = draw_explanation(found.adj, found.found, found.drawn_labels, title, numbered)
    write_picture(figure, out)


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
