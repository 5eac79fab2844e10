"""What a kept model's predictions rest on, for the test graphs of its own data."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from torch import Tensor

from smixup.app.runs.config import RunConfig
from smixup.app.runs.opened import choose_split
from smixup.app.studies.explained_graphs import ExplainedGraphs, explain_graphs
from smixup.datasets import load_dataset
from smixup.errors import SmixupError
from smixup.models import Model

NUMBER = 2
OTHERWISE = "`smixup explain MODEL DATA --out why.html` explains its predictions for any data"


def explain_held_out(
    model: Model, root: Path | None = None, number: int = NUMBER
) -> ExplainedGraphs:
    """Explain the test graphs that a model is most and least sure of, of values those with the
    highest and the lowest predictions.

    ```python
    found = explain_held_out(smixup.load_model("model/"))
    ```

    Args:
        model: that `smixup train --out` wrote; it knows its data and its split.
        root: the data root.
        number: of graphs in each group.
    """
    about = model.about.get("data", {})
    if "training" not in model.about or not about.get("source"):
        raise SmixupError(f"the model does not tell from which data it comes: {OTHERWISE}.")
    test = _test_graphs(model, root)
    data = model.open(str(about["source"]), root)
    return explain_graphs(model, data, number=number, among=test)


def _test_graphs(model: Model, root: Path | None) -> Tensor:
    """Return the places of the test graphs; data that is no longer what it was is refused."""
    config = RunConfig(**model.about["training"])
    dataset = load_dataset(config.dataset, root, **config.dataset_options)
    if dataset.graphs.fingerprint() != model.about["data"].get("fingerprint"):
        raise SmixupError(
            f"{dataset.name} has changed since the model was trained on it, so that its test "
            f"graphs are not known: {OTHERWISE}."
        )
    found = choose_split(dataset, config).test
    known = model.about["split"]["sha256"]["test"]
    if sha256(found.numpy().tobytes()).hexdigest() != known:
        raise SmixupError(f"the test graphs of the model are no longer known: {OTHERWISE}.")
    return found
