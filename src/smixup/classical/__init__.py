"""Models that are no networks: what has to be beaten where labelled graphs are few."""

from smixup.classical.forest import Forest
from smixup.classical.kernel import WLSVM
from smixup.classical.numbers import GraphNumbers

__all__ = ["WLSVM", "Forest", "GraphNumbers"]
