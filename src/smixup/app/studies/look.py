"""How thoroughly a matcher is fitted before its alignments are shown.

For a first look a fifth of the default steps is enough: on held-out pairs of MOTIF it keeps as much
of the motif as the full fit (docs/method.md has the table).
"""

from __future__ import annotations

from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import Any

from smixup.app.runs.build import make_matcher
from smixup.app.runs.opened import Opened
from smixup.app.runs.registry import MATCHERS
from smixup.errors import unknown_name

FITS = QUICK, FULL = ("quick", "full")
QUICK_STEPS = 25
STEPS = "max_steps"


def require_fit(fit: str) -> None:
    """Refuse what is neither a quick nor a full fit."""
    if fit not in FITS:
        raise unknown_name("fit", fit, FITS)


def learns(name: str) -> bool:
    """Tell whether a matcher of the registry is fitted step by step."""
    return name in MATCHERS.entries and STEPS in signature(MATCHERS.factory(name)).parameters


def fit_settings(name: str, fit: str) -> dict[str, Any]:
    """Return the settings of a matcher of the registry for such a fit."""
    return {STEPS: QUICK_STEPS} if fit == QUICK and learns(name) else {}


def with_fit(opened: Opened, which: str, fit: str) -> Opened:
    """Return an opened dataset whose matcher, unless it was saved, will have such a fit."""
    settings = fit_settings(which, fit)
    if not settings:
        return opened
    return replace(opened, chosen=make_matcher(which, opened.seed, settings))


def described(which: str, fit: str) -> str:
    """Return the name of a matcher, or of the folder it was saved in, and whether its fit was
    quick.
    """
    quick = f" (quick fit, {QUICK_STEPS} steps)" if fit_settings(which, fit) else ""
    return f"{Path(which).name}{quick}"
