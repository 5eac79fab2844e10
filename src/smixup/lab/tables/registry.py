"""Experiments by name; a new one is one file and one line here."""

from __future__ import annotations

from importlib import import_module

from smixup.errors import unknown_name
from smixup.lab.tables.experiment import Experiment

NAMES = (
    *("quick", "probe", "motif", "controls", "adaptive", "ladder", "few-labels"),
    *("noisy-labels", "teacher"),
    *("reddit", "bonds", "icml2026", "icml2026-search"),
    *("performance", "robustness", "strategies", "matchers", "normalization", "alpha"),
)


def experiment_named(name: str) -> Experiment:
    """Return an experiment, or raise the error that suggests another."""
    if name not in NAMES:
        raise unknown_name("experiment", name, NAMES)
    experiment: Experiment = import_module(
        f"smixup.lab.tables.definitions.{name.replace('-', '_')}"
    ).EXPERIMENT
    return experiment
