"""Until all rooms have moved: see `data`."""

from smixup.app.runs.data import uneven_classes as uneven_classes
