"""The public Python interface of envfarm."""
