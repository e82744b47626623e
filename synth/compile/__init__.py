"""From a resolved seed to the files of an environment package."""
