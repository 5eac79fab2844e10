"""Names of backbones and methods; the only place where a name becomes an object. To add one, add one line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from inspect import signature
from typing import Any, Generic, TypeVar

from smixup.augment import Augmentation
from smixup.classifiers import Classifier
from smixup.errors import unknown_name
from smixup.experiments.options import checked_options
from smixup.graphs import GraphSet
from smixup.progress import Report, silent

T = TypeVar("T")


@dataclass(frozen=True)
class Registry(Generic[T]):
    """Factories of one kind by name: a class, or `module:Class` to be imported when it is first asked for."""

    kind: str
    entries: dict[str, str | Callable[..., T]]

    def __iter__(self) -> Any:
        return iter(self.entries)

    def factory(self, name: str) -> Callable[..., T]:
        """Return the factory of a name, or raise the error that suggests another."""
        if name not in self.entries:
            raise unknown_name(self.kind, name, self.entries)
        entry = self.entries[name]
        if not isinstance(entry, str):
            return entry
        module, _, attribute = entry.partition(":")
        factory: Callable[..., T] = getattr(import_module(module), attribute)
        return factory


BACKBONES: Registry[Classifier] = Registry(
    "backbone",
    {
        "gcn": "smixup.classifiers.gcn:GCN",
        "gin": "smixup.classifiers.gin:GIN",
    },
)

METHODS: Registry[Augmentation] = Registry(
    "method",
    {
        "vanilla": "smixup.augment.base:Augmentation",
    },
)


def method_settings(name: str, settings: Mapping[str, object]) -> dict[str, Any]:
    """Return the settings of a method with their proper types; text is parsed, unknown names and values are errors."""
    return checked_options(f"method {name}", METHODS.factory(name), settings)


def make_method(name: str, seed: int, settings: Mapping[str, object], report: Report = silent) -> Augmentation:
    """Build a method; it gets the run's `seed` and `report` if its constructor takes them."""
    factory = METHODS.factory(name)
    parameters = signature(factory).parameters
    own = {key: value for key, value in {"seed": seed, "report": report}.items() if key in parameters}
    return factory(**(own | method_settings(name, settings)))


def make_backbone(name: str, graphs: GraphSet, **settings: Any) -> Classifier:
    """Build a classifier of the width of `graphs`."""
    return BACKBONES.factory(name)(graphs.num_features, graphs.num_classes, **settings)
