"""Things of one kind by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Generic, TypeVar

from smixup.errors import unknown_name

T = TypeVar("T")


@dataclass(frozen=True)
class Registry(Generic[T]):
    """Classes or functions of one kind by name: what makes a T, or `module:name` of it, which is
    imported when it is first asked for.
    """

    kind: str
    entries: dict[str, str | Callable[..., T]]

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def factory(self, name: str) -> Callable[..., T]:
        """Return the factory of a name, or raise the error that suggests another."""
        entry = self._entry(name)
        if not isinstance(entry, str):
            return entry
        module, _, attribute = entry.partition(":")
        factory: Callable[..., T] = getattr(import_module(module), attribute)
        return factory

    def module(self, name: str) -> str:
        """Return the module in which a name's object is defined; it is not imported."""
        entry = self._entry(name)
        return entry.partition(":")[0] if isinstance(entry, str) else entry.__module__

    def _entry(self, name: str) -> str | Callable[..., T]:
        if name not in self.entries:
            raise unknown_name(self.kind, name, self.entries)
        return self.entries[name]
