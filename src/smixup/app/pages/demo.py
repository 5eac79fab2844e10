"""The page and the words of `smixup demo`: the answer and its pictures, then what they rest on."""

from __future__ import annotations

from statistics import fmean, stdev

from matplotlib.figure import Figure

from smixup.app.demo import ARMS, FEWEST, OURS, Mean, Runs, Shares
from smixup.app.explorer.page import RANDOM
from smixup.app.pages.page import render
from smixup.app.pictures import style
from smixup.app.pictures.methods import LOOKS, DotRow, draw_dots
from smixup.app.pictures.mixed_pair import draw_mixed_pair
from smixup.app.runs.run import versions
from smixup.app.words import capital, counted, signed
from smixup.datasets.motif import CLASSES

SHARES_HEADER = ("nodes are matched", "kept, %", "95 % interval")
SCORES_HEADER = ("method", "acc. %", "points", "95 % interval", "loss")
PERCENT = "\N{NO-BREAK SPACE}%"
SHOWN = (
    *("backbone", "num_layers", "hidden_channels", "batch_norm"),
    *("epochs", "batch_size", "learning_rate"),
)


def share_rows(shares: Shares) -> list[tuple[str, str, str]]:
    """Return one row per matcher under `SHARES_HEADER`."""
    return [
        (LOOKS[name].name, f"{100 * mean.mean:.1f}", f"{100 * mean.low:.1f} to {_top(mean):.1f}")
        for name, mean in shares.means.items()
    ]


def share_sentence(shares: Shares) -> str:
    """Say what S-Mixup's alignment keeps of a motif, beside a random one."""
    ours, random = (f"{100 * shares.means[name].mean:.1f}{PERCENT}" for name in (OURS, RANDOM))
    return (
        f"A mix along S-Mixup's alignment keeps {ours} of the motif, a mix along a random "
        f"alignment {random}."
    )


def score_rows(runs: Runs) -> list[tuple[str, ...]]:
    """Return one row per method under `SCORES_HEADER`; the first method is the reference."""
    rows = list[tuple[str, ...]]()
    reference, *others = ARMS
    for arm, results in runs.of.items():
        scores = [100 * result.test for result in results]
        accuracy = f"{fmean(scores):.1f}" + (f" ± {stdev(scores):.1f}" if len(scores) > 1 else "")
        points, interval = "", "reference"
        if arm in others:
            difference = runs.difference(arm, reference)
            points, interval = signed(difference.mean, 1), f"none below n = {FEWEST}"
            if difference.number >= FEWEST:
                interval = f"{signed(difference.low, 1)} to {signed(difference.high, 1)}"
        loss = fmean(result.test_loss for result in results)
        rows.append((arm, accuracy, points, interval, f"{loss:.2f}"))
    return rows


def verdict(runs: Runs) -> list[str]:
    """Say what the intervals allow to say of accuracy: each method beside the reference, then what
    the alignment itself adds.
    """
    reference, control, ours = ARMS
    return [
        *(capital(_compared(arm, reference, runs)) for arm in (control, ours)),
        f"What the alignment adds: {_compared(ours, control, runs)}",
    ]


def _compared(name: str, other: str, runs: Runs) -> str:
    """Compare two arms in a sentence, which may stand behind a colon."""
    difference = runs.difference(name, other)
    mean = signed(difference.mean, 1)
    if difference.number < FEWEST:
        number = counted(difference.number, "paired run")
        return f"{name} minus {other}: {mean} points; {number} cannot decide anything."
    bounds = f"with an interval of [{signed(difference.low, 1)}, {signed(difference.high, 1)}]."
    if difference.decided:
        side = "above" if difference.mean > 0 else "below"
        return f"{name} is {abs(difference.mean):.1f} points {side} {other}, {bounds}"
    return f"these runs do not decide between {name} and {other}: {mean} points, {bounds}"


def demo_page(shares: Shares, runs: Runs, explorer: str, next_command: str) -> str:
    """Return the page, with links to the page of pairs and a command for the reader's own data."""
    settings, sentences = runs.settings, verdict(runs)
    config = settings.config(next(iter(ARMS)), 0).to_dict()
    return render(
        "pages/demo.html",
        title=share_sentence(shares),
        subtitle=f"Accuracy with {settings.labels} labels: {' '.join(sentences[1:])}",
        settings=settings,
        sentences=sentences,
        shares=_draw_shares(shares),
        dots=_draw_dots(runs),
        pairs={
            f"a pair, mixed along {way}": draw_mixed_pair(shares.shown[name], CLASSES)
            for name, way in ((RANDOM, "a random alignment"), (OURS, "S-Mixup's alignment"))
        },
        kept={name: f"{100 * share:.0f}" for name, share in shares.first.items()},
        number=shares.number,
        scores=(SCORES_HEADER, score_rows(runs)),
        explorer=explorer,
        next_command=next_command,
        rows=[*((name, str(config[name])) for name in SHOWN), *versions().items()],
    )


def _top(mean: Mean) -> float:
    """Return the upper end of an interval of shares; Student's knows nothing of 100 %."""
    return min(100 * mean.high, 100)


def _draw_shares(shares: Shares) -> Figure:
    names, means = [LOOKS[name] for name in shares.means], list(shares.means.values())
    heights = [100 * mean.mean for mean in means]
    lows = [height - max(100 * mean.low, 0) for height, mean in zip(heights, means, strict=True)]
    highs = [_top(mean) - height for height, mean in zip(heights, means, strict=True)]
    places, bars = range(len(means)), {"ecolor": style.INK, "capsize": 2.5}
    with style.styled():
        figure = style.new_figure(4.6, 2.6)
        axes = figure.subplots()
        colours = [look.colour for look in names]
        axes.barh(places, heights, 0.62, xerr=[lows, highs], color=colours, error_kw=bars)
        for place, (height, high) in enumerate(zip(heights, highs, strict=True)):
            axes.text(height + high + 1.2, place, f"{height:.1f} %", va="center")
        axes.set_yticks(places, [look.name for look in names])
        axes.set(xlim=(0, 110), ylim=(len(means) - 0.4, -0.6), xticks=range(0, 101, 20))
        axes.set(title="motif kept, %", xlabel="mean and 95 % interval")
        axes.tick_params(axis="y", length=0)
    return figure


def _draw_dots(runs: Runs) -> Figure:
    reference, *others = ARMS
    rows = []
    for arm in others:
        mean = runs.difference(arm, reference)
        rows.append(DotRow(arm, runs.points(arm, reference), mean.mean, mean.low, mean.high))
    return draw_dots(rows, "difference of accuracy, points", margin=0.0)
