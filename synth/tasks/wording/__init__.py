"""English: how values, names and whole messages are put."""
