"""`smixup figure`: the paper's pictures, drawn from runs of one's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from smixup.lab.cli.progress import ProgressDisplay
from smixup.lab.cli.scope import DEFAULT_STORE, AnyCode, Name, Part, StoreFile, read, with_part
from smixup.lab.cli.threads import set_threads

if TYPE_CHECKING:
    from smixup.analysis.theorem import TheoremRecord
    from smixup.lab.studies.case_study import CaseStudy

Data = Annotated[
    list[str] | None, typer.Option("--data", help="A parameter of the dataset, name=value.")
]
Root = Annotated[Path | None, typer.Option("--root", help="The data root.", show_default=False)]
Threads = Annotated[
    int | None, typer.Option("--threads", help="CPU threads to use.", show_default=False)
]
Lam = Annotated[float, typer.Option("--lam", min=0, max=1, help="The ratio lambda of the mix.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print exactly one JSON object on stdout.")]

app = typer.Typer(help="Draw the paper's pictures anew.", no_args_is_help=True)


@app.callback()
def figure() -> None:
    """Draw the paper's pictures anew."""


@app.command("case-study")
def case_study(
    out: Annotated[Path, typer.Option("--out", help="The picture to write, .svg or .png.")] = Path(
        "case-study.svg"
    ),
    seed: Annotated[
        int | None,
        typer.Option(
            help="Chooses the pairs. By default the saved matcher's, else 0.", show_default=False
        ),
    ] = None,
    matcher: Annotated[
        Path | None,
        typer.Option(
            help="A saved matcher; otherwise one is fitted with default settings.",
            show_default=False,
        ),
    ] = None,
    pairs: Annotated[int, typer.Option(help="Held-out pairs to measure on.")] = 200,
    lam: Lam = 0.5,
    no_paper: Annotated[
        bool, typer.Option("--no-paper", help="Leave out the paper's matcher.")
    ] = False,
    data: Data = None,
    threads: Threads = None,
    as_json: AsJson = False,
) -> None:
    """Fig. 2: two MOTIF graphs of one class, mixed in random order and by S-Mixup, and how much of
    the motif is kept.

    The pair is the first that the seed draws from the validation and test split. The share of the
    motif is measured on all pairs: the weight that the motif of G2 brings to the edges of G1's
    motif, relative to a perfect alignment; beside it stands how well the distortion behind
    `adaptive` foretells it.
    """
    set_threads(threads)
    from smixup.lab.figures.case_study import draw_case_study
    from smixup.lab.figures.picture_file import require_kind, write_picture
    from smixup.lab.studies.case_study import case_study as study_of

    require_kind(out)
    with ProgressDisplay() as report:
        found = study_of(seed, matcher, pairs, not no_paper, _options(data), report)
    path = write_picture(draw_case_study(found, lam), out)
    if as_json:
        typer.echo(json.dumps(found.to_dict() | {"path": str(path)}))
    else:
        _print_shares(found)
        typer.echo(f"{path} shows the first pair.")


@app.command()
def overview(
    out: Annotated[Path, typer.Option("--out", help="The picture to write, .svg or .png.")] = Path(
        "overview.svg"
    ),
    dataset: Annotated[
        str, typer.Option(help="MOTIF, ogbg-molhiv, or a name of the TU collection.")
    ] = "MOTIF",
    pair: Annotated[
        tuple[int, int] | None,
        typer.Option(help="Positions of G1 and G2 in the dataset, from 0.", show_default=False),
    ] = None,
    matcher: Annotated[
        str, typer.Option(help="A matcher by name, or a folder that `smixup match fit` wrote.")
    ] = "graph-matcher",
    seed: Annotated[
        int | None,
        typer.Option(
            help="Of split, matcher and pair. By default a saved matcher's, else 0.",
            show_default=False,
        ),
    ] = None,
    lam: Lam = 0.6,
    root: Root = None,
    data: Data = None,
    threads: Threads = None,
) -> None:
    """Fig. 1: a pair of graphs, their assignment, the second carried onto the first, and the mix.

    Without --pair, twenty pairs are drawn from the test split, and of those of two classes the one
    is shown that loses least when G2 is carried onto G1.
    """
    set_threads(threads)
    from smixup.lab.figures.overview import overview as drawn
    from smixup.lab.figures.picture_file import require_kind, write_picture

    require_kind(out)
    with ProgressDisplay() as report:
        picture = drawn(dataset, matcher, pair, seed, lam, root, _options(data), report)
    typer.echo(f"{write_picture(picture, out)} shows a pair of {dataset}.")


@app.command()
def ged(
    out: Annotated[Path, typer.Option("--out", help="The picture to write, .svg or .png.")] = Path(
        "ged.svg"
    ),
    dataset: Annotated[
        str, typer.Option(help="MOTIF, ogbg-molhiv, or a name of the TU collection.")
    ] = "MOTIF",
    pairs: Annotated[int, typer.Option(help="Held-out pairs of different classes.")] = 20,
    seed: Annotated[int, typer.Option(help="Of split, matchers and pairs.")] = 0,
    max_nodes: Annotated[
        int, typer.Option(help="Larger graphs are left out; up to 9, distances are exact.")
    ] = 9,
    root: Root = None,
    data: Data = None,
    threads: Threads = None,
) -> None:
    """Fig. 4: the normalised edit distance of mixed graphs against lambda, and how often Theorem 1
    holds.

    Pairs are drawn among small held-out graphs, so that distances are exact. S-Mixup stands beside
    a random order and a uniform assignment, squared node costs as printed beside metric ones.
    """
    set_threads(threads)
    from smixup.lab.figures.ged_curve import draw_ged, ged_records
    from smixup.lab.figures.picture_file import require_kind, write_picture

    require_kind(out)
    with ProgressDisplay() as report:
        records = ged_records(dataset, pairs, seed, root, _options(data), report, max_nodes)
    path = write_picture(draw_ged(records), out)
    _print_verdicts(records)
    typer.echo(f"{path} shows {pairs} pairs of {dataset}.")


@app.command()
@with_part
def curves(
    name: Name = "performance",
    store: StoreFile = DEFAULT_STORE,
    out: Annotated[Path, typer.Option("--out", help="The picture to write, .svg or .png.")] = Path(
        "curves.svg"
    ),
    curve: Annotated[
        str, typer.Option(help="test_loss, test, validation_loss, validation or train_loss.")
    ] = "test_loss",
    linear: Annotated[
        bool, typer.Option("--linear", help="A linear scale; losses have a logarithmic one.")
    ] = False,
    *,
    part: Part,
    any_code: AnyCode = False,
) -> None:
    """Fig. 3: learning curves of stored runs, one panel per dataset and backbone; the mean over
    seeds, and a band.
    """
    from smixup.lab.figures.picture_file import require_kind, write_picture
    from smixup.lab.figures.stored_curves import draw_stored_curves

    require_kind(out)
    found = read(name, store, part, any_code)
    scale = "log" if curve.endswith("loss") and not linear else "linear"
    path = write_picture(draw_stored_curves(found.table, found.store.curves(), curve, scale), out)
    typer.echo(f"{path} shows {found.table.title}.")


def _options(pairs: list[str] | None) -> dict[str, Any]:
    from smixup.lab.runs.options import literal, split_pairs

    return {name: literal(value) for name, value in split_pairs(pairs or []).items()}


def _print_shares(study: CaseStudy) -> None:
    from rich.box import SIMPLE
    from rich.console import Console
    from rich.table import Table

    title = f"MOTIF, {study.number} held-out pairs of one class, drawn by seed {study.seed}"
    caption = (
        "Motif kept: weight that G2's motif brings to the edges of G1's motif, % of a perfect "
        "alignment. Distortion: how far G2' is from G2, estimated without the motif. Rank "
        "correlation: of 1 - distortion with the motif kept."
    )
    table = Table(title=title, caption=caption, box=SIMPLE, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("matcher", overflow="fold")
    for name in (
        "motif\nkept, %",
        "95 %\ninterval",
        "pair\nshown, %",
        "distortion",
        "rank\ncorrelation",
    ):
        table.add_column(name, justify="right")
    for row in study.rows:
        mean, low, high, shown = (
            f"{100 * value:.1f}" for value in (row.mean, row.low, row.high, row.shown)
        )
        foretold = "-" if row.foretold is None else f"{row.foretold:.2f}"
        table.add_row(
            row.matcher, mean, f"{low} to {high}", shown, f"{row.distortion:.2f}", foretold
        )
    Console().print(table)


def _print_verdicts(records: list[TheoremRecord]) -> None:
    from rich.box import SIMPLE
    from rich.console import Console
    from rich.table import Table

    from smixup.analysis.interval import Verdict
    from smixup.analysis.theorem import tally

    caption = (
        "Mixes for which each statement holds, %: Theorem 1 as printed, its upper side alone, and "
        "the corrected range, which is proved for metric costs. Open: mixes that bounds of the "
        "distances leave undecided."
    )
    table = Table(
        title="Theorem 1", caption=caption, box=SIMPLE, pad_edge=False, padding=(0, 1, 0, 0)
    )
    for name in ("matcher", "costs"):
        table.add_column(name, overflow="fold")
    for name in ("mixes", "printed", "upper side", "corrected", "open"):
        table.add_column(name, justify="right")
    for row in tally(records):
        counts = (row.printed, row.one_sided, row.corrected)
        shares = [100 * each[Verdict.HOLDS] / row.number for each in counts]
        still_open = max(each[Verdict.OPEN] for each in counts)
        table.add_row(
            row.matcher,
            row.costs,
            str(row.number),
            *(f"{share:.1f}" for share in shares),
            str(still_open),
        )
    Console().print(table)
