"""Task packs as files: read and checked, with the initial states of their tasks. Grader side only."""
