"""Until all rooms have moved: see `registry`."""

from smixup.app.runs.registry import (
    checked_options as checked_options,
)
from smixup.app.runs.registry import (
    literal as literal,
)
from smixup.app.runs.registry import (
    option_types as option_types,
)
from smixup.app.runs.registry import (
    parameters as parameters,
)
from smixup.app.runs.registry import (
    split_pairs as split_pairs,
)
