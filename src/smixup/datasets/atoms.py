"""Atoms as OGB describes them."""

ATOM_VALUES = (119, 5, 12, 12, 10, 6, 6, 2, 2)
"""How many values OGB defines for each atom column: atomic number, chirality, degree, formal
charge, number of H, number of radical electrons, hybridization, is aromatic, is in a ring."""
