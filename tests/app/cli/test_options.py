"""Shared options have one help text, in whole sentences, and a group of them is one argument."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import pytest
import typer
from typer.main import get_command
from typer.testing import CliRunner

from smixup.app.cli import options
from smixup.app.cli.main import app
from smixup.app.cli.options import dataset_options, option, with_options
from smixup.app.runs.config import SPLITS
from smixup.app.runs.registry import BACKBONES, MATCHERS, METHODS
from smixup.errors import UsageError
from smixup.training.settings import ACCELERATORS, PRECISIONS


def parameters(command: Any, path: str = "smixup") -> Iterator[tuple[str, str, str]]:
    """Command, name and help text of every option and argument."""
    for each in command.params:
        yield path, each.name, each.help or ""
    for name, inner in getattr(command, "commands", {}).items():
        yield from parameters(inner, f"{path} {name}")


PARAMETERS = [each for each in parameters(get_command(app)) if each[1] != "help"]


def test_every_help_text_is_a_sentence() -> None:
    assert len(PARAMETERS) > 100
    wrong = [
        f"{command} {name}: {text}"
        for command, name, text in PARAMETERS
        if not re.fullmatch(r"(?!Of |In )[A-Z].*\.", text)
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", ["root", "data", "threads", "as_json"])
def test_one_option_has_one_text_in_all_commands(name: str) -> None:
    texts = [text for _, parameter, text in PARAMETERS if parameter == name]
    assert len(texts) > 1
    assert len(set(texts)) == 1


@pytest.mark.parametrize(
    ("command", "name", "known"),
    [
        ("train", "method", METHODS),
        ("train", "backbone", BACKBONES),
        ("train", "split", SPLITS),
        ("train", "accelerator", ACCELERATORS),
        ("train", "precision", PRECISIONS),
        ("explore", "matcher", MATCHERS),
    ],
)
def test_help_names_every_choice(command: str, name: str, known: Iterable[str]) -> None:
    (text,) = (each[2] for each in PARAMETERS if each[:2] == (f"smixup {command}", name))
    assert set(known) <= set(re.findall(r"[\w-]+", text))


def test_dataset_options_are_numbers_and_words() -> None:
    found = dataset_options(["num_graphs=40", "features=degree", "noise=0.5"])
    assert found == {"num_graphs": 40, "features": "degree", "noise": 0.5}
    assert dataset_options(None) == {}
    with pytest.raises(UsageError, match="'colour' must have the form name=value"):
        dataset_options(["colour"])


@dataclass
class Taste:
    """What the command of the next test is given."""

    sweet: Annotated[bool | None, option("Sweet.", "--sweet/--sour")] = None
    spices: Annotated[list[str] | None, option("Spice.", "--spice")] = None


def test_with_options_gives_a_group_as_one_argument() -> None:
    kitchen, served = typer.Typer(), []

    @kitchen.command()
    @with_options(taste=Taste)
    def cook(dish: str, threads: options.Threads = None, *, taste: Taste) -> None:
        """Cook."""
        served.append((dish, threads, taste))

    words = ["soup", "--spice", "salt", "--threads", "2", "--spice", "pepper", "--sour"]
    assert CliRunner().invoke(kitchen, words).exit_code == 0
    assert CliRunner().invoke(kitchen, ["tea"]).exit_code == 0
    assert served[0] == ("soup", 2, Taste(False, ["salt", "pepper"]))
    assert served[1][2].sweet is None
    assert not served[1][2].spices
    assert CliRunner().invoke(kitchen, ["tea", "--taste", "x"]).exit_code == 2
