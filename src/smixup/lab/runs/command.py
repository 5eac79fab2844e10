"""The command that repeats a run."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from smixup.lab.runs.config import NAMING_FIELDS, RunConfig, configure

NESTED = {"method_settings": "--set", "dataset_options": "--data"}


def train_command(config: RunConfig) -> str:
    """Return a `smixup train` command line with what differs from the dataset's preset."""
    preset = configure(*(getattr(config, name) for name in NAMING_FIELDS)).to_dict()
    words = ["smixup", "train"]
    for name, value in config.to_dict().items():
        if name in NESTED:
            words += _pairs(NESTED[name], value)
        elif name in NAMING_FIELDS or value != preset[name]:
            words += _option(name, value)
    return shlex.join(words)


def _option(name: str, value: object) -> list[str]:
    flag = name.replace("_", "-")
    if isinstance(value, bool):
        return [f"--{flag}" if value else f"--no-{flag}"]
    return [f"--{flag}", str(value)]


def _pairs(flag: str, options: Mapping[str, Any]) -> Iterator[str]:
    for name, value in options.items():
        yield from (flag, f"{name}={value}")
