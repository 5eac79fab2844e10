"""The page that `smixup demo` writes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from smixup.datasets.motif import CLASSES
from smixup.datasets.sources import MOTIF
from smixup.lab.figures.learning_curves import Series, draw_curve
from smixup.lab.figures.mixed_pair import draw_assignment, draw_mixed_pair, label_text
from smixup.lab.pages.explorer.page import ExplorerPage
from smixup.lab.pages.explorer.source import page_of
from smixup.lab.pages.report import Code, Link, Picture, Prose, Report, Section, Table
from smixup.lab.runs.environment import versions
from smixup.lab.runs.words import counted, decimal, plus_minus
from smixup.lab.studies.demo import ARMS, ArmResult, DemoResult
from smixup.lab.studies.mixed_pair import MixedPair
from smixup.lab.studies.pair_source import PairSource
from smixup.lab.tables.arm import Arm
from smixup.lab.tables.comparison import Difference

EXPLORER = "explore.html"
EXPLORER_PAIRS = 12
TABLE_HEADER = (
    *("method", "test accuracy, %", "difference, points"),
    *("95 % interval", "test loss", "n"),
)
QUALITY_HEADER = ("matcher", "motif mass", "self match", "perplexity", "triplet accuracy")


def demo_report(result: DemoResult, arms: Sequence[Arm] = ARMS) -> Report:
    """Return the page of one demo."""
    sections = [
        Section("What was run", [Prose(text) for text in _what(result)]),
        _scores(result),
        _curves(result.arms),
        *map(_pair, result.examples),
        _explorer(),
        _quality(result),
        _settings(result),
        _commands(result, arms),
    ]
    subtitle = "Graph mixup along alignments, on MOTIF: a small comparison that needs no download."
    return Report("smixup demo", subtitle, sections)


def demo_explorer(result: DemoResult) -> ExplorerPage:
    """Return the page beside the report: pairs of test graphs of the first seed, numbered as in the
    test split.
    """
    test = result.settings.test_graphs().renumbered()
    source = PairSource(MOTIF, test, test.ids)
    pairs, name = source.choose(EXPLORER_PAIRS), f"that of {result.arms[-1].name}"
    return page_of(source, pairs, result.matcher, name)


def score_rows(result: DemoResult) -> list[tuple[str, ...]]:
    """Return one row per method under `TABLE_HEADER`; the first method is the reference."""
    rows: list[tuple[str, ...]] = []
    for arm in result.arms:
        compared = ("reference", "") if arm is result.arms[0] else _compared(result.difference(arm))
        summary, loss = arm.summary(), arm.summary("test_loss")
        accuracy = plus_minus(100 * summary.mean, 100 * summary.deviation, 1)
        others = plus_minus(loss.mean, loss.deviation, 2), str(summary.number)
        rows.append((arm.name, accuracy, *compared, *others))
    return rows


def _compared(difference: Difference) -> tuple[str, str]:
    mean, low, high = (
        f"{100 * each:+.1f}" for each in (difference.mean, difference.low, difference.high)
    )
    return mean, "none from one seed" if math.isinf(difference.low) else f"{low} to {high}"


def verdict(result: DemoResult) -> str:
    """Say in words what the intervals allow to say of accuracy, and no more."""
    reference = result.arms[0].name
    found = {arm.name: result.difference(arm) for arm in result.arms[1:]}
    parts = [
        f"{name} scores {'higher' if each.mean > 0 else 'lower'} than {reference} in these runs, "
        "and its interval leaves zero out."
        for name, each in found.items()
        if each.decided
    ]
    undecided = [name for name, each in found.items() if not each.decided]
    if undecided:
        listed, them = " and ".join(undecided), "it" if len(undecided) == 1 else "them"
        parts.append(
            f"For {listed} the interval contains zero: these runs do not tell {them} from "
            f"{reference}."
        )
    return " ".join(parts)


def _what(result: DemoResult) -> list[str]:
    settings = result.settings
    third, seeds = settings.num_graphs // 3, counted(settings.seeds, "seed")
    return [
        "MOTIF graphs are a base (tree, ladder or wheel) joined by one edge to a motif (cycle, "
        "house or crane); the motif is the label, and all nodes carry the same feature.",
        f"A {settings.backbone.upper()} is trained on {third} graphs, its best epoch is chosen on "
        f"{third} others, and it is tested on {third} more. This is done with {seeds}; each has "
        "graphs, a split and initial weights of its own, which all methods share, so that "
        "differences are taken seed by seed.",
        "Random order and S-Mixup train on the original graphs and on mixes beside them. They "
        "differ in the assignment alone: nodes matched in random order, or by a matching network "
        "trained on the same training graphs.",
    ]


def _scores(result: DemoResult) -> Section:
    caption = (
        "Mean ± standard deviation over the seeds; differences from the first row, paired by seed."
    )
    each, seeds = result.settings.num_graphs // 3, counted(result.settings.seeds, "seed")
    small = (
        f"{seeds} with {each} test graphs each is little evidence: one graph is {100 / each:.1f} "
        "points. Larger studies belong in docs/results.md."
    )
    table = Table(TABLE_HEADER, score_rows(result), caption)
    return Section("Test scores", [table, Prose(verdict(result)), Prose(small)])


def _curves(arms: Sequence[ArmResult]) -> Section:
    series = [Series(arm.name, [history.curves for history in arm.histories]) for arm in arms]
    pictures = {}
    for curve in ("test_loss", "test", "validation_loss", "validation"):
        loss = curve.endswith("loss")
        title, scale = (curve.replace("_", " "), "log") if loss else (f"{curve} accuracy", "linear")
        pictures[f"{title} per epoch, by method"] = draw_curve(series, curve, title, scale)
    caption = (
        "Mean over the seeds; the band reaches from the lowest seed to the highest. Losses on a "
        "logarithmic scale."
    )
    return Section("Learning curves", [Picture(pictures, caption)])


def _pair(pair: MixedPair) -> Section:
    same = "one class" if pair.left.y.equal(pair.right.y) else "two classes"
    graphs = f"G1, G2, G2 carried onto G1, and their mix: {label_text(pair.mixed.y[0], CLASSES)}"
    shown = {
        graphs: draw_mixed_pair(pair, CLASSES),
        "assignment M as a heat map": draw_assignment(pair),
    }
    caption = (
        "Two test graphs, not chosen by how they look: the first of the test split and the next "
        "that fits. The bolder an edge is drawn, the larger its weight. Each column of M says "
        f"where a node of G2 goes; motif nodes come last. The alignment is {pair.alignment.kind}."
    )
    return Section(f"A mixed pair of {same}", [Picture(shown, caption)])


def _explorer() -> Section:
    words = (
        f"{EXPLORER_PAIRS} pairs of test graphs of the first seed, drawn at random, with the same "
        "matcher: move lambda and watch the mix, or point at a cell of the assignment and see "
        "which two nodes it joins."
    )
    return Section("Mix pairs by hand", [Prose(words), Link("Open the explorer", EXPLORER)])


def _quality(result: DemoResult) -> Section:
    first = next(iter(result.quality.values()))
    words = (
        f"Measured on {first.pairs} pairs of test graphs of the first seed. Motif mass: the share "
        "of the motif of G2 that lands on the motif of G1, both of one class. Self match: the "
        "share of nodes of a shuffled copy that find themselves, or a node that colour refinement "
        "cannot tell from themselves. Perplexity: over how many nodes of G1 a node of G2 is "
        "spread. Triplet accuracy: how often a graph of the same class is nearer than another."
    )
    rows = []
    for name, each in result.quality.items():
        numbers = each.motif_mass, each.self_match, each.perplexity, each.triplet_accuracy
        rows.append((name, *(decimal(number, 2, "") for number in numbers)))
    chance = "Chance for motif mass: " + decimal(first.motif_chance, 2, "")
    table = Table(QUALITY_HEADER, rows, chance)
    return Section("Does the alignment align?", [Prose(words), table])


def _settings(result: DemoResult) -> Section:
    config = result.settings.config(ARMS[0], 0).to_dict()
    of_model = ("backbone", "num_layers", "hidden_channels", "batch_norm")
    shown = (*of_model, "epochs", "batch_size", "learning_rate")
    rows = [(name, str(config[name])) for name in shown]
    rows += [(name, str(value)) for name, value in versions().items()]
    rows.append(("seconds in all", f"{result.seconds:.0f}"))
    return Section("Settings", [Table(("setting", "value"), rows)])


def _commands(result: DemoResult, arms: Sequence[Arm]) -> Section:
    settings = result.settings
    size = f"--epochs {settings.epochs} --graphs {settings.num_graphs}"
    demo = f"smixup demo --seeds {settings.seeds} {size}"
    commands = "\n".join(settings.command(arm, 0) for arm in arms)
    runs = Prose("Its runs at seed 0:"), Code(commands)
    return Section("Commands", [Prose("The whole page:"), Code(demo), *runs])
