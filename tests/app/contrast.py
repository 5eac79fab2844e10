"""How well one colour is read on another, by the rules for accessible web pages (WCAG 2)."""

from __future__ import annotations

from matplotlib.colors import to_rgb


def luminance(colour: str) -> float:
    linear = (
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4
        for part in to_rgb(colour)
    )
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    """From 1 (the same) to 21 (black on white); text needs 4.5, large signs 3."""
    dark, light = sorted(map(luminance, (one, other)))
    return (light + 0.05) / (dark + 0.05)
