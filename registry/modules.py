"""Modules of a package, made from the bytes that were hash-checked, never from files or caches beside them."""

import sys
from types import ModuleType


class PackageModules:
    """The modules of one loaded package. They import each other relatively, also while another copy of the same package is loaded.

    Args:
        name: Unique name of the package, such as `envfarm_package_3f2a…`.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._loaded: dict[str, ModuleType] = {}

    def get(self, module: str) -> ModuleType | None:
        """The module, if it was loaded."""
        return self._loaded.get(module)

    def load(self, module: str, source: bytes, origin: str) -> ModuleType:
        """Runs the source as a module and gives it.

        Args:
            module: `rows`, `tools` or `checks`; those that it imports are loaded before it.
            source: The checked bytes.
            origin: Shown in tracebacks.
        """
        package = ModuleType(self._name)
        package.__path__ = []
        made = ModuleType(f"{self._name}.{module}")
        made.__package__ = self._name
        made.__file__ = origin
        names = {self._name: package, **{f"{self._name}.{name}": one for name, one in self._loaded.items()}, made.__name__: made}
        sys.modules.update(names)
        try:
            exec(compile(source, origin, "exec", dont_inherit=True), made.__dict__)  # noqa: S102 (a package that was checked)
        finally:
            # Nothing is left behind under names that another copy of the package, or a rebuilt one, would find.
            for name in names:
                sys.modules.pop(name, None)
        self._loaded[module] = made
        return made
