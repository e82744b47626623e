"""The control plane: episodes for graders and operators, never for agents."""
