"""The version of envfarm that runs."""

from importlib.metadata import PackageNotFoundError, version


def installed_version() -> str:
    """As it was installed; 0 for a checkout that is not."""
    try:
        return version("envfarm")
    except PackageNotFoundError:
        return "0"
