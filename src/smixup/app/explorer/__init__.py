"""The explorer: pairs of graphs on one page, mixed in the browser while a slider moves."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from pathlib import Path
from typing import Any

import torch
from scipy.special import betaincinv

from smixup.app.explorer.pairs import pair_data
from smixup.app.pages.page import render
from smixup.app.pictures import style
from smixup.app.pictures.methods import NAMES, colours_of, title_of
from smixup.app.pictures.mixed_pair import LAM, TRANSPORT
from smixup.app.runs.data import Opened, open_dataset
from smixup.app.runs.registry import DEFAULT_MATCHER, MATCHERS, make_matcher
from smixup.augment.smixup import SMixup
from smixup.datasets.motif import CLASSES
from smixup.datasets.sources import MOTIF
from smixup.errors import UsageError, require
from smixup.graphs import Graphs
from smixup.matching import GraphMatcher, Matcher
from smixup.progress import Progress, Report, silent
from smixup.seeding import generator

QUICK_STEPS = 25
"""A fifth of the default steps is enough for a first look: on held-out pairs of MOTIF, it keeps as
much of the motif as the full fit."""
RANDOM, PUBLISHED = "random-order", "as-published"
ABOUT = {
    RANDOM: "nodes matched in random order",
    PUBLISHED: "the paper's matcher: cosine, temperature 1, taught by triplets alone",
}
NUMBER, MANY_TRIES, MAX_NODES = 12, 50, 100
PALETTE = {
    "motif": style.MOTIF,
    "base": style.BASE,
    "other": style.PALETTE[0],
    "kinds": style.PALETTE[1:],
}


def explore(
    dataset: str,
    matcher: str = DEFAULT_MATCHER,
    pair: tuple[int, int] | None = None,
    *,
    number: int = NUMBER,
    seed: int = 0,
    root: Path | None = None,
    options: Mapping[str, Any] | None = None,
    fitted: Mapping[str, Matcher] | None = None,
    report: Report = silent,
) -> str:
    """Load and split a dataset as `smixup.train` does, fit matchers quickly on the training split,
    and return a page of test pairs.

    Args:
        dataset: a name or a path; `options` are its parameters, `root` is the data root.
        matcher: the name of the one whose alignments the page opens with.
        pair: positions in the dataset of the pair to open with; `number` of pairs in all.
        seed: of split, pairs and matchers.
        fitted: matchers by name that were fitted on this split before.
        report: told of every step.
    """
    opened = open_dataset(dataset, seed, root, options)
    chosen, matchers = choose_pairs(opened, number, pair), dict(fitted or {})
    quick = "max_steps" in signature(MATCHERS.factory(matcher)).parameters
    if matcher not in matchers:
        new = make_matcher(matcher, seed, {"max_steps": QUICK_STEPS} if quick else {})
        matchers[matcher] = new if new.fitted else new.fit(opened.train, report)
    if PUBLISHED not in matchers:
        published = published_matcher(seed, QUICK_STEPS)
        matchers[PUBLISHED] = published.fit(opened.train, report)
    matchers.setdefault(RANDOM, make_matcher(RANDOM, seed, {}))
    ways = {name: matchers[name] for name in (matcher, RANDOM, PUBLISHED)}
    described = matcher + (f" (quick fit, {QUICK_STEPS} steps)" if quick else "")
    return page_of(opened, chosen, ways, described, 0 if pair else None, report)


def page_of(
    opened: Opened,
    chosen: list[tuple[int, int]],
    matchers: Mapping[str, Matcher],
    described: str,
    first: int | None = None,
    report: Report = silent,
) -> str:
    """Return the page of some pairs, matched by each matcher, of which the first is `described`. It
    opens with the pair at `first`, or one of one class, where one can see what is kept of a motif.
    """
    pairs = []
    for place, pair in enumerate(chosen, start=1):
        left, right = (opened.graphs[[graph]] for graph in pair)
        pairs.append(pair_data(matchers, left, right, opened.dataset))
        report(Progress("pairs matched", place, len(chosen), unit="pairs"))
    titles = [title_of(name if name in NAMES else "s-mixup") for name in matchers]
    colours = colours_of(titles)
    ways = [
        {
            "name": name,
            "title": f"{title}'s alignment" if title == "S-Mixup" else title,
            "about": ABOUT.get(name, described),
            "colour": colours[title],
        }
        for name, title in zip(matchers, titles, strict=True)
    ]
    alike = (place for place, pair in enumerate(pairs) if pair["left"]["y"] == pair["right"]["y"])
    shown = {
        "pairs": pairs,
        "ways": ways,
        "first": next(alike, 0) if first is None else first,
        "lam": LAM,
        "classes": class_names(opened.dataset, opened.graphs.num_classes),
        "feature": feature_word(opened.graphs),
        "palette": PALETTE,
    }
    return render(
        "explorer/page.html",
        title=f"Mixed pairs of {Path(opened.dataset).name}",
        subtitle=f"Transport: {TRANSPORT}. Matcher: {described}. Seed {opened.seed}.",
        median=round(float(betaincinv(SMixup.alpha, SMixup.alpha, 0.75)), 2),
        alpha=f"{SMixup.alpha:g}",
        data=shown,
    )


def choose_pairs(
    opened: Opened, number: int, first: tuple[int, int] | None = None
) -> list[tuple[int, int]]:
    """Draw up to so many different pairs from the test split, `first` before all others."""
    sizes, test = opened.graphs.sizes, opened.split.test
    for graph in first or ():
        last = len(sizes) - 1
        require(0 <= graph <= last, f"a graph of {opened.dataset}", graph, f"from 0 to {last}")
    pairs = {} if first is None else {first: None}
    drawable = test[sizes[test] <= MAX_NODES]
    if drawable.numel() < 2 and not pairs:
        raise UsageError(
            f"{opened.dataset} has fewer than two test graphs of up to {MAX_NODES} nodes to show."
        )
    random = generator(opened.seed, "explorer pairs")
    for _ in range(MANY_TRIES * number if drawable.numel() > 1 else 0):
        if len(pairs) == number:
            break
        left, right = drawable[torch.randperm(drawable.numel(), generator=random)[:2]].tolist()
        pairs[left, right] = None
    return list(pairs)


def class_names(dataset: str, number: int) -> list[str]:
    """Return what the classes of a dataset are called; TU datasets only number them."""
    return list(CLASSES) if dataset == MOTIF else [f"class {place}" for place in range(number)]


def feature_word(graphs: Graphs) -> str:
    """Say what a column of the features stands for; nothing if there is but one."""
    word = "feature" if graphs.x.is_floating_point() else "label"
    word = "degree" if graphs.degree_encoding is not None else word
    return word if graphs.num_features > 1 else ""


def published_matcher(seed: int, steps: int) -> GraphMatcher:
    """Return the paper's matcher at the width of ours, with a layer more: comparable, and done in a
    minute. It sees degrees: where all nodes look alike, as on MOTIF, it would not learn to tell
    classes apart in that time, and losing to it would mean nothing.
    """
    return GraphMatcher.as_published(
        hidden_channels=GraphMatcher.hidden_channels,
        batch_size=32,
        max_steps=steps,
        patience=steps,
        degree=True,
        seed=seed,
    )
