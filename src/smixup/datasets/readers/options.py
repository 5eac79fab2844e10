"""Options of readers: given now, or given when files were read before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

from smixup.datasets.base import Reading
from smixup.errors import UsageError


def options_of(
    reader: Callable[..., Any], given: Mapping[str, Any], like: Reading | None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return all options of a reader by name: what is given now, else what was given for the files
    read before, else the default. Beside them those that are no default, for a `Reading`.

    Args:
        reader: a function whose options stand behind `path` and `like`.
        given: its arguments by name.
        like: of the files read before.
    """
    before = {} if like is None else like.options
    parameters = {
        name: each.default
        for name, each in signature(reader).parameters.items()
        if name not in ("path", "like")
    }
    options = {
        name: before.get(name, default) if given[name] == default else given[name]
        for name, default in parameters.items()
    }
    unusual = {name: value for name, value in options.items() if value != parameters[name]}
    return options, unusual


def names_of(names: Any) -> tuple[str, ...]:
    """Return names that are given as a list, or as text parted by commas.

    >>> names_of("colour, size")
    ('colour', 'size')
    """
    if names is None:
        return ()
    parts = names.split(",") if isinstance(names, str) else names
    parts = parts if isinstance(parts, list | tuple) else [parts]
    return tuple(str(each).strip() for each in parts if str(each).strip())


def require_one_of(name: str, value: object, allowed: tuple[str, ...]) -> None:
    """Raise the error for an option that is none of the words allowed."""
    if value not in allowed:
        raise UsageError(f"{name} must be {', '.join(allowed[:-1])} or {allowed[-1]}, not {value}.")
