"""From a pair of graphs to an assignment of their nodes, soft or one-to-one (Sec. 3.2)."""

from smixup.matching.base import Matcher
from smixup.matching.classical import IPFP, SpectralMatching
from smixup.matching.controls import Identity, RandomOrder, Uniform
from smixup.matching.fgw import FusedGromovWasserstein
from smixup.matching.graph_matcher import GraphMatcher
from smixup.matching.learned import LearnedMatcher
from smixup.matching.rrwm import RRWM
from smixup.matching.siamese import SiameseMatcher

__all__ = [
    "IPFP",
    "RRWM",
    "FusedGromovWasserstein",
    "GraphMatcher",
    "Identity",
    "LearnedMatcher",
    "Matcher",
    "RandomOrder",
    "SiameseMatcher",
    "SpectralMatching",
    "Uniform",
]
