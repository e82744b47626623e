"""From a seed to an environment package and its task packs."""
