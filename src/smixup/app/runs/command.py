"""The command that repeats a run."""

from __future__ import annotations

import shlex

from smixup.app.runs.config import NAMING_FIELDS, RunConfig, configure, tested_every_epoch

NESTED = {"method_settings": "--set", "dataset_options": "--data"}


def train_command(config: RunConfig) -> str:
    """Return a `smixup train` command line with what differs from the dataset's preset."""
    preset = configure(*(getattr(config, name) for name in NAMING_FIELDS)).to_dict()
    preset["test_every_epoch"] = tested_every_epoch(config.split)
    words = ["smixup", "train"]
    for name, value in config.to_dict().items():
        flag = name.replace("_", "-")
        if name in NESTED:
            for key, each in value.items():
                words += [NESTED[name], f"{key}={each}"]
        elif isinstance(value, bool) and value != preset[name]:
            words.append(f"--{flag}" if value else f"--no-{flag}")
        elif name in NAMING_FIELDS or value != preset[name]:
            words += [f"--{flag}", str(value)]
    return shlex.join(words)
