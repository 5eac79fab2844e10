"""Pages and texts assembled from tables, studies and figures."""
