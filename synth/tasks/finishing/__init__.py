"""What is done to a task once its gold is known: its manner, its ids, its place in the pack."""
