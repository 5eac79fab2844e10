"""The layout of the TU collection, and the checks that its files must pass before they are kept."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from smixup.datasets.layout import Layout, is_plain, require_files
from smixup.datasets.text import lines_of
from smixup.datasets.tu_text import read_tu, tu_file


@dataclass(frozen=True)
class TULayout(Layout):
    """`NAME_A.txt` and its companions in one folder."""

    folder: Path
    prefix: str

    parts_required = ("A", "graph_indicator")
    parts_per_graph = ("graph_labels", "graph_attributes")
    """Of which there must be one at least."""
    parts_per_node = ("node_labels", "node_attributes")
    parts_per_edge = ("edge_labels", "edge_attributes")

    @classmethod
    def endings(cls) -> tuple[str, ...]:
        """Return how the names of its files end."""
        kinds = cls.parts_required, cls.parts_per_graph, cls.parts_per_node, cls.parts_per_edge
        return tuple(f"_{part}.txt" for kind in kinds for part in kind)

    @classmethod
    def find(cls, top: Path) -> list[Layout]:
        """Return every such dataset in a folder, its children and grandchildren."""
        found = [path for depth in ("", "*/", "*/*/") for path in top.glob(f"{depth}*_A.txt")]
        return [
            cls(path.parent, path.name.removesuffix("_A.txt"))
            for path in sorted(found)
            if is_plain(path, top)
        ]

    @property
    def name(self) -> str:
        return self.prefix

    def path(self, part: str) -> Path:
        """Return the file of one part, such as `graph_labels`."""
        return tu_file(self.folder, self.prefix, part)

    def files(self) -> dict[Path, Path]:
        every = (self.folder / f"{self.prefix}{ending}" for ending in self.endings())
        paths = [path for path in every if path.is_file()]
        return {path: Path(self.name, "raw", path.name) for path in paths}

    def require(self) -> None:
        require_files([self.path(part) for part in self.parts_required])
        if not any(self.path(part).is_file() for part in self.parts_per_graph):
            require_files([self.path("graph_labels")])

    def under(self, root: Path) -> TULayout:
        return TULayout(root / self.name / "raw", self.prefix)

    def copy(self, source: Path, target: Path) -> None:
        """Copy a text without a mark before UTF-8, with lines that end in a newline alone, and
        without blank ones; of a large file, a line at a time is in memory.
        """
        with source.open("rb") as stream, target.open("wb") as file:
            for place, line in enumerate(lines_of(stream, source)):
                plain = line.removeprefix(b"\xef\xbb\xbf") if place == 0 else line
                parts = plain.replace(b"\r", b"\n").split(b"\n")
                file.writelines(part + b"\n" for part in parts if part.strip())

    def load(self) -> None:
        self.require()
        from smixup.datasets.tu import graphs_of_text  # takes torch

        graphs_of_text(read_tu(self.folder, self.prefix, edges=True).without_edge_features())
