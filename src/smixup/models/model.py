"""A trained model with everything that predictions need, and what predictions are worth."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from smixup.classifiers import Classifier
from smixup.datasets.base import Dataset, Reading
from smixup.datasets.features import Encoder, encoder_from_dict, encoder_to_dict
from smixup.errors import SmixupError
from smixup.graphs import Graphs, PackedGraphs
from smixup.models.calibration import Calibration
from smixup.models.card import card_of
from smixup.models.new_data import open_new
from smixup.models.predictions import Predictions
from smixup.names import BACKBONES, MODELS
from smixup.saved import SavedFolder, joined, part
from smixup.tasks import Classes, Labels, Task, task_from_dict
from smixup.training.evaluation import Outputs, evaluation_batches
from smixup.training.metrics import metric_named

if TYPE_CHECKING:
    pass

USUAL_LEVEL = 0.9
EDGE_FEATURES = "num_edge_features"
CARD = "README.md"
FORMAT, BEFORE = "smixup-model-2", "smixup-model-1"  # of 0.1 and 0.2, with another digest
SCORES = "scores"


@dataclass(frozen=True)
class Backbone:
    """A classifier's class, one of `smixup.names.BACKBONES`, and the arguments of its constructor.

    >>> Backbone("GIN", {"num_features": 7, "num_classes": 2, "hidden_channels": 8}).name
    'gin'
    """

    kind: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, name: str, graphs: Graphs | PackedGraphs, **settings: Any) -> Backbone:
        """Return the backbone of a name, such as `gin`, for graphs as these."""
        kind = BACKBONES.factory(name)
        widths = {"num_features": graphs.num_features, "num_classes": graphs.num_classes}
        given = {**widths, EDGE_FEATURES: graphs.num_edge_features, **settings}
        taken = signature(kind).parameters  # a forest has no hidden channels
        return cls(kind.__name__, {key: given[key] for key in taken if key in given})

    @property
    def name(self) -> str:
        """The name by which people ask for it."""
        names = (name for name in MODELS if MODELS.factory(name).__name__ == self.kind)
        return next(names, self.kind)

    def build(self, device: str = "cpu") -> Classifier:
        """Make a classifier, with weights that are not trained yet; on the device `meta` it takes
        no memory.
        """
        if self.name not in MODELS.entries:
            raise SmixupError(f"this version of smixup knows no backbone {self.kind}: upgrade it.")
        kind = MODELS.factory(self.name)
        with torch.device(device):
            return kind(**self.settings)


@dataclass(frozen=True)
class Model:
    """A trained model, or several whose predictions are averaged.

    Example::

        model = smixup.load_model("model/")
        predictions = model.predict(new_graphs, level=0.9)  # a file, a name, or PyG graphs
        predictions.predicted, predictions.probabilities, predictions.sets
        print(model.card)

    Attributes:
        task: what it predicts.
        backbone: which classifier it is.
        members: one or several of these, trained, in evaluation mode.
        encoder: makes features as those it was trained on.
        calibration: by graphs that it was not trained on.
        reading: how its data was read, if that came from somebody's own files.
        about: where it comes from, in plain values: data, method, split, scores, versions.
    """

    task: Task
    backbone: Backbone
    members: tuple[Classifier, ...]
    encoder: Encoder
    calibration: Calibration
    reading: Reading | None = None
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def card(self) -> str:
        """What there is to know of the model, in plain English (Markdown)."""
        return card_of(self)

    def predict(
        self, source: Any, level: float | None = None, root: Path | None = None, **options: Any
    ) -> Predictions:
        """Predict for graphs.

        Args:
            source: the path of files like those of the training data, the name of a dataset or the
                folder of a packed one, `Graphs`, or graphs of PyG (a dataset, a list, a `Batch`);
                a list of networkx graphs, if it was trained on such or on GraphML.
            level: the probability with which sets of classes and intervals of values shall hold
                the truth, such as 0.9; None gives none.
            root: the data root, for datasets by name.
            options: of the reader or the dataset, if they differ from those of the training data.
        """
        if level is not None:
            self.calibration.require(level)
        return self.predict_on(self.open(source, root, **options), level)

    def open(self, source: Any, root: Path | None = None, **options: Any) -> Dataset:
        """Read graphs as those of the training data were read; see `predict`."""
        return open_new(source, self.reading, root, options, self.about.get("data"))

    def predict_on(self, data: Dataset, level: float | None = None) -> Predictions:
        """Predict for graphs that have been read."""
        outputs = self.logits(data.graphs) / self.calibration.temperature
        return Predictions(self.task, outputs, self.calibration, level, data.table)

    def logits(self, graphs: Graphs) -> Tensor:
        """Return outputs of all members together `[G, C]`, before calibration."""
        if not len(graphs):
            raise SmixupError("there is no graph to predict for.")
        edges = self.backbone.settings.get(EDGE_FEATURES)
        number = getattr(graphs, EDGE_FEATURES, 0)
        if edges is not None and number != edges:
            raise SmixupError(
                f"these graphs have {number or 'no'} features of edges, and the model was trained "
                f"on {edges}: make them as those of the training data."
            )
        batches = evaluation_batches(self.encoder(graphs))
        return torch.cat([self.outputs(batch).float() for batch in batches])

    @torch.no_grad()
    def outputs(self, batch: Graphs) -> Tensor:
        """Return outputs of all members together `[B, C]` for graphs with encoded features."""
        return together(self.task, [member(batch) for member in self.members])

    def save(self, folder: Path | str) -> Path:
        """Write the model to a folder, from which `load_model` reads it; the folder appears, or
        replaces an earlier model, when all is written.
        """
        calibration, reading = self.calibration, self.reading
        about = {
            "format": FORMAT,
            "task": self.task.to_dict(),
            "backbone": {"class": self.backbone.kind, "settings": plain(self.backbone.settings)},
            "members": len(self.members),
            "encoder": encoder_to_dict(self.encoder),
            "temperature": calibration.temperature,
            "calibrated by": calibration.numbers,
            "reading": None if reading is None else plain(asdict(reading)),
            "about": plain(self.about),
        }
        parts = {f"member.{place}": each.state_dict() for place, each in enumerate(self.members)}
        tensors = joined({**parts, "calibration": {SCORES: calibration.scores}})
        saved_model(folder).write(about, tensors, self.card)
        return Path(folder)


def saved_model(folder: Path | str) -> SavedFolder:
    """Return the place of a model."""
    return SavedFolder(Path(folder), "model", (CARD,))


def load_model(folder: Path | str) -> Model:
    """Read a model that `smixup train --out`, an estimator or `Model.save` wrote. Its files are
    checked by a digest; nothing in them is executed.

    Example::

        model = smixup.load_model("model/")
        model.predict("new.csv").write("predictions.csv")
    """
    saved = saved_model(folder)
    about = saved.read_about()
    written = str(about.get("format"))
    if written not in (FORMAT, BEFORE):
        raise SmixupError(
            f"{saved.about} has the format {written}, and this version of smixup reads {FORMAT}."
        )
    tensors = saved.read_tensors(about, sealed=written == FORMAT)
    with saved.described():
        backbone = Backbone(about["backbone"]["class"], about["backbone"]["settings"])
        members = []
        for place in range(int(about["members"])):
            member = backbone.build("meta")  # widths are compared before memory is taken
            member.load_state_dict(part(tensors, f"member.{place}"), assign=True)
            members.append(member.eval())
        reading = about["reading"]
        return Model(
            task_from_dict(about["task"]),
            backbone,
            tuple(members),
            encoder_from_dict(about["encoder"]),
            Calibration(float(about["temperature"]), part(tensors, "calibration")[SCORES]),
            None if reading is None else Reading(**reading),
            dict(about["about"]),
        )


def plain(value: Any) -> Any:
    """Return a value made of what JSON has; numbers that are not finite become None."""
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, bool | int | float | str | None) else str(value)


def together(
    task: Task, outputs: Sequence[Tensor], weights: Sequence[float] | None = None
) -> Tensor:
    """Return outputs `[G, C]` whose probabilities are the weighted mean of those of all members."""
    if len(outputs) == 1:
        return outputs[0]
    every = torch.stack(list(outputs)).double()
    share = every.new_tensor(weights or [1 / len(outputs)] * len(outputs)).view(-1, 1, 1)
    if isinstance(task, Classes):
        joined = (every.log_softmax(2) + share.log()).logsumexp(0)
    elif isinstance(task, Labels):
        holds, not_so = ((F.logsigmoid(x) + share.log()).logsumexp(0) for x in (every, -every))
        joined = holds - not_so
    else:
        joined = (share * every).sum(0)
    return joined.to(outputs[0].dtype)


def score_of(model: Model, data: Dataset, predictions: Predictions) -> str:
    """Return the score of predictions in words, nothing where there is none."""
    task, y = predictions.task, _targets(data, predictions.task)
    if y is None:
        return ""
    name = (model.about.get("scores") or {}).get("metric") or task.metrics[0]
    try:
        score = Outputs(predictions.outputs, y).evaluated(metric_named(name), task).score
    except SmixupError:  # such as a ROC-AUC of one class
        return ""
    return f"{name} {score:.4f}, going by the targets that are known"


def _targets(data: Dataset, task: Task) -> Tensor | None:
    """Return known targets in the columns of a model's task, None where there are none. Classes
    are known by their names: new data may have fewer of them.
    """
    y, own = data.graphs.y, data.task
    if not y.size(1) or bool(y.isnan().all()):
        return None
    if not isinstance(task, Classes) or not isinstance(own, Classes):
        return y if y.size(1) == task.width else None
    places = {str(name): place for place, name in enumerate(task.names)}
    columns = [places.get(str(name)) for name in own.names]
    if None in columns or len(columns) != y.size(1):
        return None
    return y.new_zeros(len(y), task.width).index_copy_(1, torch.tensor(columns), y)
