"""Runs in the formats that training and analysis tools read."""
