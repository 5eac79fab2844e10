"""Tables of what can be set, made from the dataclasses themselves: names, types, defaults, and the
first sentence that the docstring says of each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import MISSING, Field, fields, is_dataclass
from inspect import get_annotations
from typing import Any, Literal, get_args, get_origin

from plain_types import plain

from smixup.documented import attributes, summary
from smixup.hints import field_type

SENTENCE_END = re.compile(r"(?<=\.)\s+(?=[A-Z`])")
HEADER = "| field | default | type | meaning |\n|---|---|---|---|\n"


def sections(named: Iterable[tuple[str, type]], level: int = 3) -> str:
    """Return a heading, a sentence and a table for every class, in Markdown."""
    return "\n".join(
        f"{'#' * level} {name}\n\n`{kind.__name__}`: {summary(kind)}\n\n{field_table(kind)}"
        for name, kind in named
    )


def field_table(kind: type) -> str:
    """Return the fields of a dataclass as a table in Markdown; a sentence if there are none."""
    meanings = attributes(kind)
    rows = [
        f"| `{each.name}` | {_code(default_text(each))} | {_code(type_text(kind, each.name))} "
        f"| {_cell(first_sentence(meanings.get(each.name, '')))} |\n"
        for each in settable(kind)
    ]
    if not rows:
        return "It has no fields.\n"
    return f":::{{container}} fields\n{HEADER}{''.join(rows)}:::\n"


def settable(kind: type) -> list[Field[Any]]:
    """Return the fields that a constructor takes, those of the class itself first; what is no
    dataclass has none.
    """
    taken = [each for each in (fields(kind) if is_dataclass(kind) else ()) if each.init]
    return sorted(taken, key=lambda each: kind.__mro__.index(owner_of(kind, each.name)))


def owner_of(kind: type, name: str) -> type:
    """Return the class that declares a field: the class itself or the nearest of its bases."""
    return next(each for each in kind.__mro__ if name in get_annotations(each))


def default_text(each: Field[Any]) -> str:
    """Return a default as it is written in Python."""
    if each.default_factory is MISSING:
        return "" if each.default is MISSING else repr(each.default)
    made = each.default_factory()
    return f"{type(made).__name__}()" if is_dataclass(made) else repr(made)


def type_text(kind: type, name: str) -> str:
    """Return a type as it is annotated; one of several words is written out."""
    hint = field_type(kind, name)
    if get_origin(hint) is Literal:
        return " or ".join(repr(choice) for choice in get_args(hint))
    annotated = get_annotations(owner_of(kind, name))[name]
    text = annotated if isinstance(annotated, str) else getattr(annotated, "__name__", repr(hint))
    return plain(text)


def first_sentence(text: str) -> str:
    """Return the first sentence, with a full stop and a capital letter."""
    sentence = SENTENCE_END.split(text, maxsplit=1)[0].rstrip(".;")
    return f"{sentence[0].upper()}{sentence[1:]}." if sentence else ""


def _code(text: str) -> str:
    return f"`{_cell(text)}`" if text else ""


def _cell(text: str) -> str:
    return text.replace("|", r"\|")
