"""The settings of a run from a file: TOML, JSON, or what `smixup train --json` printed."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from smixup.app.runs.config import RunConfig
from smixup.errors import UsageError, unknown_name

TABLES = ("method_settings", "dataset_options")
PRINTED = "config"
"""Where `smixup train --json` has the settings, among scores."""

LARGEST = 1 << 20


def read_settings(path: Path) -> dict[str, Any]:
    """Return fields of a `RunConfig` by name; others are refused.

    ```toml
    dataset = "MOTIF"
    method = "s-mixup"
    epochs = 100
    [method_settings]
    alpha = 0.5
    ```
    """
    found = _parsed(path)
    found = found.get(PRINTED, found)
    if not isinstance(found, dict):
        raise UsageError(f"{path} holds no settings: it must be a table of names and values.")
    names = [each.name for each in fields(RunConfig)]
    for name in found:
        if name not in names:
            raise unknown_name(f"setting of a run in {path}", name, names)
    for name in TABLES:
        if not isinstance(found.get(name, {}), dict):
            raise UsageError(f"{name} in {path} must be a table of names and values.")
    return found


def prevailing(file: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings of a file under those that were said on the command line, where None says
    nothing; settings of method and data are laid over each other one by one.
    """
    chosen = {**file, **{name: value for name, value in said.items() if value is not None}}
    for name in TABLES:
        chosen[name] = {**file.get(name, {}), **(said.get(name) or {})}
    return chosen


def _parsed(path: Path) -> dict[str, Any]:
    try:
        if path.is_file() and path.stat().st_size > LARGEST:
            raise UsageError(f"{path} is too large for settings; name a .toml or .json file.")
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read the settings {path}: {error}.") from error
    try:
        parsed = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        kind = "JSON" if path.suffix == ".json" else "TOML"
        raise UsageError(f"{path} is no {kind}: {error}.") from error
    return parsed if isinstance(parsed, dict) else {PRINTED: parsed}
