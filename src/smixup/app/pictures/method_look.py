"""One name and one colour per method, in every picture and on every page.

Colours stand out by 3 : 1 at least on a light and on a dark ground. There are more methods than
colours that everybody can tell apart, so each has a dash of its own, too, and those that stand
beside each other most (Vanilla, S-Mixup, its controls) have the colours that differ most.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

SOLID, DASHED, DOTTED, MIXED = "-", "--", ":", "-."


@dataclass(frozen=True)
class Look:
    """How a method is called and drawn.

    Attributes:
        name: as people say it.
        colour: of its lines, dots and bars.
        dash: of its lines, as matplotlib writes it.
    """

    name: str
    colour: str
    dash: str = SOLID


LOOKS = {
    each.name: each
    for each in (
        Look("Vanilla", "#7f858e", DOTTED),
        Look("S-Mixup", "#0a9a70"),
        Look("random order", "#c4659b", DASHED),
        Look("random one-to-one", "#8f6fd0", DASHED),
        Look("uniform", "#3a8fc7", MIXED),
        Look("paper's cosine", "#bd7f00", MIXED),
        Look("no alignment", "#8a7f4f", DOTTED),
        Look("as published", "#d55e00", MIXED),
        Look("label smoothing", "#5f8a3a", DOTTED),
        Look("DropEdge", "#5b6b9e"),
        Look("DropNode", "#2f8fb0", DASHED),
        Look("Subgraph", "#4f7fd9", DOTTED),
        Look("M-Mixup", "#d1495b"),
        Look("SubMix", "#8c6239", DASHED),
        Look("G-Mixup", "#928600"),
        Look("ifMixup", "#b25ccf", DOTTED),
        Look("Graph Transplant", "#c2572f", DASHED),
        Look("FGWMixup", "#2079b8", MIXED),
        Look("GeoMix", "#a0683a", MIXED),
        Look("GED-Mixup", "#d4577f", MIXED),
        Look("R-Mixup", "#6b8e23", MIXED),
        Look("S-Cut", "#23866a", DASHED),
    )
}
"""By name; a new method gets a line here."""

OTHER_NAMES = {
    "vanilla": "Vanilla",
    "s-mixup": "S-Mixup",
    "graph-matcher": "S-Mixup",
    "random-order": "random order",
    "random-alignment": "random one-to-one",
    "random alignment": "random one-to-one",
    "s-mixup, random one-to-one": "random one-to-one",
    "uniform assignment": "uniform",
    "paper (cosine, temperature 1)": "paper's cosine",
    "identity": "no alignment",
    "drop-edge": "DropEdge",
    "drop-node": "DropNode",
    "if-mixup": "ifMixup",
    "graph-transplant": "Graph Transplant",
    "fgw-mixup": "FGWMixup",
    "label-smoothing": "label smoothing",
}
"""What is typed, or was written to stores and records, in small letters."""

SPARE = ("#d55e00", "#2079b8", "#928600", "#b25ccf", "#5f8a3a", "#c2572f", "#2a8f9d", "#a0683a")
DASHES = (SOLID, DASHED, MIXED, DOTTED)
_KNOWN = {name.lower(): look for name, look in LOOKS.items()}


def look_of(name: str) -> Look:
    """Return the look of a method by any of its names; one that is not listed keeps its name, and
    is the first of `SPARE`.
    """
    return next(iter(looks_of([name]).values()))


def title_of(name: str) -> str:
    """Return what a method is called, by any of its names."""
    return look_of(name).name


def looks_of(names: Iterable[str]) -> dict[str, Look]:
    """Return the looks of methods that are drawn together. Variants that are not listed take
    colours that the others leave, so that no two look alike.

    ```python
    looks_of(["vanilla", "S-Mixup, mixes only"])["vanilla"].name    # "Vanilla"
    ```
    """
    names = list(dict.fromkeys(names))
    known = {name: _known(name) for name in names}
    taken = {look.colour for look in known.values() if look is not None}
    free = [colour for colour in SPARE if colour not in taken] or list(SPARE)
    others = [name for name, look in known.items() if look is None]
    spare = {
        name: Look(name, free[place % len(free)], DASHES[place // len(free) % len(DASHES)])
        for place, name in enumerate(others)
    }
    return {name: known[name] or spare[name] for name in names}


def named_in(sentence: str) -> str:
    """Write what methods are called in place of what is typed for them."""
    typed = sorted(OTHER_NAMES, key=len, reverse=True)
    pattern = rf"(?<![\w-])({'|'.join(map(re.escape, typed))})(?![\w-])"
    return re.sub(pattern, lambda each: title_of(each[1]), sentence)


def _known(name: str) -> Look | None:
    folded = name.lower()
    return _KNOWN.get(OTHER_NAMES.get(folded, folded).lower())
