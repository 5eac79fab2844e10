"""An augmentation as JSON: which classes, with which settings; nothing that executes when it is
read, and nothing that was learnt. A learned matcher can be saved beside it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from inspect import isabstract
from pathlib import Path
from typing import Any, get_args, get_origin

import smixup
from smixup.augment.base import Augmentation
from smixup.errors import UsageError, require, unknown_name
from smixup.matching import LearnedMatcher, Matcher
from smixup.settings import Choice, described, fits, hints_of

VERSION, CLASS = "smixup", "class"
SINCE_0_3: dict[str, object] = {"fold_ratio": True, "per_pair": True, "norm_from_originals": True}
GONE: dict[str, dict[str, object]] = {
    "SMixup": SINCE_0_3
    | {"adaptive": False, "label": "lambda", "until": 1.0, "least_weight": 0.0}
    | {"encode_degrees": False, "threshold": 1e-3},
    "AlignedCut": SINCE_0_3 | {"encode_degrees": True},
    "FGWMixup": {"structure": "adjacency"},
}
"""Settings of earlier versions, which texts may still name if they have the value that is left."""
RATIOS = {"per_pair": "per-batch", "fold_ratio": "unfolded"}
"""What `ratio` is where one of these was false."""


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
        augmentation: any of this package.
        matchers: a folder. Learned matchers that are fitted are saved in it, each in a folder of
            its own which the text names, so that they are read as they are. Without it, their
            settings are written, and `fit` trains them anew.
        all_fields: write settings that have their default, too: then the text means the same to a
            version with other defaults.
    """
    fine = isinstance(augmentation, Augmentation)
    require(fine, "augmentation", repr(augmentation), "an object such as SMixup()")
    writer = _Writer(None if matchers is None else Path(matchers), all_fields)
    return json.dumps({VERSION: smixup.__version__, **writer.part(augmentation)}, indent=2)


def from_json(text: str) -> Augmentation:
    """Return the augmentation that a text of `to_json` describes, not fitted.

    Names and types of all settings are checked. Folders of matchers are looked for from where the
    program runs.
    """
    require(isinstance(text, str), "the pipeline", f"a {type(text).__name__}", "text")
    try:
        read = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        why = f": {error}" if isinstance(error, ValueError) else ", it is nested too deeply"
        raise UsageError(f"the pipeline is no JSON{why}.") from None
    version = read.pop(VERSION, None) if isinstance(read, dict) else None
    try:
        return _part(read, "augmentation", "")  # type: ignore[no-any-return]
    except UsageError as error:
        if version in (None, smixup.__version__):
            raise
        raise UsageError(
            f"{error} (The text is of smixup {version}, this is {smixup.__version__}.)"
        ) from None


@dataclass
class _Writer:
    """Makes what JSON can hold of objects."""

    folder: Path | None
    all_fields: bool
    saved: dict[int, str] = field(default_factory=dict)

    def part(self, part: Augmentation | Matcher) -> Any:
        """Return the class of an augmentation or matcher, and its settings."""
        kind, name = type(part), type(part).__name__
        if _classes(Matcher if isinstance(part, Matcher) else Augmentation).get(name) is not kind:
            raise UsageError(f"{name} is no class that smixup exports, so no text brings it back.")
        if isinstance(part, LearnedMatcher) and part.fitted and self.folder is not None:
            if id(part) not in self.saved:  # several methods may share it
                self.saved[id(part)] = str(self.folder / f"matcher-{len(self.saved) + 1}")
                part.save(self.saved[id(part)])
            return self.saved[id(part)]
        plain, settings = _Writer(None, all_fields=False), {}
        for each in _fields(kind):
            written = self.value(getattr(part, each.name), f"{each.name} of {name}")
            default = _default(each)
            if self.all_fields or default is MISSING or written != plain.value(default, ""):
                settings[each.name] = written
        return {CLASS: name, **settings}

    def value(self, value: object, what: str) -> Any:
        """Return the value of a field."""
        if isinstance(value, Augmentation | Matcher):
            return self.part(value)
        if isinstance(value, Choice):
            return str(value)
        if value is None or isinstance(value, str | bool | int | float):
            return value
        if isinstance(value, Sequence):
            return [self.value(each, what) for each in value]
        raise UsageError(f"{what} is a {type(value).__name__}, which JSON cannot hold.")


def _part(value: object, noun: str, place: str) -> Any:
    """Return the part (`noun`) that JSON describes at a place such as `parts[1].matcher`."""
    at = f" at {place}" if place not in ("", noun) else ""
    if not isinstance(value, dict) or not isinstance(value.get(CLASS), str):
        folder = " or the folder of a saved matcher" if noun == "matcher" else ""
        raise UsageError(
            f'{noun}{at} must be an object with a "class"{folder}, not {_shown(value)}.'
        )
    known, name = _classes(Matcher if noun == "matcher" else Augmentation), value[CLASS]
    if name not in known:
        raise unknown_name(f"{noun}{at}", name, known)
    kind, owner, inside = known[name], f"{name}{at}", f"{place}." if place else ""
    hints = {each.name: hints_of(kind)[each.name] for each in _fields(kind)}
    settings = {}
    for setting, read in _current(name, value).items():
        if setting not in hints:
            raise unknown_name(f"field of {owner}", setting, hints)
        settings[setting] = _value(read, hints[setting], f"{setting} of {owner}", inside + setting)
    for each in _fields(kind):
        if _default(each) is MISSING and each.name not in settings:
            raise UsageError(f"{owner} needs '{each.name}', which is missing.")
    return kind(**settings)


def _current(name: str, read: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of a class as this version has them."""
    settings = {key: value for key, value in read.items() if key != CLASS}
    if name in ("SMixup", "AlignedCut"):
        for old, ratio in RATIOS.items():
            if settings.get(old) is False:
                del settings[old]
                settings["ratio"] = ratio
        if settings.get("amount", 1) is None:  # no originals, by which norms could go
            settings.pop("norm_from_originals", None)
    gone = GONE.get(name, {}).items()
    return {key: value for key, value in settings.items() if (key, value) not in gone}


def _value(value: Any, hint: Any, setting: str, place: str) -> Any:
    """Return what a field is to hold, or say why it cannot."""
    if hint is Matcher and isinstance(value, str) and Path(value).is_dir():
        return LearnedMatcher.load(Path(value))
    if hint in (Augmentation, Matcher):
        return _part(value, hint.__name__.lower(), place)
    several = [part for part in (hint, *get_args(hint)) if get_origin(part) in (Sequence, Iterable)]
    if several and isinstance(value, list):
        kind = get_args(several[0])[0]
        return [_value(each, kind, setting, f"{place}[{i}]") for i, each in enumerate(value)]
    wanted = "a list" if several else described(hint).replace("none", "null")
    absent = value is None and type(None) in get_args(hint)
    require(absent or fits(value, hint), setting, _shown(value), wanted)
    return value


def _no_number(word: str) -> None:
    raise UsageError(f"a pipeline holds finite numbers, not {word}.")


def _shown(value: object) -> str:
    """Return what was read, as JSON, and not all of it if it is long."""
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _classes(base: type[Any]) -> dict[str, Callable[..., Any]]:
    """Return the classes of augmentations, or of matchers, that a text can name."""
    from smixup import augment, matching

    home = matching if base is Matcher else augment
    classes = {name: getattr(home, name) for name in home.__all__}
    return {
        name: kind
        for name, kind in classes.items()
        if isinstance(kind, type) and issubclass(kind, base)
        if not isabstract(kind)
    }


def _fields(kind: Any) -> list[Field[Any]]:
    """Return the fields that a constructor takes; Vanilla has none."""
    return [each for each in fields(kind) if each.init] if is_dataclass(kind) else []


def _default(each: Field[Any]) -> Any:
    return each.default if each.default_factory is MISSING else each.default_factory()
