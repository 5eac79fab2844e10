"""A matcher on disk: weights in safetensors, everything else in JSON, nothing that executes when it
is read.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args, get_type_hints

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save

from smixup.checkpoint import Tensors, part
from smixup.errors import SmixupError
from smixup.files import require_writable, whole_folder
from smixup.graphs.codes import LAYOUTS, Codes
from smixup.matching.learned import LearnedMatcher

VERSION = 3  # 3 came with codes of categories
WEIGHTS, ABOUT = "matcher.safetensors", "matcher.json"
KEYS = ("settings", "num_features", "num_classes")
LEARNT = {
    "calibrated_temperature": (float, type(None)),
    "fit_scores": (dict,),
    "held_out": (bool,),
    "dataset": (str, type(None)),
    "train_fingerprint": (str, type(None)),
}


def save_matcher(matcher: LearnedMatcher, folder: Path) -> None:
    """Write a fitted matcher; the folder appears, or replaces an earlier matcher, when everything
    is written.
    """
    if matcher.network is None or matcher.inputs is None:
        raise SmixupError(
            "this matcher has not learnt anything yet, so there is nothing to save: call "
            "fit(train)."
        )
    require_place(folder)
    about = {
        "kind": matcher.kind,
        "version": VERSION,
        "settings": matcher.settings,
        "num_features": matcher.inputs.num_features,
        "num_classes": matcher.num_classes,
        "codes": None if matcher.codes is None else str(matcher.codes),
        **{name: getattr(matcher, name) for name in LEARNT},
    }
    parts = {"network": matcher.network.state_dict(), "inputs": matcher.inputs.state_dict()}
    tensors = {
        f"{name}.{key}": t.cpu().contiguous()
        for name, all in parts.items()
        for key, t in all.items()
    }
    with whole_folder(folder, "the matcher") as new:
        (new / WEIGHTS).write_bytes(save(tensors))
        (new / ABOUT).write_text(json.dumps(about, indent=2))


def require_place(folder: Path) -> None:
    """Refuse a folder in which something else lives, or where nothing can be written."""
    if folder.is_dir() and (not any(folder.iterdir()) or (folder / ABOUT).is_file()):
        return
    if folder.exists():
        raise SmixupError(f"{folder} exists and holds no matcher; name a new folder to save to.")
    require_writable(folder, "the matcher", folder=True)


def load_matcher(folder: Path) -> LearnedMatcher:
    """Read what `save_matcher` wrote."""
    about = _read_about(folder / ABOUT)
    tensors = _read_weights(folder / WEIGHTS)
    try:
        kind = kinds()[about["kind"]]
        matcher = kind(**_checked(kind, about["settings"]))
        matcher.codes = _codes(about.get("codes"))
        with torch.device("meta"):  # widths are compared before memory is taken
            network, inputs = matcher.build(about["num_features"])
        network.load_state_dict(part(tensors, "network"), assign=True)
        inputs.load_state_dict(part(tensors, "inputs"), assign=True)
    except (SmixupError, RuntimeError, TypeError, ValueError) as error:
        raise SmixupError(
            f"{folder} is damaged: {WEIGHTS} and {ABOUT} do not describe one matcher; fit and save "
            "it again."
        ) from error
    matcher.network, matcher.inputs = network, inputs
    matcher.num_classes = about["num_classes"]
    for name, types in LEARNT.items():
        value = about.get(name, getattr(matcher, name))
        if not isinstance(value, types):
            raise SmixupError(f"{folder / ABOUT} is damaged: {name} cannot be {value!r}.")
        setattr(matcher, name, value)
    return matcher


def _codes(text: object) -> Codes | None:
    """Return the codes that a text describes; files of older formats have none."""
    codes = None if text is None else LAYOUTS.of(str(text))
    if codes is not None and not isinstance(codes, Codes):
        raise TypeError(f"codes = {text!r}")
    return codes


def kinds() -> dict[str, type[LearnedMatcher]]:
    """Return the matchers that can be saved, by the name that files give them."""
    return {each.kind: each for each in LearnedMatcher.__subclasses__()}


def _read_about(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise SmixupError(f"there is no saved matcher in {path.parent}: {path.name} is missing.")
    try:
        about = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise SmixupError(f"{path} is truncated or no matcher; fit and save it again.") from error
    if (
        not isinstance(about, dict)
        or about.get("kind") not in kinds()
        or not isinstance(about.get("version"), int)
    ):
        raise SmixupError(f"{path} does not describe a matcher.")
    if about["version"] > VERSION:
        raise SmixupError(
            f"{path} was written by a newer smixup (format {about['version']}, this one reads "
            f"{VERSION}): upgrade it."
        )
    if missing := [key for key in KEYS if key not in about]:
        raise SmixupError(
            f"{path} is incomplete: {', '.join(missing)} is missing; fit and save the matcher "
            "again."
        )
    return about


def _read_weights(path: Path) -> Tensors:
    if not path.is_file():
        raise SmixupError(f"there is no saved matcher in {path.parent}: {path.name} is missing.")
    try:
        tensors: Tensors = load_file(path)
    except (SafetensorError, OSError) as error:
        raise SmixupError(f"{path} is truncated or no matcher; fit and save it again.") from error
    if not all(
        tensor.dtype == torch.float32 and tensor.isfinite().all() for tensor in tensors.values()
    ):
        raise SmixupError(
            f"{path} holds other values than finite 32-bit numbers; fit and save the matcher again."
        )
    return tensors


def _checked(kind: type[LearnedMatcher], settings: Any) -> dict[str, Any]:
    """Return the settings if each has the type of its field; Python does not ask."""
    hints = get_type_hints(kind)
    if not isinstance(settings, dict):
        raise TypeError("settings")
    for name, value in settings.items():
        kinds = get_args(hints[name]) or (hints[name],) if name in hints else ()
        if type(value) not in (*kinds, *((int,) if float in kinds else ())):
            raise TypeError(f"{name} = {value!r}")
    return settings
