"""One name and one colour per method, in every picture and on every page.

Colours stand out by 3 : 1 at least on a light and on a dark ground. There are more methods than
colours that everybody can tell apart; those that stand beside each other most (Vanilla, S-Mixup,
its controls) have the colours that differ most.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Look:
    """How a method is called and drawn."""

    name: str
    colour: str


LOOKS = {
    "vanilla": Look("Vanilla", "#7f858e"),
    "s-mixup": Look("S-Mixup", "#0a9a70"),
    "graph-matcher": Look("S-Mixup", "#0a9a70"),
    "random-alignment": Look("random alignment", "#8f6fd0"),
    "random-order": Look("random alignment", "#8f6fd0"),
    "uniform": Look("uniform", "#3a8fc7"),
    "as-published": Look("the paper's soft alignment", "#bd7f00"),
    "identity": Look("no alignment", "#8a7f4f"),
    "label-smoothing": Look("label smoothing", "#5f8a3a"),
    "drop-edge": Look("DropEdge", "#5b6b9e"),
    "drop-node": Look("DropNode", "#2f8fb0"),
    "subgraph": Look("Subgraph", "#4f7fd9"),
    "m-mixup": Look("M-Mixup", "#d1495b"),
    "submix": Look("SubMix", "#8c6239"),
    "g-mixup": Look("G-Mixup", "#928600"),
    "if-mixup": Look("ifMixup", "#b25ccf"),
    "graph-transplant": Look("Graph Transplant", "#c2572f"),
    "fgw-mixup": Look("FGWMixup", "#2079b8"),
    "geomix": Look("GeoMix", "#a0683a"),
    "ged-mixup": Look("GED-Mixup", "#d4577f"),
    "r-mixup": Look("R-Mixup", "#6b8e23"),
    "s-cut": Look("S-Cut", "#23866a"),
}
"""By what is typed for a method; a new one gets a line here."""
SPARE = ("#d55e00", "#2079b8", "#928600", "#b25ccf", "#5f8a3a", "#c2572f", "#2a8f9d", "#a0683a")
_LOOKS = LOOKS | {look.name.lower(): look for look in LOOKS.values()}


def title_of(name: str) -> str:
    """Return what a method is called."""
    return looks_of([name])[name].name


def looks_of(names: Iterable[str]) -> dict[str, Look]:
    """Return the looks of methods that are drawn together; those that are not listed keep their
    names and take colours that the others leave.
    """
    looks = {name: _LOOKS.get(name.lower()) for name in names}
    taken = {look.colour for look in looks.values() if look}
    free = [colour for colour in SPARE if colour not in taken]
    others = [name for name, look in looks.items() if look is None]
    return {
        name: look or Look(name, free[others.index(name) % len(free)])
        for name, look in looks.items()
    }


def named_in(sentence: str) -> str:
    """Write what methods are called in place of what is typed for them."""
    typed = "|".join(sorted(LOOKS, key=len, reverse=True))
    return re.sub(rf"(?<![\w-])({typed})(?![\w-])", lambda name: title_of(name[0]), sentence)
