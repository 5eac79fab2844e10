"""Until all rooms have moved: see `data`."""

from smixup.app.runs.data import (
    EdgesLeftOut as EdgesLeftOut,
)
from smixup.app.runs.data import (
    KeepEdgeAttributes as KeepEdgeAttributes,
)
from smixup.app.runs.data import (
    edges_left_out as edges_left_out,
)
from smixup.app.runs.data import (
    used_edges as used_edges,
)
