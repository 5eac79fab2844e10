"""Graph mixup with soft alignments (S-Mixup, ICML 2023) for PyTorch Geometric."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from smixup.augment.smixup import SMixup
    from smixup.matching.graph_matcher import GraphMatcher

__version__ = "0.1.0"
__all__ = ["GraphMatcher", "SMixup", "__version__"]

_LAZY = {"GraphMatcher": "smixup.matching.graph_matcher", "SMixup": "smixup.augment.smixup"}


def __getattr__(name: str) -> object:
    """Import the public classes when they are first asked for: torch takes seconds, and
    `smixup --help` needs none.
    """
    if name not in _LAZY:
        raise AttributeError(f"module 'smixup' has no attribute '{name}'")
    return getattr(import_module(_LAZY[name]), name)
