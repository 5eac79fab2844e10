"""Which methods an audit measures, and at which ratios."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from smixup.app.runs.presets import of_matcher
from smixup.app.runs.registry import METHODS, method_settings
from smixup.app.studies.match_quality import comparable_published
from smixup.app.studies.properties import NEAR_HALF
from smixup.errors import UsageError, unknown_name


@dataclass(frozen=True)
class Row:
    """A method to audit.

    Attributes:
        title: what the table calls it.
        method: a name of the registry.
        settings: fields of the method, and of its matcher, that differ from its defaults.
    """

    title: str
    method: str
    settings: Mapping[str, Any] = field(default_factory=dict)


def _paper() -> dict[str, Any]:
    settings = comparable_published(0).settings
    return of_matcher({name: value for name, value in settings.items() if name != "seed"})


SOFT = {"transport": "paper", "norm_from_originals": False}
BALANCED = {"transport": "balanced", "matcher.normalization": "sinkhorn(rounds=50)"}
RANDOM_ONE_TO_ONE = {"matcher": "random-order", "matcher.partial": True}

ROWS = (
    Row("m-mixup", "m-mixup"),
    Row("g-mixup", "g-mixup"),
    Row("submix", "submix"),
    Row("graph-transplant", "graph-transplant"),
    Row("if-mixup", "if-mixup"),
    Row("fgw-mixup", "fgw-mixup"),
    Row("geomix", "geomix"),
    Row("ged-mixup", "ged-mixup"),
    Row("s-mixup", "s-mixup"),
    Row("s-mixup, label arrived", "s-mixup", {"label": "arrived"}),
    Row("s-mixup, edges kept", "s-mixup", {"transport": "partial(edges=true)"}),
    Row("s-mixup, soft consensus", "s-mixup", {"matcher.normalization": "consensus"}),
    Row("s-mixup, columns", "s-mixup", SOFT | {"matcher.normalization": "columns"}),
    Row("s-mixup, balanced", "s-mixup", SOFT | BALANCED),
    Row("s-mixup, paper's cosine", "s-mixup", SOFT | _paper()),
    Row("s-mixup, uniform", "s-mixup", SOFT | {"matcher": "uniform"}),
    Row("s-mixup, random order", "s-mixup", SOFT | {"matcher": "random-order"}),
    Row("s-mixup, random one-to-one", "s-mixup", RANDOM_ONE_TO_ONE),
)
"""What is audited by default; a line adds a row."""

RATIOS: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "uniform": {
        "s-mixup": {"partners": None, "amount": 1.0, "alpha": 1.0},
        "if-mixup": {"a": 1.0, "b": 1.0},
        "m-mixup": {"alpha": 1.0, "per_pair": True},
        "g-mixup": {"amount": 1.0, "low": 0.5, "high": 1.0},
        "submix": {"share": 1.0},
        "fgw-mixup": {"amount": 1.0, "alpha": 1.0},
        "geomix": {"per_pair": 1, "high": 0.5},
        "ged-mixup": {"partners": 2, "alpha": 1.0},
    },
    "half": {
        **NEAR_HALF,
        "m-mixup": {"alpha": 200.0, "per_pair": True},
        "g-mixup": {"amount": 1.0, "low": 0.5, "high": 0.5},
        "submix": {"share": 1.0},
    },
    "own": {},
}
"""Settings that make ratios comparable: spread evenly over the range of each method, near one half,
or each method's own. Graph Transplant has no setting of its ratio.
"""


def rows_named(names: Sequence[str], settings: Mapping[str, str] | None = None) -> tuple[Row, ...]:
    """Return the rows of methods: those of `ROWS`, or one with given settings.

    Args:
        names: titles of rows, or names of the registry; all of `ROWS` if there are none.
        settings: fields of the method, which is then one.
    """
    if settings:
        if len(names) != 1:
            raise UsageError("settings are those of one method: name it with --method.")
        words = ", ".join(f"{name}={value}" for name, value in settings.items())
        return (Row(f"{names[0]}, {words}", names[0], method_settings(names[0], settings)),)
    return tuple(row for name in names for row in _rows_of(name)) if names else ROWS


def _rows_of(name: str) -> list[Row]:
    found = [row for row in ROWS if name in (row.title, row.method)]
    if not found and name not in METHODS.entries:
        raise unknown_name("method", name, {*METHODS.entries, *(row.title for row in ROWS)})
    return found or [Row(name, name)]
