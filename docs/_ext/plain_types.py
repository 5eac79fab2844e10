"""Types as a reader wants them: the range of a number is told in words elsewhere."""

from __future__ import annotations

import re

RANGED = re.compile(r"Annotated\[(\w+), Range\([^()]*\)\]")


def plain(text: str) -> str:
    """Return a type or a signature in which a number with a range is a number.

    ```python
    plain("Annotated[int, Range(1, limit=9)] | None")  # int | None
    ```
    """
    return RANGED.sub(r"\1", text)
