"""What can be evaluated: built-in agents, programs, services, models."""
