"""Which attributes of edges a run uses, and a word on those that it does not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from smixup.app.runs.build import takes_edge_features
from smixup.app.runs.registry import BACKBONES
from smixup.graphs import Graphs, PackedGraphs
from smixup.graphs.edge_features import EDGE_ATTR, SHARE
from smixup.warning import warn_user

AnySet = TypeVar("AnySet", Graphs, PackedGraphs)


class EdgesLeftOut(UserWarning):
    """Features of edges are there, and the backbone takes none, or others."""


def with_used_edges(graphs: AnySet, dataset: str, backbone: str) -> AnySet:
    """Return the graphs without the attributes of edges that a backbone does not take, and warn of
    each.

    They would change no number and cost time and memory in every batch.

    Args:
        graphs: in memory or on disk.
        dataset: its name, for the warning.
        backbone: a name of `registry.BACKBONES`.
    """
    if said := edges_left_out(graphs, dataset, backbone):
        warn_user(said, EdgesLeftOut)
    return used_edges(graphs, backbone)


def used_edges(graphs: AnySet, backbone: str) -> AnySet:
    """Return the graphs with the attributes of edges alone that a backbone takes."""
    kept: tuple[str, ...] = (EDGE_ATTR, SHARE) if takes_edge_features(backbone) else ()
    if all(name in kept for name in graphs.edge_attrs):
        return graphs
    change = KeepEdgeAttributes(kept)
    return graphs.preparing(change) if isinstance(graphs, PackedGraphs) else change(graphs)


def edges_left_out(graphs: Graphs | PackedGraphs, dataset: str, backbone: str) -> str:
    """Return which attributes of edges a backbone does not take, as a sentence; empty if it takes
    all.
    """
    taken = takes_edge_features(backbone)
    known = (EDGE_ATTR, SHARE) if taken else (SHARE,)
    unused = [name for name in graphs.edge_attrs if name not in known]
    return _sentence(unused, dataset, backbone, taken) if unused else ""


@dataclass(frozen=True)
class KeepEdgeAttributes:
    """Leaves out all attributes of edges but those named."""

    names: tuple[str, ...]

    def __call__(self, graphs: Graphs) -> Graphs:
        kept = {name: each for name, each in graphs.edge_attrs.items() if name in self.names}
        return graphs.replace(edge_attrs=kept)


def _sentence(unused: list[str], dataset: str, backbone: str, taken: bool) -> str:
    names = ", ".join(f"'{name}'" for name in unused)
    if taken:
        return (
            f"{backbone} takes '{EDGE_ATTR}' alone of what the edges of {dataset} have, and leaves "
            f"out {names}: put all that it shall use into '{EDGE_ATTR}'."
        )
    others = " or ".join(name for name in BACKBONES if takes_edge_features(name))
    return (
        f"{backbone} takes no features of edges, and leaves out {names} of {dataset}: use "
        f"{others} to train on them."
    )
