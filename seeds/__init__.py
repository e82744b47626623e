"""The seeds that ship with envfarm, one YAML file a domain."""
