"""An augmentation as JSON: which classes, with which settings; nothing that executes when it is
read.

Example::

    {"smixup": "0.2.0", "class": "Compose", "parts": [
        {"class": "DropEdge", "p": 0.1},
        {"class": "SMixup", "alpha": 0.5, "matcher": {"class": "RRWM"}}]}

A text holds settings, nothing that was learnt: what is read is fitted as if it were new. A learned
matcher can be saved beside it, and is then named by its folder.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from numbers import Integral, Real
from pathlib import Path
from typing import Any, get_args, get_origin

import smixup
from smixup.augment.base import Augmentation
from smixup.augment.teacher import Taught
from smixup.errors import UsageError, require, unknown_name
from smixup.matching import LearnedMatcher, Matcher
from smixup.ranges import Choice, described, field_type, fits

VERSION, CLASS = "smixup", "class"
Part = Augmentation | Matcher
AUGMENTATION, MATCHER = "augmentation", "matcher"


def to_json(
    augmentation: Augmentation,
    *,
    matchers: Path | str | None = None,
    all_fields: bool = False,
) -> str:
    """Return an augmentation as JSON, with all of its parts.

    Example::

        text = to_json(Compose([DropEdge(p=0.1), SMixup(alpha=0.5)]))
        augment = from_json(text).fit(train_dataset)

    Args:
        augmentation: any of this package, but for `Taught`, whose teachers are models.
        matchers: a folder. Learned matchers that are fitted are saved in it, each in a folder of
            its own which the text names, so that they are read as they are. Without it, their
            settings are written, and `fit` trains them anew.
        all_fields: write settings that have their default, too: then the text means the same to a
            version with other defaults.
    """
    require(
        isinstance(augmentation, Augmentation),
        "augmentation",
        repr(augmentation),
        "an object such as SMixup()",
    )
    writer = Writer(None if matchers is None else Path(matchers), all_fields)
    written = {VERSION: smixup.__version__, **writer.part(augmentation)}
    text = json.dumps(written, indent=2)
    from_json(text)  # parts that others wrote may have names that nobody here knows
    return text


def from_json(text: str) -> Augmentation:
    """Return the augmentation that a text of `to_json` describes, not fitted.

    Names and types of all settings are checked. Folders of matchers are looked for from where the
    program runs.
    """
    read = _parsed(text)
    require(isinstance(read, dict), "the pipeline", _shown(read), 'an object with a "class"')
    version = read.pop(VERSION, None)
    try:
        found: Augmentation = _part(read, AUGMENTATION, "")
        return found
    except UsageError as error:
        if version in (None, smixup.__version__):
            raise
        raise UsageError(
            f"{error} (The text is of smixup {version}, this is {smixup.__version__}.)"
        ) from None


# Writing.


@dataclass
class Writer:
    """Makes what JSON can hold of objects.

    Attributes:
        folder: where to save learned matchers; None writes their settings.
        all_fields: write defaults, too.
    """

    folder: Path | None
    all_fields: bool
    saved: list[tuple[LearnedMatcher, str]] = field(default_factory=list)

    def part(self, part: Part) -> dict[str, Any]:
        """Return the class of an augmentation or matcher, and its settings."""
        kind = type(part)
        _require_known(part)
        found: dict[str, Any] = {CLASS: kind.__name__}
        for each in _fields(kind):
            value = self.value(getattr(part, each.name), f"{each.name} of {kind.__name__}")
            if self.all_fields or value != self._default(each):
                found[each.name] = value
        return found

    def value(self, value: object, what: str) -> Any:
        """Return the value of a field."""
        if isinstance(value, LearnedMatcher) and value.fitted and self.folder is not None:
            _require_known(value)
            return self._saved(value, self.folder)
        if isinstance(value, Augmentation | Matcher):
            return self.part(value)
        if isinstance(value, Choice):
            return str(value)
        if value is None or isinstance(value, str | bool):
            return value
        if isinstance(value, Real):
            number = int(value) if isinstance(value, Integral) else float(value)
            require(abs(number) < float("inf"), what, value, "a finite number to be written")
            return number
        if isinstance(value, Sequence):
            return [self.value(each, what) for each in value]
        raise UsageError(f"{what} is a {type(value).__name__}, which JSON cannot hold.")

    def _default(self, each: Field[Any]) -> Any:
        if each.default_factory is not MISSING:
            return Writer(None, self.all_fields).value(each.default_factory(), each.name)
        return MISSING if each.default is MISSING else self.value(each.default, each.name)

    def _saved(self, matcher: LearnedMatcher, folder: Path) -> str:
        """Return the folder of a matcher; one that several methods share is saved once."""
        for known, place in self.saved:
            if known is matcher:
                return place
        place = str(folder / f"matcher-{len(self.saved) + 1}")
        matcher.save(place)
        self.saved.append((matcher, place))
        return place


def _require_known(part: Part) -> None:
    """Refuse what no text can bring back."""
    name = type(part).__name__
    if isinstance(part, Taught):
        raise UsageError(
            "Taught has teachers, which are models and cannot be written as JSON: write its "
            "method, to_json(taught.method)."
        )
    noun = MATCHER if isinstance(part, Matcher) else AUGMENTATION
    if _classes(noun).get(name) is not type(part):
        raise UsageError(
            f"{name} is no class that smixup exports, so that a text could not bring it back."
        )


# Reading.


def _part(value: object, noun: str, place: str) -> Any:
    """Return the augmentation or matcher that an object of JSON describes.

    Args:
        value: what was read.
        noun: what is wanted.
        place: where it stood, such as `parts[1].matcher`; empty at the top.
    """
    at = "" if place in ("", noun) else f" at {place}"
    if not isinstance(value, dict) or not isinstance(value.get(CLASS), str):
        raise UsageError(f'{noun}{at} must be an object with a "class", not {_shown(value)}.')
    known, name = _classes(noun), value[CLASS]
    if name == Taught.__name__:
        raise UsageError("Taught has teachers, which are models and no part of a text.")
    if name not in known:
        raise unknown_name(f"{noun}{at}", name, known)
    allowed = {each.name: field_type(known[name], each.name) for each in _fields(known[name])}
    for setting in value:
        if setting != CLASS and setting not in allowed:
            if not allowed:
                raise UsageError(f"{name}{at} has no fields, so '{setting}' cannot be set.")
            raise unknown_name(f"field of {name}{at}", setting, allowed)
    owner, inside = f"{name}{at}", f"{place}." if place else ""
    settings = {
        setting: _value(each, allowed[setting], owner, f"{inside}{setting}")
        for setting, each in value.items()
        if setting != CLASS
    }
    missing = [each for each in _needed(known[name]) if each not in settings]
    if missing:
        raise UsageError(f"{owner} needs '{missing[0]}', which is missing.")
    return known[name](**settings)


def _value(value: object, hint: Any, owner: str, place: str) -> Any:
    """Return what a field is to hold, or say why it cannot."""
    if hint is Augmentation:
        return _part(value, AUGMENTATION, place)
    if hint is Matcher:
        return _loaded(value, place) if isinstance(value, str) else _part(value, MATCHER, place)
    setting = place.rpartition(".")[2]
    of_several = _element(hint)
    if of_several is None:
        require(fits(value, hint), f"{setting} of {owner}", _shown(value), _words(hint))
        return value
    if value is None and type(None) in get_args(hint):
        return None
    require(isinstance(value, list), f"{setting} of {owner}", _shown(value), "a list")
    assert isinstance(value, list)
    return [
        _value(each, of_several, owner, f"{place}[{number}]") for number, each in enumerate(value)
    ]


def _loaded(folder: str, place: str) -> Matcher:
    """Return a matcher that was saved."""
    from smixup.matching.storage import load_matcher

    if not Path(folder).is_dir():
        raise UsageError(
            f'{place} must be an object such as {{"class": "GraphMatcher"}} or the folder of a '
            f"saved matcher; there is no folder '{folder}'."
        )
    return load_matcher(Path(folder))


def _parsed(text: str) -> Any:
    require(isinstance(text, str), "the pipeline", f"a {type(text).__name__}", "text")
    try:
        return json.loads(text, parse_constant=_no_number, object_pairs_hook=_once_each)
    except (ValueError, RecursionError) as error:
        said = f": {error}" if isinstance(error, ValueError) else ", it is nested too deeply"
        raise UsageError(f"the pipeline is no JSON{said}.") from None


def _no_number(word: str) -> None:
    raise UsageError(f"a pipeline holds finite numbers, not {word}.")


def _once_each(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise UsageError(f"'{twice}' stands twice in one object of the pipeline.")
    return found


def _shown(value: object) -> str:
    """Return what was read, as JSON, and not all of it if it is long."""
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _words(hint: Any) -> str:
    return described(hint).replace("none", "null")


# What there is.


def _classes(noun: str) -> dict[str, Callable[..., Any]]:
    """Return the classes of augmentations, or of matchers, that a text can name."""
    from smixup import augment, matching

    home, base = (matching, Matcher) if noun == MATCHER else (augment, Augmentation)
    named = {name: getattr(home, name) for name in home.__all__}
    return {
        name: each
        for name, each in named.items()
        if isinstance(each, type)
        and issubclass(each, base)
        and not issubclass(each, Taught)
        and not getattr(each, "__abstractmethods__", None)
    }


def _fields(kind: Any) -> list[Field[Any]]:
    """Return the fields that a constructor takes; Vanilla has none."""
    return [each for each in fields(kind) if each.init] if is_dataclass(kind) else []


def _needed(kind: Any) -> list[str]:
    """Return the fields that have no default."""
    return [each.name for each in _fields(kind) if each.default is each.default_factory is MISSING]


def _element(hint: Any) -> Any:
    """Return of what a field holds several, None if it holds one value."""
    for part in (hint, *get_args(hint)):
        if get_origin(part) in (Sequence, Iterable):
            return get_args(part)[0]
    return None
