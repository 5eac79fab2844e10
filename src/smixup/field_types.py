"""What the fields of a class may hold, and whether a value is such: for settings from text."""

from __future__ import annotations

from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from smixup.choice import Choice

PLAIN = {int: "an integer", float: "a number", bool: "true or false", str: "text", NoneType: "none"}


def plain_kinds(hint: Any) -> list[Any]:
    """Return the plain types that a hint allows; a part chosen by name is a text."""
    if isinstance(hint, type) and issubclass(hint, Choice):
        return [str]
    if get_origin(hint) is Literal:
        return [type(choice) for choice in get_args(hint)]
    if get_origin(hint) in (Union, UnionType):
        return [kind for part in get_args(hint) for kind in plain_kinds(part)]
    return [hint]


def fits(value: object, hint: Any) -> bool:
    """Tell whether a field of this type may hold a value; a whole number is a number, too."""
    if get_origin(hint) is Literal:
        return value in get_args(hint)
    if get_origin(hint) in (Union, UnionType):
        return any(fits(value, part) for part in get_args(hint))
    if isinstance(hint, type) and issubclass(hint, Choice):
        return isinstance(value, hint)
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return type(value) is hint


def described(hint: Any) -> str:
    """Return in words what a field of this type holds, as far as text can say it."""
    if get_origin(hint) is Literal:
        return "one of " + ", ".join(str(choice) for choice in get_args(hint))
    if get_origin(hint) in (Union, UnionType):
        parts = (part for part in get_args(hint) if part in PLAIN or get_origin(part))
        return " or ".join(described(part) for part in parts)
    return PLAIN[hint]
