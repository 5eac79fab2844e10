"""Parts that are chosen by name, with settings of their own: `one-to-one(noise=0.2)`.

In Python a part is an object, on the command line and in files it is that text; one can be made
from the other.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Generic, TypeVar, get_type_hints

from smixup.errors import UsageError, unknown_name
from smixup.ranges import RangedFields

WORDS = {"true": True, "false": False}
ROW = tuple[int, ...]
FORM = re.compile(r"\s*([\w-]+)\s*(?:\((.*)\))?\s*", re.DOTALL)


@dataclass(frozen=True)
class Choice(RangedFields):
    """One of several ways to do a thing; its fields are numbers, rows of whole numbers and truth
    values, all with defaults.

    Example::

        str(OneToOne(noise=0.2))     # "one-to-one(noise=0.2)"
        str(OneToOne())              # "one-to-one"
        str(Codes(nodes=(28, 4)))    # "codes(nodes=28 4)"
    """

    name: ClassVar[str]

    def __str__(self) -> str:
        changed = {
            each.name: getattr(self, each.name)
            for each in fields(self)
            if getattr(self, each.name) != each.default
        }
        inside = ", ".join(f"{name}={_spelled(value)}" for name, value in changed.items())
        return f"{self.name}({inside})" if inside else self.name


T = TypeVar("T", bound=Choice)


class Choices(Generic[T]):
    """All ways to do one thing, by name.

    Args:
        kind: what is chosen, in words.
        classes: the ways.
    """

    def __init__(self, kind: str, *classes: type[T]) -> None:
        self.kind = kind
        self.classes = {each.name: each for each in classes}

    def of(self, value: str | T) -> T:
        """Return the object that a text means; an object stays as it is."""
        if not isinstance(value, str):
            return value
        form = FORM.fullmatch(value)
        if form is None:
            raise UsageError(f"'{value}' is no {self.kind}: write name or name(field=value).")
        name, inside = form.groups()
        if name not in self.classes:
            raise unknown_name(self.kind, name, self.classes)
        return self.classes[name](**self._settings(name, inside or ""))

    def _settings(self, name: str, text: str) -> dict[str, float | bool | ROW]:
        hints, settings = get_type_hints(self.classes[name]), {}
        known = [each.name for each in fields(self.classes[name])]
        for part in filter(None, (each.strip() for each in text.split(","))):
            field, equals, value = (each.strip() for each in part.partition("="))
            if not equals:
                raise UsageError(f"'{part}' in {self.kind} {name} must have the form field=value.")
            if field not in known:
                raise unknown_name(f"field of {self.kind} {name}", field, known)
            settings[field] = _read(hints[field], value, f"{field} of {self.kind} {name}")
        return settings


def _read(hint: Any, text: str, what: str) -> float | bool | ROW:
    """Return a text as what a field holds."""
    readers: dict[Any, Callable[[str], float | bool | ROW]] = {
        bool: lambda text: WORDS[text.lower()],
        int: int,
        float: float,
        ROW: lambda text: tuple(map(int, text.split())),
    }
    try:
        return readers[hint](text)
    except (KeyError, ValueError):
        words = {bool: "true or false", int: "an integer", ROW: "integers with spaces between"}
        wanted = words.get(hint, "a number")
        raise UsageError(f"{what} must be {wanted}, not '{text}'.") from None


def _spelled(value: object) -> str:
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else f"{value}"
