"""Which nodes and edges a kept model's prediction for one graph rests on."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from smixup.analysis.explanation import Explanation, explain
from smixup.datasets.atoms import ATOM_VALUES, SYMBOLS
from smixup.datasets.features import encode_new
from smixup.errors import UsageError, unknown_name
from smixup.graphs import Graphs
from smixup.models import Model
from smixup.models.ensemble import together
from smixup.models.new_data import NewData
from smixup.tasks import Classes, Labels, Values

UNITS = {Classes: "log odds", Labels: "log odds", Values: "the value"}
MOLECULES = ("smiles",)
OGB = "ogbg-mol"


@dataclass(frozen=True)
class Explained:
    """What one prediction rests on.

    Attributes:
        place: of the graph among those that were read.
        name: the class, label or quantity that is explained.
        unit: what the numbers of the explanation count.
        adj: weights `[n, n]`.
        found: the explanation.
        labels: a word for every node: symbols of atoms, else numbers.
    """

    place: int
    name: str
    unit: str
    adj: Tensor
    found: Explanation
    labels: tuple[str, ...]

    def most(self, number: int) -> list[tuple[str, float]]:
        """Return the nodes that matter most, with their numbers."""
        order = self.found.nodes.abs().argsort(descending=True)[:number].tolist()
        words = self.labels
        named = (
            f"{node} ({words[node]})" if words[node] != str(node) else words[node] for node in order
        )
        return list(zip(named, self.found.nodes[order].tolist(), strict=True))


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
        raise UsageError(f"there is no graph {place}: the data has 0..{len(data.graphs) - 1}.")
    graph = encode_new(data.graphs[[place]], model.encoder).floating()
    names = [str(each) for each in model.task.names]
    if name and name not in names:
        raise unknown_name(f"output of {model.task.kind}", name, names)
    column = names.index(name) if name else None
    if column is None and not isinstance(model.task, Classes):
        column = 0
    for member in model.members:
        member.eval()
    found = explain(lambda batch: answers(model, batch), graph, column)
    return Explained(
        place,
        names[found.column],
        UNITS[type(model.task)],
        graph.adj.to_dense(),
        found,
        node_labels(model, graph),
    )


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


def node_labels(model: Model, graph: Graphs) -> tuple[str, ...]:
    """Return symbols of atoms where the features are those of molecules, else numbers."""
    source = str(model.about.get("data", {}).get("source", ""))
    molecules = (model.reading and model.reading.reader in MOLECULES) or source.startswith(OGB)
    if molecules and graph.num_features == sum(ATOM_VALUES):
        return atoms(graph.x[:, : ATOM_VALUES[0]])
    return tuple(map(str, range(graph.num_nodes)))


def atoms(numbers: Tensor) -> tuple[str, ...]:
    """Return the symbols of one-hot atomic numbers `[n, 119]`, of which the last is any other."""
    return tuple(SYMBOLS[place] for place in numbers.argmax(1).tolist())
