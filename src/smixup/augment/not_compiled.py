"""Methods that `torch.compile` must leave as they are, without loading its compiler at import."""

from __future__ import annotations

import torch


def not_compiled(owner: type, name: str) -> None:
    """Let a class's method run as it is written, in compiled models too.

    `torch.compiler.disable` does that, but loads the compiler, which takes seconds. So it is called
    when the first object is made, and not as a decorator: who only predicts does not wait for it.

    Example:
        >>> class Counter:
        ...     def __init__(self) -> None:
        ...         not_compiled(Counter, "count")
        ...
        ...     def count(self) -> int:
        ...         return 1
        >>> Counter().count()
        1
    """
    method = vars(owner)[name]
    if not getattr(method, "_torchdynamo_disable", False):
        setattr(owner, name, torch.compiler.disable(method))
