"""`smixup figure`: the paper's pictures, drawn from runs of one's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from smixup.app.cli import options
from smixup.app.cli.options import dataset_options, option, with_options
from smixup.app.cli.printing import print_table
from smixup.app.cli.progress import ProgressDisplay
from smixup.app.cli.scope import DEFAULT_STORE, AnyCode, Name, Part, StoreFile
from smixup.app.cli.stored import read
from smixup.app.cli.threads import set_threads
from smixup.memory import set_budget

if TYPE_CHECKING:
    from smixup.analysis.theorem import TheoremRecord
    from smixup.app.studies.case_study import CaseStudy

Picture = Annotated[Path, option("Picture to write; its name ends with .svg or .png.", "--out")]
Lam = Annotated[float, option("Share lambda of G1 in the mix.", "--lam", min=0, max=1)]

app = typer.Typer(help="Redraw the figures of the paper.", no_args_is_help=True)


@app.command("case-study")
def case_study(
    out: Picture = Path("case-study.svg"),
    seed: options.SavedSeed = None,
    matcher: options.MatcherFolder = None,
    pairs: options.Pairs = 200,
    lam: Lam = 0.5,
    fit: options.Fit = "quick",
    paper: options.Paper = None,
    transport: options.Transport = "partial",
    data: options.Data = None,
    threads: options.Threads = None,
    memory: options.Memory = None,
    as_json: options.AsJson = False,
) -> None:
    """Fig. 2: two MOTIF graphs of one class, mixed in random order and by S-Mixup, and how much of
    the motif is kept.

    The pair is the first that the seed draws from the validation and test split. The share of the
    motif is measured on all pairs: the weight that the motif of G2 brings to the edges of G1's
    motif, relative to a perfect alignment; beside it stands how well the distortion behind
    `adaptive` foretells it.
    """
    set_threads(threads, "MOTIF")
    set_budget(memory)
    from smixup.app.pictures.case_study import draw_case_study
    from smixup.app.pictures.picture_file import require_kind, write_picture
    from smixup.app.studies.case_study import case_study as study_of

    require_kind(out)
    with ProgressDisplay() as report:
        settings = dataset_options(data)
        papers = options.with_paper(paper, fit)
        found = study_of(seed, matcher, pairs, papers, settings, report, lam, transport, fit)
    path = write_picture(draw_case_study(found), out)
    if as_json:
        typer.echo(json.dumps(found.to_dict() | {"path": str(path)}))
    else:
        _print_shares(found)
        typer.echo(f"{path} shows the first pair.")


@app.command()
def overview(
    out: Picture = Path("overview.svg"),
    dataset: options.Dataset = "MOTIF",
    pair: options.Pair = None,
    matcher: options.Matcher = "graph-matcher",
    fit: options.Fit = "quick",
    seed: options.SavedSeed = None,
    lam: Lam = 0.6,
    transport: options.Transport = "partial(edges=true)",
    root: options.Root = None,
    data: options.Data = None,
    threads: options.Threads = None,
    memory: options.Memory = None,
) -> None:
    """Fig. 1: a pair of graphs, their assignment, the second carried onto the first, and the mix.

    Without --pair, twenty pairs are drawn from the test split, and of those of two classes the one
    is shown that loses least when G2 is carried onto G1.
    """
    set_threads(threads, dataset, root=root)
    set_budget(memory)
    from smixup.app.pictures.overview import draw_overview
    from smixup.app.pictures.picture_file import require_kind, write_picture
    from smixup.app.studies.look import described
    from smixup.app.studies.overview import overview as study_of

    require_kind(out)
    with ProgressDisplay() as report:
        settings = dataset_options(data)
        mixed, names = study_of(
            dataset, matcher, pair, seed, lam, root, settings, report, transport, fit
        )
    path = write_picture(draw_overview(mixed, names), out)
    typer.echo(f"{path} shows a pair of {dataset}. Matcher: {described(matcher, fit)}.")


@app.command()
def ged(
    out: Picture = Path("ged.svg"),
    dataset: options.Dataset = "MOTIF",
    pairs: options.Pairs = 20,
    seed: options.Seed = 0,
    max_nodes: Annotated[
        int, option("Largest number of nodes of a graph; up to 9, distances are exact.")
    ] = 9,
    root: options.Root = None,
    data: options.Data = None,
    threads: options.Threads = None,
    memory: options.Memory = None,
) -> None:
    """Fig. 4: the normalised edit distance of mixed graphs against lambda, and how often Theorem 1
    holds.

    Pairs of two classes are drawn among small held-out graphs, so that distances are exact. S-Mixup
    stands beside a random order and a uniform assignment, squared node costs as printed beside
    metric ones.
    """
    set_threads(threads, dataset, root=root)
    set_budget(memory)
    from smixup.app.pictures.ged_curve import draw_ged
    from smixup.app.pictures.picture_file import require_kind, write_picture
    from smixup.app.studies.theorem_study import theorem_study

    require_kind(out)
    with ProgressDisplay() as report:
        settings = dataset_options(data)
        records = theorem_study(dataset, pairs, seed, root, settings, report, max_nodes)
    path = write_picture(draw_ged(records), out)
    _print_verdicts(records)
    typer.echo(f"{path} shows {pairs} pairs of {dataset}.")


@app.command()
@with_options(part=Part)
def curves(
    name: Name = "performance",
    store: StoreFile = DEFAULT_STORE,
    out: Picture = Path("curves.svg"),
    curve: Annotated[
        str, option("Curve: test_loss, test, validation_loss, validation or train_loss.")
    ] = "test_loss",
    linear: Annotated[
        bool, option("Draw losses on a linear scale, not on a logarithmic one.", "--linear")
    ] = False,
    *,
    part: Part,
    any_code: AnyCode = False,
) -> None:
    """Fig. 3: learning curves of stored runs, one panel per dataset and backbone; the mean over
    seeds, and a band.
    """
    from smixup.app.pictures.picture_file import require_kind, write_picture
    from smixup.app.pictures.stored_curves import draw_stored_curves

    require_kind(out)
    found = read(name, store, part, any_code)
    scale = "log" if curve.endswith("loss") and not linear else "linear"
    path = write_picture(draw_stored_curves(found.table, found.store.curves(), curve, scale), out)
    typer.echo(f"{path} shows {found.table.title}.")


def _print_shares(study: CaseStudy) -> None:
    from smixup.app.runs.words import decimal
    from smixup.app.studies.match_quality import OURS

    columns = ("matcher", "motif\nkept, %", "95 %\ninterval", "pair\nshown, %")
    rows = []
    quick = study.fit == "quick"
    for row in study.rows:
        mean, low, high, shown = (
            f"{100 * value:.1f}" for value in (row.mean, row.low, row.high, row.shown)
        )
        guess = (f"{row.distortion:.2f}", decimal(row.foretold, 2))
        name = f"{row.matcher} (quick fit)" if quick and row.matcher == OURS else row.matcher
        rows.append((name, mean, f"{low} to {high}", shown, *guess))
    print_table(
        (*columns, "distortion", "rank\ncorrelation"),
        rows,
        narrow=True,
        title=f"MOTIF, {study.number} held-out pairs of one class, drawn by seed {study.seed}",
        caption="Motif kept: weight that G2's motif brings to the edges of G1's motif, % of a "
        "perfect alignment. Distortion: how far G2' is from G2, estimated without the motif. Rank "
        "correlation: of 1 - distortion with the motif kept."
        + (f" Quick{options.QUICK_NOTE.removeprefix('quick')}." if quick else ""),
    )


def _print_verdicts(records: list[TheoremRecord]) -> None:
    from smixup.analysis.interval import Verdict
    from smixup.analysis.theorem import tally

    rows = []
    for row in tally(records):
        counts = (row.printed, row.one_sided, row.corrected)
        shares = (f"{100 * each[Verdict.HOLDS] / row.number:.1f}" for each in counts)
        still_open = max(each[Verdict.OPEN] for each in counts)
        rows.append((row.matcher, row.costs, str(row.number), *shares, str(still_open)))
    print_table(
        ("matcher", "costs", "mixes", "printed", "upper side", "corrected", "open"),
        rows,
        words=2,
        narrow=True,
        title="Theorem 1",
        caption="Mixes for which each statement holds, %: Theorem 1 as printed, its upper side "
        "alone, and the corrected range, which is proved for metric costs. Open: mixes that bounds "
        "of the distances leave undecided.",
    )
