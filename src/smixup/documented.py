"""What docstrings say, for listings: the first paragraph, and the meaning of every attribute."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from inspect import getdoc
from pathlib import Path
from typing import Any

ENTRY = re.compile(r"^    (?P<names>\w+(?:, \w+)*): (?P<meaning>.*)$")
SEE = re.compile(r"see `(?P<name>\w+)`\.")
SECTION = "Attributes:"


def summary(thing: Any) -> str:
    """Return the first paragraph of a docstring on one line."""
    return _paragraph(getdoc(thing) or "")


def summary_unimported(address: str) -> str:
    """Return the first paragraph of what `module:name` names, read from the source: importing a
    module may take seconds.
    """
    module, _, name = address.partition(":")
    top, *below = module.split(".")
    file = import_module(top).__file__  # packages below it are not imported, either
    path = Path(str(file)).parent.joinpath(*below).with_suffix(".py")
    tree = ast.parse(path.read_text(encoding="utf-8"))
    kinds = ast.ClassDef | ast.FunctionDef
    named = (node for node in tree.body if isinstance(node, kinds) and node.name == name)
    return _paragraph(ast.get_docstring(next(named)) or "")


def attributes(kind: type) -> dict[str, str]:
    """Return what the section `Attributes` of a class, or of a class above it, says of each; where
    it only says "see" another class, that one is asked.
    """
    meanings: dict[str, str] = {}
    for owner in reversed(kind.__mro__):
        own = _section(getdoc(owner) or "") if "__doc__" in vars(owner) else {}
        meanings |= {name: _followed(owner, name, meaning) for name, meaning in own.items()}
    return meanings


def _followed(owner: type, name: str, meaning: str) -> str:
    """Return what the class says to which a meaning refers, the meaning itself if it refers to
    none.
    """
    reference = SEE.fullmatch(meaning)
    known = vars(import_module(owner.__module__))
    other = known.get(reference["name"]) if reference else None
    return attributes(other).get(name, meaning) if isinstance(other, type) else meaning


def _paragraph(doc: str) -> str:
    return " ".join(doc.partition("\n\n")[0].split())


def _section(doc: str) -> dict[str, str]:
    """Read the lines below `Attributes:`: an entry is set in by four spaces, what goes on by
    more.
    """
    meanings: dict[str, str] = {}
    names: list[str] = []
    _, _, below = f"\n{doc}".partition(f"\n{SECTION}\n")
    for line in below.splitlines():
        if line and not line.startswith("    "):
            break
        if entry := ENTRY.match(line):
            names = entry["names"].split(", ")
            meanings |= dict.fromkeys(names, entry["meaning"])
        else:
            meanings |= {name: f"{meanings[name]} {line.strip()}".rstrip() for name in names}
    return meanings
