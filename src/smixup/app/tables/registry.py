"""Experiments by name; a new one is one file and one line here."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from smixup.errors import unknown_name

if TYPE_CHECKING:
    from smixup.app.tables.experiment import Experiment

DEFINITIONS = Path(__file__).parent / "definitions"

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
        f"smixup.app.tables.definitions.{name.replace('-', '_')}"
    ).EXPERIMENT
    return experiment


def title_of(name: str) -> str:
    """Return the title of an experiment as its file says it, without running the file: a list of
    names needs no torch.
    """
    file = DEFINITIONS / f"{name.replace('-', '_')}.py"
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.keyword) and node.arg == "title":
            return str(ast.literal_eval(node.value))
    return experiment_named(name).title
