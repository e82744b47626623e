"""Modules of a package, made from the bytes that were hash-checked, never from files or caches beside them."""

import sys
from types import ModuleType


def load_module(package: str, name: str, source: bytes, origin: str) -> ModuleType:
    """Runs the source as `package.name` and gives the module; siblings that were loaded before can be imported relatively.

    Args:
        package: Unique name of the environment package, such as `envfarm_package_3f2a…`.
        name: `rows`, `tools` or `checks`.
        source: The checked bytes.
        origin: Shown in tracebacks.
    """
    parent = sys.modules.get(package)
    if parent is None:
        parent = ModuleType(package)
        parent.__path__ = []
        sys.modules[package] = parent
    full = f"{package}.{name}"
    module = ModuleType(full)
    module.__package__ = package
    module.__file__ = origin
    sys.modules[full] = module
    try:
        exec(compile(source, origin, "exec", dont_inherit=True), module.__dict__)
    except BaseException:
        del sys.modules[full]
        raise
    setattr(parent, name, module)
    return module


def forget_modules(package: str) -> None:
    """Removes the modules of one package, so that memory can be reclaimed."""
    for full in [name for name in sys.modules if name == package or name.startswith(f"{package}.")]:
        del sys.modules[full]
