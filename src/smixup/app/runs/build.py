"""Until all rooms have moved: see `registry`."""

from smixup.app.runs.registry import (
    make_backbone as make_backbone,
)
from smixup.app.runs.registry import (
    make_matcher as make_matcher,
)
from smixup.app.runs.registry import (
    make_method as make_method,
)
from smixup.app.runs.registry import (
    takes_edge_features as takes_edge_features,
)
