"""The page of a comparison: the verdict, what it rests on, what it costs, and what to type."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from matplotlib.figure import Figure

from smixup.app.evidence.sequential import ERROR, LOOKS
from smixup.app.pages.report import Block, Code, Picture, Prose, Report, Section, Table
from smixup.app.pictures.learning_curves import Series, draw_curve
from smixup.app.pictures.method_look import named_in, title_of
from smixup.app.pictures.paired_dots import DotRow, draw_dots
from smixup.app.runs.command import train_command
from smixup.app.runs.environment import versions
from smixup.app.runs.words import capital, counted, decimal
from smixup.app.studies.compare_settings import (
    CONTROL,
    DEFAULT,
    FOLDS,
    IDENTITY,
    SEEDS,
    SMIXUP,
    VANILLA,
)
from smixup.app.studies.compared_alignment import alignment_quality
from smixup.app.studies.compared_outcomes import POINTS, Judged
from smixup.app.studies.comparison import HEADER, Comparison
from smixup.app.sweeps.store import Store

CURVES = {"validation_loss": "validation loss", "validation": "validation score"}
MEANINGS = {
    VANILLA.name: "is training without augmentation",
    SMIXUP: "adds mixes of two training graphs, whose nodes a learned matcher has aligned",
    IDENTITY: (
        "adds mixes of two training graphs, node by node: each node, such as a region of the "
        "brain, is mixed with the same node of the other graph"
    ),
    CONTROL: "adds mixes of two training graphs whose nodes are aligned at random",
}
"""What the methods of a page do, for who reads no more than the page."""
NETWORKS = {
    "gcn": "graph convolutional network",
    "gin": "graph isomorphism network",
    "gcn-edge": "graph convolutional network that reads features of edges",
    "gine": "graph isomorphism network that reads features of edges",
}
"""What the names of classifiers stand for."""
QUALITY_HEADER = ("matcher", "self match", "perplexity", "triplet accuracy")
SHOWN = (
    *("backbone", "num_layers", "hidden_channels", "batch_norm", "epochs", "batch_size"),
    *("learning_rate", "selection", "split", "num_folds"),
)


def compare_page(found: Comparison, store: Path, model: Sequence[Section] = ()) -> Report:
    """Return the page.

    Args:
        found: the comparison.
        store: the file of its runs; matchers beside it are measured.
        model: what to show of the recommended model, if it was trained.
    """
    facts, settings = found.pairs.facts, found.pairs.settings
    sections = [
        _verdict(found, trained=bool(model)),
        _differences(found),
        _cost(found),
        _curves(found),
        *_quality(found, store),
        _rule(found),
        *model,
        _settings(found),
    ]
    subtitle = (
        f"{facts.name}, {facts.graphs} graphs. {network(settings.classifier)} "
        f"{counted(found.paired, 'paired run')} so far; {found.why}. {found.rest}"
    ).rstrip()
    shown = [each for each in sections if each.blocks]
    return Report(named_in(found.headline), subtitle, shown, _lead(found))


def network(backbone: str) -> str:
    """Say which network was trained.

    >>> network("gin")
    'The classifier that was trained is a GIN, a graph isomorphism network.'
    """
    name = f"The classifier that was trained is a {backbone.upper()}"
    return f"{name}, a {NETWORKS[backbone]}." if backbone in NETWORKS else f"{name}."


def _lead(found: Comparison) -> list[Block]:
    """Return what is seen first: every paired difference of the score."""
    caption = (
        "Each dot is one paired run: the score with the method minus the score without, on the "
        f"same split and from the same initial weights. {_bar(found)} Differences within the grey "
        "band are too small to matter."
    )
    pictures = _pictures(found, "score")
    return [Picture(pictures, caption)] if pictures else []


def _bar(found: Comparison) -> str:
    """Say what diamond and bar show, or why there is no bar."""
    judged = [each.score for each in found.verdicts if each.score]
    if not any(math.isfinite(each.decision.bounds.low) for each in judged):
        first = f"bounds come with the first look, after {LOOKS[0]} paired runs"
        return f"The diamond is the mean. There is no bar yet: {first}."
    return (
        "The diamond is the mean and the bar shows the bounds, both at the look that gave the "
        "verdict, or at the last look if none did."
    )


def _verdict(found: Comparison, trained: bool) -> Section:
    words = [Prose(capital(named_in(sentence))) for sentence in found.sentences()]
    lead = (
        "The recommended model was trained; what it learned stands below. To train it again:"
        if trained
        else "To train the recommended model and keep it:"
    )
    return Section("Verdict", [*words, Prose(lead), Code(found.command)])


def _differences(found: Comparison) -> Section:
    rows = list(_named_rows(found))
    if not any(each.score or each.log_loss for each in found.verdicts):
        return Section("Paired differences", [])
    caption = f"Each dot is one paired run, the first at the top. {_bar(found)}"
    words = (
        f"The column mean is over all {found.paired} paired runs. Difference and bounds are those "
        "at the look that gave the verdict, or at the last look if none did: the column runs says "
        "on how many paired runs they rest, and about how many would decide. Cost is the training "
        "time as a multiple of that without augmentation, plus the seconds of preparation."
    )
    pictures = _pictures(found, "log_loss")
    drawn = [Picture(pictures, caption)] if pictures else []
    names = [VANILLA.name, *(each.name for each in found.verdicts)]
    names += [CONTROL] if found.alignment and CONTROL not in names else []
    told = f"{meanings(names)} {words}"
    return Section("Paired differences", [Table(HEADER, rows), Prose(told), *drawn])


def meanings(names: Sequence[str]) -> str:
    """Say what methods are, as far as a sentence is there.

    >>> meanings(["vanilla", "drop-edge"])
    'Vanilla is training without augmentation.'
    """
    known = [name for name in names if name in MEANINGS]
    return " ".join(capital(f"{title_of(name)} {MEANINGS[name]}.") for name in known)


def _named_rows(found: Comparison) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the table, each with the method's name, so that it can stand alone."""
    last = ""
    for name, *others in found.rows():
        last = title_of(name) if name else last
        yield last, *others


def _pictures(found: Comparison, name: str) -> dict[str, Figure]:
    """Draw the differences of one outcome, if it was measured."""
    outcomes = {each.name: getattr(each, name) for each in found.verdicts}
    judged = {method: each for method, each in outcomes.items() if each is not None}
    if not judged:
        return {}
    title, figure = _dots(judged)
    return {f"{title} of every paired run": figure}


def _dots(judged: dict[str, Judged]) -> tuple[str, Figure]:
    outcome = next(iter(judged.values())).outcome
    scale = POINTS if outcome.points else 1.0
    rows = []
    for name, each in judged.items():
        bounds = each.decision.bounds
        numbers = (scale * value for value in (each.mean, bounds.low, bounds.high))
        rows.append(DotRow(name, [scale * value for value in each.differences], *numbers))
    unit = ", points" if outcome.points else ""
    title = f"difference of {outcome.name}{unit}"
    margin = scale * outcome.margin
    return title, draw_dots(rows, title, margin, outcome.higher_is_better)


def _cost(found: Comparison) -> Section:
    rows = [
        (title_of(each.name), f"{each.cost.ratio:.2f}", f"{each.cost.preparation:.1f}")
        for each in found.verdicts
        if each.cost
    ]
    if not rows:
        return Section("Cost", [])
    words = (
        "The ratio compares the time to train the classifier with the time without augmentation. "
        "Preparation is the extra work before training: fitting a matcher and aligning graphs."
    )
    header = ("method", "training time, ratio", "preparation, s")
    return Section("Cost", [Prose(words), Table(header, rows)])


def _curves(found: Comparison) -> Section:
    series = []
    for arm in found.pairs.arms:
        runs = found.pairs.runs.get(arm.name, {})
        curves = [run.result.curves for run in runs.values() if run.result.curves]
        if curves:
            series.append(Series(arm.name, curves))
    if not series:
        return Section("Learning curves", [])
    points = any(each.score and each.score.outcome.points for each in found.verdicts)
    pictures = {
        f"{title} per epoch, by method": draw_curve(series, curve, title, "linear", points)
        if curve == "validation"
        else draw_curve(series, curve, title, "log")
        for curve, title in CURVES.items()
    }
    caption = "Mean over the runs; the band reaches from the lowest run to the highest."
    return Section("Learning curves", [Picture(pictures, caption)])


def _quality(found: Comparison, store: Path) -> Sequence[Section]:
    measured = alignment_quality(found.pairs, Store(store))
    if not measured:
        return []
    pairs = next(iter(measured.values())).pairs
    words = (
        f"The matcher of the first run was tried on {pairs} pairs of graphs that it has not seen. "
        "Self match is the share of nodes that are matched to themselves in a shuffled copy of "
        "their graph, or to a node that colour refinement cannot tell apart from them. Perplexity "
        "is the number of nodes of the other graph over which a node is spread. Triplet accuracy "
        "is how often a graph of the same class is nearer than one of another class. If the "
        "learned matcher is no better than random order, the alignment has nothing to add."
    )
    rows = [
        (
            name,
            decimal(each.self_match, 2, ""),
            decimal(each.perplexity, 2, ""),
            decimal(each.triplet_accuracy, 2, ""),
        )
        for name, each in measured.items()
    ]
    return [Section("Does the alignment align?", [Prose(words), Table(QUALITY_HEADER, rows)])]


def _rule(found: Comparison) -> Section:
    looks = ", ".join(map(str, LOOKS[:7]))
    methods = len(found.verdicts)
    shared = f", which the {methods} methods share" if methods > 1 else ""
    by_graph = any(each.score and each.score.by_graph for each in found.verdicts)
    unit = (
        "Methods are compared graph by graph. The bounds allow for both kinds of chance: other "
        "test graphs, and other splits."
        if by_graph
        else "Scores of whole runs are compared. The bounds allow for the training graphs that "
        "splits have in common (the corrected resampled t)."
    )
    words = [
        f"A verdict can be given after {looks}, ... paired runs, and at no other time. Each look "
        f"uses up a part of one {100 * ERROR:.0f} % chance to be wrong{shared}, so you may look as "
        f"often as you like and stop when you like. If a method in truth makes no difference, at "
        f"most {100 * ERROR:.0f} % of comparisons say that it helps.",
        unit,
        "The score decides when to stop and what to recommend. The verdict about log loss has a "
        f"{100 * ERROR:.0f} % chance to be wrong of its own.",
    ]
    if any(arm.name == CONTROL for arm in found.pairs.arms):
        later = found.pairs.control and not found.alignment
        asked = " The control is run only if S-Mixup helps." if later else ""
        words.append(
            f"{CONTROL} is S-Mixup along one-to-one matches drawn at random. If it does as well as "
            "S-Mixup, the gain comes from mixing and not from the alignment. This question has a "
            f"{100 * ERROR:.0f} % chance to be answered wrongly of its own.{asked}"
        )
    return Section("How sure is this?", [Prose(capital(named_in(each))) for each in words])


def _settings(found: Comparison) -> Section:
    settings = found.pairs.settings
    config = settings.config(VANILLA, 0).to_dict()
    rows = [(name, str(config[name])) for name in SHOWN]
    rows += [(name, str(value)) for name, value in versions().items()]
    rows.append(("seconds of this call", f"{found.seconds:.0f}"))
    begun = [arm for arm in found.pairs.arms if 0 in found.pairs.runs.get(arm.name, {})]
    runs = "\n".join(train_command(settings.config(arm, 0)) for arm in begun)
    blocks: list[Block] = [
        Prose("Repeat the comparison, or continue it:"),
        Code(_command(found)),
        Prose("Its first runs:"),
        Code(runs),
        Table(("setting", "value"), rows),
    ]
    return Section("Settings", blocks)


def _command(found: Comparison) -> str:
    settings = found.pairs.settings
    words = ["smixup", "compare", settings.dataset, "--backbone", settings.classifier]
    names = tuple(arm.name for arm in found.pairs.methods)
    if names != DEFAULT:
        words += [word for name in names for word in ("--method", name)]
    if settings.seeds != SEEDS:
        words += ["--seeds", str(settings.seeds)]
    if settings.num_folds != FOLDS:
        words += ["--num-folds", str(settings.num_folds)]
    if settings.split != "fold":
        words += ["--split", settings.split]
    for name, value in settings.changes.items():
        words += [f"--{name.replace('_', '-')}", str(value)]
    for name, value in settings.dataset_options.items():
        words += ["--data", f"{name}={value}"]
    for name in ("margin", "loss_margin"):
        value = getattr(settings, name)
        words += [] if value is None else [f"--{name.replace('_', '-')}", str(value)]
    words += [] if settings.control else ["--no-control"]
    words += ["--root", str(settings.root)] if settings.root else []
    return shlex.join(words)
