"""A matcher on disk: see `SavedFolder`."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, get_origin, get_type_hints

import torch

from smixup.errors import SmixupError, UsageError
from smixup.graphs.codes import LAYOUTS, Codes
from smixup.matching.learned import LearnedMatcher
from smixup.ranges import Natural, RangedFields, Width, fits
from smixup.saved import DIGEST, SavedFolder, joined, part

VERSION = 4  # 3 came with codes of categories, 4 with a digest
SEALED = 4
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
    about = {
        "kind": matcher.kind,
        "version": VERSION,
        "settings": matcher.settings,
        "num_features": matcher.inputs.num_features,
        "codes": None if matcher.codes is None else str(matcher.codes),
        **{name: getattr(matcher, name) for name in LEARNT},
    }
    parts = {"network": matcher.network.state_dict(), "inputs": matcher.inputs.state_dict()}
    SavedFolder(folder, "matcher").write(about, joined(parts))


def load_matcher(folder: Path) -> LearnedMatcher:
    """Read what `save_matcher` wrote; a folder in which a bit has changed is refused."""
    saved = SavedFolder(folder, "matcher")
    about = saved.read_about()
    _require_version(about, saved.about)
    tensors = saved.read_tensors(about, sealed=about["version"] >= SEALED or DIGEST in about)
    with saved.described():
        kind = kinds()[about["kind"]]
        matcher = kind(**_checked(kind, _settings(about)))
        matcher.codes = _codes(about.get("codes"))
        known = {own.name: about[own.name] for own in fields(Learnt) if own.name in about}
        learnt = Learnt(**_checked(Learnt, known))
        if not all(t.dtype == torch.float32 and t.isfinite().all() for t in tensors.values()):
            raise SmixupError("there are other values than finite 32-bit numbers")
        with torch.device("meta"):  # widths are compared before memory is taken
            network, inputs = matcher.build(learnt.num_features)
        network.load_state_dict(part(tensors, "network"), assign=True)
        inputs.load_state_dict(part(tensors, "inputs"), assign=True)
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


def _require_version(about: dict[str, Any], path: Path) -> None:
    version = about.get("version")
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
