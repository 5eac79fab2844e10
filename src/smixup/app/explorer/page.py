"""The explorer's page of a dataset."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any

import torch
from markupsafe import Markup
from scipy.special import betaincinv

from smixup.app.explain import explain_prediction
from smixup.app.explorer.pairs import Explain, pair_data
from smixup.app.pages.page import render
from smixup.app.pictures import style
from smixup.app.pictures.method_look import LOOKS
from smixup.app.pictures.pair import LAM, TRANSPORT
from smixup.app.runs.data import Opened, open_dataset
from smixup.app.runs.registry import DEFAULT_MATCHER, MATCHERS, make_matcher
from smixup.augment.smixup import SMixup
from smixup.datasets.motif import CLASSES
from smixup.datasets.sources import MOTIF
from smixup.errors import SmixupError, UsageError, require
from smixup.graphs import Graphs
from smixup.matching import GraphMatcher, Matcher
from smixup.models import load_model
from smixup.progress import Progress, Report, silent
from smixup.seeding import generator
from smixup.tasks import Classes

QUICK_STEPS = 25
"""A fifth of the default steps is enough for a first look: on held-out pairs of MOTIF, it keeps as
much of the motif as the full fit."""
RANDOM, PUBLISHED = "random-order", "as-published"
ABOUT = {
    RANDOM: "nodes matched in random order",
    PUBLISHED: "the paper's matcher: cosine, temperature 1, taught by triplets alone",
}
MANY_TRIES, MAX_NODES = 50, 100


@dataclass(frozen=True)
class Explorer:
    """A page, and what is on it.

    Attributes:
        html: the page.
        pairs: how many.
        matcher: what it is called, and whether its fit was quick.
    """

    html: str
    pairs: int
    matcher: str


def explore(
    dataset: str,
    matcher: str = DEFAULT_MATCHER,
    pair: tuple[int, int] | None = None,
    *,
    number: int = 12,
    seed: int | None = None,
    root: Path | None = None,
    options: Mapping[str, Any] | None = None,
    model: Path | None = None,
    fitted: Mapping[str, Matcher] | None = None,
    report: Report = silent,
) -> Explorer:
    """Load and split a dataset as `smixup.train` does, fit matchers quickly on the training split,
    and return a page of test pairs.

    Args:
        dataset: a name in any case, or a path.
        matcher: whose alignments the page opens with: a name, or the folder of a saved one.
        pair: positions in the dataset of the pair to open with.
        number: of pairs.
        seed: of split, pairs and matchers; by default that of a saved matcher, or 0.
        root: the data root.
        options: parameters of the dataset.
        model: folder of a trained model, whose predictions are explained on the page.
        fitted: matchers by name that were fitted on this split before.
        report: told of every step.
    """
    kept = None if model is None else load_model(model)
    opened = open_dataset(dataset, seed, matcher, root, options)
    quick = learns(matcher)
    chosen = choose_pairs(opened, number, pair)
    known = dict(fitted or {})
    own = known.get(matcher) or (
        quick_matcher(matcher, opened.seed).fit(opened.train, report)
        if quick
        else opened.matcher(report)
    )
    matchers = {matcher: own}
    if matcher != RANDOM:
        matchers[RANDOM] = make_matcher(RANDOM, opened.seed, {})
    matchers[PUBLISHED] = known.get(PUBLISHED) or published_matcher(opened.seed, QUICK_STEPS).fit(
        opened.train, report
    )
    explain, names = None, class_names(opened.dataset, opened.graphs.num_classes)
    if kept is not None:
        data = kept.open(dataset, root, **(options or {}))
        if len(data.graphs) != len(opened.graphs):
            raise SmixupError(
                f"the model reads {len(data.graphs)} graphs where the explorer has "
                f"{len(opened.graphs)}: train it on this dataset, with the same --data."
            )
        explain = partial(explain_prediction, kept, data)
        names = list(map(str, kept.task.names)) if isinstance(kept.task, Classes) else names
    described = Path(matcher).name + (f" (quick fit, {QUICK_STEPS} steps)" if quick else "")
    html = page_of(
        opened,
        chosen,
        matchers,
        described,
        names=names,
        explain=explain,
        report=report,
        first=0 if pair else None,
    )
    return Explorer(html, len(chosen), described)


def page_of(
    opened: Opened,
    chosen: list[tuple[int, int]],
    matchers: Mapping[str, Matcher],
    described: str,
    *,
    names: list[str],
    explain: Explain | None = None,
    report: Report = silent,
    first: int | None = None,
) -> str:
    """Match pairs and return their page.

    Args:
        opened: the graphs.
        chosen: positions of the graphs of each pair.
        matchers: fitted, by name; the page opens with the first.
        described: what the first is called.
        names: of the classes.
        explain: see `pair_data`.
        report: told of every pair.
        first: place of the pair to open with; by default the first of one class, where one can see
            whether the motif is kept.
    """
    pairs = []
    for place, (left, right) in enumerate(chosen):
        report(Progress("pairs matched", place, len(chosen), unit="pairs"))
        graphs = opened.graphs[[left]], opened.graphs[[right]]
        pairs.append(pair_data(matchers, *graphs, explain, opened.dataset))
    report(Progress("pairs matched", len(chosen), len(chosen), unit="pairs"))
    alike = (place for place, pair in enumerate(pairs) if pair["left"]["y"] == pair["right"]["y"])
    data = {
        "pairs": pairs,
        "ways": [_switch(name, described) for name in matchers],
        "first": next(alike, 0) if first is None else first,
        "lam": LAM,
        "classes": names,
        "feature": feature_word(opened.graphs),
        "palette": {
            "motif": style.MOTIF,
            "base": style.BASE,
            "other": style.PALETTE[0],
            "kinds": style.PALETTE[1:],
            "against": style.AGAINST,
            "neither": style.NEITHER,
        },
    }
    return render(
        "explorer/page.html",
        title=f"Mixed pairs of {Path(opened.dataset).name}",
        subtitle=f"Transport: {TRANSPORT}. Matcher: {described}. Seed {opened.seed}.",
        median=round(float(betaincinv(SMixup.alpha, SMixup.alpha, 0.75)), 2),
        alpha=f"{SMixup.alpha:g}",
        data=script_json(data),
    )


def _switch(name: str, described: str) -> dict[str, str]:
    """Return one position of the switch between alignments."""
    look = LOOKS.get(name, LOOKS[DEFAULT_MATCHER])
    title = look.name if name in LOOKS and name != DEFAULT_MATCHER else "S-Mixup's alignment"
    return {
        "name": name,
        "title": title,
        "about": ABOUT.get(name, described),
        "colour": look.colour,
    }


def script_json(data: object) -> Markup:
    """Return JSON that can stand in a `<script>` element whatever text is in it."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def choose_pairs(
    opened: Opened, number: int, first: tuple[int, int] | None = None
) -> list[tuple[int, int]]:
    """Draw so many different pairs from the test split, `first` before all others; fewer if there
    are not so many.
    """
    require(number >= 1, "number of pairs", number, "1 or more")
    sizes, test = opened.graphs.sizes, opened.split.test
    for graph in first or ():
        if not 0 <= graph < len(sizes):
            raise UsageError(
                f"{opened.dataset} has no graph {graph}: its graphs are 0 to {len(sizes) - 1}."
            )
        if int(sizes[graph]) > MAX_NODES:
            raise UsageError(
                f"graph {graph} of {opened.dataset} has {int(sizes[graph])} nodes, and the "
                f"explorer draws graphs of up to {MAX_NODES}; choose a smaller one."
            )
    pairs = {} if first is None else {first: None}
    drawable = test[sizes[test] <= MAX_NODES]
    if drawable.numel() < 2 and not pairs:
        raise UsageError(
            f"{opened.dataset} has fewer than two test graphs of up to {MAX_NODES} nodes, and the "
            "explorer draws no larger ones."
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
    if graphs.num_features < 2:
        return ""
    if graphs.degree_encoding is not None:
        return "degree"
    return "feature" if graphs.x.is_floating_point() else "label"


def learns(name: str) -> bool:
    """Tell whether a matcher of the registry is fitted step by step."""
    return name in MATCHERS.entries and "max_steps" in signature(MATCHERS.factory(name)).parameters


def quick_matcher(name: str, seed: int) -> Matcher:
    """Return a matcher that will be fitted for a first look."""
    return make_matcher(name, seed, {"max_steps": QUICK_STEPS})


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
