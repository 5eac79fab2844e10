"""The page of what predictions rest on: a picture, a sentence and a table for every graph."""

from __future__ import annotations

from collections.abc import Iterator

from smixup.app.explain import (
    HIGH,
    LOW,
    NAMED,
    SURE,
    UNITS,
    UNSURE,
    ExplainedGraph,
    ExplainedGraphs,
)
from smixup.app.pages.report import Block, Picture, Prose, Report, Section, Table
from smixup.app.pictures.explained_graph import draw_explanation
from smixup.app.runs.words import counted, signed
from smixup.tasks import Values

ROWS = 5
LONGEST = 120
WHY = {
    SURE: "of which the model is among the most sure",
    UNSURE: "of which the model is among the least sure",
    HIGH: "among those with the highest predictions",
    LOW: "among those with the lowest predictions",
    NAMED: "as asked for",
}


def explanation_page(found: ExplainedGraphs, model: str, data: str) -> Report:
    """Return the page.

    Args:
        found: the graphs.
        model: what the model is called.
        data: what the data is called.
    """
    shown = sum(map(len, found.groups.values()))
    subtitle = f"{model} on {data}; {shown} of {counted(found.total, 'graph')}"
    if found.left_out:
        subtitle += f", {found.left_out} of which cannot be explained: one node alone, or too many"
    return Report("What predictions rest on", f"{subtitle}.", explanation_sections(found))


def explanation_sections(found: ExplainedGraphs) -> list[Section]:
    """Return how to read the pictures, and a section for every graph: for this page and others."""
    sections = [_reading(found)]
    for heading, graphs in found.groups.items():
        sections += [_section(heading, each) for each in graphs]
    return sections


def _reading(found: ExplainedGraphs) -> Section:
    first = next(each.explained for graphs in found.groups.values() for each in graphs)
    thing = "atom" if first.of_atoms else "node"
    words = (
        f"Each {thing} and each edge is taken away in turn, and the model is asked again. Orange "
        "speaks for the prediction: without it, the output falls. Blue speaks against it. The "
        "stronger the colour and the thicker the edge, the larger the effect; each picture has its "
        "own scale."
    )
    return Section("How to read the pictures", [Prose(words)])


def _section(heading: str, graph: ExplainedGraph) -> Section:
    each = graph.explained
    return Section(f"{heading}: graph {each.place}", list(_blocks(heading, graph)))


def _blocks(heading: str, graph: ExplainedGraph) -> Iterator[Block]:
    each = graph.explained
    yield Prose(f"{_predicted(graph)} {each.sentence()}")
    about = f" {_short(graph.about)}." if graph.about else ""
    name = f"Graph {each.place} with what its prediction rests on"
    figure = draw_explanation(each.adj, each.found, each.drawn_labels, "", each.to_number(ROWS))
    yield Picture({name: figure}, f"Graph {each.place}, {WHY[heading]}.{about}")
    thing = "atom" if each.of_atoms else "node"
    rows = [[word, signed(number, 3)] for word, number in each.most(ROWS)]
    yield Table([thing, f"{each.unit} it adds"], rows)


def _predicted(graph: ExplainedGraph) -> str:
    each = graph.explained
    if each.unit == UNITS[Values]:
        return f"The prediction for '{each.name}' is {graph.predicted:.4g}."
    return f"The probability of {each.title} is {graph.predicted:.3f}."


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
