"""Kinds of bonds are those that OGB lists, and those that molecules are read as."""

from __future__ import annotations

from smixup.datasets.bonds import BOND_VALUES
from smixup.datasets.readers.molecules import BOND_STEREO, BOND_TYPE

OGB = {
    "type": ("SINGLE", "DOUBLE", "TRIPLE", "AROMATIC", "misc"),
    "stereo": ("STEREONONE", "STEREOZ", "STEREOE", "STEREOCIS", "STEREOTRANS", "STEREOANY"),
    "is conjugated": (False, True),
}
"""What `allowable_features` of `ogb/utils/features.py` says of bonds."""


def test_columns_have_as_many_values_as_ogb_lists() -> None:
    assert tuple(map(len, OGB.values())) == BOND_VALUES


def test_molecules_are_read_by_the_same_lists() -> None:
    """Of either, the last value is for what is in no list."""
    assert OGB["type"][:-1] == BOND_TYPE
    assert OGB["stereo"][:-1] == BOND_STEREO
