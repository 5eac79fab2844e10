"""`smixup explore`: pairs of a dataset on a page where they can be mixed by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from smixup.lab.cli.progress import ProgressDisplay
from smixup.lab.cli.threads import set_threads


def explore(
    dataset: Annotated[
        str, typer.Option(help="MOTIF, ogbg-molhiv, or a name of the TU collection.")
    ] = "MOTIF",
    pair: Annotated[
        tuple[int, int] | None,
        typer.Option(
            help="Open with this pair: positions of G1 and G2 in the dataset, from 0.",
            show_default=False,
        ),
    ] = None,
    matcher: Annotated[
        str, typer.Option(help="A matcher by name, or a folder that `smixup match fit` wrote.")
    ] = "graph-matcher",
    pairs: Annotated[int, typer.Option(help="How many, drawn from the test split.")] = 12,
    seed: Annotated[
        int | None,
        typer.Option(
            help="Of split, matcher and draw. By default a saved matcher's, else 0.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="The page to write.", dir_okay=False)] = Path(
        "explore.html"
    ),
    data: Annotated[
        list[str] | None, typer.Option("--data", help="A parameter of the dataset, name=value.")
    ] = None,
    root: Annotated[Path | None, typer.Option(help="The data root.", show_default=False)] = None,
    threads: Annotated[
        int | None, typer.Option(help="CPU threads to use.", show_default=False)
    ] = None,
) -> None:
    """Write one HTML file with pairs of graphs, their assignment, and a slider for lambda; it needs
    no network.
    """
    set_threads(threads)
    from smixup.lab.pages.explorer.source import explore_dataset
    from smixup.lab.runs.options import literal, split_pairs
    from smixup.lab.runs.words import counted

    options = {name: literal(value) for name, value in split_pairs(data or []).items()}
    with ProgressDisplay() as report:
        page = explore_dataset(dataset, matcher, pairs, pair, seed, root, options, report)
    written = page.write(out)
    typer.echo(
        f"{written} holds {counted(len(page.pairs), 'pair')} of {dataset} in "
        f"{written.stat().st_size / 1e6:.1f} MB."
    )
