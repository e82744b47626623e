"""Tasks: goals, their words, their gold, and the packs that hold them."""
