"""`smixup explore`: pairs of a dataset on a page where they can be mixed by hand."""

from __future__ import annotations

from pathlib import Path

import typer

from smixup.app.cli import options
from smixup.app.cli.options import dataset_options, show_page
from smixup.app.cli.progress import ProgressDisplay
from smixup.app.cli.threads import set_threads
from smixup.files import require_writable


def explore(
    source: options.Source = "MOTIF",
    pair: options.Pair = None,
    matcher: options.Matcher = "graph-matcher",
    model: options.Colouring = None,
    out: options.Page = Path("explore.html"),
    data: options.Data = None,
    root: options.Root = None,
    open_: options.Open = False,
) -> None:
    """Write a page with pairs of graphs to mix by hand.

    It has a switch between alignments, and a slider for lambda. The page is one file and needs no
    network.
    """
    set_threads(source, root)
    from smixup.app.explorer import page
    from smixup.app.pages.page import write
    from smixup.app.runs.words import counted

    require_writable(out, "the page")
    parameters = dataset_options(data)
    with ProgressDisplay() as report:
        explorer = page.explore(
            source, matcher, pair, root=root, options=parameters, model=model, report=report
        )
    write(out, explorer.html)
    pairs, size = counted(explorer.pairs, "pair"), out.stat().st_size / 1e6
    typer.echo(f"{out} holds {pairs} of {source} in {size:.1f} MB. Matcher: {explorer.matcher}.")
    show_page(out, open_)
