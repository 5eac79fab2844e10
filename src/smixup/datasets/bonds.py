"""Bonds as OGB describes them."""

BOND_VALUES = (5, 6, 2)
"""How many values OGB defines for each bond column (`ogb/utils/features.py`, `allowable_features`):
type (single, double, triple, aromatic, any other), stereo (none, Z, E, cis, trans, any), and
whether it is conjugated (no, yes)."""
