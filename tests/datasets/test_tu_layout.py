"""Files of the TU collection that do not go together are named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from smixup.datasets.layouts import find_layout
from smixup.errors import SmixupError

TU_FAULTS = {
    "graph_labels is missing": ({"graph_labels": None}, "missing: TINY_graph_labels.txt"),
    "graph_indicator is missing": ({"graph_indicator": None}, "missing: TINY_graph_indicator.txt"),
    "too few labels": ({"graph_labels": "1\n0\n"}, "TINY_graph_labels.txt has 2 lines where .* 3"),
    "too many labels": (
        {"graph_labels": "1\n0\n1\n1\n"},
        "TINY_graph_labels.txt has 4 lines where .* 3",
    ),
    "node labels": ({"node_labels": "1\n1\n"}, "TINY_node_labels.txt has 2 lines where .* 6"),
    "node attributes": (
        {"node_attributes": "1.5\n" * 7},
        "TINY_node_attributes.txt has 7 lines where .* 6",
    ),
    "edge labels": ({"edge_labels": "1\n"}, "TINY_edge_labels.txt has 1 lines where .* 8"),
    "edge labels that are none": (
        {"edge_labels": "a\n" * 8},
        "TINY_edge_labels.txt cannot be read",
    ),
    "edge labels beyond counting": (
        {"edge_labels": "0\n" * 7 + "123456789\n"},
        "TINY_edge_labels.txt holds labels from 0 to 123456789",
    ),
    "edge attributes": (
        {"edge_attributes": "0.5\n"},
        "TINY_edge_attributes.txt has 1 lines where .* 8",
    ),
    "graph attributes": (
        {"graph_attributes": "0.5\n"},
        "TINY_graph_attributes.txt has 1 lines where .* 3",
    ),
    "no target": (
        {"graph_labels": None, "graph_attributes": None},
        "missing: TINY_graph_labels.txt",
    ),
    "node zero": ({"A": "0, 1\n", "edge_labels": None}, "TINY_A.txt names a node outside 1 to 6"),
    "node seven": ({"A": "1, 7\n", "edge_labels": None}, "TINY_A.txt names a node outside 1 to 6"),
    "crossing": (
        {"A": "1, 2\n1, 4\n", "edge_labels": None},
        "joins two different graphs in line 2",
    ),
    "words": ({"A": "one, two\n"}, "TINY_A.txt cannot be read"),
    "three columns": ({"A": "1, 2, 3\n"}, "TINY_A.txt has 3 columns, expected 2"),
    "cut off": ({"A": "1, 2\n2\n"}, "TINY_A.txt cannot be read"),
    "gap": ({"graph_indicator": "1\n1\n1\n3\n3\n4\n"}, "without gaps"),
    "order": ({"graph_indicator": "1\n2\n1\n2\n2\n3\n"}, "in order"),
    "empty": ({"graph_indicator": ""}, "in order"),
    "infinite": ({"node_attributes": "1\n2\n3\n4\n5\ninf\n"}, "not finite"),
    "real classes": ({"graph_labels": "0.5\n1\n1\n"}, "TINY_graph_labels.txt cannot be read"),
}


@pytest.mark.parametrize("fault", TU_FAULTS)
def test_tu_faults(make_tu: Callable[..., Path], fault: str) -> None:
    changes, message = TU_FAULTS[fault]
    with pytest.raises(SmixupError, match=message):
        find_layout(make_tu(**changes)).check()


def test_graphs_without_any_edge_pass(make_tu: Callable[..., Path]) -> None:
    find_layout(make_tu(A="", edge_labels=None)).check()
