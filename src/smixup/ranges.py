"""Settings: ranges of numbers, parts chosen by name, and what the fields of a class may hold.

The command line and files of settings ask the same declarations, so that a number is refused in one
way wherever it comes from.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache, wraps
from importlib import import_module
from inspect import get_annotations, signature
from numbers import Integral, Real
from types import NoneType, SimpleNamespace, UnionType
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

from smixup.errors import UsageError, require, shown, unknown_name

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")
LARGEST = 3.4e38  # of single precision
SEVERAL = (tuple, list, Sequence, Iterable)
UNIONS = (Union, UnionType)
ROW = tuple[int, ...]
FORM = re.compile(r"\s*([\w-]+)\s*(?:\((.*)\))?\s*", re.DOTALL)
PLAIN = {int: "an integer", float: "a number", bool: "true or false", str: "text", NoneType: "none"}


@dataclass(frozen=True)
class Range:
    """Which finite numbers are allowed; one bound for each side.

    Example::

        hops: Annotated[int, Range(1, limit=1000)] = 3

    Attributes:
        at_least, at_most: bounds that are allowed themselves.
        above, below: bounds that are not.
        limit: an upper bound that keeps out slips and overflow, told to those alone who cross it.
    """

    at_least: float = -math.inf
    at_most: float = math.inf
    above: float = -math.inf
    below: float = math.inf
    limit: float = math.inf

    def __str__(self) -> str:
        named = {"at least": self.at_least, "above": self.above}
        named |= {"at most": self.at_most, "below": self.below}
        bounds = {word: _written(at) for word, at in named.items() if math.isfinite(at)}
        if bounds.keys() == {"at least", "at most"}:
            return f"between {bounds['at least']} and {bounds['at most']}"
        if bounds.keys() == {"at least"}:
            return f"{bounds['at least']} or more"
        return " and ".join(f"{word} {at}" for word, at in bounds.items())

    def __contains__(self, number: Any) -> bool:
        inside: bool = self.at_least <= number <= self.at_most and self.above < number < self.below
        return inside


def _written(bound: float) -> str:
    return f"{int(bound):,}" if bound == int(bound) and abs(bound) < 1e20 else f"{bound:,}"


Share = Annotated[float, Range(0, 1)]
PositiveShare = Annotated[float, Range(above=0, at_most=1)]
Dropout = Annotated[float, Range(at_least=0, below=1)]
NotNegative = Annotated[float, Range(0, limit=1e9)]
Positive = Annotated[float, Range(above=0, limit=1e9)]
Finite = Annotated[float, Range(limit=LARGEST)]
PositiveFinite = Annotated[float, Range(above=0, limit=LARGEST)]
Rate = Annotated[float, Range(above=0, limit=1000)]
Natural = Annotated[int, Range(0, limit=10**9)]
Count = Annotated[int, Range(1, limit=10**9)]
Rounds = Annotated[int, Range(0, limit=10**6)]
Steps = Annotated[int, Range(1, limit=10**6)]
Layers = Annotated[int, Range(1, limit=1000)]
Width = Annotated[int, Range(1, limit=65536)]
Seed = Annotated[int, Range(0, limit=2**63 - 1)]


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
        if self.several and isinstance(value, Iterable) and not isinstance(value, str):
            one = replace(self, optional=False, several=False)
            for number in value:
                one.require(f"a number in {name}", number)
        elif value is not None or not self.optional:
            self._require_one(name, value)

    def _require_one(self, name: str, value: Any) -> None:
        allowed = str(self.range) + (" or None" if self.optional else "")
        kind = Integral if self.whole else Real
        fine = isinstance(value, kind) and not isinstance(value, bool)
        if not fine or not (isinstance(value, Integral) or math.isfinite(value)):
            words = "a whole number" if self.whole else "a finite number"
            allowed = f"{words}, {allowed}".rstrip(", ")
        elif value in self.range:
            if value <= self.range.limit:
                return
            allowed = f"at most {_written(self.range.limit)}"
        text = str(value) if isinstance(value, Real) else repr(value)
        raise UsageError(f"{name} must be {allowed}, not {shown(text)}.")


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
        require_ranges(kind, {name: getattr(self, name) for name in ranges_of(kind)})
        for name, hint in hints_of(kind).items():
            if get_origin(hint) is Literal:
                value, words = getattr(self, name), get_args(hint)
                require(value in words, name, value, "one of " + ", ".join(words))


def in_range(function: F) -> F:
    """Let a function, or the constructor of a class that is no dataclass, check its numbers.

    >>> @in_range
    ... def rings(number: Count) -> int:
    ...     return number
    >>> rings(0)
    Traceback (most recent call last):
    smixup.errors.UsageError: number must be 1 or more, not 0.
    """
    names = signature(function)

    @wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        require_ranges(function, names.bind(*args, **kwargs).arguments)
        return function(*args, **kwargs)

    return checked  # type: ignore[return-value]


def require_ranges(
    factory: Callable[..., Any], values: Mapping[str, object], owner: str = ""
) -> None:
    """Refuse values of keywords that are outside the ranges that a class or a function declares;
    `owner` is named in the error behind the keyword.
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


def _declared(hint: Any, optional: bool = False) -> Declared | None:
    """Return the range that a hint names, on its own, beside None or within a row."""
    parts = get_args(hint)
    if get_origin(hint) is Annotated:
        ranges = [entry for entry in hint.__metadata__ if isinstance(entry, Range)]
        return Declared(ranges[0], parts[0] is int, optional) if ranges else None
    if get_origin(hint) in UNIONS:
        inner = (_declared(part, NoneType in parts) for part in parts)
        return next((declared for declared in inner if declared is not None), None)
    if get_origin(hint) in SEVERAL and (one := _declared(parts[0])) is not None:
        return replace(one, optional=optional, several=True)
    return None


@cache
def hints_of(factory: Callable[..., Any]) -> Mapping[str, Any]:
    """Return the types of what a class or a function takes, by name, with the ranges that
    `Annotated` adds. A type that is known to type checkers alone is left out: no text can set it.
    """
    if not is_dataclass(factory):
        maker = getattr(factory, "__init__", factory) if isinstance(factory, type) else factory
        names = signature(factory).parameters
        hints = get_type_hints(maker, include_extras=True) if names else {}
        return {name: hints[name] for name in names if name in hints}
    owners = {name: owner for owner in reversed(factory.__mro__) for name in get_annotations(owner)}
    hints = {}
    for name in (field.name for field in fields(factory) if field.init):
        alone = SimpleNamespace(__annotations__={name: get_annotations(owners[name])[name]})
        known = vars(import_module(owners[name].__module__))
        with suppress(NameError):
            hints |= get_type_hints(alone, known, include_extras=True)
    return hints


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
        hints, settings = get_type_hints(self.classes[name]), {}
        known = [field.name for field in fields(self.classes[name])]
        for part in filter(None, map(str.strip, (inside or "").split(","))):
            field, equals, text = map(str.strip, part.partition("="))
            if not equals:
                raise UsageError(f"'{part}' in {self.kind} {name} must have the form field=value.")
            if field not in known:
                raise unknown_name(f"field of {self.kind} {name}", field, known)
            read, words = READERS[hints[field]]
            settings[field] = read(text)
            if settings[field] is None:
                raise UsageError(f"{field} of {self.kind} {name} must be {words}, not '{text}'.")
        return self.classes[name](**settings)


def number_of(text: str) -> float | None:
    """Return the number that a text spells, which may be infinite or NaN; None if it spells none.
    Python's `float` reads more than anybody means, such as `1_0` and digits of other scripts.

    >>> number_of("1.5e3"), number_of(" -2 "), number_of("1_0"), number_of("ten")
    (1500.0, -2.0, None, None)
    """
    return _read(float, text)


def whole_number_of(text: str) -> int | None:
    """Return the whole number that a text spells, None if it spells none.

    >>> whole_number_of("12"), whole_number_of("1_2"), whole_number_of("12.0")
    (12, None, None)
    """
    return _read(int, text)


def _read(kind: Callable[[str], T], text: str) -> T | None:
    try:
        return kind(text) if "_" not in text and text.strip().isascii() else None
    except ValueError:  # also for an integer of some thousand digits
        return None


def _row(text: str) -> ROW | None:
    numbers = [whole_number_of(word) for word in text.split()]
    return None if None in numbers else tuple(number or 0 for number in numbers)


READERS: dict[Any, tuple[Callable[[str], Any], str]] = {
    int: (whole_number_of, PLAIN[int]),
    float: (number_of, PLAIN[float]),
    bool: (lambda text: {"true": True, "false": False}.get(text.lower()), PLAIN[bool]),
    ROW: (_row, "integers with spaces between"),
}
"""How a field of a choice is read, None if it cannot be, and what it must be."""


def _members(hint: Any) -> list[Any]:
    """Return the members of a union, or the hint alone, without what `Annotated` adds."""
    parts = get_args(hint) if get_origin(hint) in UNIONS else (hint,)
    return [get_args(part)[0] if get_origin(part) is Annotated else part for part in parts]


def plain_kinds(hint: Any) -> list[Any]:
    """Return the plain types that a hint allows; a part chosen by name is a text."""
    kinds: list[Any] = []
    for part in _members(hint):
        choice = isinstance(part, type) and issubclass(part, Choice)
        literal = get_origin(part) is Literal
        kinds += map(type, get_args(part)) if literal else [str if choice else part]
    return kinds


def fits(value: object, hint: Any) -> bool:
    """Tell whether a field of this type may hold a value; a whole number is a number, too."""
    parts = _members(hint)
    choices = [part for part in parts if isinstance(part, type) and issubclass(part, Choice)]
    return (
        type(value) in parts
        or (type(value) is int and float in parts)
        or isinstance(value, tuple(choices))
        or any(value in get_args(part) for part in parts if get_origin(part) is Literal)
    )


def described(hint: Any) -> str:
    """Return in words what a field of this type holds, as far as text can say it."""
    literals = [get_args(part) for part in _members(hint) if get_origin(part) is Literal]
    words = ["one of " + ", ".join(map(str, choices)) for choices in literals]
    return " or ".join([*words, *(PLAIN[part] for part in _members(hint) if part in PLAIN)])
