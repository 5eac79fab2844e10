"""Text such as `alpha=0.2` against the constructor it is meant for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from inspect import Parameter, signature
from typing import Any

from smixup.choice import Choice
from smixup.errors import UsageError, unknown_name
from smixup.field_types import PLAIN, described, fits, plain_kinds
from smixup.hints import field_type
from smixup.numerals import number_of, whole_number_of
from smixup.ranges import require_ranges

WORDS = {"true": True, "yes": True, "false": False, "no": False, "none": None}


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
    whole = whole_number_of(text)
    number = number_of(text) if whole is None else whole
    return text if number is None else number


def checked_options(
    owner: str, factory: Callable[..., Any], options: Mapping[str, object]
) -> dict[str, Any]:
    """Return `options` as the keywords of `factory`, each of the type and in the range that its
    annotation asks for.
    """
    allowed = option_types(factory)
    for name in options:
        if name not in allowed and not allowed:
            raise UsageError(f"{owner} has no settings, so '{name}' cannot be set.")
        if name not in allowed:
            raise unknown_name(f"setting of {owner}", name, allowed)
    found = {name: _converted(owner, name, value, allowed[name]) for name, value in options.items()}
    require_ranges(factory, found, owner)
    return found


@cache
def parameters(factory: Callable[..., Any]) -> Mapping[str, Parameter]:
    """Return the parameters of a constructor; experiments ask for them thousands of times."""
    return signature(factory).parameters


@cache
def option_types(factory: Callable[..., Any]) -> Mapping[str, Any]:
    """Return the keywords of a constructor that text can set, with their types."""
    names = parameters(factory)
    if names.keys() <= {"args", "kwargs"}:
        return {}
    hints = {name: field_type(factory, name) for name in names}
    return {name: hint for name, hint in hints.items() if PLAIN.keys() >= {*plain_kinds(hint)}}


def _converted(owner: str, name: str, value: object, hint: Any) -> Any:
    readings: list[Any] = [literal(value), value] if isinstance(value, str) else [value]
    for reading in readings:
        if fits(reading, hint):
            wants_float = type(reading) is int and int not in plain_kinds(hint)
            reading = str(reading) if isinstance(reading, Choice) else reading
            return float(reading) if wants_float else reading
    raise UsageError(f"{name} of {owner} must be {described(hint)}, not {value!r}.")
