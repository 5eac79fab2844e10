"""An augmentation as JSON: which classes, with which settings; nothing that executes when it is
read, and nothing that was learnt. A learned matcher can be saved beside it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from inspect import isabstract
from pathlib import Path
from typing import Any, get_args, get_origin

import smixup
from smixup.augment.base import Augmentation
from smixup.errors import UsageError, require, unknown_name
from smixup.matching import LearnedMatcher, Matcher
from smixup.settings import Choice, described, fits, hints_of

VERSION, CLASS = "smixup", "class"


def to_json(augmentation: Augmentation, *, matchers: Path | str | None = None) -> str:
    """Return an augmentation as JSON, with all of its parts; settings at their defaults are left
    out.

    Example::

        text = to_json(Compose([DropEdge(p=0.1), SMixup(alpha=0.5)]))
        augment = from_json(text).fit(train_dataset)

    Args:
        augmentation: any of this package.
        matchers: a folder. Learned matchers that are fitted are saved in it, each in a folder of
            its own which the text names, so that they are read as they are. Without it, their
            settings are written, and `fit` trains them anew.
    """
    writer = _Writer(None if matchers is None else Path(matchers))
    return json.dumps({VERSION: smixup.__version__, **writer.part(augmentation)}, indent=2)


def from_json(text: str) -> Augmentation:
    """Return the augmentation that a text of `to_json` describes, not fitted.

    Names and types of all settings are checked. Folders of matchers are looked for from where the
    program runs.
    """
    try:
        read = json.loads(text, parse_constant=_no_number)
    except (ValueError, TypeError, RecursionError) as error:
        raise UsageError(f"the pipeline is no JSON: {error}.") from None
    version = read.pop(VERSION, None) if isinstance(read, dict) else None
    try:
        return _part(read, Augmentation, "the pipeline")  # type: ignore[no-any-return]
    except UsageError as error:
        if version in (None, smixup.__version__):
            raise
        versions = f"(The text is of smixup {version}, this is {smixup.__version__}.)"
        raise UsageError(f"{error} {versions}") from None


class _Writer:
    """Makes what JSON can hold of objects, and saves fitted matchers in a folder."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder, self.saved = folder, 0

    def part(self, part: Augmentation | Matcher) -> Any:
        """Return the class of an augmentation or matcher, and its settings."""
        name, base = type(part).__name__, Matcher if isinstance(part, Matcher) else Augmentation
        if _classes(base).get(name) is not type(part):
            raise UsageError(f"{name} is no class that smixup exports, so no text brings it back.")
        if isinstance(part, LearnedMatcher) and part.fitted and self.folder is not None:
            self.saved += 1
            path = self.folder / f"matcher-{self.saved}"
            part.save(path)
            return str(path)
        written, plain = {CLASS: name}, _Writer()
        for each in _fields(type(part)):
            value, default = self.value(getattr(part, each.name)), _default(each)
            if default is MISSING or value != plain.value(default):
                written[each.name] = value
        return written

    def value(self, value: object) -> Any:
        """Return the value of a field."""
        if isinstance(value, Augmentation | Matcher):
            return self.part(value)
        if isinstance(value, Choice):
            return str(value)
        if value is None or isinstance(value, str | bool | int | float):
            return value
        if isinstance(value, Sequence):
            return [self.value(each) for each in value]
        raise UsageError(f"a setting is a {type(value).__name__}, which JSON cannot hold.")


def _part(read: Any, base: type[Any], place: str) -> Any:
    """Return the augmentation or matcher that JSON describes at a place such as `parts[1]`."""
    name = read.get(CLASS) if isinstance(read, dict) else None
    fine = isinstance(name, str)
    require(fine, place, json.dumps(read), f'an object with a "{CLASS}"')
    classes, settings = _classes(base), dict[str, Any]()
    if name not in classes:
        raise unknown_name(base.__name__.lower(), str(name), classes)
    kind: Any = classes[name]
    declared = {each.name: each for each in _fields(kind)}
    for field, value in read.items():
        if field != CLASS and field not in declared:
            raise unknown_name(f"field of {name}", field, declared)
        if field != CLASS:
            settings[field] = _value(value, hints_of(kind)[field], f"{field} of {name}")
    for field, each in declared.items():
        if _default(each) is MISSING and field not in settings:
            raise UsageError(f"{name} needs '{field}', which is missing.")
    return kind(**settings)


def _value(value: Any, hint: Any, place: str) -> Any:
    """Return what a field is to hold, or say why it cannot."""
    if hint is Matcher and isinstance(value, str) and Path(value).is_dir():
        return LearnedMatcher.load(Path(value))
    if hint in (Augmentation, Matcher):
        return _part(value, hint, place)
    several = [part for part in (hint, *get_args(hint)) if get_origin(part) in (Sequence, Iterable)]
    if several and isinstance(value, list):
        kind = get_args(several[0])[0]
        return [_value(each, kind, f"{place}, number {i},") for i, each in enumerate(value)]
    wanted = "a list" if several else described(hint).replace("none", "null")
    absent = value is None and type(None) in get_args(hint)
    require(absent or fits(value, hint), place, json.dumps(value), wanted)
    return value


def _no_number(word: str) -> None:
    raise UsageError(f"a pipeline holds finite numbers, not {word}.")


def _classes(base: type[Any]) -> dict[str, type[Any]]:
    """Return the classes of augmentations, or of matchers, that a text can name."""
    from smixup import augment, matching

    home = matching if base is Matcher else augment
    exported = {name: getattr(home, name) for name in home.__all__}
    kinds = {name: kind for name, kind in exported.items() if isinstance(kind, type)}
    return {n: kind for n, kind in kinds.items() if issubclass(kind, base) and not isabstract(kind)}


def _fields(kind: Any) -> list[Field[Any]]:
    """Return the fields that a constructor takes; Vanilla has none."""
    return [each for each in fields(kind) if each.init] if is_dataclass(kind) else []


def _default(each: Field[Any]) -> Any:
    return each.default if each.default_factory is MISSING else each.default_factory()
