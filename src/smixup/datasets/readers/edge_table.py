"""The table of edges: a row for every one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smixup.datasets.readers.attribute_columns import Column
from smixup.datasets.readers.options import names_of
from smixup.datasets.readers.streamed_table import read_columns
from smixup.datasets.readers.table_columns import as_column, joined, kinds_of, require_filled
from smixup.datasets.readers.tables import column_names, require_column
from smixup.datasets.readers.text_column import Texts
from smixup.errors import SmixupError, require
from smixup.shown import shown

LARGEST = float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class EdgeTable:
    """A table of edges, without its names.

    Attributes:
        path: of the table.
        graph: names of graphs.
        source: names of the first ends.
        target: names of the second ends; codes are those of `source`.
        weight: None where there is none.
        columns: attributes.
    """

    path: Path
    graph: Texts
    source: Texts
    target: Texts
    weight: NDArray[np.float64] | None
    columns: Mapping[str, Column]

    @classmethod
    def read(cls, path: Path, options: Mapping[str, Any]) -> EdgeTable:
        """Read a table; options are those of `read_edge_list`."""
        ends = names_of(options["ends"])
        require(len(ends) == 2, "ends", options["ends"], "two names of columns")
        graph, weight = options["graph"], options["weight"]
        present = column_names(path)
        for name in (graph, *ends):
            require_column(path, name, present)
        kinds = kinds_of(present, options) | dict.fromkeys((graph, *ends), False)
        if weight in present:
            kinds[weight] = True
        found: dict[str, Any] = dict(read_columns(path, kinds))
        require_filled(path, found, (graph, *ends))
        source, target = joined(found.pop(ends[0]), found.pop(ends[1]))
        names, weights = found.pop(graph), found.pop(weight, None)
        if weights is not None and len(odd := np.flatnonzero(weights == 0)):
            raise SmixupError(
                f"row {odd[0] + 1} of {path.name} has a weight of zero in column '{weight}': leave "
                "the edge out."
            )
        if weights is not None and len(odd := np.flatnonzero(np.abs(weights) > LARGEST)):
            raise SmixupError(
                f"row {odd[0] + 1} of {shown(path.name)} has a weight of {weights[odd[0]]}, which "
                "is not finite in single precision."
            )
        columns = {name: as_column(each) for name, each in found.items()}
        return cls(path, names, source, target, weights, columns)

    def __len__(self) -> int:
        return len(self.source.codes)

    def where(self, row: int) -> str:
        """Tell where an edge stands."""
        return f"row {row + 1} of {self.path.name}"
