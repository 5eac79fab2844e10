"""Ranges of numbers, declared beside the type of a field and checked as an object is made.

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

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cache, wraps
from inspect import signature
from types import NoneType, UnionType
from typing import Annotated, Any, ParamSpec, TypeVar, Union, get_args, get_origin

from smixup.errors import bounds_in_words, require_number
from smixup.hints import field_type

P = ParamSpec("P")
R = TypeVar("R")
LARGEST = 3.4e38  # of single precision
SEVERAL = (tuple, list, Sequence, Iterable)


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
        return bounds_in_words(self.at_least, self.above, self.at_most, self.below)


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
            for each in value:
                self._require_one(f"a number in {name}", each, optional=False)
        else:
            self._require_one(name, value, self.optional)

    def _require_one(self, name: str, value: object, optional: bool) -> None:
        require_number(name, value, whole=self.whole, optional=optional, **vars(self.range))


class RangedFields:
    """A dataclass whose numbers are checked when it is made; one with a `__post_init__` of its own
    calls this one there.
    """

    def __post_init__(self) -> None:
        kind: Callable[..., Any] = type(self)
        require_ranges(kind, {name: getattr(self, name) for name in ranges_of(kind)})


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
        names = [each.name for each in fields(factory) if each.init]
    else:
        names = [*signature(factory).parameters]
    found = {name: declared(field_type(factory, name, annotated=True)) for name in names}
    return {name: each for name, each in found.items() if each is not None}


def declared(hint: Any, optional: bool = False) -> Declared | None:
    """Return the range that a hint names, on its own, beside None or within a row."""
    parts = get_args(hint)
    if get_origin(hint) is Annotated:
        ranges = [each for each in hint.__metadata__ if isinstance(each, Range)]
        return Declared(ranges[0], parts[0] is int, optional) if ranges else None
    if get_origin(hint) in (Union, UnionType):
        inner = (declared(part, NoneType in parts) for part in parts)
        return next((each for each in inner if each is not None), None)
    if get_origin(hint) in SEVERAL and (each := declared(parts[0])) is not None:
        return Declared(each.range, each.whole, optional, several=True)
    return None
