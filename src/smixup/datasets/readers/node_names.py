"""What the nodes of graphs are called in the files that they come from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smixup.datasets.base import Dataset

NAMELESS = -1


@dataclass(frozen=True)
class NodeNames:
    """Names of the nodes of all graphs; each text is kept once.

    Attributes:
        ptr: `[G + 1]`, where the nodes of each graph begin.
        codes: `[n]`, the place of each node's name among the texts; -1 is a node without a name.
        texts: the names, as text or bytes.

    >>> NodeNames.listed([["anna", "bert"], ["anna"]]).of(0)
    ('anna', 'bert')
    """

    ptr: NDArray[np.int64]
    codes: NDArray[np.int64]
    texts: Sequence[Any] | NDArray[Any]

    @classmethod
    def listed(cls, names: Sequence[Iterable[object]]) -> NodeNames:
        """Return names that are given graph by graph."""
        found = [[str(name) for name in each] for each in names]
        texts = [name for each in found for name in each]
        return cls(_starts([len(each) for each in found]), np.arange(len(texts)), texts)

    @classmethod
    def repeated(cls, names: Sequence[str], graphs: int) -> NodeNames:
        """Return the same names for every graph."""
        return cls(_starts([len(names)] * graphs), np.tile(np.arange(len(names)), graphs), names)

    @classmethod
    def coded(
        cls, sizes: Sequence[int] | NDArray[Any], codes: NDArray[np.int64], texts: Sequence[Any]
    ) -> NodeNames:
        """Return names by their places among the texts."""
        return cls(_starts(sizes), codes, texts)

    def of(self, graph: int) -> tuple[str, ...]:
        """Return the names of the nodes of one graph; a node without one has an empty text."""
        codes = self.codes[int(self.ptr[graph]) : int(self.ptr[graph + 1])]
        return tuple("" if code == NAMELESS else _text(self.texts[code]) for code in codes.tolist())


@dataclass(frozen=True)
class NamedNodes(Dataset):
    """A dataset whose nodes have names.

    Attributes:
        node_names: of all graphs.
    """

    node_names: NodeNames | None = None


def _starts(sizes: Sequence[int] | NDArray[Any]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(np.asarray(sizes, np.int64))]).astype(np.int64)


def _text(value: Any) -> str:
    return value.decode("utf-8") if isinstance(value, bytes) else str(value)
