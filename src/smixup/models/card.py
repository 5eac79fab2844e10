"""The card of a model: what it predicts, by what, how well, and what it does not say."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from smixup.tasks import Classes, Values

if TYPE_CHECKING:
    from smixup.models.model import Model

Table: TypeAlias = Mapping[str, Any]
SHOWN = 20
TRAINING = ("epochs", "learning_rate", "batch_size", "weight_decay", "selection", "seed")
PARTS = {"train": "train", "validation": "choose by", "test": "test"}
AT_RANDOM = ("random", "fold", "nested", "few")


def card_of(model: Model) -> str:
    """Return the card, in Markdown."""
    about, names = model.about, [*map(str, model.task.names)]
    data, split, training, scores, versions = (
        about.get(name) or {} for name in ("data", "split", "training", "scores", "versions")
    )
    listed = ", ".join(names[:SHOWN]) + ", ..." * (len(names) > SHOWN)
    known = {name: version for name, version in versions.items() if version is not None}
    parts = {
        f"# A model of {data.get('name') or 'graphs'}": (
            f"It predicts {model.task.kind} of graphs: {listed}."
        ),
        "## Data": _listed([*_data(data, split), *(about.get("notes") or ())]),
        "## Method": _listed(_method(model, training)),
        "## Scores": _scores(scores, split) if scores else "",
        "## How sure it is": _calibration(model),
        "## What it does not say": _listed(_limits(model, split)),
        "## Use": "```sh\nsmixup predict MODEL NEW --out predictions.csv\n```",
        "## How it was made": f"```sh\n{about['command']}\n```" if about.get("command") else "",
        "## Versions": f"```json\n{json.dumps(known, indent=2)}\n```" if known else "",
    }
    return "\n\n".join(f"{title}\n\n{text}" for title, text in parts.items() if text) + "\n"


def _listed(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _data(data: Table, split: Table) -> Iterator[str]:
    if data:
        yield f"{data['graphs']:,} graphs, fingerprint {data['fingerprint'][:16]}"
    if split:
        sizes = (f"{split[part]:,} to {use}" for part, use in PARTS.items() if part in split)
        yield f"{', '.join(sizes)} ({split['kind']} split)"


def _method(model: Model, training: Table) -> Iterator[str]:
    if weights := (model.about.get("scores") or {}).get("weights"):
        yield "kept: " + ", ".join(f"{name} ({weight:.0%})" for name, weight in weights.items())
        return
    settings = ", ".join(f"{key} {value}" for key, value in model.backbone.settings.items())
    yield f"classifier: {model.backbone.name} ({settings})"
    if (number := len(model.members)) > 1:
        yield f"{number} models with seeds of their own; their probabilities are averaged"
    if model.about.get("method"):
        yield f"augmentation: {model.about['method']}"
    if chosen := [key for key in TRAINING if key in training]:
        yield ", ".join(f"{key.replace('_', ' ')} {training[key]}" for key in chosen)


def _scores(scores: Table, split: Table) -> str:
    if tried := scores.get("tried"):
        lines = [f"| | {scores['metric']}, cross-validated | 95 % interval |", "|---|---|---|"]
        lines += [
            f"| {name} | {each['score']:.4f} | {each['low']:.4f} to {each['high']:.4f} |"
            for name, each in tried.items()
        ]
        lines.append(f"| **what is kept** | {scores['cross-validated']:.4f} | |")
        if "test" in scores:
            lines.append(f"| the same, test split | {scores['test']:.4f} | |")
        return "\n".join(lines) + (
            "\n\nIt was chosen by these scores, which makes its own a little too good. On "
            f"{scores['sure']:.0%} of resampled sets of graphs none of the others is better."
        )
    rows = [
        f"| {part} | {scores[part]:.4f} | {split.get(part, '')} |"
        for part in ("test", "validation")
        if part in scores
    ]
    table = "\n".join([f"| split | {scores['metric']} | graphs |", "|---|---|---|", *rows])
    text = "The validation split chose the epoch, so that its score is too good"
    if "test" in scores:
        text += "; the test split had no part in anything"
    return f"{table}\n\n{text}."


def _calibration(model: Model) -> str:
    numbers = model.calibration.numbers
    low, high = min(numbers, default=0), max(numbers, default=0)
    count = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    sets = "Intervals are"
    if not isinstance(model.task, Values):
        temperature = f"{model.calibration.temperature:.3g}"
        sets = f"Logits are divided by a temperature of {temperature}. Sets of classes are"
    # one standard deviation of a Beta distribution: of the share, over draws of validation graphs
    spread = 100 * (0.9 * 0.1 / (low + 2)) ** 0.5
    return (
        f"{sets} calibrated by {count} graphs (split conformal prediction), each judged by a model "
        "that was chosen without it. At the level 0.9 they hold the truth "
        "of nine in ten new graphs drawn like these, on average over kinds of graphs and over "
        f"validation splits: for this very model it may well be {spread:.1f} points off."
    )


def _limits(model: Model, split: Table) -> Iterator[str]:
    yield "Nothing of graphs that are unlike the training data: probabilities and sets fail there."
    yield "Not why: a prediction is no explanation, and features that matter are no causes."
    if split.get("kind") in AT_RANDOM:
        yield "Not how well it does on new groups or times: the split was drawn at random."
    if getattr(model.task, "balanced", False):
        yield "Not how frequent classes are: rare ones counted as much as others in training."
    if isinstance(model.task, Classes):
        yield "An empty set: no class is as likely as true ones usually are. Several: unsure."
