"""What people with data use: commands, comparisons, models, pages; the library imports none."""
