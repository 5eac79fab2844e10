"""Bonds as OGB describes them."""

BOND_VALUES = (5, 6, 2)
"""How many values OGB defines for each bond column: type, stereo, is conjugated."""
