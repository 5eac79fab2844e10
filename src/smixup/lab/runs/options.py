"""Text such as `alpha=0.2` against the constructor it is meant for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import is_dataclass
from importlib import import_module
from inspect import get_annotations, signature
from types import NoneType, SimpleNamespace, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from smixup.choice import Choice
from smixup.errors import UsageError, unknown_name

WORDS = {"true": True, "yes": True, "false": False, "no": False, "none": None}
PLAIN = {int: "an integer", float: "a number", bool: "true or false", str: "text", NoneType: "none"}


def split_pairs(pairs: Iterable[str]) -> dict[str, str]:
    """Return `{"alpha": "0.2"}` for `["alpha=0.2"]`."""
    options: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"'{pair}' must have the form name=value.")
        options[name.strip().replace("-", "_")] = value.strip()
    return options


def literal(text: str) -> int | float | bool | str | None:
    """Return the number or word that a text denotes, else the text itself."""
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def checked_options(
    owner: str, factory: Callable[..., Any], options: Mapping[str, object]
) -> dict[str, Any]:
    """Return `options` as the keywords of `factory`, each of the type that its annotation asks
    for.
    """
    allowed = option_types(factory)
    for name in options:
        if name not in allowed and not allowed:
            raise UsageError(f"{owner} has no settings, so '{name}' cannot be set.")
        if name not in allowed:
            raise unknown_name(f"setting of {owner}", name, allowed)
    return {name: _converted(owner, name, value, allowed[name]) for name, value in options.items()}


def option_types(factory: Callable[..., Any]) -> dict[str, Any]:
    """Return the keywords of a constructor that text can set, with their types."""
    names = signature(factory).parameters
    if names.keys() <= {"args", "kwargs"}:
        return {}
    hints = {name: _hint(factory, name) for name in names}
    return {name: hint for name, hint in hints.items() if PLAIN.keys() >= {*_kinds(hint)}}


def _hint(factory: Callable[..., Any], name: str) -> Any:
    """Return the type of a keyword.

    The fields of a dataclass may come from several modules, each with names of its own; one that
    is known to type checkers alone is none that text can set.
    """
    owners = factory.__mro__ if isinstance(factory, type) else ()
    owner = next((each for each in owners if name in get_annotations(each)), None)
    maker = getattr(factory, "__init__", factory) if isinstance(factory, type) else factory
    if owner is None or not is_dataclass(factory):
        return get_type_hints(maker).get(name)
    alone = SimpleNamespace(__annotations__={name: get_annotations(owner)[name]})
    try:
        return get_type_hints(alone, vars(import_module(owner.__module__)))[name]
    except NameError:
        return None


def _kinds(hint: Any) -> list[Any]:
    """Return the plain types that a hint allows; a part chosen by name is a text."""
    if isinstance(hint, type) and issubclass(hint, Choice):
        return [str]
    if get_origin(hint) is Literal:
        return [type(choice) for choice in get_args(hint)]
    if get_origin(hint) in (Union, UnionType):
        return [kind for part in get_args(hint) for kind in _kinds(part)]
    return [hint]


def _converted(owner: str, name: str, value: object, hint: Any) -> Any:
    readings: list[Any] = [literal(value), value] if isinstance(value, str) else [value]
    for reading in readings:
        if _fits(reading, hint):
            wants_float = type(reading) is int and int not in _kinds(hint)
            reading = str(reading) if isinstance(reading, Choice) else reading
            return float(reading) if wants_float else reading
    raise UsageError(f"{name} of {owner} must be {_described(hint)}, not {value!r}.")


def _fits(value: object, hint: Any) -> bool:
    if get_origin(hint) is Literal:
        return value in get_args(hint)
    if get_origin(hint) in (Union, UnionType):
        return any(_fits(value, part) for part in get_args(hint))
    if isinstance(hint, type) and issubclass(hint, Choice):
        return isinstance(value, hint)
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return type(value) is hint


def _described(hint: Any) -> str:
    if get_origin(hint) is Literal:
        return "one of " + ", ".join(str(choice) for choice in get_args(hint))
    if get_origin(hint) in (Union, UnionType):
        parts = (part for part in get_args(hint) if part in PLAIN or get_origin(part))
        return " or ".join(_described(part) for part in parts)
    return PLAIN[hint]
