"""Pictures: graphs, assignments, mixed pairs, learning curves. They draw data and measure nothing.

Every picture is a `matplotlib.figure.Figure` of its own, without global state.
"""
