"""What is made and measured to prove a task: distractors, twins, other routes, level."""
