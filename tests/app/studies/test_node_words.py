"""Atoms are known by their features, and nothing else is taken for one."""

from __future__ import annotations

import torch

from smixup.app.studies.node_words import symbols_of
from smixup.datasets.atoms import ATOM_VALUES, SYMBOLS
from smixup.datasets.one_hot import one_hot_columns

CARBON, NITROGEN, CHLORINE, OTHER = 5, 6, 16, 118


def test_symbols_of_atoms() -> None:
    assert len(SYMBOLS) == ATOM_VALUES[0]
    values = torch.zeros(4, 9, dtype=torch.long)
    values[:, 0] = torch.tensor([CARBON, NITROGEN, CHLORINE, OTHER])
    x = one_hot_columns(values.numpy(), ATOM_VALUES)
    assert symbols_of(x) == ("C", "N", "Cl", "?")
    assert symbols_of(x.float()) == ("C", "N", "Cl", "?")


def test_other_features_are_not_taken_for_atoms() -> None:
    x = one_hot_columns(torch.zeros(3, 9, dtype=torch.long).numpy(), ATOM_VALUES).float()
    assert symbols_of(x[:, :-1]) is None
    assert symbols_of(0.5 * x) is None
    assert symbols_of(torch.zeros_like(x)) is None
    mixed = x.clone()
    mixed[0, 7] = 1  # two atomic numbers
    assert symbols_of(mixed) is None


def test_labels_of_a_published_set_mean_what_the_publisher_says() -> None:
    x = torch.eye(7)[[0, 5, 6]]
    assert symbols_of(x, "MUTAG") == ("C", "Cl", "Br")
    assert symbols_of(x.to(torch.uint8), "MUTAG") == ("C", "Cl", "Br")
    assert symbols_of(x, "OTHER") is None
    assert symbols_of(x) is None
    assert symbols_of(x[:, :6], "MUTAG") is None, "features of something else"
    assert symbols_of(0.5 * x, "MUTAG") is None
