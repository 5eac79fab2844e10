"""Which nodes and edges a kept model's prediction for one graph rests on."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from smixup.analysis.explanation import Explanation, explain
from smixup.app.studies.node_words import symbols_of
from smixup.datasets.features import encode_new
from smixup.errors import UsageError, unknown_name
from smixup.graphs import Graphs
from smixup.models import Model
from smixup.models.ensemble import together
from smixup.models.new_data import NewData
from smixup.tasks import Classes, Labels, Values

SHORT = 3
"""Letters of a word that fits into a drawn node."""
UNITS = {Classes: "log odds", Labels: "log odds", Values: "the value"}
OUTPUTS = {Classes: "class", Labels: "label", Values: "quantity"}


@dataclass(frozen=True)
class Explained:
    """What one prediction rests on.

    Attributes:
        place: of the graph among those that were read.
        name: the class, label or quantity that is explained.
        unit: what the numbers of the explanation count.
        adj: weights `[n, n]`.
        found: the explanation.
        labels: a word for every node: symbols of atoms, names from the files, else numbers.
        of_atoms: whether the words are symbols of atoms.
        output: what the name is the name of: a class, a label or a quantity.
    """

    place: int
    name: str
    unit: str
    adj: Tensor
    found: Explanation
    labels: tuple[str, ...]
    of_atoms: bool = False
    output: str = OUTPUTS[Classes]

    @property
    def title(self) -> str:
        """What is explained, such as `class '1'`: a bare number would be a riddle."""
        return f"{self.output} '{self.name}'"

    def most(self, number: int) -> list[tuple[str, float]]:
        """Return the nodes that matter most, with their numbers."""
        nodes = self.strongest(number)
        return [(self.named(node), float(self.found.nodes[node])) for node in nodes]

    def strongest(self, number: int) -> list[int]:
        """Return the nodes that matter most, by their numbers."""
        return [int(node) for node in self.found.nodes.abs().argsort(descending=True)[:number]]

    def to_number(self, number: int) -> list[int]:
        """Return the nodes that matter most, whose numbers a picture has to tell; none if nodes are
        drawn as numbers anyway.
        """
        told = self.drawn_labels == tuple(map(str, range(len(self.labels))))
        return [] if told else self.strongest(number)

    @property
    def drawn_labels(self) -> tuple[str, ...]:
        """Words that fit into a drawn node: labels if all are short, else numbers."""
        short = all(len(word) <= SHORT for word in self.labels)
        return self.labels if short else tuple(map(str, range(len(self.labels))))

    def named(self, node: int) -> str:
        """Return what a node is called: its number, and its symbol or name if it has one."""
        word = self.labels[node]
        return f"{node} ({word})" if word != str(node) else word

    def sentence(self) -> str:
        """Say what speaks for the output and against it, as far as anything does."""
        thing, scores = "atom" if self.of_atoms else "node", self.found.nodes
        found = (
            (int(scores.argmax()), 1, "for", "lower"),
            (int(scores.argmin()), -1, "against", "higher"),
        )
        told = [
            f"{thing} {self.named(node)} speaks most {way} it: {self.unit} would be "
            f"{abs(float(scores[node])):.2f} {change} without it"
            for node, sign, way, change in found
            if sign * float(scores[node]) > 0
        ]
        words = "; ".join(told) or f"no {thing} makes any difference"
        return f"{words[0].upper()}{words[1:]}."


def explain_prediction(model: Model, data: NewData, place: int, name: str = "") -> Explained:
    """Explain what a model says of one graph.

    Of a class or a label, the log odds are explained, so that a class is weighed against all
    others; of values, the value in the units of the data.

    Args:
        model: a kept model.
        data: graphs that it has read, see `Model.open`.
        place: of the graph among them, counted from 0.
        name: of the class, label or quantity; the likeliest class, or the first of the others, if
            empty.
    """
    if not 0 <= place < len(data.graphs):
        raise UsageError(f"there is no graph {place}: the data has 0 to {len(data.graphs) - 1}.")
    graph = encode_new(data.graphs[[place]], model.encoder).floating()
    column = column_of(model, name)
    for member in model.members:
        member.eval()
    found = explain(lambda batch: answers(model, batch), graph, column)
    symbols = symbols_of(graph.x, str((model.about.get("data") or {}).get("name", "")))
    return Explained(
        place,
        str(model.task.names[found.column]),
        UNITS[type(model.task)],
        graph.adj.to_dense(),
        found,
        symbols or _names(data, place, graph.num_nodes),
        symbols is not None,
        OUTPUTS[type(model.task)],
    )


def _names(data: NewData, place: int, number: int) -> tuple[str, ...]:
    """Return what the nodes of a graph are called in its files, and numbers for those without."""
    numbers = tuple(map(str, range(number)))
    if data.node_names is None:
        return numbers
    found = data.node_names.of(place)
    return tuple(name or at for name, at in zip(found, numbers, strict=True))


def column_of(model: Model, name: str) -> int | None:
    """Return the output of that name; None is the likeliest class, and without a name the first of
    other outputs.
    """
    names = [str(each) for each in model.task.names]
    if name and name not in names:
        raise unknown_name(f"output of {model.task.kind}", name, names)
    if name:
        return names.index(name)
    return None if isinstance(model.task, Classes) else 0


def answers(model: Model, batch: Graphs) -> Tensor:
    """Return what is explained `[B, C]`: log odds, or values."""
    outputs = together(model.task, [member(batch) for member in model.members])
    if not isinstance(model.task, Classes):
        return model.task.predicted(outputs) if isinstance(model.task, Values) else outputs
    others = [
        torch.cat([outputs[:, :place], outputs[:, place + 1 :]], 1).logsumexp(1)
        for place in range(outputs.size(1))
    ]
    return outputs - torch.stack(others, 1)
