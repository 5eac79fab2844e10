"""Studies measure and return data; `figures` draws it, `pages` shows it."""
