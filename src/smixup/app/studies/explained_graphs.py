"""Several predictions of a kept model and what they rest on: of graphs that are named, or of those
that it is most and least sure of.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from smixup.analysis.explanation import MOST_NODES
from smixup.app.studies.explained import Explained, column_of, explain_prediction
from smixup.errors import SmixupError
from smixup.models import Model
from smixup.models.new_data import NewData
from smixup.tasks import Classes, Labels

NAMED = "As asked for"
SURE, UNSURE = "Most sure", "Least sure"
HIGH, LOW = "Highest", "Lowest"


@dataclass(frozen=True)
class ExplainedGraph:
    """One graph of several.

    Attributes:
        explained: what its prediction rests on.
        predicted: the probability of the class or label that is explained, or the value.
        about: what the data calls the graph, such as its SMILES; empty if nothing.
    """

    explained: Explained
    predicted: float
    about: str = ""


@dataclass(frozen=True)
class ExplainedGraphs:
    """Graphs with what their predictions rest on.

    Attributes:
        groups: by a heading that says why these were chosen.
        total: how many graphs the data has.
        left_out: how many could not be chosen: they have one node alone, or too many.
    """

    groups: dict[str, list[ExplainedGraph]]
    total: int
    left_out: int = 0


def explain_graphs(
    model: Model,
    data: NewData,
    places: Sequence[int] = (),
    name: str = "",
    number: int = 3,
    among: Tensor | None = None,
) -> ExplainedGraphs:
    """Explain the predictions for several graphs.

    Args:
        model: a kept model.
        data: graphs that it has read, see `Model.open`.
        places: which of them, counted from 0; none are the `number` that the model is most sure of
            and as many that it is least sure of, of values the highest and the lowest.
        name: of the class, label or quantity, see `explain_prediction`.
        number: of graphs in each group.
        among: places of those to choose from; all if None.
    """
    said = torch.from_numpy(model.predict_on(data).probabilities)
    column = column_of(model, name)
    groups, left_out = {NAMED: list(places)}, 0
    if not places:
        asked = torch.arange(len(said)) if among is None else among
        fit = _explainable(data, asked)
        groups, left_out = _extremes(model, said, column, fit, number), len(asked) - len(fit)
    found = {
        heading: [_explained(model, data, place, name, said) for place in chosen]
        for heading, chosen in groups.items()
        if chosen
    }
    return ExplainedGraphs(found, len(said), left_out)


def _explainable(data: NewData, asked: Tensor) -> Tensor:
    """Return those of some places whose graphs have something to take away, and not too much."""
    sizes = data.graphs.sizes[asked]
    places = asked[(sizes > 1) & (sizes <= MOST_NODES)]
    if not len(places):
        raise SmixupError(
            f"no graph can be explained: each has one node alone, or more than {MOST_NODES}."
        )
    return places


def _extremes(
    model: Model, said: Tensor, column: int | None, places: Tensor, number: int
) -> dict[str, list[int]]:
    """Return the graphs at both ends, none of them twice; few are shared between the ends."""
    values = said[places] if column is None else said[places, column]
    high, low = HIGH, LOW
    if isinstance(model.task, Classes | Labels):
        high, low = SURE, UNSURE
        values = values.max(1).values if column is None else (values - 0.5).abs()
    order = places[values.argsort(descending=True, stable=True)].tolist()
    first = order[: min(number, (len(order) + 1) // 2)]
    return {high: first, low: order[len(first) :][::-1][:number]}


def _explained(model: Model, data: NewData, place: int, name: str, said: Tensor) -> ExplainedGraph:
    found = explain_prediction(model, data, place, name)
    about = next((f"{key}: {cells[place]}" for key, cells in data.table.items()), "")
    return ExplainedGraph(found, float(said[place, found.found.column]), about)
