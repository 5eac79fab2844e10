"""Pages about a trained model: what it is and what its predictions rest on."""

from __future__ import annotations

import shlex

from smixup.app.explain import (
    HIGH,
    LOW,
    NAMED,
    SURE,
    UNITS,
    UNSURE,
    Explained,
    ExplainedGraphs,
)
from smixup.app.pages.page import render
from smixup.app.pictures.graph import draw_explanation
from smixup.app.words import counted, decimal, signed
from smixup.models import Model
from smixup.tasks import Values

ROWS, LONGEST = 5, 120
PARTS = ("train", "validation", "test")
CHOSEN_FOR = {
    SURE: "of which the model is among the most sure",
    UNSURE: "of which the model is among the least sure",
    HIGH: "among those with the highest predictions",
    LOW: "among those with the lowest predictions",
    NAMED: "as asked for",
}


def explanation_page(model: Model, folder: str, found: ExplainedGraphs, data: str) -> str:
    """Return the page of what a model is, and what its predictions for some data rest on."""
    pairs = [(heading, graph) for heading, graphs in found.groups.items() for graph in graphs]
    return render(
        "pages/explanation.html",
        heading=f"{folder} on {data}; {len(pairs)} of {counted(found.total, 'graph')}",
        left_out=found.left_out,
        thing=pairs[0][1].thing,
        graphs=[_graph_values(*pair) for pair in pairs],
        model=model_values(model, folder),
    )


def model_values(model: Model, folder: str) -> dict[str, object]:
    """Return what `model_section` of `pages/blocks.html` shows."""
    data, split, scores = (model.about.get(name, {}) for name in ("data", "split", "scores"))
    sizes = ", ".join(f"{split[part]} {part}" for part in PARTS if part in split)
    rows = [
        ("data", f"{data.get('name', '?')}, {counted(int(data.get('graphs', 0)), 'graph')}"),
        ("split", f"{split.get('kind', '?')}: {sizes}"),
        ("backbone", model.backbone.name),
        ("method", str(model.about.get("method", "?"))),
    ]
    for part in (part for part in PARTS if part in scores):
        graphs = f" ({counted(split[part], 'graph')})" if split.get(part) else ""
        score = decimal(scores[part], 4, "?")
        rows.append((f"{scores.get('metric', 'score')}, {part}", score + graphs))
    command = f"smixup predict {shlex.quote(folder)} NEW --out predictions.csv"
    return {"folder": folder, "rows": rows, "command": command}


def _graph_values(heading: str, graph: Explained) -> dict[str, object]:
    predicted = f"The probability of {graph.title} is {graph.predicted:.3f}."
    if graph.unit == UNITS[Values]:
        predicted = f"The prediction for '{graph.name}' is {graph.predicted:.4g}."
    end = "..." if len(graph.about) > LONGEST else ""
    about = f" {graph.about[:LONGEST]}{end}." if graph.about else ""
    scores = graph.explanation.nodes.tolist()
    return {
        "title": f"{heading}: graph {graph.place}",
        "words": f"{predicted} {graph.sentence()}",
        "description": f"Graph {graph.place} with what its prediction rests on",
        "figure": draw_explanation(graph, number=ROWS),
        "caption": f"Graph {graph.place}, {CHOSEN_FOR[heading]}.{about}",
        "header": (graph.thing, f"{graph.unit} it adds"),
        "rows": [(graph.named(n), signed(scores[n], 3)) for n in graph.strongest(ROWS)],
    }
