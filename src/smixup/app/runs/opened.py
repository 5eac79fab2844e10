"""Until all rooms have moved: see `data`."""

from smixup.app.runs.data import (
    Opened as Opened,
)
from smixup.app.runs.data import (
    choose_split as choose_split,
)
from smixup.app.runs.data import (
    open_dataset as open_dataset,
)
from smixup.app.runs.data import (
    open_run as open_run,
)
