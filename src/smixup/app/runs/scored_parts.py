"""Until all rooms have moved: see `data`."""

from smixup.app.runs.data import scored_split as scored_split
