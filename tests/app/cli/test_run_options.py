"""The options of a run are fields of its configuration, under the same names."""

from __future__ import annotations

from dataclasses import fields

from smixup.app.cli.run_options import Changes
from smixup.app.runs.config import RunConfig


def test_every_option_is_a_field_and_says_nothing_by_default() -> None:
    names = {each.name for each in fields(RunConfig)}
    assert {each.name for each in fields(Changes)} <= names
    assert set(vars(Changes()).values()) == {None}


def test_every_field_can_be_set_on_the_command_line() -> None:
    named = {"dataset", "backbone", "method", "seed", "method_settings", "dataset_options"}
    assert {each.name for each in fields(RunConfig)} == named | {*vars(Changes())}
