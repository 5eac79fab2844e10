"""Saved models, `smixup predict` and `explain`, and first looks, `smixup explore` and `demo`."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import typer

from smixup.app.cli import options
from smixup.app.cli.options import dataset_options
from smixup.app.cli.output import cores, open_page, print_json, print_notes, print_table
from smixup.errors import UsageError
from smixup.files import require_writable, write_whole
from smixup.progress import TerminalBar

SHOWN = 8  # nodes that a picture numbers
PAGE, PICTURES = ".html", (".svg", ".png")
NEXT = "smixup compare yourdata.csv --target COLUMN --budget 30m --out compare.html"


def predict(
    folder: options.Model,
    source: options.New,
    out: options.Predictions = "-",
    level: options.Level = None,
    data: options.Data = None,
    root: options.Root = None,
) -> None:
    """Predict for new graphs, with probabilities.

    Columns of the input are kept. Probabilities are calibrated on the validation split of the
    training data; sets of classes, and intervals of values, hold the truth as often as --level
    says.
    """
    from smixup.models import load_model
    from smixup.models.model import USUAL_LEVEL, score_of
    from smixup.models.predictions import require_place

    require_place(out, source)
    model = load_model(folder)
    new = model.open(source, root, **dataset_options(data))
    print_notes(*new.notes)
    if level is not None:
        model.calibration.require(level)
    elif model.calibration.can(USUAL_LEVEL):
        level = USUAL_LEVEL
    else:
        print_notes(f"there are too few validation graphs for sets at the level {USUAL_LEVEL:g}.")
    predictions = model.predict_on(new, level)
    predictions.write(out)
    parts = [f"Predictions for {len(predictions):,} graphs" + ("" if out == "-" else f" in {out}")]
    parts += [score] if (score := score_of(model, new, predictions)) else []
    if empty := len(predictions.left_out):
        parts.append(f"{empty:,} rows without a molecule have no prediction")
    print_notes(f"{'; '.join(parts)}.")


def explain(
    folder: options.Model,
    source: options.MaybeSource = None,
    graph: options.Graph = None,
    output: options.Output = "",
    out: options.Picture = None,
    shown: options.Shown = 3,
    data: options.Data = None,
    root: options.Root = None,
    as_json: options.AsJson = False,
) -> None:
    """Show which nodes and edges predictions rest on.

    Each is taken away, and the model is asked again. A page is written, explain.html by default,
    or a picture of one --graph. Without DATA, test graphs of the model's own data are explained.
    """
    graphs, kind = graph or [], PAGE if out is None else out.suffix.lower()
    if kind != PAGE and not (kind in PICTURES and len(graphs) == 1):
        raise UsageError(
            f"{out} must end with {PAGE} or, for one --graph, {' or '.join(PICTURES)}."
        )
    from smixup.app.explain import explain_graphs, explain_held_out, own_source
    from smixup.models import load_model

    model = load_model(folder)
    if source is None and not graphs:
        found = explain_held_out(model, root, shown)
    else:
        read = model.open(source or own_source(model), root, **dataset_options(data))
        print_notes(*read.notes)
        found = explain_graphs(model, read, graphs, output, shown)
    every = [graph for group in found.groups.values() for graph in group]
    if as_json:
        print_json([graph.to_dict() for graph in every])
        if out is None:
            return
    out = out or Path(f"explain{PAGE}")
    if kind == PAGE:
        from smixup.app.pages.explanation import explanation_page  # pictures take a while to import

        page = explanation_page(model, str(folder), found, source or own_source(model))
        write_whole(out, page, "the page")
    else:
        from smixup.app.pictures.graph import draw_explanation
        from smixup.app.pictures.style import write_picture

        title = f"Graph {every[0].place}: what speaks for {every[0].title}"
        write_picture(draw_explanation(every[0], title, SHOWN), out)
    if len(every) == 1:
        typer.echo(every[0].sentence(), err=as_json)
    typer.echo(f"{out} shows what predictions rest on.", err=as_json)


def explore(
    source: options.Source = "MOTIF",
    pair: options.Pair = None,
    matcher: options.Matcher = "graph-matcher",
    out: options.Page = Path("explore.html"),
    data: options.Data = None,
    root: options.Root = None,
) -> None:
    """Write a page with pairs of graphs to mix by hand.

    It has a switch between alignments, and a slider for lambda. The page is one file and needs no
    network.
    """
    from smixup.app.explorer import explore as explore_pairs

    require_writable(out, "the page")
    settings: Any = {"options": dataset_options(data), "root": root}
    with closing(TerminalBar()) as report:
        page = explore_pairs(source, matcher, pair, **settings, report=report)
    write_whole(out, page, "the page")
    size = f"{out.stat().st_size / 1e6:.1f} MB"
    typer.echo(f"{out} holds pairs of {source} to mix by hand ({size}).")


def demo(
    out: options.DemoFolder = Path("runs") / "demo",
    workers: options.Workers = None,
    open_: options.Open = False,
) -> None:
    """Take a first look on MOTIF, without a download.

    What mixing keeps of a motif, what strong mixing along right, soft and random alignments does to
    a network with few labels, and a page of pairs to mix by hand.
    """
    from smixup.app import demo as parts
    from smixup.app.explorer import explore as explore_pairs

    pairs, pictures = out / "explore.html", out / "report.html"
    require_writable(pictures, "the page")
    with closing(TerminalBar()) as report:
        shares = parts.motif_shares(report)
        title = f"1. Share of the motif kept, {parts.PAIRS} pairs"
        print_table(parts.SHARES_HEADER, shares.rows(), title=title)
        scores = parts.paired_runs(workers or cores(), report)
        title = f"2. MOTIF, {parts.LABELS} labels, GIN trained on mixes alone, n = {parts.SEEDS}"
        print_table(parts.SCORES_HEADER, scores.rows(), title=title)
        explorer = explore_pairs("MOTIF", seed=parts.SEED, fitted=shares.matchers)
    write_whole(pairs, explorer, "the page")
    write_whole(pictures, parts.demo_page(shares, scores, pairs.name, NEXT), "the page")
    for line in (shares.sentence(), *scores.sentences()):
        typer.echo(line)
    typer.echo(f"3. Pairs to mix by hand: {pairs}\nPictures: {pictures}")
    typer.echo(f"Next, your own data:\n  {NEXT}")
    for page in (pairs, pictures):
        open_page(page, open_)
