"""A matcher on disk: see `SavedFolder`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_origin, get_type_hints

import torch

from smixup.errors import SmixupError, UsageError, require
from smixup.graphs.codes import LAYOUTS
from smixup.matching.learned import LearnedMatcher
from smixup.saved import DIGEST, SavedFolder, joined, part
from smixup.settings import fits

VERSION = 4  # 3 came with codes of categories, 4 with a digest
SEALED = 4
LEARNT = ("num_classes", "fit_scores", "held_out", "dataset", "train_fingerprint")


def save_matcher(matcher: LearnedMatcher, folder: Path) -> None:
    """Write a fitted matcher, all of it or nothing."""
    if matcher.network is None or matcher.inputs is None:
        raise SmixupError(
            "this matcher has not learnt anything, so there is nothing to save: call fit(train)."
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
    version = about.get("version")
    if type(version) is not int or version < 1 or about.get("kind") not in [*kinds()]:
        raise SmixupError(f"{saved.about} does not describe a matcher.")
    if version > VERSION:
        raise SmixupError(
            f"{saved.about} was written by a newer smixup (format {str(version)[:9]}, this one "
            f"reads {VERSION}): upgrade it."
        )
    tensors = saved.read_tensors(about, sealed=version >= SEALED or DIGEST in about)
    with saved.described():
        kind, settings = kinds()[about["kind"]], dict(about["settings"])
        if settings.pop("perplexity", None) is not None:  # of 0.2 and before, led to a temperature
            settings["temperature"] = about["calibrated_temperature"]
        learnt = {name: about[name] for name in LEARNT if name in about}  # older formats lack some
        hints = get_type_hints(kind)
        for name, value in (settings | learnt).items():  # Python does not ask
            if name not in hints or not _has_type(value, hints[name]):
                raise UsageError(f"{name[:60]} cannot be {value!r:.60}")
        matcher = kind(**settings)
        if about.get("codes") is not None:
            matcher.codes = LAYOUTS.of(str(about["codes"])).known
            require(matcher.codes is not None, "codes", about["codes"], "numbers of values")
        if not all(t.dtype == torch.float32 and t.isfinite().all() for t in tensors.values()):
            raise SmixupError("there are other values than finite 32-bit numbers")
        with torch.device("meta"):  # widths are compared before memory is taken
            network, inputs = matcher.build(about["num_features"])
        network.load_state_dict(part(tensors, "network"), assign=True)
        inputs.load_state_dict(part(tensors, "inputs"), assign=True)
    vars(matcher).update(learnt, network=network, inputs=inputs)
    return matcher


def kinds() -> dict[str, type[LearnedMatcher]]:
    """Return the matchers that can be saved, by the name that files give them."""
    return {matcher.kind: matcher for matcher in LearnedMatcher.__subclasses__()}


def _has_type(value: object, hint: Any) -> bool:
    if get_origin(hint) is dict:
        return isinstance(value, dict) and all(fits(number, float) for number in value.values())
    return fits(value, hint)
