"""A kept model on a page: what it is, how good it is, and what its predictions rest on."""

from __future__ import annotations

import shlex
from pathlib import Path

from smixup.app.explain import explain_held_out
from smixup.app.pages.explanation_page import explanation_sections
from smixup.app.pages.report import Block, Code, Prose, Section, Words
from smixup.app.runs.words import counted, decimal
from smixup.errors import SmixupError
from smixup.models import Model

PARTS = ("train", "validation", "test")


def model_sections(
    model: Model, folder: str, root: Path | None = None, heading: str = ""
) -> list[Section]:
    """Return the sections of a model: a table, and a picture for each of some test graphs.

    Where its predictions cannot be explained, because its data is gone or has changed, the section
    says so in place of pictures.

    Args:
        model: that `smixup train --out` wrote.
        folder: where it is kept.
        root: the data root.
        heading: of the first section; by default it names the folder.
    """
    first = Section(heading or f"The model in the folder {folder}", _about(model, folder))
    try:
        found = explain_held_out(model, root)
    except SmixupError as reason:
        words = f"Its predictions are not explained here: {reason}"
        return [Section(first.heading, [*first.blocks, Prose(words)])]
    chosen = (
        "The sections below show what its predictions rest on, for "
        f"{counted(sum(map(len, found.groups.values())), 'graph')} of the test split."
    )
    return [Section(first.heading, [*first.blocks, Prose(chosen)]), *explanation_sections(found)]


def _about(model: Model, folder: str) -> list[Block]:
    about = model.about
    data, split, scores = (about.get(name, {}) for name in ("data", "split", "scores"))
    sizes = ", ".join(f"{split[part]} {part}" for part in PARTS if part in split)
    rows = [
        ("data", f"{data.get('name', '?')}, {counted(int(data.get('graphs', 0)), 'graph')}"),
        ("split", f"{split.get('kind', '?')}: {sizes}"),
        ("backbone", model.backbone.name),
        ("method", str(about.get("method", "?"))),
        *(
            (f"{scores.get('metric', 'score')}, {part}", _score(scores[part], split.get(part)))
            for part in PARTS
            if part in scores
        ),
    ]
    lead = "To predict for new data of the same kind:"
    command = f"smixup predict {shlex.quote(folder)} NEW --out predictions.csv"
    return [Words(("about the model", ""), rows), Prose(lead), Code(command)]


def _score(value: float | None, graphs: int | None) -> str:
    """Write a score with the number of graphs that it rests on: few make it a matter of chance."""
    number = f" ({counted(graphs, 'graph')})" if graphs else ""
    return decimal(value, 4, "?") + number
