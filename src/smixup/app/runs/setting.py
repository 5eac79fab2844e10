"""The settings of a method or a matcher: what each means, what it may be, what it is by default."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from inspect import Parameter
from typing import Any

from smixup.app.runs.options import option_types, parameters
from smixup.documented import attributes
from smixup.field_types import described


@dataclass(frozen=True)
class Setting:
    """One setting that `--set` takes.

    Attributes:
        name: of the field.
        default: its value if nobody says otherwise.
        kind: what it may be, in words.
        meaning: what the docstring says of it.
    """

    name: str
    default: Any
    kind: str
    meaning: str


def settings_of(factory: Callable[..., Any]) -> list[Setting]:
    """Return the settings of a class, in the order of its fields."""
    meanings = attributes(factory) if isinstance(factory, type) else {}
    return [
        Setting(name, _default(factory, name), described(hint), meanings.get(name, ""))
        for name, hint in option_types(factory).items()
    ]


def _default(factory: Callable[..., Any], name: str) -> Any:
    """Return the default as text or a number: of a field that is made anew, what is made."""
    default = parameters(factory)[name].default
    if is_dataclass(factory):
        made = {each.name: each.default_factory for each in fields(factory)}
        if (make := made.get(name, MISSING)) is not MISSING:
            default = make()
    plain = default is None or isinstance(default, bool | int | float | str)
    return None if default is Parameter.empty else default if plain else str(default)
