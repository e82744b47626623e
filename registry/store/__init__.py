"""Durable records of episodes and calls."""
