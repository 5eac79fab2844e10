"""Settings: ranges of numbers, parts chosen by name, and what the fields of a class may hold.

The command line and files of settings ask the same declarations, so that a number is refused in one
way wherever it comes from.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from inspect import signature
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Generic,
    Literal,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from smixup.errors import UsageError, require, unknown_name

T = TypeVar("T")
FORM = re.compile(r"\s*([\w-]+)\s*(?:\((.*)\))?\s*", re.DOTALL)
ROW = tuple[int, ...]
WORDS = {"true": True, "yes": True, "false": False, "no": False, "none": None}
PLAIN: Mapping[Any, str] = {
    int: "an integer",
    float: "a number",
    bool: "true or false",
    str: "text",
    NoneType: "none",
    ROW: "integers with spaces between",
}
"""What a field may hold that text can set, in words."""


@dataclass(frozen=True)
class Range:
    """Which finite numbers are allowed; the first two bounds are so themselves, the others not.

    Example::

        restart: Annotated[float, Range(above=0, below=1)] = 0.15
    """

    at_least: float = -math.inf
    at_most: float = math.inf
    above: float = -math.inf
    below: float = math.inf

    def __str__(self) -> str:
        bounds = {
            name.replace("_", " "): at for name, at in vars(self).items() if math.isfinite(at)
        }
        if bounds.keys() == {"at least", "at most"}:
            return f"between {self.at_least} and {self.at_most}"
        if bounds.keys() == {"at least"}:
            return f"{self.at_least} or more"
        return " and ".join(f"{word} {at}" for word, at in bounds.items())

    def __contains__(self, number: Any) -> bool:
        inside: bool = self.at_least <= number <= self.at_most and self.above < number < self.below
        return inside


Share = Annotated[float, Range(0, 1)]
PositiveShare = Annotated[float, Range(above=0, at_most=1)]
Dropout = Annotated[float, Range(at_least=0, below=1)]
NotNegative = Annotated[float, Range(0)]
Positive = Annotated[float, Range(above=0)]
Finite = Annotated[float, Range()]
Natural = Annotated[int, Range(0)]
Count = Annotated[int, Range(1)]


@dataclass(frozen=True)
class Declared:
    """What the annotation of a field says of its numbers: integers alone (`whole`), None as well
    (`optional`), a row of numbers (`several`).
    """

    range: Range
    whole: bool
    optional: bool
    several: bool = False

    def require(self, name: str, value: Any) -> None:
        """Refuse what is no finite number in the range."""
        if self.optional and value is None:
            return
        if self.several and isinstance(value, Iterable) and not isinstance(value, str):
            one = replace(self, optional=False, several=False)
            for number in value:
                one.require(f"a number in {name}", number)
            return
        fine = isinstance(value, Integral if self.whole else Real) and not isinstance(value, bool)
        fine = fine and (isinstance(value, Integral) or math.isfinite(value))
        if fine and value in self.range:
            return
        kind = "" if fine else "a whole number" if self.whole else "a finite number"
        allowed = ", ".join(filter(None, (kind, str(self.range))))
        text = value if isinstance(value, Real) else repr(value)
        require(False, name, text, allowed + (" or None" if self.optional else ""))


class RangedFields:
    """A dataclass whose numbers and `Literal` fields are checked when it is made; one with a
    `__post_init__` of its own calls this one there.

    Example::

        @dataclass
        class DropEdge(RangedFields):
            p: Share = 0.2
    """

    def __post_init__(self) -> None:
        kind: Callable[..., Any] = type(self)
        require_ranges(kind, vars(self))
        for name, hint in hints_of(kind).items():
            if get_origin(hint) is Literal:
                value, words = getattr(self, name), get_args(hint)
                require(value in words, name, value, "one of " + ", ".join(words))


def require_ranges(
    factory: Callable[..., Any], values: Mapping[str, object], owner: str = ""
) -> None:
    """Refuse values of keywords that are outside the ranges that a class or a function declares;
    `owner` is named in the error behind the keyword.

    >>> def rings(number: Count) -> int:
    ...     require_ranges(rings, locals())
    ...     return number
    >>> rings(0)
    Traceback (most recent call last):
    smixup.errors.UsageError: number must be 1 or more, not 0.
    """
    declared = ranges_of(factory)
    for name, value in values.items():
        if name in declared:
            declared[name].require(f"{name} of {owner}" if owner else name, value)


@cache
def ranges_of(factory: Callable[..., Any]) -> Mapping[str, Declared]:
    """Return what is declared of the numbers that a class or a function takes, by name."""
    ranges = {name: _declared(hint) for name, hint in hints_of(factory).items()}
    return {name: declared for name, declared in ranges.items() if declared is not None}


def _declared(hint: Any) -> Declared | None:
    """Return the range that a hint names, on its own, beside None or within a row."""
    for part in _union(hint):
        several = get_origin(part) in (tuple, list, Sequence, Iterable)
        number = get_args(part)[0] if several else part
        for entry in getattr(number, "__metadata__", ()):
            if isinstance(entry, Range):
                return Declared(entry, number.__origin__ is int, NoneType in _union(hint), several)
    return None


@cache
def hints_of(factory: Callable[..., Any]) -> Mapping[str, Any]:
    """Return the types of what a class or a function takes, by name, with the ranges that
    `Annotated` adds.
    """
    names = signature(factory).parameters  # none of a saved matcher, which is a partial function
    plain_class = isinstance(factory, type) and not is_dataclass(factory)
    maker = factory.__init__ if plain_class else factory
    hints = get_type_hints(maker, include_extras=True) if names else {}
    return {name: hints[name] for name in names if name in hints}


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
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        changed = [field.name for field in fields(self) if values[field.name] != field.default]
        inside = ", ".join(f"{name}={_spelled(values[name])}" for name in changed)
        return f"{self.name}({inside})" if inside else self.name


def _spelled(value: object) -> str:
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else f"{value}"


C = TypeVar("C", bound=Choice)


class Choices(Generic[C]):
    """All ways to do one thing, by name; `kind` says in words what is chosen."""

    def __init__(self, kind: str, *classes: type[C]) -> None:
        self.kind = kind
        self.classes = {kind.name: kind for kind in classes}

    def of(self, value: str | C) -> C:
        """Return the object that a text means; an object stays as it is."""
        if not isinstance(value, str):
            return value
        form = FORM.fullmatch(value)
        if form is None:
            raise UsageError(f"'{value}' is no {self.kind}: write name or name(field=value).")
        name, inside = form.groups()
        if name not in self.classes:
            raise unknown_name(self.kind, name, self.classes)
        parts = filter(None, map(str.strip, (inside or "").split(",")))
        return self.classes[name](
            **checked_options(f"{self.kind} {name}", self.classes[name], split_pairs(parts))
        )


def split_pairs(pairs: Iterable[str]) -> dict[str, str]:
    """Return `{"alpha": "0.2"}` for `["alpha=0.2"]`."""
    options: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"'{pair}' must have the form name=value.")
        options[name.strip().replace("-", "_")] = value.strip()
    return options


@cache
def option_types(factory: Callable[..., Any]) -> Mapping[str, Any]:
    """Return the keywords of a constructor that text can set, with their types."""
    hints = hints_of(factory)
    return {name: hint for name, hint in hints.items() if PLAIN.keys() >= {*plain_kinds(hint)}}


def checked_options(
    owner: str, factory: Callable[..., Any], options: Mapping[str, object]
) -> dict[str, Any]:
    """Return options as keywords of a factory, of the types and ranges that it asks for."""
    allowed = option_types(factory)
    for name in options:
        if name not in allowed:
            raise unknown_name(f"setting of {owner}", name, allowed or ["none"])
    values = {
        name: converted(value, allowed[name], f"{name} of {owner}")
        for name, value in options.items()
    }
    require_ranges(factory, values, owner)
    return values


def number_of(text: str, kind: type[float] = float) -> float | None:
    """Return the number that a text spells, which may be infinite or NaN; None if it spells none.
    Python's `float` reads more than anybody means, such as `1_0` and digits of other scripts.

    >>> number_of("1.5e3"), number_of(" -2 "), number_of("1_0"), number_of("ten")
    (1500.0, -2.0, None, None)
    """
    try:
        return kind(text) if "_" not in text and text.strip().isascii() else None
    except ValueError:  # also for an integer of some thousand digits
        return None


def literal(text: str) -> float | bool | str | None:
    """Return the number or word that a text denotes, else the text itself."""
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    numbers = (number_of(text, kind) for kind in (int, float))
    return next((number for number in numbers if number is not None), text)


def converted(value: object, hint: Any, name: str) -> Any:
    """Return a value, or what a text spells, as a field of this type holds it; `name` is what an
    error calls the field.
    """
    readings: list[Any] = [value]
    if isinstance(value, str):
        readings = [literal(value), value, tuple(map(literal, value.split()))]
    for reading in readings:
        if fits(reading, hint):
            wants_float = type(reading) is int and int not in plain_kinds(hint)
            reading = str(reading) if isinstance(reading, Choice) else reading
            return float(reading) if wants_float else reading
    raise UsageError(f"{name} must be {described(hint)}, not {value!r}.")


def fits(value: object, hint: Any) -> bool:
    """Tell whether a field of this type may hold a value; a whole number is a number, too."""
    parts = _members(hint)
    classes = tuple(part for part in parts if isinstance(part, type))
    return (
        type(value) in parts
        or (type(value) is int and float in parts)
        or (isinstance(value, Choice) and isinstance(value, classes))
        or (isinstance(value, tuple) and ROW in parts and {int} >= {*map(type, value)})
        or any(value in get_args(part) for part in parts if get_origin(part) is Literal)
    )


def plain_kinds(hint: Any) -> list[Any]:
    """Return the plain types that a hint allows; a part chosen by name is a text."""
    kinds: list[Any] = []
    for part in _members(hint):
        choice = isinstance(part, type) and issubclass(part, Choice)
        words = get_origin(part) is Literal
        kinds += map(type, get_args(part)) if words else [str if choice else part]
    return kinds


def described(hint: Any) -> str:
    """Return in words what a field of this type holds, as far as text can say it."""
    parts = _members(hint)
    literals = [get_args(part) for part in parts if get_origin(part) is Literal]
    words = ["one of " + ", ".join(map(str, choices)) for choices in literals]
    return " or ".join([*words, *(PLAIN[part] for part in parts if part in PLAIN)])


def _members(hint: Any) -> list[Any]:
    """Return the members of a union, or the hint alone, without what `Annotated` adds."""
    bare = [part.__origin__ if get_origin(part) is Annotated else part for part in _union(hint)]
    return [ROW if get_origin(part) is tuple else part for part in bare]


def _union(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
