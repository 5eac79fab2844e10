"""Classes by name, and where they are; one line adds one. Nothing is imported before it is asked
for. For listings, what their docstrings say.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from inspect import getdoc
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from smixup.errors import unknown_name

if TYPE_CHECKING:
    from smixup.augment import Augmentation
    from smixup.classifiers import Classifier

T = TypeVar("T")
SECTION = re.compile(r"^Attributes:\n((?:    .*\n|\n)*)", re.MULTILINE)
ENTRY = re.compile(r"^    (\w+(?:, \w+)*): (.*(?:\n     .*)*)", re.MULTILINE)
SEE = re.compile(r"see `(\w+)`\.")


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

    def summary(self, name: str) -> str:
        """Return the first paragraph of a docstring on one line, if need be from the source:
        importing a module may take seconds.
        """
        entry = self.entries[name]
        if isinstance(entry, str):
            module, _, attribute = entry.partition(":")
            top, *below = module.split(".")  # packages below the first are not imported, either
            path = Path(str(import_module(top).__file__)).parent.joinpath(*below)
            tree = ast.parse(path.with_suffix(".py").read_text(encoding="utf-8"))
            kinds = ast.ClassDef | ast.FunctionDef
            named = (n for n in tree.body if isinstance(n, kinds) and n.name == attribute)
            doc = ast.get_docstring(next(named))
        else:
            doc = getdoc(entry)
        return " ".join((doc or "").partition("\n\n")[0].split())


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


BACKBONES: Registry[Classifier] = Registry(
    "backbone",
    {
        "gcn": "smixup.classifiers.gcn:GCN",
        "gin": "smixup.classifiers.gin:GIN",
        "gcn-edge": "smixup.classifiers.edges:GCNEdge",
        "gine": "smixup.classifiers.edges:GINE",
    },
)

METHODS: Registry[Augmentation] = Registry(
    "method",
    {
        "vanilla": "smixup.augment.base:Augmentation",
        "drop-edge": "smixup.augment.baselines.drop:DropEdge",
        "drop-node": "smixup.augment.baselines.drop:DropNode",
        "subgraph": "smixup.augment.baselines.drop:Subgraph",
        "m-mixup": "smixup.augment.baselines.m_mixup:MMixup",
        "submix": "smixup.augment.baselines.submix:SubMix",
        "g-mixup": "smixup.augment.baselines.g_mixup:GMixup",
        "if-mixup": "smixup.augment.baselines.if_mixup:IfMixup",
        "graph-transplant": "smixup.augment.baselines.transplant:GraphTransplant",
        "fgw-mixup": "smixup.augment.baselines.fgw_mixup:FGWMixup",
        "geomix": "smixup.augment.baselines.geomix:GeoMix",
        "ged-mixup": "smixup.augment.baselines.ged_mixup:GEDMixup",
        "r-mixup": "smixup.augment.baselines.r_mixup:RMixup",
        "s-mixup": "smixup.augment.smixup:SMixup",
        "s-cut": "smixup.augment.aligned_cut:AlignedCut",
        "label-smoothing": "smixup.augment.baselines.drop:LabelSmoothing",
    },
)
