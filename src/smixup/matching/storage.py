"""A matcher on disk: see `SavedFolder`."""

from __future__ import annotations

from pathlib import Path

import torch

from smixup.errors import SmixupError, require
from smixup.graphs.codes import LAYOUTS
from smixup.matching.learned import LearnedMatcher
from smixup.saved import SavedFolder, joined, part

VERSION = 4
LEARNT = ("num_classes", "fit_scores")
RETIRED = {"top_k": None, "max_drop": 0.2, "attention": "dot"}
"""Settings of 0.2 that are gone, with the values that still load."""


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
    if about.get("kind") not in [*kinds()]:
        raise SmixupError(f"{saved.about} does not describe a matcher.")
    if about.get("version") != VERSION:
        raise SmixupError(
            f"{saved.about} was written by another smixup (format {str(about.get('version'))[:9]}, "
            f"this one reads {VERSION}): upgrade it, or fit and save the matcher again."
        )
    tensors = saved.read_tensors(about)
    with saved.described():
        settings = dict(about["settings"])
        if settings.pop("perplexity", None) is not None:  # of 0.2, led to a temperature
            settings["temperature"] = about["calibrated_temperature"]
        for name, value in RETIRED.items():
            if settings.get(name, value) == value:
                settings.pop(name, None)
        matcher = kinds()[about["kind"]](**settings)
        if about["codes"] is not None:
            matcher.codes = LAYOUTS.of(about["codes"]).known
            require(matcher.codes is not None, "codes", about["codes"], "numbers of values")
        with torch.device("meta"):  # widths are compared before memory is taken
            network, inputs = matcher.build(about["num_features"])
        network.load_state_dict(part(tensors, "network"), assign=True)
        inputs.load_state_dict(part(tensors, "inputs"), assign=True)
        learnt = {name: about[name] for name in LEARNT}
    vars(matcher).update(learnt, network=network, inputs=inputs)
    return matcher


def kinds() -> dict[str, type[LearnedMatcher]]:
    """Return the matchers that can be saved, by the name that files give them."""
    return {matcher.kind: matcher for matcher in LearnedMatcher.__subclasses__()}
