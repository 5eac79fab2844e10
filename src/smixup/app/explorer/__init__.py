"""The explorer: pairs of graphs on one page, mixed in the browser while a slider moves."""
