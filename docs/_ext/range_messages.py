"""The sentences with which fields and arguments refuse numbers outside their ranges.

They stand nowhere in the source: `smixup.ranges` makes them of what an annotation declares. Here
each field is given what it refuses, and what it says is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

from error_messages import FAR, Message

import smixup
from smixup.errors import SmixupError
from smixup.ranges import Declared, ranges_of


def range_messages() -> list[Message]:
    """Return the sentences of all fields of the package, each once per file."""
    return list(dict.fromkeys(_all()))


def _all() -> Iterator[Message]:
    for module in walk_packages(smixup.__path__, "smixup."):
        if module.name.endswith("__main__"):
            continue
        file = module.name.removeprefix("smixup.").replace(".", "/") + ".py"
        for name, each in vars(import_module(module.name)).items():
            if name[0] != "_" and getattr(each, "__module__", "") == module.name:
                for text in said_by(each):
                    yield Message(text, file, usage=True)


def said_by(thing: Any) -> Iterator[str]:
    """Yield what a class or a function says of numbers that its annotations rule out."""
    checks = isinstance(thing, type) or hasattr(thing, "__wrapped__")
    try:
        declared = ranges_of(thing) if checks else {}
    except (TypeError, ValueError, NameError):  # no signature, or hints for type checkers alone
        return
    for name, range_ in declared.items():
        yield refusal(name, range_)


def refusal(name: str, declared: Declared) -> str:
    """Return the sentence of a field: that for a number out of bounds, or else for no number."""
    for value in (*FAR, float("nan")):
        try:
            declared.require(name, [value] if declared.several else value)
        except SmixupError as error:
            return str(error).replace(repr(value), "‹value›")
    raise AssertionError(f"{name} refuses nothing.")
