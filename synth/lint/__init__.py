"""Advice on seeds that are without error: what is declared in vain, what makes poor tasks, what is never seen."""
