"""Settings: ranges of numbers, parts chosen by name, and what the fields of a class may hold.

Example::

    @dataclass
    class DropEdge(RangedFields):
        p: Share = 0.2                                             # a range that has a name
        hops: Annotated[int, Range(1, limit=1000)] = 3     # one of its own
        partners: Count | None = None                              # or nothing

The command line and files of settings ask the same declarations, so that a number is refused in one
way wherever it comes from.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
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
    ParamSpec,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from smixup.errors import UsageError, require, unknown_name

P = ParamSpec("P")
R = TypeVar("R")
LARGEST = 3.4e38  # of single precision
SHOWN_DIGITS = 40
SEVERAL = (tuple, list, Sequence, Iterable)
UNIONS = (Union, UnionType)
WORDS = {"true": True, "false": False}
ROW = tuple[int, ...]
FORM = re.compile(r"\s*([\w-]+)\s*(?:\((.*)\))?\s*", re.DOTALL)
PLAIN = {int: "an integer", float: "a number", bool: "true or false", str: "text", NoneType: "none"}
T = TypeVar("T")


@dataclass(frozen=True)
class Range:
    """Which finite numbers are allowed; one bound for each side.

    Attributes:
        at_least, at_most: bounds that are allowed themselves.
        above, below: bounds that are not.
        limit: an upper bound that is there to keep out slips and overflow, far above any sensible
            choice; nobody is told of it who does not cross it.
    """

    at_least: float | None = None
    at_most: float | None = None
    above: float | None = None
    below: float | None = None
    limit: float | None = None

    def __str__(self) -> str:
        if self.at_least is not None and self.at_most is not None:
            return f"between {_written(self.at_least)} and {_written(self.at_most)}"
        if self.at_least is not None and self.below is None:
            return f"{_written(self.at_least)} or more"
        named = {"at least": self.at_least, "above": self.above}
        named |= {"at most": self.at_most, "below": self.below}
        return " and ".join(
            f"{word} {_written(at)}" for word, at in named.items() if at is not None
        )

    def __contains__(self, number: Any) -> bool:
        """Tell whether a number is within the bounds, apart from the limit. An integer may be too
        long for a float, and can be compared with one.
        """
        return (
            (self.at_least is None or number >= self.at_least)
            and (self.above is None or number > self.above)
            and (self.at_most is None or number <= self.at_most)
            and (self.below is None or number < self.below)
        )


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
    """What the annotation of a field says of its numbers.

    Attributes:
        range: of each number.
        whole: integers alone.
        optional: None is allowed, too.
        several: the field holds a row of numbers.
    """

    range: Range
    whole: bool
    optional: bool
    several: bool = False

    def require(self, name: str, value: object) -> None:
        """Refuse a value outside the range."""
        if self.several and isinstance(value, Iterable) and not isinstance(value, str):
            for number in value:
                self._require_one(f"a number in {name}", number)
        elif value is not None or not self.optional:
            self._require_one(name, value, " or None" if self.optional else "")

    def _require_one(self, name: str, value: object, or_none: str = "") -> None:
        """Refuse what is no finite number in the range; `or_none` says what else there might be."""
        number: Any = value if _is_number(value, self.whole) else None
        limit = self.range.limit
        if number is not None and number in self.range and (limit is None or number <= limit):
            return
        allowed = f"{self.range}{or_none}"
        if number is None:
            kind = "a whole number" if self.whole else "a finite number"
            comma = "," if allowed[:1].isdigit() else ""
            allowed = f"{kind}{comma} {allowed.strip()}".strip()
        elif number in self.range:
            allowed = f"at most {_written(limit or 0)}"
        raise UsageError(f"{name} must be {allowed}, not {_shown(value)}.")


def _is_number(value: object, whole: bool) -> bool:
    """Tell whether a value is a finite number, or a whole one."""
    if isinstance(value, bool):
        return False
    finite = isinstance(value, Integral) or (isinstance(value, Real) and math.isfinite(value))
    return isinstance(value, Integral) if whole else finite


def _shown(value: object) -> str:
    """Return a value as Python writes it, if that is short."""
    if isinstance(value, int) and abs(value) >= 10**SHOWN_DIGITS:
        return f"a number of more than {SHOWN_DIGITS} digits"
    text = f"{value}" if isinstance(value, Real) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _written(bound: float) -> str:
    return f"{int(bound):,}" if bound == int(bound) and abs(bound) < 1e20 else f"{bound:,}"


class RangedFields:
    """A dataclass whose numbers and `Literal` fields are checked when it is made; one with a
    `__post_init__` of its own calls this one there.
    """

    def __post_init__(self) -> None:
        kind: Callable[..., Any] = type(self)
        require_ranges(kind, {name: getattr(self, name) for name in ranges_of(kind)})
        for name, words in words_of(kind).items():
            value = getattr(self, name)
            require(value in words, name, value, "one of " + ", ".join(words))


def in_range(function: Callable[P, R]) -> Callable[P, R]:
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
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        require_ranges(function, names.bind(*args, **kwargs).arguments)
        return function(*args, **kwargs)

    return checked


def require_ranges(
    factory: Callable[..., Any], values: Mapping[str, object], owner: str = ""
) -> None:
    """Refuse values of keywords that are outside the ranges that their annotations name.

    Args:
        factory: the class or function that declares them.
        values: by name; what has no range is not looked at.
        owner: named in the error behind the keyword.
    """
    declared = ranges_of(factory)
    for name, value in values.items():
        if name in declared:
            declared[name].require(f"{name} of {owner}" if owner else name, value)


@cache
def ranges_of(factory: Callable[..., Any]) -> Mapping[str, Declared]:
    """Return what is declared of the numbers that a class or a function takes, by name."""
    if is_dataclass(factory):
        names = [field.name for field in fields(factory) if field.init]
    else:
        names = [*signature(factory).parameters]
    ranges = {name: declared(field_type(factory, name, annotated=True)) for name in names}
    return {name: range_ for name, range_ in ranges.items() if range_ is not None}


@cache
def words_of(kind: type) -> Mapping[str, tuple[str, ...]]:
    """Return the words that `Literal` fields of a dataclass may hold, by name."""
    hints = {field.name: field_type(kind, field.name) for field in fields(kind) if field.init}
    return {name: get_args(hint) for name, hint in hints.items() if get_origin(hint) is Literal}


def declared(hint: Any, optional: bool = False) -> Declared | None:
    """Return the range that a hint names, on its own, beside None or within a row."""
    parts = get_args(hint)
    if get_origin(hint) is Annotated:
        ranges = [entry for entry in hint.__metadata__ if isinstance(entry, Range)]
        return Declared(ranges[0], parts[0] is int, optional) if ranges else None
    if get_origin(hint) in UNIONS:
        inner = (declared(part, NoneType in parts) for part in parts)
        return next((inner_range for inner_range in inner if inner_range is not None), None)
    if get_origin(hint) in SEVERAL and (inner_range := declared(parts[0])) is not None:
        return Declared(inner_range.range, inner_range.whole, optional, several=True)
    return None


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
    owner = next((kind for kind in owners if name in get_annotations(kind)), None)
    maker = getattr(factory, "__init__", factory) if isinstance(factory, type) else factory
    if owner is None or not is_dataclass(factory):
        return get_type_hints(maker, include_extras=annotated).get(name)
    alone = SimpleNamespace(__annotations__={name: get_annotations(owner)[name]})
    names = vars(import_module(owner.__module__))
    try:
        return get_type_hints(alone, names, include_extras=annotated)[name]
    except NameError:
        return None


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
            field.name: getattr(self, field.name)
            for field in fields(self)
            if getattr(self, field.name) != field.default
        }
        inside = ", ".join(f"{name}={_spelled(value)}" for name, value in changed.items())
        return f"{self.name}({inside})" if inside else self.name


C = TypeVar("C", bound=Choice)


class Choices(Generic[C]):
    """All ways to do one thing, by name.

    Args:
        kind: what is chosen, in words.
        classes: the ways.
    """

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
        return self.classes[name](**self._settings(name, inside or ""))

    def _settings(self, name: str, text: str) -> dict[str, float | bool | ROW]:
        hints, settings = get_type_hints(self.classes[name]), {}
        known = [field.name for field in fields(self.classes[name])]
        for part in filter(None, (piece.strip() for piece in text.split(","))):
            field, equals, value = (piece.strip() for piece in part.partition("="))
            if not equals:
                raise UsageError(f"'{part}' in {self.kind} {name} must have the form field=value.")
            if field not in known:
                raise unknown_name(f"field of {self.kind} {name}", field, known)
            settings[field] = _read(hints[field], value, f"{field} of {self.kind} {name}")
        return settings


def _read(hint: Any, text: str, what: str) -> float | bool | ROW:
    """Return a text as what a field holds."""
    try:
        if hint is bool:
            return WORDS[text.lower()]
        return (
            tuple(map(int, text.split())) if hint == ROW else (int if hint is int else float)(text)
        )
    except (KeyError, ValueError):
        words = {bool: "true or false", int: "an integer", ROW: "integers with spaces between"}
        raise UsageError(f"{what} must be {words.get(hint, 'a number')}, not '{text}'.") from None


def _spelled(value: object) -> str:
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else f"{value}"


def _parts(hint: Any) -> list[Any]:
    """Return the members of a union, or the hint alone."""
    return [*get_args(hint)] if get_origin(hint) in UNIONS else [hint]


def _is_choice(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, Choice)


def plain_kinds(hint: Any) -> list[Any]:
    """Return the plain types that a hint allows; a part chosen by name is a text."""
    kinds: list[Any] = []
    for part in _parts(hint):
        literal = get_origin(part) is Literal
        kinds += map(type, get_args(part)) if literal else [str if _is_choice(part) else part]
    return kinds


def fits(value: object, hint: Any) -> bool:
    """Tell whether a field of this type may hold a value; a whole number is a number, too."""
    for part in _parts(hint):
        if get_origin(part) is Literal:
            fine = value in get_args(part)
        elif _is_choice(part):
            fine = isinstance(value, part)
        else:
            fine = type(value) is part or (part is float and type(value) is int)
        if fine:
            return True
    return False


def described(hint: Any) -> str:
    """Return in words what a field of this type holds, as far as text can say it."""
    literals = [get_args(part) for part in _parts(hint) if get_origin(part) is Literal]
    words = ["one of " + ", ".join(map(str, choices)) for choices in literals]
    return " or ".join([*words, *(PLAIN[part] for part in _parts(hint) if part in PLAIN)])


@dataclass(frozen=True)
class Registry(Generic[T]):
    """Classes or functions of one kind by name: what makes a T, or `module:name` of it, which is
    imported when it is first asked for.
    """

    kind: str
    entries: dict[str, str | Callable[..., T]]

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def factory(self, name: str) -> Callable[..., T]:
        """Return the factory of a name, or raise the error that suggests another."""
        # `experiments.module:name` is a variant that only a table needs
        entry = name if name.startswith("experiments.") else self.entries.get(name)
        if entry is None:
            raise unknown_name(self.kind, name, self.entries)
        if not isinstance(entry, str):
            return entry
        module, _, attribute = entry.partition(":")
        factory: Callable[..., T] = getattr(import_module(module), attribute)
        return factory
