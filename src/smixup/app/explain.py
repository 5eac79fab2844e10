"""What a saved model's predictions rest on: of graphs by number, or of those it is most sure of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from smixup.app.runs.config import FIELDS, RunConfig
from smixup.app.runs.data import choose_split
from smixup.app.words import capital
from smixup.datasets import Dataset, load_dataset
from smixup.datasets.catalogue import NODE_LABELS
from smixup.datasets.molecules import ATOM_VALUES, SYMBOLS
from smixup.errors import SmixupError, UsageError, unknown_name
from smixup.graphs import Graphs
from smixup.models import Model
from smixup.models.explanation import MOST_NODES, Explanation, explain
from smixup.tasks import Classes, Labels, Values

UNITS = {Classes: "log odds", Labels: "log odds", Values: "the value"}
OUTPUTS = {Classes: "class", Labels: "label", Values: "quantity"}
NAMED, SURE, UNSURE = "As asked for", "Most sure", "Least sure"
HIGH, LOW = "Highest", "Lowest"
OTHERWISE = "`smixup explain MODEL DATA` explains its predictions for any data"


@dataclass(frozen=True)
class Explained:
    """What one prediction rests on.

    Attributes:
        place: of the graph among those that were read.
        title: what is explained, such as `class '1'`; `name` is the class, label or quantity alone.
        unit: what the numbers of the explanation count.
        predicted: the probability of the class or label, or the value.
        adj: weights `[n, n]`.
        explanation: by how much the output falls without a node or an edge.
        labels: a word for every node: symbols of atoms, names from the files, else numbers.
        thing: what nodes are called: node or atom.
        about: what the data calls the graph, such as its SMILES.
    """

    place: int
    name: str
    title: str
    unit: str
    predicted: float
    adj: Tensor
    explanation: Explanation
    labels: tuple[str, ...]
    thing: str = "node"
    about: str = ""

    def strongest(self, number: int) -> list[int]:
        """Return the nodes that matter most."""
        return self.explanation.nodes.abs().argsort(descending=True).tolist()[:number]

    def named(self, node: int) -> str:
        """Return what a node is called: its number, and its symbol or name if it has one."""
        word = self.labels[node]
        return f"{node} ({word})" if word != str(node) else word

    def sentence(self) -> str:
        """Say what speaks for the output and against it, as far as anything does."""
        parts, scores = [], self.explanation.nodes
        for sign, way, change in ((1, "for", "lower"), (-1, "against", "higher")):
            node = int((sign * scores).argmax())
            if sign * float(scores[node]) > 0:
                parts.append(
                    f"{self.thing} {self.named(node)} speaks most {way} it: {self.unit} would be "
                    f"{abs(float(scores[node])):.2f} {change} without it"
                )
        return f"{capital('; '.join(parts))}." if parts else f"No {self.thing} makes a difference."

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers, ready for JSON."""
        return {
            "graph": self.place,
            "output": self.name,
            "unit": self.unit,
            "value": self.explanation.output,
            "labels": [*self.labels],
            "nodes": self.explanation.nodes.tolist(),
            "edges": self.explanation.edges.T.tolist(),
            "edge_scores": self.explanation.edge_scores.tolist(),
        }


@dataclass(frozen=True)
class ExplainedGraphs:
    """Graphs by a heading that says why they were chosen, of how many, and how many could not be
    chosen because they have one node alone or too many.
    """

    groups: dict[str, list[Explained]]
    total: int
    left_out: int = 0


def explain_graphs(
    model: Model,
    data: Dataset,
    places: Sequence[int] = (),
    name: str = "",
    number: int = 3,
    among: Tensor | None = None,
) -> ExplainedGraphs:
    """Explain what a model says of the graphs at some places in data that it has read: of a class
    or a label its log odds, of values the value. Without places, these are the `number` that it is
    most sure of and as many of the least sure, of values the highest and the lowest, `among` all or
    some. Without a `name`, the likeliest class is explained, or the first of other outputs.
    """
    column, groups, left_out = _column(model, name), {NAMED: list(places)}, 0
    if not places:
        asked = torch.arange(len(data.graphs)) if among is None else among
        sizes = data.graphs.sizes[asked]
        fit = asked[(sizes > 1) & (sizes <= MOST_NODES)]
        if not len(fit):
            few = f"each has one node alone, or more than {MOST_NODES}"
            raise SmixupError(f"no graph can be explained: {few}.")
        groups, left_out = _extremes(model, data, column, fit, number), len(asked) - len(fit)
    chosen = {
        heading: [_explained(model, data, place, column) for place in group]
        for heading, group in groups.items()
        if group
    }
    return ExplainedGraphs(chosen, len(data.graphs), left_out)


def _explained(model: Model, data: Dataset, place: int, column: int | None) -> Explained:
    if not 0 <= place < len(data.graphs):
        raise UsageError(f"there is no graph {place}: the data has 0 to {len(data.graphs) - 1}.")
    one = Dataset(data.name, data.graphs[[place]])
    graph = model.encoder(one.graphs).floating()
    explanation = explain(lambda batch: answers(model, batch), graph, column)
    name, kind = str(model.task.names[explanation.column]), type(model.task)
    symbols = symbols_of(graph.x, str((model.about.get("data") or {}).get("name", "")))
    numbers = tuple(map(str, range(graph.num_nodes)))
    names = data.node_names[place] if data.node_names is not None else numbers
    return Explained(
        place,
        name,
        f"{OUTPUTS[kind]} '{name}'",
        UNITS[kind],
        predicted=float(model.predict_on(one).probabilities[0, explanation.column]),
        adj=graph.adj.to_dense(),
        explanation=explanation,
        labels=symbols or tuple(word or at for word, at in zip(names, numbers, strict=True)),
        thing="atom" if symbols else "node",
        about=next((f"{key}: {cells[place]}" for key, cells in data.table.items()), ""),
    )


def answers(model: Model, batch: Graphs) -> Tensor:
    """Return what is explained `[B, C]`: log odds (a class against all others), or values."""
    outputs = model.outputs(batch)
    if isinstance(model.task, Values):
        return model.task.predicted(outputs)
    if not isinstance(model.task, Classes):
        return outputs
    own = torch.eye(outputs.size(1), dtype=torch.bool, device=outputs.device)
    others = outputs.unsqueeze(1).masked_fill(own, -torch.inf).logsumexp(2)
    return outputs - others


def _column(model: Model, name: str) -> int | None:
    """Return the output of that name; None is the likeliest class."""
    names = [str(known) for known in model.task.names]
    if name and name not in names:
        raise unknown_name(f"output of {model.task.kind}", name, names)
    if name:
        return names.index(name)
    return None if isinstance(model.task, Classes) else 0


def _extremes(
    model: Model, data: Dataset, column: int | None, places: Tensor, number: int
) -> dict[str, list[int]]:
    """Return the graphs at both ends, none of them twice; few are shared between the ends."""
    outputs = torch.from_numpy(model.predict_on(data).probabilities)
    values = outputs[places] if column is None else outputs[places, column]
    high, low = HIGH, LOW
    if isinstance(model.task, Classes | Labels):
        high, low = SURE, UNSURE
        values = values.max(1).values if column is None else (values - 0.5).abs()
    order = places[values.argsort(descending=True, stable=True)].tolist()
    first = order[: min(number, (len(order) + 1) // 2)]
    return {high: first, low: order[len(first) :][::-1][:number]}


def own_source(model: Model) -> str:
    """Return from which data a model comes, as `Model.open` takes it."""
    source = (model.about.get("data") or {}).get("source")
    if "training" not in model.about or not source:
        raise SmixupError(f"the model does not tell from which data it comes: {OTHERWISE}.")
    return str(source)


def explain_held_out(model: Model, root: Path | None = None, number: int = 3) -> ExplainedGraphs:
    """Explain test graphs of a model's own data, see `explain_graphs`."""
    source, training = own_source(model), model.about["training"]
    config = RunConfig(**{name: training[name] for name in FIELDS & training.keys()})
    dataset = load_dataset(config.dataset, root, **config.dataset_options)
    if dataset.graphs.fingerprint() != model.about["data"].get("fingerprint"):
        raise SmixupError(
            f"{dataset.name} has changed since the model was trained on it, so that its test "
            f"graphs are not known: {OTHERWISE}."
        )
    test = choose_split(dataset, config).test
    return explain_graphs(model, model.open(source, root), number=number, among=test)


def symbols_of(x: Tensor, dataset: str = "") -> tuple[str, ...] | None:
    """Return the symbols of atoms, if features `[n, d]` are those of molecules: nine one-hot
    columns, as here and at OGB, or the labels of a published dataset.
    """
    words = NODE_LABELS.get(dataset, ())
    for names, widths in ((words, (len(words),)), (SYMBOLS, ATOM_VALUES)):
        if names and _is_one_hot(x, widths):
            return tuple(names[place] for place in x[:, : widths[0]].float().argmax(1).tolist())
    return None


def _is_one_hot(x: Tensor, widths: Sequence[int]) -> bool:
    if x.dim() != 2 or x.size(1) != sum(widths) or not bool(((x == 0) | (x == 1)).all()):
        return False
    parts: tuple[Tensor, ...] = torch.split(x.float(), list(widths), 1)
    return all(bool((part.sum(1) == 1).all()) for part in parts)
