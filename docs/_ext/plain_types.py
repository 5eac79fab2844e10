"""Types as a reader wants them: the range of a number is told in words elsewhere."""

from __future__ import annotations

import re

MODULE = r"~?(?:\w+\.)*"  # as autodoc writes names: in full, with a mark to shorten them
RANGED = re.compile(rf"{MODULE}Annotated\[({MODULE}\w+), {MODULE}Range\([^()]*\)\]")


def plain(text: str) -> str:
    """Return a type or a signature in which a number with a range is a number.

    ```python
    plain("Annotated[int, Range(1, limit=9)] | None")  # int | None
    ```
    """
    return RANGED.sub(r"\1", text)
