"""From a pair of graphs to a soft assignment of their nodes (Sec. 3.2)."""

from smixup.matching.base import Matcher
from smixup.matching.controls import Identity, RandomOrder, Uniform
from smixup.matching.learned import GraphMatcher

__all__ = ["GraphMatcher", "Identity", "Matcher", "RandomOrder", "Uniform"]
