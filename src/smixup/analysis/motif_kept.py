"""The name under which the explorer asks until it moves."""

from smixup.matching.quality import motif_kept

__all__ = ["motif_kept"]
