"""What an evaluation comes to: counting, means with their intervals, why runs failed, comparison of two evaluations."""
