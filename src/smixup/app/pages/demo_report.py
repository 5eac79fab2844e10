"""The page that `smixup demo` writes: the answer and its two pictures first, then what they rest
on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure

from smixup.app.evidence.estimate import FEWEST
from smixup.app.pages.report import Code, Link, Picture, Prose, Report, Section, Table
from smixup.app.pictures import style
from smixup.app.pictures.case_study import NAMES, draw_case_study, draw_shares
from smixup.app.pictures.learning_curves import Series, draw_curve
from smixup.app.pictures.paired_dots import DotRow, draw_dots
from smixup.app.runs.environment import versions
from smixup.app.runs.words import capital, counted, plus_minus, signed, signed_interval
from smixup.app.studies.case_study import CaseStudy, MotifShare
from smixup.app.studies.demo import ARMS, ArmResult, Compared
from smixup.app.studies.match_quality import OURS, RANDOM
from smixup.app.tables.arm import Arm
from smixup.app.tables.comparison import Difference

SHARES_HEADER = ("nodes are matched", "kept, %", "95 % interval")
TABLE_HEADER = ("method", "acc. %", "points", "95 % interval", "loss")
PERCENT = "\N{NO-BREAK SPACE}%"
RECORDS = (
    "docs/results.md has 20 paired runs of this kind, other numbers of labels and real datasets: "
    "on those, gains are small, and random alignments do about as well."
)


@dataclass(frozen=True)
class Demo:
    """What the demo found.

    Attributes:
        study: what matchers keep of a motif.
        compared: classifiers trained with few labels.
    """

    study: CaseStudy
    compared: Compared


def share_rows(study: CaseStudy) -> list[tuple[str, ...]]:
    """Return one row per matcher under `SHARES_HEADER`."""
    return [
        (NAMES[row.matcher], f"{100 * row.mean:.1f}", f"{100 * row.low:.1f} to {_top(row)}")
        for row in study.rows
    ]


def share_sentence(study: CaseStudy) -> str:
    """Say what is decided: what our alignment keeps of a motif, beside a random order."""
    kept = {row.matcher: 100 * row.mean for row in study.rows}
    return (
        f"A mix along S-Mixup's alignment keeps {kept[OURS]:.1f}{PERCENT} of the motif, a mix in "
        f"random order {kept[RANDOM]:.1f}{PERCENT}."
    )


def score_rows(found: Compared) -> list[tuple[str, ...]]:
    """Return one row per method under `TABLE_HEADER`; the first method is the reference."""
    rows: list[tuple[str, ...]] = []
    for arm in found.arms:
        first = arm is found.arms[0]
        compared = ("", "reference") if first else _compared(found.difference(arm))
        summary, loss = arm.summary(), arm.summary("test_loss")
        accuracy = plus_minus(100 * summary.mean, 100 * summary.deviation, 1)
        rows.append((arm.name, accuracy, *compared, f"{loss.mean:.2f}"))
    return rows


def verdict(found: Compared) -> list[str]:
    """Say what the intervals allow to say of accuracy, and no more: each method beside the
    reference, then what the alignment itself adds.
    """
    reference, *others = found.arms
    said = [capital(_judged(arm.name, reference.name, found.difference(arm))) for arm in others]
    if len(others) == 2:
        control, ours = others
        between = found.difference(ours, control)
        said.append(f"What the alignment adds: {_judged(ours.name, control.name, between)}")
    return said


def demo_report(demo: Demo, explorer: str, next_command: str, arms: Sequence[Arm] = ARMS) -> Report:
    """Return the page of one demo.

    Args:
        demo: what was found.
        explorer: the page of pairs, relative to this one.
        next_command: for the reader's own data.
        arms: what was run.
    """
    found = demo.compared
    sections = [
        _answers(demo),
        _pair(demo.study),
        _scores(found),
        _curves(found.arms),
        _explorer(explorer),
        _settings(found),
        _commands(found, arms, next_command),
    ]
    told = " ".join(verdict(found)[-2:])  # of ours, and of what the alignment adds to it
    subtitle = f"Accuracy with {found.settings.labels} labels: {told}"
    return Report(share_sentence(demo.study), subtitle, sections)


def _top(row: MotifShare) -> str:
    """Return the upper end of an interval; Student's knows nothing of 100 %, readers do."""
    return f"{min(100 * row.high, 100):.1f}"


def _compared(difference: Difference) -> tuple[str, str]:
    mean, low, high = (
        signed(100 * each, 1) for each in (difference.mean, difference.low, difference.high)
    )
    few = difference.number < FEWEST
    return mean, f"none below n = {FEWEST}" if few else f"{low} to {high}"


def _judged(name: str, other: str, difference: Difference) -> str:
    """Compare two arms in a sentence, which may stand behind a colon."""
    mean = 100 * difference.mean
    if difference.number < FEWEST:
        runs = counted(difference.number, "paired run")
        return f"{name} minus {other}: {signed(mean, 1)} points; {runs} cannot decide anything."
    bounds = signed_interval(100 * difference.low, 100 * difference.high, 1)
    if difference.decided:
        side = "above" if mean > 0 else "below"
        return f"{name} is {abs(mean):.1f} points {side} {other}, with an interval of {bounds}."
    return (
        f"these runs do not decide between {name} and {other}: {signed(mean, 1)} points, "
        f"with an interval of {bounds}."
    )


def _answers(demo: Demo) -> Section:
    caption = (
        f"First: how much of the motif a mix keeps, over {demo.study.number} held-out pairs. "
        "Second: the accuracy of each method minus that of Vanilla; each dot is one paired run, "
        "the diamond is the mean, and the bar is its 95 % interval."
    )
    pictures = {
        "share of the motif kept, by matcher, with intervals": _draw_shares(demo.study),
        "difference of accuracy from Vanilla, a dot per paired run": _draw_dots(demo.compared),
    }
    words = [Prose(sentence) for sentence in verdict(demo.compared)]
    return Section("What was found", [Picture(pictures, caption), *words])


def _draw_shares(study: CaseStudy) -> Figure:
    with style.styled():
        figure = style.new_figure(4.6, 2.6)
        axes = figure.subplots()
        draw_shares(axes, study.rows, study.number)
        axes.set(title="motif kept, %", xlabel="mean and 95 % interval")
    return figure


def _draw_dots(found: Compared) -> Figure:
    rows = []
    for arm in found.arms[1:]:
        pairs = zip(arm.scores(), found.arms[0].scores(), strict=True)
        each = found.difference(arm)
        known = (each.low, each.high) if each.number >= FEWEST else (-math.inf, math.inf)
        bounds = (100 * value for value in (each.mean, *known))
        rows.append(DotRow(arm.name, [100 * (ours - theirs) for ours, theirs in pairs], *bounds))
    return draw_dots(rows, "difference of accuracy, points", margin=0.0)


def _pair(study: CaseStudy) -> Section:
    caption = (
        "The first pair that seed 0 draws, not chosen by how it looks. The motif's nodes are "
        "orange; the bolder an edge, the larger its weight. In random order the edges of the two "
        "motifs do not meet; along the alignment they do."
    )
    drawn = {"a pair, mixed in random order and aligned": draw_case_study(study)}
    return Section("One pair, mixed in two ways", [Picture(drawn, caption)])


def _scores(found: Compared) -> Section:
    settings = found.settings
    words = (
        f"A {settings.backbone.upper()} is trained on {settings.labels} MOTIF graphs, its best "
        f"epoch is chosen on as many others, and it is tested on {settings.test_graphs}. Each "
        f"paired run (n = {settings.seeds}) has graphs, a split and initial weights of its own, "
        "which all methods share. Their number was set before the first one, and none was left "
        "out. Intervals are not corrected for each other."
    )
    control = (
        "Random one-to-one is S-Mixup along one-to-one matches drawn at random: what it gains "
        "comes from mixing, without knowing which nodes correspond."
    )
    caption = "Mean ± standard deviation; points are paired differences from Vanilla."
    table = Table(TABLE_HEADER, score_rows(found), caption)
    return Section(
        f"Accuracy with {settings.labels} labels",
        [table, Prose(words), Prose(control), Prose(RECORDS)],
    )


def _curves(arms: Sequence[ArmResult]) -> Section:
    series = [Series(arm.name, [run.curves for run in arm.runs]) for arm in arms]
    pictures = {
        "validation accuracy per epoch": draw_curve(series, "validation", "validation accuracy"),
        "validation loss per epoch": draw_curve(
            series, "validation_loss", "validation loss", "log"
        ),
    }
    caption = "Mean over the runs; the band reaches from the lowest run to the highest."
    return Section("Learning curves", [Picture(pictures, caption)])


def _explorer(page: str) -> Section:
    words = "A page with pairs of test graphs: move lambda and watch the mix, or point at nodes."
    return Section("Mix pairs by hand", [Prose(words), Link("Open the explorer", page)])


def _settings(found: Compared) -> Section:
    config = found.settings.config(ARMS[0], 0).to_dict()
    of_model = ("backbone", "num_layers", "hidden_channels", "batch_norm")
    shown = (*of_model, "epochs", "batch_size", "learning_rate")
    rows = [(name, str(config[name])) for name in shown]
    rows += [(name, str(value)) for name, value in versions().items()]
    return Section("Settings", [Table(("setting", "value"), rows)])


def _commands(found: Compared, arms: Sequence[Arm], next_command: str) -> Section:
    settings = found.settings
    demo = (
        f"smixup demo --seeds {settings.seeds} --epochs {settings.epochs} --labels "
        f"{settings.labels}"
    )
    commands = "\n".join(settings.command(arm, 0) for arm in arms)
    return Section(
        "Commands",
        [
            *(Prose("Next, your own data:"), Code(next_command)),
            *(Prose("This page again:"), Code(demo)),
            *(Prose("Its runs at seed 0:"), Code(commands)),
        ],
    )
