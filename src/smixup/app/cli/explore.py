"""`smixup explore`: pairs of a dataset on a page where they can be mixed by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from smixup.app.cli import options
from smixup.app.cli.opening import Open, show_page
from smixup.app.cli.options import dataset_options, option
from smixup.app.cli.progress import ProgressDisplay
from smixup.app.cli.threads import set_threads
from smixup.files import require_writable
from smixup.memory import set_budget


def explore(
    dataset: options.Dataset = "MOTIF",
    pair: options.Pair = None,
    matcher: options.Matcher = "graph-matcher",
    fit: options.Fit = "quick",
    transport: options.Transport = "partial(edges=true)",
    pairs: Annotated[int, option("Number of pairs, drawn from the test split.")] = 12,
    seed: options.SavedSeed = None,
    model: Annotated[
        Path | None,
        option(
            "Folder of a model that `smixup train --out` wrote for this dataset: nodes can then be "
            "coloured by what its predictions rest on. By default none."
        ),
    ] = None,
    paper: Annotated[
        bool,
        option(
            "Fit the paper's matcher (cosine), too, as quickly or fully, for the switch on the "
            "page; or leave it out.",
            "--paper/--no-paper",
        ),
    ] = True,
    out: Annotated[Path, option("Page to write.", dir_okay=False)] = Path("explore.html"),
    data: options.Data = None,
    root: options.Root = None,
    threads: options.Threads = None,
    memory: options.Memory = None,
    open_: Open = False,
) -> None:
    """Write a page with pairs of graphs to mix by hand: a switch between alignments, and a slider
    for lambda. The page is one file and needs no network.

    With --pair, the page opens with that pair, and the others are drawn.
    """
    set_threads(threads, dataset, root=root)
    set_budget(memory)
    from smixup.app.pages.explorer.source import explore_dataset
    from smixup.app.runs.words import counted
    from smixup.app.studies.look import described

    require_writable(out, "the page")
    with ProgressDisplay() as report:
        settings = dataset_options(data)
        page = explore_dataset(
            dataset,
            matcher,
            pairs,
            pair,
            seed,
            root,
            settings,
            report,
            transport,
            fit,
            model,
            paper,
        )
    written = page.write(out)
    size = f"{written.stat().st_size / 1e6:.1f} MB"
    told = f"{written} holds {counted(len(page.pairs), 'pair')} of {dataset} in {size}."
    typer.echo(f"{told} Matcher: {described(matcher, fit)}.")
    show_page(written, open_)
