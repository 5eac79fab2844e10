"""The card of a model: what it predicts, by what, how well, and what it does not say."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from smixup.tasks import Classes, Labels, Task, Values

if TYPE_CHECKING:
    from smixup.models.model import Model

SHOWN = 20


def card_of(model: Model) -> str:
    """Return the card, in Markdown."""
    about = model.about
    parts = [
        f"# A model of {_get(about, 'data', 'name') or 'graphs'}",
        _asked(model.task),
        _data(about),
        _method(model),
        _scores(about),
        _calibration(model),
        _limits(model),
        _use(about),
        _origin(about),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _asked(task: Task) -> str:
    names = list(map(str, task.names))
    shown = ", ".join(names[:SHOWN]) + (", ..." if len(names) > SHOWN else "")
    if isinstance(task, Classes):
        return f"It predicts to which of {len(names)} classes a graph belongs: {shown}."
    if isinstance(task, Labels):
        return f"It predicts which of these labels hold for a graph: {shown}."
    return f"It predicts values of a graph: {shown}."


def _data(about: Mapping[str, Any]) -> str:
    data, split = about.get("data") or {}, about.get("split") or {}
    lines = [f"- {data['graphs']:,} graphs"] if "graphs" in data else []
    if split:
        sizes = ", ".join(
            f"{split[part]:,} to {word}"
            for part, word in (("train", "train"), ("validation", "choose by"), ("test", "test"))
            if split.get(part) is not None
        )
        kind = f" ({split['kind']} split)" if split.get("kind") else ""
        lines.append(f"- {sizes}{kind}")
    if data.get("fingerprint"):
        lines.append(f"- fingerprint {data['fingerprint'][:16]}")
    lines += [f"- {note}" for note in about.get("notes") or ()]
    return "## Data\n\n" + "\n".join(lines) if lines else ""


def _method(model: Model) -> str:
    number = len(model.members)
    settings = ", ".join(f"{key} {value}" for key, value in model.backbone.settings.items())
    lines = [f"- classifier: {model.backbone.name} ({settings})"]
    if number > 1:
        lines.append(f"- {number} models with seeds of their own; their probabilities are averaged")
    method = model.about.get("method")
    if method:
        lines.append(f"- augmentation: {method}")
    training = model.about.get("training") or {}
    chosen = {key: training[key] for key in TRAINING if training.get(key) is not None}
    if chosen:
        lines.append("- " + ", ".join(f"{key.replace('_', ' ')} {chosen[key]}" for key in chosen))
    return "## Method\n\n" + "\n".join(lines)


TRAINING = ("epochs", "learning_rate", "batch_size", "weight_decay", "selection", "seed")


def _scores(about: Mapping[str, Any]) -> str:
    scores, split = about.get("scores") or {}, about.get("split") or {}
    if not scores:
        return ""
    rows = [
        (name, scores[name], split.get(name))
        for name in ("test", "validation")
        if scores.get(name) is not None
    ]
    table = ["| split | " + str(scores.get("metric", "score")) + " | graphs |", "|---|---|---|"]
    table += [f"| {name} | {score:.4f} | {n if n is not None else ''} |" for name, score, n in rows]
    said = "The validation split chose the epoch, so that its score is too good"
    said += "; the test split had no part in anything." if scores.get("test") is not None else "."
    covered = scores.get("coverage")
    if covered:
        said += (
            f" Sets at the level {covered['level']:g} hold the truth of "
            f"{100 * covered['test']:.1f} % of the test split."
        )
    return "## Scores\n\n" + "\n".join(table) + "\n\n" + said


def _calibration(model: Model) -> str:
    numbers = model.calibration.numbers
    low, high = min(numbers, default=0), max(numbers, default=0)
    count = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    if isinstance(model.task, Values):
        first = "Intervals are"
    else:
        first = (
            f"Logits are divided by a temperature of {model.calibration.temperature:.3g}. Sets of "
            "classes are"
        )
    return (
        f"## How sure it is\n\n{first} calibrated by {count} validation graphs (split conformal "
        "prediction), each judged by the model of an epoch that was chosen without it. Among new "
        "graphs drawn like these, a set at the level 0.9 holds the truth in nine of ten cases: on "
        "average over graphs, not for every kind of graph; and on average over validation splits: "
        f"with {low:,} graphs, the share for this very model may well be {_spread(low)} points off."
    )


def _spread(number: int) -> str:
    """Return one standard deviation, in points, of the share of new graphs whose truth is in a set
    at the level 0.9, over draws of so many validation graphs (a Beta distribution).
    """
    return f"{100 * (0.9 * 0.1 / (number + 2)) ** 0.5:.1f}"


def _limits(model: Model) -> str:
    return "## What it does not say\n\n" + "\n".join(f"- {line}" for line in _lines(model))


def _lines(model: Model) -> Iterator[str]:
    yield (
        "Nothing of graphs that are not like the training data: probabilities and sets hold for "
        "graphs drawn alike."
    )
    yield "Not why: a prediction is no explanation, and features that matter are no causes."
    split = (model.about.get("split") or {}).get("kind")
    if split in ("random", "fold", "nested", "few"):
        yield (
            "Not how well it does on new groups, scaffolds or times: the split was drawn at random."
        )
    if getattr(model.task, "balanced", False):
        yield (
            "Not how frequent classes are: rare ones counted as much as frequent ones in training, "
            "and their probabilities are higher for it."
        )
    if isinstance(model.task, Classes):
        yield (
            "An empty set means that no class is as likely as the true one usually is; a set of "
            "several, that the model cannot tell."
        )
    if (model.about.get("training") or {}).get("refit"):
        yield (
            "Sets and temperature are of the first training; the second saw the validation graphs, "
            "too."
        )


def _use(about: Mapping[str, Any]) -> str:
    lines = ["smixup predict MODEL NEW --out predictions.csv"]
    text = "## Use\n\n```sh\n" + "\n".join(lines) + "\n```"
    if about.get("command"):
        text += f"\n\nIt was made by\n\n```sh\n{about['command']}\n```"
    return text


def _origin(about: Mapping[str, Any]) -> str:
    versions = about.get("versions") or {}
    known = {key: value for key, value in versions.items() if value is not None}
    return "" if not known else f"## Versions\n\n```json\n{json.dumps(known, indent=2)}\n```"


def _get(about: Mapping[str, Any], *keys: str) -> Any:
    value: Any = about
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value
