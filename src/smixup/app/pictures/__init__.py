"""Pictures of graphs, mixed pairs and paired runs, each a `Figure` without global state."""
