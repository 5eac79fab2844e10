"""Columns of tables of edges and nodes: of which kind each is, that no cell is empty, and names of
the same things in two of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from smixup.datasets.readers.attribute_columns import Column
from smixup.datasets.readers.options import names_of
from smixup.datasets.readers.tables import column_names, index_columns
from smixup.datasets.readers.text_column import Texts, factorise
from smixup.errors import SmixupError


def kinds_of(present: tuple[str, ...], options: Mapping[str, Any]) -> dict[str, bool | None]:
    """Tell of the columns to be read which are text, and of which it is to be seen. The index of a
    data frame is not read: where rows stand in a file says nothing about nodes and edges.
    """
    categories = names_of(options["categories"])
    ignored = {*names_of(options["ignore"]), *index_columns(present)} - {*categories}
    return {name: False if name in categories else None for name in present if name not in ignored}


def left_out(path: Path, options: Mapping[str, Any]) -> list[str]:
    """Tell of the columns that look like the index of a data frame; no feature comes of them."""
    told = (*names_of(options["ignore"]), *names_of(options["categories"]))
    used = (options["graph"], options["node"], options["weight"], *names_of(options["ends"]))
    return [
        f"'{name}' of {path.name} looks like the index of a data frame, and is left out: give the "
        "column a name of its own if it is a feature."
        for name in index_columns(column_names(path))
        if name not in (*told, *used)
    ]


def require_filled(path: Path, columns: Mapping[str, Any], keys: Sequence[str]) -> None:
    """Refuse cells without content: a node without a name, an attribute that is not there."""
    for name, found in columns.items():
        if not isinstance(found, Texts) or found.values.dtype.kind != "S":
            continue
        for code in np.flatnonzero(found.values == b""):
            row = int(np.flatnonzero(found.codes == code)[0]) + 1
            less = "the row out" if name in keys else f"the column out by ignore={name}"
            raise SmixupError(
                f"row {row} of {path.name} has nothing in column '{name}': fill it in, or leave "
                f"{less}."
            )


def as_column(found: Any) -> Column:
    """Return a column that was read, as an attribute."""
    if isinstance(found, Texts):
        return Column.of_texts(found.codes, found.texts())
    return Column.of_numbers(found)


def joined(left: Texts, right: Texts) -> tuple[Texts, Texts]:
    """Return two columns with names of the same things, numbered alike."""
    values = [left.values, right.values]
    if values[0].dtype.kind != values[1].dtype.kind:
        values = [each.astype("S20") if each.dtype.kind != "S" else each for each in values]
    every, place = factorise(np.concatenate(values))
    first, second = place[: len(values[0])], place[len(values[0]) :]
    return (
        Texts(first[left.codes] if len(first) else left.codes, every),
        Texts(second[right.codes] if len(second) else right.codes, every),
    )
