"""What the node labels of published sets stand for, where the publisher says so in the archive.

Most archives of the TU collection do not tell, and for those there is nothing here: no guess is
better than a wrong symbol.
"""

from __future__ import annotations

NODE_LABELS: dict[str, tuple[str, ...]] = {"MUTAG": ("C", "N", "O", "F", "I", "Cl", "Br")}
"""By dataset, the meaning of the labels 0, 1, ..., as its README.txt lists them."""
