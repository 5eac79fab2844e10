"""Lists of PyG graphs that `torch.save` wrote."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import torch
from torch_geometric.data import Data

from smixup.datasets.catalogue import load_dataset
from smixup.errors import SmixupError

from ..harness import Malformed, Subject
from ..mutators import Files
from ..plain_graphs import plain_graphs, single


class Hostile:
    """What a pickle may call when it is loaded."""

    def __reduce__(self) -> Any:
        return os.mkdir, ("executed",)


class SavedLists(Subject):
    name = "saved lists"

    def good(self) -> Sequence[Files]:
        return [{"g.pt": _saved(_graphs())}]

    def damage(self, random: Random, files: Files) -> Files:
        if random.random() < 0.5:
            return super().damage(random, files)
        return {"g.pt": _saved(_odd(random, _graphs()))}

    def read(self, folder: Path) -> Any:
        dataset = load_dataset(folder / "g.pt")
        assert not Path("executed").exists(), "code was executed"
        if not dataset.graphs.has_classes:
            raise SmixupError("these are values, which no plain reading compares.")
        return [
            (n, edges, x, y.index(max(y)) if y else -1)
            for n, edges, x, y in plain_graphs(dataset.graphs)
        ]

    def plain(self, files: Files) -> Any:
        """Accepted files hold whole tensors: those of a zip whose digests are right."""
        try:
            with zipfile.ZipFile(io.BytesIO(files["g.pt"])) as archive:
                if archive.testzip():
                    raise Malformed("a damaged zip")
            found = torch.load(io.BytesIO(files["g.pt"]), weights_only=False)
        except Malformed:
            raise
        except Exception as reason:
            raise Malformed(repr(reason)[:50]) from reason
        if any(data.y.is_floating_point() for data in found):
            raise ValueError("values")
        return [_plain(data) for data in found]


def _graphs() -> list[Any]:
    edges = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    return [
        Data(
            x=torch.tensor([[float(place)], [1.0], [2.0]]),
            edge_index=edges,
            y=torch.tensor([place % 2]),
        )
        for place in range(4)
    ]


def _plain(data: Any) -> Any:
    n = data.num_nodes if data.x is None else data.x.size(0)
    edges: dict[tuple[int, int], float] = {}
    for source, target in data.edge_index.T.tolist():
        edges[target, source] = edges.get((target, source), 0.0) + 1.0
    x = [[] for _ in range(n)]
    if data.x is not None:
        x = [[single(each) for each in row] for row in data.x.view(n, -1).tolist()]
    return n, sorted((i, j, w) for (i, j), w in edges.items()), x, int(data.y)


def _odd(random: Random, graphs: list[Any]) -> Any:
    data = random.choice(graphs)
    way = random.randrange(16)
    if way == 0:
        data.x = random.choice((data.x * float("nan"), data.x * 1e39, data.x.double() * 1e300))
    elif way == 1:
        data.edge_index = data.edge_index + random.choice((-1, 1, 2**40))
    elif way == 2:
        data.edge_index = random.choice(
            (data.edge_index.float(), data.edge_index[:1], data.edge_index.T)
        )
    elif way == 3:
        data.y = random.choice(
            (None, torch.tensor([2**40]), torch.tensor([-1]), torch.tensor([0.5]), "x")
        )
    elif way == 4:
        data.x = random.choice(
            (None, "x", data.x[:2], data.x.view(-1), torch.zeros(3, 2), data.x.bool())
        )
    elif way == 5:
        data.x = torch.zeros(1).expand(2**33, 1)
    elif way == 6:
        data.y = torch.zeros(1, dtype=torch.long).expand(2**40)
    elif way == 7:
        return random.choice(
            ([], None, {}, "x", 1, torch.zeros(3), [1], {"a": torch.zeros(2)}, (1, 2))
        )
    elif way == 8:
        return random.choice((Hostile(), [Hostile()], [*graphs, Hostile()], (graphs[0], Hostile())))
    elif way == 9:
        data.extra = random.choice((Hostile(), object(), len, "x" * 10_000, "\x1b[31m"))
    elif way == 10:
        data.edge_index = torch.zeros(2, 0, dtype=torch.long)
    elif way == 11:
        data.num_nodes = random.choice((0, 1, 5, -1, 2**40))
    elif way == 12:
        data.edge_attr = random.choice(
            (torch.zeros(4), torch.zeros(3, 2), torch.zeros(4, 1) * float("nan"))
        )
    elif way == 13:
        return graphs[: random.randrange(5)]
    elif way == 14:
        data.x = data.x.to(
            random.choice((torch.float16, torch.bfloat16, torch.int64, torch.complex64))
        )
    else:
        data.edge_index = data.edge_index.to(random.choice((torch.int32, torch.uint8, torch.bool)))
    return graphs


def _saved(value: Any) -> bytes:
    stream = io.BytesIO()
    torch.save(value, stream)
    return stream.getvalue()
