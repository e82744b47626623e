"""The scorer: pure functions from gold and net changes to a verdict; imports `registry.package` alone."""
