"""A model as a folder: weights in safetensors, all else in JSON, a card to read; nothing that
executes when it is read.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from smixup.checkpoint import part
from smixup.datasets.base import Reading
from smixup.datasets.features import encoder_from_dict, encoder_to_dict
from smixup.errors import SmixupError
from smixup.files import is_whole, parsed, require_writable, restore_folder, seal, whole_folder
from smixup.models.backbone import Backbone
from smixup.models.calibration import Calibration
from smixup.models.model import Model
from smixup.tasks import task_from_dict

WEIGHTS, ABOUT, CARD = "model.safetensors", "model.json", "README.md"
FILES = {WEIGHTS, ABOUT, CARD}
KIND = "smixup-model-"
FORMAT = f"{KIND}1"
SCORES = "calibration.scores"
DAMAGES = (RuntimeError, LookupError, AttributeError, TypeError, ValueError, OverflowError)


def save_model(model: Model, folder: Path | str) -> Path:
    """Write a model; the folder appears, or replaces an earlier model, when everything is written.

    Example::

        model/  model.safetensors  weights of all members, and what predictions are calibrated by
                model.json         everything else
                README.md          a card that tells what the model is
    """
    folder = Path(folder)
    require_place(folder)
    tensors = {
        f"member.{place}.{name}": tensor.detach().cpu().contiguous()
        for place, member in enumerate(model.members)
        for name, tensor in member.state_dict().items()
    }
    weights = save(tensors | {SCORES: model.calibration.scores.contiguous()})
    about = _about(model)
    about["weights"] = {"file": WEIGHTS, "sha256": sha256(weights).hexdigest()}
    text = json.dumps(seal(about), indent=2, ensure_ascii=False, allow_nan=False)
    files = {WEIGHTS: weights, ABOUT: text.encode(), CARD: model.card.encode()}
    with whole_folder(folder, "the model") as new:
        for name, content in files.items():
            (new / name).write_bytes(content)
    return folder


def require_place(folder: Path) -> None:
    """Refuse a folder in which something else lives, or where nothing can be written; nothing is
    left there.
    """
    if folder.exists() and not folder.is_dir():
        raise SmixupError(f"{folder} is a file: name a new folder for the model.")
    if folder.is_dir():
        others = sorted(path.name for path in folder.iterdir() if path.name not in FILES)
        if others or (any(folder.iterdir()) and not is_model(folder)):
            what = f"holds {others[0]}" if others else "holds no model of smixup"
            raise SmixupError(f"{folder} exists and {what}: name a new folder for the model.")
    require_writable(folder, "the model", folder=True)


def is_model(folder: Path) -> bool:
    """Tell whether a folder holds a model."""
    try:
        about = parsed((folder / ABOUT).read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(about, dict) and str(about.get("format", "")).startswith(KIND)


def load_model(folder: Path | str) -> Model:
    """Read a model that `save_model`, `smixup train --out` or an estimator wrote.

    Example::

        model = smixup.load_model("model/")
        model.predict("new.csv").write("predictions.csv")

    Its files are checked by their digests; nothing in them is executed.
    """
    folder = Path(folder)
    about = _read_about(folder)
    tensors = _read_weights(folder, about)
    try:
        task = task_from_dict(about["task"])
        backbone = Backbone(about["backbone"]["class"], about["backbone"]["settings"])
        members = []
        for place in range(int(about["members"])):
            member = backbone.build("meta")  # widths are compared before memory is taken
            member.load_state_dict(part(tensors, f"member.{place}"), assign=True)
            members.append(member.eval())
        calibration = Calibration(float(about["temperature"]), tensors[SCORES])
        reading = about["reading"]
        return Model(
            task,
            backbone,
            tuple(members),
            encoder_from_dict(about["encoder"]),
            calibration,
            None if reading is None else Reading(**reading),
            about["about"],
        )
    except (SmixupError, *DAMAGES) as error:
        reason = f" ({error})" if isinstance(error, SmixupError) else ""
        raise SmixupError(
            f"{folder} is damaged: {WEIGHTS} and {ABOUT} do not describe one model{reason}; train "
            "it again."
        ) from error


def _about(model: Model) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "task": model.task.to_dict(),
        "backbone": {"class": model.backbone.kind, "settings": plain(model.backbone.settings)},
        "members": len(model.members),
        "encoder": encoder_to_dict(model.encoder),
        "temperature": model.calibration.temperature,
        "calibrated by": model.calibration.numbers,
        "reading": None if model.reading is None else plain(asdict(model.reading)),
        "about": plain(model.about),
    }


def _read_about(folder: Path) -> dict[str, Any]:
    path = folder / ABOUT
    restore_folder(folder)
    if not path.is_file():
        missing = f"{ABOUT} is missing" if folder.is_dir() else "there is no such folder"
        missing = "it is a file; name the folder of the model" if folder.is_file() else missing
        raise SmixupError(f"there is no model in {folder}: {missing}.")
    try:
        about = parsed(path.read_bytes())
    except (OSError, ValueError) as error:
        raise SmixupError(f"{path} cannot be read as JSON; train the model again.") from error
    written = str(about.get("format")) if isinstance(about, dict) else ""
    if not written.startswith(KIND) or not isinstance(about.get("about"), dict):
        raise SmixupError(f"{path} does not describe a model of smixup.")
    if written != FORMAT:
        raise SmixupError(
            f"{path} has the format {written}, and this version of smixup reads {FORMAT}: use the "
            "version that wrote it."
        )
    if not is_whole(about):
        raise SmixupError(f"{path} was changed after it was written; train the model again.")
    return dict(about)


def _read_weights(folder: Path, about: Mapping[str, Any]) -> dict[str, Tensor]:
    path = folder / WEIGHTS
    if not path.is_file():
        raise SmixupError(f"there is no model in {folder}: {WEIGHTS} is missing.")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SmixupError(f"cannot read {path}: {error.strerror}.") from error
    weights = about.get("weights")
    if not isinstance(weights, dict) or sha256(content).hexdigest() != weights.get("sha256"):
        raise SmixupError(
            f"{path} is damaged, or belongs to another model: its digest is not that of {ABOUT}; "
            "train the model again."
        )
    try:
        tensors: dict[str, Tensor] = load(content)
    except SafetensorError as error:
        raise SmixupError(f"{path} holds no weights; train the model again.") from error
    finite = (tensor.isfinite().all() for name, tensor in tensors.items() if name != SCORES)
    if not all(finite):
        raise SmixupError(f"{path} holds values that are not finite; train the model again.")
    return tensors


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
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value) if isinstance(value, Path) else repr(value)
