"""The random alignment, as settings of S-Mixup."""

RANDOM = {"matcher": "random-order", "matcher.partial": True}
