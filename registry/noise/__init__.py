"""What disturbs an agent's calls by chance, the same again at each replay: errors, lost answers, odd pages, other names, other people."""
