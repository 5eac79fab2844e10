"""Until all rooms have moved: see `model`."""

from smixup.app.runs.model import (
    Kept as Kept,
)
from smixup.app.runs.model import (
    coverage as coverage,
)
from smixup.app.runs.model import (
    member_file as member_file,
)
from smixup.app.runs.model import (
    train_model as train_model,
)
