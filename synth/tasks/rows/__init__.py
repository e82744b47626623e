"""What is looked up in the rows of a state while a task is made."""
