"""Which files are read, told by the readers themselves: their docstrings and their options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Any

from smixup.datasets.readers.registry import EXAMPLES, READERS
from smixup.datasets.sources import ANY_OTHER, OGB, SOURCES
from smixup.documented import summary

NOT_OPTIONS = ("path", "like", "name", "root")
PUBLISHED = {
    "TU": (
        ANY_OTHER,
        "The text files of the TU collection, NAME_A.txt and its companions, in a zip, tar or "
        "folder.",
        "smixup data import NAME.zip",
    ),
    "OGB": (
        OGB,
        "The files of a set ogbg-mol*, in a zip, tar or folder with the name of the set.",
        "smixup data import tox21.zip",
    ),
}
"""Layouts that are imported first: their source, what they are, and how."""


@dataclass(frozen=True)
class Format:
    """A kind of files that can be read.

    Attributes:
        name: of the reader.
        reads: what the files hold, in words.
        options: what `--data NAME=VALUE` takes, each with its default if it has one.
        example: a command.
    """

    name: str
    reads: str
    options: tuple[str, ...]
    example: str


def formats() -> list[Format]:
    """Return all kinds of files that can be read."""
    own = [
        Format(
            name,
            summary(SOURCES.factory(name)),
            _options(SOURCES.factory(name)),
            EXAMPLES.get(name, "smixup data stats PATH"),
        )
        for name in READERS
    ]
    published = [
        Format(name, reads, _options(SOURCES.factory(source)), example)
        for name, (source, reads, example) in PUBLISHED.items()
    ]
    return [*own, *published]


def _options(reader: Callable[..., Any]) -> tuple[str, ...]:
    parameters = signature(reader).parameters.values()
    return tuple(_option(each) for each in parameters if each.name not in NOT_OPTIONS)


def _option(parameter: Parameter) -> str:
    default = parameter.default
    if default in (Parameter.empty, None, ""):
        return parameter.name
    shown = str(default).lower() if isinstance(default, bool) else default
    return f"{parameter.name}={shown}"
