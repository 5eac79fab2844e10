"""Augmentations (Sec. 3.1, Sec. 4): everything that changes what a classifier is trained on."""

from smixup.augment.base import Augmentation
from smixup.augment.smixup import SMixup

__all__ = ["Augmentation", "SMixup"]
