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
    from smixup.app.pages.explorer.source import explore_dataset
    from smixup.app.runs.words import counted
    from smixup.app.studies.look import QUICK, described

    require_writable(out, "the page")
    with ProgressDisplay() as report:
        page = explore_dataset(
            source,
            matcher,
            first=pair,
            root=root,
            options=dataset_options(data),
            report=report,
            fit=QUICK,
            model=model,
        )
    page.write(out)
    pairs, size = counted(len(page.pairs), "pair"), out.stat().st_size / 1e6
    name = described(matcher, QUICK)
    typer.echo(f"{out} holds {pairs} of {source} in {size:.1f} MB. Matcher: {name}.")
    show_page(out, open_)
