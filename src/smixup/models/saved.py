"""A model as a folder, with a card to read."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from smixup.datasets.base import Reading
from smixup.datasets.features import encoder_from_dict, encoder_to_dict
from smixup.errors import SmixupError
from smixup.models.calibration import Calibration
from smixup.models.model import Backbone, Model
from smixup.saved import SavedFolder, is_whole, joined, part
from smixup.tasks import task_from_dict

CARD = "README.md"
KIND = "smixup-model-"
FORMAT = f"{KIND}2"
BEFORE = f"{KIND}1"  # of 0.1 and 0.2, with a digest of the file of the weights
SCORES = "scores"


def saved_model(folder: Path | str) -> SavedFolder:
    """Return the place of a model: weights, settings, and a card that tells what the model is."""
    return SavedFolder(Path(folder), "model", (CARD,))


def is_model(folder: Path) -> bool:
    """Tell whether a folder holds a model."""
    try:
        return str(saved_model(folder).read_about().get("format")).startswith(KIND)
    except SmixupError:
        return False


def save_model(model: Model, folder: Path | str) -> Path:
    """Write a model; the folder appears, or replaces an earlier model, when all is written."""
    calibration, reading = model.calibration, model.reading
    about = {
        "format": FORMAT,
        "task": model.task.to_dict(),
        "backbone": {"class": model.backbone.kind, "settings": plain(model.backbone.settings)},
        "members": len(model.members),
        "encoder": encoder_to_dict(model.encoder),
        "temperature": calibration.temperature,
        "calibrated by": calibration.numbers,
        "reading": None if reading is None else plain(asdict(reading)),
        "about": plain(model.about),
    }
    parts = {f"member.{place}": member.state_dict() for place, member in enumerate(model.members)}
    tensors = joined({**parts, "calibration": {SCORES: calibration.scores}})
    saved_model(folder).write(about, tensors, model.card)
    return Path(folder)


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
    if not written.startswith(KIND):
        raise SmixupError(f"{saved.about} does not describe a model of smixup.")
    if written not in (FORMAT, BEFORE):
        raise SmixupError(
            f"{saved.about} has the format {written}, and this version of smixup reads {FORMAT}."
        )
    tensors = saved.read_tensors(about, sealed=written == FORMAT)
    with saved.described():
        if written == BEFORE:
            digest = sha256(saved.weights.read_bytes()).hexdigest()
            if not is_whole(about) or about["weights"]["sha256"] != digest:
                raise SmixupError("a file has changed since it was written")
        backbone = Backbone(about["backbone"]["class"], about["backbone"]["settings"])
        members = []
        for place in range(int(about["members"])):
            member = backbone.build("meta")  # widths are compared before memory is taken
            member.load_state_dict(part(tensors, f"member.{place}"), assign=True)
            if not all(tensor.isfinite().all() for tensor in member.state_dict().values()):
                raise SmixupError("a weight is not finite")
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
    """Return a value made of what JSON has; numbers that are not finite become None.

    >>> plain({"score": float("nan"), "sizes": (1, 2)})
    {'score': None, 'sizes': [1, 2]}
    """
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    plain_already = value is None or isinstance(value, bool | int | float | str)
    return value if plain_already else str(value)
