"""What a setting is, read from the class."""

from __future__ import annotations

from dataclasses import dataclass, field

from smixup.app.runs.setting import Setting, settings_of


@dataclass
class Method:
    """Does something.

    Attributes:
        share: of the edges.
        names: not for text.
        word: made anew.
    """

    share: float = 0.5
    names: tuple[int, ...] = ()
    word: str = field(default_factory=lambda: "made")
    needed: int = field(kw_only=True)


def test_fields_that_text_can_set() -> None:
    assert settings_of(Method) == [
        Setting("share", 0.5, "a number", "of the edges."),
        Setting("word", "made", "text", "made anew."),
        Setting("needed", None, "an integer", ""),
    ]
