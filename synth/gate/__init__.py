"""The gate: what must hold of an environment before it is registered, proved by executing it."""
