"""What docstrings say, for listings: the first paragraph, and the meaning of every attribute."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from inspect import getdoc
from pathlib import Path
from typing import Any

SECTION = re.compile(r"^Attributes:\n((?:    .*\n|\n)*)", re.MULTILINE)
ENTRY = re.compile(r"^    (\w+(?:, \w+)*): (.*(?:\n     .*)*)", re.MULTILINE)
SEE = re.compile(r"see `(\w+)`\.")


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
    """Return what the section `Attributes` of a class, or of one above it or that it refers to by
    "see", says of each.
    """
    meanings: dict[str, str] = {}
    for owner in reversed(kind.__mro__):
        doc = getdoc(owner) or "" if "__doc__" in vars(owner) else ""
        section = SECTION.search(f"{doc}\n")
        for names, meaning in ENTRY.findall(section[1] if section else ""):
            reference = SEE.fullmatch(meaning)
            other = vars(import_module(owner.__module__)).get(reference[1]) if reference else None
            elsewhere = attributes(other) if isinstance(other, type) else {}
            plain = " ".join(meaning.split())
            meanings |= {name: elsewhere.get(name, plain) for name in names.split(", ")}
    return meanings


def _paragraph(doc: str) -> str:
    return " ".join(doc.partition("\n\n")[0].split())
