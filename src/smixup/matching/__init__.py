"""From a pair of graphs to an assignment of their nodes, soft or one-to-one (Sec. 3.2)."""

from smixup.matching.base import Matcher
from smixup.matching.classical import IPFP, SpectralMatching
from smixup.matching.controls import Identity, RandomOrder, Uniform
from smixup.matching.fgw import FusedGromovWasserstein
from smixup.matching.learned import GraphMatcher, LearnedMatcher, SiameseMatcher
from smixup.matching.rrwm import RRWM

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
