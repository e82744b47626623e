"""One module for each kind of task, and what several kinds share."""
