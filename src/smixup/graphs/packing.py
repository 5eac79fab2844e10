"""Writing graphs to disk, from where `packed.py` reads them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b, file_digest
from itertools import islice
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.utils.data import DataLoader

from smixup.errors import SmixupError, UsageError
from smixup.files import whole_folder
from smixup.graphs.codes import Encoding, layout_of
from smixup.graphs.graphs import AnyGraphs, Graphs, as_graphs, columns_of
from smixup.graphs.packed import ATTRIBUTES, PART, PackedGraphs, open_packed
from smixup.packed_folder import FORMAT, MANIFEST, VERSION, is_packed

BYTES = 2**20
"""How many become floats at once."""


def pack(
    graphs: AnyGraphs | PackedGraphs | Iterable[Graphs],
    folder: Path | str,
    encode: Encoding = None,
    notes: Mapping[str, Any] | None = None,
    extra: Mapping[str, Tensor] | None = None,
) -> PackedGraphs:
    """Write graphs to a folder of columns on disk, and open it.

    Example::

        smixup.pack(load_dataset("NCI1").graphs, "nci1")
        smixup.pack((make_data(i) for i in range(1_000_000)), "million")     # any iterable of Data

    Args:
        graphs: `Graphs`, a PyG dataset, or any iterable of `Data`, of which a few thousand at a
            time are in memory, or of `Graphs`, each a part of the set. All parts must have the same
            features and attributes; class numbers may go up from part to part.
        folder: to write to; a packed set that is there is replaced once the new one is whole.
        encode: how to read `x` and `edge_attr` of PyG graphs that are codes of categories, with the
            number of values of each: `"ogb"`, `"from-smiles"`, `Codes(nodes=(28,))`.
        notes: numbers and texts to keep beside the graphs.
        extra: other tensors to keep beside them.
    """
    target = Path(folder).expanduser()
    empty = not target.exists() or (target.is_dir() and not any(target.iterdir()))
    if not empty and not is_packed(target):
        raise UsageError(
            f"{target} exists and holds no packed graphs: name another folder, or remove it first."
        )
    with whole_folder(target, "packed graphs to") as new:
        manifest = _write(_parts(graphs, encode), new, extra or {}) | {"notes": dict(notes or {})}
        (new / MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="utf-8")
    return open_packed(target)


def _parts(source: Any, encode: Encoding) -> Iterator[Graphs]:
    """Yield graphs of any kind some thousands at a time."""
    layout = layout_of(encode)
    if layout is not None and layout.known is None:
        raise UsageError(
            f"encode={encode!r} would read the parts of a set differently: say how many values "
            "there are, encode=Codes(nodes=(28,), edges=(4,))."
        )
    if isinstance(source, PackedGraphs):
        yield from source.parts()
    elif isinstance(source, Graphs) or hasattr(source, "edge_index"):
        yield as_graphs(source, layout)
    else:
        following = iter(source.dataset if isinstance(source, DataLoader) else source)
        for first in following:
            if isinstance(first, Graphs):
                yield first
            else:
                yield as_graphs([first, *islice(following, PART - 1)], layout)


def _write(parts: Iterable[Graphs], folder: Path, extra: Mapping[str, Tensor]) -> dict[str, Any]:
    """Write the columns of all parts, and return what they are."""
    columns: dict[str, _Column] = {}

    def append(name: str, rows: Tensor) -> None:
        if name not in columns:
            columns[name] = _Column(name, folder / f"{len(columns)}.bin")
        columns[name].append(rows)

    targets: list[Tensor] = []
    classes, symmetric, nodes, entries = set[bool](), True, 0, 0
    for part in parts:
        rows = columns_of(part, nodes, entries, first=not targets)
        rows |= {f"{of}/{name}": v for of in ATTRIBUTES for name, v in getattr(part, of).items()}
        targets.append(rows.pop("y").cpu())
        if bool((part.adj.weight == 1).all()):
            rows["weight"] = part.adj.weight.byte()
        if odd := columns.keys() ^ rows.keys() if columns else ():
            name = min(odd).partition("/")[2]
            raise SmixupError(f"only some of the graphs have '{name}': give it to all, or to none.")
        for name, values in rows.items():
            append(name, values)
        classes, symmetric = classes | {part.has_classes}, symmetric and part.adj.symmetric
        nodes, entries = nodes + part.num_nodes, entries + len(part.adj.column)
    if not targets:
        raise SmixupError("there are no graphs to pack.")
    if len(classes) > 1:
        raise SmixupError("y holds classes in some graphs and values in others: make them alike.")
    widest = max(y.size(1) for y in targets)
    for y in targets:
        append("y", F.pad(y, (0, widest - y.size(1))) if True in classes else y)
    for name, values in extra.items():
        append(f"extra/{name}", values)
    digest = blake2b(digest_size=16)
    for name, column in columns.items():
        with column.path.open("rb") as file:
            digest.update(name.encode() + file_digest(file, "blake2b").digest())
    return {
        "format": FORMAT,
        "version": VERSION,
        "digest": digest.hexdigest(),
        "has_classes": True in classes,
        "symmetric": symmetric,
        "columns": {name: column.about for name, column in columns.items()},
    }


class _Column:
    """A column while it grows. Bytes, as of indicators, become floats with the first float."""

    def __init__(self, name: str, path: Path) -> None:
        self.name, self.path = name, path
        self.dtype, self.length, self.shape = torch.uint8, 0, torch.Size()

    @property
    def about(self) -> dict[str, Any]:
        dtype = str(self.dtype).removeprefix("torch.")
        return {"dtype": dtype, "shape": [self.length, *self.shape]}

    def append(self, rows: Tensor) -> None:
        """Write rows behind those that are there."""
        if not self.path.exists():
            self.dtype, self.shape = rows.dtype, rows.shape[1:]
        if {self.dtype, rows.dtype} == {torch.uint8, torch.float}:
            self._become_floats()
            rows = rows.float()
        if (rows.dtype, rows.shape[1:]) != (self.dtype, self.shape):
            raise SmixupError(
                f"'{self.name}' is {rows.dtype} of the shape {list(rows.shape[1:])} in some graphs "
                f"and {self.dtype} of {list(self.shape)} in those before: make them alike."
            )
        self._write(rows)
        self.length += len(rows)

    def _become_floats(self) -> None:
        if self.dtype == torch.uint8:
            self.dtype, before = torch.float, self.path.rename(self.path.with_suffix(".bytes"))
            with before.open("rb") as file:
                while content := file.read(BYTES):
                    self._write(torch.frombuffer(bytearray(content), dtype=torch.uint8).float())
            before.unlink()

    def _write(self, rows: Tensor) -> None:
        plain = rows.detach().cpu().contiguous().flatten().view(torch.uint8)
        with self.path.open("ab") as file:
            file.write(plain.numpy().data)
