"""Pages of pairs to mix by hand, and a first look: `smixup explore` and `smixup demo`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from smixup.app.cli import options
from smixup.app.cli.options import dataset_options, show_page
from smixup.app.cli.output import ProgressDisplay, cores, print_table, print_text, set_threads
from smixup.files import require_writable

REPORT, EXPLORER = "report.html", "explore.html"
NEXT = "smixup compare yourdata.csv --target COLUMN --budget 30m --out compare.html"


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
    from smixup.app import explorer
    from smixup.app.pages.page import write
    from smixup.app.words import counted

    require_writable(out, "the page")
    settings: Any = {"options": dataset_options(data), "root": root, "model": model}
    with ProgressDisplay() as report:
        page = explorer.explore(source, matcher, pair, **settings, report=report)
    write(out, page.html)
    pairs, size = counted(page.pairs, "pair"), out.stat().st_size / 1e6
    typer.echo(f"{out} holds {pairs} of {source} in {size:.1f} MB. Matcher: {page.matcher}.")
    show_page(out, open_)


def demo(
    out: options.DemoFolder = Path("runs") / "demo",
    seeds: options.DemoSeeds = 9,
    labels: options.DemoLabels = 25,
    workers: options.Workers = None,
    open_: options.Open = False,
) -> None:
    """Take a first look on MOTIF, without a download.

    What mixing keeps of a motif, what strong mixing along right, soft and random alignments does to
    a network with few labels, and a page of pairs to mix by hand.
    """
    set_threads()
    from smixup.app import demo as parts
    from smixup.app.explorer import explore
    from smixup.app.pages.page import write

    settings = parts.DemoSettings(seeds, labels)
    require_writable(out / EXPLORER, "the page")
    with ProgressDisplay() as report:
        shares = parts.motif_shares(report)
        title = f"1. Share of the motif kept, {parts.PAIRS} pairs"
        print_table(parts.SHARES_HEADER, shares.rows(), title=title)
        print_text(f"{shares.sentence()}\n")
        scores = parts.paired_runs(settings, workers or cores(), report)
        title = f"2. MOTIF, {labels} labels, GIN trained on mixes alone, n = {seeds}"
        print_table(parts.SCORES_HEADER, scores.rows(), title=title)
        print_text(*scores.sentences())
        explorer = explore("MOTIF", seed=parts.SEED, fitted=shares.matchers)
        write(out / EXPLORER, explorer.html)
        typer.echo(f"\n3. Pairs to mix by hand: {out / EXPLORER}")
        show_page(out / EXPLORER, open_)
    write(out / REPORT, parts.demo_page(shares, scores, EXPLORER, NEXT))
    print_text(f"Page with pictures: {out / REPORT}")
    show_page(out / REPORT, open_)
    print_text("Next, your own data:")
    typer.echo(f"  {NEXT}")
