"""What annotations say of the keywords of a constructor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import is_dataclass
from importlib import import_module
from inspect import get_annotations
from types import SimpleNamespace
from typing import Any, get_type_hints


def field_type(factory: Callable[..., Any], name: str, *, annotated: bool = False) -> Any:
    """Return the type of a keyword of a constructor, None if it has none.

    The fields of a dataclass may come from several modules, each with names of its own; one that
    is known to type checkers alone is none that text can set.

    Args:
        factory: a class or a function.
        name: of the keyword.
        annotated: return what `Annotated` adds to a type, too, such as a range.
    """
    owners = factory.__mro__ if isinstance(factory, type) else ()
    owner = next((each for each in owners if name in get_annotations(each)), None)
    maker = getattr(factory, "__init__", factory) if isinstance(factory, type) else factory
    if owner is None or not is_dataclass(factory):
        return get_type_hints(maker, include_extras=annotated).get(name)
    alone = SimpleNamespace(__annotations__={name: get_annotations(owner)[name]})
    names = vars(import_module(owner.__module__))
    try:
        return get_type_hints(alone, names, include_extras=annotated)[name]
    except NameError:
        return None
