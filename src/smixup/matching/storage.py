"""A matcher on disk: weights in safetensors, everything else in JSON, nothing that executes when it
is read.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, get_origin, get_type_hints

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save

from smixup.checkpoint import Tensors, part
from smixup.errors import SmixupError, UsageError
from smixup.files import (
    DIGEST,
    is_whole,
    parsed,
    require_writable,
    restore_folder,
    seal,
    whole_folder,
)
from smixup.graphs.codes import LAYOUTS, Codes
from smixup.matching.learned import LearnedMatcher
from smixup.ranges import Natural, RangedFields, Width, fits

VERSION = 4  # 3 came with codes of categories, 4 with a digest
SEALED = 4
WEIGHTS, ABOUT = "matcher.safetensors", "matcher.json"
KEYS = ("settings", "num_features", "num_classes")


@dataclass
class Learnt(RangedFields):
    """What `fit` leaves beside the weights; files of older formats lack some of it."""

    num_features: Natural
    num_classes: Width | None
    fit_scores: dict[str, float] = field(default_factory=dict)
    held_out: bool = False
    dataset: str | None = None
    train_fingerprint: str | None = None


LEARNT = tuple(own.name for own in fields(Learnt) if own.name != "num_features")


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
        "codes": None if matcher.codes is None else str(matcher.codes),
        **{name: getattr(matcher, name) for name in LEARNT},
    }
    parts = {"network": matcher.network.state_dict(), "inputs": matcher.inputs.state_dict()}
    tensors = {
        f"{name}.{key}": tensor.cpu().contiguous()
        for name, state in parts.items()
        for key, tensor in state.items()
    }
    with whole_folder(folder, "the matcher") as new:
        (new / WEIGHTS).write_bytes(save(tensors))
        (new / ABOUT).write_text(json.dumps(seal(about, tensors), indent=2))


def require_place(folder: Path) -> None:
    """Refuse a folder in which something else lives, or where nothing can be written."""
    if folder.is_dir() and (not any(folder.iterdir()) or (folder / ABOUT).is_file()):
        return
    if folder.exists():
        raise SmixupError(f"{folder} exists and holds no matcher; name a new folder to save to.")
    require_writable(folder, "the matcher", folder=True)


def load_matcher(folder: Path) -> LearnedMatcher:
    """Read what `save_matcher` wrote; a folder in which a bit has changed is refused."""
    restore_folder(folder)
    about, tensors = _read_about(folder / ABOUT), _read_weights(folder / WEIGHTS)
    if (about["version"] >= SEALED or DIGEST in about) and not is_whole(about, tensors):
        raise SmixupError(
            f"the matcher in {folder} has changed since it was written; fit and save it again."
        )
    try:
        kind = kinds()[about["kind"]]
        matcher = kind(**_checked(kind, _settings(about)))
        matcher.codes = _codes(about.get("codes"))
        known = {own.name: about[own.name] for own in fields(Learnt) if own.name in about}
        learnt = Learnt(**_checked(Learnt, known))
        with torch.device("meta"):  # widths are compared before memory is taken
            network, inputs = matcher.build(learnt.num_features)
        network.load_state_dict(part(tensors, "network"), assign=True)
        inputs.load_state_dict(part(tensors, "inputs"), assign=True)
    except (SmixupError, RuntimeError, TypeError, ValueError) as error:
        detail = f" ({str(error).rstrip('.')})" if isinstance(error, UsageError) else ""
        raise SmixupError(
            f"{folder} is damaged: {WEIGHTS} and {ABOUT} do not describe one matcher{detail}; fit "
            "and save it again."
        ) from error
    matcher.network, matcher.inputs = network, inputs
    for name in LEARNT:
        setattr(matcher, name, getattr(learnt, name))
    return matcher


def _settings(about: dict[str, Any]) -> Any:
    """Return the settings; a wish for a perplexity, of 0.2 and before, is the temperature that
    fulfilled it.
    """
    settings = about["settings"]
    if not isinstance(settings, dict) or "perplexity" not in settings:
        return settings
    settings = dict(settings)
    if settings.pop("perplexity") is not None:
        settings["temperature"] = about.get("calibrated_temperature")
    return settings


def _codes(text: object) -> Codes | None:
    """Return the codes that a text describes; files of older formats have none."""
    codes = None if text is None else LAYOUTS.of(str(text))
    if codes is not None and not isinstance(codes, Codes):
        raise TypeError(f"codes = {text!r}")
    return codes


def kinds() -> dict[str, type[LearnedMatcher]]:
    """Return the matchers that can be saved, by the name that files give them."""
    return {matcher.kind: matcher for matcher in LearnedMatcher.__subclasses__()}


def _read_about(path: Path) -> dict[str, Any]:
    about = _read(path, lambda path: parsed(path.read_bytes()))
    version = about.get("version") if isinstance(about, dict) else None
    if type(version) is not int or version < 1 or about.get("kind") not in [*kinds()]:
        raise SmixupError(f"{path} does not describe a matcher.")
    if version > VERSION:
        raise SmixupError(
            f"{path} was written by a newer smixup (format {str(version)[:9]}, this one reads "
            f"{VERSION}): upgrade it."
        )
    if missing := [key for key in KEYS if key not in about]:
        raise SmixupError(
            f"{path} is incomplete: {', '.join(missing)} is missing; fit and save the matcher "
            "again."
        )
    return dict(about)


def _read_weights(path: Path) -> Tensors:
    tensors: Tensors = _read(path, load_file)
    if not all(t.dtype == torch.float32 and t.isfinite().all() for t in tensors.values()):
        raise SmixupError(
            f"{path} holds other values than finite 32-bit numbers; fit and save the matcher again."
        )
    return tensors


def _read(path: Path, parse: Callable[[Path], Any]) -> Any:
    if not path.is_file():
        raise SmixupError(f"there is no saved matcher in {path.parent}: {path.name} is missing.")
    try:
        return parse(path)
    except (SafetensorError, OSError, ValueError) as error:
        raise SmixupError(f"{path} is truncated or no matcher; fit and save it again.") from error


def _checked(kind: type, values: Any) -> dict[str, Any]:
    """Return values if each has the type of its field; Python does not ask."""
    if not isinstance(values, dict):
        raise TypeError("no names and values")
    hints = get_type_hints(kind)
    for name, value in values.items():
        if name not in hints or not _has_type(value, hints[name]):
            raise UsageError(f"{name[:60]} cannot be {value!r:.60}")
    return values


def _has_type(value: object, hint: Any) -> bool:
    if get_origin(hint) is dict:
        return isinstance(value, dict) and all(fits(number, float) for number in value.values())
    return fits(value, hint)
